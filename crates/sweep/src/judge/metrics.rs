//! The numbers of the summary and of the manifest, from rows.

use serde_json::Value as Json;

use crate::check::files::counts_in_manifest;
use crate::check::{JudgedPromise, Recomputation};
use crate::collections::OrderedSet;
use crate::kernel::SimTime;

use super::bounds::{self, Bound};
use super::run::{
    AGAIN, LOST, NO_FILES, NO_PLANS, NO_TRANSFERS, QUEUES, Run, SEARCH, STEALS, STOPPED, TransferRow,
};
use super::sheets::{by_host, costs};
use super::{SweepValue, Violation};

/// All numbers of a summary.
pub(super) fn summary(run: &Run<'_>, summary: &Json) -> Vec<JudgedPromise> {
    let mut found = Recomputation::default();
    found.of_run(run.files.named, run.files.manifest.unwrap_or(&Json::Null));
    found.value("warm-up", Json::Null);
    of_makespan(run, &mut found);
    of_transfers(run, &mut found);
    of_processors(run, &mut found);
    of_plans(run, &mut found);
    of_losses(run, &mut found);
    of_terms(run, &mut found);
    found.compare(summary)
}

fn stated(run: &Run<'_>, name: &str) -> Option<f64> {
    run.files.summary.and_then(|summary| summary["metrics"][name]["value"].as_f64())
}

