//! Useful work: the processor time that completed jobs need, once, however long they held
//! processors for it.
//!
//! Time held grows with whatever wastes it: jobs that share a processor hold it for longer, an
//! interrupted job computes twice, a checkpoint takes processors that no job needs. The work that a
//! job needs does not: at detail `job` its processors times its run time on a dedicated machine,
//! both as it asked for them; at detail `task` what its tasks computed and spent on messages. A job
//! that is not completed gives nothing.
//!
//! A job that had begun before the window counts by the share of its time, from its first start to
//! its end, that lies in the window. Jobs that run once, alone on their processors and to their
//! ends give the time that they held.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::SimTime;

use super::metrics::{FinishedRun, Window};
use crate::batch::record::State;

/// Useful work in the window, where `needed` gives the work of a job [processor ns].
pub(super) fn work(run: &FinishedRun<'_>, window: Window, needed: &dyn Fn(JobId) -> u128) -> u128 {
    let mut began: OrderedMap<JobId, SimTime> = OrderedMap::new();
    for attempt in run.record.outages().attempts() {
        began.entry(attempt.job).or_insert(attempt.start);
    }
    let completed = run.ids().filter(|&(id, _)| run.record.state(id) == State::Completed);
    let of_job = |(id, _)| {
        let end = run.record.end_time(id);
        let start = began.get(&id).copied().unwrap_or_else(|| run.record.start_time(id));
        let inside = end.min(window.to).since(start.max(window.from));
        if start >= window.from && end <= window.to {
            needed(id)
        } else if inside.is_zero() {
            0
        } else {
            let share = inside.as_nanos() as f64 / end.since(start).as_nanos() as f64;
            (needed(id) as f64 * share) as u128
        }
    };
    completed.map(of_job).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collections::Interval;
    use crate::instrument::{Reason, Record};
    use crate::kernel::SimDuration;
    use crate::kernel::stats::WarmUp;
    use crate::workload::Job;

    fn at(secs: u64) -> SimTime {
        SimTime::from_nanos(secs * 1_000_000_000)
    }

    /// Useful work [processor s] of jobs (submission, processors, run time, start, end, whether it
    /// was completed) from an instant on.
    fn useful(jobs: &[(u64, u32, u64, u64, u64, bool)], from: u64) -> u128 {
        let (mut all, mut record) = (Vec::new(), Record::new(jobs.len()));
        for (place, &(submit, procs, run_time, start, end, completed)) in (0..).zip(jobs) {
            all.push(Job::new(1, at(submit), procs, SimDuration::from_secs(run_time)));
            record.started(JobId(place), at(start), &[Interval::new(0, procs - 1)], Reason::Head);
            let state = if completed { State::Completed } else { State::Killed };
            record.over(JobId(place), at(end), state);
        }
        let run = FinishedRun {
            jobs: &all,
            record: &record,
            procs: 4,
            until: None,
            warm_up: if from > 0 { WarmUp::Until(at(from)) } else { WarmUp::None },
        };
        work(&run, run.window(), &|id| run.asked(id).area()) / 1_000_000_000
    }

    #[test]
    fn jobs_that_share_processors_need_what_they_need_alone() {
        // two jobs of 10 s on the same four processors, in turns from 0 to 20
        assert_eq!(useful(&[(0, 4, 10, 0, 20, true), (0, 4, 10, 0, 20, true)], 0), 80);
    }

    #[test]
    fn a_job_that_is_not_completed_gives_nothing() {
        assert_eq!(useful(&[(0, 4, 10, 0, 10, false), (0, 2, 5, 10, 15, true)], 0), 10);
    }

    /// An odd number of nanoseconds above 2^53, which no share of a job has.
    #[test]
    fn a_job_that_ends_with_the_window_counts_to_the_nanosecond() {
        let jobs = [Job::new(1, at(0), 1, SimDuration::from_secs(10))];
        let mut record = Record::new(1);
        record.started(JobId(0), at(0), &[Interval::new(0, 0)], Reason::Head);
        record.over(JobId(0), at(10), State::Completed);
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 1, until: None, warm_up: WarmUp::None };
        let needed = (1 << 60) + 1;
        assert_eq!(work(&run, run.window(), &|_| needed), needed);
    }

    #[test]
    fn a_job_counts_by_its_time_in_the_window() {
        // a quarter of its time from 10 to 30 lies behind 25
        assert_eq!(useful(&[(0, 4, 10, 10, 30, true)], 25), 10);
        assert_eq!(useful(&[(0, 4, 10, 10, 20, true), (40, 1, 3, 40, 43, true)], 25), 3);
    }
}
