//! Platforms: hosts and links whose speed changes over time, and how tasks and flows share them.
//!
//! - [`Platform`], made by a [`Builder`]: hosts, links, and zones that compute the routes between
//!   hosts. [`Cluster`] makes whole zones.
//! - [`Trace`]: a value that changes at given times, for availability, bandwidth, latency and
//!   failures; from files of SimGrid or CSV ([`read_trace`], [`read_trace_csv`]), or drawn
//!   ([`Load`]).
//! - [`sharing`]: one resource for many tasks ([`sharing::SingleResource`]), and many links for
//!   many flows ([`sharing::MaxMin`]).
//! - [`Flows`]: transfers over routes of links in virtual time, with latencies, bounds and
//!   failures. [`Model`] has the corrections that are made to links.
//! - [`network`]: the same, and others, as a process that agents and tasks ask to carry something.
//! - [`Processors`]: what hosts compute, as something to await; [`watch_hosts`] lets them fail.
//! - [`random`]: platforms that are drawn; [`perturb`] makes many of one.
//! - [`simgrid`] and [`grid_text`]: platforms in files of SimGrid and of DAGSim.
//! - [`clustered`]: platforms as clusters behind links, and the texts of such grids.
//! - [`described`]: platforms in scenarios; [`picture`]: a platform as a drawing; [`file_kind`]: as
//!   files to show and convert.
//! - [`measured`]: platforms out of tables and series of monitoring tools.
//!
//! Times are whole nanoseconds. Amounts, rates and shares are `f64` in whatever units the user
//! counts in; they become time where a task or flow ends, rounded up. Rates do not depend on what
//! came and went before, nor on the order in which it was entered: sums are exact.
//!
//! A change costs by the flows whose rates it can change, and nothing where flows never meet: the
//! flows to solve again are found by what stops each flow ([`sharing::MaxMin`]). When 10,000 flows
//! start at once between 1,024 hosts, one that ends moves some 110 (crossbar) to 320 (fat tree,
//! dragonfly) others of the thousands that are joined to it (`cargo bench --bench sharing`).
//!
//! Source: the models of SimGrid (H. Casanova, "Simgrid: a toolkit for the simulation of
//! application scheduling", CCGrid 2001; H. Casanova, A. Giersch, A. Legrand, M. Quinson, F. Suter,
//! "Versatile, scalable, and accurate simulation of distributed applications and platforms", JPDC
//! 74(10), 2014).

mod block_sums;
pub mod clustered;
mod composed;
pub mod described;
mod drawn;
mod error;
pub mod file_kind;
pub mod grid_text;
mod hosts;
mod least_of;
mod links;
mod load;
pub mod measured;
mod outages;
pub mod picture;
mod points;
pub mod random;
pub mod sharing;
pub mod simgrid;
mod stretches;
pub mod topology;
mod trace;
mod trace_file;

pub use error::PlatformError;
pub use hosts::{
    Access, AccessFailed, Disk, Disks, Errors, Execution, ExecutionFailed, Factors, Host, HostId,
    HostObserver, HostWatch, Law, Parallel, ParallelFailed, Processors, Ticket, execute_parallel,
    watch_hosts,
};
pub use least_of::LeastOf;
pub use links::{End, Ended, Flows, Link, Model, Request, TransferId, network};
pub use load::{Load, Varying};
pub use outages::in_and_out_of_service;
pub use random::{BadFactor, Perturbation, perturb};
pub use stretches::{Course, Round, Stretch};
pub use topology::RouteClasses;
pub use topology::{
    BehindLink, Builder, Cluster, ClusterRouting, DeclaredRoute, Dragonfly, Duplex, FatTree, Level, Links,
    NetPoint, NoRoute, Platform, Route, RouterId, Routing, Shape, Sharing, Spoke, Symmetry, Tier, ToItself,
    Torus, ZoneId,
};
pub use trace::{Trace, TraceError};
pub use trace_file::{TraceOf, read_trace, read_trace_csv, read_trace_named};

pub(crate) use clustersim_experiment::{output, report, scenario};
pub(crate) use clustersim_kernel as kernel;
pub(crate) use clustersim_language::{collections, distribution, ids, registry, text, units};