/// A bound; as it is stated, where that is off by no more than sums that are made in another order.
fn bound(run: &Run<'_>, name: &str, bound: Bound) -> Result<Option<f64>, &'static str> {
    let right = bounds::known(bound)?;
    let stated = stated(run, name);
    let is_same =
        right.zip(stated).is_some_and(|(right, stated)| (right - stated).abs() <= 2.5e-9 + right * 1e-9);
    Ok(if is_same { stated } else { right })
}

fn of_makespan(run: &Run<'_>, found: &mut Recomputation) {
    let makespan = run.makespan().map(SimTime::as_secs_f64);
    found.is("makespan", makespan);
    found.count("tasks.completed", run.rows().filter(|(_, row)| row.completed.is_some()).count() as u64);
    let all = [
        ("bound.compute", bounds::compute as fn(&Run<'_>) -> Bound),
        ("bound.link", bounds::link),
        ("bound.task", bounds::task),
    ];
    let mut lower = Ok(Some(0.0_f64));
    for (name, of) in all {
        let one = if run.files.stopped { Err(STOPPED) } else { bound(run, name, of(run)) };
        lower = match (lower, one) {
            (Ok(lower), Ok(one)) => Ok(lower.zip(one).map(|(lower, one)| lower.max(one))),
            (Err(why), _) | (_, Err(why)) => Err(why),
        };
        found.known(name, one);
    }
    let gap = |lower: f64| makespan.map(|makespan| if lower > 0.0 { makespan / lower - 1.0 } else { 0.0 });
    found.known("lower-bound", lower);
    found.known("gap", lower.map(|lower| lower.and_then(gap)));
    // the search is not made again: only what it says must fit together
    let (best, least) = (stated(run, "optimum.best"), stated(run, "optimum.bound"));
    if run.files.searched {
        let proven = best.zip(least).map(|(best, least)| (best - least).abs() < 5e-10);
        let above = makespan.zip(best.filter(|best| proven == Some(true) && *best > 0.0));
        found.is("gap.optimal", above.map(|(makespan, best)| makespan / best - 1.0));
        found.is("optimum.proven", proven.map(|proven| f64::from(u8::from(proven))));
        found.never("optimum", SEARCH);
        if best.zip(least).is_some_and(|(best, least)| least > best) {
            found.is("optimum.bound", best);
        }
    }
}

/// The transfers that arrived, each with its seconds.
fn arrived(rows: &[TransferRow]) -> impl Iterator<Item = (&TransferRow, f64)> + Clone {
    rows.iter().filter_map(|row| Some((row, row.end?.since(row.start).as_secs_f64())))
}

fn of_transfers(run: &Run<'_>, found: &mut Recomputation) {
    let grid = run.grid;
    let joined = (0..grid.links()).any(|link| grid.between(link).is_some());
    let limited = run.stays.is_some();
    let Some(rows) = &run.transfers else {
        for name in ["transfers", "bytes.sent", "bytes.saved", "copies.mean", "link-utilization"] {
            found.known(name, Err(NO_TRANSFERS));
        }
        found.never("bytes.again", NO_TRANSFERS);
        found.never("evictions", NO_FILES);
        return ["transfers.between", "bytes.between"]
            .iter()
            .for_each(|name| found.never(name, NO_TRANSFERS));
    };
    let sum =
        |rows: &mut dyn Iterator<Item = &TransferRow>| rows.map(|row| row.bytes as f64).sum::<f64>() + 0.0;
    found.count("transfers", arrived(rows).count() as u64);
    found.is("bytes.sent", Some(sum(&mut arrived(rows).map(|(row, _)| row))));
    found.is("bytes.saved", Some(saved(run, rows)));
    found.is("copies.mean", copies(run, rows));
    let carrying: f64 = arrived(rows).map(|(_, seconds)| seconds).sum();
    let makespan = run.makespan().map(SimTime::as_secs_f64);
    let share = |makespan: f64| carrying / (grid.links() as f64 * makespan);
    found.is("link-utilization", makespan.map(share).filter(|share| share.is_finite()));
    if joined {
        let between = || arrived(rows).map(|(row, _)| row).filter(|row| run.source_of(row).is_some());
        found.count("transfers.between", between().count() as u64);
        found.is("bytes.between", Some(sum(&mut between())));
    }
    if limited {
        let removed = run.stays.iter().flatten().filter(|stay| stay.removed.is_some()).count();
        found.count("evictions", removed as u64);
        let mut seen = OrderedSet::new();
        let is_stored =
            |row: &&TransferRow| row.is_input && row.cluster.is_some_and(|cluster| grid.has_storage(cluster));
        let again = arrived(rows).map(|(row, _)| row).filter(is_stored);
        found.is("bytes.again", Some(sum(&mut again.filter(|row| !seen.insert((row.cluster, &*row.file))))));
    }
}

/// Bytes of inputs of tasks that computed which were not sent for them.
fn saved(run: &Run<'_>, rows: &[TransferRow]) -> f64 {
    let inputs = arrived(rows).map(|(row, _)| row).filter(|row| row.is_input);
    let sent: OrderedSet<_> = inputs.map(|row| (row.task, row.cluster, row.place)).collect();
    let mut bytes = 0.0;
    for (task, row) in run.rows() {
        let Some(host) = row.host.filter(|_| row.end.is_some()) else { continue };
        let cluster = Some(run.grid.cluster_of(host));
        let inputs = run.works[task].inputs.iter();
        let there = inputs.filter(|file| !sent.contains(&(Some(task), cluster, Some(**file))));
        bytes += there.map(|file| run.sizes[*file].bytes as f64).sum::<f64>();
    }
    bytes + 0.0
}

/// Clusters that a file of several readers reached, on the mean.
fn copies(run: &Run<'_>, rows: &[TransferRow]) -> Option<f64> {
    let mut readers = vec![0_u32; run.sizes.len()];
    run.works.iter().flat_map(|work| &work.inputs).for_each(|file| readers[*file] += 1);
    let inputs = arrived(rows).map(|(row, _)| row).filter(|row| row.is_input);
    let shared = inputs
        .filter_map(|row| row.place.filter(|place| readers[*place] > 1).map(|place| (place, row.cluster)));
    let reached: OrderedSet<_> = shared.collect();
    let shared = readers.iter().filter(|readers| **readers > 1).count();
    (shared > 0).then(|| reached.iter().count() as f64 / shared as f64)
}

/// Nanoseconds for which a host is not there, up to an instant.
fn absence(run: &Run<'_>, host: usize, end: SimTime) -> Result<u64, &'static str> {
    let of = [(SweepValue::HostPresence, host), (SweepValue::ClusterPresence, run.grid.cluster_of(host))];
    let (mut now, mut nanos) = (SimTime::ZERO, 0);
    while now < end {
        let held = of.map(|of| run.values.at(run.grid, of, now));
        let [Some((host, change)), Some((cluster, other))] = held else { return Err(super::run::DRAWN) };
        let until = change.into_iter().chain(other).fold(end, SimTime::min);
        if host <= 0.0 || cluster <= 0.0 {
            nanos += until.since(now).as_nanos();
        }
        now = until;
    }
    Ok(nanos)
}

fn of_processors(run: &Run<'_>, found: &mut Recomputation) {
    let by_host = by_host(run);
    found.count("hosts.unused", by_host.iter().filter(|(tasks, _)| *tasks == 0).count() as u64);
    let makespan = run.makespan().map(SimTime::as_secs_f64);
    let busy = by_host.iter().map(|(_, nanos)| *nanos as f64 / 1e9).sum::<f64>();
    let processors = bounds::processors(run.grid);
    let share = makespan.map(|makespan| busy / (processors * makespan)).filter(|share| share.is_finite());
    found.known("utilization", if run.misses_attempts() { Err(AGAIN) } else { Ok(share) });
    let part = |name: &str| format!("processor-time.{name}");
    let Some(end) = run.makespan() else { return found.never("processor-time", STOPPED) };
    let whole = processors * end.as_secs_f64();
    let share = |seconds: f64| (whole > 0.0).then(|| seconds / whole);
    let absent = (0..run.grid.hosts())
        .map(|host| Ok(absence(run, host, end)? as f64 / 1e9 * f64::from(run.grid.processors(host))));
    let absent: Result<f64, &'static str> = absent.sum();
    // what goes on after the last completion is no part of it
    let thrown = run.thrown_away().map(|(_, _, from, to)| to.min(end).since(from.min(end)).as_secs_f64());
    let thrown: f64 = thrown.sum();
    found.is(part("computing"), share(busy));
    found.known(part("absent"), absent.map(share));
    found.is(part("discarded"), share(thrown));
    found.known(part("lost"), if run.may_lose() { Err(LOST) } else { Ok(share(0.0)) });
    found.never("processor-time.waiting", QUEUES);
    // all of them add up to 1
    let rest = ["computing", "absent", "discarded", "lost", "waiting"].map(|name| stated(run, &part(name)));
    let rest: Option<f64> = rest.into_iter().sum();
    found.is(part("idle"), rest.filter(|_| whole > 0.0).map(|rest| 1.0 - rest));
}

fn of_plans(run: &Run<'_>, found: &mut Recomputation) {
    let Some(plans) = &run.plans else {
        ["plans", "looks", "correctness", "plan-makespan", "plan-error"]
            .iter()
            .for_each(|name| found.never(name, NO_PLANS));
        return;
    };
    let first = plans.first().filter(|plan| plan.tasks == run.works.len() as u64);
    let first = first.map(|plan| plan.end.as_secs_f64());
    let makespan = run.makespan().map(SimTime::as_secs_f64);
    let error = makespan.zip(first).map(|(makespan, plan)| makespan / plan - 1.0);
    found.is("plan-makespan", first);
    found.is("plan-error", error.filter(|error| error.is_finite()));
    found.count("plans", plans.len() as u64);
    found.count("looks", plans.iter().map(|plan| plan.looks).sum());
    let known: Vec<f64> = plans.iter().filter_map(|plan| plan.correctness).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    found.is("correctness.mean", (!known.is_empty()).then_some(mean));
}

fn of_losses(run: &Run<'_>, found: &mut Recomputation) {
    found.known("steals", if run.files.may_steal { Err(STEALS) } else { Ok(Some(0.0)) });
    let lost = if run.may_lose() { Err(LOST) } else { Ok(Some(0.0)) };
    found.known("failed-works", lost);
    found.known("lost-time", lost);
    let thrown_away = run.duplicates.as_deref().unwrap_or_default();
    // second copies that were lost, or that count in the place of the first, are thrown away in no
    // row
    let count = match () {
        () if run.may_lose() => Err(LOST),
        () if run.files.stopped => Err(STOPPED),
        () => Ok(Some(thrown_away.len() as f64)),
    };
    found.known("duplicates", count);
    let seconds: f64 = thrown_away.iter().map(|row| row.end.since(row.start).as_secs_f64()).sum();
    found.is("discarded-time", Some(seconds + 0.0));
}

fn of_terms(run: &Run<'_>, found: &mut Recomputation) {
    if let Some(deadline) = run.files.deadline {
        let is_met = |completed: Option<SimTime>| completed.is_some_and(|completed| completed <= deadline);
        let met = run.rows().filter(|(_, row)| is_met(row.completed)).count();
        found.count("deadline-missed", run.works.len().saturating_sub(met) as u64);
    }
    if !run.has_prices() {
        return;
    }
    let sums =
        costs(run).map(|costs| costs.iter().fold((0.0, 0.0), |sum, cost| (sum.0 + cost.0, sum.1 + cost.1)));
    found.known("cost", sums.map(|(computing, sending)| Some(computing + sending)));
    found.known("computing-cost", sums.map(|(computing, _)| Some(computing)));
    found.known("sending-cost", sums.map(|(_, sending)| Some(sending)));
    if let Some(budget) = run.files.budget {
        found.known("budget-left", sums.map(|(computing, sending)| Some(budget - (computing + sending))));
    }
}

/// The counters of the manifest.
pub(super) fn counters(run: &Run<'_>) -> Vec<Violation> {
    let Some(manifest) = run.files.manifest else { return Vec::new() };
    let mut right = vec![
        ("/counters/tasks", run.works.len() as u64),
        ("/counters/files", run.sizes.len() as u64),
        ("/platform/clusters", run.grid.clusters() as u64),
        ("/platform/hosts", run.grid.hosts() as u64),
    ];
    right.extend(run.transfers.as_ref().map(|rows| ("/counters/transfers", rows.len() as u64)));
    if let Some(plans) = &run.plans {
        let looks = plans.iter().map(|plan| plan.looks).sum();
        right.extend([("/counters/plans", plans.len() as u64), ("/counters/looks", looks)]);
    }
    counts_in_manifest(manifest, right)
}
