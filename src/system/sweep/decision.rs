//! Grounds on which a task got its slot or its host: numbers, ties, and the task that would have
//! been next.

use serde_json::{Map, Value as Json, json};

use crate::kernel::SimDuration;
use crate::output::number::{clock, grouped, lasting};
use crate::sweep::heuristic::choice::{NextTask, SlotChoice, TakenTask};
use crate::sweep::heuristic::{ComparedValue, DecidingNumber, Rank};
use crate::sweep::results::record::SweepOutcomes;

/// Grounds of a slot, in sentences.
pub(super) fn said(outcomes: &SweepOutcomes, choice: &SlotChoice) -> Vec<String> {
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
pub(super) fn members(outcomes: &SweepOutcomes, choice: &SlotChoice) -> Map<String, Json> {
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
pub(super) fn was_taken(outcomes: &SweepOutcomes, taken: &TakenTask) -> String {
    let (host, at) = (&outcomes.grid.host(taken.host).name, clock(taken.at));
    let (among, plural) = (grouped(taken.among), if taken.among == 1 { "" } else { "s" });
    let text = format!(
        "Nothing was planned: host `{host}` was idle at {at}, and took it out of {among} task{plural}"
    );
    match taken.bytes {
        None => format!("{text} as the first in order that it can run"),
        Some(0) => format!("{text} as the first in order that it can run: no bytes of any inputs were there"),
        Some(bytes) => format!(
            "{text} as {} bytes of its inputs were on the cluster, of none more; of equal tasks the first is taken",
            grouped(bytes)
        ),
    }
}
