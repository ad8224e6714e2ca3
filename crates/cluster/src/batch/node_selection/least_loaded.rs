//! The nodes with the fewest tasks; of nodes with equally many, those with the lowest numbers.
//!
//! A node with two processors and one task counts as one with a single processor and one task does:
//! tasks are counted, not what is left of a node. Capacities differ all the same, and a full node
//! is never chosen.

use crate::collections::Interval;
use crate::registry::{Entry, entry};

use super::{Selection, Slots};

pub(super) const ENTRY: Entry<dyn Selection> = entry! {
    "least-loaded" => "the nodes with the fewest tasks, those with the lowest numbers first among equals",
    builds LeastLoaded
};

#[derive(Debug)]
pub(super) struct LeastLoaded;

impl Selection for LeastLoaded {
    fn choose(&self, slots: &Slots, tasks: u32, chosen: &mut Vec<Interval>) {
        let mut missing = u64::from(tasks);
        for (_, nodes) in slots.by_load() {
            if missing == 0 {
                break;
            }
            missing -= nodes.lowest(missing, chosen);
        }
        Interval::join(chosen);
    }
}
