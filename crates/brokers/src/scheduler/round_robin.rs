//! Servers in turn, one counter for all clients.

use crate::registry::{Entry, entry};
use crate::scheduler::BrokerScheduler;
use crate::view::{ServerSelection, View};

pub(super) const ENTRY: Entry<dyn BrokerScheduler> =
    entry!("round-robin" => "the next server in turn, whatever is predicted", builds RoundRobin::default());

#[derive(Clone, Copy, Debug, Default)]
struct RoundRobin {
    /// The number of the server whose turn is next.
    next: u32,
}

impl BrokerScheduler for RoundRobin {
    fn select(&mut self, view: &mut View<'_>) -> ServerSelection {
        let candidates = view.candidates();
        let place = candidates.partition_point(|server| server.0 < self.next);
        let turns = candidates[place..].iter().chain(&candidates[..place]);
        let taken: ServerSelection = turns.take(view.wanted()).copied().collect();
        if let Some(last) = taken.last() {
            self.next = last.0 + 1;
        }
        taken
    }

    fn begin(&self) -> Box<dyn BrokerScheduler> {
        Box::new(RoundRobin::default())
    }
}
