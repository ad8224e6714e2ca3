//! Nodes that failed and reservations of processors: how often jobs were interrupted, what work was
//! done twice, and what reservations had and when.

use crate::check::{Recomputation, Violation};
use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::{SimDuration, SimTime};
use crate::output::RowFile;
use crate::rows::OutageRow;
use crate::workload::resources::Resources;

use super::rows::Fate;
use super::run::{JobRun, Window};
use super::{Away, Interruptions, Piece, RequestedReservation, STOPPED, gang};

const SECOND: f64 = 1e9;

/// Slices in which jobs ran, where they did, or why they are not known.
type InSlices<'a> = Option<&'a Result<gang::Slices, &'static str>>;

/// All of them.
pub(super) fn find(run: &JobRun<'_>, slices: InSlices<'_>, found: &mut Recomputation) {
    let (facts, window) = (run.facts, run.window());
    if facts.interrupts() {
        interruptions(run, slices, found);
    }
    if facts.fails_by.is_some() {
        let failed = run.away.iter().filter(|away| window.from <= away.from && away.from < window.to);
        found.count("node-failures", failed.count() as u64);
        let all = window.length() * u128::from(facts.procs);
        let share = |away: u128| 1.0 - away as f64 / all as f64;
        found.is("availability", (all > 0).then(|| share(away(run, window))));
    }
    if let Some(reserved) = facts.reserved {
        let time: u128 = run
            .pieces
            .iter()
            .map(|piece| window.part(piece.from, piece.to) * u128::from(piece.on.count()))
            .sum();
        found.is("reservations.processor-time", Some(time as f64 / SECOND));
        let begun = reserved.requested.iter().filter(|one| window.from <= one.from && one.from < window.to);
        let lacked: Vec<SimDuration> = begun
            .clone()
            .map(|one| {
                if let Some(nodes) = &reserved.nodes {
                    let whole = nodes.whole.get(&one.which).copied();
                    return whole.unwrap_or(one.to.min(window.to)).since(one.from);
                }
                let own: Vec<&Piece> = run.pieces.iter().filter(|piece| piece.which == one.which).collect();
                let whole = own.iter().map(|piece| piece.from).find(|&at| {
                    let has = own.iter().filter(|piece| piece.from <= at && counts(run, one, piece, at));
                    has.map(|piece| piece.on.count()).sum::<u64>() >= u64::from(one.procs)
                });
                whole.unwrap_or(one.to.min(window.to)).since(one.from)
            })
            .collect();
        found.count("reservations.started", begun.count() as u64);
        found.count("reservations.late", lacked.iter().filter(|lacked| !lacked.is_zero()).count() as u64);
        let longest = lacked.into_iter().max().unwrap_or_default();
        found.is("reservations.lateness", Some(longest.as_secs_f64()));
        found.count(
            "reservations.jobs",
            run.observed().filter(|(_, _, outcome)| outcome.inside).count() as u64,
        );
    }
}

/// Returns true if processors that a reservation got are no lack at an instant: it has them, or
/// does without those that failed.
fn counts(run: &JobRun<'_>, asked: &RequestedReservation, piece: &Piece, at: SimTime) -> bool {
    let failed = |away: &&Away| {
        away.from == piece.to && away.on.first <= piece.on.first && piece.on.last <= away.on.last
    };
    let without = || run.away.iter().find(failed).is_some_and(|away| !asked.interrupts || away.to > at);
    // what it gets and loses at one instant it had
    piece.to > at || piece.from == at || asked.shrinks && without()
}

/// Processor time out of service in a window \[ns\].
pub(super) fn away(run: &JobRun<'_>, window: Window) -> u128 {
    if run.facts.fails_by.is_none() {
        return 0;
    }
    run.away.iter().map(|away| window.part(away.from, away.to) * u128::from(away.on.count())).sum()
}

