//! The nodes with free slots that have the lowest numbers, however many tasks they hold.
//!
//! It fills the first nodes up before it touches the next, so jobs share few nodes and the rest of
//! the machine stays idle: the opposite of balancing, and a bound to hold other rules against.

use crate::collections::Interval;
use crate::registry::{Entry, entry};

use super::{Selection, Slots};

pub(super) const ENTRY: Entry<dyn Selection> = entry! {
    "lowest-first" => "the nodes with the lowest numbers, however many tasks they hold", builds LowestFirst
};

#[derive(Debug)]
pub(super) struct LowestFirst;

impl Selection for LowestFirst {
    fn choose(&self, slots: &Slots, tasks: u32, chosen: &mut Vec<Interval>) {
        slots.available().lowest(u64::from(tasks), chosen);
    }
}
