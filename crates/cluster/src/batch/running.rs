//! The running jobs by estimated end, and the shadow time of a job that waits for them.
//!
//! The shadow time of a job is the earliest estimated end at which enough processors are free for
//! it; the extra processors are those free then beyond its need, all jobs estimated to end by then
//! having released theirs (A. W. Mu'alem, D. G. Feitelson, IEEE TPDS 12(6), 2001). A job past its
//! estimate counts as ending one nanosecond from now: it must end some time, and there is no later
//! word of it (MODELS 2.2). [`Running::shadow_by`] lets it go on for any other span.

use crate::collections::{BlockList, BlockSummary};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

/// The least span there is: what a job past its estimate has left.
pub(in crate::batch) const NEXT_NANO: SimDuration = SimDuration::from_nanos(1);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Held {
    estimated_end: SimTime,
    job: JobId,
    procs: u32,
}

/// Processors held by the jobs of a block.
#[derive(Clone, Copy, Debug)]
struct Sum(u64);

impl BlockSummary<Held> for Sum {
    const EMPTY: Self = Sum(0);

    fn add(&mut self, item: &Held) {
        self.0 += u64::from(item.procs);
    }

    fn remove(&mut self, item: &Held, _: &[Held]) {
        self.0 -= u64::from(item.procs);
    }
}

