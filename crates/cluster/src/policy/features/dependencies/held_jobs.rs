//! The jobs that depend on others, and the others that have not left yet.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::explanation::WaitCause;
use crate::workload::dependency::{Edge, Rule};

/// State of the jobs that depend on others.
#[derive(Debug)]
pub(super) struct HeldJobs(OrderedMap<JobId, Held>);

/// State of one such job.
#[derive(Debug)]
struct Held {
    /// The jobs that have not left yet, in order.
    open: Vec<JobId>,
    submitted: bool,
    /// Job that did not end as it had to, if one did not.
    failed: Option<JobId>,
    /// True if it is never considered.
    for_ever: bool,
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
    pub(super) fn new(edges: &[Edge]) -> Self {
        let mut held: OrderedMap<JobId, Held> = OrderedMap::new();
        for edge in edges {
            let one = held.entry(edge.job);
            let one = one.or_insert_with(|| {
                let (open, failed) = (Vec::new(), None);
                Held { open, submitted: false, failed, for_ever: false }
            });
            if one.open.last() != Some(&edge.on) {
                one.open.push(edge.on);
            }
        }
        HeldJobs(held)
    }

    /// Returns true if a job that depends on others may be started or refused; `None` if it depends
    /// on none.
    pub(super) fn lets(&self, job: JobId) -> Option<bool> {
        self.0.get(&job).map(|held| held.submitted && held.open.is_empty() && held.failed.is_none())
    }

    /// A job is cancelled, and held no longer.
    pub(super) fn cancelled(&mut self, job: JobId) {
        self.0.remove(&job);
    }

    /// A job is submitted.
    pub(super) fn submitted(&mut self, job: JobId) -> HoldState {
        let Some(held) = self.0.get_mut(&job) else { return HoldState::Considered };
        held.submitted = true;
        match held.failed {
            Some(other) => HoldState::Refused(other),
            None if held.open.is_empty() => HoldState::Considered,
            None => HoldState::Held,
        }
    }

    /// A job is never considered from now on: true if that was not known.
    pub(super) fn is_held_for_ever(&mut self, job: JobId) -> bool {
        self.0.get_mut(&job).is_some_and(|held| !std::mem::replace(&mut held.for_ever, true))
    }

    /// Returns true if a job is submitted that is never considered.
    pub(super) fn waits_for_ever(&self, job: JobId) -> bool {
        self.0.get(&job).is_some_and(|held| held.submitted && held.for_ever)
    }

    /// Cause that holds a job now, as far as it is reported.
    pub(super) fn cause(&self, job: JobId) -> Option<WaitCause> {
        let held = self.0.get(&job)?;
        if let Some(failed) = held.failed {
            return Some(WaitCause::HeldForEver(failed));
        }
        let &first = held.open.first()?;
        Some(WaitCause::Held(first, held.open.len() as u64 - 1))
    }

    /// A job has left that others depend on: what that comes to for one that depends on it under
    /// these rules, if it is submitted.
    pub(super) fn left(&mut self, edges: &[Edge], succeeded: bool) -> Option<HoldState> {
        let Edge { job, on, .. } = edges[0];
        let held = self.0.get_mut(&job)?;
        held.open.retain(|&open| open != on);
        if !succeeded && held.failed.is_none() && edges.iter().any(|edge| edge.rule == Rule::AfterOk) {
            held.failed = Some(on);
            return held.submitted.then_some(HoldState::Refused(on));
        }
        let turn = if held.open.is_empty() { HoldState::Considered } else { HoldState::Held };
        (held.submitted && held.failed.is_none()).then_some(turn)
    }
}
