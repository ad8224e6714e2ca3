//! An open chain: a task talks to the one before and the one after it, in this order, where they
//! exist.

use crate::registry::Entry;

use super::{Pattern, Peers, named};

pub(super) const ENTRY: Entry<dyn Pattern> =
    named("linear", "an open chain: the task before and the task after, where they exist", |_| {
        Ok(Box::new(Linear))
    });

/// The neighbours in a chain.
#[derive(Clone, Copy, Debug)]
struct Linear;

impl Pattern for Linear {
    fn sends_to(&self, rank: u32, tasks: u32) -> Peers {
        let after = rank.checked_add(1).filter(|&after| after < tasks);
        Peers::few(rank, rank.checked_sub(1).into_iter().chain(after))
    }
}
