//! Periodic actions: what a daemon of the operating system does periodically about tasks that spin
//! without a message.
//!
//! A daemon with a period looks at the running task of its processor. If that does something
//! useful, nothing happens. If it spins for a message that is not there, a [`PeriodicAction`] looks
//! over the ready tasks, in the order in which they would run, and may name one to run instead. It
//! is pure; the daemon's process carries it out, and is armed only while a task spins while others
//! are ready.

mod boost;
mod most_messages;

use std::fmt;
use std::rc::Rc;

use crate::kernel::SimDuration;
use crate::registry::{Entry, Table, entry};

/// A ready task, as a periodic action sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// True if it waits for a message.
    pub waits: bool,
    /// True if the message it waits for is there.
    pub message_there: bool,
    /// Messages that it has and has not consumed.
    pub unconsumed: u64,
}

/// The action of a daemon on a task that spins without a message.
pub trait PeriodicAction: fmt::Debug {
    /// Number of times that it looks; `None`: there is no such daemon.
    fn period(&self) -> Option<SimDuration>;

    /// Ready task (by its place) that is to run now instead of the one that spins.
    fn choose(&self, ready: &[Candidate]) -> Option<usize>;
}

/// The periodic actions by name.
pub fn table() -> Table<dyn PeriodicAction> {
    const ENTRIES: &[Entry<dyn PeriodicAction>] = &[boost::ENTRY, most_messages::ENTRY, NONE];
    Table::new(
        "periodic-action",
        "what a daemon does periodically about tasks that spin without a message",
        ENTRIES,
    )
}

/// The action of nodes without any scheme.
pub(in crate::node) fn never() -> Rc<dyn PeriodicAction> {
    Rc::new(Never)
}

const NONE: Entry<dyn PeriodicAction> = entry! {
    "none" => "there is no such daemon", builds Never
};

/// No daemon.
#[derive(Debug)]
struct Never;

impl PeriodicAction for Never {
    fn period(&self) -> Option<SimDuration> {
        None
    }

    fn choose(&self, _: &[Candidate]) -> Option<usize> {
        None
    }
}
