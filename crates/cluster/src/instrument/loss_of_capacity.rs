//! Loss of capacity: slots that stay free while a job waits.
//!
//! Over a span of T on N nodes it is the sum over time of f(t) n(t) / (T N), where f is 1 while a
//! job waits and 0 else, and n counts the free slots, the multiprogramming level less the tasks
//! there, over all nodes (MODELS 1.8; the front end of ClusterSchedSim, SIMULATION 80(4-5), 2004).
//! With a multiprogramming level above 1 it may exceed 1; over all slots in place of all nodes it
//! does not. The sum is kept in whole slot-nanoseconds, so it does not depend on how the span is
//! cut.

use crate::kernel::SimTime;
use crate::kernel::stats::ratio;
use crate::measure::family::{Family, families};
use crate::measure::metric::Metric;

use super::metrics::real;
use super::observations::CLUSTERSCHEDSIM;

const FROM_WARM_UP: &str = "all slots, from the end of the warm-up to the end of the run";

/// Loss of capacity over processors, and over slots.
pub(super) const FAMILIES: &[Family] = &families! {
    "loss-of-capacity" [share] Lower, FROM_WARM_UP =>
        "free slots while a job waits, over time / (processors x time); slots are the processors times the \
         multiprogramming level",
        source CLUSTERSCHEDSIM;
    "loss-of-capacity.per-slot" [share] Lower, FROM_WARM_UP =>
        "free slots while a job waits, over time / (slots x time)",
        shown "the policy runs jobs in slices, or detail is `task`", source CLUSTERSCHEDSIM;
};

/// Metric of the loss, as a share of a run's processors.
pub fn capacity_metric(share: Option<f64>) -> Metric {
    real("loss-of-capacity", share)
}

/// The free slots over time, as far as jobs waited for them.
///
/// What is reported of an instant more than once counts for no time until the last of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LossOfCapacity {
    from: SimTime,
    since: SimTime,
    /// Free slots if a job waits, else none.
    wasted: u64,
    lost: u128,
}

impl LossOfCapacity {
    /// Nothing waits, from `from` on.
    pub const fn new(from: SimTime) -> Self {
        LossOfCapacity { from, since: from, wasted: 0, lost: 0 }
    }

    /// From `now` on jobs wait or not, and so many slots are free.
    ///
    /// # Panics
    /// If `now` is before an instant reported already.
    pub fn update(&mut self, now: SimTime, jobs_wait: bool, free_slots: u64) {
        self.lost = self.lost_until(now);
        self.since = now;
        self.wasted = if jobs_wait { free_slots } else { 0 };
    }

    /// Forgets what was lost before `now`, as at the end of a warm-up; what is wasted at present
    /// goes on.
    ///
    /// # Panics
    /// As [`LossOfCapacity::update`].
    pub fn restart(&mut self, now: SimTime) {
        assert!(now >= self.since, "time goes on");
        *self = LossOfCapacity { from: now, since: now, wasted: self.wasted, lost: 0 };
    }

    /// Loss until `now` [slot-nanoseconds].
    ///
    /// # Panics
    /// As [`LossOfCapacity::update`].
    pub fn lost_until(&self, now: SimTime) -> u128 {
        assert!(now >= self.since, "time goes on");
        self.lost + u128::from(self.wasted) * u128::from(now.since(self.since).as_nanos())
    }

    /// Loss until `now`, as a share of `units` over the time: of the nodes for the
    /// published measure, of the slots for one that is at most 1. `None` before any time has
    /// passed, and of no units.
    ///
    /// # Panics
    /// As [`LossOfCapacity::update`].
    pub fn share(&self, now: SimTime, units: u64) -> Option<f64> {
        let whole = u128::from(units) * u128::from(now.since(self.from).as_nanos());
        let lost = self.lost_until(now);
        (whole > 0).then(|| ratio(lost, whole))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(secs: u64) -> SimTime {
        SimTime::from_nanos(secs * 1_000_000_000)
    }

    #[test]
    fn the_example_of_eight_nodes_loses_0_175() {
        // A13 of the experiments: 20 s with jobs waiting and 3 slots free, 10 s with 1 free, of 50
        // s
        let mut loss = LossOfCapacity::new(at(0));
        loss.update(at(5), true, 3);
        loss.update(at(25), false, 3);
        loss.update(at(30), true, 1);
        loss.update(at(40), false, 16);
        assert_eq!(loss.lost_until(at(50)), 70_000_000_000);
        assert_eq!(loss.share(at(50), 8), Some(0.175));
        assert_eq!(loss.share(at(50), 8 * 2), Some(0.0875));
    }

    #[test]
    fn free_slots_are_lost_only_while_jobs_wait() {
        let mut loss = LossOfCapacity::new(at(0));
        loss.update(at(0), false, 10);
        assert_eq!(loss.share(at(10), 4), Some(0.0));
        loss.update(at(10), true, 10);
        loss.update(at(10), true, 6);
        assert_eq!(loss.share(at(20), 4), Some(0.75));
        loss.restart(at(20));
        assert_eq!(loss.share(at(20), 4), None);
        assert_eq!(loss.share(at(30), 4), Some(1.5), "more than one slot a node was free");
        assert_eq!(loss.share(at(30), 0), None);
    }

    #[test]
    fn a_restart_forgets_all_that_was_lost_and_none_of_what_is_wasted() {
        let mut loss = LossOfCapacity::new(at(0));
        loss.update(at(0), true, 2);
        loss.update(at(10), true, 3);
        assert_eq!(loss.lost_until(at(15)), 35_000_000_000);
        loss.restart(at(15));
        assert_eq!((loss.lost_until(at(15)), loss.lost_until(at(20))), (0, 15_000_000_000));
    }

    #[test]
    #[should_panic(expected = "time goes on")]
    fn time_does_not_run_backwards() {
        LossOfCapacity::new(at(2)).update(at(1), true, 1);
    }

    proptest! {
        #[test]
        fn the_loss_is_that_of_a_sum_over_nanoseconds(
            steps in prop::collection::vec((0_u64..20, any::<bool>(), 0_u64..9), 0..40),
            rest in 0_u64..20,
        ) {
            let (mut now, mut plain, mut state) = (0_u64, 0_u128, 0);
            let mut loss = LossOfCapacity::new(SimTime::ZERO);
            for (gap, waits, free) in steps {
                (0..gap).for_each(|_| plain += u128::from(state));
                now += gap;
                state = if waits { free } else { 0 };
                loss.update(SimTime::from_nanos(now), waits, free);
                // the same report again changes nothing
                loss.update(SimTime::from_nanos(now), waits, free);
            }
            (0..rest).for_each(|_| plain += u128::from(state));
            prop_assert_eq!(loss.lost_until(SimTime::from_nanos(now + rest)), plain);
        }
    }
}
