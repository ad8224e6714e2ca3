//! The operating system of a node: its processors and who runs on them, its daemons, and what it does about messages.

pub mod arrival;
pub mod cpu;
pub(in crate::node) mod daemon;
pub(in crate::node) mod memory;
pub(in crate::node) mod node;
pub(in crate::node) mod noise;
pub mod periodic;
pub(in crate::node) mod polled;
pub(in crate::node) mod processor;
pub mod wait;
