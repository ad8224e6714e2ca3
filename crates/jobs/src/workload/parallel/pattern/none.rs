//! No communication: every task for itself.

use crate::registry::Entry;

use super::{Pattern, Peers};

pub(super) const ENTRY: Entry<dyn Pattern> =
    Entry::new("none", "tasks do not communicate", &[], |_| Ok(Box::new(Alone)));

/// No peers.
#[derive(Clone, Copy, Debug)]
struct Alone;

impl Pattern for Alone {
    fn sends_to(&self, _: u32, _: u32) -> Peers {
        Peers::NONE
    }
}
