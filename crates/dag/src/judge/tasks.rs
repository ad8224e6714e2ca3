//! Computations: every task once, where it can be, alone on its core, after its parents, and for as
//! long as it takes.

use crate::collections::StableSort as _;
use crate::kernel::{SimDuration, SimTime};

use super::cores;
use super::run::{Run, TransferRow};
use super::{
    DRAWN, DrawnLoad, Judgement, KnownPredictions, NO_MAKESPAN, NO_TRANSFERS, PREDICTED, STOPPED, Violation,
};
use crate::check::loads::{Holds, finish, is_end, is_same};

/// Relative difference of figures that are equal but for rounding.
const ROUNDED: f64 = 1e-9;

/// Every task of the graph has one row and, unless the run was stopped, a start and an end.
pub(super) fn once(run: &Run<'_>) -> Vec<Violation> {
    let mut found = run.strays.clone();
    for (task, row) in (0..).zip(&run.tasks) {
        let Some(row) = row else {
            found.push(run.of_task(task, SimTime::ZERO, "has no row"));
            continue;
        };
        let what = match (row.start, row.end) {
            (None, None) if row.predicted.is_some() => "is predicted to end, and has not started",
            (None, None) if row.attempts > 0 && !run.platform.may_fail() => "was started, and has no start",
            (None, None) if run.files.stopped => continue,
            (None, Some(_)) => "ends and has no start",
            (Some(start), Some(end)) if end < start => "ends before it starts",
            (_, None) if !run.files.stopped => "has not run to its end",
            _ if row.core.is_none() => "runs on no core",
            _ if row.attempts > 1 && !run.platform.may_fail() => "was started again, and nothing fails",
            _ if row.attempts == 0 => "runs and was started in no attempt",
            (start, _) if row.ready.is_none_or(|ready| Some(ready) > start) => "starts before it is ready",
            _ => continue,
        };
        found.push(run.of_task(task, row.start.unwrap_or_default(), what));
    }
    found
}

/// Tasks are on cores that exist, of hosts that can run them.
pub(super) fn allowed(run: &Run<'_>) -> Vec<Violation> {
    let mut found = run.nowhere.clone();
    for (task, row) in run.rows() {
        let Some(host) = row.host else { continue };
        let fault =
            row.core.and_then(|core| cores::fault(asked_and_had(run, task, host), core, &row.further));
        let what = match () {
            () if fault.is_some() => fault.as_deref().unwrap_or_default(),
            () if row.core.is_none() && !row.further.is_empty() => "has further cores, and no core",
            () if run.graph.work_and_speed(task, host, 1.0).is_none() => "is on a host that cannot run it",
            () if run.graph.memory[task as usize] > run.platform.memory(host).or(Some(u64::MAX)) => {
                "is on a host that has less memory than it asks for"
            }
            () => continue,
        };
        found.push(run.of_task(task, row.start.unwrap_or_default(), what));
    }
    for attempt in run.attempts.all.iter().filter(|_| run.attempts.is_recorded) {
        let fault = attempt.place.and_then(|(host, core)| {
            cores::fault(asked_and_had(run, attempt.task, host), core, &attempt.further)
        });
        found.extend(fault.map(|what| run.of_task(attempt.task, attempt.start, &what)));
    }
    found
}

/// Cores that a task asks for, and that a host has.
fn asked_and_had(run: &Run<'_>, task: u32, host: usize) -> (u32, u32) {
    (run.graph.cores[task as usize], run.platform.cores(host))
}

/// A span of something that has one thing at a time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Held<R> {
    pub(super) resource: R,
    pub(super) start: SimTime,
    pub(super) end: SimTime,
    /// Rank in the order; the least is first.
    pub(super) rank: u64,
    pub(super) holder: u32,
}

/// Each span that begins within an earlier one of its resource, and that one; sorts the spans.
/// Spans may touch.
pub(super) fn overlaps<R: Ord + Copy>(spans: &mut [Held<R>]) -> Vec<(Held<R>, Held<R>)> {
    spans.stable_sort();
    let mut found = Vec::new();
    let mut last: Option<Held<R>> = None;
    for span in spans {
        match last.filter(|last| last.resource == span.resource) {
            Some(before) if span.start < before.end => {
                found.push((*span, before));
                last = Some(if span.end > before.end { *span } else { before });
            }
            _ => last = Some(*span),
        }
    }
    found
}

