//! Spin block: spin up to a threshold, then give up the processor until the message raises an interrupt.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 4.2.2 (first technique); two-phase blocking after
//! A. C. Dusseau, R. H. Arpaci, D. E. Culler, SIGMETRICS 1996. The threshold of one context switch is the usual choice.

use crate::kernel::SimDuration;
use crate::registry::{Bounds, Entry, Key, Kind};

use super::{Spinning, Step, WaitAction, up_to};

/// The key of the spin threshold, which two actions share.
pub(super) const THRESHOLD: Key = Key::new("threshold", Kind::Duration(Bounds::NotNegative))
    .or("200us")
    .about("processor time that a task spins for one message before it gives up")
    .source("one context switch; \"ClusterSchedSim\", section 5.2 (busy-wait duration)");

pub(super) const ENTRY: Entry<dyn WaitAction> = Entry {
    name: "spin-block",
    about: "spin up to a threshold, then block until the message raises an interrupt",
    source: "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4.2.2",
    keys: &[THRESHOLD],
    build: |params| Ok(Box::new(SpinBlock { threshold: params.read("threshold")? })),
};

#[derive(Debug)]
struct SpinBlock {
    threshold: SimDuration,
}

impl WaitAction for SpinBlock {
    fn step(&self, wait: &Spinning) -> Step {
        up_to(self.threshold, wait, Step::Block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_spins_for_the_threshold_and_then_blocks() {
        let us = SimDuration::from_micros;
        let action = SpinBlock { threshold: us(200) };
        let after = |spun| {
            let wait = Spinning { spun: us(spun), arrivals: 9, context_switch: us(200), round_trip: us(50) };
            action.step(&wait)
        };
        assert_eq!(after(0), Step::SpinFor(us(200)));
        assert_eq!(after(150), Step::SpinFor(us(50)));
        assert_eq!(after(200), Step::Block);
    }
}
