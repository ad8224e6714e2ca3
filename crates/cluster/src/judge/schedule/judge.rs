//! The judgement of each promise that a schedule makes good or breaks, or why there is none.

use std::borrow::Cow;

use crate::ids::JobId;
use crate::workload::{Job, Workload};

use super::no_overlap::in_use;
use super::pools::other_amounts;
use super::pools_ahead::respects_reserved_amounts;
use super::reservations_ahead::{respects_reservations_of, with_estimates, with_jobs};
use super::starts::JudgedStarts;
use super::{
    Facts, Holding, Interruptions, Judgement, LimitBasis, Promise, Replayed, Reservations, Row,
    ScheduledJobs, Submitted, Supply, Violation, acts_kept, all_runs, cancellation, complete, crowded,
    dependencies_inside, each_job, exclusive, granted, hold, in_pools, in_service, interrupted_by_either,
    interrupted_by_reservations, jobs_in_reservations, limit_of_runs, moldable, no_overlap, on_nodes_with,
    on_own_nodes, respects_reserved_nodes, shared, work_adds_up,
};

const MOVES: &str = "jobs move, and a schedule has their last processors only";
const SHARED: &str = "tasks leave processors before their jobs end, which a schedule does not have";
pub(super) const CUT: &str =
    "how long jobs would have run that were cut short, by which it is promised, is not known";
pub(super) const AHEAD: &str =
    "features have jobs started before those that wait, whatever these were promised";
pub(super) const PREDICTED: &str = "the predictions that the policy goes by are not in the schedule";
pub(super) const RESIZED: &str =
    "sizes and estimates that jobs had while they waited are not in the schedule";
const LAW: &str = "their law of speed-up is not known here";
const BY_RUN_TIMES: &str = "jobs overtake that by their run times are over before reservations";
pub(super) const JOBS_INSIDE: &str = "which jobs run inside reservations is not known";
pub(super) const STOPPED: &str = "the run was stopped, and jobs that had not ended have no row";

