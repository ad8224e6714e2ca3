//! The state of a cluster: its nodes, the interconnect between them and the scheme that they follow.

use std::rc::Rc;

use crate::kernel::SimDuration;
use crate::units::Bytes;

use super::params::{LastSize, NodeParams};
use super::scheme::Scheme;
use crate::node::net::interconnect::Carrier;
use crate::node::os::node::Node;

/// The nodes of a run and what lies between them.
#[derive(Debug)]
pub(in crate::node) struct ClusterState {
    pub(in crate::node) nodes: Box<[Rc<Node>]>,
    /// Nodes of one kind: what they are, and the last DMA that was asked for.
    pub(in crate::node) kinds: Box<[(Rc<NodeParams>, LastSize)]>,
    /// The kind of each node.
    pub(in crate::node) kind_of: Box<[u32]>,
    pub(in crate::node) scheme: Scheme,
    pub(in crate::node) carrier: Rc<dyn Carrier>,
    /// The latency of a message without content.
    pub(in crate::node) latency: SimDuration,
}

impl ClusterState {
    /// How long the DMA of a message takes on a node, in either direction.
    #[inline]
    pub(in crate::node) fn dma(&self, node: u32, size: Bytes) -> SimDuration {
        let (params, last) = &self.kinds[self.kind_of[node as usize] as usize];
        last.or_else(size, || params.dma(size))
    }

    /// How long a message without content and its answer take between a node and its like on an idle network.
    pub(in crate::node) fn round_trip(&self, node: &Node) -> SimDuration {
        let params = &node.params;
        let dma = params.dma(Bytes::new(0));
        let parts = [params.send_overhead, dma, self.latency, dma, params.receive_overhead];
        let one_way = parts.into_iter().fold(SimDuration::ZERO, SimDuration::saturating_add);
        one_way.saturating_add(one_way)
    }
}
