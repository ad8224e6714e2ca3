//! Jobs that were interrupted, as the batch scheduler keeps them: what they need not do again, and
//! their places in the queue.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::OnNodeFailure;
use crate::kernel::{SimDuration, SimTime, now};
use crate::workload::{Checkpoint, Job};

use super::batch_scheduler::BatchScheduler;
use super::{FrontEnd, Interruption, PolicyError};

/// Earlier runs of a job that was interrupted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Earlier {
    /// Work that it need not do again.
    pub(super) kept: SimDuration,
    /// Time for which it had processors.
    pub(super) held: SimDuration,
    /// Instant since which it waits, if that gives it its place in the queue.
    since: Option<SimTime>,
}

impl Earlier {
    /// The job was interrupted: it keeps so much, and has run for so long in all.
    pub(super) fn interrupted(&mut self, kept: SimDuration, held: SimDuration) {
        (self.kept, self.held) = (kept, held);
    }

    /// The job waits again from now on, which may give it its place in the queue.
    pub(super) fn waits_again(&mut self, front: &FrontEnd) {
        if front.requeues_at_the_back() {
            self.since = Some(now());
        }
    }
}

/// Expected length of runs: of the work that is left, with checkpoints in it, within limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunPlans {
    /// Rule by which jobs write checkpoints, where nodes fail and jobs do.
    pub(super) checkpoint: Option<Checkpoint>,
    /// True if jobs may be interrupted and have limits, which matter to plans then.
    pub(super) limits: bool,
}

impl RunPlans {
    /// Plans for the runs of a site.
    pub(super) fn of(front: &FrontEnd) -> Self {
        RunPlans { checkpoint: front.checkpoint(), limits: front.interrupts() && front.limits() }
    }

    /// Time for which a job, with these runs before, runs in one that does the rest of `work`.
    pub(super) fn lasts(
        self,
        front: &FrontEnd,
        work: SimDuration,
        before: Earlier,
        job: impl Fn() -> Job,
    ) -> SimDuration {
        let (least, mut span) = (SimDuration::from_nanos(1), work);
        if let Some(checkpoint) = self.checkpoint {
            // an estimate may be less than what is done already
            span = checkpoint.span(work.saturating_sub(before.kept).max(least));
        }
        if self.limits {
            let limit = front.limit(&job(), before.held);
            span = limit.map_or(span, |limit| span.min(limit.max(least)));
        }
        span
    }
}

impl BatchScheduler {
    /// A job is taken to run until then from now on.
    pub(super) fn runs_until(&mut self, id: JobId, procs: u32, end: SimTime) {
        if let Some(ends) = &mut self.estimated_ends {
            ends.insert(id, end);
        }
        if self.tracks {
            self.running.insert(id, procs, end);
        }
    }

    /// A job that was interrupted is considered again.
    pub(super) fn waits_again(&mut self, id: JobId) -> Result<(), PolicyError> {
        self.enter_of(id);
        if let Some(earlier) = self.interrupted.get_mut(&id) {
            earlier.waits_again(&self.front);
        }
        self.mold_on_arrival(id)?;
        self.waits(id, &self.front.job(id));
        Ok(())
    }

    /// A node of a job has failed: it is lost, or will wait again, in the place that its submission
    /// gives it.
    pub(super) fn interrupts(&mut self, one: &Interruption) {
        self.enter_of(one.job);
        let job = self.front.job(one.job);
        self.leaves(one.job, &job, one.start);
        if one.then == OnNodeFailure::Lost {
            self.estimated.remove(&one.job);
            self.interrupted.remove(&one.job);
            return;
        }
        let earlier = self.interrupted.entry(one.job).or_default();
        earlier.kept = one.kept;
        earlier.held = earlier.held.saturating_add(now().since(one.start));
    }
}

/// A job as the queue sees it: submitted at the instant that gives it its place.
pub(super) fn queued(front: &FrontEnd, interrupted: &OrderedMap<JobId, Earlier>, id: JobId) -> Job {
    let mut job = front.job(id);
    let since = interrupted.get(&id).and_then(|earlier| earlier.since);
    job.submit_time = since.unwrap_or(job.submit_time);
    job
}
