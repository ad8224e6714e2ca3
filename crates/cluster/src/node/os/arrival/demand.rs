//! Demand-based: a message raises an interrupt that boosts its destination, so that it runs while
//! the sender does.
//!
//! The boost comes also if the task has useful work of its own to do, and for every message,
//! awaited or not. The published throttle for the sake of fairness is left out.
//!
//! Source: P. Sobalvarro, S. Pakin, W. E. Weihl, A. A. Chien, "Dynamic Coscheduling on Workstation
//! Clusters", JSSPP 1998; "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 4.2.2 (second
//! technique).

use crate::registry::{Entry, entry};

use super::{Arrival, ArrivalAction, Reaction};

pub(super) const ENTRY: Entry<dyn ArrivalAction> = entry! {
    "demand" => "the message raises an interrupt that moves its task to the front",
    source "Sobalvarro et al., JSSPP 1998; \"ClusterSchedSim\", section 4.2.2", builds Demand
};

#[derive(Debug)]
struct Demand;

impl ArrivalAction for Demand {
    fn on(&self, _: &Arrival) -> Reaction {
        Reaction::Boost
    }
}
