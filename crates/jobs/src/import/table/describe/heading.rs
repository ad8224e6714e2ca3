//! The names of the columns of a table of which nothing is known.

use crate::collections::OrderedMap;
use crate::registry::{Problem, code};
use crate::text::Place;

use super::super::accounting;
use super::super::cell::{is_unknown, number};
use super::super::delimited;
use super::super::input::Input;
use super::super::moment::date_and_clock;
use super::super::objects;
use super::super::open::{self, TableForm};
use super::MOST_COLUMNS;

/// The first names that one column has, and those that several have.
pub(super) fn single(names: &[String]) -> (Vec<String>, Vec<String>) {
    let mut counts: OrderedMap<&str, u32> = OrderedMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let single = names.iter().filter(|name| counts.get(name.as_str()) == Some(&1)).take(MOST_COLUMNS);
    let twice = counts.iter().filter(|(_, count)| **count > 1).map(|(name, _)| (*name).to_owned());
    (single.cloned().collect(), twice.take(MOST_COLUMNS).collect())
}

/// The names of the columns, and true if the table states them; else they are numbered.
pub(super) fn heading(input: Input<'_>, file: &str) -> Result<(Vec<String>, bool), Problem> {
    match open::form(input, file, false)? {
        TableForm::Columnar => Ok((open::parquet_names(input)?, true)),
        TableForm::Objects => Ok((objects::keys(input), true)),
        TableForm::Records => Ok((accounting::keys(input), true)),
        TableForm::Separated(delimiter) => {
            let cells = delimited::first_line(input, delimiter)?;
            if cells.len() < 2 {
                let message = "this is no table: its first line has no sign between cells";
                let line = cells.first().map_or("", String::as_str);
                return Err(Problem::new(code::TABLE, message)
                    .help("cells are separated by commas, tabs, semicolons or bars")
                    .at(Place::new(1, line.as_bytes(), 0, line.len())));
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