/// The spans that begin before another of their resource that comes before them in rank, and those.
pub(super) fn out_of_order<R: Ord + Copy>(spans: &mut [Held<R>]) -> Vec<(Held<R>, Held<R>)> {
    spans.stable_sort();
    let pairs = spans.windows(2).filter(|pair| pair[0].resource == pair[1].resource);
    pairs.filter(|pair| pair[0].rank > pair[1].rank).map(|pair| (pair[0], pair[1])).collect()
}

/// Each span that comes after another of its resource, and that one; sorts the spans. Of those that
/// begin at one instant the rank says which comes first, and not which takes no time.
pub(super) fn previous<R: Ord + Copy>(spans: &mut [Held<R>]) -> Vec<(Held<R>, Held<R>)> {
    spans.stable_sort_by_key(|span| (span.resource, span.start, span.rank));
    let pairs = spans.windows(2).filter(|pair| pair[0].resource == pair[1].resource);
    pairs.map(|pair| (pair[1], pair[0])).collect()
}

/// The spans in which cores compute tasks, in the rank of the plan.
pub(super) fn executions(run: &Run<'_>) -> Vec<Held<(usize, u32)>> {
    let spans = (0..).zip(&run.attempts.all).flat_map(|(place, attempt)| {
        let (start, end) = (attempt.start, attempt.over().unwrap_or(SimTime::MAX));
        let is_last = run.attempts.last[attempt.task as usize] == Some(place);
        let planned = run.row(attempt.task).filter(|_| is_last).and_then(|row| row.planned);
        let rank = planned.map_or(start, |(start, _)| start).as_nanos();
        attempt.held().map(move |resource| Held { resource, start, end, rank, holder: attempt.task })
    });
    spans.collect()
}

/// No core computes two tasks at once.
pub(super) fn apart(run: &Run<'_>) -> Vec<Violation> {
    let pairs = overlaps(&mut executions(run)).into_iter().map(|(span, before)| {
        let what = format!("starts on a core that computes `{}`", run.name(before.holder));
        run.of_task(span.holder, span.start, &what)
    });
    pairs.collect()
}

/// No task starts before its parents have ended.
pub(super) fn after_parents(run: &Run<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for attempt in &run.attempts.all {
        for origin in &attempt.data {
            // without their file the attempts of a task that was started again are not known
            let is_known = |parent: &u32| {
                run.row(*parent).is_some_and(|row| run.attempts.is_recorded || row.attempts <= 1)
            };
            let Some(parent) = origin.parent.filter(is_known) else { continue };
            let end = origin.writer.and_then(|writer| run.attempts.all[writer].end);
            if end.is_none_or(|end| end > attempt.start) {
                let what = format!("starts before `{}` has ended", run.name(parent));
                found.push(run.of_task(attempt.task, attempt.start, &what));
            }
        }
    }
    found
}

/// End of a computation: exactly where whole work is done at a whole rate that stays until then.
fn end_of(
    start: SimTime,
    (work, speed): (f64, f64),
    rate: impl Fn(SimTime) -> Option<Holds>,
) -> Option<SimTime> {
    let (value, until) = rate(start)?;
    let exact = SimDuration::exact_ratio(work, speed * value).map(|span| start.saturating_add(span));
    let exact = exact.filter(|end| until.is_none_or(|until| *end <= until));
    exact.or_else(|| finish(start, work / speed, rate))
}

