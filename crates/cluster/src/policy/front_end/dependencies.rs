//! Jobs that are held until others have left.
//!
//! Nothing polls: a job that leaves is asked for its dependents once, so a dependency costs one
//! look when the job is submitted and one when the other leaves. A job that is held is submitted,
//! and is in no news; it waits for capacity from the instant on at which the last of those that it
//! depends on has left. A job that can never be considered is rejected at once, and jobs that
//! depend on it hear of that in the same instant.

use std::collections::VecDeque;
use std::sync::Arc;

use tracing::debug;

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::explanation::WaitCause;
use crate::instrument::{Reason, State as JobState};
use crate::kernel::{SimDuration, hold, now, spawn};
use crate::workload::dependency::{Dependencies, Edge, Rule};

use super::deserted::wait_for_ever;
use super::{FrontEnd, SiteEvent, State};

/// Status of a job that failed, and of one that was cancelled, in its log.
const NO_SUCCESS: [i8; 2] = [0, 5];

/// State of the jobs that depend on others.
#[derive(Debug)]
pub(super) struct HeldJobs {
    ties: Arc<Dependencies>,
    held: OrderedMap<JobId, Held>,
}

/// State of one such job.
#[derive(Debug)]
struct Held {
    /// The jobs that have not left yet, in order.
    open: Vec<JobId>,
    submitted: bool,
    /// Job that did not end as it had to, if one did not.
    failed: Option<JobId>,
}

/// State of a job after its submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HoldState {
    /// Considered.
    Considered,
    /// Held.
    Held,
    /// Never to be considered, for what became of this job.
    Refused(JobId),
}

impl HeldJobs {
    pub(super) fn new(ties: Arc<Dependencies>) -> Self {
        let mut held: OrderedMap<JobId, Held> = OrderedMap::new();
        for edge in ties.edges() {
            let one = held.entry(edge.job);
            let one = one.or_insert_with(|| Held { open: Vec::new(), submitted: false, failed: None });
            if one.open.last() != Some(&edge.on) {
                one.open.push(edge.on);
            }
        }
        HeldJobs { ties, held }
    }

    /// Returns true if a job that depends on others may be started or refused; `None` if it depends
    /// on none.
    pub(super) fn lets(&self, job: JobId) -> Option<bool> {
        self.held.get(&job).map(|held| held.submitted && held.open.is_empty())
    }

    /// A job is cancelled: whether it was held.
    pub(super) fn withdraws(&mut self, job: JobId) -> bool {
        let held = self.held.get(&job).is_some_and(|held| !held.open.is_empty());
        self.held.remove(&job);
        held
    }

    /// A job is submitted.
    pub(super) fn submitted(&mut self, job: JobId) -> HoldState {
        let Some(held) = self.held.get_mut(&job) else { return HoldState::Considered };
        held.submitted = true;
        match held.failed {
            Some(other) => HoldState::Refused(other),
            None if held.open.is_empty() => HoldState::Considered,
            None => HoldState::Held,
        }
    }

    /// Cause that holds a job now, as far as it is reported.
    pub(super) fn cause(&self, job: JobId) -> Option<WaitCause> {
        let held = self.held.get(&job)?;
        let &first = held.open.first()?;
        Some(WaitCause::Held(first, held.open.len() as u64 - 1))
    }

    /// A job has left that others depend on: what that comes to for one that depends on it under
    /// these rules, if it is submitted.
    fn left(&mut self, edges: &[Edge], succeeded: bool) -> Option<HoldState> {
        let Edge { job, on, .. } = edges[0];
        let held = self.held.get_mut(&job)?;
        held.open.retain(|&open| open != on);
        if !succeeded && held.failed.is_none() && edges.iter().any(|edge| edge.rule == Rule::AfterOk) {
            held.failed = Some(on);
            return held.submitted.then_some(HoldState::Refused(on));
        }
        let turn = if held.open.is_empty() { HoldState::Considered } else { HoldState::Held };
        (held.submitted && held.failed.is_none()).then_some(turn)
    }
}

impl FrontEnd {
    /// The jobs that are not submitted by themselves, but when others have left.
    pub(in crate::policy) fn followers(&self) -> Option<Arc<Dependencies>> {
        let state = self.0.state.borrow();
        let ties = state.holds.as_ref().map(|holds| &holds.ties);
        ties.filter(|ties| ties.has_think_times()).map(Arc::clone)
    }

    /// A job has left: lets those be considered, submitted or rejected that depend on it.
    pub(super) fn release_dependents(&self, state: &mut State, left: JobId) {
        let Some(ties) = state.holds.as_ref().map(|holds| Arc::clone(&holds.ties)) else { return };
        let mut gone = VecDeque::from([left]);
        while let Some(other) = gone.pop_front() {
            let completed = state.machine.record().state(other) == JobState::Completed;
            let succeeded = completed && !NO_SUCCESS.contains(&self.0.job(state, other).status);
            for edges in ties.on(other).chunk_by(|one, next| one.job == next.job) {
                let job = edges[0].job;
                for edge in edges {
                    if let Rule::ThinkTime(think) = edge.rule {
                        self.follow(state, job, think);
                    }
                }
                match state.holds.as_mut().and_then(|holds| holds.left(edges, succeeded)) {
                    None => {}
                    Some(HoldState::Considered) => self.release(state, job),
                    Some(HoldState::Held) => self.explain_hold(state, job),
                    Some(HoldState::Refused(preceding)) => {
                        self.reject_dependent(state, job, preceding);
                        gone.push_back(job);
                    }
                }
            }
        }
    }

    /// A job that was held is considered from now on.
    fn release(&self, state: &mut State, id: JobId) {
        debug!(at = now().as_secs_f64(), job = self.0.jobs[id.index()].number, "is held no longer");
        state.machine.record_mut().released(id, now());
        state.news.push(SiteEvent::Arrived(id));
        state.slots.change(|slots| slots.waiting += 1);
        if let Some(mut explanation) = self.explains(id) {
            // until the policy reports more
            explanation.note(WaitCause::NotReported, now());
        }
        if state.deserted {
            wait_for_ever(id);
        }
    }

    /// Reports what holds a job, if it is asked about.
    pub(super) fn explain_hold(&self, state: &State, id: JobId) {
        let Some(mut explanation) = self.explains(id) else { return };
        if let Some(cause) = state.holds.as_ref().and_then(|holds| holds.cause(id)) {
            explanation.note(cause, now());
        }
    }

    /// A job, which is submitted, can never be considered.
    pub(super) fn reject_dependent(&self, state: &mut State, id: JobId, other: JobId) {
        let other = self.0.jobs[other.index()].number;
        let number = self.0.jobs[id.index()].number;
        debug!(
            at = now().as_secs_f64(),
            job = number,
            on = other,
            "rejected: depends on one that did not succeed"
        );
        if let Some(mut explanation) = self.explains(id) {
            explanation
                .refuse(format!("job {other}, which had to end by itself and without failure, did not"));
        }
        self.reject(state, id, Reason::Dependency);
    }

    /// Lets a job be submitted when this think time is over.
    fn follow(&self, state: &mut State, id: JobId, think: SimDuration) {
        let mut job = self.0.job(state, id);
        job.submit_time = now().saturating_add(think);
        state.revised.insert(id, job);
        state.machine.record_mut().follows(id);
        let front = self.clone();
        spawn(("job", id.0), async move {
            hold(think).await;
            front.submit_now(id);
        });
    }
}