/// Judges everything that was promised; `work` is the workload, or why it is not known. Gives the
/// reservations back, if there are any, as they are planned by the sizes that jobs had.
pub fn judge(
    mut schedule: ScheduledJobs,
    facts: &Facts<'_>,
    work: Result<&Workload, &'static str>,
) -> (Vec<(Promise, Judgement)>, Option<Reservations>) {
    let reserved = facts.reserved.cloned().unwrap_or_default();
    let known = match (facts.failing, facts.reserved) {
        (Some(failing), Some(reserved)) => failing.with_maintenance(reserved),
        (Some(failing), None) => failing.clone(),
        (None, _) => reserved.interruptions(),
    };
    let acts = facts.acts.cloned().unwrap_or_default();
    let mut known = Interruptions { acts, in_slices: facts.in_slices(), ..known };
    let earlier = known.rows();
    let resized =
        work.map(|work| facts.moldable.map(|rules| moldable(&schedule, work, (rules, &mut known), facts)));
    let known = known;
    // runs on other sizes were planned for other times
    let reserved = match (facts.moldable, facts.failing) {
        (Some(_), failing) => reserved.planned_by(&schedule, &known, failing.map_or(&[], |all| &all.away)),
        (None, _) => reserved,
    };
    let resized = resized.as_ref().map(Option::as_ref).map_err(|why| *why);
    // everything else is judged of jobs with the sizes that they were given
    let work = work.map(|work| resized.ok().flatten().map_or(work, |(resized, _)| resized));
    let refused = |job: &Job, from| {
        let key = (job.number, job.submit_time);
        let number = reserved.inside.get(&key);
        let inside = |from| number.map(|&number| reserved.refused_at(number, job, from));
        Some(known.acts.refused_at(key, from, inside))
    };
    let replayed = work.map(|work| {
        facts
            .depends
            .then(|| dependencies_inside(&mut schedule, work, (facts.procs, facts.holds_failed), &refused))
    });
    let replayed = replayed.as_ref().map(Option::as_ref).map_err(|why| *why);
    hold(&mut schedule, &known.acts, &known.attempts);
    let others = replayed.ok().flatten().map(Replayed::others);
    let ids = replayed.ok().flatten().map(Replayed::other_ids);
    let jobs = work.map(|work| others.as_deref().unwrap_or(&work.jobs));
    // of a run that was not stopped
    let ended = jobs.and_then(|jobs| if facts.stopped { Err(STOPPED) } else { Ok(jobs) });
    let counted = if facts.rigid { LimitBasis::Held } else { LimitBasis::Served };
    let submitted = jobs.map(|jobs| Submitted { jobs, ids: ids.as_deref() });
    let starts = JudgedStarts::new(facts, (&reserved, &known), submitted);
    let mut judge = |promise| {
        let rows = &schedule.ran;
        match promise {
            Promise::Dependencies => Ok(replayed?.map(|all| all.violations.clone()).unwrap_or_default()),
            Promise::Cancellation => {
                let found = of_cancellation(&schedule, work?, replayed.ok().flatten(), counted, &known);
                Ok(found.into_iter().filter(|one| !gone_at_once(one, &schedule, &reserved)).collect())
            }
            Promise::Moldable if facts.moldable.is_some_and(|rules| rules.law.is_none()) => Err(LAW),
            Promise::Moldable => Ok(resized?.map(|(_, violations)| violations.clone()).unwrap_or_default()),
            Promise::Complete => Ok(complete(&mut schedule, ended?, facts, &known)),
            Promise::WorkAddsUp => ended.map(|_| work_adds_up(&mut schedule.ran, &known)),
            Promise::Interruptions => ended.map(|_| interrupted_by_either(&mut schedule.ran, &known)),
            Promise::Interrupted => ended.map(|_| interrupted_by_reservations(&mut schedule.ran, &known)),
            Promise::InService | Promise::Granted | Promise::Exclusive if moves(facts) => Err(MOVES),
            Promise::Granted | Promise::Exclusive | Promise::Respected | Promise::JobsInReservations => {
                let believed = starts.believed(promise, &schedule)?;
                of_reservations(promise, &believed, &reserved, facts, &known)
            }
            Promise::InService => Ok(in_service(&with(rows, &earlier), facts.failing.unwrap_or(&known))),
            Promise::EachJob if facts.rigid => Ok(each_job(rows, facts.procs)),
            Promise::EachJob => Ok(each_job(&as_they_ran(rows), facts.procs)),
            Promise::Limit => {
                let cut = |row: &&Row| reserved.closes_on(row) || known.acts.ended(row);
                let rows: Vec<Row> = rows.iter().filter(|row| !cut(row)).cloned().collect();
                Ok(limit_of_runs(&rows, facts, &known, counted))
            }
            Promise::NoOverlap => match facts.holding {
                Holding::Alone | Holding::Shared(1) => Ok(no_overlap(&with(rows, &earlier))),
                Holding::Shared(level) => Ok(shared(&with(rows, &earlier), level)),
                Holding::Moving(level) => Ok(crowded(&with(rows, &earlier), facts.procs, level)),
                Holding::Leaving => Err(SHARED),
            },
            Promise::OnNodes => {
                let found = facts.resources.map(|all| on_nodes_with(&schedule, &earlier, all));
                ended.map(|_| found.unwrap_or_default())
            }
            Promise::InPools => {
                let found = of_pools(&schedule, facts, (&reserved, &known), work);
                ended.map(|_| found)
            }
            Promise::InOrder
            | Promise::NothingFits
            | Promise::HeadStarts
            | Promise::ShadowTime
            | Promise::QueueHeads
            | Promise::ReservationPromise
            | Promise::Limits => starts.judge(promise, &schedule),
            Promise::ActsKept => Ok(acts_kept(&schedule, &known.acts, &known.attempts)),
            Promise::OwnFeatures => Err("which jobs it is to hold, reject or end is not known here"),
            Promise::OnOwnNodes => {
                let own = facts.own_nodes.map(|own| on_own_nodes(&with(rows, &earlier), own));
                work.map(|_| own.unwrap_or_default())
            }
            Promise::Sized => Err(RESIZED),
            Promise::Placed => Err("in which order jobs started at one instant is not in the schedule"),
            Promise::Slices | Promise::Scheme => Err("when tasks ran is not in the schedule"),
            Promise::Own => Err("they are not known here"),
        }
    };
    let judged = Promise::of(facts).into_iter().map(|promise| (promise, judge(promise))).collect();
    (judged, facts.reserved.map(|_| reserved))
}

/// Returns true if jobs move, and a schedule states where they were last.
fn moves(facts: &Facts<'_>) -> bool {
    matches!(facts.holding, Holding::Moving(_))
}

