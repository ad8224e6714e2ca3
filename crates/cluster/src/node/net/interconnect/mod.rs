//! Interconnects: how long a message takes from one network interface to the other.
//!
//! An interconnect is one or more processes of its own. It is handed messages when their send DMA
//! is over, and hands each to the interface of its destination when its receive DMA is: that DMA
//! belongs to the time in transit, as in the paper. One message on an idle network takes the same
//! time in all of them, but where `flow` has routes of other lengths.

mod detailed;
mod flow;
mod linear;

use std::fmt;
use std::rc::Rc;

use crate::kernel::SimDuration;
use crate::registry::{Entry, Table};
use crate::units::Bytes;

pub use crate::node::cluster_state::{Carried, Carrier, Parcel};

/// An interconnect, described.
pub trait Interconnect: fmt::Debug {
    /// The latency of a message of `size` on an idle network, DMAs aside.
    fn latency(&self, size: Bytes) -> SimDuration;

    /// The most nodes that it joins; `None`: as many as there are.
    fn room(&self) -> Option<u32> {
        None
    }

    /// The carrier of the messages of a run between `nodes` nodes.
    ///
    /// # Panics
    /// If there is no [room](Interconnect::room) for them.
    fn carrier(&self, nodes: u32) -> Rc<dyn Carrier>;
}

/// The interconnects by name.
pub fn table() -> Table<dyn Interconnect> {
    const ENTRIES: &[Entry<dyn Interconnect>] = &[detailed::ENTRY, flow::ENTRY, linear::ENTRY];
    Table::new("interconnect", "how messages get from one node to another", ENTRIES)
}
