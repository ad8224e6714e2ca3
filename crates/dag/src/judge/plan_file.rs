//! `plan.json`, which has the plan as it was executed: what tasks and transfers say once more.

use serde_json::Value as Json;

use crate::check::near;
use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::SimTime;

use super::run::{Run, TaskRow};
use super::{Judgement, NO_TRANSFERS, Violation};

const NO_FILE: &str = "the run has no plan.json (record.tasks)";

/// The file has the places of tasks by core, in their order, and with each task the places of its
/// transfers.
pub(super) fn agrees(run: &Run<'_>) -> Judgement {
    let text = run.files.plan_file.ok_or(NO_FILE)?;
    let wrong = |what: String| Violation::of_no_job(SimTime::ZERO, format!("plan.json {what}"));
    let Ok(Json::Array(rows)) = serde_json::from_str(text) else {
        return Ok(vec![wrong("is no list".to_owned())]);
    };
    let order = order(run);
    let mut found = Vec::new();
    if rows.len() != order.len() {
        found.push(wrong(format!("has {} tasks, and {} have places", rows.len(), order.len())));
    }
    let places = places(run);
    let into = run.graph.loads_into();
    let mut control: Vec<Vec<u32>> = vec![Vec::new(); run.tasks.len()];
    for edge in run.graph.edges.iter().filter(|edge| edge.bytes.is_none()) {
        control[edge.to as usize].push(edge.from);
    }
    for (row, task) in rows.iter().zip(order) {
        let (Some(of_task), name) = (run.row(task), plan_name(run, task)) else { continue };
        let is_text = |key: &str, right: &str| row[key].as_str() == Some(right);
        let is_time = |key: &str, right: Option<SimTime>| {
            row[key].as_f64().zip(right).is_some_and(|(stated, right)| near(stated, right.as_secs_f64()))
        };
        let host = of_task.host.map_or("", |host| run.platform.host_name(host));
        let (start, end) = of_task.planned.unzip();
        let what = match () {
            () if !is_text("task", name) => format!("has {} where {name} has its place", row["task"]),
            () if !is_text("host", host) || !is_on(row, of_task) => {
                format!("has {name} on other cores")
            }
            () if !is_time("start", start) || !is_time("end", end) => format!("has other times of {name}"),
            () => match &places {
                Ok(places) if row["transfers"] != sent_to(run, places, task, (&into, &control)) => {
                    format!("has other places of the transfers of {name}")
                }
                _ => continue,
            },
        };
        found.push(wrong(what));
    }
    Ok(found)
}

/// The tasks that have places, those of each core in its order: core by core, or host by host where
/// tasks may have several.
fn order(run: &Run<'_>) -> Vec<u32> {
    let is_by_host = run.graph.has_wide_tasks();
    let has_place = |(task, row): (u32, &TaskRow)| {
        let first =
            run.cores_of(task).into_iter().next().filter(|_| row.host.is_some() && row.core.is_some())?;
        let (start, last) = (row.start, run.attempts.last[task as usize]);
        let on = if is_by_host { (row.host?, 0, start.is_none()) } else { (0, first, false) };
        Some((on, (start, last, Some(row.planned?)), task))
    };
    let mut order: Vec<_> = run.rows().filter_map(has_place).collect();
    order.stable_sort();
    order.into_iter().map(|(.., task)| task).collect()
}

/// Returns true if a task of the file is on the cores on which its row has it.
fn is_on(task: &Json, row: &TaskRow) -> bool {
    let further: Vec<Json> = row.further.iter().map(|core| Json::from(*core)).collect();
    let further = if further.is_empty() { Json::Null } else { Json::Array(further) };
    task["core"].as_u64() == row.core.map(u64::from) && task["further-cores"] == further
}

/// The places of the transfers in `plan.json`: why they are not judged, if they are not.
pub(super) fn transfers(run: &Run<'_>) -> Judgement {
    if run.transfers.is_none() && run.files.plan_file.is_some() { Err(NO_TRANSFERS) } else { Ok(Vec::new()) }
}

fn plan_name<'a>(run: &'a Run<'_>, task: u32) -> &'a str {
    match run.files.workflows {
        [only] => run.graph.short_name(task, &only.name),
        _ => run.name(task),
    }
}

/// By what is sent and the host: the place of the last transfer.
fn places(run: &Run<'_>) -> Result<OrderedMap<(usize, usize), u64>, &'static str> {
    let rows = run.transfers.as_ref().ok_or(NO_TRANSFERS)?;
    let of = |row: &super::run::TransferRow| Some((run.copies[row.load?], row.ends?.1));
    Ok((0..).zip(rows).filter_map(|(place, row)| Some((of(row)?, place))).collect())
}

/// Right list of a task: inputs, then parents in their order.
fn sent_to(
    run: &Run<'_>,
    places: &OrderedMap<(usize, usize), u64>,
    task: u32,
    (into, control): (&[Vec<usize>], &[Vec<u32>]),
) -> Json {
    let host = run.row(task).and_then(|row| row.host);
    let place = |load: usize| host.and_then(|host| places.get(&(run.copies[load], host)).copied());
    let mut list: Vec<(Option<u32>, Option<u64>)> =
        into[task as usize].iter().map(|&load| (run.graph.loads[load].from, place(load))).collect();
    list.extend(control[task as usize].iter().map(|parent| (Some(*parent), None)));
    list.stable_sort_by_key(|(parent, _)| *parent);
    list.into_iter().map(|(_, place)| place).collect::<Vec<_>>().into()
}
