//! Warm-up: what of a run's beginning is left out.
//!
//! A run that begins empty needs a while to forget that. A given instant or a given count of
//! observations is cut off ([`WarmUp`]), or the cut is found afterwards by MSER-5 ([`mser5`]): K.
//! P. White, *Simulation* 69(6), 1997, in the form with batches of five of K. P. White, M. J. Cobb
//! and S. C. Spratt, *Winter Simulation Conference* 2000. It cuts where the standard error of what
//! remains is least.

use super::table::Table;
use crate::SimTime;

/// The part left out at the beginning of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WarmUp {
    /// Nothing.
    #[default]
    None,
    /// Everything that began before this instant; what begins at the instant itself is kept.
    Until(SimTime),
    /// So many of the first observations.
    Count(u64),
}

impl WarmUp {
    /// Returns true if the observation with this number (from 0), which began at `begin`, is kept.
    pub fn keeps(&self, number: u64, begin: SimTime) -> bool {
        match *self {
            WarmUp::None => true,
            WarmUp::Until(end) => begin >= end,
            WarmUp::Count(count) => number >= count,
        }
    }
}

/// Observations in a batch of MSER-5.
const BATCH: usize = 5;

/// Number of the first observations MSER-5 cuts off: a multiple of five. `None` if the run is too
/// short: fewer than ten batches, or the least standard error comes from the second half.
///
/// Over full batches of five, the cut d minimises the sum of squared distances of the n - d
/// remaining batch means from their mean, divided by (n - d)². The last five batches are no
/// candidates: so few agree by chance. Of equal minima the earliest cut counts.
///
/// # Complexity
/// Linear in the observations.
pub fn mser5(observations: &[f64]) -> Option<usize> {
    let mut seen = Mser5::default();
    observations.iter().for_each(|&observation| seen.record(observation));
    seen.cut()
}

/// [`mser5`] over observations that are given one by one; it keeps the batch means, 8 bytes for
/// five of them.
#[derive(Clone, Debug, Default)]
pub struct Mser5 {
    means: Vec<f64>,
    /// Sum of the batch that is not full yet.
    sum: f64,
    count: u64,
}

impl Mser5 {
    /// Takes the next observation.
    pub fn record(&mut self, observation: f64) {
        self.sum += observation;
        self.count += 1;
        if self.count.is_multiple_of(BATCH as u64) {
            self.means.push(self.sum / BATCH as f64);
            self.sum = 0.0;
        }
    }

    /// Observations so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Number of observations to cut by [`mser5`]; `None` if there is no such cut.
    pub fn cut(&self) -> Option<usize> {
        let batches = &self.means;
        if batches.len() < 2 * BATCH {
            return None;
        }
        let mut kept = Table::new();
        let mut best = (f64::INFINITY, batches.len());
        for (cut, &mean) in batches.iter().enumerate().rev() {
            kept.record(mean);
            let count = kept.count() as f64;
            let squares = kept.variance().unwrap_or(0.0) * (count - 1.0);
            let score = squares / (count * count);
            if kept.count() > BATCH as u64 && score <= best.0 {
                best = (score, cut);
            }
        }
        (best.1 * 2 <= batches.len()).then_some(best.1 * BATCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Streams;

    #[test]
    fn what_begins_at_the_end_of_the_warm_up_is_kept() {
        let at = SimTime::from_nanos;
        assert!(WarmUp::Until(at(10)).keeps(0, at(10)));
        assert!(!WarmUp::Until(at(10)).keeps(99, at(9)));
        assert!(WarmUp::Count(3).keeps(3, at(0)) && !WarmUp::Count(3).keeps(2, at(99)));
        assert!(WarmUp::None.keeps(0, SimTime::ZERO));
    }

    #[test]
    fn a_high_beginning_is_cut_off_where_it_ends() {
        let mut stream = Streams::new(1, 0).stream("a");
        let mut values: Vec<f64> = (0..1000).map(|_| stream.uniform01()).collect();
        for x in &mut values[..50] {
            *x += 10.0;
        }
        let cut = mser5(&values).expect("long enough");
        // never before the end of the beginning; noise may move it a few batches on
        assert!((50..=75).contains(&cut), "{cut}");
    }

    #[test]
    fn a_steady_run_loses_little() {
        // twenty equal batches: every score is zero, so the earliest cut, none at all
        assert_eq!(mser5(&[7.0; 100]), Some(0));
    }

    #[test]
    fn a_run_that_never_settles_is_too_short() {
        let rising: Vec<f64> = (0..100_u32).map(|x| f64::from(x * x)).collect();
        assert_eq!(mser5(&rising), None);
        assert_eq!(mser5(&[1.0; 49]), None);
    }

    #[test]
    fn a_cut_worked_by_hand() {
        // ten batches 9, 1, 2, 1, 2, ...: cutting none scores (Σ(y-ȳ)²)/100, cutting one far less
        let values: Vec<f64> =
            [9.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0].into_iter().flat_map(|y| [y; 5]).collect();
        assert_eq!(mser5(&values), Some(5));
    }
}
