//! Processor time that jobs had, what it drew, memory and GPUs in use, and slots that stayed free
//! while jobs waited.

use crate::check::Recomputation;
use crate::collections::{Interval, OrderedMap, StableSort as _};
use crate::kernel::SimTime;
use crate::kernel::stats::WarmUp;
use crate::workload::Job;
use crate::workload::resources::{GpuGroup, GpuShare, Mig, NodeKind, Nodes, amounts_of_pools};

use super::rows::Fate;
use super::run::{JobRun, Window};
use super::{JobFiles, NO_EXECUTIONS, STOPPED, Submitted, WarmUpRule, task_rows};

/// A span, and how many processors are in use in it.
type InUse = (SimTime, SimTime, u64);

const MOVES: &str =
    "jobs move, or leave processors before they end, and the files have their last places only";

/// All of them.
///
/// # Errors
/// The first cell of `executions.csv` that cannot be read.
pub(super) fn find(
    run: &JobRun<'_>,
    submitted: &Submitted<'_>,
    files: &JobFiles<'_>,
    found: &mut Recomputation,
) -> Result<(), String> {
    let (window, facts) = (run.window(), run.facts);
    let all = window.length() * u128::from(facts.procs);
    let used = allocated(run, window);
    let share = |part: u128, all: u128| (all > 0).then(|| part as f64 / all as f64);
    found.known("utilization", used.map(|used| share(used, all)));
    if files.summary["metrics"].get("useful-utilization").is_some() {
        let useful = useful(run, window, files)?;
        found.known("useful-utilization", useful.map(|work| (all > 0).then(|| work / all as f64)));
    }
    if let Some((idle, busy)) = facts.power {
        let joules = |time: u128, milliwatts: u64| time as f64 * milliwatts as f64 * 1e-12;
        let away = super::interrupted::away(run, window);
        let jobs = used.map(|used| joules(used, busy));
        let rest = used.map(|used| joules(all.saturating_sub(used + away), idle));
        let is_watched = window.length() > 0;
        let watched = |value: f64| is_watched.then_some(value);
        found.known("energy.jobs", jobs.map(watched));
        found.known("energy.idle", rest.map(watched));
        found.known("energy.total", jobs.and_then(|jobs| Ok(watched(jobs + rest?))));
    }
    resources(run, window, found);
    pools(run, window, submitted, found);
    let lost = lost(run, submitted);
    let slots = u64::from(facts.procs) * u64::from(facts.level);
    found.known("loss-of-capacity", lost.map(|(lost, time)| share(lost, time * u128::from(facts.procs))));
    if facts.of_tasks || facts.gang.is_some() {
        let per_slot = lost.map(|(lost, time)| share(lost, time * u128::from(slots)));
        found.known("loss-of-capacity.per-slot", per_slot);
    }
    Ok(())
}

/// Work of completed jobs \[processor ns\], each by the share of its time from its first start to
/// its end that is in the window: the processors that it asked for times its run time alone, at
/// detail `task` what its tasks computed and spent on messages.
fn useful(
    run: &JobRun<'_>,
    window: Window,
    files: &JobFiles<'_>,
) -> Result<Result<f64, &'static str>, String> {
    let mut began: OrderedMap<usize, SimTime> = OrderedMap::new();
    for (place, attempt) in &run.attempts {
        began.entry(*place).or_insert(attempt.start);
    }
    let of_tasks = match files.executions {
        Some(text) if run.facts.of_tasks => task_rows::computed(text)?,
        None if run.facts.of_tasks => return Ok(Err(NO_EXECUTIONS)),
        _ => OrderedMap::new(),
    };
    let mut work = 0.0;
    for (place, (job, outcome)) in run.jobs.iter().zip(&run.outcomes).enumerate() {
        let Some(outcome) = outcome.as_ref().filter(|outcome| outcome.fate == Fate::Completed) else {
            continue;
        };
        let needs = match outcome.alone {
            _ if run.facts.of_tasks => of_tasks.get(&(job.number, job.submit_time)).copied().unwrap_or(0.0),
            alone => alone.unwrap_or_default().as_nanos() as f64 * f64::from(job.procs),
        };
        let Some(start) = began.get(&place).copied().or(outcome.start) else { continue };
        let whole = outcome.end.since(start).as_nanos() as f64;
        work += if whole > 0.0 { needs * (window.part(start, outcome.end) as f64 / whole) } else { 0.0 };
    }
    Ok(Ok(work))
}

