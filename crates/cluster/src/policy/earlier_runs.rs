//! Jobs that were interrupted, as the batch scheduler keeps them: what they need not do again, and
//! their places in the queue.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::OnNodeFailure;
use crate::kernel::{SimDuration, SimTime, now};
use crate::workload::Job;

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
        if self.front.requeues_at_the_back()
            && let Some(earlier) = self.interrupted.get_mut(&id)
        {
            earlier.since = Some(now());
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
