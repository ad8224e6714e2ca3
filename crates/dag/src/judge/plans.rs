//! Plans: consistent by themselves, executed in their order, and never of a task that has started.
//!
//! Of each task the files have the place in the plan by which it started. That plan is the last one
//! made until then, or an earlier one whose places that one kept; so times of tasks that have the
//! same last plan fit each other, and others need not. Where something took no time at the instant
//! of a plan, it is not known which tasks started before the plan, and these are not compared.

use crate::collections::{OrderedSet, StableSort as _};
use crate::kernel::SimTime;
use crate::rows::PlanRow;

use super::cores;
use super::run::{Run, TaskRow};
use super::tasks::{Held, executions, out_of_order, overlaps};
use super::{CONSERVING, Judgement, NO_PLANS, SEVERAL, Violation};

fn plans<'r, 'a>(run: &'r Run<'a>) -> Result<&'r [PlanRow<'a>], &'static str> {
    run.plans.as_deref().ok_or(NO_PLANS)
}

/// Number of plans that were made until a task started, or in all if it has not.
fn made_until(plans: &[PlanRow<'_>], row: &TaskRow) -> usize {
    row.start.map_or(plans.len(), |start| plans.partition_point(|plan| plan.at <= start))
}

/// Returns true if tasks were placed as the run went on at some time of this instant: a scheduler
/// of that kind had taken over, or another took over from one. Such a scheduler has a row without
/// tasks, if it is not the first.
fn is_placed_in_progress(plans: &[PlanRow<'_>], at: SimTime) -> bool {
    let mut take_overs = plans.iter().filter(|plan| plan.is_by_take_over()).peekable();
    let mut is_in_progress = take_overs.peek().is_some_and(|first| plans[0].at >= first.at);
    while let Some(plan) = take_overs.next_if(|plan| plan.at < at) {
        is_in_progress = plan.tasks == 0;
    }
    is_in_progress || take_overs.any(|plan| plan.at == at && plan.tasks == 0)
}

/// Plans are made for a reason: a workflow arrives, tasks have ended, a period is over, something
/// fails or another scheduler takes over.
pub(super) fn caused(run: &Run<'_>) -> Judgement {
    let plans = plans(run)?;
    let ends: OrderedSet<SimTime> = run.attempts.all.iter().filter_map(|attempt| attempt.end).collect();
    let is_ended = |at: SimTime| ends.contains(&at);
    let is_lost = run.platform.may_fail();
    let has_no_reason = |plan: &&PlanRow<'_>| match &*plan.cause {
        "arrival" => !run.files.workflows.iter().any(|workflow| workflow.arrival == plan.at),
        // the end of an attempt that was lost is in no file
        "completion" | "deviation" => !is_ended(plan.at) && (run.attempts.is_recorded || !is_lost),
        "period" => run
            .files
            .period
            .is_some_and(|period| !plan.at.as_nanos().is_multiple_of(period.as_nanos().max(1))),
        "failure" => !is_lost,
        "take-over" => false,
        _ => true,
    };
    let wrong = plans.iter().filter(has_no_reason);
    let words =
        |plan: &PlanRow<'_>| format!("a plan is made because of `{}`, and there is none", &*plan.cause);
    Ok(wrong.map(|plan| Violation::of_no_job(plan.at, words(plan))).collect())
}

/// Plans have places for tasks that have not started, and only these are moved.
pub(super) fn not_started(run: &Run<'_>) -> Judgement {
    let plans = plans(run)?;
    let mut found = Vec::new();
    if let Some(pair) = plans.windows(2).find(|pair| pair[0].at > pair[1].at) {
        return Ok(vec![Violation::of_no_job(pair[1].at, "a plan stands after a later one".to_owned())]);
    }
    // the last end, and whether a host had failed, up to each plan
    let until = plans.iter().scan((SimTime::ZERO, false), |(last, has_failed), plan| {
        (*last, *has_failed) = (plan.end.max(*last), *has_failed || plan.is_by_failure());
        Some((*last, *has_failed))
    });
    let until: Vec<(SimTime, bool)> = until.collect();
    for (task, row) in run.rows() {
        let made = made_until(plans, row).checked_sub(1).map(|place| until[place]);
        let what = match (row.planned, made) {
            (None, _) if row.start.is_some_and(|start| is_placed_in_progress(plans, start)) => continue,
            // a scheduler that takes over when all tasks have started has no row
            (None, None) if run.files.takes_over => continue,
            (None, _) if row.start.is_some() => "starts and has no place in a plan",
            (Some(_), None) => "starts before there is a plan",
            (Some((_, end)), Some((last, _))) if end > last => {
                "is planned to end after all plans that were made until it started"
            }
            (Some(_), Some((_, false))) if row.attempts > 1 && !run.attempts.is_recorded => {
                "is started again, and no host has failed"
            }
            _ => continue,
        };
        found.push(run.of_task(task, row.start.unwrap_or_default(), what));
    }
    let again = run.rows().filter(|(_, row)| row.attempts > 1 && !run.attempts.is_recorded).count();
    let mut starts: Vec<SimTime> = run.attempts.all.iter().map(|attempt| attempt.start).collect();
    let mut lost: Vec<SimTime> = run.attempts.all.iter().filter_map(|attempt| attempt.lost).collect();
    starts.stable_sort();
    lost.stable_sort();
    let planned = || run.rows().filter_map(|(_, row)| row.planned);
    for (place, plan) in plans.iter().enumerate() {
        let lost = lost.partition_point(|lost| *lost <= plan.at);
        let started = starts.partition_point(|start| *start < plan.at).saturating_sub(again + lost);
        let open = (run.tasks.len() - started) as u64;
        let last = planned().map(|(_, end)| end).max();
        let what = match () {
            () if plan.tasks > open => {
                format!("a plan has {} tasks, and {open} have not started", plan.tasks)
            }
            () if plan.moved > plan.tasks || (place == 0 && plan.moved > 0 && !plan.is_by_take_over()) => {
                format!("a plan of {} tasks moves {}", plan.tasks, plan.moved)
            }
            () if plans.len() > 1 || plan.is_by_take_over() => continue,
            // a task whose hosts are all down has no place until one is repaired
            () if run.has_failures() && (planned().count() as u64) < plan.tasks => continue,
            () if plan.tasks != planned().count() as u64 => {
                format!("a plan has {} tasks, and {} have places", plan.tasks, planned().count())
            }
            () if last.is_some_and(|last| last != plan.end) => {
                format!("a plan ends at {}, and its last task at {}", plan.end, last.unwrap_or_default())
            }
            () => continue,
        };
        found.push(Violation::of_no_job(plan.at, what));
    }
    Ok(found)
}

/// By task, its last plan and its times in it, where these are known.
fn places(run: &Run<'_>, plans: &[PlanRow<'_>]) -> Vec<Option<(usize, SimTime, SimTime)>> {
    let attempts = run.attempts.all.iter().filter(|attempt| attempt.over() == Some(attempt.start));
    let tasks = attempts.map(|attempt| attempt.start);
    // attempts that failures lost may be in no file
    let is_whole = run.attempts.is_recorded || !run.has_failures();
    let transfers = run.transfers.iter().flatten();
    let transfers = transfers.filter_map(|row| row.start.filter(|start| row.end == Some(*start)));
    let no_time: OrderedSet<SimTime> = tasks.chain(transfers).collect();
    let place = |row: &TaskRow| {
        let (start, end) = row.planned?;
        let made = made_until(plans, row);
        let last = plans.get(made.checked_sub(1)?)?;
        let is_known = made == 1 || row.start != Some(last.at) || (is_whole && !no_time.contains(&last.at));
        is_known.then_some((made, start, end))
    };
    run.tasks.iter().map(|row| row.as_ref().and_then(place)).collect()
}

