//! The page of two runs: both schedules over one axis of time, and the first decision in which they
//! differ.

use serde_json::{Value as Json, json};

use crate::report::html::lanes::{Gantt, Over};
use crate::report::html::page::page;
use crate::report::two_runs::{Difference, Schedule};

const SCRIPT: &str =
    concat!(include_str!("unpack.js"), include_str!("lanes.js"), include_str!("two_runs.js"));

/// The page; `what` is what a row of the schedules is, `names` what the runs are called.
pub fn draw(
    what: &str,
    names: &[String; 2],
    schedules: [&Schedule; 2],
    difference: Option<&Difference>,
) -> Vec<u8> {
    let rows = || schedules.iter().flat_map(|schedule| schedule.rows());
    let from = rows().map(|row| row.start).min().unwrap_or_default();
    let to = rows().map(|row| row.end).max().unwrap_or_default();
    let data = json!({
        "version": crate::output::VERSION,
        "what": what,
        "names": names,
        "started": schedules.map(|schedule| schedule.rows().len()),
        "from": from.as_secs_f64(),
        "to": to.as_secs_f64(),
        "runs": schedules.map(|schedule| gantt(what, schedule)),
        "difference": difference.map_or(Json::Null, Difference::to_json),
    });
    page("Two runs", &data, SCRIPT)
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
    use crate::output::{FileRows, Table, columns};
    use crate::report::two_runs::first_difference;
    use crate::scenario::ScheduleColumns;

    use super::*;

    #[test]
    fn both_schedules_and_the_difference_are_in_the_page() {
        const COLUMNS: ScheduleColumns = ScheduleColumns {
            file: "jobs.csv",
            what: "job",
            key: &["id"],
            start: "start",
            end: "end",
            lanes: "on",
            reason: "why",
        };
        let columns = columns! {
            "id" Count "", ""; "start" Time "s", ""; "end" Time "s", ""; "on" Intervals "", ""; "why" Text "", "";
        };
        let read = |rows: &str| {
            let text = format!("id,start,end,on,why\n{rows}");
            let rows = FileRows::new(&Table::new("jobs", "", &columns), text).expect("rows");
            Schedule::read(&rows, &COLUMNS).expect("rows")
        };
        let (one, other) =
            (read("1,0,10,0-3,head\n2,10,20,0-1,head\n"), read("1,0,10,0-3,head\n2,15,25,0-1,head\n"));
        let difference = first_difference(&one, &other).expect("they differ");
        let names = ["out/<a>".to_owned(), "out/b".to_owned()];
        let text = String::from_utf8(draw("job", &names, [&one, &other], Some(&difference))).expect("text");
        assert!(text.contains(r#""at":10.0"#) && text.contains("out/\\u003ca\\u003e"));
        assert!(text.contains(r#""to":25.0"#));
        let same = draw("job", &names, [&one, &one], None);
        assert_eq!(same, draw("job", &names, [&one, &one], None));
    }
}
