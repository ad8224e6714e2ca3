//! The cluster at detail `task`: nodes with processors, an operating system, a network interface, and what lies between.
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
//! Every active thing is a process: each task (`app`: programs over the verbs of its process), the scheduler
//! and the interrupt service of each processor and its boost daemon (`os`), the clock of each node, each network interface
//! (`net`) and the interconnect ([`net::interconnect`]). What they decide with is pure and comes in alternatives, one file
//! each: the order of ready tasks ([`os::cpu`]), what a task does that waits ([`os::wait`]), what a message does that comes
//! ([`os::arrival`]), and what a daemon does now and then ([`os::periodic`]). Nothing polls: an idle node, a spinning task and
//! a clock that has nothing to decide cost no events.
//!
//! Source: "ClusterSchedSim: A Unifying Simulation Framework for Cluster Scheduling Strategies", SIMULATION 80(4-5), 2004.

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
