//! Amounts that runs hold of nodes: what they are charged for, and what limits count.
//!
//! GPUs are counted in common parts, of which each has a whole number, so that parts of several add
//! up exactly.

use crate::workload::resources::{GpuGroup, Resources};

use super::super::Row;
use super::stock::{Share, shares};

/// Amounts of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::judge::schedule) struct Amounts {
    pub(in crate::judge::schedule) procs: u64,
    /// Bytes; [`ENDLESS`](crate::workload::resources::NodeKind::ENDLESS) of a node without an end.
    pub(in crate::judge::schedule) memory: u64,
    /// GPUs in common parts.
    pub(in crate::judge::schedule) gpus: u64,
}

/// Amounts that a run has asked for on a node and holds there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::judge::schedule) struct HeldOnNode {
    pub(in crate::judge::schedule) held: Amounts,
    /// All that the node has.
    pub(in crate::judge::schedule) of: Amounts,
    /// True if no other job may be there.
    pub(in crate::judge::schedule) is_alone: bool,
}

/// Nodes of a site, in amounts.
pub(in crate::judge::schedule) struct NodeAmounts<'a> {
    resources: &'a Resources,
    groups: Vec<Vec<GpuGroup>>,
    /// All of a node of each kind.
    kinds: Vec<Amounts>,
    /// Kind of each node.
    of_nodes: Vec<usize>,
    distinguishes: bool,
    /// Common parts of a whole GPU.
    pub(in crate::judge::schedule) whole_gpu: u64,
}

impl<'a> NodeAmounts<'a> {
    pub(in crate::judge::schedule) fn new(resources: &'a Resources) -> Self {
        let nodes = &resources.nodes;
        let kinds = nodes.kinds().iter().zip(nodes.gpu_amounts());
        let all = |place: usize| std::iter::repeat_n(place, nodes.kinds()[place].nodes as usize);
        NodeAmounts {
            resources,
            groups: nodes.gpu_groups(),
            kinds: kinds
                .map(|(kind, gpus)| Amounts { procs: kind.processors.into(), memory: kind.memory, gpus })
                .collect(),
            of_nodes: (0..nodes.kinds().len()).flat_map(all).collect(),
            distinguishes: resources.distinguishes_gpus(),
            whole_gpu: nodes.gpus().common_parts(),
        }
    }

    /// Amounts that a run held, node by node.
    pub(in crate::judge::schedule) fn of(&self, row: &Row) -> Vec<HeldOnNode> {
        let on_node = |share: &Share| {
            let kind = self.of_nodes[share.node as usize];
            let held = share.amounts((self.distinguishes, self.whole_gpu), self.groups[kind].iter().copied());
            HeldOnNode { held, of: self.kinds[kind], is_alone: share.is_alone() }
        };
        shares(row, self.resources).iter().map(on_node).collect()
    }
}
