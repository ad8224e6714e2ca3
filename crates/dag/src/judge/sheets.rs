//! Tables that follow from others: `hosts.csv`, `jobs.csv`, `critical.csv` and `schedulers.csv`.

use crate::check::sheet::{BatsimTask, Right, Sheet};
use crate::collections::StableSort as _;
use crate::kernel::{SimDuration, SimTime};
use crate::output::Always;
use crate::rows::{
    CriticalCells, CriticalRow, HostCells, HostColumns, SchedulerCells, SchedulerRow, TaskCells, TaskColumns,
};
use clustersim_experiment::rows::jobs::JobColumns;

use super::bounds::Bounds;
use super::cores::ranges;
use super::metrics::both_slacks;
use super::path::{Step, Takes, critical_path};
use super::run::Run;
use super::{ENDED, OTHERS, SEARCH};

/// Seconds of an hour.
const HOUR: f64 = 3600.0;

/// Work done by a host, and the time for which it is paid.
#[derive(Clone, Default)]
pub(super) struct HostUse {
    pub(super) tasks: u64,
    pub(super) busy: u64,
    computes: Vec<(SimTime, SimTime)>,
    used: Option<(SimTime, SimTime)>,
}

impl HostUse {
    /// Of each host of a run.
    pub(super) fn of(run: &Run<'_>) -> Vec<Self> {
        let mut hosts = vec![HostUse::default(); run.platform.hosts()];
        // what had not ended counts up to the end of the run
        let last = run.until();
        let until = |start: SimTime, end: Option<SimTime>| end.or(last).unwrap_or(start).max(start);
        for (task, row) in run.rows() {
            if let (Some(host), Some((start, end))) = (row.host, run.span(task)) {
                hosts[host].tasks += 1;
                hosts[host].busy += end.since(start).as_nanos() * (1 + row.further.len() as u64);
            }
        }
        for attempt in &run.attempts.all {
            let (Some((host, _)), start) = (attempt.place, attempt.start) else { continue };
            let end = until(start, attempt.over());
            hosts[host].computes.push((start, end));
            hosts[host].is_used(start, end);
        }
        for row in run.transfers.iter().flatten() {
            if let (Some(start), Some((from, to))) = (row.start, row.ends) {
                [from, to]
                    .iter()
                    .for_each(|host| hosts[*host].is_used(start, until(start, row.end.or(row.broken_off))));
            }
        }
        hosts
    }

    fn is_used(&mut self, start: SimTime, end: SimTime) {
        let (first, last) = self.used.unwrap_or((start, end));
        self.used = Some((first.min(start), last.max(end)));
    }

    /// Nanoseconds in which some core of it computed.
    fn computed(&self) -> u64 {
        let mut spans = self.computes.clone();
        spans.stable_sort();
        let (mut sum, mut until) = (0, SimTime::ZERO);
        for (start, end) in spans {
            sum += end.since(start.max(until)).as_nanos();
            until = until.max(end);
        }
        sum
    }
}

