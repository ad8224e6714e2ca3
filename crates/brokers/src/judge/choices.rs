//! Servers by the rule of the scheduler, and the reasons for which there was none.

use serde_json::{Value as Json, json};

use crate::check::{Judgement, Recomputation, Violation};
use crate::collections::StableSort as _;
use crate::kernel::SimTime;

use super::facts::{ChoiceRule, JudgedStation, WholeRun};
use super::run::{Run, TaskEnd, TaskRow, of_task};
use super::unjudged::{CANDIDATES, NO_ATTEMPTS, NO_DECISIONS, QUESTION, REASONS};

/// Tasks have the servers that the scheduler's rule names, where files have what it goes by.
pub(super) fn chosen(run: &Run<'_>, whole: &WholeRun<'_>) -> Judgement {
    match run.files.asking.choice.ok_or(CANDIDATES)? {
        ChoiceRule::Predictions => by_decisions(run, 1, "least predicted time"),
        // those that would be late by predictions were left out
        ChoiceRule::Truth if run.files.asking.has_opt => Err(QUESTION),
        ChoiceRule::Truth => by_decisions(run, 4, "first results"),
        rule => {
            let attempts = run.attempts.as_ref().ok_or(NO_ATTEMPTS)?;
            let may_be_out = run.files.has_copies || run.files.asking.has_opt || !attempts.is_empty();
            if may_be_out || fails(run, whole) {
                return Err(QUESTION);
            }
            let sent: Vec<(usize, SimTime, &TaskRow)> = run
                .tasks
                .iter()
                .filter_map(|task| Some((run.facts.server(&task.server)?, task.steps[1]?, task)))
                .collect();
            if rule == ChoiceRule::Turn { in_turn(run, whole, sent) } else { Ok(fastest(run, whole, &sent)) }
        }
    }
}

/// Returns true if some server may fail.
fn fails(run: &Run<'_>, whole: &WholeRun<'_>) -> bool {
    (0..whole.servers.len()).any(|server| run.facts.fails(server))
}

/// The servers with the processors that a task needs.
fn able(run: &Run<'_>, whole: &WholeRun<'_>, processors: u64) -> impl Iterator<Item = usize> {
    let has = |server: usize| u64::from(run.facts.station(JudgedStation::Server(server)).processors);
    let able: Vec<usize> = (0..whole.servers.len()).filter(|server| has(*server) >= processors).collect();
    able.into_iter()
}

/// The server of each decision is the one that stands at a place of its row too.
fn by_decisions(run: &Run<'_>, place: usize, what: &str) -> Judgement {
    let rows = run.decisions.as_ref().ok_or(NO_DECISIONS)?;
    let others = rows.iter().filter(|row| row.steps[0].0 != row.steps[place].0);
    let violation = |row: &super::run::DecisionRow| {
        let [chosen, right] = [0, place].map(|place| &row.steps[place].0);
        let what = format!("goes to `{chosen}`, and `{right}` has the {what}");
        of_task(row.task, Some(row.time), &what)
    };
    Ok(others.map(violation).collect())
}

fn fastest(run: &Run<'_>, whole: &WholeRun<'_>, sent: &[(usize, SimTime, &TaskRow)]) -> Vec<Violation> {
    let performance = |server: usize| whole.servers.get(server).map_or(0.0, |server| server.performance);
    let mut found = Vec::new();
    for (server, decided, task) in sent {
        let mut all = able(run, whole, task.processors);
        let right = all.by_ref().reduce(
            |best, other| {
                if performance(other) > performance(best) { other } else { best }
            },
        );
        if let Some(right) = right.filter(|right| right != server) {
            let what =
                format!("goes to `{}`, and `{}` is the fastest", task.server, whole.servers[right].name);
            found.push(of_task(task.number, Some(*decided), &what));
        }
    }
    found
}

/// Servers take turns; of tasks that are decided on at one instant, the order is not known.
fn in_turn(run: &Run<'_>, whole: &WholeRun<'_>, mut sent: Vec<(usize, SimTime, &TaskRow)>) -> Judgement {
    let count = whole.servers.len();
    if sent.iter().any(|(.., task)| able(run, whole, task.processors).count() < count) {
        return Err(QUESTION);
    }
    sent.stable_sort_by_key(|(_, decided, _)| *decided);
    let (mut found, mut turn) = (Vec::new(), 0);
    for group in sent.chunk_by(|one, other| one.1 == other.1) {
        let mut right: Vec<usize> = (turn..turn + group.len()).map(|turn| turn % count).collect();
        right.sort_unstable();
        let mut servers: Vec<usize> = group.iter().map(|(server, ..)| *server).collect();
        servers.sort_unstable();
        if servers != right {
            let (_, decided, task) = group[0];
            found.push(of_task(task.number, Some(decided), "goes to a server whose turn it is not"));
            // the turns behind it would be off as well
            break;
        }
        turn += group.len();
    }
    Ok(found)
}

/// The numbers of rejections by reason.
pub(super) fn rejections(run: &Run<'_>, whole: &WholeRun<'_>, found: &mut Recomputation) {
    let rejected =
        || run.tasks.iter().filter(|task| run.is_observed(task) && task.state == TaskEnd::Rejected);
    let all = rejected().count() as u64;
    let too_wide =
        rejected().filter(|task| able(run, whole, task.processors).next().is_none()).count() as u64;
    // where no server fails, each that is wide enough is up: the scheduler chose none
    let counts = [("too-few-processors", too_wide), ("none-chosen", all - too_wide)];
    let mut right: Vec<(&str, u64)> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
    right.stable_sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let stated = &whole.summary["rejections"];
    let count = |row: &Json| row["count"].as_u64().unwrap_or(u64::MAX);
    let rows = stated.as_array().map_or(&[][..], |rows| rows);
    let sum = rows.iter().map(count).fold(0, u64::saturating_add);
    let wide = rows.iter().filter(|row| row["reason"] == "too-few-processors").map(count).sum::<u64>();
    if fails(run, whole) && too_wide < all && (sum, wide) == (all, too_wide) {
        return found.never("rejections", REASONS);
    }
    if !right.is_empty() || !stated.is_null() {
        let rows = right.into_iter().map(|(reason, count)| json!({ "reason": reason, "count": count }));
        found.value("rejections", rows.collect());
    }
}
