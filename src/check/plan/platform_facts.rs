//! What the judge of plans asks of the platform that a run was on.

use crate::kernel::SimTime;

/// How the links of a run carry transfers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkUse {
    /// As many at once as there are.
    Together,
    /// One after another.
    OneByOne,
    /// One after another, in the order in which `transfers.csv` has them.
    InRowOrder,
}

/// What is known of the end of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransferEnd {
    /// It is then.
    At(SimTime),
    /// It depends on other transfers, and is not before.
    NotBefore(SimTime),
    /// Nothing: the bandwidth of a link was drawn, or it depends on other transfers.
    Unknown,
}

/// What the judge asks of the platform that a run was on. Hosts have the numbers that [`PlatformFacts::host`] gives.
pub trait PlatformFacts {
    /// The number of the host of this name, if there is one.
    fn host(&self, name: &str) -> Option<usize>;
    /// How many of its cores compute tasks.
    fn cores(&self, host: usize) -> u32;
    /// Work per second of a core, in the unit of the work in `graph.dot`.
    fn speed(&self, host: usize) -> f64;
    /// Its memory in bytes, if it is noted.
    fn memory(&self, host: usize) -> Option<u64>;
    /// End of a computation of this work that starts then, where a core at full availability does `speed` of it a second; `None` if loads
    /// were drawn.
    fn computed(&self, host: usize, start: SimTime, work_and_speed: (f64, f64)) -> Option<SimTime>;
    /// Whether something can be sent from one host to another.
    fn is_joined(&self, from: usize, to: usize) -> bool;
    /// When a transfer ends that starts then.
    fn carried(&self, from: usize, to: usize, bytes: u64, start: SimTime) -> TransferEnd;
    /// How links carry.
    fn link_use(&self) -> LinkUse;
    /// The first instant, of `start` and those after it, at which a link between two hosts or one of them does not work.
    fn fails(&self, from: usize, to: usize, start: SimTime) -> Option<SimTime>;
    /// Adds the numbers of the links between two hosts that are joined.
    fn route(&self, from: usize, to: usize, links: &mut Vec<usize>);
    /// The number of the link of this name, if there is one.
    fn link(&self, name: &str) -> Option<usize>;
    /// Seconds before the first byte of a transfer between two hosts that are joined.
    fn latency(&self, from: usize, to: usize, start: SimTime) -> f64;
    /// The bandwidth of a link at an instant, and until when it is that; nothing if it was drawn.
    fn bandwidth(&self, link: usize, at: SimTime) -> Option<(f64, Option<SimTime>)>;
}