/// Cost of each host, if hosts cost something and it is known when they were used.
pub(super) fn costs(run: &Run<'_>, hosts: &[HostUse]) -> Option<Result<Vec<f64>, &'static str>> {
    let prices = run.files.prices?;
    if prices.rented && run.transfers.is_none() && !run.graph.loads.is_empty() {
        return Some(Err(super::NO_TRANSFERS));
    }
    if run.files.stopped && run.files.until.is_none() {
        return Some(Err(ENDED));
    }
    let of = |(host, price): (&HostUse, &f64)| {
        let rented = || host.used.map_or(0, |(from, to)| to.since(from).as_nanos());
        let nanos = if prices.rented { rented() } else { host.computed() };
        let quantum = prices.quantum.max(1);
        price * SimDuration::from_nanos(nanos.div_ceil(quantum).saturating_mul(quantum)).as_secs_f64() / HOUR
    };
    Some(Ok(hosts.iter().zip(&prices.of_hours).map(of).collect()))
}

/// Columns of `hosts.csv`.
pub(super) fn host_columns(run: &Run<'_>) -> HostColumns {
    HostColumns { prices: run.files.prices.is_some() }
}

/// Cells of `hosts.csv`.
pub(super) fn hosts(run: &Run<'_>) -> Vec<Vec<Right>> {
    let hosts = HostUse::of(run);
    let costs = costs(run, &hosts);
    let cost = |host: usize| match &costs {
        None => Right::Nothing,
        Some(Ok(costs)) => Right::Real(costs[host]),
        Some(Err(why)) => Right::Open(why),
    };
    let cells = |(number, host): (usize, &HostUse)| {
        let cores = u64::from(run.platform.cores(number));
        let share = run.until().map(|until| cores as f64 * until.as_secs_f64());
        let share = match share {
            None => Right::Open(ENDED),
            Some(whole) => Right::real(Some(host.busy as f64 / 1e9 / whole).filter(|_| whole > 0.0)),
        };
        let cells = HostCells {
            host: Right::text(run.platform.host_name(number)),
            cores: Right::Count(cores),
            tasks: Right::Count(host.tasks),
            busy: Right::span(SimDuration::from_nanos(host.busy)),
            utilization: share,
            cost: cost(number),
        };
        cells.list(host_columns(run))
    };
    hosts.iter().enumerate().map(cells).collect()
}

/// The cells of `jobs.csv`, in order of end.
pub(super) fn jobs(run: &Run<'_>) -> Vec<Vec<Right>> {
    let mut submitted: Vec<SimTime> = run
        .workflow_of
        .iter()
        .map(|workflow| workflow.map_or(SimTime::ZERO, |place| run.files.workflows[place].arrival))
        .collect();
    for edge in &run.graph.edges {
        let end = run.row(edge.from).and_then(|row| row.end).unwrap_or_default();
        submitted[edge.to as usize] = submitted[edge.to as usize].max(end);
    }
    let spans = run.rows().filter_map(|(task, _)| run.span(task).map(|(start, end)| (end, task, start)));
    let mut ended: Vec<_> = spans.collect();
    ended.stable_sort();
    let cells = |&(end, task, start): &(SimTime, u32, SimTime)| {
        let workflow = run.workflow_of[task as usize].map_or("", |place| &run.files.workflows[place].name);
        let job = BatsimTask {
            number: u64::from(task),
            workload: workflow,
            name: run.graph.short_name(task, workflow),
            // a parent that was computed again may have ended after its child
            submitted: submitted[task as usize].min(start),
            start,
            end,
            cores: run.graph.cores[task as usize],
        };
        let predicted = run.row(task).and_then(|row| row.predicted);
        let asked = predicted.map_or(Right::Nothing, |predicted| Right::span(predicted.since(start)));
        job.cells(asked, Right::text(&ranges(&run.cores_of(task)))).list(JobColumns::OF_TASKS)
    };
    ended.iter().map(cells).collect()
}

/// Columns of `tasks.csv`.
pub(super) fn task_columns(run: &Run<'_>) -> TaskColumns {
    TaskColumns { wide_tasks: run.graph.has_wide_tasks() }
}

/// The slack of each task, by the execution and by the plans.
pub(super) fn slacks(run: &Run<'_>) -> Vec<Vec<Right>> {
    let [executed, planned] = both_slacks(run);
    let cell = |slack: &Result<Option<Vec<SimDuration>>, &'static str>, task: usize| match slack {
        Err(why) => Right::Open(why),
        Ok(slack) => slack.as_ref().map_or(Right::Nothing, |slack| Right::span(slack[task])),
    };
    let cells = |task: usize| TaskCells {
        slack: cell(&executed, task),
        planned_slack: cell(&planned, task),
        ..TaskCells::all(&Right::Elsewhere)
    };
    (0..run.tasks.len()).map(|task| cells(task).list(task_columns(run))).collect()
}