/// Adds the counts of interruptions of observed jobs, and the work that was lost or written down.
fn interruptions(run: &JobRun<'_>, slices: InSlices<'_>, found: &mut Recomputation) {
    let slices = slices.map(gang::whole).transpose();
    // in slices a job has processors for longer than it runs
    let ran = |place: usize, attempt: Option<usize>, held: SimDuration| match &slices {
        Ok(Some(slices)) => gang::ran(slices, place, attempt).unwrap_or_default(),
        _ => held,
    };
    let kept: OrderedSet<usize> = run.kept().map(|(place, _, _)| place).collect();
    let mut times: OrderedMap<usize, u64> = OrderedMap::new();
    let mut saved: OrderedMap<usize, SimDuration> = OrderedMap::new();
    let (mut lost, mut written) = (0_u128, 0_u128);
    let area = |span: SimDuration, procs: u64| u128::from(span.as_nanos()) * u128::from(procs);
    for (place, attempt) in run.attempts.iter().filter(|(place, _)| kept.contains(place)) {
        let number = times.entry(*place).or_default();
        *number += 1;
        let number = usize::try_from(*number - 1).unwrap_or(usize::MAX);
        let so_far = saved.entry(*place).or_default();
        *so_far = so_far.saturating_add(attempt.kept);
        // of the time in which it ran, some made work that is kept, and some wrote it down
        let held = ran(*place, Some(number), attempt.end.since(attempt.start));
        let procs = attempt.on.iter().map(|on| on.count()).sum();
        let spent = run.facts.checkpoint.map_or(SimDuration::ZERO, |(interval, cost)| {
            SimDuration::from_nanos(attempt.kept.as_nanos() / interval.as_nanos().max(1) * cost.as_nanos())
        });
        written += area(spent, procs);
        lost += area(held.saturating_sub(attempt.kept).saturating_sub(spent), procs);
    }
    let is_sliced = matches!(slices, Ok(Some(_)));
    let rules = Interruptions { checkpoint: run.facts.checkpoint, ..Interruptions::default() };
    for (place, job, outcome) in run.kept() {
        let Some((start, end, procs)) = outcome.and_then(super::run::Outcome::last_run) else { continue };
        let held = ran(place, None, end.since(start));
        match outcome.map(|outcome| (outcome.fate, outcome.alone)) {
            Some((Fate::Lost, _)) => lost += area(held, procs.into()),
            Some((Fate::Completed | Fate::Killed, alone)) if alone.is_some() || is_sliced => {
                let saved = saved.get(&place).copied().unwrap_or_default();
                // of one that is killed the work that it did
                let in_slices = || rules.does(job.run_time.saturating_sub(saved), held);
                let alone = alone.filter(|_| !is_sliced).map(|alone| alone.saturating_sub(saved));
                let rest = alone.unwrap_or_else(in_slices);
                written += area(held.saturating_sub(rest), procs.into());
            }
            _ => {}
        }
    }
    found.count("jobs.interrupted", times.len() as u64);
    found.count("interruptions", times.values().sum());
    if run.facts.molds {
        return found.never("processor-time.", MOLDED);
    }
    let is_known = if run.facts.stopped { Err(STOPPED) } else { slices.map(|_| ()) };
    let seconds = |time: u128| is_known.map(|()| Some(time as f64 / SECOND));
    found.known("processor-time.lost", seconds(lost));
    if run.facts.fails_by.is_some() {
        found.known("processor-time.checkpoints", seconds(written));
    }
}

const MOLDED: &str = "run times of jobs on the processors that they were given are not in the files";

/// Rows of `outages.csv` that are not of the processors of their nodes, or not in order.
///
/// # Errors
/// The first cell that cannot be read.
pub(super) fn of_nodes(
    text: &str,
    per_node: u32,
    (procs, site): (u32, Option<&Resources>),
) -> Result<Vec<Violation>, String> {
    let (mut violations, mut last) = (Vec::new(), SimTime::ZERO);
    RowFile::<OutageRow>::new(text)?.each(|row, _| {
        let OutageRow { node, processors: on, from, .. } = row;
        let (first, beyond) = match site.map(|site| &site.nodes) {
            Some(nodes) if node < nodes.count() => {
                let (first, count) = nodes.processors(node);
                (u64::from(first), u64::from(first) + u64::from(count))
            }
            Some(_) => (u64::MAX, u64::MAX),
            None => {
                let first = u64::from(node) * u64::from(per_node);
                (first, first.saturating_add(per_node.into()).min(procs.into()))
            }
        };
        if u64::from(on.first) != first || u64::from(on.last) + 1 != beyond {
            let what = format!("node {node} has not the processors {on}");
            violations.push(Violation::of_no_job(from, what));
        }
        if from < last {
            let what = format!("an outage of node {node} stands behind a later one");
            violations.push(Violation::of_no_job(from, what));
        }
        last = from;
        Ok(())
    })?;
    Ok(violations)
}
