//! The running jobs by estimated end, and the shadow time of a job that waits for them.
//!
//! The shadow time of a job is the earliest estimated end at which enough processors are free for it; the extra
//! processors are those free then beyond its need, all jobs estimated to end by then having released theirs
//! (A. W. Mu'alem, D. G. Feitelson, IEEE TPDS 12(6), 2001). A job past its estimate counts as ending one nanosecond
//! from now: it must end some time, and there is no later word of it (MODELS 2.2).

use crate::collections::{BlockList, Summary};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

/// The least span there is: what a job past its estimate has left.
const NEXT_NANO: SimDuration = SimDuration::from_nanos(1);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Held {
    estimated_end: SimTime,
    job: JobId,
    procs: u32,
}

/// Processors held by the jobs of a block.
#[derive(Clone, Copy, Debug)]
struct Sum(u64);

impl Summary<Held> for Sum {
    const EMPTY: Self = Sum(0);

    fn add(&mut self, item: &Held) {
        self.0 += u64::from(item.procs);
    }

    fn remove(&mut self, item: &Held, _: &[Held]) {
        self.0 -= u64::from(item.procs);
    }
}

/// When a waiting job could start by the estimates, and what is left beside it then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shadow {
    /// The earliest estimated end at which the job fits.
    pub time: SimTime,
    /// Processors free then, beyond the job's need.
    pub extra: u64,
}

/// The running jobs, ordered by estimated end.
#[derive(Clone, Debug, Default)]
pub struct Running {
    held: BlockList<Held, Sum>,
}

impl Running {
    /// No jobs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in a job that starts.
    pub fn insert(&mut self, job: JobId, procs: u32, estimated_end: SimTime) {
        self.held.insert(Held { estimated_end, job, procs });
    }

    /// Takes out a job that ended; the values are those it was put in with.
    pub fn remove(&mut self, job: JobId, procs: u32, estimated_end: SimTime) {
        let there = self.held.remove(&Held { estimated_end, job, procs });
        debug_assert!(there, "a job that ended was running");
    }

    /// Estimated ends and processors of the running jobs, in order of estimated end as seen from `now`.
    pub fn releases(&self, now: SimTime) -> impl Iterator<Item = (SimTime, u32)> {
        let soonest = now.saturating_add(NEXT_NANO);
        self.held.iter().map(move |held| (held.estimated_end.max(soonest), held.procs))
    }

    /// The shadow time of a job that needs `need` processors when `free` are free now.
    ///
    /// `None` if all running jobs together would not make room for it.
    ///
    /// # Complexity
    /// One step for each 64 running jobs.
    pub fn shadow(&self, now: SimTime, free: u64, need: u64) -> Option<Shadow> {
        let soonest = now.saturating_add(NEXT_NANO);
        let mut freed = free;
        let mut time = None;
        for (sum, items) in self.held.blocks() {
            // a block that neither reaches the need nor holds a job that ends at the shadow time is one step
            if time.is_none() && freed + sum.0 < need {
                freed += sum.0;
                continue;
            }
            for held in items {
                let end = held.estimated_end.max(soonest);
                if time.is_some_and(|time| end > time) {
                    return time.map(|time| Shadow { time, extra: freed - need });
                }
                freed += u64::from(held.procs);
                if time.is_none() && freed >= need {
                    time = Some(end);
                }
            }
        }
        time.map(|time| Shadow { time, extra: freed - need })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    fn running(jobs: &[(u64, u32)]) -> Running {
        let mut running = Running::new();
        for (job, &(end, procs)) in (0..).zip(jobs) {
            running.insert(JobId(job), procs, at(end));
        }
        running
    }

    #[test]
    fn all_jobs_that_end_at_the_shadow_time_count_as_ended() {
        let running = running(&[(100, 3), (50, 2), (100, 4), (200, 1)]);
        assert_eq!(running.shadow(at(10), 0, 4), Some(Shadow { time: at(100), extra: 5 }));
        assert_eq!(running.shadow(at(10), 0, 2), Some(Shadow { time: at(50), extra: 0 }));
        assert_eq!(running.shadow(at(10), 1, 11), Some(Shadow { time: at(200), extra: 0 }));
        assert_eq!(running.shadow(at(10), 0, 11), None);
    }

    #[test]
    fn a_job_past_its_estimate_ends_in_a_nanosecond() {
        let running = running(&[(5, 2), (10, 2), (11, 2), (12, 2)]);
        assert_eq!(running.shadow(at(10), 0, 1), Some(Shadow { time: at(11), extra: 5 }));
        assert_eq!(running.shadow(at(10), 0, 7), Some(Shadow { time: at(12), extra: 1 }));
    }

    proptest! {
        #[test]
        fn the_shadow_is_that_of_a_plain_scan(
            jobs in prop::collection::vec((0_u64..60, 1_u32..9), 0..300),
            gone in prop::collection::vec(any::<bool>(), 300),
            (now, free, more) in (0_u64..60, 0_u64..10, 1_u64..900),
        ) {
            let mut list = running(&jobs);
            let mut left = Vec::new();
            for ((id, &(end, procs)), &gone) in (0..).zip(&jobs).zip(&gone) {
                if gone { list.remove(JobId(id), procs, at(end)) } else { left.push((end.max(now + 1), u64::from(procs))) }
            }
            let need = free + more;
            left.sort_unstable();
            let released = |by: u64| free + left.iter().filter(|job| job.0 <= by).map(|job| job.1).sum::<u64>();
            let expected = left.iter().map(|job| job.0).find(|&end| released(end) >= need);
            let expected = expected.map(|end| Shadow { time: at(end), extra: released(end) - need });
            prop_assert_eq!(list.shadow(at(now), free, need), expected);
        }
    }
}
