//! Spinning up to a threshold: then the task gives up the processor.
//!
//! *Spin block* gives it up until the message raises an interrupt. *Spin yield* gives it to another
//! ready task, without sleeping: a task that yields goes on spinning when it is dispatched again,
//! with the whole threshold again, and needs no interrupt. With no other task ready it keeps
//! spinning, and yields as soon as one is.
//!
//! Sources: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 4.2.2 (first technique); two-phase
//! blocking after A. C. Dusseau, R. H. Arpaci, D. E. Culler, SIGMETRICS 1996. The threshold of one
//! context switch is the usual choice. Spin yield is the second column of the design space in
//! "Alternatives to Coscheduling a Network of Workstations", Journal of Parallel and Distributed
//! Computing, 1999; where the task goes is the CPU scheduler's rule.

use crate::kernel::SimDuration;
use crate::registry::{Bounds, Entry, Key, Kind, entry, key};

use super::{Spinning, Step, WaitAction, up_to};

/// The key of the spin threshold.
const THRESHOLD: Key = key! {
    "threshold" Kind::Duration(Bounds::NotNegative), or "200us" =>
        "processor time that a task spins for one message before it gives up",
        source "one context switch; \"ClusterSchedSim\", section 5.2 (busy-wait duration)"
};

pub(super) const SPIN_BLOCK: Entry<dyn WaitAction> = entry! {
    "spin-block" => "spin up to a threshold, then block until the message raises an interrupt",
    source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4.2.2",
    keys &[THRESHOLD],
    reads |params| Threshold { threshold: params.read("threshold")?, last: Step::Block }
};

pub(super) const SPIN_YIELD: Entry<dyn WaitAction> = entry! {
    "spin-yield" => "spin up to a threshold, then yield to the other ready tasks",
    source "Nagar et al., Journal of Parallel and Distributed Computing, 1999",
    // two tasks that spin for no time at all would yield to each other for ever, at one instant
    keys &[Key { kind: Kind::Duration(Bounds::Positive), ..THRESHOLD }],
    reads |params| Threshold { threshold: params.read("threshold")?, last: Step::Yield }
};

#[derive(Debug)]
struct Threshold {
    threshold: SimDuration,
    /// The step when the threshold is used up.
    last: Step,
}

impl WaitAction for Threshold {
    fn step(&self, wait: &Spinning) -> Step {
        up_to(self.threshold, wait, self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_spins_for_the_threshold_and_then_blocks() {
        let us = SimDuration::from_micros;
        let action = Threshold { threshold: us(200), last: Step::Block };
        let after = |spun| {
            let wait = Spinning { spun: us(spun), arrivals: 9, context_switch: us(200), round_trip: us(50) };
            action.step(&wait)
        };
        assert_eq!(after(0), Step::SpinFor(us(200)));
        assert_eq!(after(150), Step::SpinFor(us(50)));
        assert_eq!(after(200), Step::Block);
    }
}
