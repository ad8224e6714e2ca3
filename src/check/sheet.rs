//! A table that follows from others, cell by cell against what these come to.
//!
//! A judge says what should stand there ([`Right`]), by code of its own. What it cannot know it
//! leaves open with the reason, and all that is left open for one reason is said in one line.

use crate::check::plan::rows::{each_row_of, instant};
use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::text::csv::Field;

use super::{JudgedPromise, Violation, near};

/// Right contents of a cell.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::check) enum Right {
    /// Nothing.
    Nothing,
    /// A text.
    Text(String),
    /// A whole number, exactly.
    Count(u64),
    /// An instant or a span, exactly.
    Time(SimTime),
    /// A number, but for rounding.
    Real(f64),
    /// Whatever it is, for this reason.
    Open(&'static str),
}

impl Right {
    /// A number, if there is one.
    pub(in crate::check) fn real(value: Option<f64>) -> Self {
        value.filter(|value| value.is_finite()).map_or(Right::Nothing, Right::Real)
    }

    /// An instant, if there is one.
    pub(in crate::check) fn instant(value: Option<SimTime>) -> Self {
        value.map_or(Right::Nothing, Right::Time)
    }

    /// A span.
    pub(in crate::check) fn span(value: SimDuration) -> Self {
        Right::Time(SimTime::ZERO.saturating_add(value))
    }

    /// A text.
    pub(in crate::check) fn text(value: &str) -> Self {
        if value.is_empty() { Right::Nothing } else { Right::Text(value.to_owned()) }
    }

    /// Returns true if a cell has this content.
    fn is_in(&self, cell: &str) -> bool {
        match self {
            Right::Open(_) => true,
            Right::Nothing => cell.is_empty(),
            Right::Text(text) => text == cell,
            Right::Count(count) => cell.parse() == Ok(*count),
            Right::Time(time) => instant(cell) == Some(*time),
            Right::Real(value) => cell.parse().is_ok_and(|stated| near(stated, *value)),
        }
    }

    fn in_words(&self) -> String {
        match self {
            Right::Nothing => "nothing".to_owned(),
            Right::Text(text) => format!("`{text}`"),
            Right::Count(count) => count.to_string(),
            Right::Time(time) => time.as_secs_f64().to_string(),
            Right::Real(value) => value.to_string(),
            Right::Open(why) => (*why).to_owned(),
        }
    }
}

/// A table of a run as it is.
#[derive(Debug)]
pub(in crate::check) struct Sheet {
    file: &'static str,
    columns: Vec<&'static str>,
    pub(in crate::check) rows: Vec<Vec<String>>,
}

