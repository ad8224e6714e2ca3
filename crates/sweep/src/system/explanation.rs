//! Explanation of the place of a task: what its heuristic saw, the grounds on which it got its slot
//! or its host, and what it waited for; and of a host: what it did.

use serde_json::{Map, Value as Json, json};

use crate::collections::StableSort as _;
use crate::estimate::predictions::SubTask;
use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::HostNumber;
use crate::output::number::{clock, counted, grouped, lasting};
use crate::output::{ExplainedSpan, Explanation, Paragraph};
use crate::results::host_time::{HostTimeAccount, ProcessorSpan, ProcessorUse};
use crate::results::record::{NextTask, SlotChoice, SweepOutcomes, TakenTask};

use crate::heuristic::{ComparedValue, DecidingNumber, Rank};
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
            members.extend(grounds_as_data(outcomes, choice));
            texts.extend(considered(outcomes, choice));
        }
        None => {
            if let Some(taken) = outcomes.taken.last() {
                members.insert("decided".to_owned(), json!(taken.at.as_secs_f64()));
                members.insert("among".to_owned(), json!(taken.among));
                members.insert("tie".to_owned(), json!("first-in-order"));
                let bytes = taken.bytes.map(|bytes| json!({ "bytes-there": bytes }));
                members.insert("compared".to_owned(), bytes.unwrap_or_else(|| json!({})));
                texts.push(was_taken(outcomes, taken));
            }
        }
    }
    texts.push(executed(outcomes, task));
    let paragraphs = texts.into_iter().map(|text| Paragraph { text, span: None }).collect();
    Explanation { title: format!("Task `{name}`"), members, paragraphs }
}

fn completions(outcomes: &SweepOutcomes, choice: &SlotChoice) -> Json {
    let of = |found: &crate::plan::chart::ClusterCompletion| {
        json!({
            "cluster": outcomes.grid.cluster(found.cluster).name,
            "host": outcomes.grid.host(found.host).name,
            "completion": SimTime::from_nanos(found.completion).as_secs_f64(),
        })
    };
    choice.completions.iter().map(of).collect()
}

