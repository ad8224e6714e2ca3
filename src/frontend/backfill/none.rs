//! No backfilling: nothing overtakes the head of the queue.

use crate::registry::Entry;

use super::{Backfill, Picked, View};

pub(super) const ENTRY: Entry<dyn Backfill> = Entry {
    name: "none",
    about: "no job overtakes the head of the queue",
    source: "",
    keys: &[],
    build: |_| Ok(Box::new(None)),
};

#[derive(Debug)]
struct None;

impl Backfill for None {
    fn pick(&mut self, _: &View<'_>, _: &mut Vec<Picked>) {}

    fn overtakes(&self) -> bool {
        false
    }
}
