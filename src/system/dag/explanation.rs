//! Why a task is where it is: the cores that the scheduler looked at, and what was executed otherwise than planned.

use serde_json::{Map, Value as Json, json};

use crate::dag::choice::{CandidateSlot, Choice};
use crate::dag::execution::Outcomes;
use crate::dag::view::TimeSlot;
use crate::dag::{CriticalStep, StepKind, steps_before};
use crate::output::number::{clock, grouped, lasting, plain};
use crate::output::{Explanation, Paragraph};
use crate::workflow::TaskNumber;

/// The explanation of a task.
pub(super) fn of(outcomes: &Outcomes, task: TaskNumber) -> Explanation {
    let (graph, grid) = (outcomes.graph(), &outcomes.problem.grid);
    let record = &outcomes.tasks[task.index()];
    let mut members = Map::new();
    members.insert("task".to_owned(), json!(graph.task(task).name));
    members.insert("attempts".to_owned(), json!(record.attempts));
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    // a rule may look at a task more than once before it places it: the last look decides
    if let Some(choice) = outcomes.choices.iter().rev().find(|choice| choice.task == task) {
        members.insert("candidates".to_owned(), candidates(outcomes, choice));
        paragraphs.push(considered(outcomes, choice));
    }
    if let (Some(core), Some((start, end))) = (record.core, record.planned) {
        let place = &grid.host(grid.host_of(core)).name;
        let text = format!(
            "It is planned on host `{place}`, core {}, from {} to {}",
            grid.rank(core),
            clock(start),
            clock(end)
        );
        paragraphs.push(Paragraph { text, span: None });
    }
    paragraphs.extend(executed(outcomes, task));
    Explanation { title: format!("Task `{}`", graph.task(task).name), members, paragraphs }
}

/// Candidates that the text names.
const NAMED: usize = 8;

/// Every core that was looked at, as a document.
fn candidates(outcomes: &Outcomes, choice: &Choice) -> Json {
    let grid = &outcomes.problem.grid;
    let of = |candidate: &CandidateSlot| {
        let TimeSlot { core, start, end } = candidate.slot;
        json!({
            "host": grid.host(grid.host_of(core)).name,
            "core": grid.rank(core),
            "ready": candidate.ready.as_secs_f64(),
            "start": start.as_secs_f64(),
            "end": end.as_secs_f64(),
            "figure": candidate.figure,
        })
    };
    choice.candidates.iter().map(of).collect()
}

/// What the scheduler looked at, the best first.
fn considered(outcomes: &Outcomes, choice: &Choice) -> Paragraph {
    let grid = &outcomes.problem.grid;
    let mut order: Vec<&CandidateSlot> = choice.candidates.iter().collect();
    // a rule makes its figure least or greatest
    let taken = order.iter().find(|one| one.slot.core == choice.slot.core).map_or(0.0, |one| one.figure);
    let is_greatest =
        order.iter().all(|one| one.figure <= taken) && order.iter().any(|one| one.figure < taken);
    let signed = |figure: f64| if is_greatest { -figure } else { figure };
    order.sort_by(|one, other| {
        signed(one.figure).total_cmp(&signed(other.figure)).then(one.slot.core.cmp(&other.slot.core))
    });
    let cores = grouped(choice.candidates.len() as u64);
    let mut text = format!(
        "{} tasks had a place before it; {cores} cores were looked at",
        grouped(choice.before as u64)
    );
    let ties = order.iter().take_while(|one| one.figure.total_cmp(&order[0].figure).is_eq()).count();
    if ties > 1 {
        text += &format!(", {ties} of them equal: the lowest was taken");
    }
    for candidate in order.iter().take(NAMED) {
        let TimeSlot { core, start, end } = candidate.slot;
        let name = &grid.host(grid.host_of(core)).name;
        let taken = if core == choice.slot.core { ", taken" } else { "" };
        let (ready, figure) = (clock(candidate.ready), plain(candidate.figure));
        text += &format!(
            "\n  - host `{name}`: data there at {ready}, from {} to {}, figure {figure}{taken}",
            clock(start),
            clock(end)
        );
    }
    if order.len() > NAMED {
        text += &format!("\n  - and {} more (--json names them all)", grouped((order.len() - NAMED) as u64));
    }
    Paragraph { text, span: None }
}

/// What happened otherwise than planned, and what delayed it.
fn executed(outcomes: &Outcomes, task: TaskNumber) -> Vec<Paragraph> {
    let (graph, record) = (outcomes.graph(), &outcomes.tasks[task.index()]);
    let (Some(start), Some(end)) = (record.start, record.end) else {
        let text = "It has not ended".to_owned();
        return vec![Paragraph { text, span: None }];
    };
    let name = |task: TaskNumber| graph.task(task).name.to_string();
    let mut text = match record.planned {
        Some(planned) if planned == (start, end) => "It was executed as planned".to_owned(),
        _ => format!("It was executed from {} to {}", clock(start), clock(end)),
    };
    let steps = steps_before(outcomes, task);
    for CriticalStep { task: of, kind, start, end } in steps {
        let what = match kind {
            StepKind::Computes => format!("task `{}` was computed before it", name(of)),
            StepKind::Transfers => "the last of its data were on their way".to_owned(),
            StepKind::WaitsForLink => "these data waited for a link that carried others".to_owned(),
            StepKind::Waits => "it waited for nothing of these".to_owned(),
        };
        text += &format!("\n  - from {} to {}: {what}", clock(start), clock(end));
    }
    if let Some(predicted) = record.predicted
        && predicted != end
    {
        let [expected, took] = [predicted, end].map(|to| lasting(to.since(start)));
        text += &format!("\n  - it was predicted to take {expected} and took {took}");
    }
    vec![Paragraph { text, span: None }]
}
