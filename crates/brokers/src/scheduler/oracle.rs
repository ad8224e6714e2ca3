//! The server from which the results will be back first: what a scheduler would do that knew what
//! others are going to do.
//!
//! The scheduler knows the state of all queues and servers, their series, when servers fail, and
//! every packet and task that others will send. It does not know what tasks of ours will come, nor
//! what those in progress will send: like all schedulers here it places one task at a time, for
//! that task. So it is a bound for each task where tasks do not meet, as no other choice brings
//! results sooner; where they meet, the best for each is not the best for all, and it is no bound.

use crate::kernel::SimTime;
use crate::registry::{Entry, entry};
use crate::scheduler::BrokerScheduler;
use crate::view::{ServerSelection, View, foremost};

pub(super) const ENTRY: Entry<dyn BrokerScheduler> = entry!(
    "oracle" => "the server from which the results will be back first, by all that others are going to do: no scheduler is sooner, as long as tasks do not meet",
    builds Oracle
);

#[derive(Clone, Copy, Debug)]
struct Oracle;

impl BrokerScheduler for Oracle {
    fn select(&mut self, view: &mut View<'_>) -> ServerSelection {
        // what is later than the best so far need not be known, but for an explanation and for
        // copies
        let needs_all = view.is_explained() || view.wanted() > 1;
        let mut least = SimTime::MAX;
        let mut order = Vec::with_capacity(view.candidates().len());
        for place in 0..view.candidates().len() {
            let server = view.candidates()[place];
            let back = view.would_complete(server, if needs_all { SimTime::MAX } else { least });
            if back < SimTime::MAX {
                view.score(server, back.as_secs_f64());
            }
            least = least.min(back);
            order.push((back, server));
        }
        foremost(order, view.wanted(), SimTime::cmp)
    }

    fn begin(&self) -> Box<dyn BrokerScheduler> {
        Box::new(*self)
    }
}