/// A plan gives no core two tasks at once, and no child a start before its parents' ends.
pub(super) fn consistent(run: &Run<'_>) -> Judgement {
    let places = places(run, plans(run)?);
    let mut found = Vec::new();
    for (task, row) in run.rows() {
        let at = row.start.unwrap_or_default();
        if row.planned.is_some_and(|(start, end)| end < start) {
            found.push(run.of_task(task, at, "is planned to end before it starts"));
        }
        if row.start.zip(row.predicted).is_some_and(|(start, predicted)| predicted < start) {
            found.push(run.of_task(task, at, "is predicted to end before it starts"));
        }
    }
    let spans = run.rows().flat_map(|(holder, row)| {
        let place = places[holder as usize].into_iter();
        let held = cores::held(row.host.zip(row.core), &row.further);
        place.flat_map(move |(plan, start, end)| {
            held.clone().map(move |(host, core)| Held {
                resource: (plan, host, core),
                start,
                end,
                rank: 0,
                holder,
            })
        })
    });
    for (span, before) in overlaps(&mut spans.collect::<Vec<_>>()) {
        let what = format!("is planned on a core that is to compute `{}`", run.name(before.holder));
        found.push(run.of_task(span.holder, span.start, &what));
    }
    // data of an earlier attempt of a parent may be on the host of its child
    for (_, edge, ..) in run.edges().filter(|(_, _, parent, _)| parent.is_some()) {
        let pair = places[edge.from as usize].zip(places[edge.to as usize]);
        if let Some(((plan, _, end), (other, start, _))) = pair
            && plan == other
            && start < end
        {
            let what = format!("is planned to start before `{}` is to end", run.name(edge.from));
            found.push(run.of_task(edge.to, start, &what));
        }
    }
    Ok(found)
}

/// Cores compute their tasks in the planned order.
pub(super) fn in_order(run: &Run<'_>) -> Judgement {
    if run.files.work_conserving {
        return Err(CONSERVING);
    }
    if plans(run)?.len() > 1 {
        return Err(SEVERAL);
    }
    let pairs = out_of_order(&mut executions(run)).into_iter().map(|(span, late)| {
        let what = format!("starts before `{}`, which is planned first", run.name(late.holder));
        run.of_task(span.holder, span.start, &what)
    });
    Ok(pairs.collect())
}
