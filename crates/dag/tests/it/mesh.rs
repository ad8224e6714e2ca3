//! Scheduling problems on hosts that are joined pair by pair.

use std::sync::Arc;

use clustersim_dag::graph::Graph;
use clustersim_dag::grid::{CoresUsed, Grid};
use clustersim_dag::prediction::Prediction;
use clustersim_dag::{Contention, SchedulingProblem};
use clustersim_platform::{Builder, Host, Link, Platform, Trace};
use clustersim_workflow::Workflow;

/// Hosts of these speeds, with a link of this bandwidth and latency for each ordered pair.
pub(crate) fn mesh(
    speeds: &[f64],
    bandwidth: f64,
    latency: f64,
    load: impl Fn(usize) -> Trace,
) -> Arc<Platform> {
    let mut builder = Builder::new();
    let hosts: Vec<_> = speeds
        .iter()
        .enumerate()
        .map(|(number, speed)| {
            let host = Host { availability: load(number), ..Host::new(format!("h{number}"), *speed) };
            builder.host(host).unwrap()
        })
        .collect();
    for &from in &hosts {
        for &to in hosts.iter().filter(|to| **to != from) {
            let name = format!("{}-{}", from.index(), to.index());
            let link = builder.link(name, Link::new(bandwidth, latency)).unwrap();
            builder.route(from, to, &[link]);
        }
    }
    Arc::new(builder.build())
}

pub(crate) fn problem(
    workflow: Workflow,
    platform: Arc<Platform>,
    contention: Contention,
) -> SchedulingProblem {
    let grid = Grid::new(platform, CoresUsed::All);
    SchedulingProblem::new(Arc::new(Graph::of(workflow)), grid, Prediction::default(), contention)
}