/// Start of a waiting job by the estimates, and the processors left next to it then.
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

    /// Estimated ends and processors of the running jobs, in order of estimated end as seen from
    /// `now`.
    pub fn releases(&self, now: SimTime) -> impl Iterator<Item = (SimTime, u32)> {
        let soonest = now.saturating_add(NEXT_NANO);
        self.held.iter().map(move |held| (held.estimated_end.max(soonest), held.procs))
    }

    /// Estimated ends of the running jobs, in the order of [`Running::releases`].
    pub fn jobs(&self, now: SimTime) -> impl Iterator<Item = (SimTime, JobId)> {
        let soonest = now.saturating_add(NEXT_NANO);
        self.held.iter().map(move |held| (held.estimated_end.max(soonest), held.job))
    }

    /// As [`Running::jobs`], where jobs past their estimates are taken to go on for `late`, a
    /// nanosecond at least.
    pub(in crate::batch) fn jobs_by(&self, now: SimTime, late: SimDuration) -> Vec<(SimTime, JobId)> {
        let late = now.saturating_add(late.max(NEXT_NANO));
        let end = |held: &Held| if held.estimated_end <= now { late } else { held.estimated_end };
        let mut ends: Vec<(SimTime, JobId)> = self.held.iter().map(|held| (end(held), held.job)).collect();
        ends.sort_by_key(|&(end, _)| end);
        ends
    }

    /// As [`Running::releases`], where jobs past their estimates are taken to go on for `late`, a
    /// nanosecond at least.
    pub fn releases_by(&self, now: SimTime, late: SimDuration) -> Vec<(SimTime, u32)> {
        let late = now.saturating_add(late.max(NEXT_NANO));
        let end = |held: &Held| if held.estimated_end <= now { late } else { held.estimated_end };
        let mut ends: Vec<(SimTime, u32)> = self.held.iter().map(|held| (end(held), held.procs)).collect();
        ends.sort_by_key(|&(end, _)| end);
        ends
    }

    /// Estimated ends, numbers and processors of the running jobs, in order of estimated end.
    pub(in crate::batch) fn each(&self) -> impl Iterator<Item = (SimTime, JobId, u32)> {
        self.held.iter().map(|held| (held.estimated_end, held.job, held.procs))
    }

    /// Processors held by the jobs past their estimates: those estimated to end by `now`.
    pub fn overdue(&self, now: SimTime) -> u64 {
        let due = |held: &&Held| held.estimated_end <= now;
        self.held.iter().take_while(due).map(|held| u64::from(held.procs)).sum()
    }

    /// Processors held by all of them.
    pub fn held(&self) -> u64 {
        self.held.blocks().map(|(sum, _)| sum.0).sum()
    }

    /// The first estimated end after `now`.
    pub fn next_end(&self, now: SimTime) -> Option<SimTime> {
        let least = Held { estimated_end: now.saturating_add(NEXT_NANO), job: JobId(0), procs: 0 };
        self.held.get(self.held.lower_bound(&least)).map(|held| held.estimated_end)
    }

    /// The jobs estimated to end at this instant, with their processors.
    pub fn ending(&self, now: SimTime) -> Vec<(JobId, u32)> {
        let mut at = self.held.lower_bound(&Held { estimated_end: now, job: JobId(0), procs: 0 });
        let mut ending = Vec::new();
        while let Some(held) = self.held.get(at).filter(|held| held.estimated_end == now) {
            ending.push((held.job, held.procs));
            at = self.held.after(at);
        }
        ending
    }

    /// The shadow time where jobs past their estimates are taken to go on for `late`; as
    /// [`Running::shadow`].
    ///
    /// # Complexity
    /// Linear in the running jobs, unless `late` is the nanosecond of [`Running::shadow`].
    pub fn shadow_by(&self, now: SimTime, free: u64, need: u64, late: SimDuration) -> Option<Shadow> {
        if late <= NEXT_NANO {
            return self.shadow(now, free, need);
        }
        let (mut freed, mut time) = (free, None);
        for (end, procs) in self.releases_by(now, late) {
            if time.is_some_and(|time| end > time) {
                break;
            }
            freed += u64::from(procs);
            if time.is_none() && freed >= need {
                time = Some(end);
            }
        }
        time.map(|time| Shadow { time, extra: freed - need })
    }

    /// The shadow time that is not before an instant later than now, at which a job ends; else as
    /// [`Running::shadow_by`].
    pub(in crate::batch) fn shadow_from(
        &self,
        (now, from): (SimTime, SimTime),
        free: u64,
        need: u64,
        late: SimDuration,
    ) -> Option<Shadow> {
        let mut freed = free;
        let mut releases = self.releases_by(now, late).into_iter().peekable();
        while let Some((end, procs)) = releases.next() {
            freed += u64::from(procs);
            let is_last = releases.peek().is_none_or(|next| next.0 > end);
            if is_last && end >= from && freed >= need {
                return Some(Shadow { time: end, extra: freed - need });
            }
        }
        None
    }

    /// Number of the processors that the running jobs hold are free at an instant after `now`, by
    /// the estimates.
    pub fn released_by(&self, instant: SimTime) -> u64 {
        let ended = |held: &&Held| held.estimated_end <= instant;
        self.held.iter().take_while(ended).map(|held| u64::from(held.procs)).sum()
    }

    /// The shadow time of a job that needs `need` processors when `free` are free now.
    ///
    /// `None` if all running jobs together would not free enough for it.
    ///
    /// # Complexity
    /// One step for each 64 running jobs.
    pub fn shadow(&self, now: SimTime, free: u64, need: u64) -> Option<Shadow> {
        let soonest = now.saturating_add(NEXT_NANO);
        let mut freed = free;
        let mut time = None;
        for (sum, items) in self.held.blocks() {
            // a block that neither reaches the need nor holds a job that ends at the shadow time is
            // one step
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

    #[test]
    fn a_job_past_its_estimate_goes_on_as_long_as_is_said() {
        let running = running(&[(5, 2), (10, 2), (11, 2), (40, 2)]);
        let late = SimDuration::from_nanos(20);
        let shadow = |need| running.shadow_by(at(10), 0, need, late);
        assert_eq!(shadow(1), Some(Shadow { time: at(11), extra: 1 }));
        assert_eq!(shadow(3), Some(Shadow { time: at(30), extra: 3 }));
        assert_eq!(shadow(7), Some(Shadow { time: at(40), extra: 1 }));
        assert_eq!((running.overdue(at(10)), running.next_end(at(10))), (4, Some(at(11))));
        assert_eq!(running.ending(at(10)), [(JobId(1), 2)]);
        assert_eq!((running.released_by(at(11)), running.next_end(at(40))), (6, None));
    }

    proptest! {
        #![proptest_config(crate::batch::tests::seeded(256))]
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
