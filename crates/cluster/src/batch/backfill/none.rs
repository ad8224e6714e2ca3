//! No backfilling: nothing overtakes the head of the queue.

use crate::registry::Entry;

use super::{Backfill, Capabilities, Decides, Picks, View};

pub(super) const ENTRY: Entry<dyn Backfill> =
    Entry::new("none", "no job overtakes the head of the queue", &[], |_| Ok(Box::new(NoBackfill)));

#[derive(Debug)]
struct NoBackfill;

impl Backfill for NoBackfill {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            decides: Decides::Nothing,
            plans_around: true,
            on_nodes: true,
            joins_queues: true,
            ..Capabilities::PLAIN
        }
    }

    fn pick(&mut self, _: &View<'_>, _: &mut Picks) {}
}
