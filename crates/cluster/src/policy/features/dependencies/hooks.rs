//! Holding jobs when they are submitted, and letting them go when others have left.

use std::sync::Arc;

use tracing::{debug, trace};

use crate::ids::JobId;
use crate::instrument::explanation::WaitCause;
use crate::instrument::{Reason, State as JobState};
use crate::kernel::{SimDuration, now};
use crate::policy::front_end::{Site, SiteFeature, Submission};
use crate::workload::cancellation::Cancellations;
use crate::workload::dependency::{Dependencies, Edge, Rule};

use super::held_jobs::{HeldJobs, HoldState};

/// Status of a job that failed, and of one that was cancelled, in its log.
const NO_SUCCESS: [i8; 2] = [0, 5];

/// Jobs that depend on others.
#[derive(Debug)]
pub(super) struct Dependent {
    ties: Arc<Dependencies>,
    held: HeldJobs,
    /// Rule for jobs before which others failed; they are rejected where there is none.
    holds_failed: Option<HoldsFailed>,
}

/// Jobs before which others failed are held for ever, but for those that are cancelled.
#[derive(Debug)]
pub(super) struct HoldsFailed {
    pub(super) cancelled: Option<Arc<Cancellations>>,
}

impl HoldsFailed {
    /// Returns true if a job that is not considered leaves all the same.
    fn leaves(&self, site: &Site<'_>, job: JobId) -> bool {
        let is_cancelled = self.cancelled.as_ref().is_some_and(|all| all.of(job).is_some());
        is_cancelled || site.job(job).procs > site.machine().procs()
    }
}

impl Dependent {
    pub(super) fn new(ties: Arc<Dependencies>, holds_failed: Option<HoldsFailed>) -> Self {
        let held = HeldJobs::new(ties.edges());
        Dependent { ties, held, holds_failed }
    }

    /// Holds a job for ever that can never be considered, and with it the jobs that wait for it;
    /// false where such jobs are rejected.
    fn holds_for_ever(&mut self, site: &mut Site<'_>, first: JobId) -> bool {
        let Some(rule) = &self.holds_failed else { return false };
        let mut jobs = vec![(first, true)];
        while let Some((job, is_submitted)) = jobs.pop() {
            if is_submitted && rule.leaves(site, job) || !self.held.is_held_for_ever(job) {
                continue;
            }
            debug!(at = now().as_secs_f64(), job = site.number(job), "is held for ever");
            if !is_submitted || self.held.waits_for_ever(job) {
                site.record_mut().holds_for_ever(job);
            }
            // one that would follow this one is never submitted
            let follows = |edge: &Edge| matches!(edge.rule, Rule::ThinkTime(_));
            jobs.extend(self.ties.on(job).iter().map(|edge| (edge.job, !follows(edge))));
        }
        self.explain(site, first);
        true
    }

    /// Reports what holds a job, if it is asked about.
    fn explain(&self, site: &Site<'_>, id: JobId) {
        let Some(mut explanation) = site.explains(id) else { return };
        if let Some(cause) = self.held.cause(id) {
            explanation.note(cause, now());
        }
    }

    /// A job that was held is considered from now on.
    fn release(site: &mut Site<'_>, id: JobId) {
        debug!(at = now().as_secs_f64(), job = site.number(id), "is held no longer");
        site.record_mut().released(id, now());
        if let Some(mut explanation) = site.explains(id) {
            // until the policy reports more
            explanation.note(WaitCause::NotReported, now());
        }
        site.consider(id);
    }

    /// Reports that a job, which is submitted, can never be considered.
    fn refused(site: &Site<'_>, id: JobId, other: JobId) {
        let other = site.number(other);
        debug!(
            at = now().as_secs_f64(),
            job = site.number(id),
            on = other,
            "rejected: depends on one that did not succeed"
        );
        if let Some(mut explanation) = site.explains(id) {
            explanation
                .refuse(format!("job {other}, which had to end by itself and without failure, did not"));
        }
    }

    /// Lets a job be submitted when this think time is over.
    fn follow(site: &mut Site<'_>, id: JobId, think: SimDuration) {
        site.record_mut().follows(id);
        site.submit_after(id, think);
    }
}

impl SiteFeature for Dependent {
    fn submits(&self, job: JobId) -> bool {
        self.ties.follows(job)
    }

    fn submitted(&mut self, site: &mut Site<'_>, job: JobId) -> Submission {
        let turn = self.held.submitted(job);
        if self.held.waits_for_ever(job) {
            site.record_mut().holds_for_ever(job);
        }
        match turn {
            HoldState::Considered => Submission::Considered,
            HoldState::Held => {
                trace!(at = now().as_secs_f64(), job = site.number(job), "is held");
                self.explain(site, job);
                Submission::Held
            }
            HoldState::Refused(_) if self.holds_for_ever(site, job) => Submission::Held,
            HoldState::Refused(other) => {
                Self::refused(site, job, other);
                Submission::Rejected(Reason::Dependency)
            }
        }
    }

    fn lets(&self, job: JobId) -> Option<bool> {
        self.held.lets(job)
    }

    fn left(&mut self, site: &mut Site<'_>, gone: JobId) {
        let state = site.state(gone);
        if state == JobState::Cancelled {
            self.held.cancelled(gone);
        }
        let succeeded = state == JobState::Completed && !NO_SUCCESS.contains(&site.job(gone).status);
        let ties = Arc::clone(&self.ties);
        for edges in ties.on(gone).chunk_by(|one, next| one.job == next.job) {
            let job = edges[0].job;
            for edge in edges {
                if let Rule::ThinkTime(think) = edge.rule {
                    Self::follow(site, job, think);
                }
            }
            match self.held.left(edges, succeeded) {
                None => {}
                Some(HoldState::Considered) => Self::release(site, job),
                Some(HoldState::Held) => self.explain(site, job),
                Some(HoldState::Refused(_)) if self.holds_for_ever(site, job) => {}
                Some(HoldState::Refused(other)) => {
                    Self::refused(site, job, other);
                    site.reject(job, Reason::Dependency);
                }
            }
        }
    }
}
