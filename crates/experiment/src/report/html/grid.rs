//! Figures of groups of rows: the mean of a value by size and time, and of each group against the
//! number of its rows.

use std::cmp::Reverse;

use serde_json::{Value as Json, json};

use super::cells::{Cells, Gather, number, whole};
use super::curve::rounded;
use crate::collections::{OrderedMap, StableSort as _};

/// Upper ends of the classes of times [s] and what they are called; one more is open.
const TIMES: [(u64, &str); 8] = [
    (10, "below 10 s"),
    (60, "10 s to 1 min"),
    (600, "1 to 10 min"),
    (3_600, "10 min to 1 h"),
    (14_400, "1 to 4 h"),
    (43_200, "4 to 12 h"),
    (86_400, "12 h to 1 d"),
    (604_800, "1 to 7 d"),
];
const LONGEST: &str = "7 d and more";

/// The sum of a value and its number in classes of sizes (powers of two) and times; only classes
/// that hold a row are there.
#[derive(Default)]
pub(super) struct Classes {
    /// Words for rows, the axis across and the axis down.
    words: [&'static str; 3],
    /// Of each size and each class of times the sum and the number.
    cells: Vec<[(f64, u64); TIMES.len() + 1]>,
    all: Mean,
}

impl Classes {
    pub(super) fn new(words: [&'static str; 3]) -> Self {
        Classes { words, ..Classes::default() }
    }
}

/// The mean of all values.
#[derive(Default)]
struct Mean {
    sum: f64,
    count: u64,
    /// Values of rows that are in no class.
    left_out: u64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// Mean of all values as it was drawn; null if not all were.
    fn drew(&self) -> Json {
        match (self.count, self.left_out) {
            (1.., 0) => json!({ "mean": self.sum / self.count as f64 }),
            _ => Json::Null,
        }
    }
}

impl Gather for Classes {
    fn row(&mut self, _: usize, cells: Cells<'_>) {
        let Some(value) = number(cells.at(0)) else { return };
        let (Some(size), Some(time)) = (whole(cells.at(1)), whole(cells.at(2))) else {
            self.all.left_out += 1;
            return;
        };
        self.all.add(value);
        let time = time / 1_000_000_000;
        let time = TIMES.iter().position(|&(end, _)| time < end).unwrap_or(TIMES.len());
        let size = size.clamp(1, 1 << 63).next_power_of_two().trailing_zeros() as usize;
        self.cells.resize(self.cells.len().max(size + 1), Default::default());
        let cell = &mut self.cells[size][time];
        cell.0 += value;
        cell.1 += 1;
    }

    fn drawn(self: Box<Self>, _: (u64, u64)) -> Option<Json> {
        let known = |size: usize, time: usize| Some(self.cells[size][time]).filter(|cell| cell.1 > 0);
        let all = 0..=TIMES.len();
        let sizes: Vec<usize> = (0..self.cells.len())
            .filter(|size| all.clone().any(|time| known(*size, time).is_some()))
            .collect();
        let times: Vec<usize> =
            all.filter(|time| sizes.iter().any(|size| known(*size, *time).is_some())).collect();
        if sizes.is_empty() {
            return None;
        }
        let row = |&time: &usize| -> Vec<Json> {
            let cell = |&size: &usize| match known(size, time) {
                Some((sum, count)) => json!([rounded(sum / count as f64), count]),
                None => Json::Null,
            };
            sizes.iter().map(cell).collect()
        };
        let names: Vec<&str> =
            times.iter().map(|&time| TIMES.get(time).map_or(LONGEST, |(_, name)| name)).collect();
        let [what, across, down] = self.words;
        Some(json!({
            "kind": "heat", "what": what, "across": across, "down": down,
            "sizes": sizes.iter().map(|&size| size_label(size)).collect::<Vec<_>>(), "times": names,
            "cells": times.iter().map(row).collect::<Vec<_>>(), "drew": self.all.drew(),
        }))
    }
}

/// The class of sizes up to two to this power.
fn size_label(power: usize) -> String {
    match power {
        0 => "1".to_owned(),
        1 => "2".to_owned(),
        power => format!("{}\u{2013}{}", (1_u64 << (power - 1)) + 1, 1_u64 << power),
    }
}

/// Of each group the number of rows and the sum of a value.
#[derive(Default)]
pub(super) struct Groups {
    /// Words for rows, for a group, and for the value.
    words: [&'static str; 3],
    sums: OrderedMap<u64, (u64, f64)>,
    all: Mean,
}

impl Groups {
    pub(super) fn new(words: [&'static str; 3]) -> Self {
        Groups { words, ..Groups::default() }
    }
}

impl Gather for Groups {
    fn row(&mut self, _: usize, cells: Cells<'_>) {
        let Some(value) = number(cells.at(1)) else { return };
        let Some(group) = whole(cells.at(0)) else {
            self.all.left_out += 1;
            return;
        };
        self.all.add(value);
        let sum = self.sums.entry(group).or_default();
        sum.0 += 1;
        sum.1 += value;
    }

    /// By number of rows.
    fn drawn(self: Box<Self>, _: (u64, u64)) -> Option<Json> {
        let mut list: Vec<(u64, u64, f64)> =
            self.sums.iter().map(|(&group, &(rows, sum))| (group, rows, sum / rows as f64)).collect();
        list.stable_sort_by_key(|&(group, rows, _)| (Reverse(rows), group));
        let rows: Vec<Json> =
            list.iter().map(|&(group, rows, mean)| json!([group, rows, rounded(mean)])).collect();
        let [what, by, value] = self.words;
        let drew = self.all.drew();
        (!rows.is_empty()).then(|| {
            json!({ "kind": "groups", "what": what, "by": by, "value": value, "rows": rows, "drew": drew })
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimDuration;
    use crate::output::Cell;
    use crate::report::html::cells::add;

    use super::*;

    const ALL: (u64, u64) = (0, 0);

    #[test]
    fn a_cell_is_the_mean_of_its_rows() {
        let secs = |secs| Cell::Time(SimDuration::from_secs(secs));
        let mut heat = Classes::default();
        for (size, wait, run) in [(1, 10, 5), (3, 10, 59), (4, 30, 60), (3, 50, 700_000), (4, 20, 20)] {
            add(&mut heat, &[secs(wait), Cell::Count(size), secs(run)]);
        }
        add(&mut heat, &[secs(1), Cell::Count(1), Cell::Empty]);
        let heat = Box::new(heat).drawn(ALL).expect("a figure");
        assert_eq!(heat["sizes"], json!(["1", "3\u{2013}4"]));
        assert_eq!(heat["times"], json!(["below 10 s", "10 s to 1 min", "1 to 10 min", "7 d and more"]));
        let cells = json!([[[10, 1], null], [null, [15, 2]], [null, [30, 1]], [null, [50, 1]]]);
        assert_eq!(heat["cells"], cells);
    }

    #[test]
    fn groups_stand_by_number_of_rows_and_unknown_ones_nowhere() {
        let mut users = Groups::default();
        for (user, value) in [(Cell::Count(7), 2.0), (Cell::Count(7), 1.0), (Cell::Count(3), 3.1)] {
            add(&mut users, &[user, Cell::Real(value)]);
        }
        add(&mut users, &[Cell::Empty, Cell::Real(1.0)]);
        let users = Box::new(users).drawn(ALL).expect("a figure");
        assert_eq!(users["rows"], json!([[7, 2, 1.5], [3, 1, 3.1]]));
    }
}
