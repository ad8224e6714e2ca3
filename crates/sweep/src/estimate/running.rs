//! Estimated ends of running sub-tasks.
//!
//! The simple rule keeps the estimate with which a sub-task started, as long as it is not overdue;
//! the measured one looks at what it must have done by now, by what was measured of its resource.
//!
//! ```text
//!   100 s of work, 60 s at measured 50 %, then predicted 35 %: 30 s done, 70 s left, 200 s to go
//! ```
//!
//! Source: section 5.2.1 of the report of the Parameter Sweep Template; the constant is a choice of
//! ours.

use crate::kernel::{SimDuration, SimTime};
use crate::registry::choices;

choices! {
    /// Rule that estimates running sub-tasks.
    pub enum ProgressEstimate {
        Simple = "simple", "they end as estimated when they started; when they are overdue, after `overdue`";
        Measured = "measured", "by what they have done, as measured, and what is predicted now";
    }
}

/// Known values of a running sub-task.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct RunningEstimate {
    /// End, as estimated at the start.
    pub end: Option<SimTime>,
    /// Instant at which the work began, after latency or queue.
    pub begins: SimTime,
    /// Work: seconds at full availability, or bytes.
    pub work: f64,
}

impl RunningEstimate {
    /// Estimated end by the simple rule.
    pub(crate) fn simple(&self, now: SimTime, overdue: SimDuration) -> SimTime {
        match self.end {
            Some(end) if end > now => end,
            _ => now + overdue,
        }
    }

    /// Estimated end by the measured rule: `done` of the work is done, `rate` is predicted per
    /// second.
    pub(crate) fn measured(&self, now: SimTime, done: f64, rate: f64, overdue: SimDuration) -> SimTime {
        let left = (self.work - done).max(0.0);
        if left <= 0.0 || rate <= 0.0 {
            return now + overdue;
        }
        now.max(self.begins).checked_add(SimDuration::ceil_ratio(left, rate)).unwrap_or(SimTime::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: u64) -> SimTime {
        SimTime::ZERO + SimDuration::from_secs(secs)
    }

    #[test]
    fn what_was_done_at_half_speed_is_half_of_it() {
        let running = RunningEstimate { end: Some(secs(100)), begins: secs(0), work: 100.0 };
        let overdue = SimDuration::from_secs(10);
        assert_eq!(running.measured(secs(60), 30.0, 0.35, overdue), secs(260));
        assert_eq!(running.measured(secs(60), 101.0, 0.35, overdue), secs(70));
    }

    #[test]
    fn an_estimate_holds_until_it_is_overdue() {
        let running = RunningEstimate { end: Some(secs(100)), begins: secs(0), work: 100.0 };
        let overdue = SimDuration::from_secs(10);
        assert_eq!(running.simple(secs(99), overdue), secs(100));
        assert_eq!(running.simple(secs(100), overdue), secs(110));
    }
}
