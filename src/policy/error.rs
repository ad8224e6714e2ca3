//! What a policy may not do.

use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::machine::Unlawful;

/// What is wrong with a start, with a refusal, or with a size.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Wrong {
    /// The job is not submitted yet, or there is no such job.
    #[error("it is not submitted yet")]
    NotSubmitted,
    /// The machine refuses it.
    #[error(transparent)]
    Unlawful(#[from] Unlawful),
    /// It is to be refused, and does not wait.
    #[error("it cannot be refused either, as it does not wait")]
    NotWaiting,
    /// It is to be given another size, and has none, or no longer.
    #[error("it cannot be given another size: it is rigid, or has been started")]
    Rigid,
    /// It is to be given a size that it cannot have.
    #[error("it cannot run on {0} processors")]
    NoSuchSize(u32),
}

/// A start that was refused: whose, of what, when and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("policy `{policy}` cannot start job {number} at {at}: {why}")]
pub struct PolicyError {
    /// The policy.
    pub policy: &'static str,
    /// The job.
    pub job: JobId,
    /// The number its log gives it; its place if there is no such job.
    pub number: u64,
    /// When it was to start.
    pub at: SimTime,
    /// Why not.
    pub why: Wrong,
}
