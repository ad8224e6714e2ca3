//! A row of a table, of whatever format.

use crate::registry::Problem;
use crate::registry::code;
use crate::text::Place;

use super::cell::Cell;

/// Function that is given every row.
pub(super) type Take<'a> = dyn FnMut(&dyn Row) -> Result<(), Problem> + 'a;

/// A row: the cells of the columns that are asked for, each in a slot.
pub(super) trait Row {
    /// The cell in a slot.
    fn cell(&self, slot: usize) -> Cell<'_>;

    /// The line in which the row begins, from 1; where a file has no lines, the row.
    fn line(&self) -> u64;

    /// The place of the cell in a slot, if the file is a text.
    fn place(&self, slot: usize) -> Option<Place>;

    /// The name of the column of a slot, for messages about a file that is no text.
    fn column(&self, _slot: usize) -> Option<&str> {
        None
    }
}

/// A mistake in the cell of a slot.
pub(super) fn wrong(row: &dyn Row, slot: usize, message: impl Into<String>) -> Problem {
    let message = message.into();
    match row.place(slot) {
        Some(place) => Problem::new(code::TABLE, message).at(place),
        None => {
            let column = row.column(slot).map(|name| format!(", column `{name}`")).unwrap_or_default();
            Problem::new(code::TABLE, format!("row {}{column}: {message}", row.line()))
        }
    }
}
