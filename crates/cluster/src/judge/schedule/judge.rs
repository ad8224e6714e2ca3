//! The judgement of each promise that a schedule makes good or breaks, or why there is none.

use std::borrow::Cow;

use crate::collections::StableSort as _;
use crate::ids::JobId;
use crate::workload::{Job, Workload};

use super::divisions::Division;
use super::pools::other_amounts;
use super::pools_ahead::respects_reserved_amounts;
use super::reservation_promise::reservation_promise_among;
use super::reservations_ahead::{respects_reservations_of, with_estimates, with_jobs};
use super::runs::runs_within;
use super::{
    Facts, Holding, Interruptions, Judgement, LimitBasis, NodeSupply, Order, Promise, QueueHead, Replayed,
    Reservations, Row, ScheduledJobs, SharingQueues, Supply, Violation, acts_kept, all_runs, cancellation,
    complete, crowded, dependencies_inside, each_job, exclusive, granted, head_starts, head_starts_on_nodes,
    hold, in_pools, in_service, in_the_order, interrupted_by_either, interrupted_by_reservations,
    jobs_in_reservations, limit_of_runs, moldable, no_overlap, nothing_fits_on, nothing_fits_on_nodes,
    on_nodes_with, on_own_nodes, queue_heads_start, reservation_promise_on, respects_reserved_nodes,
    shadow_time, shadow_time_on_nodes, shared, work_adds_up,
};

const MOVES: &str = "jobs move, and a schedule has their last processors only";
const SHARED: &str = "tasks leave processors before their jobs end, which a schedule does not have";
const CUT: &str = "how long jobs would have run that were cut short, by which it is promised, is not known";
const AHEAD: &str = "features have jobs started before those that wait, whatever these were promised";
const PREDICTED: &str = "the predictions that the policy goes by are not in the schedule";
const EVENTS: &str =
    "the policy decides after each event, and the events of one instant have no order in a schedule";
const LIMITED: &str = "limits of queues hold jobs back, which a schedule does not have";
const RESIZED: &str = "sizes and estimates that jobs had while they waited are not in the schedule";
const BY_RUN_TIMES: &str = "jobs overtake that by their run times are over before reservations";
const JOBS_INSIDE: &str = "which jobs run inside reservations is not known";
const STOPPED: &str = "the run was stopped, and jobs that had not ended have no row";

