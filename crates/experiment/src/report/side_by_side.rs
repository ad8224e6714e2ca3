//! Metrics of several runs of one system side by side, from their summaries.

use std::fmt::Write;

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use serde_json::{Map, Value as Json, json};

use crate::output::number::{grouped, plain, time_unit_of};
use crate::report::figures::{NOTHING, percent};
use crate::report::terminal::in_unit;
use crate::scenario::System;

/// Metrics that come first where a system names none.
const FIRST: usize = 8;
/// Letters of the head of a column, at most.
const HEAD: usize = 16;

/// A metric of several runs.
#[derive(Clone, PartialEq, Debug)]
struct Row {
    name: String,
    unit: String,
    is_share: bool,
    is_first: bool,
    /// The value in each run; null where nothing was observed.
    values: Vec<Json>,
}

/// The metrics of several runs.
#[derive(Clone, PartialEq, Debug)]
pub struct SideBySide(Vec<Row>);

impl SideBySide {
    /// The metrics of these summaries, those of `first` before the others; one that no run
    /// observed is not among the first.
    pub fn of<'a>(system: &dyn System, first: impl Iterator<Item = &'a str>, summaries: &[Json]) -> Self {
        let metrics = || summaries.iter().filter_map(|summary| summary["metrics"].as_object());
        let mut names: Vec<&str> = Vec::new();
        for name in metrics().flat_map(Map::keys) {
            // the lists of runs of one system are nearly the same
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let row = |name: &str, is_first: bool| {
            let of = |summary: &Json| summary["metrics"][name].clone();
            let unit = metrics().find_map(|all| all.get(name)?["unit"].as_str());
            Row {
                name: name.to_owned(),
                unit: unit.unwrap_or_default().to_owned(),
                is_share: system.is_share(name),
                is_first,
                values: summaries.iter().map(|summary| of(summary)["value"].clone()).collect(),
            }
        };
        let mut rows: Vec<Row> =
            first.filter(|name| names.contains(name)).map(|name| row(name, true)).collect();
        rows.retain(|row| row.values.iter().any(|value| !value.is_null()));
        let is_named = !rows.is_empty();
        for name in names {
            if rows.iter().all(|row| row.name != name) {
                let is_first = !is_named && rows.len() < FIRST;
                rows.push(row(name, is_first));
            }
        }
        SideBySide(rows)
    }

    /// `{NAME: {"unit", "values"}}`, a value a run.
    pub fn to_json(&self) -> Json {
        let member = |row: &Row| (row.name.clone(), json!({ "unit": row.unit, "values": row.values }));
        Json::Object(self.0.iter().map(member).collect())
    }

    /// The rows of a page, in order.
    pub(super) fn to_rows(&self) -> Json {
        let row = |row: &Row| {
            json!({
                "name": row.name, "unit": row.unit, "share": row.is_share, "first": row.is_first, "values": row.values,
            })
        };
        self.0.iter().map(row).collect()
    }

    /// The first metrics as a table of a terminal, with a column a run.
    pub fn text(&self, names: &[String]) -> String {
        let right = |cell: String| Cell::new(cell).set_alignment(CellAlignment::Right);
        let rule = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
        let mut table = Table::new();
        table.load_style(rule).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header([String::new()].into_iter().chain(names.iter().map(|name| ending(name))).map(right));
        for row in self.0.iter().filter(|row| row.is_first) {
            table.add_row([Cell::new(&row.name)].into_iter().chain(row.cells().into_iter().map(right)));
        }
        let mut text = String::new();
        for line in table.to_string().lines() {
            // writing into a String cannot fail
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

impl Row {
    /// The values, all in the unit that suits the median of them.
    fn cells(&self) -> Vec<String> {
        let is_time = self.unit == "s";
        let numbers = self.values.iter().filter_map(Json::as_f64);
        let (scale, unit) = if is_time { time_unit_of(numbers) } else { (1.0, self.unit.as_str()) };
        let cell = |value: &Json| match (value.as_u64(), value.as_f64()) {
            (_, None) => NOTHING.to_owned(),
            (Some(count), _) if unit.is_empty() && !self.is_share => grouped(count),
            (_, Some(share)) if self.is_share => percent(share),
            (_, Some(value)) => in_unit(plain(value / scale), unit),
        };
        self.values.iter().map(cell).collect()
    }
}

/// The end of a name that is long, which distinguishes it from others.
fn ending(name: &str) -> String {
    let letters = name.chars().count();
    if letters <= HEAD {
        return name.to_owned();
    }
    ["…".to_owned(), name.chars().skip(letters - HEAD + 1).collect()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::served::Served;

    fn summaries() -> [Json; 2] {
        [(5400.0, 0.5, 1200), (30.0, 0.925, 9)].map(|(wait, share, count)| {
            json!({ "metrics": {
                "jobs.completed": { "value": count, "unit": "" },
                "wait-time.mean": { "value": wait, "unit": "s" },
                "makespan": { "value": null, "unit": "s" },
                "useful-utilization": { "value": share, "unit": "" },
            }})
        })
    }

    #[test]
    fn the_first_metrics_stand_in_one_unit_each_and_what_no_run_observed_is_not_among_them() {
        let first = ["wait-time.mean", "makespan", "useful-utilization", "throughput"].into_iter();
        let metrics = SideBySide::of(&Served, first, &summaries());
        let text = metrics.text(&["fcfs".to_owned(), "results/of/a/long/name".to_owned()]);
        let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[0], ["fcfs", "…/of/a/long/name"]);
        assert_eq!(words[2], ["wait-time.mean", "5,400", "s", "30", "s"]);
        assert_eq!(words[3], ["useful-utilization", "50", "%", "92.5", "%"]);
        assert_eq!(words.len(), 4);
        let json = metrics.to_json();
        assert_eq!(json["jobs.completed"], json!({ "unit": "", "values": [1200, 9] }));
        assert_eq!(json["makespan"]["values"], json!([null, null]));
    }

    #[test]
    fn where_no_metric_is_named_the_first_ones_are_shown() {
        let metrics = SideBySide::of(&Served, [].into_iter(), &summaries());
        let text = metrics.text(&["a".to_owned(), "b".to_owned()]);
        assert!(text.contains("jobs.completed     ") && text.contains("1,200"), "{text}");
    }
}
