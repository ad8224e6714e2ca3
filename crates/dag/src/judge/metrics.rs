//! The numbers of the summary and of the manifest, from rows.

use serde_json::Value as Json;

use crate::check::files::counts_in_manifest;
use crate::check::sheet::Sheet;
use crate::check::{JudgedPromise, Recomputation};
use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::{SimDuration, SimTime};
use crate::rows::{CriticalRow, SchedulerRow};

use super::bounds::{Bounds, Hosts};
use super::path::{Takes, critical_path, slacks};
use super::run::Run;
use super::sheets::{HostUse, costs};
use super::{ALONE, KnownPredictions, NO_PLANS, NO_TRANSFERS, PREDICTED, SCHEDULER, SEARCH, Violation};

/// Basis of several numbers.
pub(super) struct Basis {
    pub(super) each: Vec<Bounds>,
    pub(super) bounds: Bounds,
    sequential: Option<f64>,
}

impl Basis {
    /// Of a run.
    pub(super) fn of(run: &Run<'_>) -> Self {
        let hosts = Hosts::of(run);
        let each = hosts.of_each();
        Basis { bounds: hosts.of_all(&each), each, sequential: hosts.sequential() }
    }
}

fn stated(run: &Run<'_>, name: &str) -> Option<f64> {
    run.files.summary.and_then(|summary| summary["metrics"][name]["value"].as_f64())
}

/// The optimum, if the summary says that it is proven.
pub(super) fn proven(run: &Run<'_>) -> Option<f64> {
    stated(run, "optimum.best").filter(|_| stated(run, "optimum.proven").is_some_and(|proven| proven > 0.5))
}

/// All numbers of the summary; `compared` and `critical` are the tables of these names.
pub(super) fn summary(
    run: &Run<'_>,
    basis: &Basis,
    summary: &Json,
    (compared, critical): (Option<&Sheet<'_, SchedulerRow<'_>>>, Option<&Sheet<'_, CriticalRow<'_>>>),
) -> Vec<JudgedPromise> {
    let mut found = Recomputation::default();
    found.of_run(run.files.named, run.files.manifest.unwrap_or(&Json::Null));
    found.value("warm-up", Json::Null);
    of_makespan(run, basis, &mut found, compared);
    of_hosts(run, &mut found);
    of_transfers(run, &mut found);
    of_plans(run, &mut found);
    of_slack(run, &mut found);
    of_workflows(run, basis, &mut found, summary);
    of_path(run, &mut found, critical);
    found.compare(summary)
}

fn of_makespan(
    run: &Run<'_>,
    basis: &Basis,
    found: &mut Recomputation,
    compared: Option<&Sheet<'_, SchedulerRow<'_>>>,
) {
    let makespan = run.makespan();
    let seconds = makespan.map(SimTime::as_secs_f64);
    let over = |least: Option<f64>| seconds.zip(least).map(|(makespan, least)| makespan / least - 1.0);
    let cores: f64 = (0..run.platform.hosts()).map(|host| f64::from(run.platform.cores(host))).sum();
    let speedup = basis.sequential.zip(seconds).map(|(sequential, makespan)| sequential / makespan);
    found.is("makespan", seconds);
    found.count("tasks.completed", run.rows().filter(|(_, row)| row.end.is_some()).count() as u64);
    found.is("schedule-length-ratio", seconds.map(|makespan| makespan / basis.bounds.path));
    found.is("speedup", speedup);
    found.is("efficiency", speedup.map(|speedup| speedup / cores));
    found.is("gap", makespan.and_then(|makespan| basis.bounds.gap(makespan)));
    found.is("lower-bound", Some(basis.bounds.lower()));
    let makespans = compared.map(|sheet| sheet.rows.iter().filter_map(|row| row.makespan));
    let best = makespans.and_then(Iterator::min).map(SimTime::as_secs_f64);
    found.is("gap.best", over(best));
    // the search is not made again: only what it says must fit together
    found.is("gap.optimal", over(proven(run)));
    let (best, bound) = (stated(run, "optimum.best"), stated(run, "optimum.bound"));
    let is_possible =
        |(best, bound): (f64, f64)| basis.bounds.lower() <= bound * (1.0 + 1e-9) && bound <= best;
    match best.zip(bound) {
        Some(both) if !is_possible(both) => {
            found.is("optimum.bound", Some(basis.bounds.lower()));
        }
        Some(_) => found.never("optimum", SEARCH),
        None => ["optimum.best", "optimum.bound"].iter().for_each(|name| found.is(*name, None)),
    }
    found.is(
        "optimum.proven",
        best.zip(bound).map(|(best, bound)| f64::from(u8::from((best - bound).abs() < 5e-10))),
    );
    let deadline = run.files.deadline.map(|deadline| in_time(run, deadline));
    found.is("deadlines.met", deadline);
}

