//! No backfilling: nothing overtakes the head of the queue.

use crate::registry::Entry;

use super::{Backfill, OnNodes, Picked, View};

pub(super) const ENTRY: Entry<dyn Backfill> = Entry {
    name: "none",
    about: "no job overtakes the head of the queue",
    source: "",
    keys: &[],
    build: |_| Ok(Box::new(Nobody)),
};

#[derive(Debug)]
struct Nobody;

impl Backfill for Nobody {
    fn pick(&mut self, _: &View<'_>, _: &mut Vec<Picked>) {}

    fn overtakes(&self) -> bool {
        false
    }

    fn plans_around(&self) -> bool {
        true
    }

    fn on_nodes(&self) -> Option<OnNodes> {
        Some(OnNodes::InOrder)
    }
}
