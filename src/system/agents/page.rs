//! The report of one run of agents: the platform, when which task was computed, what agents and flows did when, and what
//! hosts did altogether.
//!
//! What is shown is taken from the run when it is over, or from its files later; what these do not hold is named.

use serde_json::{Value as Json, json};

use crate::agent::{FlowOutcome, FlowState, Outcomes};
use crate::kernel::SimTime;
use crate::report::html::curve::rounded;
use crate::report::html::lanes::lanes;
use crate::report::html::page::page;
use crate::report::platform::svg;
use crate::system::agents::assembly::Ended;
use crate::system::agents::timeline::Timeline;

const SCRIPT: &str = concat!(
    include_str!("../../report/html/unpack.js"),
    include_str!("../../report/html/lanes.js"),
    include_str!("page.js")
);

/// Hosts of which it is said what they did, at most.
const HOSTS: usize = 60;
/// Points of the curve of tasks, at most.
const POINTS: usize = 400;
/// Flows that are listed, at most.
const FLOWS: usize = 100;
/// Agents that failed that are listed by name, at most.
const FAILED: usize = 100;

/// What a page shows.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) hosts: u64,
    pub(super) links: u64,
    pub(super) agents: u64,
    /// The picture of the platform.
    pub(super) platform: Option<String>,
    /// When each task was computed [ns], rising.
    pub(super) completed: Vec<u64>,
    pub(super) timeline: Timeline,
    pub(super) by_host: Vec<HostRow>,
    pub(super) flows: Vec<FlowRow>,
    /// Agents that failed, the first of them, and how many there are.
    pub(super) failures: (Vec<Json>, usize),
    /// What is not shown, as nothing holds it.
    pub(super) missing: Vec<String>,
}

/// What a host did.
#[derive(Debug)]
pub(super) struct HostRow {
    pub(super) host: String,
    pub(super) cores: u64,
    /// Seconds of its cores.
    pub(super) busy: f64,
    /// Their share of cores x makespan.
    pub(super) share: f64,
}

/// A given flow. Times are in nanoseconds.
#[derive(Debug, Default)]
pub(super) struct FlowRow {
    pub(super) flow: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) size: f64,
    pub(super) start: u64,
    pub(super) end: Option<u64>,
    pub(super) state: String,
    pub(super) reason: String,
}

impl Shown {
    /// What a run shows.
    pub(super) fn of_run(ended: &Ended) -> Self {
        let outcomes = &ended.outcomes;
        let platform = outcomes.platform();
        let flows: Vec<FlowRow> = outcomes.flows.iter().map(|flow| flow_row(outcomes, flow)).collect();
        let failures = outcomes.failures.iter().take(FAILED).map(|failure| {
            let why = failure.error.as_ref().map_or_else(|| "killed".to_owned(), ToString::to_string);
            let host = &platform.host(failure.host).name;
            json!({ "agent": failure.agent, "host": host, "at": failure.at.as_secs_f64(), "why": why })
        });
        let makespan = outcomes.makespan.as_secs_f64();
        let hosts = platform.hosts().iter().zip(&outcomes.computed).map(|(host, &(_, busy))| {
            let whole = f64::from(host.cores) * makespan;
            let share = if whole > 0.0 { busy / whole } else { 0.0 };
            HostRow { host: host.name.clone(), cores: u64::from(host.cores), busy, share }
        });
        Shown {
            hosts: platform.hosts().len() as u64,
            links: platform.links().len() as u64,
            agents: outcomes.agents.len() as u64,
            platform: Some(svg("", platform)),
            completed: outcomes.completed.iter().map(|done| done.at.as_nanos()).collect(),
            timeline: Timeline::of_run(outcomes).with_flows(&flows),
            by_host: hosts.collect(),
            flows,
            failures: (failures.collect(), outcomes.failures.len()),
            missing: Vec::new(),
        }
    }
}

fn flow_row(outcomes: &Outcomes, FlowOutcome { flow, end, state }: &FlowOutcome) -> FlowRow {
    let [from, to] = [flow.from, flow.to].map(|host| outcomes.platform().host(host).name.clone());
    let reason = if let FlowState::Failed(reason) = state { reason.clone() } else { String::new() };
    FlowRow {
        flow: flow.name.clone(),
        from,
        to,
        size: flow.size,
        start: flow.start.as_nanos(),
        end: end.map(SimTime::as_nanos),
        state: state.name().to_owned(),
        reason,
    }
}

