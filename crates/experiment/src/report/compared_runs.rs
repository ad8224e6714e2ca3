//! Finished runs side by side: their schedules, and the first decision in which two of them differ.
//!
//! A schedule is what a table with a start, an end and lanes holds ([`ScheduleColumns`]). Rows of
//! two runs are the same row if the columns that identify it are equal. The first difference is
//! at the least start time at which a row starts then in one run and not in the other; of several
//! at that time, the first by these columns.

use std::io;

use serde_json::{Value as Json, json};

use crate::collections::{Interval, OrderedMap};
use crate::kernel::SimTime;
use crate::output::csv::written;
use crate::output::{Cell, RowSink, RowSource};
use crate::scenario::ScheduleColumns;

/// A row that has a start and an end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartedRow {
    /// Key of the item.
    pub key: Vec<String>,
    /// From when.
    pub start: SimTime,
    /// To when.
    pub end: SimTime,
    /// On which lanes.
    pub on: Vec<Interval>,
    /// Reason that it started then, if the table has one.
    pub reason: String,
}

/// The schedule of a run: its rows that started, in the order of the table.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    rows: Vec<StartedRow>,
}

/// The first decision in which two runs differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Key of the row.
    pub key: Vec<String>,
    /// Instant at which it starts in the one run and why; `None` if it does not start.
    pub one: Option<(SimTime, String)>,
    /// The same of the other run.
    pub other: Option<(SimTime, String)>,
}

impl Schedule {
    /// Reads the table of a run.
    ///
    /// # Errors
    /// The table is not what it should be, in words.
    pub fn read(table: &dyn RowSource, columns: &ScheduleColumns) -> Result<Self, String> {
        let declared = table.table();
        let place = |name: &str| declared.place(&[name]).ok_or_else(|| format!("it has no column `{name}`"));
        let mut rows = Rows {
            key: columns.key.iter().map(|name| place(name)).collect::<Result<_, _>>()?,
            span: [place(columns.start)?, place(columns.end)?],
            lanes: place(columns.lanes)?,
            reason: declared.place(&[columns.reason]),
            started: Vec::new(),
        };
        table.push(&mut rows).map_err(|error| error.to_string())?;
        Ok(Schedule { rows: rows.started })
    }

    /// Rows that started.
    pub fn rows(&self) -> &[StartedRow] {
        &self.rows
    }
}

/// Rows that are being read, and the places of what is read of them.
struct Rows {
    key: Vec<usize>,
    span: [usize; 2],
    lanes: usize,
    reason: Option<usize>,
    started: Vec<StartedRow>,
}

impl RowSink for Rows {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        // a row without them did not start
        let [Cell::Time(start), Cell::Time(end)] = self.span.map(|place| cells[place]) else { return Ok(()) };
        let [start, end] = [start, end].map(|time| SimTime::ZERO.saturating_add(time));
        self.started.push(StartedRow {
            key: self.key.iter().map(|place| written(cells[*place])).collect(),
            start,
            end: end.max(start),
            on: if let Cell::Intervals(on) = cells[self.lanes] { on.to_vec() } else { Vec::new() },
            reason: self.reason.map_or_else(String::new, |place| written(cells[place])),
        });
        Ok(())
    }
}

/// The first decision in which two schedules differ; `None` if every row starts at the same time in
/// both.
pub fn first_difference(one: &Schedule, other: &Schedule) -> Option<Difference> {
    let by_key = |schedule: &Schedule| -> OrderedMap<Vec<String>, (SimTime, String)> {
        schedule.rows.iter().map(|row| (row.key.clone(), (row.start, row.reason.clone()))).collect()
    };
    let (one, other) = (by_key(one), by_key(other));
    let start = |of: Option<&(SimTime, String)>| of.map_or(SimTime::MAX, |(start, _)| *start);
    let differing = one.keys().chain(other.keys()).filter_map(|key| {
        let starts = (start(one.get(key)), start(other.get(key)));
        (starts.0 != starts.1).then(|| (starts.0.min(starts.1), key))
    });
    let (_, key) = differing.min()?;
    Some(Difference { key: key.clone(), one: one.get(key).cloned(), other: other.get(key).cloned() })
}

impl Difference {
    /// The least of the two starts.
    pub fn at(&self) -> SimTime {
        let start = |of: &Option<(SimTime, String)>| of.as_ref().map_or(SimTime::MAX, |(start, _)| *start);
        start(&self.one).min(start(&self.other))
    }

    /// Both decisions as JSON, times in seconds; null for a row that does not start.
    pub fn to_json(&self) -> Json {
        let side = |side: &Option<(SimTime, String)>| match side {
            Some((start, reason)) => json!({ "start": start.as_secs_f64(), "reason": reason }),
            None => Json::Null,
        };
        json!({
            "row": self.key.first(),
            "at": self.at().as_secs_f64(),
            "one": side(&self.one),
            "other": side(&self.other),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::output::{FileRows, Table, columns};

    use super::*;

    const COLUMNS: ScheduleColumns = ScheduleColumns {
        file: "jobs.csv",
        what: "job",
        key: &["id", "at"],
        start: "start",
        end: "end",
        lanes: "on",
        reason: "reason",
        pictured: &[],
    };

    fn read(text: &str) -> Result<Schedule, String> {
        let columns = columns! {
            "id" Count "", ""; "at" Time "s", ""; "start" Time "s", ""; "end" Time "s", "";
            "on" Intervals "", ""; "reason" Text "", "";
        };
        Schedule::read(&FileRows::new(&Table::new("jobs", "", &columns), text.to_owned())?, &COLUMNS)
    }

    fn schedule(rows: &str) -> Schedule {
        read(&format!("id,at,start,end,on,reason\n{rows}")).expect("a schedule")
    }

    #[test]
    fn the_first_difference_is_the_least_start_that_only_one_run_has() {
        let one = schedule("1,0,0,10,0-3,head\n2,1,10,20,0-1,head\n3,2,20,30,0,head\n4,3,,,,rejected\n");
        let other =
            schedule("1,0,0,10,0-3,head\n2,1,30,40,0-1,head\n3,2,5,15,7,backfilled\n4,3,50,60,0,head\n");
        let difference = first_difference(&one, &other).expect("they differ");
        assert_eq!(difference.key, ["3", "2"]);
        assert_eq!(difference.at(), SimTime::from_nanos(5_000_000_000));
        let json = difference.to_json();
        assert_eq!((&json["one"]["start"], &json["other"]["reason"]), (&json!(20.0), &json!("backfilled")));
        assert!(first_difference(&one, &one).is_none());
        // a job that starts in one run alone differs, too
        let alone = first_difference(&schedule("1,0,0,1,0,\n"), &schedule("")).expect("they differ");
        assert!(alone.other.is_none() && alone.to_json()["other"].is_null());
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        let refused = |text: &str| read(text).expect_err("refused");
        assert_eq!(refused(""), "it is empty");
        assert_eq!(refused("id,at,start,end\n"), "it has no column `on`");
        assert_eq!(refused("id,at,start,end,on\n1,0,0,1,x\n"), "`on` of line 2 cannot be read");
    }
}