/// The share of workflows whose tasks ended in time.
fn in_time(run: &Run<'_>, deadline: SimDuration) -> f64 {
    let ends = last_ends(run);
    let due = run.files.workflows.iter().map(|workflow| workflow.arrival.saturating_add(deadline));
    let met = ends.iter().zip(due).filter(|(end, due)| end.is_some_and(|end| end <= *due)).count();
    met as f64 / ends.len() as f64
}

fn of_hosts(run: &Run<'_>, found: &mut Recomputation) {
    let hosts = HostUse::of(run);
    let seconds = run.makespan().map(SimTime::as_secs_f64);
    let cores: f64 = (0..run.platform.hosts()).map(|host| f64::from(run.platform.cores(host))).sum();
    let busy: f64 = hosts.iter().map(|host| host.busy as f64 / 1e9).sum();
    found.is("utilization", seconds.map(|makespan| busy / (cores * makespan)));
    found.is("idle-time", seconds.map(|makespan| cores * makespan - busy));
    found.count("hosts.unused", hosts.iter().filter(|host| host.tasks == 0).count() as u64);
    let cost = costs(run, &hosts).transpose();
    found.known("cost", cost.map(|costs| costs.map(|costs| costs.iter().sum())));
}

fn of_transfers(run: &Run<'_>, found: &mut Recomputation) {
    let Some(rows) = &run.transfers else {
        ["transfers", "bytes.transferred", "transfer-time"]
            .iter()
            .for_each(|name| found.known(*name, Err(NO_TRANSFERS)));
        return of_copies(run, found);
    };
    let arrived = || rows.iter().filter_map(|row| Some((row.bytes, row.end?.since(row.start?))));
    found.count("transfers", arrived().count() as u64);
    found.count("bytes.transferred", arrived().map(|(bytes, _)| bytes).sum());
    found.is("transfer-time", Some(arrived().map(|(_, span)| span.as_secs_f64()).sum()));
    of_copies(run, found);
}

/// Transfers and bytes saved because a file is sent to a host once.
fn of_copies(run: &Run<'_>, found: &mut Recomputation) {
    let host = |task: u32| run.row(task).filter(|row| row.start.is_some())?.host;
    let (mut sent, mut saved, mut bytes) = (OrderedSet::new(), 0_u32, 0_u64);
    for (load, copy) in run.graph.loads.iter().zip(&run.copies) {
        let from = load.from.map_or(run.home, host);
        let (Some(from), Some(to)) = (from, load.to.and_then(host)) else { continue };
        if from != to && !sent.insert((*copy, to)) {
            (saved, bytes) = (saved + 1, bytes + load.bytes);
        }
    }
    found.is("transfers.saved", run.files.cache.then_some(f64::from(saved)));
    found.is("bytes.saved", run.files.cache.then_some(bytes as f64));
}

fn of_plans(run: &Run<'_>, found: &mut Recomputation) {
    ["plan-bound", "steps.lengthened"].iter().for_each(|name| found.known(*name, Err(SCHEDULER)));
    let late = run
        .rows()
        .filter(|(_, row)| row.end.zip(row.planned).is_some_and(|(end, (_, planned))| end > planned));
    found.count("tasks.late", late.count() as u64);
    if run.files.plans.is_none() {
        let names = ["plan-makespan", "plan-error", "reschedules"];
        return names.iter().for_each(|name| found.known(*name, Err(NO_PLANS)));
    }
    let plans = run.plans.as_deref().unwrap_or_default();
    let first = plans.first().map(|plan| plan.end.as_secs_f64());
    let makespan = run.makespan().map(SimTime::as_secs_f64);
    found.is("plan-makespan", first);
    found.is("plan-error", makespan.zip(first).map(|(makespan, plan)| makespan / plan - 1.0));
    found.count("reschedules", plans.len().saturating_sub(1) as u64);
}

