//! The result of a run of task graphs on a terminal: the figures, the critical path, and cores in use over time.

use std::fmt::Write;

use crate::dag::StepKind;
use crate::dag::execution::ExecutedTask;
use crate::instrument::class::Class;
use crate::instrument::metrics::Metric;
use crate::kernel::SimTime;
use crate::output::number::{grouped, plain, span};
use crate::report::figures::{NOTHING, labelled, no_interval, percent, strip_columns, strip_of_spans};
use crate::scenario::Scenario;
use crate::system::dag::ended::Ended;
use crate::text::in_one_line;

/// Steps of the critical path that are printed.
const PRINTED: usize = 8;

/// The text to be printed, with its last line end; a narrow terminal gets a shorter strip chart.
pub(super) fn text(scenario: &Scenario, ended: &Ended, width: Option<usize>) -> String {
    let mut text = format!("{}\n\n", in_one_line(&scenario.title));
    labelled(&mut text, lines(ended));
    path(&mut text, ended);
    text.push_str(no_interval(ended.drew));
    over_time(&mut text, ended, strip_columns(width));
    text
}

/// The scheduler, and those that took over from it.
fn scheduler(ended: &Ended) -> String {
    let mut text = ended.scheduler.clone();
    for taken in &ended.outcomes.take_overs {
        text += &format!(", then {} from {} on", taken.scheduler, span(taken.at.as_secs_f64()));
    }
    text
}

fn lines(ended: &Ended) -> Vec<(&'static str, Option<String>)> {
    let outcomes = &ended.outcomes;
    let number =
        |name: &str| ended.metrics.iter().find(|metric| metric.name == name).and_then(Metric::number);
    let count = |name: &str| grouped(number(name).unwrap_or(0.0) as u64);
    let tasks = format!("{} of {} computed", count("tasks.completed"), grouped(outcomes.tasks.len() as u64));
    let of_bound = number("makespan")
        .zip(number("gap"))
        .map(|(makespan, gap)| format!("{}, {} above the lower bound", span(makespan), percent(gap)));
    let plan = number("plan-makespan").map(|plan| match number("plan-error") {
        Some(error) if error.abs() > 0.0 => {
            format!("{}; executed {} of it", span(plan), percent(1.0 + error))
        }
        _ => format!("{}, as executed", span(plan)),
    });
    // as the bound is a predicted end, so is what it is compared with
    let bound = number("plan-bound").zip(number("plan-makespan")).map(|(bound, plan)| {
        if plan > bound {
            let above = percent(plan / bound - 1.0);
            format!("{}: the search was cut off, and the plan is at most {above} above the best", span(bound))
        } else {
            "the plan is the best there is, as predicted".to_owned()
        }
    });
    let lengthened = number("steps.lengthened")
        .map(|steps| format!("{} steps made the longest chain longer", grouped(steps as u64)));
    let hosts = outcomes.problem.grid.hosts().len() as u64;
    let busy = number("utilization").map_or_else(|| NOTHING.to_owned(), percent);
    let mut lines = vec![
        ("makespan", of_bound),
        ("tasks", Some(tasks)),
        ("scheduler", Some(scheduler(ended))),
        ("plan", plan),
        ("speedup", number("speedup").map(plain)),
        (
            "hosts",
            Some(format!(
                "{}, {} unused, cores busy {busy} of the time",
                grouped(hosts),
                count("hosts.unused")
            )),
        ),
        ("transfers", Some(format!("{}, {} bytes", count("transfers"), count("bytes.transferred")))),
    ];
    let known = |(label, value): (_, Option<String>)| value.map(|value| (label, Some(value)));
    lines.extend([("plan bound", bound), ("plan steps", lengthened)].into_iter().filter_map(known));
    if outcomes.plans.len() > 1 {
        lines.push(("plans", Some(grouped(outcomes.plans.len() as u64))));
    }
    lines.extend(gap(ended));
    if outcomes.graph().applications().len() > 1 {
        let stream = [
            number("response-time.mean").map(span),
            number("slowdown.mean").map(plain),
            number("fairness").map(plain),
        ];
        let [response, slowdown, fairness] = stream.map(|value| value.unwrap_or_else(|| NOTHING.to_owned()));
        lines.push((
            "graphs",
            Some(format!("response {response} on the mean, slowdown {slowdown}, fairness {fairness}")),
        ));
    }
    if ended.kinds.len() > 1 {
        let mean = |kind: &Class, place: usize| kind.metrics[place].number();
        let of = |kind: &Class| {
            let response = mean(kind, 0).map_or_else(|| NOTHING.to_owned(), span);
            let slowdown = mean(kind, 1).map_or_else(|| NOTHING.to_owned(), plain);
            format!("{}: response {response}, slowdown {slowdown}", kind.name)
        };
        lines.push(("kinds", Some(ended.kinds.iter().map(of).collect::<Vec<_>>().join("; "))));
    }
    lines.extend([("events", Some(grouped(outcomes.events))), ("digest", Some(outcomes.digest.to_string()))]);
    lines
}

