//! The rules by which a point has enough replications.
//!
//! The rows of a point are read in the order of their replications, whatever order they were made
//! in, without that of the recorded log, and rows behind the end are discarded; so the end depends
//! on nothing but the rows. A run that drew no random number is the only one of its point: every
//! other replication would be the same. With a target, the interval is looked at from the tenth
//! replication on: with fewer, looking and stopping at the first narrow one would hold the mean too
//! rarely (A. M. Law and W. D. Kelton, *Simulation Modeling and Analysis*, 3rd ed., 2000, section
//! 9.4.1).

use crate::kernel::stats::{ConfidenceInterval, Table};
use crate::scenario::Repeat;
use crate::study::row::Row;

/// Confidence of every interval of a study.
pub use crate::kernel::stats::CONFIDENCE;
/// Replications before which an interval is not looked at.
const LEAST: u64 = 10;

/// Follows the rows of one point.
#[derive(Clone, Debug)]
pub struct Stopping {
    repeat: Repeat,
    next: u32,
    table: Table,
    enough: Option<u32>,
}

impl Stopping {
    /// No rows yet.
    pub fn new(repeat: &Repeat) -> Self {
        Stopping { repeat: repeat.clone(), next: 0, table: Table::new(), enough: None }
    }

    /// The replication that is to be taken next.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Number of replications the point has in the end, once that is known.
    pub fn enough(&self) -> Option<u32> {
        self.enough
    }

    /// Replications that the point needs as far as is known.
    pub fn wanted_at_least(&self) -> u32 {
        match self.repeat {
            Repeat::Times(count) => count,
            Repeat::ToPower { pilot, .. } => pilot,
            Repeat::Until { at_most, .. } => at_most.min((self.next + 1).max(LEAST as u32)),
        }
    }

    /// Takes the row of the next replication.
    pub fn take(&mut self, row: &Row) {
        debug_assert_eq!(row.replication, Some(self.next), "rows are taken in order");
        self.next += 1;
        if self.enough.is_some() {
            return;
        }
        let narrow = match &self.repeat {
            Repeat::Times(_) | Repeat::ToPower { .. } => false,
            Repeat::Until { metric, half_width, .. } => {
                if let Some(value) = row.metric(metric) {
                    self.table.record(value);
                }
                self.table.count() >= LEAST
                    && ConfidenceInterval::of_table(&self.table, CONFIDENCE)
                        .is_some_and(|interval| interval.relative() <= *half_width)
            }
        };
        if narrow || !row.drew || self.next >= self.repeat.at_most() {
            self.enough = Some(self.next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::row::State;

    fn row(replication: u32, drew: bool, wait: Option<f64>) -> Row {
        let metrics = [("wait-time.mean".to_owned(), wait)].into_iter().collect();
        Row {
            point: 0,
            replication: Some(replication),
            state: State::Done,
            digest: None,
            events: 1,
            drew,
            warm_up: 0,
            metrics,
            seldom: None,
        }
    }

    fn enough(repeat: &Repeat, drew: bool, wait: impl Fn(u32) -> Option<f64>) -> Option<u32> {
        let mut stopping = Stopping::new(repeat);
        (0..200).for_each(|replication| stopping.take(&row(replication, drew, wait(replication))));
        stopping.enough()
    }

    fn until(half_width: f64) -> Repeat {
        Repeat::Until { metric: "wait-time.mean".to_owned(), half_width, at_most: 100 }
    }

    #[test]
    fn a_count_is_kept_and_without_draws_one_run_is_all() {
        assert_eq!(enough(&Repeat::Times(7), true, |_| Some(1.0)), Some(7));
        assert_eq!(enough(&Repeat::Times(7), false, |_| Some(1.0)), Some(1));
        assert_eq!(enough(&until(0.01), false, |_| Some(1.0)), Some(1));
    }

    #[test]
    fn a_target_is_looked_at_from_the_tenth_on_and_given_up_at_the_cap() {
        assert_eq!(enough(&until(0.01), true, |_| Some(1.0)), Some(10));
        // nothing was observed in the first five: ten values are there after fifteen
        assert_eq!(enough(&until(0.01), true, |number| (number >= 5).then_some(1.0)), Some(15));
        assert_eq!(enough(&until(0.01), true, |number| Some(f64::from(number % 2))), Some(100));
        // alternating 9 and 11: half-width t s / sqrt(n) <= 5 % of 10 needs 19 values (t = 2.10, s
        // = 1.03)
        let found = enough(&until(0.05), true, |number| Some(9.0 + 2.0 * f64::from(number % 2)));
        assert!(found.is_some_and(|found| (17..=21).contains(&found)), "{found:?}");
    }
}
