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
//! A forecast ([`ExpectedEnds`]) places the jobs that wait in the order of the queue. Backfilling
//! may do better than that, and shorter jobs that arrive later may come before it. On nodes with
//! more than processors a job asks for the same for each of its chunks, however many these are, and
//! a size is one that nodes can hold.
//!
//! Where the head of the queue takes what is free and even its fewest processors are not, it waits
//! with these, and so has its reservation for them. It keeps that size if others come to stand
//! before it, until its turn comes again.

use std::cell::RefCell;

use crate::batch::backfill::{Decides, ExpectedEnds, NodesNow, View};
use crate::batch::molding::{CandidateSizes, Molding, Size, When};
use crate::batch::node_resources::Asking;
use crate::batch::queue::Waiting;
use crate::ids::JobId;
use crate::kernel::{SimDuration, now};
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
        all.retain(|&procs| self.may_have(id, procs, false));
        let sizes = candidate.sizes(all, |span| self.next_run(id, span));
        let forecast = self.components.molding.when() == When::Forecast;
        let forecast = forecast.then(|| RefCell::new(self.forecast()));
        let end = |size: &Size| match &forecast {
            Some(forecast) => forecast.borrow_mut().end(&Waiting::new(0, id, size.procs, size.estimate)),
            None => Some(now().saturating_add(size.estimate)),
        };
        let offers = CandidateSizes { now: now(), sizes: &sizes, end: &end };
        match self.components.molding.choose(&offers) {
            Some(procs) => self.mold(&candidate, procs),
            None => Ok(()),
        }
    }

    /// Capacity once all waiting jobs have been placed.
    fn forecast(&self) -> ExpectedEnds {
        let overtakes = self.rule.decides != Decides::Nothing || self.components.discipline.overtakes();
        let jobs = self.front.jobs();
        let nodes = self.nodes.as_ref().map(|resources| NodesNow { resources, jobs: &jobs });
        let view = View { nodes, ..View::new(now(), self.free(), &self.queue, &self.running) };
        ExpectedEnds::of(&view, overtakes)
    }

    /// Returns true if a job of another size would ever fit; `now`: if it fits now.
    fn may_have(&self, id: JobId, procs: u32, now: bool) -> bool {
        let of = Asking { procs, demand: self.front.job(id).demand };
        match &self.nodes {
            Some(nodes) if now => nodes.fits(of, None),
            Some(nodes) => nodes.lack(of).is_none(),
            None => !now || u64::from(procs) <= self.free(),
        }
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
        all.retain(|&procs| procs <= free && self.may_have(head.job, procs, true));
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
