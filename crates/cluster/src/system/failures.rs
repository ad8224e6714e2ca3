//! Nodes that fail, as `[cluster.failures]` declares it: when, and what follows for the jobs on
//! them.
//!
//! Times to failure and to repair are drawn (`up`, `down`) or read from a trace. Keys that mean
//! nothing together are reported: a trace with distributions, and checkpoints of jobs that are lost
//! anyway.

use std::path::PathBuf;
use std::sync::Arc;

use crate::batch::machine::{Faults, Nodes, read_fault_trace};
use crate::instrument::{Failures, OnNodeFailure};
use crate::kernel::SimDuration;
use crate::kernel::rng::Moments;
use crate::kernel::rng::distribution::Sampler;
use crate::registry::{Bounds, Complaint, Key, KeyValue, Kind, Node, Params, Quantity, Registry, code, keys};
use crate::scenario::{Rejected, Scenario};
use crate::system::description::Cluster;
use crate::text::{LONGEST_TEXT, read_file};
use crate::workload::Checkpoint;
use crate::workload::resources::Resources;
use crate::workload::source::Source;

const KEYS: &[Key] = &keys! {
    "processors-per-node" Kind::Count { least: 1, most: u32::MAX as u64 }, or_count 1 =>
        "processors of a node, which fail together; nodes are numbered from 0, and the last has what is \
         left. Where jobs ask for more than processors, the nodes of `group` fail";
    "up" Kind::Distribution(Quantity::Duration), absent "as `trace` says" =>
        "how long a node is in service until it fails, drawn for each node by itself",
        source "B. Schroeder, G. A. Gibson, IEEE TDSC 7(4), 2010";
    "down" Kind::Distribution(Quantity::Duration), absent "as `trace` says" =>
        "how long a node that has failed is out of service",
        source "B. Schroeder, G. A. Gibson, IEEE TDSC 7(4), 2010";
    "trace" Kind::Path, absent "drawn by `up` and `down`" =>
        "a file of the times when nodes are out of service: columns node, from and to, in seconds";
    "on-failure" Kind::Choice(&[
        ("requeue", "it waits again, in the place in the queue that its submission gives it"),
        ("lose", "it is over, and has not succeeded"),
    ]), or "requeue" =>
        "what becomes of a job when a node of it fails", source "Slurm, JobRequeue";
    "checkpoint" Kind::Table(&keys! {
        "interval" Kind::Duration(Bounds::Positive) =>
            "work of a job between two checkpoints", source "J. W. Young, CACM 17(9), 1974";
        "cost" Kind::Duration(Bounds::NotNegative), or "0s" =>
            "time in which a job writes a checkpoint and does nothing else",
            source "J. W. Young, CACM 17(9), 1974";
    }), absent "a job that is interrupted starts again from its beginning" =>
        "when jobs write down what they have done, to go on from there";
};

/// Nodes that fail.
pub(super) const FAILURES: Key = Key::new("failures", Kind::Table(KEYS))
    .absent("no node fails")
    .about("when nodes fail, and what becomes of the jobs on them (detail `job` only)");

/// Rules for failures of nodes, of a checked `[cluster]`.
pub(super) fn rules(cluster: &Params<'_>) -> Result<Option<Failures>, Complaint> {
    if !cluster.has(FAILURES.name) {
        return Ok(None);
    }
    let table = cluster.section(FAILURES.name);
    let then =
        table.pick("on-failure", &[("requeue", OnNodeFailure::Requeued), ("lose", OnNodeFailure::Lost)])?;
    let checkpoint = if table.has("checkpoint") {
        let checkpoint = table.section("checkpoint");
        let (interval, cost): (SimDuration, SimDuration) =
            (checkpoint.read("interval")?, checkpoint.read("cost")?);
        if interval.is_zero() {
            let complaint = checkpoint.complaint("interval", "between two checkpoints is no time at all");
            return Err(complaint.label("expected a nanosecond or more"));
        }
        Some(Checkpoint { interval, cost })
    } else {
        None
    };
    if checkpoint.is_some() && then == OnNodeFailure::Lost {
        let complaint = table.complaint("checkpoint", "checkpoints have no effect where jobs are lost");
        return Err(complaint.note("they are lost here", Some(table.span("on-failure"))));
    }
    let traced = table.has("trace");
    for (key, other) in [("up", "down"), ("down", "up")] {
        match (table.has(key), traced) {
            (true, true) => {
                let complaint =
                    table.complaint(key, format!("`trace` states when nodes fail, and `{key}` does, too"));
                return Err(complaint
                    .label("take one of them out")
                    .note("`trace` is here", Some(table.span("trace"))));
            }
            (false, false) => {
                let message = if table.has(other) {
                    format!("`{other}` is set, but not `{key}`")
                } else {
                    "it is not stated when nodes fail".to_owned()
                };
                let complaint = Complaint::new(code::MISSING_KEY, message, table.span(other));
                return Err(
                    complaint.help("write `up` and `down`, or `trace = \"FILE\"`, in [cluster.failures]")
                );
            }
            _ => {}
        }
    }
    let per_node = table.read("processors-per-node")?;
    if !traced {
        drawn(&table)?;
    }
    Ok(Some(Failures { processors_per_node: per_node, then, checkpoint }))
}

