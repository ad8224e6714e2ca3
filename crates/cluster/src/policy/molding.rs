//! Moldable jobs under the policies that give them sizes: what a rule is given, and what follows
//! from its choice.
//!
//! | rule is asked | under |
//! |---|---|
//! | when a job comes to be considered, with the job alone | space sharing and gang scheduling |
//! | then, with forecasts | space sharing |
//! | when a job is the head of the queue | space sharing whose queue has a head |
//!
//! The first two hold under any settings. The queue has a head unless it is one of `first-fit` and
//! its kin, or others than the head have reservations.
//!
//! A forecast takes every running job to end, and every waiting one to run, by its estimate, and
//! places those that wait in the order of the queue, each as early as it can be without moving
//! those before it; where no job may overtake, none before another that stands before it. The job
//! that is asked about comes after all of them. Backfilling may do better than that, and shorter
//! jobs that arrive later may come before it.
//!
//! Where the head of the queue takes what is free and even its fewest processors are not, it waits
//! with these, and so has its reservation for them. It keeps that size if others come to stand
//! before it, until its turn comes again.

use crate::batch::Profile;
use crate::batch::backfill::Decides;
use crate::batch::molding::{CandidateSizes, Molding, Size, When};
use crate::batch::queue::Waiting;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime, now};
use crate::workload::moldable::Moldable;

use super::batch_scheduler::BatchScheduler;
use super::{FrontEnd, PolicyError};

/// A moldable job, and how long it is taken to run on what it asks for.
struct Candidate<'a> {
    id: JobId,
    asked: u32,
    estimate: SimDuration,
    rules: &'a Moldable,
}

impl Candidate<'_> {
    /// Sizes to choose from.
    fn sizes(
        &self,
        all: impl IntoIterator<Item = u32>,
        lasts: impl Fn(SimDuration) -> SimDuration,
    ) -> Vec<Size> {
        let size = |procs| Size {
            procs,
            speedup: self.rules.speedup(procs, self.asked),
            estimate: lasts(self.rules.time(self.estimate, self.asked, procs)),
        };
        all.into_iter().map(size).collect()
    }
}

/// Reports why a job has its size, if it is asked about.
fn explain(front: &FrontEnd, id: JobId, rule: &dyn Molding) {
    if let Some(mut explanation) = front.explains(id) {
        explanation.molded(rule.why());
    }
}

/// Gives a job that comes to be considered the size that a rule gives it by the job alone.
pub(super) fn at_submission(front: &FrontEnd, rule: &dyn Molding, id: JobId) -> Result<(), PolicyError> {
    if rule.when() != When::Submission {
        return Ok(());
    }
    let Some(rules) = front.moldable(id) else { return Ok(()) };
    let job = front.job(id);
    let candidate = Candidate { id, asked: job.procs, estimate: job.estimate, rules: &rules };
    let sizes = candidate.sizes(rules.sizes(job.procs, front.procs()), |span| span);
    let offers =
        CandidateSizes { now: now(), sizes: &sizes, end: &|size| Some(now().saturating_add(size.estimate)) };
    if let Some(procs) = rule.choose(&offers) {
        front.mold(candidate.id, procs)?;
        explain(front, id, rule);
    }
    Ok(())
}

impl BatchScheduler {
    /// Gives a job that comes to be considered its size; for rules that decide then.
    pub(super) fn mold_at_submission(&mut self, id: JobId) -> Result<(), PolicyError> {
        let Some(rules) = self.front.moldable(id) else { return Ok(()) };
        let job = self.front.job(id);
        let candidate = Candidate { id, asked: job.procs, estimate: self.whole(id), rules: &rules };
        // a limit must not forbid ever after what it lets pass as it was asked for
        let mut all = rules.sizes(job.procs, self.front.procs());
        all.retain(|&procs| self.components.limits.forbids(&rules.molded(job, procs)).is_none());
        let sizes = candidate.sizes(all, |span| self.next_run(id, span));
        let forecast = (self.components.molding.when() == When::Forecast).then(|| self.forecast());
        let end = |size: &Size| {
            let Some((profile, from)) = &forecast else { return Some(now().saturating_add(size.estimate)) };
            let start = profile.earliest(u64::from(size.procs), size.estimate, *from, SimTime::MAX);
            start.map(|start| start.saturating_add(size.estimate))
        };
        let offers = CandidateSizes { now: now(), sizes: &sizes, end: &end };
        match self.components.molding.choose(&offers) {
            Some(procs) => self.mold(&candidate, procs),
            None => Ok(()),
        }
    }

    /// Free processors once all waiting jobs have been placed, and the instant before which no job
    /// behind them starts.
    fn forecast(&self) -> (Profile, SimTime) {
        let least = SimDuration::from_nanos(1);
        let mut profile = Profile::new(now(), self.free(), &self.running, least);
        let mut from = now();
        let overtakes = self.rule.decides != Decides::Nothing || self.components.discipline.overtakes();
        for waiting in self.queue.iter() {
            let (procs, span) = (u64::from(waiting.procs), waiting.estimate.max(least));
            // a job that needs more than are in service is passed over
            let Some(start) = profile.earliest(procs, span, from, SimTime::MAX) else { continue };
            profile.reserve(start, span, procs);
            if !overtakes {
                from = start;
            }
        }
        (profile, from)
    }

    fn mold(&mut self, candidate: &Candidate<'_>, procs: u32) -> Result<(), PolicyError> {
        self.front.mold(candidate.id, procs)?;
        self.take_to_run(candidate.id, candidate.rules.time(candidate.estimate, candidate.asked, procs));
        explain(&self.front, candidate.id, &*self.components.molding);
        Ok(())
    }

    /// Gives the head of the queue the size that is free, or its least one if that is not; for
    /// rules that decide when a job is to start.
    pub(super) fn fit_head(&mut self) -> Result<(), PolicyError> {
        let Some(head) = self.queue.head() else { return Ok(()) };
        let Some(rules) = self.front.moldable(head.job) else { return Ok(()) };
        let asked = self.front.jobs()[head.job.index()].procs;
        let candidate =
            Candidate { id: head.job, asked, estimate: self.whole_as_asked(head.job), rules: &rules };
        let free = u32::try_from(self.free()).unwrap_or(u32::MAX).min(self.front.procs());
        let mut all = rules.sizes(asked, free);
        all.retain(|&procs| procs <= free);
        let sizes = candidate.sizes(all, |span| self.next_run(head.job, span));
        let end = |size: &Size| Some(now().saturating_add(size.estimate));
        let chosen = if sizes.is_empty() {
            rules.sizes(asked, self.front.procs()).first().copied()
        } else {
            self.components.molding.choose(&CandidateSizes { now: now(), sizes: &sizes, end: &end })
        };
        match chosen.filter(|&procs| procs != head.procs) {
            Some(procs) => {
                self.mold(&candidate, procs)?;
                self.replace(head, procs);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Lets a job wait with another size, in the place that it has.
    fn replace(&mut self, waiting: Waiting, procs: u32) {
        let id = waiting.job;
        self.take_out(&waiting);
        self.put(Waiting::new(waiting.key(), id, procs, self.estimate(id)));
    }
}
