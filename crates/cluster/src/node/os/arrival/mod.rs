//! Arrival actions: what the arrival of a message means for its destination task.
//!
//! The NIC knows where the destination task stands. That a *blocked* task is woken by the message
//! it waits for belongs to the wait action that blocked it; an [`ArrivalAction`] decides about
//! tasks that are ready but do not run: their message is a hint that the sender runs now. It
//! is pure.

mod demand;

use std::fmt;
use std::rc::Rc;

use crate::registry::{Entry, Table, entry};

/// The facts that an arrival action may look at: a ready task that does not run, and its message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// True if it is the message that the task waits for.
    pub awaited: bool,
    /// Messages that the task has and has not consumed, this one included.
    pub unconsumed: u64,
}

/// A reaction to an arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reaction {
    /// The message is stored.
    Store,
    /// The message is stored and raises an interrupt, whose service moves the task to the front of
    /// its run queue.
    Boost,
}

/// The action of a message for a ready task.
pub trait ArrivalAction: fmt::Debug {
    /// The reaction.
    fn on(&self, arrival: &Arrival) -> Reaction;
}

/// The arrival actions by name.
pub fn table() -> Table<dyn ArrivalAction> {
    const ENTRIES: &[Entry<dyn ArrivalAction>] = &[demand::ENTRY, NONE];
    Table::new("arrival-action", "what a message does for a task that is ready but does not run", ENTRIES)
}

/// The action of nodes without any scheme.
pub(in crate::node) fn store() -> Rc<dyn ArrivalAction> {
    Rc::new(Store)
}

const NONE: Entry<dyn ArrivalAction> = entry! {
    "none" => "the message is stored", builds Store
};

/// A message for a task that does not run is stored, and that is all.
#[derive(Debug)]
struct Store;

impl ArrivalAction for Store {
    fn on(&self, _: &Arrival) -> Reaction {
        Reaction::Store
    }
}
