//! The state of a cluster: its nodes, the interconnect between them and the actions of the scheme
//! that they follow.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use crate::kernel::SimDuration;
use crate::units::Bytes;

use super::params::NodeParams;
use crate::node::app::task::Message;
use crate::node::os::arrival::ArrivalAction;
use crate::node::os::node::{Node, transfer};
use crate::node::os::wait::WaitAction;

/// The nodes of a run and what lies between them.
#[derive(Debug)]
pub(in crate::node) struct ClusterState {
    pub(in crate::node) nodes: Box<[Rc<Node>]>,
    /// Nodes of one kind: what they are, and the last DMA that was asked for.
    pub(in crate::node) kinds: Box<[(Rc<NodeParams>, LastSize)]>,
    /// The kind of each node.
    pub(in crate::node) kind_of: Box<[u32]>,
    /// The action of a task while a message it needs is not there.
    pub(in crate::node) wait: Rc<dyn WaitAction>,
    /// The action of a message for a task that is ready but does not run.
    pub(in crate::node) arrival: Rc<dyn ArrivalAction>,
    pub(in crate::node) carrier: Rc<dyn Carrier>,
    /// The latency of a message without content.
    pub(in crate::node) latency: SimDuration,
}

impl ClusterState {
    /// Time that the DMA of a message takes on a node, in either direction.
    #[inline]
    pub(in crate::node) fn dma(&self, node: u32, size: Bytes) -> SimDuration {
        let (params, last) = &self.kinds[self.kind_of[node as usize] as usize];
        last.or_else(size, || dma(params, size))
    }

    /// Time that a message without content and its answer take between a node and its like on an
    /// idle network.
    pub(in crate::node) fn round_trip(&self, node: &Node) -> SimDuration {
        let params = &node.params;
        let dma = dma(params, Bytes::new(0));
        let parts = [params.send_overhead, dma, self.latency, dma, params.receive_overhead];
        let one_way = parts.into_iter().fold(SimDuration::ZERO, SimDuration::saturating_add);
        one_way.saturating_add(one_way)
    }
}

/// Time that the DMA of a message takes, in either direction.
fn dma(params: &NodeParams, size: Bytes) -> SimDuration {
    params.dma_setup.saturating_add(transfer(size, params.dma_bandwidth))
}

/// The time of the size that was asked for last: most messages of a run are of one size, and their
/// times need no division.
#[derive(Clone, Debug, Default)]
pub(in crate::node) struct LastSize(Cell<Option<(Bytes, SimDuration)>>);

impl LastSize {
    /// The time of `size`, which is computed if another size was asked for last.
    #[inline]
    pub(in crate::node) fn or_else(&self, size: Bytes, compute: impl FnOnce() -> SimDuration) -> SimDuration {
        match self.0.get() {
            Some((last, time)) if last == size => time,
            _ => {
                let time = compute();
                self.0.set(Some((size, time)));
                time
            }
        }
    }
}

/// A carrier of the messages of a run.
pub trait Carrier: fmt::Debug {
    /// Starts its processes.
    #[doc(hidden)]
    fn start(self: Rc<Self>, cluster: &Carried);

    /// Takes over a message at the present instant.
    #[doc(hidden)]
    fn enter(&self, cluster: &Carried, parcel: Parcel);
}

/// The nodes that send and receive messages; only interconnects of this crate look inside.
#[derive(Clone, Debug)]
pub struct Carried(pub(in crate::node) Rc<ClusterState>);

/// A message in transit; only interconnects of this crate look inside.
#[derive(Clone, Debug)]
pub struct Parcel {
    pub(in crate::node) from: u32,
    pub(in crate::node) message: Message,
}
