//! Failures of nodes in the record: the runs of jobs that were interrupted, and the times at which
//! processors were out of service.

use crate::collections::{Interval, OrderedMap};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::GpuShare;

/// A run of a job that was interrupted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The job.
    pub job: JobId,
    /// Instant at which it started.
    pub start: SimTime,
    /// Instant at which it was interrupted.
    pub end: SimTime,
    /// Time for which it ran: that for which it had its processors, but in slices.
    pub ran: SimDuration,
    /// Work of this run that it need not do again.
    pub kept: SimDuration,
    /// The processors it had.
    pub on: Vec<Interval>,
    /// The GPUs it had, where they are distinguished.
    pub gpus: Box<[GpuShare]>,
}

impl Attempt {
    /// Time for which it had its processors.
    pub fn held(&self) -> SimDuration {
        self.end.since(self.start)
    }

    /// Number of the processors it had.
    pub fn procs(&self) -> u32 {
        // of one machine
        self.on.iter().map(|on| on.count()).sum::<u64>() as u32
    }
}

/// A span in which a node was out of service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outage {
    /// The node, from 0.
    pub node: u32,
    /// Processors.
    pub processors: Interval,
    /// Instant at which it failed.
    pub from: SimTime,
    /// Instant at which it came back; [`SimTime::MAX`] if it did not.
    pub to: SimTime,
}

/// All that came of nodes that failed.
#[derive(Clone, Debug, Default)]
pub struct Outages {
    attempts: Vec<Attempt>,
    spans: Vec<Outage>,
    /// The place of the last span of each node.
    last: OrderedMap<u32, usize>,
    /// Runs of each job that was interrupted before its present one, together.
    earlier: OrderedMap<JobId, EarlierRuns>,
    /// Time for which jobs ran in slices in their last runs.
    served: OrderedMap<JobId, SimDuration>,
}

/// Runs of a job before its present one, together.
#[derive(Clone, Copy, Debug, Default)]
struct EarlierRuns {
    /// Time for which it had processors.
    held: SimDuration,
    /// Time for which it ran.
    ran: SimDuration,
    /// Work that it need not do again, on the processors that it has now.
    kept: SimDuration,
}

impl Outages {
    /// Notes that a run was interrupted; one in slices ran for as long as was noted before.
    pub(super) fn add(&mut self, attempt: Attempt) {
        let ran = self.served.remove(&attempt.job).unwrap_or(attempt.held());
        let attempt = Attempt { ran, ..attempt };
        let earlier = self.earlier.entry(attempt.job).or_default();
        earlier.ran = earlier.ran.saturating_add(ran);
        earlier.held = earlier.held.saturating_add(attempt.held());
        earlier.kept = earlier.kept.saturating_add(attempt.kept);
        self.attempts.push(attempt);
    }

    /// Notes for how long a job has run in slices whose run ends now.
    pub fn served(&mut self, job: JobId, ran: SimDuration) {
        self.served.insert(job, ran);
    }

    /// Time for which a job that is over ran in its last run, where that was in slices.
    pub fn served_at_last(&self, job: JobId) -> Option<SimDuration> {
        self.served.get(&job).copied()
    }

    /// Notes the work that a job which was interrupted need not do again on the processors that it
    /// has been given since.
    pub fn keeps(&mut self, job: JobId, kept: SimDuration) {
        self.earlier.entry(job).or_default().kept = kept;
    }

    /// Gives the jobs other ids.
    pub(super) fn rename(&mut self, name: impl Fn(JobId) -> JobId) {
        self.attempts.iter_mut().for_each(|attempt| attempt.job = name(attempt.job));
        let earlier = std::mem::take(&mut self.earlier).into_iter();
        self.earlier = earlier.map(|(job, runs)| (name(job), runs)).collect();
        let served = std::mem::take(&mut self.served).into_iter();
        self.served = served.map(|(job, ran)| (name(job), ran)).collect();
    }

    /// Notes that a node fails.
    pub fn failed(&mut self, node: u32, processors: Interval, now: SimTime) {
        self.last.insert(node, self.spans.len());
        self.spans.push(Outage { node, processors, from: now, to: SimTime::MAX });
    }

    /// Notes that a node which failed is back.
    ///
    /// # Panics
    /// If it did not fail.
    pub fn repaired(&mut self, node: u32, now: SimTime) {
        self.spans[self.last[&node]].to = now;
    }

    /// The runs that were interrupted, in order of interruption; at equal times by node, then by
    /// job.
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// The spans out of service, in order of their beginnings.
    pub fn spans(&self) -> &[Outage] {
        &self.spans
    }

    /// For how long a job has had processors before its last run.
    pub fn held(&self, job: JobId) -> SimDuration {
        self.earlier.get(&job).map_or(SimDuration::ZERO, |runs| runs.held)
    }

    /// For how long a job has run before its last run.
    pub fn ran(&self, job: JobId) -> SimDuration {
        self.earlier.get(&job).map_or(SimDuration::ZERO, |runs| runs.ran)
    }

    /// Work of the runs of a job before its last one that this need not do again.
    pub fn kept(&self, job: JobId) -> SimDuration {
        self.earlier.get(&job).map_or(SimDuration::ZERO, |runs| runs.kept)
    }
}
