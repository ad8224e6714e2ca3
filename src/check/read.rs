//! A schedule read from its `jobs.csv`, without anything that wrote it.
//!
//! Columns are found by their names in the first line, so that others may stand between them. Times
//! are seconds with up to nine decimals.

use crate::collections::{Interval, StableSort as _};
use crate::kernel::{SimDuration, SimTime};
use crate::text::csv::{Field, Reader, Row as Line, Table};
use crate::units::seconds;
use crate::workload::resources::DemandId;

use super::{Requested, Row};

/// The columns that are read.
const COLUMNS: [&str; 9] = [
    "job_id",
    "submission_time",
    "requested_number_of_resources",
    "requested_time",
    "final_state",
    "starting_time",
    "execution_time",
    "finish_time",
    "allocated_resources",
];

/// The columns after them that are read too where jobs may be given other sizes.
const MOLDED: [&str; 3] = ["given_number_of_resources", "given_time", "dedicated_time"];

/// The jobs of a schedule that have left, each list in order of submission, at equal times of
/// number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduledJobs {
    /// Jobs that ran.
    pub ran: Vec<Row>,
    /// Jobs that were refused; their start is their submission.
    pub refused: Vec<Row>,
    /// Jobs that were cancelled before they started; their start and end is the cancellation.
    pub cancelled: Vec<Row>,
}

/// Reads the text of a `jobs.csv`. What a job had to run is not in it: until it is known, it is
/// what it did run.
///
/// # Errors
/// Which line is no row of a job, or which column is missing.
pub fn read(text: &str) -> Result<ScheduledJobs, String> {
    let rows = if text.lines().next().is_some_and(|head| head.contains(MOLDED[0])) {
        let mut all = [""; COLUMNS.len() + MOLDED.len()];
        all[..COLUMNS.len()].copy_from_slice(&COLUMNS);
        all[COLUMNS.len()..].copy_from_slice(&MOLDED);
        Columns::of(text, all)?.rows(molded_row)
    } else {
        Columns::of(text, COLUMNS)?.rows(row)
    };
    let rows = rows.map_err(|number| format!("line {number} is no row of a job"))?;
    let mut schedule = ScheduledJobs::default();
    for (row, refused) in rows {
        let rows = match (refused, row.cancelled && row.on.is_empty()) {
            (true, _) => &mut schedule.refused,
            (false, true) => &mut schedule.cancelled,
            (false, false) => &mut schedule.ran,
        };
        rows.push(row);
    }
    for rows in [&mut schedule.ran, &mut schedule.refused, &mut schedule.cancelled] {
        rows.stable_sort_by_key(|row| (row.submit_time, row.number));
    }
    Ok(schedule)
}

impl ScheduledJobs {
    /// The same with the sizes and times that jobs requested.
    #[must_use]
    pub fn as_requested(mut self) -> Self {
        for row in self.ran.iter_mut().chain(&mut self.refused).chain(&mut self.cancelled) {
            if let Some(asked) = row.requested {
                (row.procs, row.estimate) = (asked.procs, asked.estimate);
            }
        }
        self
    }
}

/// The columns of a text that are read, found by their names in its first line.
pub(super) struct Columns<'a, const N: usize> {
    table: Table<'a>,
    places: [usize; N],
}

impl<'a, const N: usize> Columns<'a, N> {
    /// Finds the columns; if one is not there, the error says so.
    pub(super) fn of(text: &'a str, names: [&str; N]) -> Result<Self, String> {
        let mut table = Table::new(Reader::new(text)).map_err(|mistake| mistake.message)?;
        let table = table.take().ok_or_else(|| format!("line 1 names no column {}", names[0]))?;
        let mut places = [0; N];
        for (place, name) in places.iter_mut().zip(names) {
            let found = table.column(name).map_err(|mistake| format!("line 1: {}", mistake.message))?;
            *place = found.ok_or_else(|| format!("line 1 names no column {name}"))?;
        }
        Ok(Columns { table, places })
    }

    /// The row made of each line by `row`; the number of the first line of which it, or the text,
    /// makes none.
    pub(super) fn rows<R>(self, row: impl Fn([&str; N]) -> Option<R>) -> Result<Vec<R>, u64> {
        self.numbered(|cells, _| row(cells))
    }

