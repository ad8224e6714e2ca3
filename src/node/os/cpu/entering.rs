//! How a task enters a run queue.

/// How a task comes to be ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entering {
    /// It has just been started.
    New,
    /// Its I/O is over, or what it was blocked for has come.
    Woken,
    /// It ran and was preempted by one of higher rank; its quantum is not used up.
    Preempted,
    /// Its quantum is used up.
    Expired,
    /// It gave the processor away by itself, to another ready task.
    Yielded,
    /// It was ready, and a message or the boost daemon raises it to the front.
    Boosted,
    /// It ran, and another was boosted over it.
    Displaced,
}
