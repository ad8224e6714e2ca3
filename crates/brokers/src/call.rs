//! A task as a client describes it to the scheduler (HPDC 1999, section 3.1.1).

use crate::info::ClientNumber;
use crate::kernel::SimTime;

/// A task for which a client asks for a server (HPDC 1999, section 3.1.1).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Call {
    /// Number, in the order in which tasks of the run were issued.
    pub task: u64,
    /// The client.
    pub client: ClientNumber,
    /// Bytes of arguments.
    pub send: f64,
    /// Bytes of results.
    pub receive: f64,
    /// Operations.
    pub instructions: f64,
    /// Priority of the task, where that counts.
    pub priority: i64,
    /// Instant at which the client wants its results.
    pub deadline: Option<SimTime>,
    /// Processors of one server that it needs at once.
    pub processors: u32,
    /// Number of times that it came back to the scheduler because of its deadline.
    pub fallbacks: u32,
}
