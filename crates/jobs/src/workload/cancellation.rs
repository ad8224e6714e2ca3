//! Jobs that their users cancel: when they have lost patience, or when the log says so.
//!
//! A [`Cancel`] states how long after its submission a job is cancelled, and whether that still
//! holds once it has started. A user out of patience takes away a job that waits, and is content
//! with one that has started. A log says more: that the job was cancelled at that time, so it is
//! cancelled if it waits, and ended if it runs.
//!
//! Source: S. J. Chapin et al., JSSPP 1999 (status 5); the queue whose customers have exponential
//! patience is C. Palm's of 1957, Erlang A, as in O. Garnett, A. Mandelbaum, M. Reiman,
//! Manufacturing and Service Operations Management 4(3), 2002.

use std::path::Path;
use std::sync::Arc;

use crate::ids::JobId;
use crate::kernel::SimDuration;
use crate::kernel::rng::Sampler;
use crate::registry::{Complaint, Key, Kind, Params, Quantity, choices, key};
use crate::workload::source::{LoadRequest, LoadedWorkload, Source};

choices! {
    /// Outcome of the jobs that users cancelled in the log before they started.
    enum Recorded {
        Dropped = "dropped", "they are dropped, as their run times are not known";
        Replayed = "replayed", "they are submitted, and cancelled as long after it as they were in the log";
    }
}

/// The patience of users.
pub const PATIENCE: Key = key! {
    "patience" Kind::Distribution(Quantity::Duration), absent "users wait as long as it takes" =>
        "how long after its submission a job that has not started is cancelled (detail `job` only)",
        source "C. Palm 1957 (Erlang A)"
};

/// Outcome of jobs that were cancelled while they waited.
pub const CANCELLED: Key = key! {
    "cancelled" Recorded::CHOICES, absent "\"dropped\"" =>
        "what becomes of jobs of the log that were cancelled before they started: status 5, a wait time and \
         no run time (detail `job` only)", source "status: version 2.2 of the Standard Workload Format"
};

/// Instant at which a job is cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cancel {
    /// So long after its submission, unless it has started.
    Waiting(SimDuration),
    /// So long after its submission, be it waiting or running.
    Anyhow(SimDuration),
}

impl Cancel {
    /// Time for which after its submission.
    pub fn after(self) -> SimDuration {
        let (Cancel::Waiting(after) | Cancel::Anyhow(after)) = self;
        after
    }
}

/// The jobs of a workload that are cancelled, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cancellations(Vec<(JobId, Cancel)>);

impl Cancellations {
    /// These, each of a job of its own.
    pub fn new(mut all: Vec<(JobId, Cancel)>) -> Self {
        all.sort_unstable_by_key(|one| one.0);
        Cancellations(all)
    }

    /// The cancellation of a job; `None` if it is not cancelled.
    pub fn of(&self, job: JobId) -> Option<Cancel> {
        self.0.binary_search_by_key(&job, |one| one.0).ok().map(|place| self.0[place].1)
    }

    /// All of them, in order of the jobs.
    pub fn all(&self) -> &[(JobId, Cancel)] {
        &self.0
    }
}

/// Returns true if a workload replays the cancelled jobs of its log.
pub fn replays(params: &Params<'_>) -> Result<bool, Complaint> {
    Ok(params.read::<Option<Recorded>>(CANCELLED.name)? == Some(Recorded::Replayed))
}

/// A source whose users have patience.
#[derive(Debug)]
struct Patient {
    source: Box<dyn Source>,
    patience: Sampler,
}

/// A source as `[workload]` has it, with the patience of its users if it states one.
///
/// # Errors
/// A law that cannot be.
pub fn with_patience(source: Box<dyn Source>, workload: &Params<'_>) -> Result<Box<dyn Source>, Complaint> {
    if !workload.has(PATIENCE.name) {
        return Ok(source);
    }
    let patience = *workload.component::<Sampler>(PATIENCE.name, "distribution")?;
    Ok(Box::new(Patient { source, patience }))
}

impl Source for Patient {
    fn load(&self, request: &LoadRequest) -> Result<LoadedWorkload, Vec<Complaint>> {
        let loaded = self.source.load(request)?;
        let mut draws = request.streams.stream("workload/patience");
        let of_log = loaded.cancellations.as_deref();
        let mut all = Vec::with_capacity(loaded.jobs.len());
        for id in (0..loaded.jobs.len() as u32).map(JobId) {
            let patience = SimDuration::ceil_secs(self.patience.draw(&mut draws));
            let recorded = of_log.and_then(|of_log| of_log.of(id));
            all.push((id, recorded.unwrap_or(Cancel::Waiting(patience))));
        }
        let drew = loaded.drew || draws.draws() > 0;
        Ok(LoadedWorkload { cancellations: Some(Arc::new(Cancellations::new(all))), drew, ..loaded })
    }

    fn inputs(&self) -> Vec<(&str, &Path)> {
        self.source.inputs()
    }
}
