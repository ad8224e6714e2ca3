//! The result of a run of global computing on a terminal.

use crate::instrument::metrics::Metric;
use crate::output::number::{grouped, plain, span, span_with_half_width};
use crate::report::figures::{NOTHING, labelled, no_interval, percent};
use crate::scenario::Scenario;
use crate::system::brokers::ended::Ended;
use crate::text::in_one_line;

/// The text to be printed, with its last line end.
pub(super) fn text(scenario: &Scenario, ended: &Ended) -> String {
    let mut text = format!("{}\n\n", in_one_line(&scenario.title));
    labelled(&mut text, lines(ended));
    if ended.half_widths.is_empty() {
        text.push_str(no_interval(ended.drew));
    }
    text
}

fn lines(ended: &Ended) -> Vec<(&'static str, Option<String>)> {
    let outcomes = &ended.outcomes;
    let number =
        |name: &str| ended.metrics.iter().find(|metric| metric.name == name).and_then(Metric::number);
    let count = |name: &str| grouped(number(name).unwrap_or(0.0) as u64);
    let share = |name: &str| number(name).map_or_else(|| NOTHING.to_owned(), percent);
    let seconds = |name: &str| number(name).map_or_else(|| NOTHING.to_owned(), span);
    let mean = match (number("response-time.mean"), ended.half_widths.first()) {
        (Some(mean), Some(found)) => span_with_half_width(mean, found.half_width),
        _ => seconds("response-time.mean"),
    };
    let response = format!(
        "{mean}; median {}, 95 % within {}",
        seconds("response-time.median"),
        seconds("response-time.p95")
    );
    let parts = ["query", "send", "queue", "service", "receive"].map(|part| {
        let name = format!("time.{part}");
        number(&name).filter(|value| *value > 0.0).map(|value| format!("{part} {}", span(value)))
    });
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let mut lines = vec![
        ("response", number("response-time.mean").map(|_| response)),
        ("time", Some(parts.join(", ")).filter(|parts| !parts.is_empty())),
        (
            "slowdown",
            number("slowdown.mean").map(|mean| format!("{} times alone on the fastest server", plain(mean))),
        ),
        (
            "tasks",
            Some(format!(
                "{} of {} completed, {} rejected, {} unfinished",
                count("tasks.completed"),
                count("tasks.issued"),
                count("rejected"),
                count("unfinished")
            )),
        ),
        ("scheduler", Some(format!("{}, predictions by {}", ended.called[0], ended.called[1]))),
    ];
    if number("deadline-failures").is_some() {
        let fallbacks = count("fallbacks");
        lines.push((
            "deadlines",
            Some(format!("{} missed, {fallbacks} fallbacks", share("deadline-failures"))),
        ));
    }
    if number("failures").is_some_and(|failures| failures > 0.0) {
        lines.push(("failures", Some(format!("{} attempts lost with their servers", count("failures")))));
    }
    let busy = |of: &str| {
        format!(
            "{} by tasks of clients, {} by probes, {} by others",
            share(&format!("{of}.own")),
            share(&format!("{of}.probe")),
            share(&format!("{of}.extraneous"))
        )
    };
    let servers = grouped(outcomes.servers.len() as u64);
    let queues = grouped(outcomes.queues.len() as u64);
    lines.extend([
        ("servers", Some(format!("{servers}, busy {}", busy("server-utilization")))),
        ("queues", Some(format!("{queues} used, busy {}", busy("queue-utilization")))),
        ("cost", number("cost").map(|cost| format!("{cost:.4e}"))),
    ]);
    for kind in ["bandwidth", "availability"] {
        let of = |part: &str| number(&format!("agreement.{kind}{part}"));
        let compared = number(&format!("agreement.instants.{kind}")).filter(|count| *count > 0.0);
        if let Some((compared, within)) = compared.zip(of("-difference.p95")) {
            let forecasts = of("-forecast-difference.p95");
            let forecasts = forecasts.map(|p95| format!(", of forecasts within {}", percent(p95)));
            let line = format!(
                "{} of {kind} compared: 95 % within {}{}",
                grouped(compared as u64),
                percent(within),
                forecasts.unwrap_or_default()
            );
            lines.push(("agreement", Some(line)));
        }
    }
    if outcomes.lost_probes > 0 {
        lines.push(("probes", Some(format!("{} lost", grouped(outcomes.lost_probes)))));
    }
    lines.extend([("events", Some(grouped(outcomes.events))), ("digest", Some(outcomes.digest.to_string()))]);
    lines
}
