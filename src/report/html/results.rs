//! The page of a run whose system draws none of its own: its metrics, its timeline, the times of its tables, its scenario.

use std::io;

use serde_json::{Value as Json, json};

use crate::kernel::SimDuration;
use crate::output::{Cell, CellType, Column, RowSink, RowSource, Table, TableFormat};
use crate::report::html::curve::curve;
use crate::report::html::lanes::lanes;
use crate::report::html::page::page;
use crate::scenario::{Rejected, Results, RunDirectory, Scenario};
use crate::text::csv::NamedRows;
use crate::units::seconds;

const SCRIPT: &str = concat!(
    include_str!("unpack.js"),
    include_str!("lanes.js"),
    include_str!("shares.js"),
    include_str!("results.js")
);

/// Columns of times that have a curve, at most.
const MOST_CURVES: usize = 6;
/// Values of a column that a curve is drawn from, at most; of more, every second.
const MOST_VALUES: usize = 200_000;

/// The page of a run; `summary` is `summary.json`.
pub fn draw(results: &dyn Results, summary: &Json, scenario: &Scenario) -> Vec<u8> {
    let mut data = common(summary, scenario);
    data["lanes"] = results.lanes().map_or(Json::Null, |source| lanes(&*source));
    let mut curves: Vec<Json> = Vec::new();
    let mut drawn: Vec<&str> = Vec::new();
    for (source, _) in results.tables(scenario) {
        let table = source.table();
        // a table may be written in two formats
        if !drawn.contains(&table.name) && curves.len() < MOST_CURVES {
            drawn.push(table.name);
            curves.extend(times(&*source, MOST_CURVES - curves.len()));
        }
    }
    data["curves"] = json!(curves);
    page(&scenario.title, &data, SCRIPT)
}

/// The page of a finished run once more: its metrics and the times of its tables. No file holds its timeline, which the page says.
///
/// # Errors
/// What the files do not hold.
pub fn draw_again(run: &RunDirectory<'_>) -> Result<Vec<u8>, Box<Rejected>> {
    let mut data = common(&run.json("summary.json")?, run.scenario);
    let mut curves: Vec<Json> = Vec::new();
    for table in run.scenario.system.tables() {
        let file = TableFormat::Csv.file(&table);
        if run.has(&file) {
            let found = times_of_text(&table, &run.text(&file)?, MOST_CURVES - curves.len());
            curves.extend(found.map_err(|why| run.not_understood(&file, "drawn", &why))?);
        }
    }
    data["curves"] = json!(curves);
    data["missing"] = json!("a timeline, which no file of the run holds: run it again for that");
    Ok(page(&run.scenario.title, &data, SCRIPT))
}

/// What the page shows of every run.
fn common(summary: &Json, scenario: &Scenario) -> Json {
    let mut data = summary.clone();
    data["version"] = json!(env!("CARGO_PKG_VERSION"));
    data["about"] = json!(scenario.system.about());
    data["scenario"] = json!(scenario.resolved());
    data["lanes"] = Json::Null;
    data
}

/// The columns of times of a table, by place.
fn columns_of_times(table: &Table) -> Times {
    let columns = table.columns.iter().enumerate().filter(|(_, column)| column.kind == CellType::Time);
    Times(columns.map(|(place, _)| (place, Values::default())).collect())
}

/// The same curves as [`times`], from the text of the table's file.
fn times_of_text(table: &Table, text: &str, most: usize) -> Result<Vec<Json>, String> {
    let mut gathered = columns_of_times(table);
    let mut rows = NamedRows::of(text, &[])?;
    while let Some(row) = rows.next_row()? {
        for (place, values) in &mut gathered.0 {
            if let Some(nanos) = row.read_any(&table.columns[*place].name, seconds)? {
                values.add(SimDuration::from_nanos(nanos).as_secs_f64());
            }
        }
    }
    Ok(gathered.curves(table, most))
}

