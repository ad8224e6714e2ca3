//! Time that is not drawn span by span: the share of lanes that it took, in cells of lanes and
//! time.
//!
//! How long the timeline will be is not known while it comes: a cell is twice as long whenever
//! there would be too many.

use serde_json::{Value as Json, json};

use crate::collections::Interval;

use super::packed::base64;
use super::rows::Lanes;

/// Cells in a row, at most.
const COLUMNS: usize = 512;
/// Rows of cells, at most.
const ROWS: u64 = 64;

/// Cells that are being filled.
#[derive(Debug, Default)]
pub(super) struct Shade {
    /// Time for which a cell is [ns].
    length: u64,
    /// Number of lanes it has.
    lanes: u64,
    rows: usize,
    /// Lanes times time of each cell [ns], row by row.
    cells: Vec<u128>,
}

impl Shade {
    /// Adds a span on these lanes.
    pub(super) fn add_all(&mut self, from: u64, to: u64, on: &[Interval], lanes: &Lanes) {
        self.add(from, to, on.iter().filter_map(|part| lanes.rows(*part)), lanes.count());
    }

    /// Adds a span on these first and last rows of `all`.
    fn add(&mut self, from: u64, to: u64, on: impl Iterator<Item = (u64, u64)>, all: u64) {
        if self.cells.is_empty() {
            (self.length, self.lanes) = (1, all.div_ceil(ROWS).max(1));
            self.rows = all.div_ceil(self.lanes).max(1) as usize;
            self.cells = vec![0; self.rows * COLUMNS];
        }
        while to.div_ceil(self.length) > COLUMNS as u64 {
            self.double();
        }
        let columns = from / self.length..to.div_ceil(self.length);
        let lasts =
            |column: u64| to.min((column + 1).saturating_mul(self.length)) - from.max(column * self.length);
        for (first, last) in on {
            // lanes that were named after the first span have no cells
            for row in first / self.lanes..=(last / self.lanes).min(self.rows as u64 - 1) {
                let inside = last.min((row + 1) * self.lanes - 1) - first.max(row * self.lanes) + 1;
                for column in columns.clone() {
                    let place = row as usize * COLUMNS + column as usize;
                    self.cells[place] += u128::from(lasts(column)) * u128::from(inside);
                }
            }
        }
    }

    /// Makes each cell twice as long.
    fn double(&mut self) {
        self.length = self.length.saturating_mul(2);
        for row in self.cells.chunks_mut(COLUMNS) {
            for column in 0..COLUMNS / 2 {
                row[column] = row[2 * column] + row[2 * column + 1];
            }
            row[COLUMNS / 2..].fill(0);
        }
    }

    /// As a document: of each cell the share in 255 parts; null if nothing was added.
    pub(super) fn to_json(&self, all: u64) -> Json {
        if self.cells.is_empty() {
            return Json::Null;
        }
        let of_row = |row: usize| {
            let lanes = self.lanes.min(all.saturating_sub(row as u64 * self.lanes)).max(1);
            let whole = u128::from(lanes) * u128::from(self.length);
            let cells = self.cells[row * COLUMNS..(row + 1) * COLUMNS].iter();
            // what is there at all is seen
            cells.map(move |&sum| (sum * 255).div_ceil(whole).min(255) as u8)
        };
        let shares: Vec<u8> = (0..self.rows).flat_map(of_row).collect();
        json!({
            "columns": COLUMNS, "rows": self.rows, "lanes": self.lanes,
            "length": self.length as f64 / 1e9, "shares": base64(&shares),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_what_was_added_however_long_it_gets() {
        let mut shade = Shade::default();
        assert_eq!(shade.to_json(3), Json::Null);
        shade.add(0, 100, [(0, 1)].into_iter(), 200);
        shade.add(50, 4_000_000_000_000_000_000, [(3, 150), (151, 199)].into_iter(), 200);
        let sum: u128 = shade.cells.iter().sum();
        assert_eq!(sum, 200 + (4_000_000_000_000_000_000 - 50) * 197);
        assert_eq!((shade.lanes, shade.rows), (4, 50));
        assert!(shade.length.is_power_of_two());
        assert_eq!(shade.to_json(200)["rows"], 50);
    }
}
