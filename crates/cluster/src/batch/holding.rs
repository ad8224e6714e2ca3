//! Amounts that a run holds of its nodes and of pools: the basis of charges and limits.
//!
//! Amounts of GPUs are whole numbers of common parts, of which every GPU has a whole number
//! ([`common_parts`](crate::workload::resources::GpuLists::common_parts)), so parts of GPUs add up
//! exactly.

/// Amounts of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeldAmounts {
    /// Processors.
    pub procs: u32,
    /// Memory \[bytes\]; of a node that does not state it
    /// [`ENDLESS`](crate::workload::resources::NodeKind::ENDLESS).
    pub memory: u64,
    /// GPUs, in common parts.
    pub gpus: u64,
}

/// Amounts that a run holds of a node, and all that the node has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeShare {
    /// Amounts that it holds; of a node that it has to itself all.
    pub held: HeldAmounts,
    /// Amounts that there are.
    pub of: HeldAmounts,
}

/// Amounts that a run holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunHolding<'a> {
    /// Its shares of nodes; none where processors are counted.
    pub nodes: Vec<NodeShare>,
    /// Common parts of a whole GPU.
    pub whole_gpu: u64,
    /// Amounts of pools, by name.
    pub pools: Vec<(&'a str, u32)>,
}

/// Numbers of nodes and GPUs that a run has, or a job would.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// Nodes with a processor of it, whoever else has one there.
    pub nodes: u64,
    /// GPUs, in common parts.
    pub gpus: u64,
}
