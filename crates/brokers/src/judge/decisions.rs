//! Decisions for servers, and what they cost.

use crate::check::{Judgement, Violation};
use crate::kernel::SimTime;

use super::run::{DecisionRow, Run, TaskEnd, of_task};
use super::unjudged::{NO_DECISIONS, NO_METRICS};

/// The parts of the regret in the summary.
pub(super) const PARTS: [&str; 5] = [
    "decision-regret.mean",
    "decision-regret.rule",
    "decision-regret.forecast",
    "decision-regret.age",
    "decision-regret.estimate",
];

/// Decisions are in order, for servers that exist and that tasks were sent to; no server is sooner
/// than the best one; costs follow from completions, and have the means of the summary.
pub(super) fn costs(run: &Run<'_>) -> Judgement {
    let rows = run.decisions.as_ref().ok_or(NO_DECISIONS)?;
    let metrics = run.files.metrics.ok_or(NO_METRICS)?;
    let mut found = Vec::new();
    let mut last = SimTime::ZERO;
    let (mut sums, mut count) = ([0.0; 5], 0_u64);
    for row in rows {
        let mut report = |what: &str| found.push(of_task(row.task, Some(row.time), what));
        if row.time < last {
            report("is decided on before the row above it");
        }
        last = row.time;
        if row.steps.iter().any(|(server, _)| run.facts.server(server).is_none()) {
            report("is decided on with a server that does not exist");
        }
        let best = row.steps[4].1;
        if row.steps.iter().any(|(_, completion)| *completion < best) {
            report("has a server that is sooner than the best one");
        }
        if !is_for_its_server(run, row) {
            report("is on another server than was chosen");
        }
        let costs = row.steps.iter().all(|(_, at)| *at < SimTime::MAX).then(|| costs_of(row));
        let are_these = |costs: [f64; 5]| row.costs.iter().zip(costs).all(|(read, cost)| is(*read, cost));
        if !costs.map_or(row.costs == [None; 5], are_these) {
            report("has costs that do not follow from its completions");
        }
        if row.time >= run.files.warm_up
            && let Some(costs) = costs
        {
            sums.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost);
            count += 1;
        }
    }
    for (name, sum) in PARTS.into_iter().zip(sums).filter(|_| count > 0) {
        let (mean, reported) = (sum / count as f64, metrics[name]["value"].as_f64().unwrap_or(f64::NAN));
        let is_near = (reported - mean).abs() <= 1e-9 * mean.abs().max(1.0);
        if !is_near {
            let what = format!("{name} is {reported}, and by the files {mean}");
            found.push(Violation::of_no_job(SimTime::ZERO, what));
        }
    }
    Ok(found)
}

/// The regret of a decision and its four causes, by completions.
fn costs_of(row: &DecisionRow) -> [f64; 5] {
    let span = |from: usize, to: usize| {
        let [from, to] = [from, to].map(|place| i128::from(row.steps[place].1.as_nanos()));
        (from - to) as f64 / 1e9
    };
    [span(0, 4), span(0, 1), span(1, 2), span(2, 3), span(3, 4)]
}

/// Returns true if a cell has this value.
fn is(read: Option<f64>, value: f64) -> bool {
    read.is_some_and(|read| (read - value).abs() <= 1e-9 * value.abs().max(1.0))
}

/// Returns true if a task that was never given up, and has one server, is on the one that was
/// chosen.
fn is_for_its_server(run: &Run<'_>, row: &DecisionRow) -> bool {
    let task = usize::try_from(row.task).ok().and_then(|place| run.tasks.get(place));
    task.is_some_and(|task| {
        let is_sure = task.fallbacks == 0 && task.state == TaskEnd::Completed && !run.files.has_copies;
        !is_sure || (task.server == row.steps[0].0 && task.steps[1] >= Some(row.time))
    })
}
