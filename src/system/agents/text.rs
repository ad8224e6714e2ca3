//! The result of a run of agents or flows on a terminal: the figures, what failed, and how many tasks were computed over time.

use std::fmt::Write;

use crate::agent::FlowState;
use crate::instrument::metrics::{Metric, Value};
use crate::output::number::{grouped, plain, span};
use crate::report::figures::{NOTHING, labelled, no_interval, percent, strip, strip_columns};
use crate::scenario::Scenario;
use crate::system::agents::assembly::Ended;
use crate::text::in_one_line;

/// Agents that failed that are reported.
const REPORTED: usize = 5;

/// The text to be printed, with its last line end; a narrow terminal gets a shorter strip chart.
pub(super) fn text(scenario: &Scenario, ended: &Ended, width: Option<usize>) -> String {
    let mut text = format!("{}\n\n", in_one_line(&scenario.title));
    labelled(&mut text, lines(ended));
    failed(&mut text, ended);
    failed_flows(&mut text, ended);
    text.push_str(no_interval(ended.drew));
    over_time(&mut text, ended, strip_columns(width));
    text
}

fn lines(ended: &Ended) -> Vec<(&'static str, Option<String>)> {
    let outcomes = &ended.outcomes;
    let number = |name: &str| find(&ended.metrics, name).and_then(Metric::number);
    let count = |name: &str| match find(&ended.metrics, name).map(|metric| metric.value) {
        Some(Value::Count(count)) => count,
        _ => 0,
    };
    let rate = |value: f64| format!("{} tasks/s", plain(value));
    let mut transfers =
        format!("{}, {}B", grouped(count("transfers.completed")), scaled(outcomes.transferred));
    if count("transfers.failed") > 0 {
        let _ = write!(transfers, "; {} failed", grouped(count("transfers.failed")));
    }
    let hosts = grouped(outcomes.platform().hosts().len() as u64);
    let busy = number("host-utilization.mean").map(percent);
    let mut lines = vec![("makespan", number("makespan").map(span))];
    let only_flows = !outcomes.flows.is_empty() && outcomes.agents.is_empty();
    if !only_flows {
        lines.push(("tasks", Some(format!("{} computed", grouped(count("tasks.completed"))))));
        lines.push(("throughput", number("throughput").map(rate)));
    }
    if let (Some(best), Some(share)) = (number("steady-state.throughput"), number("steady-state.share")) {
        let overlap = overlap(number("steady-state.overlap").unwrap_or(0.0));
        let of = format!("{} of {}, the optimum of the steady state {overlap}", plain(share), rate(best));
        lines.push(("", Some(of)));
    }
    if !outcomes.flows.is_empty() {
        let states =
            ["completed", "failed", "unfinished"].map(|state| (count(&format!("flows.{state}")), state));
        let states = states.iter().filter(|&&(count, state)| count > 0 || state == "completed");
        let states: Vec<String> =
            states.map(|&(count, state)| format!("{} {state}", grouped(count))).collect();
        lines.push(("flows", Some(states.join(", "))));
        let [mean, longest] = ["flow-time.mean", "flow-time.max"].map(|name| number(name).map(span));
        let times = mean.zip(longest).map(|(mean, longest)| format!("{mean} on the mean, at most {longest}"));
        lines.push(("flow time", times));
    }
    lines.push(("transfers", Some(transfers)));
    if only_flows {
        lines.push(("hosts", Some(hosts)));
    } else {
        let busy = format!("{hosts}, busy {} of the time", busy.as_deref().unwrap_or(NOTHING));
        lines.extend([("hosts", Some(busy)), ("agents", Some(grouped(count("agents.created"))))]);
    }
    lines.extend([("events", Some(grouped(outcomes.events))), ("digest", Some(outcomes.digest.to_string()))]);
    lines
}

/// Which bound an optimum is, by the share of hosts on which receiving overlaps with computing.
fn overlap(share: f64) -> String {
    if share >= 1.0 {
        return "with overlap".to_owned();
    }
    if share <= 0.0 {
        "without overlap".to_owned()
    } else {
        format!("with overlap on {} % of the hosts", plain(share * 100.0))
    }
}

/// Agents that failed, the first of them by name.
fn failed(text: &mut String, ended: &Ended) {
    let lines = ended.outcomes.failures.iter().map(|failure| {
        let host = in_one_line(&ended.outcomes.platform().host(failure.host).name);
        let why = failure.error.as_ref().map_or_else(|| "killed".to_owned(), ToString::to_string);
        format!("{} on {host} at {}: {why}", in_one_line(&failure.agent), span(failure.at.as_secs_f64()))
    });
    listed(text, "agent", "", lines);
}

/// Flows that failed, the first of them by name.
fn failed_flows(text: &mut String, ended: &Ended) {
    let lines = ended.outcomes.flows.iter().filter_map(|flow| {
        let FlowState::Failed(why) = &flow.state else { return None };
        let at = flow.end.map_or_else(|| NOTHING.to_owned(), |end| span(end.as_secs_f64()));
        Some(format!("{} at {at}: {why}", flow.flow.name))
    });
    listed(text, "flow", " in flows.csv", lines);
}

/// What of a kind failed, the first of it in words; `others` says where the rest stands.
fn listed(text: &mut String, what: &str, others: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return;
    }
    let s = if lines.len() == 1 { "" } else { "s" };
    // writing into a String cannot fail
    let _ = writeln!(text, "\n {} {what}{s} failed", grouped(lines.len() as u64));
    for line in lines.iter().take(REPORTED) {
        let _ = writeln!(text, "  {line}");
    }
    if lines.len() > REPORTED {
        let _ = writeln!(text, "  and {} more{others}", grouped((lines.len() - REPORTED) as u64));
    }
}

/// Tasks computed over time, one column an equal part of the makespan.
fn over_time(text: &mut String, ended: &Ended, columns: usize) {
    let outcomes = &ended.outcomes;
    let whole = outcomes.makespan.as_nanos();
    if whole == 0 || outcomes.completed.is_empty() {
        return;
    }
    let mut counts = vec![0_u64; columns];
    for done in &outcomes.completed {
        let place = u128::from(done.at.as_nanos()) * columns as u128 / u128::from(whole);
        counts[(place as usize).min(columns - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let levels: Vec<usize> = counts.iter().map(|count| (count * 8).div_ceil(most) as usize).collect();
    let title = format!("tasks computed over time, up to {} a column", grouped(most));
    strip(text, &title, &levels, outcomes.makespan.as_secs_f64());
}

/// A size with the prefix that leaves it below a thousand, and a blank before its unit.
fn scaled(size: f64) -> String {
    let prefixes = ["", "k", "M", "G", "T", "P"];
    let mut size = size;
    for prefix in &prefixes[..prefixes.len() - 1] {
        if size < 999.5 {
            return format!("{} {prefix}", plain(size));
        }
        size /= 1000.0;
    }
    format!("{} {}", plain(size), prefixes[prefixes.len() - 1])
}

fn find<'a>(metrics: &'a [Metric], name: &str) -> Option<&'a Metric> {
    metrics.iter().find(|metric| metric.name == name)
}
