//! Spin yield: spin up to a threshold, then give the processor to another ready task, without sleeping.
//!
//! A task that yields goes on spinning when it is dispatched again, with the whole threshold again, and needs no interrupt.
//! With no other task ready it keeps spinning, and yields as soon as one is.
//!
//! Source: the second column of the design space in "Alternatives to Coscheduling a Network of Workstations", Journal of
//! Parallel and Distributed Computing, 1999; where the task goes is the CPU scheduler's rule.

use crate::kernel::SimDuration;
use crate::registry::{Bounds, Entry, Key, Kind};

use super::spin_block::THRESHOLD;
use super::{Spinning, Step, WaitAction, up_to};

pub(super) const ENTRY: Entry<dyn WaitAction> = Entry {
    name: "spin-yield",
    about: "spin up to a threshold, then yield to the other ready tasks",
    source: "Nagar et al., Journal of Parallel and Distributed Computing, 1999",
    // two tasks that spin for no time at all would yield to each other for ever, at one instant
    keys: &[Key { kind: Kind::Duration(Bounds::Positive), ..THRESHOLD }],
    build: |params| Ok(Box::new(SpinYield { threshold: params.read("threshold")? })),
};

#[derive(Debug)]
struct SpinYield {
    threshold: SimDuration,
}

impl WaitAction for SpinYield {
    fn step(&self, wait: &Spinning) -> Step {
        up_to(self.threshold, wait, Step::Yield)
    }
}
