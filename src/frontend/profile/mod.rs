//! The availability profile: how many processors are free from now on, by the estimates.
//!
//! A step function. It begins with what is free now and rises at each estimated end; a reservation lowers it for a
//! span. Reservations are what more than one protected job needs; a single one is answered faster by the shadow
//! time ([`Running::shadow`]).

use crate::frontend::running::Running;
use crate::kernel::{SimDuration, SimTime};

/// Free processors from an instant on, until the next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Step {
    from: SimTime,
    free: u64,
}

/// Free processors as a step function of time.
#[derive(Clone, Debug)]
pub struct Profile {
    /// In order of time, each at its own instant; never empty.
    steps: Vec<Step>,
}

impl Profile {
    /// The profile that follows from the running jobs when `free` processors are free now.
    pub fn new(now: SimTime, free: u64, running: &Running) -> Self {
        let mut steps = vec![Step { from: now, free }];
        for (end, procs) in running.releases(now) {
            let last = steps[steps.len() - 1];
            let free = last.free + u64::from(procs);
            if last.from == end {
                let place = steps.len() - 1;
                steps[place].free = free;
            } else {
                steps.push(Step { from: end, free });
            }
        }
        Profile { steps }
    }

    /// The earliest instant from which `procs` processors are free for the whole of `span`.
    ///
    /// `None` if even the last step has fewer.
    ///
    /// # Complexity
    /// Linear in the steps.
    pub fn earliest(&self, procs: u64, span: SimDuration) -> Option<SimTime> {
        let mut candidate: Option<SimTime> = None;
        for step in &self.steps {
            if candidate.is_some_and(|start| start.saturating_add(span) <= step.from) {
                break;
            }
            if step.free < procs {
                candidate = None;
            } else if candidate.is_none() {
                candidate = Some(step.from);
            }
        }
        candidate
    }

    /// Takes `procs` processors away from `start` for `span`.
    ///
    /// # Panics
    /// If they are not free there: ask [`Profile::earliest`] first.
    pub fn reserve(&mut self, start: SimTime, span: SimDuration, procs: u64) {
        let first = self.cut(start);
        let end = self.cut(start.saturating_add(span));
        for step in &mut self.steps[first..end] {
            step.free =
                step.free.checked_sub(procs).expect("reserved processors are free for the whole span");
        }
    }

    /// Makes `at`, which is not before the first step, begin a step; answers its place.
    fn cut(&mut self, at: SimTime) -> usize {
        let place = self.steps.partition_point(|step| step.from < at);
        if self.steps.get(place).is_none_or(|step| step.from != at) {
            let free = self.steps[place - 1].free;
            self.steps.insert(place, Step { from: at, free });
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use crate::ids::JobId;

    use super::*;

    fn at(secs: u64) -> SimTime {
        SimTime::from_nanos(secs * 1_000_000_000)
    }

    fn secs(secs: u64) -> SimDuration {
        SimDuration::from_secs(secs)
    }

    fn profile() -> Profile {
        let mut running = Running::new();
        running.insert(JobId(0), 4, at(10));
        running.insert(JobId(1), 2, at(20));
        running.insert(JobId(2), 1, at(20));
        Profile::new(at(0), 3, &running)
    }

    #[test]
    fn a_job_fits_where_its_whole_span_is_free() {
        let mut profile = profile();
        assert_eq!(profile.earliest(3, secs(100)), Some(at(0)));
        assert_eq!(profile.earliest(4, secs(100)), Some(at(10)));
        assert_eq!(profile.earliest(10, secs(100)), Some(at(20)));
        assert_eq!(profile.earliest(11, secs(1)), None);
        profile.reserve(at(10), secs(15), 7);
        assert_eq!(profile.earliest(3, secs(10)), Some(at(0)));
        assert_eq!(profile.earliest(3, secs(11)), Some(at(20)));
        assert_eq!(profile.earliest(4, secs(1)), Some(at(25)));
    }

    #[test]
    #[should_panic(expected = "free for the whole span")]
    fn reserving_what_is_not_free_is_a_mistake() {
        profile().reserve(at(0), secs(1), 4);
    }
}
