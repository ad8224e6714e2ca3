//! Two-phase waiting whose spin grows while messages arrive: the wait of implicit coscheduling.
//!
//! A node that messages reach is likely coscheduled with their senders, so it is worth spinning on.
//! The base is the time in which an answer would come if the partner runs, one round trip, and the
//! context switch that blocking would cost; each message that reaches the node meanwhile is worth
//! one more switch.
//!
//! Source: A. C. Arpaci-Dusseau, ACM TOCS 19(3), 2001, and its predecessors (implicit
//! coscheduling): two-phase waiting with conditional spinning. Deviation: the published rule
//! compares arrival rates with costs; here each arrival counts.

use crate::kernel::SimDuration;
use crate::registry::{Bounds, Entry, Kind, entry};

use super::{Spinning, Step, WaitAction, up_to};

pub(super) const ENTRY: Entry<dyn WaitAction> = entry! {
    "adaptive-spin-block" => "spin for a round trip and a context switch, longer while messages arrive, then block",
    source "A. C. Arpaci-Dusseau, ACM TOCS 19(3), 2001",
    keys {
        "at-most" Kind::Duration(Bounds::Positive), or "1ms" =>
            "processor time that a task spins for one message at most";
    },
    reads |params| Adaptive { at_most: params.read("at-most")? }
};

#[derive(Debug)]
struct Adaptive {
    at_most: SimDuration,
}

impl WaitAction for Adaptive {
    fn step(&self, wait: &Spinning) -> Step {
        let arrivals = SimDuration::from_nanos(wait.context_switch.as_nanos().saturating_mul(wait.arrivals));
        let worth = wait.round_trip.saturating_add(wait.context_switch).saturating_add(arrivals);
        up_to(worth.min(self.at_most), wait, Step::Block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_arrival_is_worth_a_context_switch_up_to_the_limit() {
        let us = SimDuration::from_micros;
        let action = Adaptive { at_most: us(1000) };
        let step = |spun, arrivals| {
            action.step(&Spinning { spun: us(spun), arrivals, context_switch: us(200), round_trip: us(50) })
        };
        assert_eq!(step(0, 0), Step::SpinFor(us(250)));
        assert_eq!(step(250, 2), Step::SpinFor(us(400)));
        assert_eq!(step(250, 0), Step::Block);
        assert_eq!(step(0, 100), Step::SpinFor(us(1000)));
    }
}