/// Times to failure and to repair that are drawn.
fn drawn(table: &Params<'_>) -> Result<Faults, Complaint> {
    let law = |key| table.component::<Sampler>(key, "distribution").map(|sampler| *sampler);
    let (up, down) = (law("up")?, law("down")?);
    if up.mean().is_some_and(|mean| mean < LEAST_UP) {
        let complaint = table.complaint("up", "nodes that fail this often are never in service");
        return Err(complaint.label("expected a mean of a millisecond or more"));
    }
    Ok(Faults::Drawn { up, down })
}

/// The least mean time to failure [s].
const LEAST_UP: f64 = 1e-3;

/// The keys of `[workload]` among these that are written, and mean something.
pub(super) fn written<'a>(root: &'a Node, keys: &'static [&str]) -> impl Iterator<Item = &'a KeyValue> {
    let workload = root.table_at("workload");
    let on = |slot: &&KeyValue| !matches!(slot.node.as_text(), Some("ignored" | "dropped"));
    keys.iter().filter_map(move |key| workload?.slot(key)).filter(on)
}

/// Bytes that a node takes that may fail, about: it is a process.
const NODE_BYTES: usize = 1024;

/// Failures of nodes in a run of this scenario on so many processors, if they fail: those of the
/// site, if they have more than processors.
///
/// # Errors
/// The trace cannot be read.
pub(super) fn faults(
    registry: &Registry,
    scenario: &Scenario,
    procs: u32,
    resources: Option<&Arc<Resources>>,
) -> Result<Option<Faults>, Box<Rejected>> {
    let Some(rules) = scenario.own::<Cluster>().and_then(|cluster| cluster.site.failures) else {
        return Ok(None);
    };
    let params = scenario.params(registry);
    let cluster = params.section("cluster");
    let table = cluster.section(FAILURES.name);
    let nodes = Nodes::new(resources, procs, rules.processors_per_node).count();
    table
        .fits("processors-per-node", "nodes that fail", nodes.into(), NODE_BYTES)
        .map_err(|complaint| scenario.reject(complaint))?;
    if !table.has("trace") {
        return drawn(&table).map(Some).map_err(|complaint| scenario.reject(complaint));
    }
    let refuse = |complaints| scenario.reject_all(complaints);
    let read =
        || -> Result<(PathBuf, String), Complaint> { Ok((table.path("trace")?, table.read("trace")?)) };
    let (path, written) = read().map_err(|complaint| scenario.reject(complaint))?;
    let span = table.span("trace");
    let text = read_file(&path, LONGEST_TEXT).map_err(|why| {
        let message = format!("cannot read `{written}`: {why}");
        scenario.reject(Complaint::new(code::FILE, message, span).label("named here"))
    })?;
    let spans = read_fault_trace(&text, &written, nodes, span).map_err(refuse)?;
    Ok(Some(Faults::Traced(Arc::new(spans))))
}

/// The files that a run of the scenario reads: as the scenario names them, and from where the
/// program runs.
pub fn inputs(registry: &Registry, scenario: &Scenario, source: &dyn Source) -> Vec<(String, PathBuf)> {
    let of_jobs = source.inputs().into_iter().map(|(written, path)| (written.to_owned(), path.to_owned()));
    let mut inputs: Vec<(String, PathBuf)> = of_jobs.collect();
    if scenario.own::<Cluster>().is_some_and(|cluster| cluster.site.failures.is_some()) {
        let table = scenario.params(registry).section("cluster").section(FAILURES.name);
        let trace = table.has("trace").then(|| Some((table.read("trace").ok()?, table.path("trace").ok()?)));
        inputs.extend(trace.flatten());
    }
    inputs
}