/// Judges everything that was promised; `work` is the workload, or why it is not known.
pub fn judge(
    mut schedule: ScheduledJobs,
    facts: &Facts<'_>,
    work: Result<&Workload, &'static str>,
) -> Vec<(Promise, Judgement)> {
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
    let jobs = work.map(|work| others.as_deref().unwrap_or(&work.jobs));
    // of a run that was not stopped
    let ended = jobs.and_then(|jobs| if facts.stopped { Err(STOPPED) } else { Ok(jobs) });
    let counted = if facts.rigid { LimitBasis::Held } else { LimitBasis::Served };
    let mut judge = |promise| {
        let rows = &schedule.ran;
        match promise {
            Promise::Dependencies => Ok(replayed?.map(|all| all.violations.clone()).unwrap_or_default()),
            Promise::Cancellation => {
                let found = of_cancellation(&schedule, work?, replayed.ok().flatten(), counted, &known);
                Ok(found.into_iter().filter(|one| !gone_at_once(one, &schedule, &reserved)).collect())
            }
            Promise::Moldable if facts.moldable.is_some_and(|rules| rules.law.is_none()) => {
                Err("their law of speed-up is not known here")
            }
            Promise::Moldable => Ok(resized?.map(|(_, violations)| violations.clone()).unwrap_or_default()),
            Promise::Complete => Ok(complete(&mut schedule, ended?, facts, &known)),
            Promise::WorkAddsUp => ended.map(|_| work_adds_up(&mut schedule.ran, &known)),
            Promise::Interruptions => ended.map(|_| interrupted_by_either(&mut schedule.ran, &known)),
            Promise::Interrupted => ended.map(|_| interrupted_by_reservations(&mut schedule.ran, &known)),
            Promise::Granted | Promise::Exclusive | Promise::Respected | Promise::JobsInReservations => {
                of_reservations(promise, &schedule, &reserved, facts, &known)
            }
            Promise::InService if matches!(facts.holding, Holding::Moving(_)) => Err(MOVES),
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
            | Promise::ReservationPromise => {
                of_order(promise, &schedule, facts, (&reserved, &known), work.is_ok())
            }
            Promise::ActsKept => Ok(acts_kept(&schedule, &known.acts, &known.attempts)),
            Promise::OwnFeatures => Err("which jobs it is to hold, reject or end is not known here"),
            Promise::OnOwnNodes => {
                let own = facts.own_nodes.map(|own| on_own_nodes(&with(rows, &earlier), own));
                work.map(|_| own.unwrap_or_default())
            }
            Promise::Limits => Err(LIMITED),
            Promise::Sized => Err(RESIZED),
            Promise::Placed => Err("in which order jobs started at one instant is not in the schedule"),
            Promise::Slices | Promise::Scheme => Err("when tasks ran is not in the schedule"),
            Promise::Own => Err("they are not known here"),
        }
    };
    let mut judge = |promise| facts.decides.unjudged(promise).map_or_else(|| judge(promise), Err);
    Promise::of(facts).into_iter().map(|promise| (promise, judge(promise))).collect()
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

/// Judges the order of starts, if it can be judged; `known` is true if the workload is known.
fn of_order(
    promise: Promise,
    schedule: &ScheduledJobs,
    facts: &Facts<'_>,
    (reserved, interrupted): (&Reservations, &Interruptions),
    known: bool,
) -> Judgement {
    let why_not = match () {
        () if facts.stopped => Some(STOPPED),
        () if facts.depends && !known => Some("which jobs depend on which is not known"),
        () if reserved.jobs_unknown => Some(JOBS_INSIDE),
        () if facts.decides.limits => Some(LIMITED),
        () if interrupted.acts.start_jobs() => Some(AHEAD),
        () if facts.own_nodes.is_some() && !known => Some("which jobs are of which queue is not known"),
        () => None,
    };
    why_not.map_or(Ok(()), Err)?;
    let rows = considered(schedule);
    let Some(own) = facts.own_nodes else {
        let one = Division { rows, order: facts.queue, queues: 1 };
        return in_division(promise, one, facts, (reserved, interrupted), None);
    };
    // each division as if it were alone
    let (mut found, mut why_not) = (Vec::new(), None);
    for division in own.parts(&rows, facts.queue) {
        let is_promised = match promise {
            Promise::QueueHeads => division.queues > 1,
            _ => Promise::by_order(division.order, facts.backfill).contains(&promise),
        };
        if is_promised {
            match in_division(promise, division, facts, (reserved, interrupted), Some(&rows)) {
                Ok(violations) => found.extend(violations),
                Err(why) => why_not = Some(why),
            }
        }
    }
    why_not.filter(|_| found.is_empty()).map_or(Ok(found), Err)
}

/// The same in a division of the machine; `machine` has the rows of all, if there are others.
fn in_division(
    promise: Promise,
    Division { rows, order, .. }: Division<'_>,
    facts: &Facts<'_>,
    (reserved, interrupted): (&Reservations, &Interruptions),
    machine: Option<&[Row]>,
) -> Judgement {
    let facts = &Facts { queue: order, ..*facts };
    not_by_rule(promise, facts).map_or(Ok(()), Err)?;
    let counts = promise != Promise::InOrder;
    let by_estimates =
        matches!(promise, Promise::ShadowTime | Promise::ReservationPromise | Promise::QueueHeads);
    // by them it is seen as well which jobs delay reservations of processors
    let estimates_count = by_estimates || facts.queue == "sjf" || facts.reserved.is_some();
    let rows = reserved.outside(&rows);
    let exact = facts.decides.estimates == "exact";
    if exact && estimates_count && rows.iter().any(|row| is_cut(row, interrupted)) {
        return Err(CUT);
    }
    let rows = runs_within(rows, interrupted, exact, |estimate, held| facts.limit(estimate, held));
    // a promise to a head is made anew when such a job has ended
    let lasts = by_estimates && promise != Promise::ShadowTime;
    if lasts && rows.iter().any(|row| row.run_time > row.estimate) {
        return Err("jobs outlast the estimates by which it is promised");
    }
    let order = Order::of(facts.queue).unwrap_or(Order::Submission);
    let away = facts.failing.map_or(&[][..], |known| &known.away);
    let head = QueueHead::of(facts.backfill);
    if let Some(resources) = facts.resources.filter(|_| counts) {
        let supply = NodeSupply { resources, away, reserved: reserved.nodes.as_ref(), pools: facts.pools };
        let machine = machine.unwrap_or(&rows);
        let queues = SharingQueues { rows: &rows, machine, order, promises: facts.decides.reservations };
        return Ok(match promise {
            Promise::QueueHeads => queue_heads_start(queues, supply),
            Promise::HeadStarts => head_starts_on_nodes(&rows, supply, order, head),
            Promise::ShadowTime => shadow_time_on_nodes(&rows, supply, order),
            Promise::ReservationPromise => reservation_promise_among(&rows, machine, supply),
            _ => nothing_fits_on_nodes(&rows, supply),
        });
    }
    let (without, pools) = (reserved.without(away), facts.pools);
    let supply = Supply { away, without: &without, pools, ..Supply::reserved(facts.procs, reserved) };
    Ok(match promise {
        Promise::InOrder => in_the_order(&rows, order),
        Promise::HeadStarts => head_starts(&rows, supply, order, head),
        Promise::ShadowTime => shadow_time(&rows, supply, order),
        Promise::ReservationPromise => reservation_promise_on(&rows, supply),
        _ => nothing_fits_on(&rows, supply),
    })
}

/// Returns true if it is not known how long a job would have run.
fn is_cut(row: &Row, known: &Interruptions) -> bool {
    row.work.is_none() && (row.cancelled || row.lost || known.acts.ended(row))
}

/// Reason that the rule of the policy cannot be held against a schedule, if it cannot.
fn not_by_rule(promise: Promise, facts: &Facts<'_>) -> Option<&'static str> {
    let decides = &facts.decides;
    let by_event = decides.when == "event";
    if promise == Promise::NothingFits {
        return (facts.reserved.is_some() && !decides.known_estimates()).then_some(PREDICTED);
    }
    // the turn may come to others than the head, by the sizes with which they wait
    if decides.molding == "fits-now" && facts.backfill == "easy" && facts.failing.is_some() {
        return Some(RESIZED);
    }
    match Order::of(facts.queue) {
        None => return Some("priorities move with time and usage, which a schedule does not have"),
        Some(Order::Submission) => {}
        Some(_) if promise == Promise::ReservationPromise => {
            return Some("it is judged for queues in order of submission only");
        }
        Some(_) if decides.molds() => return Some(RESIZED),
        Some(_) if by_event => return Some(EVENTS),
        Some(Order::Estimate) if !decides.known_estimates() => return Some(PREDICTED),
        Some(_) => {}
    }
    let by_estimates =
        matches!(promise, Promise::ShadowTime | Promise::ReservationPromise | Promise::QueueHeads);
    let options = decides.extra == "all" || decides.judges_by_run_times() || decides.reservation == "kept";
    match promise {
        Promise::HeadStarts if decides.reservation == "kept" => {
            Some("the head keeps its first reservation, and does not start before it")
        }
        _ if by_estimates && !decides.known_estimates() => Some(PREDICTED),
        _ if by_estimates && by_event => Some(EVENTS),
        Promise::QueueHeads if options || decides.overdue != "1ns" && !decides.overdue.is_empty() => {
            Some("options of the backfilling are not those by which it is promised")
        }
        Promise::ShadowTime if options => Some("options of the backfilling let other jobs delay the head"),
        _ => None,
    }
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
                granted(&all, reserved, facts.procs, over, away)
            },
            |nodes| nodes.violations.clone(),
        )),
        _ if !facts.decides.known_estimates() => Err(PREDICTED),
        _ if facts.decides.judges_by_run_times() => Err(BY_RUN_TIMES),
        _ if facts.decides.when == "event" => Err(EVENTS),
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

/// The jobs that have waited, whether they have run or not, in order of submission.
fn considered(schedule: &ScheduledJobs) -> Cow<'_, [Row]> {
    if schedule.cancelled.is_empty() {
        return Cow::Borrowed(&schedule.ran);
    }
    let mut rows = [&schedule.ran[..], &schedule.cancelled].concat();
    rows.stable_sort_by_key(|row| (row.submit_time, row.number));
    Cow::Owned(rows)
}

/// Jobs whose time on their processors depends on others: they are taken to run for as long as they
/// did.
fn as_they_ran(rows: &[Row]) -> Vec<Row> {
    let mut rows = rows.to_vec();
    rows.iter_mut().for_each(|row| row.run_time = row.end.since(row.start));
    rows
}
