//! Jobs on a cluster: at detail `job` on processors, at detail `task` on nodes with an operating
//! system.
//!
//! ```text
//! keys ── settings, task_detail, site, failures, reservations, nodes, pools, users ── experiment
//!   experiment ── results ── text, pictures, explanation
//! ```

mod charges;
mod description;
mod experiment;
pub mod explanation;
mod failures;
mod jobs;
mod judge;
mod judged_queues;
mod keys;
mod manual;
mod metrics;
mod nodes;
mod numbers;
mod origin;
mod pictured_rows;
mod pictures;
mod pools;
mod queues;
mod replay;
mod reservations;
mod reserved_nodes;
mod reserved_pools;
mod results;
mod settings;
mod site;
mod task_detail;
mod users;
mod words;
mod workload_again;

pub use description::Cluster;
pub use experiment::{Experiment, Finished, build, fit, jobs_of, policy_of, workload};
pub use failures::inputs;
pub use origin::Origin;

use crate::batch::{allocation, backfill, estimate, molding, node_selection, queue};
use crate::import::batsim::BATSIM;
use crate::import::slurm::SLURM;
use crate::import::table::TABLE;
use crate::node::net::interconnect;
use crate::node::os::{arrival, cpu, periodic, wait};
use crate::node::scheme;
use crate::policy;
use crate::registry::Registry;
use crate::workload::parallel::{class, pattern, structure};
use crate::workload::{randomization, sources, speedup};

/// Jobs on a cluster.
#[derive(Clone, Copy, Debug)]
pub struct Jobs;

/// Adds the components of jobs on a cluster.
fn components(registry: &mut Registry) {
    registry
        .table(allocation::table())
        .table(arrival::table())
        .table(backfill::table())
        .table(class::table())
        .table(cpu::table())
        .table(estimate::table())
        .table(interconnect::table())
        .table(node_selection::table())
        .table(molding::table())
        .table(pattern::table())
        .table(periodic::table())
        .table(policy::table())
        .table(policy::own_features::table())
        .table(queue::table())
        .table(randomization::table())
        .table(scheme::table())
        .table(sources())
        .table(speedup::table())
        .table(structure::table())
        .table(wait::table());
    registry.add("workload", BATSIM).add("workload", SLURM).add("workload", TABLE);
}