/// Judges what is held of pools, and what jobs ask of them.
fn of_pools(
    schedule: &ScheduledJobs,
    facts: &Facts<'_>,
    (reserved, known): (&Reservations, &Interruptions),
    work: Result<&Workload, &'static str>,
) -> Vec<Violation> {
    let Some(pools) = facts.pools else { return Vec::new() };
    let all = [&schedule.ran[..], &schedule.cancelled, &schedule.refused].concat();
    let mut violations = Vec::new();
    if !reserved.jobs_unknown || reserved.amounts.is_empty() {
        violations.extend(in_pools(&all_runs(Cow::Borrowed(&all), known), pools, |row| reserved.of(row)));
    }
    if let Ok(work) = work {
        let jobs = work.jobs.iter().enumerate();
        let stated = jobs.map(|(place, job)| (job, work.attributes.of(place).pools));
        violations.extend(other_amounts(all.iter(), &schedule.pools, stated));
    }
    violations
}

/// Returns true if it is not known how long a job would have run.
pub(super) fn is_cut(row: &Row, known: &Interruptions) -> bool {
    row.work.is_none() && (row.cancelled || row.lost || known.acts.ended(row))
}

fn of_reservations(
    promise: Promise,
    schedule: &ScheduledJobs,
    reserved: &Reservations,
    facts: &Facts<'_>,
    known: &Interruptions,
) -> Judgement {
    let rows = &schedule.ran;
    let all = with_estimates(&reserved.outside(rows), &with_jobs(schedule, known), (reserved, known), facts);
    match promise {
        _ if reserved.jobs_unknown => Err(JOBS_INSIDE),
        Promise::JobsInReservations => {
            Ok(jobs_in_reservations(&with(rows, &with_jobs(schedule, known)), reserved))
        }
        Promise::Exclusive => Ok(exclusive(&all, reserved)),
        _ if facts.stopped => Err(STOPPED),
        Promise::Granted => Ok(reserved.nodes.as_ref().map_or_else(
            || {
                let over = rows.iter().map(|row| row.end).max().unwrap_or_default();
                let away = facts.failing.map_or(&[][..], |known| &known.away);
                let held = if facts.in_slices() { Cow::Owned(in_use(&all)) } else { Cow::Borrowed(&all[..]) };
                granted(&held, reserved, facts.procs, over, away)
            },
            |nodes| nodes.violations.clone(),
        )),
        _ if !facts.decides.known_estimates() => Err(PREDICTED),
        _ if facts.decides.judges_by_run_times() => Err(BY_RUN_TIMES),
        _ if facts.decides.estimates == "exact" && all.iter().any(|row| is_cut(row, known)) => Err(CUT),
        _ => {
            let (rows, away) = (all, facts.failing.map_or(&[][..], |known| &known.away));
            let mut found = match reserved.nodes.as_ref().zip(facts.resources) {
                Some((nodes, resources)) => respects_reserved_nodes(&rows, nodes, resources, away),
                None => {
                    let without = reserved.without(away);
                    let supply =
                        Supply { away, without: &without, ..Supply::reserved(facts.procs, reserved) };
                    respects_reservations_of(&rows, supply)
                }
            };
            found.extend(facts.pools.iter().flat_map(|pools| respects_reserved_amounts(&rows, pools)));
            Ok(found)
        }
    }
}

fn of_cancellation(
    schedule: &ScheduledJobs,
    work: &Workload,
    replayed: Option<&Replayed>,
    counted: LimitBasis,
    known: &Interruptions,
) -> Vec<Violation> {
    let Some(all) = &work.cancellations else { return Vec::new() };
    let submitted: Cow<'_, [_]> = match replayed {
        Some(replayed) => Cow::Borrowed(&replayed.jobs),
        None => (0..).map(JobId).zip(work.jobs.iter().copied()).collect(),
    };
    cancellation(schedule, &submitted, all, counted, known)
}

/// Returns true if a job is cancelled at the instant at which a reservation lets it start, which
/// comes before.
fn gone_at_once(one: &Violation, schedule: &ScheduledJobs, reserved: &Reservations) -> bool {
    let is_it = |row: &&Row| (row.number, row.start, row.end) == (one.job, one.at, one.at) && row.cancelled;
    schedule.ran.iter().filter(is_it).any(|row| reserved.of(row).is_some())
}

/// The rows, and others after them.
fn with<'a>(rows: &'a [Row], others: &[Row]) -> Cow<'a, [Row]> {
    if others.is_empty() { Cow::Borrowed(rows) } else { Cow::Owned([rows, others].concat()) }
}

/// Jobs whose time on their processors depends on others: they are taken to run for as long as they
/// did.
fn as_they_ran(rows: &[Row]) -> Vec<Row> {
    let mut rows = rows.to_vec();
    rows.iter_mut().for_each(|row| row.run_time = row.end.since(row.start));
    rows
}
