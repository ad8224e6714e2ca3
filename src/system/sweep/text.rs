//! The result of a run of a parameter sweep on a terminal: the figures, where the time went, and processors in use over time.

use crate::instrument::metrics::Metric;
use crate::kernel::SimTime;
use crate::output::number::{grouped, span};
use crate::report::figures::{NOTHING, labelled, no_interval, percent, strip_columns, strip_of_spans};
use crate::scenario::Scenario;
use crate::sweep::host_time::HostTimeAccount;
use crate::system::sweep::ended::Ended;
use crate::text::in_one_line;

/// The text to be printed, with its last line end; a narrow terminal gets a shorter strip chart.
pub(super) fn text(scenario: &Scenario, ended: &Ended, width: Option<usize>) -> String {
    let mut text = format!("{}\n\n", in_one_line(&scenario.title));
    labelled(&mut text, lines(ended));
    text.push_str(no_interval(ended.drew));
    over_time(&mut text, ended, strip_columns(width));
    text
}

fn lines(ended: &Ended) -> Vec<(&'static str, Option<String>)> {
    let outcomes = &ended.outcomes;
    let number =
        |name: &str| ended.metrics.iter().find(|metric| metric.name == name).and_then(Metric::number);
    let count = |name: &str| grouped(number(name).unwrap_or(0.0) as u64);
    let share = |name: &str| number(name).map_or_else(|| NOTHING.to_owned(), percent);
    let makespan = number("makespan").map(|makespan| match number("gap") {
        Some(gap) => format!("{}, {} above the lower bound", span(makespan), percent(gap)),
        None => span(makespan),
    });
    let plan = number("plan-makespan").map(|plan| match number("plan-error") {
        Some(error) if error.abs() > 0.0 => {
            format!("{}; executed {} of it", span(plan), percent(1.0 + error))
        }
        _ => format!("{}, as executed", span(plan)),
    });
    let mut lines = vec![("makespan", makespan), ("bound", bound(ended))];
    lines.extend(ended.optimum.map(|_| ("optimum", optimum(ended))));
    lines.extend([
        (
            "tasks",
            Some(format!(
                "{} of {} completed",
                count("tasks.completed"),
                grouped(outcomes.tasks.len() as u64)
            )),
        ),
        ("scheduler", Some(ended.scheduler.clone())),
    ]);
    if outcomes.plans.iter().any(|plan| plan.looks > 0) {
        let looks = format!("{}, {} pairs of task and host looked at", count("plans"), count("looks"));
        let correct = number("correctness.mean");
        let correct =
            correct.map_or_else(String::new, |share| format!(", {} ran as predicted", percent(share)));
        lines.push(("plans", Some(looks + &correct)));
        lines.extend(plan.map(|plan| ("first plan", Some(plan))));
    } else {
        // by a workqueue, which plans nothing
        lines.extend(plan.map(|plan| ("predicted", Some(plan))));
    }
    lines.extend([
        (
            "hosts",
            Some(format!(
                "{}, {} unused, processors busy {} of the time",
                grouped(outcomes.grid.hosts.len() as u64),
                count("hosts.unused"),
                share("utilization")
            )),
        ),
        (
            "transfers",
            Some(format!(
                "{}, {} bytes; links busy {} of the time",
                count("transfers"),
                count("bytes.sent"),
                share("link-utilization")
            )),
        ),
        ("saved", Some(format!("{} bytes of inputs were there already", count("bytes.saved")))),
        ("time", time(ended)),
    ]);
    if number("evictions").is_some() {
        let removed =
            format!("{} inputs to make room, {} bytes sent again", count("evictions"), count("bytes.again"));
        lines.push(("removed", Some(removed)));
    }
    if let Some(cost) = number("cost") {
        // what rounds to nothing has no sign
        let cents = |amount: f64| (amount * 100.0).round() / 100.0 + 0.0;
        let left = number("budget-left")
            .map_or_else(String::new, |left| format!(", {:.2} of the budget left", cents(left)));
        lines.push(("cost", Some(format!("{cost:.2}{left}"))));
    }
    if number("deadline-missed").is_some() {
        lines.push(("deadline", Some(format!("missed by {} tasks", count("deadline-missed")))));
    }
    if outcomes.failed > 0 {
        let lost = span(outcomes.lost.as_secs_f64());
        lines.push(("lost", Some(format!("{} computations, {lost}", grouped(outcomes.failed)))));
    }
    if outcomes.duplicates > 0 {
        let lost = span(number("discarded-time").unwrap_or(0.0));
        lines.push(("copies", Some(format!("{} of tasks, {lost} thrown away", count("duplicates")))));
    }
    lines.extend([("events", Some(grouped(outcomes.events))), ("digest", Some(outcomes.digest.to_string()))]);
    lines
}

/// The bounds; nothing if some task can never be done.
fn bound(ended: &Ended) -> Option<String> {
    let bounds = &ended.bounds;
    Some(format!(
        "{} to compute, {} to send, {} for the longest task",
        span(bounds.compute?),
        span(bounds.link?),
        span(bounds.longest?)
    ))
}

/// The optimum, or between what it lies.
fn optimum(ended: &Ended) -> Option<String> {
    let optimum = ended.optimum?;
    let seconds = |at: SimTime| span(at.as_secs_f64());
    Some(match (optimum.proven(), ended.outcomes.makespan()) {
        (Some(least), Some(makespan)) if least > SimTime::ZERO => {
            let above = percent(makespan.as_secs_f64() / least.as_secs_f64() - 1.0);
            format!("{}; this run is {above} above it", seconds(least))
        }
        (Some(least), _) => seconds(least),
        (None, _) => format!(
            "not proven, as the search met its limit: from {} to {}",
            seconds(optimum.bound),
            seconds(optimum.best)
        ),
    })
}

/// Where the time of processors went; nothing if there was none.
fn time(ended: &Ended) -> Option<String> {
    let shares = HostTimeAccount::of(&ended.outcomes).shares()?;
    let words = ["computing", "waiting for files", "idle", "lost", "absent", "thrown away"];
    let parts = shares.into_iter().zip(words).filter(|(share, _)| *share > 0.0);
    let parts: Vec<String> = parts.map(|(share, word)| format!("{word} {}", percent(share))).collect();
    Some(parts.join(", "))
}

/// Processors in use over time, one column an equal part of the makespan.
fn over_time(text: &mut String, ended: &Ended, columns: usize) {
    let outcomes = &ended.outcomes;
    let Some(end) = outcomes.makespan() else { return };
    let spans = outcomes.tasks.iter().filter_map(|task| task.start.zip(task.end));
    let processors = outcomes.grid.hosts.iter().map(|host| u64::from(host.processors)).sum();
    strip_of_spans(text, "processors in use over time", spans, processors, (end, columns));
}
