//! A table that follows from others, cell by cell against what these come to.
//!
//! A judge says what should stand there ([`Right`]), by code of its own. What it cannot know it
//! leaves open with the reason, and all that is left open for one reason is said in one line.

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::output::{Column, Row, RowFile, Text};
use crate::rows::jobs::JobCells;
use crate::text::csv::Field;
use crate::units::seconds;

use super::{JudgedPromise, Violation, near};

/// Right contents of a cell.
#[derive(Clone, PartialEq, Debug)]
pub enum Right {
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
    /// Anything, for this reason.
    Open(&'static str),
    /// Anything: another promise is about it.
    Elsewhere,
}

impl Right {
    /// A number, if there is one.
    pub fn real(value: Option<f64>) -> Self {
        value.filter(|value| value.is_finite()).map_or(Right::Nothing, Right::Real)
    }

    /// An instant, if there is one.
    pub fn instant(value: Option<SimTime>) -> Self {
        value.map_or(Right::Nothing, Right::Time)
    }

    /// A span.
    pub fn span(value: SimDuration) -> Self {
        Right::Time(SimTime::ZERO.saturating_add(value))
    }

    /// A text.
    pub fn text(value: &str) -> Self {
        if value.is_empty() { Right::Nothing } else { Right::Text(value.to_owned()) }
    }

    /// Returns true if a cell has this content.
    fn is_in(&self, cell: &str) -> bool {
        match self {
            Right::Open(_) | Right::Elsewhere => true,
            Right::Nothing => cell.is_empty(),
            Right::Text(text) => text == cell,
            Right::Count(count) => cell.parse() == Ok(*count),
            Right::Time(time) => seconds(cell) == Some(time.as_nanos()),
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
            Right::Elsewhere => "anything".to_owned(),
        }
    }
}

/// A table of a run as it is.
#[derive(Debug)]
pub struct Sheet<'a, R> {
    file: &'static str,
    columns: Vec<Column>,
    cells: Vec<Vec<Text<'a>>>,
    /// Rows of the table.
    pub rows: Vec<R>,
}

