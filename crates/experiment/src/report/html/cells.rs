//! Gathering of a figure: the cells that it asks for, row by row, and these as numbers.

use serde_json::Value as Json;

use crate::kernel::SimTime;
use crate::output::{Cell, Rows};

/// The rows that a figure asks for, and the columns of each.
pub(super) struct Wanted {
    pub(super) of: Rows,
    /// The names of each column.
    pub(super) columns: Vec<Vec<&'static str>>,
}

/// The cells of a row that a figure asks for.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a> {
    row: &'a [Cell<'a>],
    /// Position of each cell in the row, if the table has it.
    places: &'a [Option<usize>],
}

impl<'a> Cells<'a> {
    #[inline]
    pub(super) fn new(row: &'a [Cell<'a>], places: &'a [Option<usize>]) -> Self {
        Cells { row, places }
    }

    /// One of them; empty if the table has no such column.
    #[inline]
    pub(super) fn at(&self, number: usize) -> Cell<'a> {
        self.places[number].map_or(Cell::Empty, |place| self.row[place])
    }

    /// Returns true if the table has such a column.
    pub(super) fn has(&self, number: usize) -> bool {
        self.places[number].is_some()
    }
}

/// A figure that is gathered.
pub(super) trait Gather {
    /// Takes the cells of a row of the part `part` of what is wanted.
    fn row(&mut self, part: usize, cells: Cells<'_>);

    /// From when to when something happened [ns], if the figure is one over time.
    fn extent(&self) -> Option<(u64, u64)> {
        None
    }

    /// The figure as a document, over this axis of time [ns]; nothing if there is nothing to draw.
    fn drawn(self: Box<Self>, axis: (u64, u64)) -> Option<Json>;
}

/// A cell as a number; times in seconds.
#[inline]
pub(super) fn number(cell: Cell<'_>) -> Option<f64> {
    match cell {
        Cell::Count(count) => Some(count as f64),
        Cell::Integer(number) => Some(number as f64),
        Cell::Time(time) => Some(time.as_secs_f64()),
        Cell::Decimal(units, digits) => Some(units as f64 / (0..digits).fold(1.0, |unit, _| unit * 10.0)),
        Cell::Real(number) => Some(number),
        Cell::Spelled(text) => text.parse().ok(),
        Cell::Empty | Cell::Word(_) | Cell::Text(_) | Cell::Intervals(_) => None,
    }
}

/// A cell as a whole number; times in nanoseconds.
#[inline]
pub(super) fn whole(cell: Cell<'_>) -> Option<u64> {
    match cell {
        Cell::Count(count) => Some(count),
        Cell::Integer(number) => u64::try_from(number).ok(),
        Cell::Time(time) => Some(time.as_nanos()),
        _ => None,
    }
}

pub(super) fn secs(nanos: u64) -> f64 {
    SimTime::from_nanos(nanos).as_secs_f64()
}

/// Gives a figure a row that has exactly the cells it asks for.
#[cfg(test)]
pub(super) fn add(gather: &mut impl Gather, row: &[Cell<'_>]) {
    let places: Vec<Option<usize>> = (0..row.len()).map(Some).collect();
    gather.row(0, Cells::new(row, &places));
}
