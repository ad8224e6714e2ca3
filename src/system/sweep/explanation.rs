//! Why a task is where it is: what its heuristic saw, and what it waited for.

use serde_json::{Map, Value as Json, json};

use crate::kernel::{SimDuration, SimTime};
use crate::output::number::{clock, grouped, lasting};
use crate::output::{Explanation, Paragraph};
use crate::sweep::choice::SlotChoice;
use crate::sweep::predictions::SubTask;
use crate::sweep::record::SweepOutcomes;
use crate::workflow::{FileNumber, TaskNumber};

/// Differences to a plan up to this are those of rounding.
const NOTICED: SimDuration = SimDuration::from_nanos(1_000);
/// Clusters and files that are named.
const NAMED: usize = 8;

/// The explanation of a task.
pub(super) fn of(outcomes: &SweepOutcomes, task: TaskNumber) -> Explanation {
    let name = &outcomes.sweep.task(task).name;
    let record = &outcomes.tasks[task.index()];
    let mut members = Map::new();
    members.insert("task".to_owned(), json!(&**name));
    members.insert("attempts".to_owned(), json!(record.attempts));
    let mut texts: Vec<String> = Vec::new();
    // the plan by which it started is the last of which it was a part
    match outcomes.choices.last() {
        Some(choice) => {
            members.insert("decided".to_owned(), json!(choice.at.as_secs_f64()));
            members.insert("completions".to_owned(), completions(outcomes, choice));
            texts.extend(considered(outcomes, choice));
        }
        None if record.host.is_some() && outcomes.plans.first().is_some_and(|plan| plan.looks == 0) => {
            texts.push("Nothing was planned: a host that was idle took it".to_owned());
        }
        None => {}
    }
    texts.push(executed(outcomes, task));
    let paragraphs = texts.into_iter().map(|text| Paragraph { text, span: None }).collect();
    Explanation { title: format!("Task `{name}`"), members, paragraphs }
}

fn completions(outcomes: &SweepOutcomes, choice: &SlotChoice) -> Json {
    let of = |found: &crate::sweep::chart::ClusterCompletion| {
        json!({
            "cluster": outcomes.grid.cluster(found.cluster).name,
            "host": outcomes.grid.host(found.host).name,
            "completion": SimTime::from_nanos(found.completion).as_secs_f64(),
        })
    };
    choice.completions.iter().map(of).collect()
}

/// What the heuristic saw.
fn considered(outcomes: &SweepOutcomes, choice: &SlotChoice) -> Vec<String> {
    let grid = &outcomes.grid;
    let mut texts = vec![format!(
        "It was planned at {}, as one of {} tasks; {} had slots before it",
        clock(choice.at),
        grouped(choice.among),
        grouped(choice.before)
    )];
    let mut clusters = choice.completions.clone();
    clusters.sort_by_key(|found| (found.completion, found.cluster));
    let on = clusters.iter().take(NAMED).map(|found| {
        let (cluster, host) = (&grid.cluster(found.cluster).name, &grid.host(found.host).name);
        let at = clock(SimTime::from_nanos(found.completion));
        format!("\n  - {at} on cluster `{cluster}`, host `{host}`")
    });
    texts.push(format!("It would have been completed{}", on.collect::<String>()));
    if let (Some(rank), Some((next, other))) = (choice.rank, choice.next) {
        let next = &outcomes.sweep.task(next).name;
        texts.push(if rank == other {
            format!("Task `{next}` was as urgent, and comes later in order")
        } else {
            format!("Task `{next}` would have been next")
        });
    }
    let names = |files: &[FileNumber]| {
        let named = files.iter().take(NAMED).map(|file| format!("`{}`", outcomes.sweep.file(*file).name));
        named.collect::<Vec<_>>().join(", ")
    };
    texts.push(match (&choice.found[..], &choice.sent[..]) {
        ([], []) => "It reads no files".to_owned(),
        (found, []) => format!("All its inputs were there, or to be sent for other tasks: {}", names(found)),
        ([], sent) => format!("All its inputs had to be sent: {}", names(sent)),
        (found, sent) => {
            format!(
                "Of its inputs {} were there, or to be sent for other tasks; {} had to be sent",
                names(found),
                names(sent)
            )
        }
    });
    let slot = choice.slot;
    texts.push(format!(
        "It was planned on host `{}` from {} to {}, and to be completed at {}",
        grid.host(slot.host).name,
        clock(SimTime::from_nanos(slot.start)),
        clock(SimTime::from_nanos(slot.end)),
        clock(SimTime::from_nanos(slot.completion))
    ));
    texts
}

/// What became of it, and what it waited for.
fn executed(outcomes: &SweepOutcomes, task: TaskNumber) -> String {
    let record = &outcomes.tasks[task.index()];
    let (Some(host), Some(start)) = (record.host, record.start) else {
        return "It has not started".to_owned();
    };
    let (grid, sweep) = (&outcomes.grid, &outcomes.sweep);
    let mut text = format!("It started on host `{}` at {}", grid.host(host).name, clock(start));
    if record.attempts > 1 {
        text += &format!(", for the {}. time", record.attempts);
    }
    if let Some(planned) = outcomes.choices.last().map(|choice| SimTime::from_nanos(choice.slot.start)) {
        if start.since(planned.min(start)) > NOTICED {
            text += &format!(", {} later than planned", lasting(start.since(planned)));
        } else if planned.since(start.min(planned)) > NOTICED {
            text += &format!(", {} earlier than planned", lasting(planned.since(start)));
        }
    }
    let arrivals = outcomes.transfers.iter().filter(|run| {
        let SubTask::Input(file) = run.transfer.file else { return false };
        run.transfer.cluster == grid.host(host).cluster && sweep.task(task).inputs.contains(&file)
    });
    let last_input = arrivals
        .filter_map(|run| Some((run.end.filter(|end| *end <= start)?, run)))
        .max_by_key(|(end, _)| *end);
    let before = outcomes
        .tasks
        .iter()
        .zip(0_u32..)
        .filter(|(other, number)| other.host == Some(host) && *number != task.0);
    let last_task =
        before.filter_map(|(other, number)| Some((other.end.filter(|end| *end <= start)?, number))).max();
    match (last_input, last_task) {
        (Some((arrived, run)), ended) if ended.is_none_or(|(ended, _)| arrived > ended) => {
            let SubTask::Input(file) = run.transfer.file else { return text };
            text += &format!(
                "\n  - its last input, `{}`, was on the link from {} to {}",
                sweep.file(file).name,
                clock(run.start),
                clock(arrived)
            );
        }
        (_, Some((ended, other))) => {
            let name = &sweep.task(TaskNumber(other)).name;
            text += &format!("\n  - the host computed task `{name}` until {}", clock(ended));
        }
        _ => {}
    }
    for run in outcomes.discarded.iter().filter(|run| run.task == task) {
        let which = if run.start < start { "before" } else { "as a second copy" };
        text += &format!(
            "\n  - host `{}` computed it {which}, from {} to {}, and was cancelled",
            grid.host(run.host).name,
            clock(run.start),
            clock(run.end)
        );
    }
    if let (Some(end), Some(completed)) = (record.end, record.completed) {
        text += &format!(
            "\n  - it ended at {}, and its outputs were at the origin at {}",
            clock(end),
            clock(completed)
        );
    }
    text
}
