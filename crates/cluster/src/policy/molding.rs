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
//!
//! A job that was interrupted is given a size again, unless the site says that it keeps its own,
//! for the work that it has left: a candidate lasts for that. Where processors are reserved a size
//! is free if a job of it delays no reservation that is known, and forecasts go around these.

use std::cell::RefCell;

use crate::batch::backfill::{Decides, ExpectedEnds, NodesNow, View};
use crate::batch::molding::{CandidateSizes, Molding, Size, When};
use crate::batch::node_resources::{Asking, NodesOutlook};
use crate::batch::queue::Waiting;
use crate::ids::JobId;
use crate::kernel::{SimDuration, now};
use crate::workload::Job;
use crate::workload::moldable::Moldable;

use super::batch_scheduler::BatchScheduler;
use super::{FrontEnd, PolicyError};

/// A moldable job as it asks to be run, and how long it is taken to run then.
struct Candidate<'a> {
    id: JobId,
    asked: Job,
    estimate: SimDuration,
    rules: &'a Moldable,
}

impl Candidate<'_> {
    /// Size of so many processors, where a job that is taken to need a time lasts for another.
    fn size(&self, procs: u32, lasts: impl Fn(u32, SimDuration) -> SimDuration) -> Size {
        let time = self.rules.time(self.estimate, self.asked.procs, procs);
        Size { procs, estimate: lasts(procs, time) }
    }

    fn speedup(&self, procs: u32) -> f64 {
        self.rules.speedup(procs, self.asked.procs)
    }
}

/// Reports why a job has its size, if it is asked about.
fn explain(front: &FrontEnd, id: JobId, rule: &dyn Molding) {
    if let Some(mut explanation) = front.explains(id) {
        explanation.molded(rule.why());
    }
}

/// Gives a job that comes to be considered the size that a rule gives it by the job alone, of those
/// with which it may ever run.
pub(super) fn at_submission(
    front: &FrontEnd,
    rule: &dyn Molding,
    id: JobId,
    allows: impl Fn(&Job) -> bool,
) -> Result<(), PolicyError> {
    if rule.when() != When::Submission {
        return Ok(());
    }
    let Some(rules) = front.moldable(id) else { return Ok(()) };
    // it may have been given another size before it was interrupted
    let job = front.jobs()[id.index()];
    let candidate = Candidate { id, asked: job, estimate: job.estimate, rules: &rules };
    let offers = CandidateSizes {
        now: now(),
        all: &rules.sizes(job.procs, front.procs()),
        speedup: &|procs| candidate.speedup(procs),
        size: &|procs| allows(&rules.molded(job, procs)).then(|| candidate.size(procs, |_, span| span)),
        end: &|size| Some(now().saturating_add(size.estimate)),
    };
    if let Some(procs) = rule.choose(&offers) {
        front.mold(candidate.id, procs)?;
        explain(front, id, rule);
    }
    Ok(())
}

impl BatchScheduler {
    /// Gives a job that comes to be considered its size, if the rule decides then.
    pub(super) fn mold_on_arrival(&mut self, id: JobId) -> Result<(), PolicyError> {
        if !matches!(self.components.molding.when(), When::Submission | When::Forecast) {
            return Ok(());
        }
        let Some(rules) = self.front.moldable(id) else { return Ok(()) };
        let candidate = self.candidate(id, &rules);
        let job = candidate.asked;
        let forecast = self.components.molding.when() == When::Forecast;
        if forecast && self.reserves {
            self.plan_around();
        }
        let forecast = forecast.then(|| RefCell::new(self.forecast()));
        let end = |size: &Size| match &forecast {
            Some(forecast) => forecast.borrow_mut().end(&Waiting::new(0, id, size.procs, size.estimate)),
            None => Some(now().saturating_add(size.estimate)),
        };
        // a limit must not forbid ever after what it lets pass as it was asked for
        let allows = |procs: u32| {
            let molded = rules.molded(job, procs);
            self.components.limits.forbids(&molded, self.needed(&molded)).is_none()
        };
        let lasts = |procs, work| self.next_run_on(&candidate, procs, work);
        let size =
            |procs: u32| (self.holds(id, procs) && allows(procs)).then(|| candidate.size(procs, lasts));
        let all = rules.sizes(job.procs, self.front.procs());
        let speedup = |procs: u32| candidate.speedup(procs);
        let offers = CandidateSizes { now: now(), all: &all, speedup: &speedup, size: &size, end: &end };
        match self.components.molding.choose(&offers) {
            Some(procs) => self.mold(&candidate, procs),
            None => Ok(()),
        }
    }