impl Sheet {
    /// Reads the columns of a file.
    ///
    /// # Errors
    /// The file is no table, or has no such column.
    pub(in crate::check) fn read(
        file: &'static str,
        text: &str,
        columns: &[&'static str],
    ) -> Result<Self, String> {
        let mut rows = Vec::new();
        each_row_of(file, text, columns, &mut |cells: &[Field<'_>]| {
            rows.push(cells.iter().map(|cell| cell.text().into_owned()).collect());
            Ok(())
        })?;
        Ok(Sheet { file, columns: columns.to_vec(), rows })
    }

    /// Reads the columns of a file, if there is one.
    ///
    /// # Errors
    /// The file is no table, or has no such column.
    pub(in crate::check) fn of(
        file: &'static str,
        text: Option<&str>,
        columns: &[&'static str],
    ) -> Result<Option<Self>, String> {
        text.map(|text| Sheet::read(file, text, columns)).transpose()
    }

    /// The promise that the table is right, and a line for each reason for which cells of it are
    /// left open.
    pub(in crate::check) fn judged(&self, promise: &str, right: &[Vec<Right>]) -> Vec<JudgedPromise> {
        let mut all = vec![(promise.to_owned(), Ok(self.against(right)))];
        all.extend(self.left_open(right));
        all
    }

    /// Differences of the cells from those of `right`, row by row.
    pub(in crate::check) fn against(&self, right: &[Vec<Right>]) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut wrong = |what: String| found.push(Violation::of_no_job(SimTime::ZERO, what));
        if self.rows.len() != right.len() {
            wrong(format!("{} has {} rows, and there should be {}", self.file, self.rows.len(), right.len()));
        }
        for (line, (row, right)) in (2..).zip(self.rows.iter().zip(right)) {
            for ((column, cell), right) in self.columns.iter().zip(row).zip(right) {
                if !right.is_in(cell) {
                    let right = right.in_words();
                    wrong(format!("{}, line {line}: {column} is `{cell}`, and should be {right}", self.file));
                }
            }
        }
        found
    }

    /// The columns of which some cell is left open, for each reason.
    fn left_open(&self, right: &[Vec<Right>]) -> Vec<JudgedPromise> {
        let mut open: OrderedMap<&'static str, Vec<&str>> = OrderedMap::new();
        for (row, right) in self.rows.iter().zip(right) {
            for ((column, cell), right) in self.columns.iter().zip(row).zip(right) {
                if let Right::Open(why) = right
                    && !cell.is_empty()
                {
                    let columns = open.entry(why).or_default();
                    if !columns.contains(column) {
                        columns.push(column);
                    }
                }
            }
        }
        let line = |(why, columns): (&'static str, Vec<&str>)| {
            (format!("{} of {}", columns.join(", "), self.file), Err(why))
        };
        open.into_iter().map(line).collect()
    }
}

/// A task that ended, as `jobs.csv` has it in the columns of Batsim.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct BatsimTask<'a> {
    pub(in crate::check) number: u64,
    pub(in crate::check) workload: &'a str,
    pub(in crate::check) name: &'a str,
    pub(in crate::check) submitted: SimTime,
    pub(in crate::check) start: SimTime,
    pub(in crate::check) end: SimTime,
    pub(in crate::check) cores: u32,
}

/// The columns of that file.
pub(in crate::check) const BATSIM: [&str; 17] = [
    "job_id",
    "workload_name",
    "profile",
    "submission_time",
    "requested_number_of_resources",
    "requested_time",
    "success",
    "final_state",
    "starting_time",
    "execution_time",
    "finish_time",
    "waiting_time",
    "turnaround_time",
    "stretch",
    "allocated_resources",
    "consumed_energy",
    "metadata",
];

impl BatsimTask<'_> {
    /// Cells of the task; `asked` and `on` are the run time that it asked for and its processors.
    pub(in crate::check) fn cells(&self, asked: Right, on: Right) -> Vec<Right> {
        let BatsimTask { submitted, start, end, .. } = *self;
        let (ran, response) = (end.since(start), end.since(submitted));
        let stretch = if ran.as_nanos() == 0 || ran == response {
            1_000_000
        } else {
            (u128::from(response.as_nanos()) * 1_000_000 + u128::from(ran.as_nanos()) / 2)
                / u128::from(ran.as_nanos())
        };
        vec![
            Right::Count(self.number),
            Right::text(self.workload),
            Right::text(self.name),
            Right::Time(submitted),
            Right::Count(u64::from(self.cores)),
            asked,
            Right::Count(1),
            Right::text("COMPLETED_SUCCESSFULLY"),
            Right::Time(start),
            Right::span(ran),
            Right::Time(end),
            Right::span(start.since(submitted)),
            Right::span(response),
            Right::Real(stretch as f64 / 1e6),
            on,
            Right::text("-1"),
            Right::Nothing,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_held_against_its_rows() {
        let sheet = |text: &str| Sheet::read("t.csv", text, &["name", "time", "share"]).expect("a table");
        let at = |seconds: u64| SimTime::from_nanos(seconds * 1_000_000_000);
        let right = [vec![Right::text("a"), Right::Time(at(2)), Right::Open("it is secret")]];
        let good = sheet("name,time,share\na,2,0.5\n");
        assert_eq!(good.against(&right), []);
        assert_eq!(good.left_open(&right), [("share of t.csv".to_owned(), Err("it is secret"))]);
        for wrong in ["b,2,0.5\n", "a,2.000000001,0.5\n", "a,2,0.5\na,2,0.5\n", ""] {
            assert_eq!(sheet(&format!("name,time,share\n{wrong}")).against(&right).len(), 1, "{wrong}");
        }
    }
}