    /// The same of each line and its number.
    pub(super) fn numbered<R>(mut self, row: impl Fn([&str; N], u64) -> Option<R>) -> Result<Vec<R>, u64> {
        let (mut line, mut rows) = (Line::default(), Vec::new());
        while self.table.read(&mut line).map_err(|mistake| mistake.place.line)? {
            if line.len() != self.table.head.len() {
                return Err(line.line());
            }
            let cells = self.places.map(|place| line.get(place).map(Field::text).unwrap_or_default());
            rows.push(row(cells.each_ref().map(|cell| &**cell), line.line()).ok_or(line.line())?);
        }
        Ok(rows)
    }
}

/// The job of a row, and whether it was refused.
fn row(cells: [&str; COLUMNS.len()]) -> Option<(Row, bool)> {
    let [number, submit_time, procs, estimate, state, start, run_time, end, held] = cells;
    let number = number.parse().ok()?;
    let submit_time = instant(submit_time)?;
    let procs = procs.parse().ok()?;
    let estimate = span(estimate)?;
    let (refused, killed) = (state == "REJECTED", state == "COMPLETED_WALLTIME_REACHED");
    let mut row = Row {
        number,
        submit_time,
        considered: submit_time,
        start: submit_time,
        end: submit_time,
        run_time: SimDuration::ZERO,
        estimate,
        killed,
        own_limit: false,
        cancelled: state == "CANCELLED",
        lost: state == "COMPLETED_FAILED",
        procs,
        requested: None,
        demand: DemandId::default(),
        on: Vec::new(),
    };
    if row.cancelled && start.is_empty() {
        (row.start, row.end) = (instant(end)?, instant(end)?);
    } else if !refused {
        (row.start, row.run_time, row.end) = (instant(start)?, span(run_time)?, instant(end)?);
        row.on = Interval::parse_all(held)?;
    }
    (row.start <= row.end).then_some((row, refused))
}

/// The same of a job that may have been given another size.
fn molded_row(cells: [&str; COLUMNS.len() + MOLDED.len()]) -> Option<(Row, bool)> {
    let [cells @ .., given, given_time, dedicated] = cells;
    let (mut job, refused) = row(cells)?;
    let dedicated = if dedicated.is_empty() { None } else { Some(span(dedicated)?) };
    job.requested = Some(Requested { procs: job.procs, estimate: job.estimate, dedicated });
    (job.procs, job.estimate) = (given.parse().ok()?, span(given_time)?);
    Some((job, refused))
}

pub(super) fn instant(text: &str) -> Option<SimTime> {
    span(text).map(|span| SimTime::ZERO.saturating_add(span))
}

/// Seconds with up to nine decimals.
pub(super) fn span(text: &str) -> Option<SimDuration> {
    seconds(text).map(SimDuration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;

    const HEAD: &str = "job_id,name,submission_time,requested_number_of_resources,requested_time,final_state,\
                        starting_time,execution_time,finish_time,allocated_resources";

    #[test]
    fn rows_are_read_by_the_names_of_their_columns() {
        let text = format!(
            "{HEAD}\n7,\"a \"\"b\"\", c\",1,3,9.5,COMPLETED_SUCCESSFULLY,2,0.000000003,2.000000003,0 4-5\n3,w,0,99,1,REJECTED,,,,\n"
        );
        let schedule = read(&text).expect("a schedule");
        let second = 1_000_000_000;
        let expected = Row {
            estimate: SimDuration::from_nanos(9_500_000_000),
            procs: 3,
            on: vec![Interval::new(0, 0), Interval::new(4, 5)],
            ..row(7, second, 2 * second, 3, (0, 2))
        };
        assert_eq!(schedule.ran, [expected]);
        assert_eq!(schedule.refused.iter().map(|row| (row.number, row.procs)).collect::<Vec<_>>(), [(3, 99)]);
    }

    #[test]
    fn a_mistake_is_reported_with_its_line() {
        assert_eq!(read(""), Err("line 1 names no column job_id".to_owned()));
        for line in [
            "",
            "x,w,0,1,1,C,0,1,1,0",
            "1,w,0,1,1,C,0,1,1,5-4",
            "1,w,0,1,1,C,0,1.0000000001,1,0",
            "1,\"w,0,1,1,C,0,1,1,0",
            "1,w,0,1,1,C,2,1,1,0",
        ] {
            assert_eq!(
                read(&format!("{HEAD}\n{line}\n")),
                Err("line 2 is no row of a job".to_owned()),
                "{line}"
            );
        }
    }
}
