//! Messages between the schedule and the executor.

use std::task::Waker;

use crate::event_list::Phase;

/// Reason that a process is resumed; part of the digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Start = 1,
    Hold = 2,
    Timer = 3,
    Settle = 4,
    Observe = 5,
    Grant = 6,
    Wake = 7,
}

impl Kind {
    /// Kind of a wait for time that ends in this phase.
    #[inline]
    pub(super) fn of(phase: Phase) -> Self {
        match phase {
            Phase::Events => Kind::Hold,
            Phase::Timeouts => Kind::Timer,
            Phase::Decisions => Kind::Settle,
            Phase::Observations => Kind::Observe,
        }
    }
}

/// The party that polls a wait.
pub(crate) enum Caller {
    /// The process at this place, which is the one that is running, with the waker lent to it.
    Process(u32),
    /// A combinator with a waker of its own.
    Foreign(Waker),
}

/// Next action of the executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Resume this process.
    Poll(u32),
    /// Wake the waker of a combinator that is in `to_wake`, then resume the processes it asks for.
    Wake,
    /// The next entry lies beyond the limit of the run.
    Limit,
    /// Nothing is left that could happen.
    Idle,
}

/// Role of a process in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Worker,
    Daemon,
    Observer,
}

/// A process that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Started {
    pub(crate) slot: u32,
    pub(crate) simulation: u32,
    pub(crate) number: u64,
}
