//! Errors of a policy.

use std::fmt;

use crate::batch::machine::Unlawful;
use crate::ids::JobId;
use crate::kernel::SimTime;

/// Mistakes of a start, with a refusal, or with a size.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Wrong {
    /// The job is not submitted yet, or there is no such job.
    #[error("it is not submitted yet")]
    NotSubmitted,
    /// The machine refuses it.
    #[error(transparent)]
    Unlawful(#[from] Unlawful),
    /// The machine refuses the processors that it is to have.
    #[error("{0}; {1}")]
    NotFree(Unlawful, Capacity),
    /// It asks for more of a pool than is free.
    #[error("it asks for {asked} of pool `{pool}`, of which {free} are free")]
    TooLittleInPool {
        /// Name of the pool.
        pool: String,
        /// Amount that it asks for.
        asked: u32,
        /// Amount that is free.
        free: u64,
    },
    /// To be refused, and not waiting.
    #[error("it cannot be refused either, as it does not wait")]
    NotWaiting,
    /// To be given another size, and rigid or started.
    #[error("it cannot be given another size: it is rigid, or has been started")]
    Rigid,
    /// To be given a size that it cannot have.
    #[error("it cannot run on {0} processors")]
    NoSuchSize(u32),
}

/// Processors of a machine at an instant, by use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capacity {
    /// All of them.
    pub procs: u64,
    /// Processors on which a job may start; where they are shared, those that take one more.
    pub free: u64,
    /// Processors of reservations that have begun.
    pub reserved: u64,
    /// Processors out of service.
    pub down: u64,
}

impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Capacity { procs, free, reserved, down } = *self;
        write!(f, "of {procs} processors {free} are free")?;
        let taken = procs.saturating_sub(free + reserved + down);
        for (count, by) in [(taken, "taken by jobs"), (reserved, "reserved"), (down, "out of service")] {
            if count > 0 {
                write!(f, ", {count} {by}")?;
            }
        }
        Ok(())
    }
}

/// A start that was refused: whose, of what, when and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("policy `{policy}` cannot start job {number}: {why}")]
pub struct PolicyError {
    /// The policy.
    pub policy: &'static str,
    /// The job.
    pub job: JobId,
    /// The number its log gives it; its place if there is no such job.
    pub number: u64,
    /// Instant at which it was to start.
    pub at: SimTime,
    /// Reason that it was refused.
    pub why: Wrong,
}
