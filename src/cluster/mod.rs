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
//! (`nic`) and the interconnect ([`interconnect`]). What they decide with is pure and comes in alternatives, one file
//! each: the order of ready tasks ([`cpu`]), what a task does that waits ([`wait`]), what a message does that comes
//! ([`arrival`]), and what a daemon does now and then ([`periodic`]). Nothing polls: an idle node, a spinning task and
//! a clock that has nothing to decide cost no events.
//!
//! Source: "ClusterSchedSim: A Unifying Simulation Framework for Cluster Scheduling Strategies", SIMULATION 80(4-5), 2004.

mod app;
pub mod arrival;
pub mod cpu;
mod daemon;
mod fabric;
pub mod interconnect;
mod job;
mod machine;
mod memory;
mod nic;
mod node;
mod noise;
mod params;
pub mod periodic;
mod polled;
mod processor;
pub mod scheme;
mod task;
pub mod wait;

pub use machine::{Cluster, Ended, Layout, Recording, Slot, draws};
pub use node::Local;
pub use params::{NODE, NodeParams, RaisedAt};
pub use scheme::{SCHEME, SCHEMES, Scheme};
