//! Promises to waiting jobs on nodes that have more than processors: memory, GPUs, features, and
//! jobs that have nodes to themselves.
//!
//! A job is made of chunks that are each on one node. It fits where the nodes together take them
//! all: each takes as many as fit, and a last smaller chunk goes where it fits first.
//!
//! - `stock`: what is free of a node, and what a job takes of it;
//! - `machine`, `room_then`, [`head_starts_on_nodes`], [`shadow_time_on_nodes`],
//!   [`nothing_fits_on_nodes`]: the nodes at an instant, and who must not wait then;
//! - [`queue_heads_start`]: the heads of queues that share nodes;
//! - `line`, `names`, `kinds`: nodes over time, as conservative backfilling books them;
//! - `reserved`, `planning`, `occupied`: the nodes that reservations are to have, and have;
//! - `node_supply`, `classes`: what there is of nodes, and which are alike;
//! - `ahead`, `respected`: jobs that start where nodes are reserved;
//! - `amounts`: what runs hold of nodes, as they are charged and limited.

mod ahead;
mod amounts;
mod classes;
mod head;
mod kinds;
mod line;
mod machine;
mod names;
mod node_supply;
mod occupied;
mod planning;
mod queue_heads;
mod reserved;
#[cfg(test)]
mod reserved_tests;
mod respected;
mod room_then;
mod stock;
#[cfg(test)]
mod tests;

pub(super) use amounts::{HeldOnNode, NodeAmounts};
pub use head::{head_starts_on_nodes, nothing_fits_on_nodes, shadow_time_on_nodes};
pub(super) use kinds::NodesByKind;
pub(super) use names::NodesByName;
pub use node_supply::NodeSupply;
pub use queue_heads::{SharingQueues, queue_heads_start};
pub use reserved::{NodeReservations, RequestedNodes};
pub(super) use respected::respects_reserved_nodes;
pub(super) use room_then::RoomThen;
