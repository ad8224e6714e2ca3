//! Nearest neighbours on a two-dimensional torus.
//!
//! `n` tasks form `r` rows of `c` columns, row by row, `r` being the largest divisor of `n` that is
//! at most the square root of `n`. A task talks to the tasks above, below, left and right of it, in
//! this order, the edges being joined. Where two of these are one task (two rows or columns) it
//! counts once; a row or column of one has no neighbour in that direction. So a prime number of
//! tasks forms a ring.

use crate::registry::Entry;

use super::{Pattern, Peers, named};

pub(super) const ENTRY: Entry<dyn Pattern> = named(
    "nn",
    "nearest neighbours on a two-dimensional torus as square as the number of tasks allows; a ring if it is prime",
    |_| Ok(Box::new(NearestNeighbour)),
);

/// The four neighbours on a torus.
#[derive(Clone, Copy, Debug)]
struct NearestNeighbour;

impl Pattern for NearestNeighbour {
    /// # Complexity
    /// The square root of the number of tasks.
    fn sends_to(&self, rank: u32, tasks: u32) -> Peers {
        let rows = rows(tasks);
        let columns = tasks / rows;
        let (row, column) = (rank / columns, rank % columns);
        let at = |row: u32, column: u32| (row % rows) * columns + column % columns;
        let above = at(row + rows - 1, column);
        let below = at(row + 1, column);
        let left = at(row, column + columns - 1);
        let right = at(row, column + 1);
        Peers::few(rank, [above, below, left, right])
    }
}

/// The largest divisor of `tasks` up to its square root.
fn rows(tasks: u32) -> u32 {
    (1..=tasks.isqrt()).rev().find(|rows| tasks.is_multiple_of(*rows)).unwrap_or(1)
}
