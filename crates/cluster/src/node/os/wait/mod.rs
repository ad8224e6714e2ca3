//! Wait actions: what a task does while the message it needs is not there.
//!
//! With user-level networking a receive is a look at a queue in memory, so a task that waits holds
//! its processor and looks again: it spins. A [`WaitAction`] says how long, and what then. It is
//! pure: it is asked when the wait begins and whenever the time it gave is over, and answers with a
//! step.

mod adaptive;
mod threshold;

use std::fmt;
use std::rc::Rc;

use crate::kernel::SimDuration;
use crate::registry::{Entry, Table, entry};

/// The facts that a wait action may look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spinning {
    /// Processor time that the task has spent spinning for this message.
    pub spun: SimDuration,
    /// Messages that have reached the node since the wait began, for whichever of its tasks.
    pub arrivals: u64,
    /// Cost of a context switch on this node.
    pub context_switch: SimDuration,
    /// Time that a short message and its answer take on an idle network, overheads included.
    pub round_trip: SimDuration,
}

/// The next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Go on spinning until the message is there.
    Spin,
    /// Spin for this processor time at most, and ask again.
    SpinFor(SimDuration),
    /// Give up the processor until the message is there; its arrival raises an interrupt.
    Block,
    /// Give the processor to another ready task, and go on spinning when this task is dispatched
    /// again.
    Yield,
}

/// The action of a task that waits for a message.
pub trait WaitAction: fmt::Debug {
    /// The next step. A wait that has spun for no time begins now, or goes on after a yield.
    fn step(&self, wait: &Spinning) -> Step;
}

/// The wait actions by name.
pub fn table() -> Table<dyn WaitAction> {
    const ENTRIES: &[Entry<dyn WaitAction>] =
        &[adaptive::ENTRY, SPIN, threshold::SPIN_BLOCK, threshold::SPIN_YIELD];
    Table::new("wait-action", "what a task does while a message it needs is not there", ENTRIES)
}

/// Spins up to `threshold`, then takes the `last` step.
fn up_to(threshold: SimDuration, wait: &Spinning, last: Step) -> Step {
    match threshold.saturating_sub(wait.spun) {
        SimDuration::ZERO => last,
        left => Step::SpinFor(left),
    }
}

/// The action of nodes without any scheme.
pub(in crate::node) fn spin() -> Rc<dyn WaitAction> {
    Rc::new(Spin)
}

const SPIN: Entry<dyn WaitAction> = entry! {
    "spin" => "hold the processor and look again, until the quantum ends",
    source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 3.2", builds Spin
};

/// Busy wait: spin until the message is there or the quantum ends, as user-level networking has it
/// by itself.
#[derive(Debug)]
struct Spin;

impl WaitAction for Spin {
    fn step(&self, _: &Spinning) -> Step {
        Step::Spin
    }
}
