//! The systems that come with the simulator: a folder each, with its tables, how it is assembled
//! and run, and what it hands over.
//!
//! | system | simulates |
//! |---|---|
//! | [`cluster`] | jobs on a cluster |
//! | [`agents`] | agents and flows on a platform |
//! | [`dag`] | task graphs on a platform |
//! | [`sweep`] | parameter sweeps on clusters around an origin |
//! | [`brokers`] | clients that call servers over networks of queues |
//!
//! Another crate registers a system of its own by one call, [`register`].

#[cfg(feature = "agents")]
pub use clustersim_agents::system as agents;
#[cfg(feature = "brokers")]
pub use clustersim_brokers::system as brokers;
#[cfg(feature = "cluster")]
pub use clustersim_cluster::system as cluster;
#[cfg(feature = "dag")]
pub use clustersim_dag::system as dag;
#[cfg(feature = "sweep")]
pub use clustersim_sweep::system as sweep;

use crate::distribution;
use crate::platform::{network, random};
use crate::registry::Registry;
use crate::scenario::{System, register};

/// The systems that come with the simulator, in the order of the manual.
const SYSTEMS: &[&dyn System] = &[
    #[cfg(feature = "cluster")]
    &cluster::Jobs,
    #[cfg(feature = "agents")]
    &agents::Agents,
    #[cfg(feature = "dag")]
    &dag::TaskGraphs,
    #[cfg(feature = "sweep")]
    &sweep::ParameterSweeps,
    #[cfg(feature = "brokers")]
    &brokers::Brokers,
];

/// Every component and system that comes with the simulator. A user's own crate adds its own to it.
pub fn standard() -> Registry {
    let mut registry = Registry::new();
    #[cfg(feature = "agents")]
    registry.table(crate::agents::role::table()).table(crate::agents::role::strategy::table());
    registry.table(network::table()).table(random::table());
    #[cfg(feature = "cluster")]
    cluster::register_first_components(&mut registry);
    registry.table(distribution::table());
    #[cfg(feature = "cluster")]
    cluster::register_components(&mut registry);
    #[cfg(feature = "dag")]
    dag::register_components(&mut registry);
    #[cfg(feature = "sweep")]
    sweep::register_components(&mut registry);
    #[cfg(feature = "brokers")]
    brokers::register_components(&mut registry);
    SYSTEMS.iter().for_each(|system| register(&mut registry, *system));
    registry
}

#[cfg(test)]
mod tests;