impl<'a, R: Row<'a>> Sheet<'a, R> {
    /// Reads the file of a table, if there is one, that has the columns of these conditions.
    ///
    /// # Errors
    /// The file is no such table, or a cell cannot be read.
    pub fn of(text: Option<&'a str>, met: R::Conditions) -> Result<Option<Self>, String> {
        text.map(|text| Sheet::read(text, met)).transpose()
    }

    fn read(text: &'a str, met: R::Conditions) -> Result<Self, String> {
        let (mut cells, mut rows) = (Vec::new(), Vec::new());
        RowFile::<R>::having(text, met)?.each(|row, line| {
            cells.push(line.cells().map(Field::text).collect());
            rows.push(row);
            Ok(())
        })?;
        Ok(Sheet { file: R::FILE, columns: R::table(met).columns, cells, rows })
    }

    /// The whole table, judged by nothing.
    pub fn unjudged(&self, why: &'static str) -> JudgedPromise {
        let columns: Vec<&str> = self.columns.iter().map(|column| &*column.name).collect();
        (format!("{} of {}", columns.join(", "), self.file), Err(why))
    }

    /// The promise that the table is right, and a line for each reason for which cells of it are
    /// left open.
    pub fn judged(&self, promise: &str, right: &[Vec<Right>]) -> Vec<JudgedPromise> {
        let mut all = vec![(promise.to_owned(), Ok(self.against(right)))];
        all.extend(self.left_open(right));
        all
    }

    /// Differences of the cells from those of `right`, row by row.
    pub fn against(&self, right: &[Vec<Right>]) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut wrong = |what: String| found.push(Violation::of_no_job(SimTime::ZERO, what));
        if self.cells.len() != right.len() {
            wrong(format!(
                "{} has {} rows, and there should be {}",
                self.file,
                self.cells.len(),
                right.len()
            ));
        }
        for (line, (row, right)) in (2..).zip(self.cells.iter().zip(right)) {
            for ((column, cell), right) in self.columns.iter().zip(row).zip(right) {
                if !right.is_in(cell) {
                    let right = right.in_words();
                    let (file, column) = (self.file, &column.name);
                    wrong(format!("{file}, line {line}: {column} is `{cell}`, and should be {right}"));
                }
            }
        }
        found
    }

    /// The columns of which some cell is left open, for each reason.
    fn left_open(&self, right: &[Vec<Right>]) -> Vec<JudgedPromise> {
        let mut open: OrderedMap<&'static str, Vec<&str>> = OrderedMap::new();
        for (row, right) in self.cells.iter().zip(right) {
            for ((column, cell), right) in self.columns.iter().zip(row).zip(right) {
                if let Right::Open(why) = right
                    && !cell.is_empty()
                {
                    let columns = open.entry(why).or_default();
                    if !columns.contains(&&*column.name) {
                        columns.push(&column.name);
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
pub struct BatsimTask<'a> {
    /// Number of the job.
    pub number: u64,
    /// Workload in the columns of Batsim.
    pub workload: &'a str,
    /// Name of the job.
    pub name: &'a str,
    /// Submission.
    pub submitted: SimTime,
    /// Start.
    pub start: SimTime,
    /// End.
    pub end: SimTime,
    /// Cores that it holds.
    pub cores: u32,
}

impl BatsimTask<'_> {
    /// Cells of the task; `asked` and `on` are the run time that it asked for and its processors.
    pub fn cells(&self, asked: Right, on: Right) -> JobCells<Right> {
        let BatsimTask { submitted, start, end, .. } = *self;
        let (ran, response) = (end.since(start), end.since(submitted));
        let stretch = if ran.as_nanos() == 0 || ran == response {
            1_000_000
        } else {
            (u128::from(response.as_nanos()) * 1_000_000 + u128::from(ran.as_nanos()) / 2)
                / u128::from(ran.as_nanos())
        };
        JobCells {
            job: Right::Count(self.number),
            workload: Right::text(self.workload),
            profile: Right::text(self.name),
            submitted: Right::Time(submitted),
            procs: Right::Count(u64::from(self.cores)),
            requested: asked,
            success: Right::Count(1),
            state: Right::text("COMPLETED_SUCCESSFULLY"),
            start: Right::Time(start),
            execution: Right::span(ran),
            end: Right::Time(end),
            waiting: Right::span(start.since(submitted)),
            turnaround: Right::span(response),
            stretch: Right::Real(stretch as f64 / 1e6),
            on,
            energy: Right::text("-1"),
            ..JobCells::all(&Right::Nothing)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::output::{Always, row};

    use super::*;

    row! {
        /// Something with a share of the time.
        struct ShareRow<'a> = "shares", "a row a share" {
            name: Text<'a> = "name" "", "the name";
            time: Option<SimTime> = "time" "s", "the time";
            share: f64 = "share" "", "the share";
        }
        each ShareCells
    }

    #[test]
    fn a_table_is_held_against_its_rows() {
        fn sheet(text: &str) -> Sheet<'_, ShareRow<'_>> {
            Sheet::read(text, Always).expect("a table")
        }
        let at = |seconds: u64| SimTime::from_nanos(seconds * 1_000_000_000);
        let cells = ShareCells {
            share: Right::Open("it is secret"),
            time: Right::Time(at(2)),
            name: Right::text("a"),
        };
        let right = [cells.list(Always)];
        let good = sheet("share,name,time\n0.5,a,2\n");
        assert_eq!(good.against(&right), []);
        assert_eq!(good.left_open(&right), [("share of shares.csv".to_owned(), Err("it is secret"))]);
        for wrong in ["b,2,0.5\n", "a,2.000000001,0.5\n", "a,2,0.5\na,2,0.5\n", ""] {
            assert_eq!(sheet(&format!("name,time,share\n{wrong}")).against(&right).len(), 1, "{wrong}");
        }
        let lacks = Sheet::<ShareRow<'_>>::read("name,time\n", Always).expect_err("a column is missing");
        assert!(lacks.contains("names no column `share`"), "{lacks}");
    }
}