/// The best of the schedulers that the run is compared with, and the optimum.
fn gap(ended: &Ended) -> Vec<(&'static str, Option<String>)> {
    let Some(report) = &ended.gap else { return Vec::new() };
    let makespan = report.compared.first().and_then(|own| own.makespan).map(SimTime::as_secs_f64);
    let above = |least: SimTime| {
        makespan.map_or_else(|| NOTHING.to_owned(), |makespan| percent(makespan / least.as_secs_f64() - 1.0))
    };
    let seconds = |at: SimTime| span(at.as_secs_f64());
    let mut lines = Vec::new();
    if report.compared.len() > 1 {
        let best = report.best().map(|(best, least)| {
            let count = report.compared.iter().filter(|one| one.makespan.is_some()).count();
            format!(
                "{}, {}, of {count} schedulers; this one is {} above it",
                best.name,
                seconds(least),
                above(least)
            )
        });
        lines.push(("best", best));
    }
    lines.extend(report.optimum.map(|optimum| {
        let words = match optimum.proven() {
            Some(least) => format!("{}; this run is {} above it", seconds(least), above(least)),
            None => format!(
                "from {} to {}, the search met its limit; this run is {} above the best plan found",
                seconds(optimum.bound),
                seconds(optimum.best),
                above(optimum.best)
            ),
        };
        ("optimum", Some(words))
    }));
    lines
}

/// The critical path by what takes its time, and its longest steps.
fn path(text: &mut String, ended: &Ended) {
    let steps = &ended.path;
    let Some(makespan) = ended.outcomes.makespan().map(SimTime::as_secs_f64).filter(|secs| *secs > 0.0)
    else {
        return;
    };
    let share = |kind: StepKind| {
        let of_kind = steps.iter().filter(|step| step.kind == kind);
        of_kind.map(|step| step.end.since(step.start).as_secs_f64()).sum::<f64>() / makespan
    };
    let kinds = [
        (StepKind::Computes, "computing"),
        (StepKind::Transfers, "transfers"),
        (StepKind::WaitsForLink, "waits for links"),
        (StepKind::Waits, "other waits"),
    ];
    let parts = kinds.map(|(kind, name)| (share(kind), name)).into_iter().filter(|(share, _)| *share > 0.0);
    let parts: Vec<String> = parts.map(|(share, name)| format!("{name} {}", percent(share))).collect();
    let names: Vec<String> = steps
        .iter()
        .filter(|step| step.kind == StepKind::Computes)
        .map(|step| in_one_line(&ended.outcomes.graph().task(step.task).name).into_owned())
        .collect();
    let shown = if names.len() > PRINTED {
        format!("{} … {}", names[..PRINTED / 2].join(" "), names[names.len() - PRINTED / 2..].join(" "))
    } else {
        names.join(" ")
    };
    // writing into a String cannot fail
    let _ = writeln!(
        text,
        "\n critical path, {} tasks: {}\n  {shown}",
        grouped(names.len() as u64),
        parts.join(", ")
    );
}

/// Tasks that run over time, one column an equal part of the makespan.
fn over_time(text: &mut String, ended: &Ended, columns: usize) {
    let outcomes = &ended.outcomes;
    let Some(end) = outcomes.makespan() else { return };
    let grid = &outcomes.problem.grid;
    let on_cores = |task: &ExecutedTask| {
        let count = task.core.map_or(0, |core| grid.members(core).len());
        task.start.zip(task.end).into_iter().flat_map(move |span| std::iter::repeat_n(span, count))
    };
    let spans = outcomes.tasks.iter().flat_map(on_cores);
    let cores = grid.cores().len() as u64;
    strip_of_spans(text, "cores in use over time", spans, cores, (end, columns));
}
