//! The network of the nodes: the interface of each, and the interconnect between them.

pub mod interconnect;
pub(in crate::node) mod nic;
