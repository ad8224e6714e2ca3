//! Typed keys: an index of one kind cannot be used for another.

use std::fmt;

/// A job of the run: its place in the workload, in order of submission.
///
/// At equal submit times the job that stands earlier in the input comes first, so comparing two keys tells
/// which job came first. The number a log gives a job is [`Job::number`](crate::workload::Job::number).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(pub u32);

impl JobId {
    /// The place in the workload, counted from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