/// Every run of a job: start, end, processors.
fn runs<'a>(run: &'a JobRun<'_>) -> impl Iterator<Item = (SimTime, SimTime, u32)> + 'a {
    let earlier = run.attempts.iter().map(|(_, attempt)| {
        let held: u64 = attempt.on.iter().map(|on| on.count()).sum();
        (attempt.start, attempt.end, held as u32)
    });
    run.outcomes.iter().flatten().filter_map(super::run::Outcome::last_run).chain(earlier)
}

/// Processor time that jobs had in the window, a shared processor counted once \[ns\].
fn allocated(run: &JobRun<'_>, window: Window) -> Result<u128, &'static str> {
    let spans = spans_in_use(run)?.into_iter();
    Ok(spans.map(|(from, to, procs)| window.part(from, to) * u128::from(procs)).sum())
}

/// Spans whose processors add up to those in use at each instant, a shared processor counted once.
pub(super) fn spans_in_use(run: &JobRun<'_>) -> Result<Vec<InUse>, &'static str> {
    if run.facts.stopped {
        return Err(STOPPED);
    }
    if !run.facts.shares {
        return Ok(runs(run).map(|(from, to, procs)| (from, to, u64::from(procs))).collect());
    }
    if !run.facts.stays {
        return Err(MOVES);
    }
    let last = run.outcomes.iter().flatten().filter_map(|outcome| {
        let (start, end, _) = outcome.last_run()?;
        Some((start, end, &outcome.on))
    });
    let attempts = run.attempts.iter().map(|(_, attempt)| (attempt.start, attempt.end, &attempt.on));
    let all: Vec<(SimTime, SimTime, &Vec<Interval>)> = last.chain(attempts).collect();
    // of each run of processors: where jobs come and go, in order
    let mut changes: Vec<(SimTime, bool, usize)> = Vec::new();
    for (place, (start, end, _)) in all.iter().enumerate() {
        changes.extend([(*start, true, place), (*end, false, place)]);
    }
    changes.stable_sort();
    // spans of processors that the same jobs have, as many as rows need, whatever number of
    // processors is stated
    let procs = u64::from(run.facts.procs);
    let ends = |on: &Interval| [u64::from(on.first).min(procs), (u64::from(on.last) + 1).min(procs)];
    let mut cuts: Vec<u64> = all.iter().flat_map(|(_, _, on)| *on).flat_map(ends).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut jobs_on = vec![0_i64; cuts.len()];
    let (mut since, mut in_use, mut spans) = (SimTime::ZERO, 0_u64, Vec::new());
    for (at, starts, place) in changes {
        spans.push((since, at, in_use));
        since = at;
        let spans = all[place].2.iter().flat_map(|on| {
            let [first, last] = ends(on).map(|end| cuts.partition_point(|cut| *cut < end));
            first..last
        });
        for span in spans {
            let (before, width) = (jobs_on[span] > 0, cuts[span + 1] - cuts[span]);
            jobs_on[span] += if starts { 1 } else { -1 };
            match (before, jobs_on[span] > 0) {
                (false, true) => in_use += width,
                (true, false) => in_use -= width,
                _ => {}
            }
        }
    }
    Ok(spans)
}

/// Memory and GPUs that jobs asked for, over what there is.
fn resources(run: &JobRun<'_>, window: Window, found: &mut Recomputation) {
    let Some(all) = run.facts.resources else { return };
    if run.facts.stopped {
        found.never("memory.utilization", STOPPED);
        return found.never("gpus.utilization", STOPPED);
    }
    let (mut memory, mut gpus) = (0.0, 0.0);
    let mut holds = |job: &Job, (start, end, procs): (SimTime, SimTime, u32), shares: &[GpuShare]| {
        let demand = all.demands.of(job.demand);
        let time = window.part(start, end) as f64;
        let held = time * demand.chunks(procs) as f64;
        memory += held * demand.memory as f64;
        gpus += if all.distinguishes_gpus() {
            time * shares.iter().map(|share| gpus_of(share, &all.nodes)).sum::<f64>()
        } else {
            held * f64::from(demand.gpus)
        };
    };
    for (place, attempt) in &run.attempts {
        let procs: u64 = attempt.on.iter().map(|on| on.count()).sum();
        holds(&run.jobs[*place], (attempt.start, attempt.end, procs as u32), &attempt.gpus);
    }
    for (job, outcome) in run.jobs.iter().zip(&run.outcomes) {
        if let Some((outcome, last)) = outcome.as_ref().and_then(|one| Some((one, one.last_run()?))) {
            holds(job, last, &outcome.gpus);
        }
    }
    let kinds = || all.nodes.kinds().iter();
    let known = kinds().filter(|kind| kind.memory != NodeKind::ENDLESS);
    let all_memory: f64 = known.map(|kind| f64::from(kind.nodes) * kind.memory as f64).sum();
    let of_group = |group: &GpuGroup| f64::from(group.count) * whole(group);
    let of_node = |groups: Vec<GpuGroup>| groups.iter().map(of_group).sum::<f64>();
    let all_gpus: f64 = kinds()
        .zip(all.nodes.gpu_groups())
        .map(|(kind, groups)| f64::from(kind.nodes) * of_node(groups))
        .sum();
    let length = window.length() as f64;
    let share = |used: f64, all: f64| (length > 0.0 && all > 0.0).then(|| used / (all * length));
    found.is("memory.utilization", share(memory, all_memory));
    found.is("gpus.utilization", share(gpus, all_gpus));
}

/// Amounts of pools that jobs held, over what there is: the mean over the pools, and the greatest.
fn pools(run: &JobRun<'_>, window: Window, submitted: &Submitted<'_>, found: &mut Recomputation) {
    let Some(pools) = &run.facts.pools else { return };
    let names = ["pools.utilization.mean", "pools.utilization.max"];
    if run.facts.stopped {
        return names.into_iter().for_each(|name| found.never(name, STOPPED));
    }
    let mut held: OrderedMap<&str, f64> = pools.iter().map(|(name, _)| (name.as_str(), 0.0)).collect();
    let earlier = run.attempts.iter().map(|(place, attempt)| (*place, attempt.start, attempt.end));
    let last = run.outcomes.iter().enumerate().filter_map(|(place, outcome)| {
        let (start, end, _) = outcome.as_ref().and_then(super::run::Outcome::last_run)?;
        Some((place, start, end))
    });
    for (place, start, end) in last.chain(earlier) {
        let text = submitted.attributes.of(place).pools;
        for (name, amount) in text.and_then(amounts_of_pools).unwrap_or_default() {
            if let Some(held) = held.get_mut(name) {
                *held += window.part(start, end) as f64 * f64::from(amount);
            }
        }
    }
    let length = window.length() as f64;
    let share = |(name, count): &(String, u32)| held[name.as_str()] / (f64::from(*count) * length);
    let shares: Vec<f64> = if length > 0.0 { pools.iter().map(share).collect() } else { Vec::new() };
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    found.is(names[0], Some(mean).filter(|_| !shares.is_empty()));
    found.is(names[1], shares.into_iter().reduce(f64::max));
}

/// A GPU of a group in whole GPUs: of an instance made beforehand its sevenths.
fn whole(group: &GpuGroup) -> f64 {
    match group.mig {
        Mig::Beforehand(profile) => f64::from(profile.sevenths()) / 7.0,
        Mig::Never | Mig::AtStarts => 1.0,
    }
}

/// Whole GPUs that a share of some is.
fn gpus_of(share: &GpuShare, nodes: &Nodes) -> f64 {
    let of = |gpu: u64| {
        nodes.gpu(gpu).map_or(0.0, |(_, group)| match share.parts {
            0 => whole(&group),
            parts => whole(&group) * f64::from(parts) / f64::from(group.parts),
        })
    };
    (share.first..=share.last).map(of).sum()
}

/// Free slots over time while a job waits \[slot ns\], and the time since the end of the warm-up
/// \[ns\].
fn lost(run: &JobRun<'_>, submitted: &Submitted<'_>) -> Result<(u128, u128), &'static str> {
    let facts = run.facts;
    if facts.stopped {
        return Err(STOPPED);
    }
    if facts.leaves || (facts.shares && !facts.stays && facts.gang.is_none()) {
        return Err(MOVES);
    }
    let Some(from) = marked(run, submitted) else { return Ok((0, 0)) };
    let held: OrderedMap<usize, SimTime> = submitted.held.into_iter().flatten().copied().collect();
    // (when, change of waiting jobs, change of free slots)
    let mut changes: Vec<(SimTime, i64, i64)> = Vec::new();
    let mut waits_from: Vec<SimTime> = run.jobs.iter().map(|job| job.submit_time).collect();
    for (place, considered) in held {
        waits_from[place] = waits_from[place].max(considered);
    }
    // jobs inside reservations have processors of these, and wait for these alone
    let reserved = facts.reserved.filter(|_| facts.inside);
    let inside = |job: &Job| reserved?.inside.get(&(job.number, job.submit_time)).copied();
    for (place, attempt) in &run.attempts {
        let size: u64 = attempt.on.iter().map(|on| on.count()).sum();
        if inside(&run.jobs[*place]).is_some() {
            waits_from[*place] = attempt.end;
            continue;
        }
        let again = attempt.end.saturating_add(facts.delay);
        let waits = std::mem::replace(&mut waits_from[*place], again);
        let waits = run.waits_from(*place, waits, attempt.start);
        changes.extend([(waits, 1, 0), (attempt.start, -1, 0)]);
        changes.extend([(attempt.start, 0, -size.cast_signed()), (attempt.end, 0, size.cast_signed())]);
    }
    let mut end = run.end();
    for (place, outcome) in run.outcomes.iter().enumerate() {
        let (job, outcome) = (&run.jobs[place], outcome.as_ref());
        if let Some(number) = inside(job).filter(|_| outcome.is_some_and(|one| one.without_reservation)) {
            let refused = reserved.map(|known| known.refused_at(number, job, waits_from[place]));
            end = end.max(refused.unwrap_or_default());
        }
        let outcome = outcome.filter(|outcome| outcome.fate != Fate::Rejected);
        let Some(outcome) = outcome.filter(|_| inside(job).is_none()) else { continue };
        let until = outcome.start.unwrap_or(outcome.end);
        let waits = run.waits_from(place, waits_from[place], until);
        if waits <= until {
            changes.extend([(waits, 1, 0), (until, -1, 0)]);
        }
        if let Some((start, end, procs)) = outcome.last_run() {
            changes.extend([(start, 0, -i64::from(procs)), (end, 0, i64::from(procs))]);
        }
    }
    let away = run.away.iter().map(|away| (away.on, away.from, away.to));
    for (on, from, to) in away.chain(run.pieces.iter().map(|piece| (piece.on, piece.from, piece.to))) {
        let count = on.count().cast_signed() * i64::from(facts.level);
        changes.extend([(from, 0, -count), (to, 0, count)]);
    }
    changes.stable_sort_by_key(|change| change.0);
    let (mut since, mut lost) = (from, 0_u128);
    let (mut waiting, mut free) = (0_i64, i64::from(facts.procs) * i64::from(facts.level));
    for (at, comes, frees) in changes {
        let at = at.min(end);
        if at > since {
            if waiting > 0 {
                lost += u128::from(at.since(since).as_nanos()) * u128::from(free.max(0).cast_unsigned());
            }
            since = at;
        }
        (waiting, free) = (waiting + comes, free + frees);
    }
    Ok((lost, u128::from(end.since(from).as_nanos())))
}

/// From when on slots are observed: with the first job that is not too large, or at the end of the
/// warm-up.
fn marked(run: &JobRun<'_>, submitted: &Submitted<'_>) -> Option<SimTime> {
    let planned = |place: usize, job: &Job| submitted.planned.map_or(job.submit_time, |all| all[place]);
    let mut fitting: Vec<SimTime> = run
        .jobs
        .iter()
        .enumerate()
        .filter(|(_, job)| job.procs <= run.facts.procs)
        .map(|(place, job)| planned(place, job))
        .collect();
    fitting.sort_unstable();
    match run.facts.warm_up {
        WarmUpRule::Given(WarmUp::Until(end)) => fitting.first().map(|first| (*first).max(end)),
        WarmUpRule::Given(WarmUp::Count(count)) => {
            usize::try_from(count).ok().and_then(|count| fitting.get(count)).copied()
        }
        _ => fitting.first().copied(),
    }
}
