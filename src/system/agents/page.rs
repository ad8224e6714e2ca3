//! The report of one run of agents: the platform, when which task was computed, and what hosts did when.

use serde_json::{Value as Json, json};

use crate::agent::record::Operation;
use crate::agent::{FlowOutcome, FlowState};
use crate::kernel::SimTime;
use crate::platform::HostId;
use crate::report::html::curve::rounded;
use crate::report::html::page::page;
use crate::report::platform::svg;
use crate::system::agents::assembly::Ended;

const SCRIPT: &str = include_str!("page.js");

/// Equal spans of time that a host's lane is made of.
const BINS: usize = 240;
/// Hosts that have a lane, at most.
const LANES: usize = 60;
/// Points of the curve of tasks, at most.
const POINTS: usize = 400;
/// Flows that are drawn, at most.
const FLOWS: usize = 100;
/// Agents that failed that are told by name, at most.
const TOLD: usize = 100;

/// The page of a run; `summary` is `summary.json`, `resolved` the scenario with every default filled in.
pub(super) fn draw(ended: &Ended, summary: &Json, resolved: &str) -> Vec<u8> {
    let outcomes = &ended.outcomes;
    let title = summary["title"].as_str().unwrap_or_default();
    let platform = outcomes.platform();
    let (lanes, left_out) = lanes(ended);
    let failures: Vec<Json> = outcomes.failures.iter().take(TOLD).map(|failure| {
        json!({
            "agent": failure.agent, "host": platform.host(failure.host).name, "at": failure.at.as_secs_f64(),
            "why": failure.error.as_ref().map_or_else(|| "killed".to_owned(), ToString::to_string),
        })
    }).collect();
    let data = json!({
        "schema": "clustersim/agents-report/1",
        "version": env!("CARGO_PKG_VERSION"),
        "title": title,
        "seed": summary["seed"],
        "digest": summary["digest"],
        "metrics": summary["metrics"],
        "hosts": platform.hosts().len(),
        "links": platform.links().len(),
        "agents": outcomes.agents.len(),
        "ended": outcomes.ended_at.as_secs_f64(),
        "makespan": outcomes.makespan.as_secs_f64(),
        "platform": svg("", platform),
        "progress": progress(ended),
        "lanes": lanes,
        "lanes-left-out": left_out,
        "flows": flows(ended),
        "flows-left-out": outcomes.flows.len().saturating_sub(FLOWS),
        "failures": failures,
        "failures-left-out": outcomes.failures.len().saturating_sub(TOLD),
        "scenario": resolved,
    });
    page(title, &data, SCRIPT)
}

/// When the x-th task was computed, thinned out to equal steps; the first and the last stay.
fn progress(ended: &Ended) -> Vec<Json> {
    let done = &ended.outcomes.completed;
    let point = |place: usize| json!([place + 1, rounded(done[place].at.as_secs_f64())]);
    if done.len() <= POINTS {
        return (0..done.len()).map(point).collect();
    }
    (0..POINTS).map(|step| step * (done.len() - 1) / (POINTS - 1)).map(point).collect()
}

/// The flows, the first of them.
fn flows(ended: &Ended) -> Vec<Json> {
    let outcomes = &ended.outcomes;
    let shown = outcomes.flows.iter().take(FLOWS).map(|FlowOutcome { flow, end, state }| {
        let [from, to] = [flow.from, flow.to].map(|host| outcomes.platform().host(host).name.as_str());
        let end = end.map(SimTime::as_secs_f64);
        let why = if let FlowState::Failed(why) = state { why.as_str() } else { "" };
        json!({
            "flow": flow.name, "from": from, "to": to, "size": flow.size, "start": flow.start.as_secs_f64(), "end": end,
            "state": state.name(), "why": why,
        })
    });
    shown.collect()
}

/// What a host did, by equal spans of time.
struct Lane {
    computes: Vec<f64>,
    sends: Vec<f64>,
    tasks: u64,
}

