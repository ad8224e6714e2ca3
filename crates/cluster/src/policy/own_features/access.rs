//! The site as features of another crate see it, in hooks and out of processes of their own.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use tracing::debug;

use crate::ids::JobId;
use crate::instrument::explanation::WaitCause;
use crate::instrument::{FeatureAct, FeatureStep, OwnReason, Reason, State};
use crate::kernel::{SimDuration, SimTime, fail, now};
use crate::policy::front_end::{FrontEnd, Run, Shared, Site};
use crate::workload::Job;

use super::passing::Passages;

/// Number and name of a feature, and the places of jobs.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Place among the features of another crate.
    pub(super) place: usize,
    pub(super) name: &'static str,
    pub(super) passages: Rc<RefCell<Passages>>,
}

impl Known {
    /// Number in the scenario.
    pub(super) fn number(&self) -> u32 {
        self.place as u32 + 1
    }

    /// Step of the feature that begins now, and is over now unless it keeps the job back.
    pub(super) fn step(&self, job: JobId, act: FeatureAct) -> FeatureStep {
        let to = if act == FeatureAct::Held { SimTime::MAX } else { now() };
        FeatureStep { job, feature: self.number(), name: self.name, act, from: now(), to }
    }
}

/// The access of a feature: the site, for processes of its own. Clones are the same access.
#[derive(Clone, Debug)]
pub struct FeatureAccess {
    known: Known,
    front: Weak<Shared>,
}

impl FeatureAccess {
    pub(super) fn new(known: Known, front: &FrontEnd) -> Self {
        FeatureAccess { known, front: front.downgraded() }
    }

    /// Lets a process of the feature act on the site, now. The hooks that follow are called when
    /// `act` has returned. Not for hooks, which have the site already.
    ///
    /// # Panics
    /// Inside a hook, or when the run is over.
    pub fn site<R>(&self, act: impl FnOnce(&mut FeatureSite<'_>) -> R) -> R {
        let front = FrontEnd::of(self.front.upgrade().expect("a process of a feature ends with its run"));
        let known = &self.known;
        front.act_aloud(|site| act(&mut FeatureSite { site: site.reborrowed(), known }))
    }
}

/// The site at an instant, in the hands of a feature.
#[derive(Debug)]
pub struct FeatureSite<'a> {
    pub(super) site: Site<'a>,
    pub(super) known: &'a Known,
}

impl FeatureSite<'_> {
    /// A job as it is in this run.
    pub fn job(&self, job: JobId) -> Job {
        self.site.job(job)
    }

    /// State of a job; one that is held, or waits, is [`State::Expected`].
    pub fn state(&self, job: JobId) -> State {
        self.site.state(job)
    }

    /// Returns true if this feature holds a job.
    pub fn holds(&self, job: JobId) -> bool {
        let held = self.known.passages.borrow().of(job).held;
        held.is_some_and(|(by, _)| by == self.known.place)
    }

    /// Number of free processors.
    pub fn free_count(&self) -> u64 {
        self.site.machine().free().count()
    }

    /// Number of processors that are out of service.
    pub fn out_of_service(&self) -> u64 {
        self.site.machine().out_of_service()
    }

    /// Lets a job go on that this feature holds: now, to the next feature or to the policy. Of a
    /// job that it does not hold, the run ends with an error.
    pub fn release(&mut self, job: JobId) {
        if !self.lets_go(job, "releases") {
            return;
        }
        debug!(
            at = now().as_secs_f64(),
            job = self.site.number(job),
            by = self.known.name,
            "is held no longer"
        );
        if let Some(mut explanation) = self.site.explains(job) {
            // until the policy reports more
            explanation.note(WaitCause::NotReported, now());
        }
        self.site.consider(job);
    }

    /// Takes a job over that this feature holds: it is to start now, before all that wait. Features
    /// behind this one that take jobs over are asked first, each once. If it cannot start, the last
    /// of them that took it over hears of it ([`not_started`](super::OwnFeature::not_started)) and
    /// holds it. Returns false, and does nothing, if that was so at this instant already, unless
    /// a job has left since. Of a job that the feature does not hold, the run ends with an error.
    pub fn start(&mut self, job: JobId) -> bool {
        let is_first = self.known.passages.borrow_mut().becomes_due(job, self.known.place);
        let Some(is_first) = is_first else {
            self.is_not_its("starts", job);
            return false;
        };
        if is_first {
            self.site.consider(job);
        }
        is_first
    }

    /// Rejects a job that this feature holds: it leaves now, and has not run. Of a job that it does
    /// not hold, the run ends with an error.
    pub fn reject(&mut self, job: JobId, reason: &'static OwnReason) {
        if !self.lets_go(job, "rejects") {
            return;
        }
        let step = self.known.step(job, FeatureAct::Rejected);
        self.site.record_mut().steps_mut().add(step);
        self.site.reject(job, Reason::Own(reason));
    }

    /// Takes a job out of the hands of the feature: false if it was not in them.
    fn lets_go(&mut self, job: JobId, verb: &str) -> bool {
        let place = self.known.passages.borrow_mut().let_go(job, self.known.place);
        match place {
            Some(place) => self.site.record_mut().steps_mut().close(place, now()),
            None => self.is_not_its(verb, job),
        }
        place.is_some()
    }

    /// The feature does what it may do with its own jobs only.
    fn is_not_its(&self, verb: &str, job: JobId) {
        let (name, number) = (self.known.name, self.site.number(job));
        fail(format!("feature `{name}` {verb} job {number}, which it does not hold"));
    }
}

/// A run of a job that begins now, in the hands of a feature.
#[derive(Debug)]
pub struct FeatureRun<'a> {
    pub(super) run: &'a mut Run,
    pub(super) number: u32,
}

impl FeatureRun<'_> {
    /// Id of the job.
    pub fn id(&self) -> JobId {
        self.run.id
    }

    /// The job.
    pub fn job(&self) -> Job {
        self.run.job
    }

    /// Time for which the job has had processors in earlier runs, which were interrupted.
    pub fn held(&self) -> SimDuration {
        self.run.held
    }

    /// Names an end of the run, so long after its start: the job is killed then, as at a limit, if
    /// nothing ends it before. Of equal ends that holds which was named first, and that the work is
    /// done comes before all. Jobs that have processors in slices have no such end.
    pub fn ends_after(&mut self, span: SimDuration) {
        self.run.ends_by(self.number, span);
    }
}