/// The slack of each task by the execution, and by the plans: nothing if there is none, an error if
/// it cannot be known.
pub(super) type Slacks = [Result<Option<Vec<SimDuration>>, &'static str>; 2];

/// Both of a run.
pub(super) fn both_slacks(run: &Run<'_>) -> Slacks {
    let none = || Ok(None);
    if run.makespan().is_none() {
        return [none(), none()];
    }
    let spans = |of: &dyn Fn(u32) -> Option<(SimTime, SimTime)>| -> Option<Vec<_>> {
        (0..run.tasks.len() as u32).map(of).collect()
    };
    let used = run.transfers.as_ref().map(|_| &run.attempts.transfers).ok_or(NO_TRANSFERS);
    let executed = match (used, spans(&|task| run.span(task))) {
        _ if run.graph.loads.is_empty() => {
            spans(&|task| run.span(task)).map(|spans| slacks(run, &spans, &[]))
        }
        (Err(why), _) => return [Err(why), planned(run, spans(&|task| run.row(task)?.planned))],
        (Ok(last), Some(spans)) => {
            let rows = run.transfers.as_deref().unwrap_or_default();
            let took = |place: &Option<usize>| {
                let row = place.map(|place| &rows[place]);
                row.and_then(|row| Some(row.end?.since(row.start?))).unwrap_or(SimDuration::ZERO)
            };
            Some(slacks(run, &spans, &last.iter().map(took).collect::<Vec<_>>()))
        }
        _ => None,
    };
    [Ok(executed), planned(run, spans(&|task| run.row(task)?.planned))]
}

fn planned(
    run: &Run<'_>,
    spans: Option<Vec<(SimTime, SimTime)>>,
) -> Result<Option<Vec<SimDuration>>, &'static str> {
    let Some(spans) = spans else { return Ok(None) };
    if run.files.foresight != KnownPredictions::Perfect {
        return Err(PREDICTED);
    }
    let lag = |load: &super::graph::Load| {
        let from = load.from.map_or(run.home, |writer| run.row(writer)?.host);
        let (Some(from), Some(to)) = (from, run.target(load)) else { return Ok(SimDuration::ZERO) };
        if from == to {
            return Ok(SimDuration::ZERO);
        }
        let start = load.from.map_or(SimTime::ZERO, |writer| spans[writer as usize].1);
        let end = super::transfers::as_planned(run, load.bytes, (from, to), start)?;
        Ok(end.map_or(SimDuration::ZERO, |end| end.since(start)))
    };
    let lags = run.graph.loads.iter().map(lag).collect::<Result<Vec<_>, &'static str>>()?;
    Ok(Some(slacks(run, &spans, &lags)))
}

fn of_slack(run: &Run<'_>, found: &mut Recomputation) {
    for (name, slack) in ["slack.mean", "planned-slack.mean"].into_iter().zip(both_slacks(run)) {
        let mean = |slack: Vec<SimDuration>| {
            let sum: f64 = slack.iter().map(|one| one.as_secs_f64()).sum();
            (!slack.is_empty()).then(|| sum / slack.len() as f64)
        };
        found.known(name, slack.map(|slack| slack.and_then(mean)));
    }
}

/// Of each workflow, the end of its last task if all have ended.
fn last_ends(run: &Run<'_>) -> Vec<Option<SimTime>> {
    let mut ends = vec![Some(SimTime::ZERO); run.files.workflows.len()];
    for (task, workflow) in (0..).zip(&run.workflow_of) {
        if let Some(workflow) = *workflow {
            let end = run.row(task).and_then(|row| row.end);
            ends[workflow] = ends[workflow].zip(end).map(|(last, end)| last.max(end));
        }
    }
    ends
}

