//! Randomized logs: another log that might have been recorded in place of one, a new one for each
//! replication.
//!
//! A log is one sample of what its users do. Replayed as it is, it gives one figure and no idea of
//! how far that figure would differ in another month. These rules draw further samples from it, in
//! place of fitted distributions that would lose what a log has and models lack: users who repeat
//! themselves, sessions, days and weeks. None is applied unless a scenario asks for one.
//!
//! A rule moves jobs in time, leaves some out or takes some twice. It never changes a job's size,
//! run time, estimate, user, group or queue. It is applied to the part of the log that `from` and
//! `to` leave, before `load` scales its inter-arrival times: with `load`, every replication offers
//! that load.

mod jitter;
mod weeks;

use std::fmt;

use crate::kernel::PAST_THE_END;
use crate::kernel::rng::Streams;
use crate::registry::Table;
use crate::workload::Job;

pub use jitter::Jitter;
pub use weeks::Weeks;

/// A rule that makes another log of a log.
pub trait Randomization: fmt::Debug {
    /// Another log. `jobs` are sorted by submission and not empty, and so is what is given back.
    ///
    /// # Errors
    /// The log has too little in it for the rule, or the new one would be too large.
    fn randomize(&self, jobs: Vec<Job>, streams: &Streams) -> Result<RandomizedLog, CannotRandomize>;
}

/// A log made of another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RandomizedLog {
    /// Jobs.
    pub jobs: Vec<Job>,
    /// Place of each in the other log.
    pub places: Vec<u32>,
}

/// Reason that no other log can be made of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CannotRandomize {
    /// Weeks can only be drawn from two or more.
    #[error("weeks are drawn from two or more whole ones, and the log has {0}")]
    TooFewWeeks(u64),
    /// Only weeks without a submission were drawn.
    #[error("only weeks without a job were drawn")]
    NothingDrawn,
    /// A submission would fall past the end of virtual time.
    #[error("jobs would be submitted {PAST_THE_END}")]
    TooLate,
    /// More jobs than a run can name.
    #[error("the new log would have more than {} jobs", u32::MAX)]
    TooManyJobs,
}

/// The rules by name.
pub fn table() -> Table<dyn Randomization> {
    Table::new("randomization", "what makes a log random", &[jitter::ENTRY, weeks::ENTRY])
}
