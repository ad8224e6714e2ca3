//! Run-length control: run until the mean is known well enough.
//!
//! Observations go into batch means whose batches double ([`BatchMeans`]), so that memory stays
//! bounded however long the run gets. The run may end when the relative half-width of the interval
//! is at or below the target *and* neighbouring batches no longer correlate (else the interval is
//! too narrow to be believed), after at least `at_least` observations; it is given up at `at_most`.
//! The interval is looked at only when the number of batches is a multiple of ten, from 20 up:
//! looking after every observation and ending at the first lucky one would bias the coverage, as
//! described by A. M. Law and W. D. Kelton, *Simulation Modeling and Analysis*, 3rd ed., 2000,
//! section 9.5.3.

use super::batch_means::BatchMeans;
use super::interval::ConfidenceInterval;

/// Instant at which a mean is precise enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Greatest relative half-width, half-width / |mean| [no unit].
    pub relative_half_width: f64,
    /// Confidence of the interval, inside (0, 1).
    pub confidence: f64,
    /// Fewest observations.
    pub at_least: u64,
    /// Most observations; past them the run ends without the precision.
    pub at_most: u64,
}

/// Consequence of an observation for the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Not precise enough yet.
    Continue,
    /// The target is met: the run may end.
    Precise,
    /// `at_most` observations were not enough.
    GivenUp,
}

/// Follows one statistic until it is precise enough. The verdict is kept: once the run may end, it
/// may.
#[derive(Clone, Debug)]
pub struct RunLength {
    target: Precision,
    batches: BatchMeans,
    seen: u64,
    verdict: Verdict,
}

/// The interval is looked at when the number of batches is a multiple of this.
const LOOK_EVERY: usize = 10;

/// Fewest batches an interval may rest on (MODELS section 0 asks for at least 20).
const LEAST_BATCHES: usize = 20;

impl RunLength {
    /// Follows a statistic towards `target`.
    pub fn new(target: Precision) -> Self {
        RunLength { target, batches: BatchMeans::default(), seen: 0, verdict: Verdict::Continue }
    }

    /// Takes one observation (after warm-up) and says whether the run may end. Not-a-number is not
    /// one.
    ///
    /// # Panics
    /// If the target's confidence is not inside (0, 1).
    pub fn record(&mut self, x: f64) -> Verdict {
        if x.is_nan() {
            return self.verdict;
        }
        self.seen += 1;
        let filled = self.batches.record(x);
        if self.verdict == Verdict::Continue {
            if filled && self.is_precise() {
                self.verdict = Verdict::Precise;
            } else if self.seen >= self.target.at_most {
                self.verdict = Verdict::GivenUp;
            }
        }
        self.verdict
    }

    fn is_precise(&self) -> bool {
        let batches = self.batches.means().len();
        self.seen >= self.target.at_least
            && batches >= LEAST_BATCHES
            && batches.is_multiple_of(LOOK_EVERY)
            && !self.batches.neighbours_correlate()
            && self.interval().is_some_and(|interval| interval.relative() <= self.target.relative_half_width)
    }

    /// The verdict so far.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Observations so far.
    pub fn count(&self) -> u64 {
        self.seen
    }

    /// The interval over the full batches; `None` below two.
    ///
    /// # Panics
    /// If the target's confidence is not inside (0, 1).
    pub fn interval(&self) -> Option<ConfidenceInterval> {
        self.batches.interval(self.target.confidence)
    }

    /// The batches it rests on.
    pub fn batches(&self) -> &BatchMeans {
        &self.batches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Streams;

    const TARGET: Precision =
        Precision { relative_half_width: 0.02, confidence: 0.95, at_least: 100, at_most: 1_000_000 };

    /// Runs until the verdict; draws come from `next`.
    fn run(target: Precision, mut next: impl FnMut() -> f64) -> RunLength {
        let mut run = RunLength::new(target);
        while run.record(next()) == Verdict::Continue {}
        run
    }

    #[test]
    fn a_constant_is_precise_after_the_fewest_observations() {
        let run = run(TARGET, || 4.0);
        assert_eq!(run.verdict(), Verdict::Precise);
        // 100 observations lie in batches of 4: 20 are full at 80, the next look is at 30, after
        // 120
        assert_eq!(run.count(), 120);
        assert_eq!(run.interval().expect("many").half_width.to_bits(), 0);
    }

    #[test]
    fn noise_runs_as_long_as_theory_says() {
        // uniform on (0, 1): relative half-width t × 0.2887 / 0.5 / sqrt(n) = 0.02 at n = 3,300 to
        // 3,500
        let mut stream = Streams::new(3, 0).stream("noise");
        let run = run(TARGET, || stream.uniform01());
        assert_eq!(run.verdict(), Verdict::Precise);
        assert!((1500..=7000).contains(&run.count()), "{}", run.count());
        assert!(run.interval().expect("many").relative() <= 0.02);
    }

    #[test]
    fn a_correlated_series_runs_longer_than_independent_draws() {
        let count = |memory: f64| {
            let mut stream = Streams::new(5, 0).stream("series");
            let mut level = 1.0;
            let next = || {
                level = memory * level + (1.0 - memory) * 2.0 * stream.uniform01();
                level
            };
            run(Precision { relative_half_width: 0.01, ..TARGET }, next).count()
        };
        assert!(count(0.0) > 1000);
        // averaging with memory m leaves the long-run variance alone: as long as without it, never
        // much shorter
        assert!(count(0.99) * 2 > count(0.0));
    }

    #[test]
    fn what_never_settles_is_given_up() {
        let mut level = 1.0;
        let next = || {
            level *= 1.01;
            level
        };
        let run = run(Precision { at_most: 500, ..TARGET }, next);
        assert_eq!((run.verdict(), run.count()), (Verdict::GivenUp, 500));
    }

    #[test]
    fn intervals_hold_the_true_mean_about_as_often_as_they_say() {
        let target = Precision { relative_half_width: 0.05, ..TARGET };
        let held = (0..200)
            .filter(|&replication| {
                let mut stream = Streams::new(1, replication).stream("coverage");
                let run = run(target, || stream.uniform01());
                run.interval().is_some_and(|interval| interval.contains(0.5))
            })
            .count();
        // 190 expected; sequential stopping costs a few
        assert!((176..=199).contains(&held), "{held}");
    }
}
