//! Lanes as rows of a chart: in order of number, one below the other, with their names.

use serde_json::{Value as Json, json};

use crate::collections::Interval;

use super::names::{Name, Stems};

/// Runs of lanes with names that count up, at most; lanes beyond have no names.
const MOST_RUNS: usize = 20_000;

/// Lanes whose numbers follow each other, and so the numbers in their names.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    count: u32,
    name: Name,
    /// The number in the names that counts up.
    counts: usize,
    /// The row of the first.
    row: u64,
}

/// The lanes of a timeline.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    runs: Vec<Run>,
    /// True if a lane came after one of a higher number.
    is_unordered: bool,
}

impl Lanes {
    /// Adds a lane of this name, which has so many numbers.
    pub(super) fn add(&mut self, number: u32, name: Name, holes: usize) {
        let counts = holes.saturating_sub(1);
        let name = if self.runs.len() < MOST_RUNS { name } else { Name::default() };
        if let Some(run) = self.runs.last_mut() {
            let next = u64::from(run.first) + u64::from(run.count);
            let mut expected = run.name;
            if name.stem != 0 && holes > 0 {
                expected.numbers[counts] = expected.numbers[counts].saturating_add(u64::from(run.count));
            }
            self.is_unordered |= u64::from(number) < next;
            if u64::from(number) == next && expected == name {
                run.count += 1;
                return;
            }
        }
        let row = self.count();
        self.runs.push(Run { first: number, count: 1, name, counts, row });
    }

    /// Adds so many lanes whose numbers follow each other, and so the numbers in their names: as
    /// cheap as one.
    pub(super) fn add_run(&mut self, first: u32, count: u32, name: Name, holes: usize) {
        if count > 0 {
            self.add(first, name, holes);
            let run = self.runs.last_mut().expect("it was added");
            run.count += count - 1;
        }
    }

    /// Brings them into order; before their rows are asked for.
    #[inline]
    pub(super) fn settle(&mut self) {
        if !std::mem::take(&mut self.is_unordered) {
            return;
        }
        self.runs.sort_by_key(|run| run.first);
        let (mut free, mut row) = (0, 0);
        self.runs.retain_mut(|run| {
            run.row = row;
            let is_fresh = u64::from(run.first) >= free;
            if is_fresh {
                free = u64::from(run.first) + u64::from(run.count);
                row += u64::from(run.count);
            }
            is_fresh
        });
    }

    /// Number of rows.
    pub(super) fn count(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.row + u64::from(run.count))
    }

    /// The row of a lane.
    pub(super) fn row(&self, lane: u32) -> Option<u64> {
        let run = self.runs[..self.runs.partition_point(|run| run.first <= lane)].last()?;
        let place = lane - run.first;
        (place < run.count).then(|| run.row + u64::from(place))
    }

    /// The first and the last row of an interval of lanes, if it has any.
    #[inline]
    pub(super) fn rows(&self, on: Interval) -> Option<(u64, u64)> {
        let before = |lane: u32| -> u64 {
            // how many lanes have lower numbers
            let runs = &self.runs[..self.runs.partition_point(|run| run.first < lane)];
            runs.last().map_or(0, |run| run.row + u64::from((lane - run.first).min(run.count)))
        };
        let (first, last) = (before(on.first), before(on.last) + u64::from(self.row(on.last).is_some()));
        (first < last).then(|| (first, last - 1))
    }

    /// As a document: of each run its stem, the numbers in its first name, which of these counts
    /// up, and how many lanes it is.
    pub(super) fn to_json(&self, stems: &Stems) -> Json {
        let runs = self.runs.iter().map(|run| {
            let Name { stem, numbers } = run.name;
            json!([stems.text(stem), numbers[0], numbers[1], run.counts, run.count])
        });
        runs.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_brought_into_order() {
        let (mut lanes, mut stems) = (Lanes::default(), Stems::default());
        for number in [5, 6, 2, 6, 9] {
            let name = stems.name(&format!("p{number}"));
            lanes.add(number, name, 1);
        }
        lanes.settle();
        assert_eq!([2, 5, 6, 9].map(|lane| lanes.row(lane)), [0, 1, 2, 3].map(Some));
        assert_eq!(lanes.count(), 4);
    }

    #[test]
    fn lanes_are_rows_in_order_and_their_names_count_up() {
        let (mut lanes, mut stems) = (Lanes::default(), Stems::default());
        for (number, text) in
            [(3, "p 7"), (4, "p 8"), (6, "p 9"), (7, "x"), (8, "x"), (9, "n1 p2"), (10, "n1 p3")]
        {
            let name = stems.name(text);
            lanes.add(number, name, stems.holes(name.stem));
        }
        assert_eq!(
            [3, 4, 5, 6, 10, 11].map(|lane| lanes.row(lane)),
            [Some(0), Some(1), None, Some(2), Some(6), None]
        );
        let rows = |first, last| lanes.rows(Interval::new(first, last));
        assert_eq!(
            [rows(0, 2), rows(4, 6), rows(5, 5), rows(0, 99)],
            [None, Some((1, 2)), None, Some((0, 6))]
        );
        let runs = json!([
            ["p \u{e000}", 7, 0, 0, 2],
            ["p \u{e000}", 9, 0, 0, 1],
            ["x", 0, 0, 0, 2],
            ["n\u{e000} p\u{e000}", 1, 2, 1, 2]
        ]);
        assert_eq!((lanes.to_json(&stems), lanes.count()), (runs, 7));
    }
}
