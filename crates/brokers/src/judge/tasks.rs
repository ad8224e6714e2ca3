//! Each task by itself: its steps, the servers that it is sent to, and when it is given up (HPDC
//! 1999, figure 1).

use crate::check::{Judgement, Violation};
use crate::collections::OrderedMap;
use crate::kernel::SimTime;

use super::facts::JudgedStation;
use super::run::{Run, TaskEnd, TaskRow, of_task};
use super::tries;
use super::unjudged::NO_ATTEMPTS;

/// Name of the columns of steps.
const STEPS: [&str; 7] = ["issued", "decided", "sent", "queued", "started", "ended", "received"];

/// Rows in the order of issue; steps in order, none left out before one that happened.
pub(super) fn steps(run: &Run<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut last = SimTime::ZERO;
    for (place, task) in run.tasks.iter().enumerate() {
        let issued = task.steps[0];
        if task.number != place as u64 {
            found.push(of_task(task.number, issued, &format!("has the row of task {place}")));
        }
        match issued {
            None => found.push(of_task(task.number, None, "was never issued")),
            Some(at) if at < last => {
                found.push(of_task(task.number, issued, "was issued before the one above it"));
            }
            Some(at) => last = at,
        }
        found.extend(out_of_order(task));
        let is_back = task.steps[6].is_some();
        if is_back != (task.state == TaskEnd::Completed) {
            found.push(of_task(task.number, issued, "is completed without results, or has them and is not"));
        }
        if task.state == TaskEnd::Rejected && task.steps[2].is_some() {
            found.push(of_task(task.number, issued, "is rejected, and was sent"));
        }
    }
    found
}

fn out_of_order(task: &TaskRow) -> Option<Violation> {
    let place = (1..STEPS.len()).find(|step| match (task.steps[step - 1], task.steps[*step]) {
        (before, Some(at)) => before.is_none_or(|before| before > at),
        (_, None) => false,
    })?;
    let what = format!("is {} before it is {}", STEPS[place], STEPS[place - 1]);
    Some(of_task(task.number, task.steps[place], &what))
}

/// Clients, classes and servers exist, and servers have as many processors as the task needs.
pub(super) fn possible(run: &Run<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for task in &run.tasks {
        let at = task.steps[0];
        let classes = run.facts.classes(&task.client);
        if classes.is_none_or(|classes| task.class >= classes as u64) {
            let what = format!("is of class {} of client `{}`, which is not there", task.class, task.client);
            found.push(of_task(task.number, at, &what));
        }
        let is_sent = task.steps[2].is_some();
        if task.server.is_empty() && !is_sent {
            continue;
        }
        match run.facts.server(&task.server) {
            None => found.push(of_task(
                task.number,
                at,
                &format!("is sent to `{}`, which is not there", task.server),
            )),
            Some(server) => {
                let processors = run.facts.station(JudgedStation::Server(server)).processors;
                if task.processors > u64::from(processors) {
                    let what = format!(
                        "needs {} processors of `{}`, which has {processors}",
                        task.processors, task.server
                    );
                    found.push(of_task(task.number, at, &what));
                }
            }
        }
    }
    found
}

/// The attempts of a task follow each other, on servers that are in question, and it has come back
/// as often as attempts were given up.
pub(super) fn again(run: &Run<'_>) -> Judgement {
    let attempts = run.attempts.as_ref().ok_or(NO_ATTEMPTS)?;
    let mut found = tries::judged(run, attempts);
    // of each task: how many were given up, and until when
    let mut by_task: OrderedMap<u64, (u64, SimTime)> = OrderedMap::new();
    for attempt in attempts {
        let issued = usize::try_from(attempt.task).ok().and_then(|place| run.tasks.get(place)?.steps[0]);
        let Some(issued) = issued else {
            found.push(of_task(attempt.task, Some(attempt.until), "is given up, and was never issued"));
            continue;
        };
        let (count, until) = by_task.entry(attempt.task).or_insert((0, issued));
        let in_order = *until <= attempt.decided
            && attempt.decided <= attempt.queued
            && attempt.queued <= attempt.until
            && (!attempt.is_late || attempt.queued == attempt.until);
        if !in_order {
            found.push(of_task(attempt.task, Some(attempt.until), "is given up before it could be"));
        }
        (*count, *until) = (*count + 1, attempt.until);
    }
    for task in &run.tasks {
        let none = (0, SimTime::ZERO);
        let (count, until) = by_task.get(&task.number).unwrap_or(&none);
        if *count != task.fallbacks {
            let what = format!("came back {} times, and {count} attempts were given up", task.fallbacks);
            found.push(of_task(task.number, task.steps[0], &what));
        }
        if task.steps[1].is_some_and(|decided| decided < *until) {
            found.push(of_task(task.number, task.steps[1], "has a server before the last one was given up"));
        }
    }
    Ok(found)
}

/// Late are tasks with a deadline, and no more often than `fallbacks` says.
pub(super) fn late(run: &Run<'_>) -> Judgement {
    run.attempts.as_ref().ok_or(NO_ATTEMPTS)?;
    let mut counts: OrderedMap<u64, u64> = OrderedMap::new();
    let mut found = Vec::new();
    for (attempt, task) in run.lost().filter(|(attempt, _)| attempt.is_late) {
        let count = counts.entry(attempt.task).or_default();
        *count += 1;
        if task.deadline.is_none() {
            found.push(of_task(
                attempt.task,
                Some(attempt.until),
                "is given up as late, and has no deadline",
            ));
        }
        if *count == run.files.fallbacks + 1 {
            let what = format!("is given up as late more than {} times", run.files.fallbacks);
            found.push(of_task(attempt.task, Some(attempt.until), &what));
        }
    }
    Ok(found)
}