    /// A moldable job as the policy takes it to run.
    fn candidate<'a>(&self, id: JobId, rules: &'a Moldable) -> Candidate<'a> {
        Candidate { id, asked: self.front.jobs()[id.index()], estimate: self.whole_as_asked(id), rules }
    }

    /// Time for which a job has its processors if it is started on so many, `work` being that of
    /// all its runs on these.
    fn next_run_on(&self, of: &Candidate<'_>, procs: u32, work: SimDuration) -> SimDuration {
        let mut before = self.interrupted.get(&of.id).copied().unwrap_or_default();
        before.kept = self.front.kept_on(of.id, procs);
        self.lasts(work, before, || of.rules.molded(of.asked, procs))
    }

    /// Capacity once all waiting jobs have been placed.
    fn forecast(&self) -> ExpectedEnds {
        let overtakes = self.rule.decides != Decides::Nothing || self.components.discipline.overtakes();
        let jobs = self.front.jobs();
        let nodes = self.nodes.as_ref().map(|resources| NodesNow { resources, jobs: &jobs });
        let (planned, pools) = (&*self.planned, self.pools.as_ref());
        let now = now();
        let view = View { planned, nodes, pools, ..View::new(now, self.free(), &self.queue, &self.running) };
        ExpectedEnds::of(&view, overtakes)
    }

    /// Returns true if a job of another size would ever fit.
    fn holds(&self, id: JobId, procs: u32) -> bool {
        let of = Asking { procs, demand: self.front.job(id).demand };
        self.nodes.as_ref().is_none_or(|nodes| nodes.holds_ever(of))
    }

    /// The sizes with which a job may start now.
    fn that_fit(&self, id: JobId, mut sizes: Vec<Size>) -> Vec<Size> {
        let demand = self.front.job(id).demand;
        match &self.nodes {
            Some(nodes) if self.planned.is_empty() => {
                sizes.retain(|size| nodes.fits(Asking { procs: size.procs, demand }, None));
            }
            Some(nodes) => {
                let jobs = self.front.jobs();
                let mut outlook = NodesOutlook::new(now(), &self.running, &self.planned, (nodes, &jobs));
                sizes.retain(|size| outlook.takes(&Waiting::new(0, id, size.procs, size.estimate)));
            }
            None => {
                let outlook = self.outlook();
                sizes.retain(|size| outlook.takes(u64::from(size.procs), size.estimate));
            }
        }
        sizes
    }

    fn mold(&mut self, candidate: &Candidate<'_>, procs: u32) -> Result<(), PolicyError> {
        let id = candidate.id;
        self.front.mold(id, procs)?;
        self.take_to_run(id, candidate.rules.time(candidate.estimate, candidate.asked.procs, procs));
        if let Some(earlier) = self.interrupted.get_mut(&id) {
            earlier.kept = self.front.kept_on(id, procs);
        }
        explain(&self.front, id, &*self.components.molding);
        Ok(())
    }

    /// Gives the head of the queue the size that is free, or its least one if that is not; for
    /// rules that decide when a job is to start. Where a head that needs more than is in service
    /// keeps no other waiting, the turn is that of the next job.
    pub(super) fn fit_head(&mut self) -> Result<(), PolicyError> {
        let passes = self.front.interrupts() && self.rule.decides == Decides::Overtaking;
        let mut place = 0;
        loop {
            let turn = self.queue.iter().nth(place).copied();
            turn.map_or(Ok(()), |turn| self.fit(turn))?;
            let fitted = self.queue.iter().nth(place);
            if !passes || fitted.is_none_or(|fitted| self.suffices(fitted)) {
                return Ok(());
            }
            place += 1;
        }
    }

    /// Returns true if a job fits on what is in service, once nothing runs.
    fn suffices(&self, waiting: &Waiting) -> bool {
        let jobs = self.front.jobs();
        let nodes = self.nodes.as_ref().map(|resources| NodesNow { resources, jobs: &jobs });
        let planned = &*self.planned;
        let view = View { planned, nodes, ..View::new(now(), self.free(), &self.queue, &self.running) };
        view.suffices(waiting)
    }

    /// Gives a job whose turn it is the size that is free, or its least one.
    fn fit(&mut self, head: Waiting) -> Result<(), PolicyError> {
        let Some(rules) = self.front.moldable(head.job) else { return Ok(()) };
        let candidate = self.candidate(head.job, &rules);
        let asked = candidate.asked.procs;
        let free = u32::try_from(self.free()).unwrap_or(u32::MAX).min(self.front.procs());
        let mut all = rules.sizes(asked, free);
        all.retain(|&procs| procs <= free);
        let lasts = |procs, work| self.next_run_on(&candidate, procs, work);
        let sizes = all.iter().map(|&procs| candidate.size(procs, lasts)).collect();
        let sizes = self.that_fit(head.job, sizes);
        let end = |size: &Size| Some(now().saturating_add(size.estimate));
        let chosen = if sizes.is_empty() {
            rules.sizes(asked, self.front.procs()).first().copied()
        } else {
            let that_fits = |procs: u32| sizes.iter().find(|size| size.procs == procs).copied();
            self.components.molding.choose(&CandidateSizes {
                now: now(),
                all: &all,
                speedup: &|procs| candidate.speedup(procs),
                size: &that_fits,
                end: &end,
            })
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
