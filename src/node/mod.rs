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
//! Every active thing is a process: each task (`app` over the verbs of `task`), the scheduler, the clock and the
//! interrupt service of each processor (`processor`), its boost daemon (`daemon`), each network interface
//! (`nic`) and the interconnect ([`net::interconnect`]). What they decide with is pure and comes in alternatives, one file
//! each: the order of ready tasks ([`os::cpu`]), what a task does that waits ([`os::wait`]), what a message does that comes
//! ([`os::arrival`]), and what a daemon does now and then ([`os::periodic`]). Nothing polls: an idle node, a spinning task and
//! a clock that has nothing to decide cost no events.
//!
//! Source: "ClusterSchedSim: A Unifying Simulation Framework for Cluster Scheduling Strategies", SIMULATION 80(4-5), 2004.

mod app;
mod cluster;
mod fabric;
pub mod net;
pub mod os;
mod params;
pub mod scheme;

pub use cluster::{Cluster, Ended, Layout, Recording, Slot, draws};
pub use os::node::Local;
pub use params::{NODE, NodeParams, RaisedAt};
pub use scheme::{SCHEME, SCHEMES, Scheme};
