//! The columns that a mapping names, among those that a table has.

use std::ops::{ControlFlow, Range};

use crate::collections::OrderedMap;
use crate::registry::Problem;
use crate::registry::code;
use crate::registry::{nearest, suggestion};

use super::foreign;
use super::mapping::Mapping;
use super::row::{Row, WrongCells};

/// Names of columns that are remembered, and rows that are looked at for them.
pub(super) const MOST_NAMES: usize = 1000;
/// Columns of a table that a message lists.
const MOST_LISTED: usize = 40;

/// Taker of rows of which the names of columns are wanted, which breaks behind the first ones.
pub(super) fn first_rows() -> impl FnMut(&dyn Row, &mut WrongCells) -> ControlFlow<()> {
    let mut rows = 0;
    move |_, _| {
        rows += 1;
        if rows < MOST_NAMES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// The column of each slot of a mapping, of columns with these names.
///
/// # Errors
/// Columns that are needed are not there.
pub(super) fn places(known: &[String], mapping: &Mapping) -> Result<Vec<Option<usize>>, Problem> {
    let mut first: OrderedMap<&str, usize> = OrderedMap::new();
    known.iter().enumerate().for_each(|(place, name)| _ = first.entry(name).or_insert(place));
    let place = |name: &str| first.get(name).copied();
    let places: Vec<Option<usize>> = mapping.paths.iter().map(|path| place(&path.column)).collect();
    missing(mapping, known, |slot| places[slot].is_some())?;
    Ok(places)
}

/// The first slot whose values are counted, and the mistake: cells of the table are single texts.
pub(super) fn counted(mapping: &Mapping, has: impl Fn(usize) -> bool) -> Option<(usize, Problem)> {
    let (slot, path) = mapping.paths.iter().enumerate().find(|(slot, path)| path.counts && has(*slot))?;
    let message =
        format!("`{}` counts the values of a list, and a cell of this table is one text", path.written);
    let help = format!("name the column, \"{}\", if its cells are numbers", path.column);
    Some((slot, Problem::new(code::TABLE, message).help(help)))
}

/// Succeeds if a table with columns of these names has those that a mapping needs.
///
/// # Errors
/// Columns that are missing; the kind of the table, if it is one that holds no jobs.
pub(super) fn missing(
    mapping: &Mapping,
    known: &[String],
    has: impl Fn(usize) -> bool,
) -> Result<(), Problem> {
    let lacks = |slots: &Range<usize>| !slots.is_empty() && !slots.clone().any(&has);
    let needed = mapping.columns.iter().filter(|column| !column.optional && lacks(&column.slots));
    let lacking: Vec<&str> = needed.map(|column| &*mapping.paths[column.slots.start].written).collect();
    if lacking.is_empty() {
        return Ok(());
    }
    if let Some(about) = foreign::by_columns(known) {
        return Err(foreign::refused(about));
    }
    if let Some(problem) = foreign::of_measurements(known) {
        return Err(problem);
    }
    let plural = if lacking.len() == 1 { "" } else { "s" };
    let message = format!("the table has no column{plural} `{}`", lacking.join("`, `"));
    let all = || known.iter().map(String::as_str);
    let help: Vec<String> = match &*lacking {
        [one] => vec![suggestion(one, all())],
        many => {
            let near = |name: &&str| {
                let near = nearest(name, all())?;
                Some(format!("for `{name}` did you mean `{near}`?"))
            };
            let near = many.iter().filter_map(near);
            near.chain([format!("known: {}", all().take(MOST_LISTED).collect::<Vec<_>>().join(", "))])
                .collect()
        }
    };
    Err(Problem::new(code::UNKNOWN_NAME, message).help(help.join(" ")))
}
