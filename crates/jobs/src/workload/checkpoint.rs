//! Checkpoints: what a job has done is written down again and again, so that an interruption does
//! not cost all of it.
//!
//! A job works for an interval, then writes for a time in which it does not get on, and so on;
//! nothing is written at its end. So a job with `w` of work to do has its processors for `w` and
//! `cost` times the whole intervals that end before `w` does. Intervals are counted again in each
//! run of a job. What is written when a run is interrupted is kept, and a checkpoint that ends at
//! that very instant is written; the next run goes on from there. A read of the checkpoint takes no
//! time.
//!
//! Source: J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM
//! 17(9), 1974.

use crate::kernel::SimDuration;

/// The rule by which jobs write checkpoints, and their cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    /// Work between two checkpoints; above zero.
    pub interval: SimDuration,
    /// Time in which one is written.
    pub cost: SimDuration,
}

impl Checkpoint {
    /// Number of checkpoints that a run with this work has.
    fn count(self, work: SimDuration) -> u64 {
        work.as_nanos().saturating_sub(1) / self.interval.as_nanos()
    }

    /// Time for which a run with this work has its processors.
    pub fn span(self, work: SimDuration) -> SimDuration {
        let cost = self.count(work).saturating_mul(self.cost.as_nanos());
        work.saturating_add(SimDuration::from_nanos(cost))
    }

    /// Number of checkpoints written in such a run once it has lasted for `elapsed`.
    pub fn written(self, elapsed: SimDuration, work: SimDuration) -> u64 {
        let round = self.interval.saturating_add(self.cost);
        (elapsed.as_nanos() / round.as_nanos()).min(self.count(work))
    }

    /// The work that such a run has done once it has lasted for `elapsed`, be it kept or not.
    pub fn done(self, elapsed: SimDuration, work: SimDuration) -> SimDuration {
        let written = self.written(elapsed, work);
        let round = self.interval.saturating_add(self.cost).as_nanos();
        let since = SimDuration::from_nanos(elapsed.as_nanos() - written * round);
        // while a checkpoint is written no work is done; nothing is written at the end
        let most = if written < self.count(work) { self.interval } else { work };
        self.kept(written).saturating_add(since.min(most))
    }

    /// The work that `written` checkpoints keep.
    pub fn kept(self, written: u64) -> SimDuration {
        SimDuration::from_nanos(written.saturating_mul(self.interval.as_nanos()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_lengthened_by_the_checkpoints_before_its_end() {
        let nanos = SimDuration::from_nanos;
        let every_ten = Checkpoint { interval: nanos(10), cost: nanos(3) };
        let spans = [1, 10, 11, 20, 21, 35].map(|work| every_ten.span(nanos(work)).as_nanos());
        assert_eq!(spans, [1, 10, 14, 23, 27, 44]);
        let written =
            [0, 12, 13, 25, 26, 38, 39, 43].map(|elapsed| every_ten.written(nanos(elapsed), nanos(35)));
        assert_eq!(written, [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(every_ten.written(nanos(22), nanos(20)), 1, "nothing is written at the end");
        assert_eq!(every_ten.kept(3), nanos(30));
        let done =
            [0, 9, 10, 12, 13, 38, 39, 43, 44].map(|elapsed| every_ten.done(nanos(elapsed), nanos(35)));
        assert_eq!(done.map(SimDuration::as_nanos), [0, 9, 10, 10, 10, 30, 30, 34, 35]);
    }
}
