//! The page of several runs: their Gantt charts one above the other over one axis of time, their
//! curves in one figure each, their metrics in one table, and the first decision in which each
//! differs from the first run.

use serde_json::{Value as Json, json};

use crate::output::{Drawn, Pictures};
use crate::report::compared_runs::{Difference, Schedule};
use crate::report::html::cells::secs;
use crate::report::html::gather::{Complete, Gathering};
use crate::report::html::lanes::{Gantt, Over};
use crate::report::html::page::page;
use crate::report::side_by_side::SideBySide;
use crate::scenario::{Rejected, RunDirectory, ScheduleColumns, System};

const SCRIPT: &str =
    concat!(include_str!("unpack.js"), include_str!("lanes.js"), include_str!("compared_runs.js"));

/// The figures of a finished run that are compared with those of others: its curves over time, and
/// the lanes that show its schedule.
pub struct Pictured {
    figures: Complete,
    headline: &'static str,
    missing: Vec<String>,
}

impl Pictured {
    /// The figures of a finished run.
    ///
    /// # Errors
    /// What the files do not hold.
    pub fn of(run: &RunDirectory<'_>, columns: &ScheduleColumns) -> Result<Self, Box<Rejected>> {
        let pictures = run.scenario.system.pictures(run)?;
        Pictured::of_pictures(pictures, columns)
            .map_err(|(table, why)| run.not_understood(&format!("{table}.csv"), "drawn", &why))
    }

    fn of_pictures(mut pictures: Pictures<'_>, columns: &ScheduleColumns) -> Result<Self, (String, String)> {
        pictures.figures.retain(|figure| match figure.drawn {
            Drawn::Series(_) | Drawn::SeriesBy { .. } | Drawn::Values { .. } => true,
            Drawn::Lanes { .. } => columns.pictured.contains(&&*figure.title),
            _ => false,
        });
        let (headline, missing) = (pictures.headline, std::mem::take(&mut pictures.missing));
        Ok(Pictured { figures: Gathering::new(pictures).complete()?, headline, missing })
    }
}

/// A run as it is compared with others.
#[derive(Clone, Copy, Debug)]
pub struct ComparedRun<'a> {
    /// Name of the run.
    pub name: &'a str,
    /// Starts and ends of its items.
    pub schedule: &'a Schedule,
    /// The first decision in which it differs from the first run, if it does.
    pub difference: Option<&'a Difference>,
}