/// Choices that the heuristic saw.
fn considered(outcomes: &SweepOutcomes, choice: &SlotChoice) -> Vec<String> {
    let grid = &outcomes.grid;
    let mut texts = vec![format!(
        "It was planned at {}, as one of {} tasks; {} had slots before it",
        clock(choice.at),
        grouped(choice.among),
        grouped(choice.before)
    )];
    let mut clusters = choice.completions.clone();
    clusters.stable_sort_by_key(|found| (found.completion, found.cluster));
    let on = clusters.iter().take(NAMED).map(|found| {
        let (cluster, host) = (&grid.cluster(found.cluster).name, &grid.host(found.host).name);
        let at = clock(SimTime::from_nanos(found.completion));
        format!("\n  - {at} on cluster `{cluster}`, host `{host}`")
    });
    texts.push(format!("It would have been completed{}", on.collect::<String>()));
    texts.extend(grounds(outcomes, choice));
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

/// Activity of a processor in a span, in words.
fn said(outcomes: &SweepOutcomes, host: HostNumber, span: &ProcessorSpan) -> String {
    let task = span.task.map_or("", |task| &outcomes.sweep.task(task).name);
    match span.used {
        ProcessorUse::Computes => format!("it computed task `{task}`"),
        ProcessorUse::Discards => format!("it computed task `{task}`, which ended on another host first"),
        ProcessorUse::Loses => format!("it computed task `{task}`, which was lost"),
        ProcessorUse::Absent => "the host was not there".to_owned(),
        ProcessorUse::NoTask => "tasks had not started, and it had been given none of them".to_owned(),
        ProcessorUse::NotFirst => {
            format!("the inputs of task `{task}` were there, and it was not the first of the queue")
        }
        ProcessorUse::NothingLeft => "every task had started".to_owned(),
        ProcessorUse::WaitsForFile => {
            let Some((file, carried)) = span.file else { return String::new() };
            let grid = &outcomes.grid;
            let name = grid.link_name(carried.link);
            let of = if carried.link.index() < grid.clusters.len() { "of " } else { "" };
            let source = grid.source_of(carried.link, grid.host(host).cluster);
            let source = source.map(|source| format!(", from cluster `{}`", grid.cluster(source).name));
            format!(
                "task `{task}` lacked its input `{}`, which was on the link {of}`{name}` from {} to {}{}",
                outcomes.sweep.file(file).name,
                clock(carried.start),
                clock(carried.end),
                source.unwrap_or_default()
            )
        }
    }
}

/// The explanation of a host: span by span what its processors did, or why nothing.
pub(super) fn of_host(outcomes: &SweepOutcomes, host: HostNumber) -> Explanation {
    let described = outcomes.grid.host(host);
    let mut members = Map::new();
    members.insert("host".to_owned(), json!(described.name));
    members.insert("cluster".to_owned(), json!(outcomes.grid.cluster(described.cluster).name));
    let processors = HostTimeAccount::of(outcomes).processors(host);
    let mut sums = vec![0.0; ProcessorUse::ALL.len()];
    for span in processors.iter().flatten() {
        let place = ProcessorUse::ALL.iter().position(|used| *used == span.used);
        sums[place.unwrap_or(0)] += span.end.since(span.start).as_secs_f64();
    }
    let sums = ProcessorUse::ALL.iter().zip(sums).map(|(used, sum)| (used.name().to_owned(), json!(sum)));
    members.insert("seconds".to_owned(), Json::Object(sums.collect()));
    let mut paragraphs = Vec::new();
    for (number, spans) in processors.iter().enumerate() {
        for span in spans {
            let said = said(outcomes, host, span);
            let (processor, one) = (format!("on processor {number} "), processors.len() == 1);
            let mut members = Map::new();
            members.insert("processor".to_owned(), json!(number));
            members.insert("use".to_owned(), json!(span.used.name()));
            let task = span.task.map(|task| &*outcomes.sweep.task(task).name);
            members.insert("task".to_owned(), json!(task));
            let file = span.file.map(|(file, ..)| &*outcomes.sweep.file(file).name);
            members.insert("file".to_owned(), json!(file));
            let (from, to) = (span.start, span.end);
            let points_are = ("", "points");
            paragraphs.push(Paragraph {
                text: if one { said } else { processor + &said },
                span: Some(ExplainedSpan { from, to, members, points_are, points: Vec::new() }),
            });
        }
    }
    Explanation { title: format!("Host `{}`", described.name), members, paragraphs }
}

/// Cause of a start later than planned: what the task's processor did from then on.
fn delayed_by(outcomes: &SweepOutcomes, task: TaskNumber, planned: SimTime, start: SimTime) -> String {
    let Some(host) = outcomes.tasks[task.index()].host else { return String::new() };
    let processors = HostTimeAccount::of(outcomes).processors(host);
    let its = processors.iter().find(|spans| {
        spans
            .iter()
            .any(|span| span.task == Some(task) && span.start == start && span.used == ProcessorUse::Computes)
    });
    let between = its.into_iter().flatten().filter(|span| span.start < start && span.end > planned);
    let lines = between.map(|span| {
        let (from, to) = (clock(span.start.max(planned)), clock(span.end));
        format!("\n  - from {from} to {to} {}", said(outcomes, host, span))
    });
    lines.collect::<Vec<_>>().concat()
}

/// Outcome of it, and what it waited for.
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
            text += &delayed_by(outcomes, task, planned, start);
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
            if let Some(source) = outcomes.source_of(run) {
                text += &format!(", from cluster `{}`", grid.cluster(source).name);
            }
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

/// Grounds of a slot, in sentences.
fn grounds(outcomes: &SweepOutcomes, choice: &SlotChoice) -> Vec<String> {
    let mut texts: Vec<String> = same_elsewhere(outcomes, choice).into_iter().collect();
    let compared = |of: &[DecidingNumber]| of.iter().map(|one| said_of(*one)).collect::<Vec<_>>().join(", ");
    if !choice.compared.is_empty() {
        texts.push(format!("Its heuristic compared {}", compared(&choice.compared)));
    } else if let Some(Rank(first, second)) = choice.rank {
        texts.push(format!("Its heuristic compared its rank, {first} and {second}"));
    }
    if choice.rank.is_none() {
        texts.push("It was the first in order".to_owned());
    }
    if let (Some(rank), Some(NextTask { task, rank: other, compared: of_next })) = (choice.rank, &choice.next)
    {
        let next = &outcomes.sweep.task(*task).name;
        texts.push(match choice.drawn_from {
            Some(count) if count > 1 => format!(
                "It was drawn by chance out of {} tasks that were as urgent; task `{next}` is one, or would have been next",
                grouped(count)
            ),
            _ if rank == *other => format!(
                "Task `{next}` was as urgent, and comes later in order: of equal tasks the first is taken"
            ),
            _ if of_next.is_empty() => format!("Task `{next}` would have been next"),
            _ => format!("Task `{next}` would have been next: {}", compared(of_next)),
        });
    }
    texts
}

/// Grounds of a slot, for programs: the numbers compared, the rank, the tie rule where it was
/// asked, and the task that would have been next.
fn grounds_as_data(outcomes: &SweepOutcomes, choice: &SlotChoice) -> Map<String, Json> {
    let numbers = |of: &[DecidingNumber]| -> Json {
        Json::Object(of.iter().map(|one| (one.name.to_owned(), value_of(one.value))).collect())
    };
    let rank = |Rank(first, second): Rank| json!([first + 0.0, second + 0.0]);
    let tie = match (choice.rank, &choice.next) {
        _ if choice.drawn_from.is_some_and(|count| count > 1) => Some("drawn"),
        (None, _) => Some("first-in-order"),
        (Some(rank), Some(next)) if rank == next.rank => Some("first-in-order"),
        _ => None,
    };
    let next = choice.next.as_ref().map(|next| {
        let name = &outcomes.sweep.task(next.task).name;
        json!({ "task": &**name, "rank": rank(next.rank), "compared": numbers(&next.compared) })
    });
    let members = [
        ("compared", numbers(&choice.compared)),
        ("rank", json!(choice.rank.map(rank))),
        ("tie", json!(tie)),
        ("drawn-from", json!(choice.drawn_from)),
        ("among", json!(choice.among)),
        ("before", json!(choice.before)),
        ("next", json!(next)),
    ];
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A compared number for programs: seconds, or a count.
fn value_of(value: ComparedValue) -> Json {
    match value {
        ComparedValue::At(at) => json!(at.as_secs_f64()),
        ComparedValue::Span(nanos) => json!(nanos / 1e9 + 0.0),
        ComparedValue::Count(count) => json!(count),
        ComparedValue::None => Json::Null,
    }
}

/// A compared number in a sentence.
fn said_of(one: DecidingNumber) -> String {
    let value = match one.value {
        ComparedValue::At(at) => clock(at),
        ComparedValue::Span(nanos) => lasting(SimDuration::from_nanos(nanos.round() as u64)),
        ComparedValue::Count(count) => grouped(count),
        ComparedValue::None => "none".to_owned(),
    };
    format!("{} {value}", one.about)
}

/// Other clusters on which the task would have been completed at the same instant.
fn same_elsewhere(outcomes: &SweepOutcomes, choice: &SlotChoice) -> Option<String> {
    let least = choice.completions.iter().map(|found| found.completion).min()?;
    let same = choice.completions.iter().filter(|found| found.completion == least);
    let names: Vec<String> =
        same.map(|found| format!("`{}`", outcomes.grid.cluster(found.cluster).name)).collect();
    (names.len() > 1 && choice.rank.is_some())
        .then(|| format!("Clusters {} were equal: the first is taken", names.join(", ")))
}

/// Reason for which a host took a task, where nothing is planned.
fn was_taken(outcomes: &SweepOutcomes, taken: &TakenTask) -> String {
    let (host, at) = (&outcomes.grid.host(taken.host).name, clock(taken.at));
    let among = counted(taken.among, "task");
    let text = format!("Nothing was planned: host `{host}` was idle at {at}, and took it out of {among}");
    match taken.bytes {
        None => format!("{text} as the first in order that it can run"),
        Some(0) => format!("{text} as the first in order that it can run: no bytes of any inputs were there"),
        Some(bytes) => format!(
            "{text} as {} bytes of its inputs were on the cluster, of none more; of equal tasks the first is taken",
            grouped(bytes)
        ),
    }
}
