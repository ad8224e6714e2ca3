//! Explanation of the place of a task: the cores that the scheduler looked at, and what was
//! executed otherwise than planned.

use serde_json::{Map, Value as Json, json};

use crate::execution::{Attempt, Attempts, ExecutedTask, Outcomes, PlanCause};
use crate::model::grid::{Core, Grid};
use crate::output::number::{clock, grouped, lasting, plain};
use crate::output::{Explanation, Paragraph};
use crate::planning::plan::{CandidateSlot, Choice, SlotReasons};
use crate::planning::view::TimeSlot;
use crate::workflow::TaskNumber;
use crate::{CriticalStep, StepKind, steps_before};

/// The explanation of a task.
pub(super) fn of(outcomes: &Outcomes, task: TaskNumber) -> Explanation {
    let (graph, grid) = (outcomes.graph(), &outcomes.problem.grid);
    let record = &outcomes.tasks[task.index()];
    let mut members = Map::new();
    members.insert("task".to_owned(), json!(graph.task(task).name));
    members.insert("attempts".to_owned(), json!(record.attempts));
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let plain_text = |text: String| Paragraph { text, span: None };
    // the plan by which it started is the last of which it was a part
    let reasons = outcomes.reasons.last();
    match reasons {
        Some(reasons) => {
            members.insert("decided".to_owned(), json!(reasons.at.as_secs_f64()));
            members.insert("reasons".to_owned(), json!(reasons.said));
            paragraphs.extend(plan(outcomes, reasons).map(plain_text));
            paragraphs.extend(reasons.said.iter().cloned().map(plain_text));
        }
        None if record.core.is_some() => {
            paragraphs.push(plain_text("The scheduler does not say why it is where it is".to_owned()));
        }
        None => {}
    }
    let choice = reasons.and_then(|reasons| reasons.choice.as_ref());
    if let Some(choice) = choice {
        members.insert("figure".to_owned(), json!(choice.figure.name));
        members.insert("before".to_owned(), json!(choice.before));
        members.insert("ties".to_owned(), json!(choice.equal));
        members.insert("tie".to_owned(), json!(choice.figure.tie));
        members.insert("candidates".to_owned(), candidates(outcomes, choice));
        paragraphs.push(plain_text(considered(outcomes, choice)));
    }
    if let (Some(core), Some((start, end))) = (record.core, record.planned) {
        let place = &grid.host(grid.host_of(core)).name;
        let moved = match choice.map(|choice| choice.slot) {
            Some(slot) if (slot.start, slot.end) != (start, end) => {
                ": tasks that got a place after it moved it"
            }
            _ => "",
        };
        paragraphs.push(plain_text(format!(
            "It is planned on host `{place}`, {}, from {} to {}{moved}",
            named(grid, core),
            clock(start),
            clock(end)
        )));
    } else if let Some(core) = record.core {
        let place = &grid.host(grid.host_of(core)).name;
        paragraphs.push(plain_text(format!("It was put on host `{place}`, {}", named(grid, core))));
    }
    let start = record.start.unwrap_or(outcomes.ended_at);
    if let Some(taken) = outcomes.take_overs.iter().rev().find(|taken| taken.at <= start) {
        members.insert("scheduler".to_owned(), json!(taken.scheduler));
        let text = format!("Scheduler `{}` had taken over at {}", taken.scheduler, clock(taken.at));
        paragraphs.push(plain_text(text));
    }
    members.insert("spans".to_owned(), spans(outcomes, task));
    paragraphs.push(plain_text(executed(outcomes, task)));
    Explanation { title: format!("Task `{}`", graph.task(task).name), members, paragraphs }
}

/// A core of a host by its number there, or all that a task holds.
fn named(grid: &Grid, core: Core) -> String {
    let ranks: Vec<String> = grid.members(core).map(|core| grid.rank(core).to_string()).collect();
    match &ranks[..] {
        [before @ .., last] if !before.is_empty() => format!("cores {} and {last}", before.join(", ")),
        one => format!("core {}", one.join("")),
    }
}

