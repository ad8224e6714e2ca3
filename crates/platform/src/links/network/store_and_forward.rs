//! Store and forward: each link of the route carries all of a transfer before the next one begins.
//!
//! That is a transfer in one packet, however large; the rules, and what the disciplines mean, stand
//! at [`Packets`](super::Packets).
//!
//! Source: H. Casanova, "Simgrid: a toolkit for the simulation of application scheduling", CCGrid
//! 2001.

use crate::registry::Entry;

use super::Transport;
use super::packet::{DISCIPLINE, Packet, discipline};

pub(super) const ENTRY: Entry<dyn Transport> = Entry {
    name: "store-and-forward",
    about: "each link carries all of a transfer before the next one begins",
    source: "Casanova, CCGrid 2001",
    keys: &[DISCIPLINE],
    build: |params| Ok(Box::new(Packet { size: None, discipline: discipline(params)? })),
};
