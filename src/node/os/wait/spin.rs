//! Busy wait: spin until the message is there or the quantum ends, as user-level networking has it by itself.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 3.2 (`DoReceive`).

use crate::registry::{Entry, entry};

use super::{Spinning, Step, WaitAction};

pub(super) const ENTRY: Entry<dyn WaitAction> = entry! {
    "spin" => "hold the processor and look again, until the quantum ends",
    source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 3.2", builds Spin
};

#[derive(Debug)]
pub(super) struct Spin;

impl WaitAction for Spin {
    fn step(&self, _: &Spinning) -> Step {
        Step::Spin
    }
}
