//! Jobs on a cluster: at detail `job` on processors, at detail `task` on nodes with an operating
//! system.
//!
//! ```text
//! keys ── settings, task_detail, site, failures, reservations, nodes, users ── experiment
//!   experiment ── results ── text, pictures, explanation
//! ```

mod description;
mod experiment;
pub mod explanation;
mod failures;
mod judge;
mod keys;
mod manual;
mod metrics;
mod nodes;
mod numbers;
mod origin;
mod pictured_rows;
mod pictures;
mod reservations;
mod results;
mod settings;
mod site;
mod system;
mod task_detail;
mod users;
mod words;
mod workload_again;

pub use description::Cluster;
pub use experiment::{Experiment, Finished, build, fit, jobs_of, policy_of, workload};
pub use failures::inputs;
pub use origin::Origin;

/// Jobs on a cluster.
#[derive(Clone, Copy, Debug)]
pub struct Jobs;
