//! Judges of finished runs: the harness, and the judge of each system under its name.

pub use clustersim_experiment::check::*;

#[cfg(feature = "agents")]
pub use clustersim_agents::judge as agents;
#[cfg(feature = "brokers")]
pub use clustersim_brokers::judge as brokers;
#[cfg(feature = "cluster")]
pub use clustersim_cluster::judge as jobs;
#[cfg(feature = "dag")]
pub use clustersim_dag::judge as plan;
#[cfg(feature = "sweep")]
pub use clustersim_sweep::judge as sweep;