/// The page of these runs; `columns` are those of their schedules, `summaries` their
/// `summary.json`.
pub fn draw(
    system: &dyn System,
    columns: &ScheduleColumns,
    runs: &[ComparedRun<'_>],
    pictured: Vec<Pictured>,
    summaries: &[Json],
) -> Vec<u8> {
    let rows = || runs.iter().flat_map(|run| run.schedule.rows());
    let own = rows().map(|row| (row.start.as_nanos(), row.end.as_nanos()));
    let extents = own.chain(pictured.iter().filter_map(|one| one.figures.extent()));
    let axis = extents.reduce(|one, next| (one.0.min(next.0), one.1.max(next.1))).unwrap_or((0, 0));
    let headline = pictured.first().map_or("", |one| one.headline);
    let missing: Vec<_> = pictured.iter().map(|one| one.missing.clone()).collect();
    let figures = pictured.into_iter().map(|one| one.figures.drawn(axis)).collect();
    let mut figures = by_title(figures);
    if columns.pictured.is_empty() {
        let lanes = runs.iter().map(|run| gantt(columns.what, run.schedule)).collect();
        figures.insert(0, of_schedules(columns.what, lanes));
    }
    let data = json!({
        "version": crate::output::VERSION,
        "what": columns.what,
        "names": runs.iter().map(|run| run.name).collect::<Vec<_>>(),
        "started": runs.iter().map(|run| run.schedule.rows().len()).collect::<Vec<_>>(),
        "from": secs(axis.0),
        "to": secs(axis.1),
        "figures": figures,
        "differences": runs.iter().map(|run| run.difference.map(Difference::to_json)).collect::<Vec<_>>(),
        "metrics": SideBySide::of(system, headline.split_ascii_whitespace(), summaries).to_rows(),
        "missing": missing,
    });
    page(&format!("{} runs", runs.len()), &data, SCRIPT)
}

/// Figures of several runs as one list, each with what it draws of every run; null where a run has
/// none of this title.
fn by_title(mut figures: Vec<Vec<Json>>) -> Vec<Json> {
    let mut titles: Vec<Json> = Vec::new();
    for figure in figures.iter().flatten() {
        if !titles.contains(&figure["title"]) {
            titles.push(figure["title"].clone());
        }
    }
    let mut runs = |title: &Json| -> Vec<Json> {
        let mut taken = Vec::new();
        for of_run in &mut figures {
            let one = of_run.iter_mut().find(|figure| figure["title"] == *title);
            taken.push(one.map_or(Json::Null, Json::take));
        }
        taken
    };
    titles.iter().map(|title| json!({ "runs": runs(title) })).collect()
}

/// The lanes of schedules as a figure.
fn of_schedules(what: &str, lanes: Vec<Json>) -> Json {
    let figure = |packed: Json| {
        json!({
            "kind": "lanes", "title": "Schedules", "one": what, "lanes": "lanes", "packed": packed,
            "note": format!("Every {what} on its lanes, from its start to its end."),
        })
    };
    let runs = lanes.into_iter().map(|packed| if packed.is_null() { packed } else { figure(packed) });
    json!({ "runs": runs.collect::<Vec<_>>() })
}

/// The rows of a schedule on its lanes.
fn gantt(what: &str, schedule: &Schedule) -> Json {
    let mut gantt = Gantt::default();
    let most = schedule.rows().iter().flat_map(|row| &row.on).map(|on| on.last).max();
    gantt.numbered_lanes(most.map_or(0, |most| most.saturating_add(1)), "lane");
    for row in schedule.rows() {
        let name = format!("{what} {}", row.key.first().map_or("", String::as_str));
        gantt.span(Over { from: row.start, to: row.end, on: &row.on, name: &name, behind: None });
    }
    gantt.drawn()
}

#[cfg(test)]
mod tests {
    use crate::output::{Figure, FileRows, Series, Table, columns};
    use crate::report::compared_runs::first_difference;
    use crate::scenario::served::Served;

    use super::*;

    const COLUMNS: ScheduleColumns = ScheduleColumns {
        file: "jobs.csv",
        what: "job",
        key: &["id"],
        start: "start",
        end: "end",
        lanes: "on",
        reason: "why",
        pictured: &[],
    };

    fn rows(rows: &str) -> FileRows {
        let columns = columns! {
            "id" Count "", ""; "start" Time "s", ""; "end" Time "s", ""; "on" Intervals "", ""; "why" Text "", "";
        };
        let text = format!("id,start,end,on,why\n{rows}");
        FileRows::new(&Table::new("jobs", "", &columns), text).expect("rows")
    }

    /// The page of these runs.
    fn page_of(runs: &[(&str, &str)]) -> String {
        let figure = Figure::new("Running", "", Series::between("running", "jobs", "start", "end"));
        let count = Figure::new("Ended", "", Series::count("ended", "jobs", "end"));
        let schedules: Vec<Schedule> =
            runs.iter().map(|(_, text)| Schedule::read(&rows(text), &COLUMNS).expect("rows")).collect();
        let pictured = runs.iter().zip(0..).map(|((_, text), place)| {
            let figures = if place == 1 { vec![figure.clone(), count.clone()] } else { vec![figure.clone()] };
            let pictures = Pictures::new(figures, vec![Box::new(rows(text))]);
            Pictured::of_pictures(pictures, &COLUMNS).expect("figures")
        });
        let differences: Vec<Option<Difference>> =
            schedules.iter().map(|schedule| first_difference(&schedules[0], schedule)).collect();
        let compared = runs.iter().zip(&schedules).zip(&differences);
        let compared = compared.map(|(((name, _), schedule), difference)| ComparedRun {
            name,
            schedule,
            difference: difference.as_ref(),
        });
        let summaries = vec![json!({ "metrics": {} }); runs.len()];
        let compared: Vec<ComparedRun<'_>> = compared.collect();
        String::from_utf8(draw(&Served, &COLUMNS, &compared, pictured.collect(), &summaries)).expect("text")
    }

    fn data(page: &str) -> Json {
        let begin = page.find("id=\"data\">").expect("the data") + 10;
        serde_json::from_str(page[begin..].split("</script>").next().expect("all")).expect("JSON")
    }

    #[test]
    fn schedules_curves_and_differences_stand_over_one_axis() {
        let runs = [
            ("out/<a>", "1,0,10,0-3,head\n2,10,20,0-1,head\n"),
            ("out/b", "1,0,10,0-3,head\n2,15,25,0-1,head\n"),
            ("out/c", "1,0,10,0-3,head\n2,10,20,0-1,head\n"),
        ];
        let page = page_of(&runs);
        assert!(page.contains("out/\\u003ca\\u003e"));
        let data = data(&page);
        assert_eq!((&data["from"], &data["to"]), (&json!(0.0), &json!(25.0)));
        assert_eq!(data["differences"][1]["at"], json!(10.0));
        assert_eq!([&data["differences"][0], &data["differences"][2]], [&Json::Null; 2]);
        let [lanes, running, ended] = [0, 1, 2].map(|place| data["figures"][place]["runs"].clone());
        assert!(lanes[2]["kind"] == "lanes" && running[0]["title"] == "Running");
        // one job runs for 20 of the 25 seconds, and nothing in the rest
        let last = |run: usize| running[run]["mean"].as_array().and_then(|mean| mean.last().cloned());
        assert_eq!([last(0), last(1)], [Some(json!(0)), Some(json!(1))]);
        // a figure that one run alone has
        assert!(ended[0].is_null() && ended[1]["title"] == "Ended" && ended[2].is_null());
        assert_eq!(page, page_of(&runs));
    }
}
