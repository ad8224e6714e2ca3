//! Deadlines: fast servers are kept for tasks that need them.

use crate::registry::{Entry, entry};
use crate::scheduler::BrokerScheduler;
use crate::view::{ServerSelection, View, foremost};

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

/// Returns true if `seconds` from now are within the share `opt` of the time to the deadline of the
/// task; always, if it has none.
pub fn in_time(view: &View<'_>, seconds: f64, opt: f64) -> bool {
    view.call.deadline.is_none_or(|deadline| seconds <= deadline.since(view.now).as_secs_f64() * opt)
}

impl BrokerScheduler for Deadline {
    fn select(&mut self, view: &mut View<'_>) -> ServerSelection {
        // without a deadline nothing is gained by waiting
        let may_wait = view.call.deadline.is_some();
        let mut order = Vec::with_capacity(view.candidates().len());
        for place in 0..view.candidates().len() {
            let server = view.candidates()[place];
            let time = view.estimate(server).total();
            view.score(server, time);
            let is_adequate = may_wait && in_time(view, time, self.opt);
            order.push(((!is_adequate, if is_adequate { -time } else { time }), server));
        }
        foremost(order, view.wanted(), |one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)))
    }

    fn begin(&self) -> Box<dyn BrokerScheduler> {
        Box::new(*self)
    }
}
