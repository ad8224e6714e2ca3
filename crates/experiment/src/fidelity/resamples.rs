//! Weeks drawn with replacement.

use crate::kernel::rng::Streams;
use crate::kernel::stats::nearest_rank;

/// Draws of as many weeks as there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WeekResamples {
    /// Number of times that each week was drawn, in each draw.
    counts: Vec<Vec<u32>>,
}

impl WeekResamples {
    /// Draws.
    pub const COUNT: u64 = 1000;
    /// Fewest weeks of which there are intervals.
    pub const LEAST_WEEKS: usize = 8;
    /// Confidence of the intervals.
    pub const CONFIDENCE: f64 = 0.95;

    /// Draws from the stream of this purpose; none for too few weeks.
    pub fn draw(weeks: usize, streams: &Streams) -> Self {
        let count = if weeks < Self::LEAST_WEEKS { 0 } else { Self::COUNT };
        let mut stream = streams.stream("fidelity/weeks");
        let mut one = |_| {
            let mut counts = vec![0; weeks];
            (0..weeks).for_each(|_| counts[stream.below(weeks as u64) as usize] += 1);
            counts
        };
        WeekResamples { counts: (0..count).map(&mut one).collect() }
    }

    /// The draws.
    pub fn draws(&self) -> impl Iterator<Item = &[u32]> {
        self.counts.iter().map(Vec::as_slice)
    }

    /// The interval of a figure from its values in the draws; `None` where it has none in a tenth
    /// of them or more.
    pub fn interval(mut values: Vec<f64>) -> Option<(f64, f64)> {
        let count = values.len() as u64;
        if count * 10 <= Self::COUNT * 9 {
            return None;
        }
        values.sort_unstable_by(f64::total_cmp);
        let at = |parts| nearest_rank(count, parts, 1000).map(|rank| values[rank as usize - 1]);
        Some((at(25)?, at(975)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_draw_has_as_many_weeks_as_there_are_and_the_same_again() {
        let draw = |seed| WeekResamples::draw(9, &Streams::new(seed, 0));
        assert!(draw(1).draws().all(|counts| counts.len() == 9 && counts.iter().sum::<u32>() == 9));
        assert_eq!((draw(1) == draw(1), draw(1) == draw(2)), (true, false));
        assert_eq!(draw(1).draws().count(), 1000);
        assert_eq!(WeekResamples::draw(7, &Streams::new(1, 0)).draws().count(), 0);
    }

    #[test]
    fn an_interval_leaves_a_fortieth_on_either_side() {
        let values = (1..=1000).rev().map(f64::from).collect();
        assert_eq!(WeekResamples::interval(values), Some((25.0, 975.0)));
        assert_eq!(WeekResamples::interval(vec![1.0; 900]), None);
    }
}
