//! Nodes with what they have, and everything apart from jobs that takes some of them.

use crate::kernel::SimTime;
use crate::workload::resources::Resources;

use super::super::supply::SupplyChange;
use super::super::{Away, PoolSupply, Supply};
use super::reserved::{NodePlan, NodeReservations};

/// Nodes with what they have, and the spans in which some are out of service.
#[derive(Clone, Copy, Debug)]
pub struct NodeSupply<'a> {
    /// The nodes, and what jobs ask of them.
    pub resources: &'a Resources,
    /// The spans; each is of whole nodes.
    pub away: &'a [Away],
    /// Reservations of nodes, if there are any.
    pub reserved: Option<&'a NodeReservations>,
    /// Pools beside them, if there are any.
    pub pools: Option<&'a PoolSupply>,
}

impl<'a> NodeSupply<'a> {
    /// The processors of the nodes.
    pub(in crate::judge::schedule) fn processors(&self) -> Supply<'a> {
        let supply = Supply::failing(self.resources.nodes.procs(), self.away);
        self.reserved.map_or(supply, |reserved| Supply {
            requested: &reserved.requested,
            pieces: &reserved.closed,
            dropped: &reserved.dropped,
            ..supply
        })
    }

    /// The nodes that a change is about, if those of a reservation become known or are dropped, and
    /// the instant from which on it is to have them.
    pub(super) fn planned(
        &self,
        now: SimTime,
        change: SupplyChange,
        index: usize,
    ) -> Option<(&'a NodePlan, SimTime)> {
        if !matches!(change, SupplyChange::Known | SupplyChange::Dropped) {
            return None;
        }
        let plan = &self.reserved?.plans[index];
        Some((plan, plan.asked.from.max(now)))
    }
}

impl<'a> From<&'a Resources> for NodeSupply<'a> {
    /// Nodes that are always there.
    fn from(resources: &'a Resources) -> Self {
        NodeSupply { resources, away: &[], reserved: None, pools: None }
    }
}
