//! Coordinated: the ready task with the most messages that it has not consumed.
//!
//! Source: S. Agarwal, G. S. Choi, C. R. Das, A. B. Yoo, S. Nagar, "Co-ordinated Coscheduling in
//! Time-Sharing Clusters through a Generic Framework", CLUSTER 2003. Only the abstract was at hand,
//! so the rule is our reading: messages that wait show that the partners run. Tasks without
//! messages are not raised.

use std::cmp::Reverse;

use crate::kernel::SimDuration;
use crate::registry::{Entry, entry};

use super::boost::period;
use super::{Candidate, PeriodicAction};

pub(super) const ENTRY: Entry<dyn PeriodicAction> = entry! {
    "most-messages" => "raises the ready task with the most messages not consumed yet",
    source "Agarwal et al., CLUSTER 2003 (its abstract)",
    keys &[period("10ms", "how often the operating system looks for the task with most messages")],
    reads |params| MostMessages { period: params.read("period")? }
};

#[derive(Debug)]
struct MostMessages {
    period: SimDuration,
}

impl PeriodicAction for MostMessages {
    fn period(&self) -> Option<SimDuration> {
        Some(self.period)
    }

    fn choose(&self, ready: &[Candidate]) -> Option<usize> {
        let tasks = ready.iter().enumerate().filter(|(_, task)| task.unconsumed > 0);
        let useful = tasks.filter(|(_, task)| !task.waits || task.message_there);
        useful.min_by_key(|(place, task)| (Reverse(task.unconsumed), *place)).map(|(place, _)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_messages_win_and_the_first_of_equals() {
        let action = MostMessages { period: SimDuration::from_millis(10) };
        let task = |unconsumed| Candidate { waits: true, message_there: unconsumed > 0, unconsumed };
        assert_eq!(action.choose(&[task(0), task(2), task(3), task(3)]), Some(2));
        assert_eq!(action.choose(&[task(0)]), None);
    }
}