/// The lanes of the hosts that did most, in their order, and how many others did something.
fn lanes(ended: &Ended) -> (Vec<Json>, usize) {
    let outcomes = &ended.outcomes;
    let whole = outcomes.makespan.as_nanos();
    let platform = outcomes.platform();
    let mut of_host: Vec<Option<Lane>> = platform.hosts().iter().map(|_| None).collect();
    for (_, entry) in outcomes.records.iter() {
        let kind = entry.operation;
        if !matches!(kind, Operation::Execute | Operation::Transfer) || whole == 0 {
            continue;
        }
        let empty = || Lane { computes: vec![0.0; BINS], sends: vec![0.0; BINS], tasks: 0 };
        let lane = of_host[entry.host.index()].get_or_insert_with(empty);
        let bins = if kind == Operation::Execute { &mut lane.computes } else { &mut lane.sends };
        lane.tasks += u64::from(kind == Operation::Execute);
        cover(bins, whole, entry.start, entry.end);
    }
    let used = |host: &usize| {
        of_host[*host].as_ref().map_or(0.0, |lane| lane.computes.iter().chain(&lane.sends).sum())
    };
    let mut order: Vec<usize> = (0..of_host.len()).filter(|host| of_host[*host].is_some()).collect();
    let left_out = order.len().saturating_sub(LANES);
    if left_out > 0 {
        order.sort_by(|one, other| used(other).total_cmp(&used(one)).then(one.cmp(other)));
        order.truncate(LANES);
        order.sort_unstable();
    }
    let lanes = order.into_iter().filter_map(|host| Some((host, of_host[host].take()?)));
    let drawn = lanes.map(|(host, lane)| {
        let host = platform.host(HostId::new(host as u32));
        let cores = f64::from(host.cores);
        let computes: Vec<Json> = lane.computes.iter().map(|sum| shade(sum / cores)).collect();
        let sends: Vec<Json> = lane.sends.iter().map(|sum| shade(*sum)).collect();
        let mean = |bins: &[f64], most: f64| {
            rounded(bins.iter().map(|sum| (sum / most).min(1.0)).sum::<f64>() / BINS as f64)
        };
        json!({
            "host": host.name, "computes": computes, "sends": sends, "tasks": lane.tasks,
            "busy": mean(&lane.computes, cores), "sending": mean(&lane.sends, 1.0),
        })
    });
    (drawn.collect(), left_out)
}

/// A share in steps of a tenth, so that equal neighbours are one mark.
fn shade(share: f64) -> Json {
    let tenths = (share.clamp(0.0, 1.0) * 10.0).ceil();
    json!(tenths / 10.0)
}

/// Adds to each bin the share of it that lies between two instants.
fn cover(bins: &mut [f64], whole: u64, start: SimTime, end: SimTime) {
    let width = whole as f64 / bins.len() as f64;
    let (from, to) = (start.as_nanos().min(whole) as f64 / width, end.as_nanos().min(whole) as f64 / width);
    let last = (to.ceil() as usize).min(bins.len());
    for (bin, sum) in bins.iter_mut().enumerate().take(last).skip(from as usize) {
        let covered = to.min(bin as f64 + 1.0) - from.max(bin as f64);
        *sum += covered.max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_covers_its_part_of_each_bin() {
        let mut bins = vec![0.0; 4];
        let at = SimTime::from_nanos;
        cover(&mut bins, 40, at(5), at(25));
        assert_eq!(format!("{bins:?}"), "[0.5, 1.0, 0.5, 0.0]");
        cover(&mut bins, 40, at(35), at(100));
        cover(&mut bins, 40, at(12), at(12));
        assert_eq!(format!("{bins:?}"), "[0.5, 1.0, 0.5, 0.5]");
        assert_eq!(shade(0.31).to_string(), "0.4");
    }
}
