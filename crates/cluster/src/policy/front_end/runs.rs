//! The runs that are under way, where features may interrupt them, and what interrupted jobs keep.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::{Process, SimDuration, SimTime, note_completion};
use crate::workload::Checkpoint;

use super::run_end::RunEnd;

/// The runs that are under way, and what interrupted jobs keep.
#[derive(Debug)]
pub(super) struct Runs {
    /// Rule by which jobs write checkpoints, if they do.
    pub(super) checkpoint: Option<Checkpoint>,
    pub(super) underway: OrderedMap<JobId, Underway>,
    /// Work that interrupted jobs need not do again.
    pub(super) kept: OrderedMap<JobId, Kept>,
}

/// Work that an interrupted job need not do again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kept {
    /// On the processors that it has or waits with.
    pub(super) work: SimDuration,
    /// On those of its last run, and their number.
    pub(super) last: (SimDuration, u32),
}

/// A job that runs.
#[derive(Debug)]
pub(super) struct Underway {
    /// The process that holds for its run; none where it does not run by itself.
    process: Option<Process>,
    /// Instant at which it ends unless it is interrupted; not where it is served in slices.
    pub(super) ends: SimTime,
    /// Time for which it is to run, and meaning of its end.
    pub(super) due: (SimDuration, RunEnd),
}

impl Runs {
    pub(super) fn new(checkpoint: Option<Checkpoint>) -> Self {
        Runs { checkpoint, underway: OrderedMap::new(), kept: OrderedMap::new() }
    }

    /// The work that a job has left.
    pub(super) fn rest(&self, job: JobId, work: SimDuration) -> SimDuration {
        work.saturating_sub(self.kept.get(&job).map_or(SimDuration::ZERO, |kept| kept.work))
    }

    /// Time for which a job with so much work has its processors if it is started now: for the work
    /// that is left, and the checkpoints in it.
    pub(super) fn span(&self, job: JobId, work: SimDuration) -> SimDuration {
        let rest = self.rest(job, work);
        self.checkpoint.map_or(rest, |checkpoint| checkpoint.span(rest))
    }

    /// The work that a job with so much work has done, in a run that has lasted for `held` and
    /// before.
    pub(super) fn done(&self, job: JobId, work: SimDuration, held: SimDuration) -> SimDuration {
        let rest = self.rest(job, work);
        let now = self.checkpoint.map_or(held, |checkpoint| checkpoint.done(held, rest));
        work.saturating_sub(rest).saturating_add(now)
    }

    pub(super) fn starts(
        &mut self,
        job: JobId,
        process: Option<Process>,
        ends: SimTime,
        due: (SimDuration, RunEnd),
    ) {
        self.underway.insert(job, Underway { process, ends, due });
    }

    /// The jobs that run, in order of submission.
    pub(super) fn underway(&self) -> impl Iterator<Item = JobId> {
        self.underway.keys().copied()
    }

    pub(super) fn ends(&mut self, job: JobId) {
        self.underway.remove(&job);
        self.kept.remove(&job);
        note_completion();
    }

    /// Kills the process of a job that is to end now.
    pub(super) fn kills(&mut self, job: JobId) {
        if let Some(Underway { process: Some(process), .. }) = self.underway.remove(&job) {
            process.kill();
        }
    }
}
