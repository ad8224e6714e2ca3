//! Description of a table of which nothing is known: its columns, a guess at their meaning, and
//! what a run would make of it.
//!
//! Only here are meanings and units guessed. A guess is a text for a scenario, each doubtful line
//! with its reason, and the table is then read by that text as any other.

mod forms;
mod guess;
mod spans;
mod tally;
mod words;

use jiff::Timestamp;

use crate::collections::OrderedMap;
use crate::registry::{Problem, code};
use crate::workload::swf::{Log, Options};

use super::cell::{is_unknown, number};
use super::foreign;
use super::input::Input;
use super::mapping::Mapping;
use super::moment::date_and_clock;
use super::objects;
use super::open::{self, TableForm};
use super::read::{self, TableTotals};
use super::source::mapping_of;
use super::{delimited, row::Row};

pub use guess::{Guess, GuessedKey};
pub use tally::{ColumnSurvey, ColumnType, SHOWN_VALUES};

/// Columns that are looked at.
const MOST_COLUMNS: usize = 2000;

/// A table and all that can be seen of it.
#[derive(Debug)]
pub struct TableSurvey {
    /// Rows.
    pub rows: u64,
    /// Columns, in the order of the table.
    pub columns: Vec<ColumnSurvey>,
    /// Guess at their meaning.
    pub guess: Guess,
    /// Jobs as the guess has them, or why there are none.
    pub jobs: Result<(Log, TableTotals), Problem>,
    /// A table without jobs that is known, and what to do with it.
    pub foreign: Option<(&'static str, &'static str)>,
}

impl TableSurvey {
    /// Returns true if its columns can be those of jobs: one states submissions, and another how
    /// long jobs ran.
    pub fn is_of_jobs(&self) -> bool {
        let guess = &self.guess;
        guess.like.is_some() || (guess.has("submit") && (guess.has("end") || guess.has("run-time")))
    }
}

/// Looks through a table; `file` is its name.
///
/// # Errors
/// A file that is no table, or is damaged.
///
/// # Complexity
/// Two passes over the table, and up to three over its beginning; memory for the jobs.
pub fn survey(input: Input<'_>, file: &str) -> Result<TableSurvey, Problem> {
    let (names, is_named) = heading(input, file)?;
    let own = (!is_named).then(|| names.clone());
    let known = single(&names);
    let mapping = Mapping::of_columns(&known, own.clone());
    let mut columns: Vec<ColumnSurvey> = known.iter().map(|name| ColumnSurvey::new(name)).collect();
    let mut take = |row: &dyn Row| {
        columns.iter_mut().enumerate().for_each(|(slot, column)| column.take(row.cell(slot)));
        Ok(())
    };
    let rows = open::read(input, file, &mapping, &mut take)?;
    let mut guess = guess::guess(&columns, own);
    spans::settle(&mut guess, &columns, input, file);
    let jobs = match mapping_of(&guess.keys("columns")) {
        Ok(mapping) => {
            let options = Options { keep_unrequested: true, ..Options::default() };
            read::read_with_totals(input, file, &mapping, &options)
        }
        Err(complaints) => Err(guess::incomplete(complaints)),
    };
    let foreign = foreign::by_columns(&known).map(|table| (table.about, table.help));
    Ok(TableSurvey { rows, columns, guess, jobs, foreign })
}

/// The first names, without those that several columns have.
fn single(names: &[String]) -> Vec<String> {
    let mut counts: OrderedMap<&str, u32> = OrderedMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    names.iter().filter(|name| counts.get(name.as_str()) == Some(&1)).take(MOST_COLUMNS).cloned().collect()
}

/// The names of the columns, and true if the table states them; else they are numbered.
fn heading(input: Input<'_>, file: &str) -> Result<(Vec<String>, bool), Problem> {
    match open::form(input, file, false)? {
        TableForm::Columnar => Ok((open::parquet_names(input)?, true)),
        TableForm::Objects => Ok((objects::keys(input)?, true)),
        TableForm::Separated(delimiter) => {
            let cells = delimited::first_line(input, delimiter)?;
            if cells.len() < 2 {
                let message = "this is no table: its first line has no sign between cells";
                return Err(Problem::new(code::TABLE, message)
                    .help("cells are separated by commas, tabs, semicolons or bars"));
            }
            let is_value = |cell: &String| {
                let cell = cell.as_bytes();
                number(cell).is_some() || date_and_clock(cell).is_some()
            };
            if !cells.iter().any(is_value) && cells.iter().any(|cell| !is_unknown(cell.as_bytes())) {
                return Ok((cells, true));
            }
            Ok(((1..=cells.len()).map(|place| format!("column-{place}")).collect(), false))
        }
    }
}

/// A date and time of day in UTC.
pub fn date(seconds: i64) -> String {
    let text = Timestamp::from_second(seconds).map(|instant| instant.to_string()).unwrap_or_default();
    text.trim_end_matches('Z').replace('T', " ")
}
