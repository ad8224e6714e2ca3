//! Refusals of the machine.

use crate::collections::Interval;

/// Reason that a job cannot be started as a policy wants it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unlawful {
    /// Started before.
    #[error("it was started before")]
    Twice,
    /// Rejected.
    #[error("it was rejected")]
    Rejected,
    /// User cancelled it.
    #[error("its user cancelled it")]
    Cancelled,
    /// Not as many processors as it needs.
    #[error("it needs {needed} processors and was given {given}")]
    WrongCount {
        /// Processors the job needs.
        needed: u32,
        /// Processors it was given.
        given: u64,
    },
    /// Processors that other jobs fill, or that do not exist.
    #[error("processors {0} are not all free")]
    Busy(Interval),
}
