//! Computations: every task once, where it can be, while its host is there, and for as long as
//! it takes.

use crate::check::loads::{finish, is_same};
use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::SimTime;

use super::facts::NotKnown;
use super::run::{AGAIN, NO_MAKESPAN, NO_PLANS, OUT_OF_ORDER, ROOM, Run, SEVERAL, STOPPED, TaskRow};
use super::{Judgement, SweepValue, Violation};

/// Relative difference of figures that are equal but for rounding.
pub(super) const ROUNDED: f64 = 1e-9;

/// Every task of the application has one row and, unless the run was stopped, a start, an end and a
/// completion.
pub(super) fn once(run: &Run<'_>) -> Vec<Violation> {
    let mut found = run.strays.clone();
    for (task, row) in run.tasks.iter().enumerate() {
        let Some(row) = row else {
            found.push(run.of_task(task, SimTime::ZERO, "has no row"));
            continue;
        };
        let what = match (row.start, row.end) {
            _ if row.attempts > 1 && !run.may_lose() => "was started again, and nothing leaves",
            (None, None) if row.attempts > 0 && !run.may_lose() => "was started, and has no start",
            (None, None) if run.files.stopped => continue,
            (None, Some(_)) => "ends and has no start",
            (Some(start), Some(end)) if end < start => "ends before it starts",
            (_, None) if !run.files.stopped => "has not run to its end",
            (_, Some(_)) if row.completed.is_none() && !run.files.stopped => "is never completed",
            (_, Some(end)) if row.completed.is_some_and(|completed| completed < end) => {
                "is completed before it ends"
            }
            (_, end) if run.works[task].outputs.is_empty() && row.completed != end => {
                "has no output to wait for"
            }
            _ if row.attempts == 0 => "runs and was started in no attempt",
            _ => continue,
        };
        found.push(run.of_task(task, row.start.unwrap_or_default(), what));
    }
    found
}

/// The seconds of a task on a host of speed 1; nothing if it cannot run there.
pub(super) fn seconds(run: &Run<'_>, task: usize, host: usize) -> Option<f64> {
    match &*run.works[task].times {
        [all] => Some(*all),
        times => times.get(run.grid.architecture(host)).copied(),
    }
}

/// Tasks are on hosts that exist, that have a time for them, and start once they have arrived.
pub(super) fn allowed(run: &Run<'_>) -> Vec<Violation> {
    let mut found = run.nowhere.clone();
    for (task, row) in run.rows() {
        let Some(start) = row.start else { continue };
        if row.host.is_some_and(|host| seconds(run, task, host).is_none()) {
            found.push(run.of_task(task, start, "is on a host of an architecture that it has no time for"));
        }
        if start < run.works[task].arrival {
            found.push(run.of_task(task, start, "starts before it arrives"));
        }
    }
    found
}

/// Computations of tasks that have both instants and a host.
fn computations<'a>(run: &'a Run<'_>) -> impl Iterator<Item = (usize, usize, &'a TaskRow, SimTime)> {
    run.rows().filter_map(|(task, row)| Some((task, row.host?, row, row.start?)))
}

/// No host computes more tasks at once than it has processors.
pub(super) fn apart(run: &Run<'_>) -> Vec<Violation> {
    // at one instant ends come first
    let mut events: OrderedMap<usize, Vec<(SimTime, bool, usize)>> = OrderedMap::new();
    for (task, host, row, start) in computations(run) {
        let events = events.entry(host).or_default();
        let end = row.end.unwrap_or(if run.files.stopped { SimTime::MAX } else { start });
        if start < end {
            events.extend([(start, true, task), (end, false, task)]);
        }
    }
    for (task, host, start, end) in run.thrown_away().filter(|(_, _, start, end)| start < end) {
        events.entry(host).or_default().extend([(start, true, task), (end, false, task)]);
    }
    let mut found = Vec::new();
    for (host, mut events) in events {
        events.stable_sort();
        let mut count = 0_u32;
        for (at, is_start, task) in events {
            count = if is_start { count + 1 } else { count.saturating_sub(1) };
            if is_start && count > run.grid.processors(host) {
                found.push(run.of_task(task, at, "starts on a host whose processors are all in use"));
            }
        }
    }
    found
}

/// Hosts that are not there compute nothing, nor do those of clusters that are not there.
pub(super) fn present(run: &Run<'_>) -> Judgement {
    let (mut found, mut is_open) = (Vec::new(), false);
    let counted =
        computations(run).map(|(task, host, row, start)| (task, host, start, row.end.unwrap_or(start)));
    for (task, host, start, end) in counted.chain(run.thrown_away()) {
        let span = (start, end);
        let of_cluster = (SweepValue::ClusterPresence, run.grid.cluster_of(host));
        for of in [(SweepValue::HostPresence, host), of_cluster] {
            match run.values.first_absence(run.grid, of, span) {
                Ok(None) => {}
                Ok(Some(at)) => found.push(run.of_task(task, at, "is computed by a host that is not there")),
                Err(NotKnown) => is_open = true,
            }
        }
    }
    Run::unless_drawn(is_open, found)
}

