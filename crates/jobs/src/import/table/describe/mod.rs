//! Description of a table of which nothing is known: its columns, a guess at their meaning, and
//! what a run would make of it.
//!
//! Only here are meanings and units guessed. A guess is a text for a scenario, each doubtful line
//! with its reason, and the table is then read by that text as any other.

mod forms;
mod guess;
mod heading;
mod spans;
mod tally;
mod words;

use std::ops::ControlFlow;

use jiff::Timestamp;

use crate::registry::Problem;
use crate::text::Mistakes;
use crate::workload::swf::{Log, Options};

use super::foreign;
use super::input::Input;
use super::machine::{NodeGroup, read_nodes};
use super::mapping::Mapping;
use super::open;
use super::preset;
use super::read::{self, TableTotals};
use super::row::{Row, WrongCells};
use super::source::mapping_of;

use heading::{heading, single};

pub use guess::{Guess, GuessedKey};
pub use tally::{ColumnSurvey, ColumnType, SHOWN_VALUES};

/// Columns that are looked at.
const MOST_COLUMNS: usize = 2000;

/// Keys of columns that other tables seldom have two of.
const LIKE_JOBS: [&str; 8] = ["submit", "start", "end", "run-time", "limit", "procs", "nodes", "gpus"];

/// A table and all that can be seen of it.
#[derive(Debug)]
pub struct TableSurvey {
    /// Rows.
    pub rows: u64,
    /// Columns, in the order of the table.
    pub columns: Vec<ColumnSurvey>,
    /// Number of the columns of the table, of which the first are looked at.
    pub all_columns: u64,
    /// Names that several columns have, which are therefore not looked at.
    pub twice: Vec<String>,
    /// Guess at their meaning.
    pub guess: Guess,
    /// Jobs as the guess has them, or why there are none.
    pub jobs: Result<(Log, TableTotals), Mistakes<Problem>>,
    /// Rows that have the wrong number of cells, and the place up to which the table could be read
    /// if it is cut or broken; empty for a whole table.
    pub damage: Mistakes<Problem>,
    /// A table without jobs that is known, and what to do with it; `{file}` stands for its name.
    pub foreign: Option<(&'static str, &'static str)>,
    /// The nodes of a table of nodes, or what is wrong with it.
    pub nodes: Option<Result<Vec<NodeGroup>, Mistakes<Problem>>>,
}

impl TableSurvey {
    /// Returns true if its columns can be those of jobs: one states submissions, and another how
    /// long jobs ran.
    pub fn is_of_jobs(&self) -> bool {
        self.guess.is_of_jobs()
    }

    /// Returns true if some of its columns are as those of jobs, though others may be missing.
    pub fn is_like_jobs(&self) -> bool {
        self.is_of_jobs() || LIKE_JOBS.iter().filter(|key| self.guess.has(key)).count() > 1
    }

    /// All that is known to be wrong with the table itself.
    pub fn into_damage(self) -> Mistakes<Problem> {
        let is_read = self.is_of_jobs();
        match self.jobs {
            Err(mistakes) if is_read && !self.damage.is_empty() => mistakes,
            _ => self.damage,
        }
    }
}

/// Looks through a table; `file` is its name.
///
/// # Errors
/// A file that is no table, or whose columns cannot be read.
///
/// # Complexity
/// Two passes over the table, and up to three over its beginning; memory for the jobs.
pub fn survey(input: Input<'_>, file: &str) -> Result<TableSurvey, Mistakes<Problem>> {
    let (names, is_named) = heading(input, file)?;
    let own = (!is_named).then(|| names.clone());
    let all_columns = names.len() as u64;
    let (known, twice) = single(&names);
    let mapping = Mapping::of_columns(&known, own.clone());
    let mut columns: Vec<ColumnSurvey> = known.iter().map(|name| ColumnSurvey::new(name)).collect();
    let mut each = |row: &dyn Row, _: &mut WrongCells| {
        columns.iter_mut().enumerate().for_each(|(slot, column)| column.take(row.cell(slot)));
        ControlFlow::Continue(())
    };
    let read = open::read(input, file, &mapping, &mut each);
    let (rows, damage) = match read {
        Ok(rows) => (rows, Mistakes::new()),
        Err(damage) => (columns.first().map_or(0, |column| column.stated + column.unknown), damage),
    };
    let mut guess = guess::guess(&columns, own);
    spans::settle(&mut guess, &columns, input, file);
    let jobs = match mapping_of(&guess.keys("columns")) {
        Ok(mapping) => {
            let options = Options { keep_unrequested: true, ..Options::default() };
            read::read_with_totals(input, file, &mapping, &options)
        }
        Err(complaints) => Err(guess::incomplete(complaints).into()),
    };
    let foreign = if is_named { foreign::by_columns(&known) } else { by_values(&columns) };
    let mapping = foreign.and_then(|table| preset::nodes_of(table.nodes?));
    let nodes = mapping.map(|mapping| read_nodes(input, file, &mapping));
    let foreign = foreign.map(|table| (table.about, table.help));
    Ok(TableSurvey { rows, columns, all_columns, twice, guess, jobs, damage, foreign, nodes })
}

/// The table of nodes without a line of names that has a name, a kind and three amounts of each.
fn by_values(columns: &[ColumnSurvey]) -> Option<&'static foreign::Foreign> {
    let [name, kind, amounts @ ..] = columns else { return None };
    let is_of_nodes = name.likely() == ColumnType::Text
        && amounts.len() == 3
        && amounts.iter().all(|amount| amount.likely().is_number());
    if is_of_nodes { foreign::by_kinds(&kind.values) } else { None }
}

/// A date and time of day in UTC.
pub fn date(seconds: i64) -> String {
    let text = Timestamp::from_second(seconds).map(|instant| instant.to_string()).unwrap_or_default();
    text.trim_end_matches('Z').replace('T', " ")
}
