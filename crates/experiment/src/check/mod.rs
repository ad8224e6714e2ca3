//! Judges of finished runs: whether their files keep what was promised, whatever made them.
//!
//! The judge of each system lies with the system, in `judge`, and shares no code with its model.
//! The harness of all is here: [`as_written`] compares the files of a run with its manifest,
//! [`Recomputation`] the numbers of a summary with rows; [`sheet`] holds tables against what they
//! should be, cell by cell, and [`loads`] says when work ends at a rate that changes.

pub mod each_promise;
pub mod files;
pub mod loads;
pub mod sheet;
mod stated;

use std::fmt;

use crate::kernel::SimTime;

pub use files::{as_written, unchanged};
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