/// Plan that decided, of several.
fn plan(outcomes: &Outcomes, reasons: &SlotReasons) -> Option<String> {
    if outcomes.plans.len() < 2 {
        return None;
    }
    let plan = outcomes.plans.get(usize::try_from(reasons.plan).ok()?)?;
    let (number, of) = (grouped(reasons.plan + 1), grouped(outcomes.plans.len() as u64));
    Some(format!("Plan {number} of {of} decided, made at {} because {}", clock(plan.at), about(plan.cause)))
}

/// Meaning of a cause.
fn about(cause: PlanCause) -> &'static str {
    let mut words = PlanCause::WORDS.iter().filter(|(name, _)| *name == cause.name());
    words.next().map_or("", |(_, about)| *about)
}

/// Candidates that the text names.
const NAMED: usize = 8;

/// Every core that was looked at, as a document.
fn candidates(outcomes: &Outcomes, choice: &Choice) -> Json {
    let grid = &outcomes.problem.grid;
    let of = |candidate: &CandidateSlot| {
        let TimeSlot { core, start, end } = candidate.slot;
        let mut document = json!({
            "host": grid.host(grid.host_of(core)).name,
            "core": grid.rank(core),
            "ready": candidate.ready.as_secs_f64(),
            "start": start.as_secs_f64(),
            "end": end.as_secs_f64(),
            "figure": candidate.figure,
        });
        let further: Vec<u32> = grid.members(core).skip(1).map(|core| grid.rank(core)).collect();
        if !further.is_empty() {
            document["further-cores"] = further.into();
        }
        document
    };
    choice.candidates.iter().map(of).collect()
}

/// Choices that the scheduler considered, the best first.
fn considered(outcomes: &Outcomes, choice: &Choice) -> String {
    let grid = &outcomes.problem.grid;
    let (one, many) = match grid.members(choice.slot.core).len() {
        1 => ("core", "cores"),
        _ => ("set of cores", "sets of cores"),
    };
    let cores = |count: usize| match count {
        1 => format!("1 {one}"),
        _ => format!("{} {many}", grouped(count as u64)),
    };
    let mut text = match choice.before {
        0 => "No task had a place before it".to_owned(),
        1 => "1 task had a place before it".to_owned(),
        before => format!("{} tasks had a place before it", grouped(before as u64)),
    };
    text += &format!("; the rule looked at {}, by {}", cores(choice.candidates.len()), choice.figure.name);
    let taken = choice.candidates.first().map(|best| best.figure);
    let is_tied = |one: &&CandidateSlot| taken.is_some_and(|taken| one.figure.total_cmp(&taken).is_eq());
    let tied = choice.candidates.iter().filter(is_tied).count();
    if choice.equal > 1 {
        text += &format!("; {} are equal, and the lowest was taken", cores(choice.equal));
    } else if tied > 1 && !choice.figure.tie.is_empty() {
        text += &format!("; {} have the same, and {} decided", cores(tied), choice.figure.tie);
    }
    for candidate in choice.candidates.iter().take(NAMED) {
        let TimeSlot { core, start, end } = candidate.slot;
        let host = grid.host_of(core);
        let place = match grid.cores_of(host).len() {
            1 => format!("host `{}`", grid.host(host).name),
            _ => format!("host `{}`, {}", grid.host(host).name, named(grid, core)),
        };
        let taken = if core == choice.slot.core { ", taken" } else { "" };
        text += &format!(
            "\n  - {}: {place}, data there at {}, from {} to {}{taken}",
            plain(candidate.figure),
            clock(candidate.ready),
            clock(start),
            clock(end)
        );
    }
    if choice.candidates.len() > NAMED {
        let more = grouped((choice.candidates.len() - NAMED) as u64);
        text += &format!("\n  - and {more} more (--json names them all)");
    }
    text
}