/// The page of a run; `summary` is `summary.json`, `resolved` the scenario with every default filled in.
pub(super) fn draw(shown: &Shown, summary: &Json, resolved: &str) -> Vec<u8> {
    let title = summary["title"].as_str().unwrap_or_default();
    let (by_host, hosts_left_out) = hosts(shown);
    let data = json!({
        "schema": "clustersim/agents-report/2",
        "version": env!("CARGO_PKG_VERSION"),
        "title": title,
        "seed": summary["seed"],
        "digest": summary["digest"],
        "metrics": summary["metrics"],
        "hosts": shown.hosts,
        "links": shown.links,
        "agents": shown.agents,
        "platform": shown.platform,
        "progress": progress(&shown.completed),
        "timeline": lanes(&shown.timeline),
        "by-host": by_host,
        "hosts-left-out": hosts_left_out,
        "flows": flows(&shown.flows),
        "flows-left-out": shown.flows.len().saturating_sub(FLOWS),
        "failures": shown.failures.0,
        "failures-left-out": shown.failures.1.saturating_sub(FAILED),
        "missing": shown.missing,
        "scenario": resolved,
    });
    page(title, &data, SCRIPT)
}

fn secs(nanos: u64) -> f64 {
    SimTime::from_nanos(nanos).as_secs_f64()
}

/// When the x-th task was computed, thinned out to equal steps; the first and the last stay.
fn progress(completed: &[u64]) -> Vec<Json> {
    let point = |place: usize| json!([place + 1, rounded(secs(completed[place]))]);
    if completed.len() <= POINTS {
        return (0..completed.len()).map(point).collect();
    }
    (0..POINTS).map(|step| step * (completed.len() - 1) / (POINTS - 1)).map(point).collect()
}

/// The hosts that computed most, in their order, and how many others computed.
fn hosts(shown: &Shown) -> (Vec<Json>, usize) {
    let mut busy: Vec<(usize, &HostRow)> =
        shown.by_host.iter().enumerate().filter(|(_, host)| host.busy > 0.0).collect();
    let left_out = busy.len().saturating_sub(HOSTS);
    busy.sort_by(|(place, one), (other_place, other)| {
        other.busy.total_cmp(&one.busy).then(place.cmp(other_place))
    });
    busy.truncate(HOSTS);
    busy.sort_unstable_by_key(|(place, _)| *place);
    let rows = busy.into_iter().map(|(_, HostRow { host, cores, busy, share })| {
        json!({ "host": host, "cores": cores, "busy": rounded(*busy), "share": rounded(*share) })
    });
    (rows.collect(), left_out)
}

/// The flows, the first of them.
fn flows(flows: &[FlowRow]) -> Vec<Json> {
    let shown = flows.iter().take(FLOWS).map(|row| {
        let FlowRow { flow, from, to, size, start, end, state, reason } = row;
        json!({
            "flow": flow, "from": from, "to": to, "size": size, "start": secs(*start), "end": end.map(secs),
            "state": state, "why": reason,
        })
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_hosts_those_that_computed_most_are_listed_in_their_order() {
        let by_host = (0..100_u32).map(|number| HostRow {
            host: format!("h-{number}"),
            cores: 1,
            busy: f64::from(number * 37 % 100),
            share: 0.5,
        });
        let shown = Shown { by_host: by_host.collect(), ..Shown::default() };
        let (rows, left_out) = hosts(&shown);
        let busy: Vec<f64> = rows.iter().filter_map(|row| row["busy"].as_f64()).collect();
        assert_eq!((rows.len(), left_out), (HOSTS, 39));
        assert!(busy.iter().all(|busy| *busy >= 40.0) && rows[0]["host"] == "h-2");
    }

    #[test]
    fn a_curve_of_many_tasks_keeps_its_ends() {
        let completed: Vec<u64> = (0..10_000).map(|task| task * 1_000_000_000).collect();
        let points = progress(&completed);
        assert_eq!(
            (points.len(), &points[0], &points[POINTS - 1]),
            (POINTS, &json!([1, 0]), &json!([10_000, 9_999]))
        );
        assert!(progress(&[]).is_empty());
    }

    #[test]
    fn the_page_fetches_nothing() {
        let text = String::from_utf8(draw(&Shown::default(), &json!({}), "")).expect("text");
        for word in [" src=", "url(", "@import", "fetch(", "XMLHttpRequest", "import(", "<link", "https://"] {
            assert!(!text.contains(word), "{word}");
        }
    }
}