/// Tasks compute for as long as their work takes at the availability of their hosts, which work
/// meanwhile.
pub(super) fn computed(run: &Run<'_>) -> Judgement {
    let (mut found, mut is_open) = (Vec::new(), false);
    for attempt in &run.attempts.all {
        let (task, start) = (attempt.task, attempt.start);
        let (Some(end), Some((host, _))) = (attempt.end.filter(|end| *end >= start), attempt.place) else {
            continue;
        };
        let failure = run.platform.fails(host, host, start).filter(|at| *at < end);
        if let Some(at) = failure {
            found.push(run.of_task(task, at, "is computed by a host that does not work"));
            continue;
        }
        let Some(work) = run.graph.work_and_speed(task, host, run.platform.speed(host)) else { continue };
        let is_drawn = run.platform.availability(host, start).is_none();
        let rate = |at| match &run.loads {
            Some(loads) if is_drawn => loads.of_host(host, at),
            _ => run.platform.availability(host, at),
        };
        if is_drawn && run.loads.is_none() {
            is_open = true;
            continue;
        }
        let right = end_of(start, work, rate);
        if !is_end((start, end), work.0 / work.1, right, rate) {
            found.push(run.of_task(task, end, &by_its_load(right)));
        }
    }
    if is_open && found.is_empty() { Err(DRAWN) } else { Ok(found) }
}

/// Tasks are predicted to end, and planned to take, as schedulers that know the truth or the
/// present say.
pub(super) fn predicted(run: &Run<'_>) -> Judgement {
    let mut found = Vec::new();
    for (task, row) in run.rows() {
        let Some(host) = row.host else { continue };
        let Some(seconds) = run.graph.seconds(task, host, run.platform.speed(host)) else { continue };
        // the file ends with the run, and plans look further
        let rate = |at| {
            let drawn = || run.platform.drawn(DrawnLoad::Host(host), at).filter(|_| run.loads.is_some());
            run.platform.availability(host, at).or_else(drawn)
        };
        let ends = |start: SimTime| match run.files.foresight {
            KnownPredictions::Perfect => rate(start).and_then(|_| finish(start, seconds, rate)),
            KnownPredictions::Now => {
                rate(start).map(|(share, _)| start.saturating_add(SimDuration::ceil_secs(seconds / share)))
            }
            KnownPredictions::Other => None,
        };
        if let Some((start, predicted)) = row.start.zip(row.predicted) {
            if run.files.foresight == KnownPredictions::Other {
                return Err(PREDICTED);
            }
            let Some(right) = ends(start) else { return Err(DRAWN) };
            if !is_same(right, predicted) {
                found.push(run.of_task(task, start, "is predicted to end at another instant"));
            }
        }
        // the present is that of the plan
        if let (Some((start, end)), KnownPredictions::Perfect) = (row.planned, run.files.foresight) {
            let Some(right) = ends(start) else { return Err(DRAWN) };
            if !is_same(right, end) {
                found.push(run.of_task(task, start, "is planned for another time than it takes"));
            }
        }
    }
    Ok(found)
}

fn by_its_load(right: Option<SimTime>) -> String {
    match right {
        Some(right) => format!("ends, by its work and the load of its host it ends at {right}"),
        None => "ends, and by loads.csv never does".to_owned(),
    }
}

/// The makespan is the end of the last task or return of a file, and not below the lower bound.
pub(super) fn makespan(run: &Run<'_>) -> Judgement {
    if run.files.stopped {
        return Err(STOPPED);
    }
    let makespan = run.files.makespan.ok_or(NO_MAKESPAN)?;
    let mut last = run.rows().filter_map(|(_, row)| row.end).max().unwrap_or_default();
    if run.graph.loads.iter().any(|load| load.to.is_none()) {
        let rows = run.transfers.as_ref().ok_or(NO_TRANSFERS)?;
        let is_return = |row: &&TransferRow| row.load.is_some_and(|load| run.graph.loads[load].to.is_none());
        let returned = rows.iter().filter(is_return).filter_map(|row| row.end).max();
        last = last.max(returned.unwrap_or_default());
    }
    let mut found = Vec::new();
    // half a nanosecond, and what a double cannot hold
    if (makespan - last.as_secs_f64()).abs() > 0.5e-9 + makespan * 4.0 * f64::EPSILON {
        found.push(Violation::of_no_job(
            last,
            format!("the last task ends, or the last file is returned, and the makespan is {makespan} s"),
        ));
    }
    if let Some(bound) = run.files.lower_bound.filter(|bound| makespan < bound * (1.0 - ROUNDED)) {
        let what = format!("the makespan is {makespan} s, below the lower bound of {bound} s");
        found.push(Violation::of_no_job(last, what));
    }
    Ok(found)
}
