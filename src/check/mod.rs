//! Judges of finished runs: whether their files keep what was promised, whatever made them.
//!
//! Each system's judge has a room of its own ([`jobs`], [`plan`], [`sweep`], [`broker`],
//! [`agents`]) and shares no code with the model. What they have in common is here: [`as_written`]
//! compares the files of any run with its manifest, [`Recomputation`] the numbers of a summary with
//! rows; tables are held against what they should be cell by cell, and `loads` says when work ends
//! at a rate that changes.

pub mod agents;
pub mod broker;
mod each_promise;
mod files;
pub mod jobs;
mod loads;
pub mod plan;
mod sheet;
mod stated;
pub mod sweep;

use std::fmt;

use crate::kernel::SimTime;

pub use files::as_written;
pub use stated::{Recomputation, near};

/// The violations of a promise, or why it cannot be judged.
pub type Judgement = Result<Vec<Violation>, &'static str>;

/// A promise in words, and what came of it.
pub type JudgedPromise = (String, Judgement);

/// A promise that a schedule breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The job it happened to; [`Violation::NO_JOB`] if it is no job.
    pub job: u64,
    /// The instant.
    pub at: SimTime,
    /// The event in words.
    pub what: String,
}

impl Violation {
    /// Stands for a job where what happened concerns none.
    pub const NO_JOB: u64 = u64::MAX;

    /// A violation of no job.
    pub fn of_no_job(at: SimTime, what: String) -> Self {
        Violation { job: Violation::NO_JOB, at, what }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.job == Self::NO_JOB {
            return write!(f, "at {}: {}", self.at, self.what);
        }
        write!(f, "job {} at {}: {}", self.job, self.at, self.what)
    }
}
