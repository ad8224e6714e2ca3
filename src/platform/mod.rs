//! Platforms: hosts and links whose speed changes over time, and who gets how much of them.
//!
//! - [`Platform`], made by a [`Builder`]: hosts, links, and zones that compute the ways between hosts. [`Cluster`] makes whole zones.
//! - [`Trace`]: a value that changes at given times, for availability, bandwidth, latency and failures; from files of SimGrid
//!   or CSV ([`read_trace`], [`read_trace_csv`]).
//! - [`sharing`]: one resource for many tasks ([`sharing::Resource`]), and many links for many flows ([`sharing::MaxMin`]).
//! - [`Flows`]: transfers over routes of links in virtual time, with latencies, bounds and failures. [`Model`] has the corrections that
//!   are made to links.
//! - [`network`]: the same, and others, as a process that agents and tasks ask to carry something.
//! - [`Processors`]: what hosts compute, as something to await; [`watch_hosts`] lets them fail.
//! - [`random`]: platforms that are drawn; [`perturb`] makes many of one.
//! - [`measured`]: platforms out of tables and series of monitoring tools.
//! - [`packet_time`], [`store_and_forward_time`]: what a transfer by itself takes, hop by hop.
//!
//! Times are whole nanoseconds. Amounts, rates and shares are `f64` in whatever units the user counts in; they become time where a
//! task or flow ends, rounded up. Rates do not depend on what came and went before, nor on the order in which it was entered:
//! sums are exact.
//!
//! A change costs by the flows whose rates it can change, and nothing where flows never meet: who is to be solved again is found by
//! what stops each flow ([`sharing::MaxMin`]). When 10,000 flows start at once between 1,024 hosts, one that ends moves some
//! 110 (crossbar) to 320 (fat tree, dragonfly) others of the thousands that are joined to it (`cargo bench --bench sharing`).
//!
//! Source: the models of SimGrid (H. Casanova, "Simgrid: a toolkit for the simulation of application scheduling", CCGrid 2001; H.
//! Casanova, A. Giersch, A. Legrand, M. Quinson, F. Suter, "Versatile, scalable, and accurate simulation of distributed applications
//! and platforms", JPDC 74(10), 2014).

mod builder;
mod cluster;
mod disks;
mod flow;
mod graph;
mod host;
mod link;
pub mod measured;
pub mod network;
mod outages;
mod packet;
mod parallel;
mod perturbation;
mod prediction;
mod processors;
pub mod random;
mod route;
mod schedule;
pub mod shaped;
pub mod sharing;
pub mod simgrid;
mod topology;
mod trace;
mod trace_file;
mod whole;
mod wrong;
mod zone;

pub use builder::{Builder, Duplex, Route, Ways};
pub use cluster::{Cluster, Shape, Sharing};
pub use disks::{Access, AccessFailed, Disks};
pub use flow::{End, Ended, Flows, Request, TransferId};
pub use host::{Disk, Host, HostId};
pub use link::{Link, Model};
pub use outages::{HostNews, HostWatch, watch_hosts};
pub use packet::{PacketLink, packet_time, store_and_forward_time};
pub use parallel::{Parallel, ParallelFailed, execute_parallel};
pub use perturbation::{BadFactor, Perturbation, perturb};
pub use prediction::{Errors, Law};
pub use processors::{Execution, ExecutionFailed, Processors, Ticket};
pub use topology::{ClusterRouting, Dragonfly, FatTree, Level, Spoke, Tier, ToItself, Torus};
pub use trace::{Trace, WrongTrace};
pub use trace_file::{read_trace, read_trace_csv};
pub use whole::{DeclaredRoute, NoRoute, Platform};
pub use wrong::WrongPart;
pub use zone::{Point, RouterId, Routing, ZoneId};