/// Tasks compute for as long as their work takes at the availability of their hosts; where they
/// wait before, no shorter.
pub(super) fn computed(run: &Run<'_>) -> Judgement {
    let (mut found, mut is_open) = (Vec::new(), false);
    for (task, host, row, start) in computations(run) {
        let (Some(end), Some(seconds)) = (row.end, seconds(run, task, host)) else { continue };
        if end < start {
            continue;
        }
        let availability = |at| run.values.at(run.grid, (SweepValue::Availability, host), at);
        if availability(start).is_none() {
            is_open = true;
            continue;
        }
        let right = finish(start, seconds / run.grid.speed(host), availability);
        let is_right =
            right.is_some_and(|right| is_same(right, end) || (run.grid.waits(host) && right < end));
        if !is_right {
            let right = right.map_or("never".to_owned(), |right| format!("at {right}"));
            found.push(run.of_task(task, end, &format!("ends, by the availability of its host {right}")));
        }
    }
    Run::unless_drawn(is_open, found)
}

/// Of two tasks of a host, that which is planned first starts first, where one plan was made and
/// nothing takes tasks out of order: where the storage of a cluster has a limit, those go first
/// that have room, and a second copy was planned for another host.
pub(super) fn in_order(run: &Run<'_>) -> Judgement {
    match run.plans.as_ref().map(Vec::len) {
        None | Some(0) => return Err(NO_PLANS),
        Some(1) if run.files.may_steal => return Err(OUT_OF_ORDER),
        Some(1) => {}
        Some(_) => return Err(SEVERAL),
    }
    if run.rows().any(|(_, row)| row.attempts > 1) {
        return Err(AGAIN);
    }
    if (0..run.grid.clusters()).all(|cluster| run.grid.capacity(cluster).is_some()) {
        return Err(ROOM);
    }
    let copied: OrderedMap<usize, SimTime> =
        run.thrown_away().map(|(task, _, start, _)| (task, start)).collect();
    let mut by_host: OrderedMap<usize, Vec<(SimTime, SimTime, usize)>> = OrderedMap::new();
    for (task, host, row, start) in computations(run) {
        let is_copy = copied.get(&task).is_some_and(|first| *first <= start);
        if is_copy || run.grid.capacity(run.grid.cluster_of(host)).is_some() {
            continue;
        }
        by_host.entry(host).or_default().extend(row.planned.map(|planned| (planned, start, task)));
    }
    let mut found = Vec::new();
    for tasks in by_host.values_mut() {
        tasks.stable_sort();
        let mut latest: Option<(SimTime, SimTime, usize)> = None;
        for &(planned, start, task) in &*tasks {
            // tasks that are planned for one instant may start in any order
            if let Some((before, last, other)) = latest
                && planned > before
                && start < last
            {
                let what = format!("starts before `{}`, which is planned before it", run.works[other].name);
                found.push(run.of_task(task, start, &what));
            }
            if latest.is_none_or(|(_, last, _)| start >= last) {
                latest = Some((planned, start, task));
            }
        }
    }
    Ok(found)
}

/// The makespan is the last completion, and not below the lower bound.
pub(super) fn makespan(run: &Run<'_>) -> Judgement {
    if run.files.stopped {
        return Err(STOPPED);
    }
    let makespan = run.files.makespan.ok_or(NO_MAKESPAN)?;
    let last = run.rows().filter_map(|(_, row)| row.completed).max().unwrap_or_default();
    let mut found = Vec::new();
    // half a nanosecond, and what a double cannot hold
    if (makespan - last.as_secs_f64()).abs() > 0.5e-9 + makespan * 4.0 * f64::EPSILON {
        let what = format!("the last task is completed, and the makespan is {makespan} s");
        found.push(Violation::of_no_job(last, what));
    }
    if let Some(bound) = run.files.lower_bound.filter(|bound| makespan < bound * (1.0 - ROUNDED)) {
        let what = format!("the makespan is {makespan} s, below the lower bound of {bound} s");
        found.push(Violation::of_no_job(last, what));
    }
    Ok(found)
}

/// A computation that is thrown away is on another host, is broken off as its task ends there, and
/// had not ended by then.
pub(super) fn second_broken_off(run: &Run<'_>) -> Judgement {
    // the file is there once a task was computed twice
    let rows = run.duplicates.as_deref().unwrap_or_default();
    let (mut found, mut is_open) = (Vec::new(), false);
    for row in rows {
        let mut wrong = |at: SimTime, what: &str| {
            found.push(Violation::of_no_job(
                at,
                format!("the second computation of task `{}` {what}", row.name),
            ));
        };
        let (Some(task), Some(host)) = (row.task, row.host) else {
            wrong(row.start, "is of no task of the application, or on a host that does not exist");
            continue;
        };
        if row.end < row.start {
            wrong(row.end, "ends before it starts");
            continue;
        }
        let counted = run.tasks[task].as_ref();
        if counted.is_some_and(|counted| counted.host == Some(host)) {
            wrong(row.start, "is on the host that has computed it");
        }
        // of a task that was started again the files have the last attempt
        let ended = counted.filter(|counted| counted.attempts <= 1).and_then(|counted| counted.end);
        if ended.is_some_and(|ended| ended != row.end) {
            wrong(row.end, "is broken off, and not as its task ends");
        }
        let Some(seconds) = seconds(run, task, host) else {
            wrong(row.start, "is on a host of an architecture that it has no time for");
            continue;
        };
        let availability = |at| run.values.at(run.grid, (SweepValue::Availability, host), at);
        if availability(row.start).is_none() {
            is_open = true;
            continue;
        }
        let own = finish(row.start, seconds / run.grid.speed(host), availability);
        // where tasks wait before they compute it may end later
        if !run.grid.waits(host) && own.is_some_and(|own| own < row.end && !is_same(own, row.end)) {
            wrong(row.end, "is broken off, and had ended before");
        }
    }
    Run::unless_drawn(is_open, found)
}
