//! The words in tables and summaries of global computing, and on the terminal.

use crate::measured_tables::MeasuredKind;
use crate::output::Shown;
use crate::output::number::grouped;
use crate::record::{GivenUp, TaskRejection, TaskState};
use crate::registry::definition::Words;
use crate::system::assembly::Ended;

/// States of tasks, kinds of measurements, and reasons why servers are given up and tasks rejected.
pub(super) fn of_tables() -> Words {
    let (title, about) =
        ("Tables of global computing", "What became of tasks, and what was measured: columns of tables.");
    let words = |name, place, words| Words::new(title, about, name, place, words);
    let mut all = words("state", ("column", "`state` of tasks.csv"), TaskState::WORDS);
    for more in [
        words("kind", ("column", "`kind` of measurements.csv and forecasts.csv"), MeasuredKind::WORDS),
        words("reason", ("column", "`reason` of attempts.csv"), GivenUp::WORDS),
        words("reason", ("member", "`reason` of `rejections` in summary.json"), TaskRejection::WORDS),
    ] {
        all.definitions.extend(more.definitions);
    }
    all
}

/// Lines on the terminal, in order.
const LINES: [(&str, &str); 10] = [
    ("tasks", "{tasks.completed} of {tasks.issued} completed, {rejected} rejected, {unfinished} unfinished"),
    ("scheduler", "{@scheduler}, predictions by {@predictor}"),
    ("deadlines", "[{deadline-failures} missed, {fallbacks} fallbacks]"),
    ("failures", "[{failures!0} attempts lost with their servers]"),
    (
        "servers",
        "{@servers}, busy {server-utilization.own} by tasks of clients, {server-utilization.probe} by probes, \
         {server-utilization.extraneous} by others",
    ),
    (
        "queues",
        "{@queues} used, busy {queue-utilization.own} by tasks of clients, {queue-utilization.probe} by probes, \
         {queue-utilization.extraneous} by others",
    ),
    ("cost", "[{cost}]"),
    (
        "agreement",
        "[{agreement.instants.bandwidth!0} of bandwidth compared: 95 % within \
         {agreement.bandwidth-difference.p95%}\
         [, of forecasts within {agreement.bandwidth-forecast-difference.p95%}]]",
    ),
    (
        "agreement",
        "[{agreement.instants.availability!0} of availability compared: 95 % within \
         {agreement.availability-difference.p95%}\
         [, of forecasts within {agreement.availability-forecast-difference.p95%}]]",
    ),
    ("probes", "[{probes.lost!0} lost]"),
];

/// Figures of a run on the terminal.
pub(super) fn on_the_terminal(ended: &Ended) -> Shown<'_> {
    let [scheduler, predictor] = ended.called.clone();
    let count = |count: usize| grouped(count as u64);
    Shown {
        // times the task alone on the fastest server
        statistics: vec![("response-time", "response time"), ("slowdown", "slowdown")],
        lines: LINES.to_vec(),
        facts: vec![
            ("scheduler", scheduler),
            ("predictor", predictor),
            ("servers", count(ended.outcomes.servers.len())),
            ("queues", count(ended.outcomes.queues.len())),
        ],
        shares: Some(("time", "response time")),
        batch_means_of: Some("tasks"),
        ..Shown::default()
    }
}
