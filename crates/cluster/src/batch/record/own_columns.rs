//! Columns of features of another crate in the record of a run.

use super::jobs::Record;
use super::own_cells::OwnCells;

impl Record {
    /// The same with columns of features of another crate, if they have any.
    #[must_use]
    pub fn with_own_cells(mut self, own_cells: Option<OwnCells>) -> Self {
        self.own_cells = own_cells;
        self
    }

    /// Columns of features of another crate with their cells, if they have any.
    pub fn own_cells(&self) -> Option<&OwnCells> {
        self.own_cells.as_ref()
    }
}
