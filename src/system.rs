//! The registry of the systems that come with the simulator, and results of runs by type, for tests
//! of components.
//!
//! | system | simulates |
//! |---|---|
//! | `cluster` | jobs on a cluster |
//! | `agents` | agents and flows on a platform |
//! | `dag` | task graphs on a platform |
//! | `sweep` | parameter sweeps on clusters around an origin |
//! | `brokers` | clients that call servers over networks of queues |
//!
//! Another crate registers a system of its own by one call,
//! [`register`].

use clustersim_experiment::scenario::{System, register};
use clustersim_language::distribution;
use clustersim_language::registry::Registry;
use clustersim_platform::{network, random};

/// Agents: what a run ends with.
#[cfg(feature = "agents")]
pub mod agents {
    pub use clustersim_agents::system::Ended;
}

/// Jobs on a cluster: a run as an experiment, and what it ends with.
#[cfg(feature = "cluster")]
pub mod cluster {
    pub use clustersim_cluster::system::{Experiment, Finished, Origin, build, workload};
}

/// The systems that come with the simulator, in the order of the manual.
const SYSTEMS: &[&dyn System] = &[
    #[cfg(feature = "cluster")]
    &clustersim_cluster::system::Jobs,
    #[cfg(feature = "agents")]
    &clustersim_agents::system::Agents,
    #[cfg(feature = "dag")]
    &clustersim_dag::system::TaskGraphs,
    #[cfg(feature = "sweep")]
    &clustersim_sweep::system::ParameterSweeps,
    #[cfg(feature = "brokers")]
    &clustersim_brokers::system::Brokers,
];

/// Every component and system that comes with the simulator. A user's own crate adds its own to it.
pub fn standard() -> Registry {
    let mut registry = Registry::new();
    registry.table(network::table()).table(random::table()).table(distribution::table());
    #[cfg(any(feature = "brokers", feature = "dag", feature = "sweep"))]
    registry.table(clustersim_forecast::table());
    SYSTEMS.iter().for_each(|system| register(&mut registry, *system));
    registry
}

#[cfg(all(test, feature = "simulator"))]
mod tests;
