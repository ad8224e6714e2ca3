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

pub mod agents;
pub mod brokers;
pub mod cluster;
pub mod dag;
pub mod sweep;

use crate::agent;
use crate::batch::{allocation, backfill, estimate, molding, node_selection, queue};
use crate::distribution;
use crate::import::batsim::BATSIM;
use crate::import::slurm::SLURM;
use crate::node::net::interconnect;
use crate::node::os::{arrival, cpu, periodic, wait};
use crate::node::scheme;
use crate::platform::{network, random};
use crate::policy;
use crate::registry::Registry;
use crate::scenario::{System, register};
use crate::workload::parallel::{class, pattern, structure};
use crate::workload::{randomization, sources, speedup};

/// The systems that come with the simulator, in the order of the manual.
const SYSTEMS: [&dyn System; 5] =
    [&cluster::Jobs, &agents::Agents, &dag::TaskGraphs, &sweep::ParameterSweeps, &brokers::Brokers];

/// Every component and system that comes with the simulator. A user's own crate adds its own to it.
pub fn standard() -> Registry {
    let mut registry = Registry::new();
    registry
        .table(agent::role::table())
        .table(agent::role::strategy::table())
        .table(network::table())
        .table(random::table())
        .table(allocation::table())
        .table(arrival::table())
        .table(backfill::table())
        .table(class::table())
        .table(cpu::table())
        .table(distribution::table())
        .table(estimate::table())
        .table(interconnect::table())
        .table(node_selection::table())
        .table(molding::table())
        .table(pattern::table())
        .table(periodic::table())
        .table(policy::table())
        .table(queue::table())
        .table(randomization::table())
        .table(scheme::table())
        .table(sources())
        .table(speedup::table())
        .table(structure::table())
        .table(wait::table());
    dag::register_components(&mut registry);
    sweep::register_components(&mut registry);
    brokers::register_components(&mut registry);
    registry.add("workload", BATSIM).add("workload", SLURM);
    SYSTEMS.into_iter().for_each(|system| register(&mut registry, system));
    registry
}

#[cfg(test)]
mod tests;
