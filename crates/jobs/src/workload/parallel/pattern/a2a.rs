//! All to all: a task talks to every other one, beginning with the next: `i + 1`, `i + 2`, … modulo
//! the number of tasks.
//!
//! Beginning at different tasks spreads the messages over the receivers, where all beginning with
//! task 0 would make it a hot spot.

use crate::registry::Entry;

use super::{Pattern, Peers, named};

pub(super) const ENTRY: Entry<dyn Pattern> =
    named("a2a", "all to all: every other task, the next one first", |_| Ok(Box::new(AllToAll)));

/// Every other task.
#[derive(Clone, Copy, Debug)]
struct AllToAll;

impl Pattern for AllToAll {
    fn sends_to(&self, rank: u32, tasks: u32) -> Peers {
        Peers::others(rank, tasks)
    }
}