/// Cells of `critical.csv`.
///
/// # Errors
/// The reason for which the path cannot be found again.
pub(super) fn critical(run: &Run<'_>) -> Result<Vec<Vec<Right>>, &'static str> {
    let makespan = run.makespan().unwrap_or_default().as_secs_f64();
    let cells = |step: &Step| {
        let workflow =
            run.workflow_of[step.task as usize].map_or("", |place| &run.files.workflows[place].name);
        let host = step.host.map_or("", |host| run.platform.host_name(host));
        let cells = CriticalCells {
            task: Right::text(run.graph.short_name(step.task, workflow)),
            step: Right::text(step.takes.word()),
            host: Right::text(host),
            start: Right::Time(step.start),
            end: Right::Time(step.end),
            share: Right::real(Some(step.end.since(step.start).as_secs_f64() / makespan)),
        };
        cells.list(Always)
    };
    Ok(critical_path(run)?.iter().map(cells).collect())
}

/// The same as far as it follows from the file alone: its steps lie end to end up to the makespan,
/// and tasks compute when they do.
pub(super) fn critical_by_itself(run: &Run<'_>, sheet: &Sheet<'_, CriticalRow<'_>>) -> Vec<Vec<Right>> {
    const NOT_FOUND: &str = super::NO_TRANSFERS;
    let makespan = run.makespan().unwrap_or_default();
    let mut from = SimTime::ZERO;
    let count = sheet.rows.len();
    let cells = |(place, row): (usize, &CriticalRow<'_>)| {
        let end = row.end;
        let is_step = Takes::ALL.iter().any(|takes| takes.word() == &*row.step);
        let computes = &*row.step == Takes::Computing.word();
        let span = Some((from, end)).filter(|_| computes);
        let named = || run.attempts.all.iter().filter(|attempt| run.name(attempt.task).ends_with(&*row.task));
        let found = named().find(|attempt| span.is_some() && Some(attempt.start).zip(attempt.over()) == span);
        // tasks of several workflows may have one name
        let only = named().next().filter(|_| named().nth(1).is_none());
        let host = found.or(only).map(|attempt| attempt.place.map(|(host, _)| host));
        let right = CriticalCells {
            task: if computes && found.is_none() {
                Right::text("the task that computes then")
            } else {
                Right::Open(NOT_FOUND)
            },
            step: if is_step { Right::Open(NOT_FOUND) } else { Right::text("a step") },
            host: host.map_or(Right::Open(NOT_FOUND), |host| {
                Right::text(host.map_or("", |host| run.platform.host_name(host)))
            }),
            start: Right::Time(from),
            end: if place + 1 == count { Right::Time(makespan) } else { Right::Open(NOT_FOUND) },
            share: Right::real(Some(end.since(from).as_secs_f64() / makespan.as_secs_f64())),
        };
        from = end;
        right.list(Always)
    };
    sheet.rows.iter().enumerate().map(cells).collect()
}

/// Cells of `schedulers.csv`: the first row is of the run itself, and the makespans of the others
/// stand in no other file.
pub(super) fn schedulers(
    run: &Run<'_>,
    bounds: Bounds,
    optimum: Option<f64>,
    sheet: &Sheet<'_, SchedulerRow<'_>>,
) -> Vec<Vec<Right>> {
    let best = sheet.rows.iter().filter_map(|row| row.makespan).min();
    let above = |makespan: Option<SimTime>, least: Option<f64>| {
        Right::real(makespan.zip(least).map(|(makespan, least)| makespan.as_secs_f64() / least - 1.0))
    };
    let cells = |(place, row): (usize, &SchedulerRow<'_>)| {
        let own = run.makespan();
        let makespan = if place == 0 { own } else { row.makespan };
        let is_possible = makespan.is_none_or(|makespan| bounds.gap(makespan).is_none_or(|gap| gap >= 0.0));
        let first = run.plans.iter().flatten().next().map(|plan| plan.end);
        let reason = match makespan {
            Some(_) => Right::Nothing,
            None if row.reason.is_empty() => Right::text("a reason"),
            None => Right::Open(OTHERS),
        };
        let cells = SchedulerCells {
            scheduler: if place == 0 { Right::text(run.files.scheduler) } else { Right::Open(OTHERS) },
            makespan: if place == 0 {
                Right::instant(own)
            } else if is_possible {
                Right::Open(OTHERS)
            } else {
                Right::text("above the bound")
            },
            plan_makespan: if place == 0 { Right::instant(first) } else { Right::Open(OTHERS) },
            gap: Right::real(makespan.and_then(|makespan| bounds.gap(makespan))),
            above_best: above(makespan, best.map(SimTime::as_secs_f64)),
            above_optimum: match run.files.summary {
                Some(_) => above(makespan, optimum),
                None => Right::Open(SEARCH),
            },
            reason,
        };
        cells.list(Always)
    };
    sheet.rows.iter().enumerate().map(cells).collect()
}
