//! Deadlines: fast servers are kept for tasks that need them.

use crate::broker::info::ServerNumber;
use crate::broker::scheduler::BrokerScheduler;
use crate::broker::view::{ServerSelection, View};
use crate::registry::{Entry, entry};

pub(super) const ENTRY: Entry<dyn BrokerScheduler> = entry!(
    "deadline" => "of the servers that are predicted to be in time the slowest; if there are none, the one that is back first",
    source "A. Takefusa, H. Casanova, S. Matsuoka, F. Berman, HPDC-10, 2001",
    keys &[],
    reads |params| Deadline { opt: params.read::<Option<f64>>("opt")?.unwrap_or(1.0) }
);

#[derive(Clone, Copy, Debug)]
struct Deadline {
    opt: f64,
}

/// Whether so many seconds from now are within the share `opt` of the time to the deadline of the task; always, if it has none.
pub fn in_time(view: &View<'_>, seconds: f64, opt: f64) -> bool {
    view.call.deadline.is_none_or(|deadline| seconds <= deadline.since(view.now).as_secs_f64() * opt)
}

impl BrokerScheduler for Deadline {
    fn select(&mut self, view: &mut View<'_>) -> ServerSelection {
        let mut slowest: Option<(f64, ServerNumber)> = None;
        let mut first: Option<(f64, ServerNumber)> = None;
        for place in 0..view.candidates().len() {
            let server = view.candidates()[place];
            let time = view.estimate(server).total();
            view.score(server, time);
            if in_time(view, time, self.opt) && slowest.is_none_or(|(most, _)| time > most) {
                slowest = Some((time, server));
            }
            if first.is_none_or(|(least, _)| time < least) {
                first = Some((time, server));
            }
        }
        // without a deadline nothing is gained by waiting
        let chosen = if view.call.deadline.is_some() { slowest.or(first) } else { first };
        chosen.map(|(_, server)| server).into_iter().collect()
    }

    fn begin(&self) -> Box<dyn BrokerScheduler> {
        Box::new(*self)
    }
}
