//! The cluster at detail `task`: nodes with processors, an operating system, a network interface,
//! and what lies between.
//!
//! ```text
//!   node                                                             node
//!  ┌───────────────────────────────┐                               ┌──────────────
//!  │ task ─┐                       │                               │
//!  │ task ─┼─ scheduler ─ processor│     ┌──────────────┐          │
//!  │ task ─┘     ▲          ▲      │     │ interconnect │          │
//!  │   │      clock     interrupt, │     └──────────────┘          │
//!  │   │ messages        boost     │        ▲        │             │
//!  │   └──────────── interface ────┼────────┘        └────────────▶│ interface …
//!  └───────────────────────────────┘                               └──────────────
//! ```
//!
//! Every active thing is a process: each task (`app`), the scheduler and the interrupt service of
//! each processor and its boost daemon (`os`), the clock of each node, each network interface
//! (`net`) and the interconnect ([`net::interconnect`]). What they decide with is pure and comes in
//! alternatives, one file each: the order of ready tasks ([`os::cpu`]), what a task does that waits
//! ([`os::wait`]), what a message does that comes ([`os::arrival`]), and what a daemon does now and
//! then ([`os::periodic`]). Nothing polls: an idle node, a spinning task and a clock that has
//! nothing to decide cost no events.
//!
//! A message is composed by `send` of its task's process (`app/process.rs`), goes by the sending
//! interface (`net/nic.rs`) onto the wire and through the receive DMA (`net/interconnect/`), is
//! deposited by the interface of its destination (`net/nic.rs`) in the memory of the task
//! (`app/task.rs`), which it may wake by an interrupt (`os/scheduler.rs`), and is decomposed by
//! `receive` (`app/process.rs`).
//!
//! Source: "ClusterSchedSim: A Unifying Simulation Framework for Cluster Scheduling Strategies",
//! SIMULATION 80(4-5), 2004.

mod app;
mod cluster;
mod cluster_state;
pub mod net;
pub mod os;
mod params;
pub mod scheme;

#[doc(hidden)]
pub use cluster::Reference;
pub use cluster::{Cluster, Ended, Layout, Recording, draws};
pub use os::node::{Local, Slot};
#[doc(hidden)]
pub use os::{clock::Clock, daemon::Daemon};
pub use params::{InterruptPreemption, NODE, NodeParams};
pub use scheme::{SCHEME, SCHEMES, Scheme};