/// The steps before the start of a task, as a document.
fn spans(outcomes: &Outcomes, task: TaskNumber) -> Json {
    let graph = outcomes.graph();
    let of = |CriticalStep { task, kind, start, end, .. }: CriticalStep| {
        json!({
            "from": start.as_secs_f64(),
            "to": end.as_secs_f64(),
            "what": kind.name(),
            "task": graph.task(task).name,
        })
    };
    steps_before(outcomes, task).into_iter().map(of).collect()
}

/// Deviations from the plan, and the causes of delay.
fn executed(outcomes: &Outcomes, task: TaskNumber) -> String {
    let (graph, grid) = (outcomes.graph(), &outcomes.problem.grid);
    let record = &outcomes.tasks[task.index()];
    let (Some(start), Some(end)) = (record.start, record.end) else { return unfinished(record) };
    let name = |task: TaskNumber| graph.task(task).name.to_string();
    let mut text = match record.planned {
        Some(planned) if planned == (start, end) => "It was executed as planned".to_owned(),
        _ => format!("It was executed from {} to {}", clock(start), clock(end)),
    };
    let steps = steps_before(outcomes, task);
    let parent = steps.first().filter(|step| step.kind == StepKind::Computes).map(|step| name(step.task));
    let of_parent = parent.as_ref().map_or_else(String::new, |parent| format!(" of `{parent}`"));
    for CriticalStep { task: of, kind, start, end, .. } in steps {
        let what = match kind {
            StepKind::Computes => format!("task `{}` was computed before it", name(of)),
            StepKind::Transfers => format!("the data{of_parent} were being sent"),
            StepKind::WaitsForLink => format!("the data{of_parent} waited for a link that carried others"),
            StepKind::Waits => "its workflow had not arrived, or it had no place yet".to_owned(),
        };
        text += &format!("\n  - from {} to {}: {what}", clock(start), clock(end));
    }
    let took = end.since(start);
    if let Some(host) = record.core.map(|core| grid.host_of(core)) {
        let unloaded = outcomes.problem.span(task, host, 1.0);
        if unloaded < took {
            let (host, unloaded) = (&grid.host(host).name, lasting(unloaded));
            text += &format!(
                "\n  - host `{host}` was loaded: the task took {}, and {unloaded} without load",
                lasting(took)
            );
        }
    }
    if let Some(predicted) = record.predicted.filter(|predicted| *predicted != end) {
        let expected = lasting(predicted.since(start));
        text += &format!("\n  - it was predicted to take {expected} and took {}", lasting(took));
    }
    text + &earlier(outcomes, task)
}

/// The attempts of a task that were lost.
fn earlier(outcomes: &Outcomes, task: TaskNumber) -> String {
    let grid = &outcomes.problem.grid;
    let attempts = Attempts::of(outcomes);
    let all = attempts.numbers().map(|number| attempts.get(number));
    let lost = all.filter(|attempt| attempt.task == task && attempt.lost.is_some());
    let line = |attempt: Attempt| {
        let host = &grid.host(grid.host_of(attempt.core)).name;
        let (start, lost) = (clock(attempt.start), clock(attempt.lost.unwrap_or_default()));
        match attempt.end {
            Some(end) => format!(
                "\n  - attempt {} on host `{host}` ran from {start} to {}, and what it wrote was lost at {lost}",
                attempt.ordinal,
                clock(end)
            ),
            None => format!(
                "\n  - attempt {} on host `{host}` began at {start} and was broken off at {lost}",
                attempt.ordinal
            ),
        }
    };
    lost.map(line).collect()
}

/// Progress of a task that has not ended.
fn unfinished(record: &ExecutedTask) -> String {
    match (record.core, record.ready, record.start) {
        (None, ..) => "It has no place yet".to_owned(),
        (_, _, Some(start)) => format!("It started at {} and has not ended", clock(start)),
        (_, Some(ready), None) => format!("Its data were there at {}; it has not started", clock(ready)),
        (_, None, None) => "Some of its data are missing; it has not started".to_owned(),
    }
}
