//! Instants at which tasks and transfers were ready and began: as soon as they could, by the rules
//! of cores and links.
//!
//! Data are ready once their writer has ended, or when a plan sends them that were there already. A
//! task is ready once the last of its data is there. A core begins its next task when both are
//! free, a link its next transfer; a plan may change what is next, at its own instant. Where
//! something can fail it may be put off, and this is not judged.

use crate::kernel::SimTime;
use crate::rows::PlanRow;

use super::path::before_on_core;
use super::run::{Run, TransferRow};
use super::tasks::{Held, previous};
use super::{FAILING, Judgement, LinkUse, NO_PLAN_FILE, NO_TRANSFERS, STOPPED, Violation};

/// Returns true if a plan was made at an instant.
fn is_planned_at(run: &Run<'_>, at: SimTime) -> bool {
    let plans = run.plans.as_deref().unwrap_or_default();
    let first = plans.partition_point(|plan| plan.at < at);
    plans.get(first).is_some_and(|plan| plan.at == at)
}

/// Checks that the instants of all decisions are in the files, and that nothing fails.
fn is_known(run: &Run<'_>) -> Result<(), &'static str> {
    match () {
        () if run.files.plans.is_none() => Err(NO_PLAN_FILE),
        () if run.files.stopped => Err(STOPPED),
        () if run.has_failures() => Err(FAILING),
        () => Ok(()),
    }
}

/// Tasks are ready once the last of their data is there, and begin when their cores are free.
pub(super) fn of_tasks(run: &Run<'_>) -> Judgement {
    is_known(run)?;
    let is_sent = |from: Option<usize>, to: Option<usize>| from.is_some() && to.is_some() && from != to;
    let loads = run.graph.loads.iter();
    if run.transfers.is_none() && loads.clone().any(|load| is_sent(run.origin(load), run.target(load))) {
        return Err(NO_TRANSFERS);
    }
    let last = run.last_transfers().unwrap_or_else(|_| vec![None; run.graph.loads.len()]);
    let rows = run.transfers.as_deref().unwrap_or_default();
    let mut there = vec![SimTime::ZERO; run.tasks.len()];
    for edge in &run.graph.edges {
        let end = run.row(edge.from).and_then(|row| row.end).unwrap_or_default();
        there[edge.to as usize] = there[edge.to as usize].max(end);
    }
    for (load, transfer) in loads.zip(last) {
        let (Some(task), Some(row)) = (load.to, transfer.map(|place| &rows[place])) else { continue };
        if is_sent(run.origin(load), run.target(load)) {
            there[task as usize] = there[task as usize].max(row.end.unwrap_or_default());
        }
    }
    let before = before_on_core(run);
    let mut found = Vec::new();
    for (task, row) in run.rows() {
        let (Some(ready), Some(start)) = (row.ready, row.start) else { continue };
        let there = there[task as usize];
        // a plan may be what they waited for; a task that was placed as the run went on has none
        let is_right = match row.planned {
            _ if ready == there => true,
            Some(_) => ready > there && is_planned_at(run, ready),
            None => ready >= there,
        };
        if !is_right {
            found.push(run.of_task(task, ready, "is ready, and not as the last of its data is there"));
        }
        let free = before[task as usize].and_then(|before| run.row(before)?.end).unwrap_or_default();
        if start != ready.max(free) && !(start > ready.max(free) && is_planned_at(run, start)) {
            found.push(run.of_task(
                task,
                start,
                "starts, and not as soon as it is ready and its core is free",
            ));
        }
    }
    Ok(found)
}

/// Data are ready once their writers have ended, and are sent when their links are free.
pub(super) fn of_transfers(run: &Run<'_>) -> Judgement {
    is_known(run)?;
    let rows = run.transfers.as_ref().ok_or(NO_TRANSFERS)?;
    let mut found = Vec::new();
    let mut free = vec![SimTime::ZERO; rows.len()];
    if run.platform.link_use() == LinkUse::OneByOne {
        for (span, before) in previous(&mut super::transfers::on_links(run)?) {
            let Held { holder, .. } = span;
            free[holder as usize] = free[holder as usize].max(before.end);
        }
    }
    for (row, free) in rows.iter().zip(free) {
        let (Some(load), Some(ready), Some(start)) = (row.load, row.ready, row.start) else { continue };
        let mut wrong = |at: SimTime, what: &str| {
            found.push(Violation::of_no_job(at, format!("{} {what}", row.name)));
        };
        let written = run.graph.loads[load].from.map_or(Some(SimTime::ZERO), |writer| run.row(writer)?.end);
        if !written.is_some_and(|written| is_begun(run, (ready, written), row)) {
            wrong(ready, "is ready, and not as its data are there");
        }
        let earliest = ready.max(free);
        if start != earliest && !(start > earliest && is_planned_at(run, start)) {
            wrong(start, "starts, and not as soon as it is ready and its links are free");
        }
    }
    Ok(found)
}

/// Returns true if data that were written then may be ready so: then, or when a plan had them sent.
fn is_begun(run: &Run<'_>, (ready, written): (SimTime, SimTime), row: &TransferRow) -> bool {
    let is_placed = row
        .load
        .and_then(|load| run.graph.loads[load].to)
        .is_some_and(|reader| run.row(reader).is_some_and(|row| row.planned.is_none()));
    // one that took over may have planned what another had placed
    let is_placed = is_placed || run.plans.iter().flatten().any(PlanRow::is_by_take_over);
    ready == written || (ready > written && (is_placed || is_planned_at(run, ready)))
}
