//! The words in tables of agents, and figures of a run of agents or flows on the terminal.

use crate::output::number::{grouped, span};
use crate::output::{LevelOverTime, Shown, ShownList, ShownStrip};
use crate::registry::definition::Words;
use crate::report::figures::NOTHING;
use crate::text::in_one_line;
use crate::{FlowState, Operation, Outcome, Outcomes};

/// Operations of agents, and what came of them.
pub(super) fn of_tables() -> Words {
    let (title, about) = (
        "Operations of agents",
        "What an agent did and what came of it: `operation` and `outcome` of operations.csv.",
    );
    let of = |sort, place, words| Words::new(title, about, sort, ("column", place), words);
    let mut all = of("operation", "`operation` of operations.csv", Operation::WORDS);
    all.definitions.extend(of("outcome", "`outcome` of operations.csv", Outcome::WORDS).definitions);
    all
}

/// Lines of every run, in order; those of agents are not of a run that has only flows.
const MAKESPAN: (&str, &str) = ("makespan", "{makespan}");
const OF_AGENTS: [(&str, &str); 5] = [
    ("tasks", "{tasks.completed} computed"),
    ("throughput", "[{throughput#} tasks/s]"),
    (
        "steady state",
        "[{steady-state.share} of {steady-state.throughput#} tasks/s, the optimum, with overlap on \
         {steady-state.overlap} of the hosts]",
    ),
    ("hosts", "{@hosts}, busy {host-utilization.mean} of the time"),
    ("agents", "{agents.created}"),
];
const OF_FLOWS: (&str, &str) =
    ("flows", "{flows.completed} completed[, {flows.failed!0} failed][, {flows.unfinished!0} unfinished]");
const TRANSFERS: (&str, &str) =
    ("transfers", "{transfers.completed}, {bytes.transferred}[; {transfers.failed!0} failed]");
const HOSTS: (&str, &str) = ("hosts", "{@hosts}");

/// Figures of a run on the terminal.
pub(super) fn on_the_terminal(outcomes: &Outcomes) -> Shown<'_> {
    let (has_agents, has_flows) = (!outcomes.agents.is_empty(), !outcomes.flows.is_empty());
    let only_flows = has_flows && !has_agents;
    let mut lines = vec![MAKESPAN];
    lines.extend(has_flows.then_some(OF_FLOWS));
    lines.push(TRANSFERS);
    if only_flows {
        lines.push(HOSTS);
    } else {
        lines.extend(OF_AGENTS);
    }
    let failed = outcomes.failures.iter().map(|failure| {
        let host = in_one_line(&outcomes.platform().host(failure.host).name);
        let why = failure.error.as_ref().map_or_else(|| "killed".to_owned(), ToString::to_string);
        format!("{} on {host} at {}: {why}", in_one_line(&failure.agent), span(failure.at.as_secs_f64()))
    });
    let failed_flows = outcomes.flows.iter().filter_map(|flow| {
        let FlowState::Failed(why) = &flow.state else { return None };
        let at = flow.end.map_or_else(|| NOTHING.to_owned(), |end| span(end.as_secs_f64()));
        Some(format!("{} at {at}: {why}", flow.flow.name))
    });
    let failed = ShownList::of_failures("agent", "", failed);
    let failed_flows = ShownList::of_failures("flow", " in flows.csv", failed_flows);
    Shown {
        statistics: vec![("flow-time", "flow time")],
        lines,
        facts: vec![("hosts", grouped(outcomes.platform().hosts().len() as u64))],
        lists: failed.into_iter().chain(failed_flows).collect(),
        strip: Some(ShownStrip {
            title: "tasks computed over time",
            from: crate::kernel::SimTime::ZERO,
            to: outcomes.makespan,
            level: LevelOverTime::Instants(Box::new(outcomes.completed.iter().map(|done| done.at))),
        }),
        ..Shown::default()
    }
}