/// The curves of the first columns of times of a table that have a value.
fn times(source: &dyn RowSource, most: usize) -> Vec<Json> {
    let table = source.table();
    let mut gathered = columns_of_times(&table);
    if gathered.0.is_empty() {
        return Vec::new();
    }
    source.push(&mut gathered).expect("a sink in memory takes all");
    gathered.curves(&table, most)
}

/// The values of columns, by place.
struct Times(Vec<(usize, Values)>);

impl Times {
    /// The curves of the first columns that have a value.
    fn curves(self, table: &Table, most: usize) -> Vec<Json> {
        let seen = self.0.into_iter().filter(|(_, values)| values.count > 0);
        let curve_of = |(place, values): (usize, Values)| {
            let Column { name, about, .. } = &table.columns[place];
            json!({ "table": table.name, "column": name, "about": about, "count": values.count, "curve": values.curve() })
        };
        seen.take(most).map(curve_of).collect()
    }
}

impl RowSink for Times {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for (place, values) in &mut self.0 {
            if let Cell::Time(time) = cells[*place] {
                values.add(time.as_secs_f64());
            }
        }
        Ok(())
    }
}

/// Values of which every 2^k-th is kept, and the least and the greatest.
#[derive(Default)]
struct Values {
    kept: Vec<f64>,
    count: u64,
    halved: u32,
    ends: Option<(f64, f64)>,
}

impl Values {
    fn add(&mut self, value: f64) {
        let (least, greatest) = self.ends.unwrap_or((value, value));
        self.ends = Some((least.min(value), greatest.max(value)));
        if self.count.is_multiple_of(1 << self.halved) {
            self.kept.push(value);
        }
        self.count += 1;
        if self.kept.len() > MOST_VALUES {
            let mut place = 0;
            self.kept.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.halved += 1;
        }
    }

    fn curve(mut self) -> Json {
        if self.halved > 0 {
            self.kept.extend(self.ends.map(|ends| [ends.0, ends.1]).into_iter().flatten());
        }
        curve(&mut self.kept)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimDuration;
    use crate::output::{Table, columns};

    use super::*;

    struct Customers(u64);

    impl RowSource for Customers {
        fn table(&self) -> Table {
            let columns = columns! {
                "customer" Count "", "the customer";
                "waited" Time "s", "how long it waited";
                "left" Time "s", "when it left";
            };
            Table::new("customers", "a row a customer", &columns)
        }

        fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
            (0..self.0).try_for_each(|number| {
                let waited = SimDuration::from_nanos((number * 7919) % self.0 * 1_000_000_000);
                sink.row(&[Cell::Count(number), Cell::Time(waited), Cell::Empty])
            })
        }
    }

    #[test]
    fn each_column_of_times_that_has_a_value_has_a_curve_of_bounded_size() {
        let few = times(&Customers(3), 6);
        assert_eq!(few.len(), 1);
        assert_eq!((&few[0]["column"], &few[0]["count"]), (&json!("waited"), &json!(3)));
        assert_eq!(few[0]["curve"]["x"], json!([0, 1, 2]));
        let many = times(&Customers(1_000_003), 6);
        let x = many[0]["curve"]["x"].as_array().expect("values");
        assert_eq!(
            (&many[0]["count"], x.first(), x.last()),
            (&json!(1_000_003), Some(&json!(0)), Some(&json!(1_000_002)))
        );
        assert!(x.len() < 700 && many == times(&Customers(1_000_003), 6));
        assert!(times(&Customers(3), 0).is_empty() && times(&Customers(0), 6).is_empty());
    }

    #[test]
    fn the_page_fetches_nothing() {
        let text = String::from_utf8(page("t", &json!({}), SCRIPT)).expect("text");
        for word in ["src=", "url(", "@import", "fetch(", "XMLHttpRequest", "import(", "<link", "https://"] {
            assert!(!text.contains(word), "{word}");
        }
    }
}
