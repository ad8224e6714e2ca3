//! Rows of the tables of all systems, each with its columns, cells and reader.

pub use clustersim_experiment::rows::*;

#[cfg(feature = "agents")]
pub use clustersim_agents::rows as agents;
#[cfg(feature = "brokers")]
pub use clustersim_brokers::rows as brokers;
#[cfg(feature = "cluster")]
pub use clustersim_cluster::rows as cluster;
#[cfg(feature = "dag")]
pub use clustersim_dag::rows as dag;
#[cfg(feature = "sweep")]
pub use clustersim_sweep::rows as sweep;
