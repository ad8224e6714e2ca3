//! A run that is over, as metrics, tables and timelines see it: its jobs, what became of them, and
//! which of them are observed.

use crate::ids::JobId;
use crate::kernel::stats::WarmUp;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;

use crate::batch::record::{Record, State};

/// Run times below this count as this in the bounded slowdown.
pub const BOUND: SimDuration = SimDuration::from_secs(10);

/// A run that is over, as the metrics see it.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRun<'a> {
    /// The jobs, in order of submission.
    pub jobs: &'a [Job],
    /// Record of the jobs.
    pub record: &'a Record,
    /// Processors of the machine.
    pub procs: u32,
    /// Instant at which the run was stopped, if it was before all jobs ended.
    pub until: Option<SimTime>,
    /// Part not observed, because the system was still filling: jobs submitted before an instant,
    /// or the first accepted ones.
    pub warm_up: WarmUp,
}

/// The window of a run in which its machine is observed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// End of the warm-up.
    pub from: SimTime,
    /// Last end of a job, or end of the run; not before `from`.
    pub to: SimTime,
}

impl<'a> FinishedRun<'a> {
    /// A run without jobs, for the metrics that it has.
    pub fn of_nothing(record: &'a Record) -> Self {
        FinishedRun { jobs: &[], record, procs: 1, until: None, warm_up: WarmUp::None }
    }

    /// The first submission of a job that was not rejected: where the run begins.
    pub fn origin(&self) -> SimTime {
        self.accepted().next().map_or(SimTime::ZERO, |(_, job)| job.submit_time)
    }

    pub(super) fn accepted(&self) -> impl Iterator<Item = (JobId, &'a Job)> + Clone + use<'a> {
        let record = self.record;
        self.ids().filter(move |&(id, _)| record.state(id) != State::Rejected)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = (JobId, &'a Job)> + Clone + use<'a> {
        (0..).map(JobId).zip(self.jobs)
    }

    /// The window in which the machine is observed.
    pub fn window(&self) -> Window {
        let from = match self.warm_up {
            WarmUp::None => self.origin(),
            WarmUp::Until(end) => self.origin().max(end),
            WarmUp::Count(_) => self.kept().next().map_or(SimTime::MAX, |(_, job)| job.submit_time),
        };
        let to = self.until.unwrap_or_else(|| self.last_end().unwrap_or(from));
        Window { from, to: to.max(from) }
    }

    /// The last end of a job that is over.
    pub(super) fn last_end(&self) -> Option<SimTime> {
        let over = self.ids().filter(|&(id, _)| self.record.state(id).is_over());
        over.map(|(id, _)| self.record.end_time(id)).max()
    }

    /// The observed jobs that were accepted.
    pub(super) fn kept(&self) -> impl Iterator<Item = (JobId, &Job)> + Clone {
        self.submitted().filter(|&(id, _)| self.record.state(id) != State::Rejected)
    }

    /// The observations: observed jobs that were completed or killed.
    pub fn observed(&self) -> impl Iterator<Item = (JobId, &Job)> + Clone {
        self.kept().filter(|&(id, _)| self.record.state(id).has_run())
    }

    /// Processor time allocated in the window [processor ns].
    ///
    /// A processor that several jobs share is allocated once.
    pub(super) fn allocated(&self, window: Window) -> u128 {
        let held = |(start, end, procs): (SimTime, SimTime, u32)| {
            u128::from(end.min(window.to).since(start.max(window.from)).as_nanos()) * u128::from(procs)
        };
        self.spans_in_use(window).map(held).sum()
    }

    /// The spans in which processors are in use, and how many; together they are all that is in
    /// use, a processor that several jobs share once. A span without an end lasts to that of the
    /// window.
    pub fn spans_in_use(&self, window: Window) -> impl Iterator<Item = (SimTime, SimTime, u32)> + use<'a> {
        let usage = self.record.usage();
        let ends = usage.iter().skip(1).map(|&(at, _)| at).chain([window.to]);
        let shared = usage.iter().zip(ends).map(|(&(from, count), to)| (from, to, count));
        let held = self.spans_held(window).filter(move |_| usage.is_empty());
        shared.chain(held)
    }

    /// The spans in which jobs have processors, of all their runs, each from its start to its end,
    /// or to that of the window if it has none; and how many processors.
    pub fn spans_held(&self, window: Window) -> impl Iterator<Item = (SimTime, SimTime, u32)> + use<'a> {
        let record = self.record;
        let last = move |(id, job): (JobId, &Job)| {
            let outcome = record.outcome(id);
            let end = match outcome.state {
                State::Completed | State::Killed | State::Cancelled | State::Lost => outcome.end,
                State::Running => window.to,
                State::Expected | State::Rejected => return None,
            };
            Some((outcome.start, end, job.procs))
        };
        let attempts = record.outages().attempts().iter();
        let earlier = attempts.map(|one| (one.start, one.end, one.procs()));
        self.ids().filter_map(last).chain(earlier)
    }

    /// Waiting time of a job that has started: from its submission to its last start, but for what
    /// it had processors before.
    #[inline]
    pub fn waited(&self, id: JobId) -> SimDuration {
        let (start, submit_time) = (self.record.start_time(id), self.jobs[id.index()].submit_time);
        start.since(submit_time).saturating_sub(self.record.outages().held(id))
    }

    /// A job as it was submitted: with the processors and the time that were asked for, and its run
    /// time on these.
    #[inline]
    pub fn asked(&self, id: JobId) -> &Job {
        self.record.asked(id).unwrap_or(&self.jobs[id.index()])
    }

    #[inline]
    pub(super) fn observe(&self, id: JobId, job: &Job) -> Observed {
        Observed {
            wait: self.waited(id),
            response: self.record.end_time(id).since(job.submit_time),
            run: self.asked(id).run_time,
            recorded_wait: job.recorded_wait(),
            killed: self.record.state(id) == State::Killed,
        }
    }
}

/// The times of one observed job.
#[derive(Clone, Copy)]
pub(super) struct Observed {
    pub(super) wait: SimDuration,
    pub(super) response: SimDuration,
    run: SimDuration,
    pub(super) recorded_wait: Option<SimDuration>,
    pub(super) killed: bool,
}

impl Observed {
    pub(super) fn slowdown(&self) -> f64 {
        self.response.as_nanos() as f64 / self.run.as_nanos() as f64
    }

    pub(super) fn bounded_slowdown(&self) -> f64 {
        (self.response.as_nanos() as f64 / self.run.max(BOUND).as_nanos() as f64).max(1.0)
    }
}