fn of_workflows(run: &Run<'_>, basis: &Basis, found: &mut Recomputation, summary: &Json) {
    let workflows = run.files.workflows;
    let responses: Vec<(usize, f64)> = (0..)
        .zip(last_ends(run))
        .filter_map(|(place, end)| Some((place, end?.since(workflows[place].arrival).as_secs_f64())))
        .collect();
    let mean =
        |values: &[f64]| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let most = |values: &[f64]| values.iter().copied().max_by(f64::total_cmp);
    let plain: Vec<f64> = responses.iter().map(|(_, response)| *response).collect();
    let normal: Vec<f64> =
        responses.iter().map(|(place, response)| response / basis.each[*place].lower()).collect();
    found.is("response-time.mean", mean(&plain));
    found.is("response-time.max", most(&plain));
    found.is("normalized-response-time.mean", mean(&normal));
    found.is("normalized-response-time.max", most(&normal));
    let came = |(arrival, _): &(SimTime, Option<f64>)| run.files.until.is_none_or(|until| *arrival <= until);
    let of_response = |of: &dyn Fn(usize, f64) -> f64| {
        let value = |(place, end): (usize, Option<SimTime>)| {
            let arrival = workflows[place].arrival;
            (arrival, end.map(|end| of(place, end.since(arrival).as_secs_f64())))
        };
        last_ends(run).into_iter().enumerate().map(value).filter(came).collect::<Vec<_>>()
    };
    let normalized = of_response(&|place, response| response / basis.each[place].lower());
    found.half_width_of_arrivals("response-time.mean", of_response(&|_, response| response), summary);
    found.half_width_of_arrivals("normalized-response-time.mean", normalized, summary);
    found.never("slowdown.mean/half-width", ALONE);
    let alone = || if workflows.len() > 1 { Err(ALONE) } else { Ok(None) };
    ["slowdown.mean", "slowdown.max", "fairness"].iter().for_each(|name| found.known(*name, alone()));
    let mut kinds: OrderedMap<&str, Vec<f64>> = OrderedMap::new();
    for (place, response) in &responses {
        kinds.entry(&workflows[*place].kind).or_default().push(*response);
    }
    for (kind, responses) in kinds {
        found.is(format!("classes/{kind}/response-time.mean"), mean(&responses));
        found.known(format!("classes/{kind}/slowdown.mean"), alone());
    }
}

fn of_path(run: &Run<'_>, found: &mut Recomputation, critical: Option<&Sheet<'_, CriticalRow<'_>>>) {
    let spans: Vec<(&str, f64)> = match (critical_path(run), critical) {
        (Ok(steps), _) => {
            let span = |start: SimTime, end: SimTime| end.since(start).as_secs_f64();
            steps.iter().map(|step| (step.takes.word(), span(step.start, step.end))).collect()
        }
        // as the file has it
        (Err(_), Some(sheet)) => {
            sheet.rows.iter().map(|row| (&*row.step, row.end.since(row.start).as_secs_f64())).collect()
        }
        (Err(why), None) => {
            for takes in Takes::ALL {
                found.known(format!("critical-path.{}", takes.word()), Err(why));
            }
            return;
        }
    };
    let whole: f64 = spans.iter().map(|(_, seconds)| seconds).sum();
    for takes in Takes::ALL {
        let own: f64 =
            spans.iter().filter(|(word, _)| *word == takes.word()).map(|(_, seconds)| seconds).sum();
        found.is(format!("critical-path.{}", takes.word()), (whole > 0.0).then(|| own / whole));
    }
}

/// The counters of the manifest.
pub(super) fn counters(run: &Run<'_>) -> Vec<Violation> {
    let Some(manifest) = run.files.manifest else { return Vec::new() };
    let plans = run.plans.as_deref().unwrap_or_default();
    let between = run.graph.loads.iter().filter(|load| load.from.is_some() && load.to.is_some());
    let control = run.graph.edges.iter().filter(|edge| edge.bytes.is_none());
    let mut right = vec![
        ("/counters/tasks", run.graph.names.len() as u64),
        ("/counters/edges", (between.count() + control.count()) as u64),
        ("/platform/hosts", run.platform.hosts() as u64),
        ("/platform/links", run.platform.links() as u64),
    ];
    if run.files.plans.is_some() {
        right.extend([
            ("/counters/plans", plans.len() as u64),
            ("/counters/questions", plans.iter().map(|plan| plan.questions).sum()),
            ("/counters/looked-at", plans.iter().map(|plan| plan.looked_at).sum()),
        ]);
    }
    counts_in_manifest(manifest, right)
}
