//! The look at each promise that a schedule makes good or breaks, or why there is none.

use std::borrow::Cow;

use crate::ids::JobId;
use crate::workload::Work;

use super::reservations_ahead::with_estimates;
use super::{
    Counted, Facts, Held, Holding, Order, Promise, Reservations, Row, Schedule, Violation, apart, as_asked,
    cancelled, complete, crowded, gives_way, head_starts, held, in_service, in_the_order, inside,
    job_by_itself, leaves_room, limit, molded, no_overlap, nothing_fits, nothing_fits_beside, on_nodes,
    reservation_promise, shadow_time, shared, work_adds_up,
};

/// What came of a look.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Looked {
    /// It was looked at: who breaks it.
    At(Vec<Violation>),
    /// It was not, and why.
    Not(&'static str),
}

const SHARED: &str = "tasks leave processors before their jobs end, which a schedule does not tell";
const COUNTED: &str = "it is looked at by counting processors, and jobs ask for more";
const UNKNOWN: &str = "which jobs depend on which is not known";
const FAILING: &str = "nodes failed, of which nobody knew before";
const OWN_LAW: &str = "their law of speed-up is not known here";
const RESERVED: &str = "reservations of processors move what is promised to jobs";
const AGAIN: &str = "jobs were interrupted, and their earlier waits are not known";
const UNTOLD: &str =
    "the estimates that the policy goes by, or its options, are not those of the published rule";
const OUTLAST: &str = "jobs outlast the estimates by which it is promised";
const CUT: &str = "how long cancelled jobs would have run, by which it is promised, is not in the schedule";
const PREDICTED: &str = "the predictions that the policy goes by are not in the schedule";
const EVENTS: &str =
    "the policy decides after each event, and the events of one instant have no order in a schedule";
const LIMITED: &str = "limits of queues hold jobs back, which a schedule does not have";
const RANKED: &str = "priorities move with time and usage, which a schedule does not have";
const BY_SUBMISSION: &str = "it is looked at for queues in order of submission only";
const SIZED_LATE: &str = "sizes and estimates that jobs had while they waited are not in the schedule";
const FIRST_KEPT: &str = "the head keeps its first reservation, and does not start before it";
const OPTIONS: &str = "options of the backfilling let other jobs delay the head";
const STARTS: &str = "in which order jobs started at one instant is not in the schedule";
const SLICES: &str = "the rows and slices of the matrix are not in the schedule";
const SCHEME: &str = "when tasks ran is not in the schedule";
const OWN: &str = "they are not known here";
const WHO_INSIDE: &str = "which jobs run inside reservations is not known";
const STOPPED: &str = "the run was stopped, and jobs that had not ended have no row";

/// Looks at everything that was promised; `work` is the workload, or why it is not known.
pub fn look(
    mut schedule: Schedule,
    facts: &Facts<'_>,
    work: Result<&Work, &'static str>,
) -> Vec<(Promise, Looked)> {
    let reserved = facts.reserved.cloned().unwrap_or_default();
    let known = facts.failing.cloned().unwrap_or_else(|| reserved.interruptions());
    let earlier = known.rows();
    let mut looked = Vec::new();
    let given = work.map(|work| facts.moldable.map(|rules| molded(&schedule, work, rules, facts)));
    // everything else is asked of jobs as they were given
    let work = work.map(|work| match &given {
        Ok(Some((as_given, _))) => as_given,
        _ => work,
    });
    let held = work.map(|work| facts.depends.then(|| held(&mut schedule, work, facts.procs)));
    let others = held.as_ref().ok().and_then(Option::as_ref).map(Held::others);
    let jobs = work.map(|work| others.as_deref().unwrap_or(&work.jobs));
    for promise in Promise::of(facts) {
        let rows = &schedule.ran;
        let found = match promise {
            Promise::Held => match &held {
                Err(why) => Looked::Not(why),
                Ok(held) => Looked::At(held.as_ref().map(|held| held.violations.clone()).unwrap_or_default()),
            },
            Promise::Cancelled => match work {
                Err(why) => Looked::Not(why),
                Ok(work) => Looked::At(of_cancelled(
                    &schedule,
                    work,
                    held.as_ref().ok().and_then(Option::as_ref),
                    facts,
                )),
            },
            Promise::Molded if facts.moldable.is_some_and(|rules| rules.law.is_none()) => {
                Looked::Not(OWN_LAW)
            }
            Promise::Molded => match &given {
                Err(why) => Looked::Not(why),
                Ok(given) => Looked::At(given.as_ref().map(|given| given.1.clone()).unwrap_or_default()),
            },
            Promise::Complete => match jobs {
                Err(why) => Looked::Not(why),
                Ok(_) if facts.stopped => Looked::Not(STOPPED),
                Ok(jobs) => Looked::At(complete(&mut schedule, jobs, facts)),
            },
            Promise::WorkAddsUp => match (jobs, facts.failing) {
                (Ok(_), Some(known)) if !facts.stopped => Looked::At(work_adds_up(&mut schedule.ran, known)),
                (Ok(_), _) => Looked::Not(STOPPED),
                (Err(why), _) => Looked::Not(why),
            },
            Promise::GivesWay => match jobs {
                Ok(_) if !facts.stopped => Looked::At(gives_way(&mut schedule.ran, &reserved)),
                Ok(_) => Looked::Not(STOPPED),
                Err(why) => Looked::Not(why),
            },
            Promise::AsAsked | Promise::Apart | Promise::LeavesRoom | Promise::Inside => {
                of_reservations(promise, rows, &reserved, facts)
            }
            Promise::InService => Looked::At(in_service(&with(rows, &earlier), &known)),
            Promise::JobByItself if facts.rigid => Looked::At(job_by_itself(rows, facts.procs)),
            Promise::JobByItself => Looked::At(job_by_itself(&as_they_ran(rows), facts.procs)),
            Promise::Limit => {
                let counted = if facts.rigid { Counted::Held } else { Counted::Served };
                let rows: Vec<Row> = rows.iter().filter(|row| !reserved.closes_on(row)).cloned().collect();
                Looked::At(limit(&rows, facts.grace.unwrap_or_default(), counted))
            }
            Promise::NoOverlap => match facts.holding {
                Holding::Alone | Holding::Shared(1) => Looked::At(no_overlap(&with(rows, &earlier))),
                Holding::Shared(level) => Looked::At(shared(rows, level)),
                Holding::Moving(level) => Looked::At(crowded(rows, facts.procs, level)),
                Holding::Leaving => Looked::Not(SHARED),
            },
            Promise::OnNodes => match (facts.resources, jobs) {
                (Some(resources), Ok(_)) if !facts.stopped => Looked::At(on_nodes(rows, resources)),
                (_, Err(why)) => Looked::Not(why),
                _ => Looked::Not(STOPPED),
            },
            Promise::InOrder
            | Promise::NothingFits
            | Promise::HeadStarts
            | Promise::ShadowTime
            | Promise::ReservationPromise => of_order(promise, &schedule, facts, &reserved, work.is_ok()),
            Promise::Limits => Looked::Not(LIMITED),
            Promise::Sized => Looked::Not(SIZED_LATE),
            Promise::Placed => Looked::Not(STARTS),
            Promise::Slices => Looked::Not(SLICES),
            Promise::Scheme => Looked::Not(SCHEME),
            Promise::Own => Looked::Not(OWN),
        };
        looked.push((promise, found));
    }
    looked
}

/// Who may start before whom, if that can be looked at; `known` says whether the workload is.
fn of_order(
    promise: Promise,
    schedule: &Schedule,
    facts: &Facts<'_>,
    reserved: &Reservations,
    known: bool,
) -> Looked {
    let counts = promise != Promise::InOrder;
    let why_not = match () {
        () if counts && facts.resources.is_some() => Some(COUNTED),
        () if facts.stopped => Some(STOPPED),
        () if facts.failing.is_some() => Some(FAILING),
        () if facts.depends && !known => Some(UNKNOWN),
        () if counts && promise != Promise::NothingFits && facts.reserved.is_some() => Some(RESERVED),
        () if reserved.untold => Some(WHO_INSIDE),
        () if !reserved.attempts.is_empty() => Some(AGAIN),
        () if facts.decides.limits => Some(LIMITED),
        () => not_by_rule(promise, facts),
    };
    if let Some(why) = why_not {
        return Looked::Not(why);
    }
    let rows = who_waited(schedule);
    let rows = believed(reserved.outside(&rows), facts);
    let by_estimates = matches!(promise, Promise::ShadowTime | Promise::ReservationPromise);
    if by_estimates && rows.iter().any(|row| row.run_time > row.estimate) {
        return Looked::Not(OUTLAST);
    }
    let exact = facts.decides.estimates == "exact";
    if exact && (by_estimates || facts.queue == "sjf") && rows.iter().any(|row| row.cancelled) {
        return Looked::Not(CUT);
    }
    let order = Order::of(facts.queue).unwrap_or(Order::Submission);
    Looked::At(match promise {
        Promise::InOrder => in_the_order(&rows, order),
        Promise::HeadStarts => head_starts(&rows, facts.procs, order),
        Promise::ShadowTime => shadow_time(&rows, facts.procs, order),
        Promise::ReservationPromise => reservation_promise(&rows, facts.procs),
        _ if facts.reserved.is_some() => nothing_fits_beside(&rows, reserved, facts.procs),
        _ => nothing_fits(&rows, facts.procs),
    })
}

/// Why the rule of the policy cannot be held against a schedule, if it cannot.
fn not_by_rule(promise: Promise, facts: &Facts<'_>) -> Option<&'static str> {
    let decides = &facts.decides;
    let by_event = decides.when == "event";
    if promise == Promise::NothingFits {
        return (facts.reserved.is_some() && !decides.published()).then_some(UNTOLD);
    }
    match Order::of(facts.queue) {
        None => return Some(RANKED),
        Some(Order::Submission) => {}
        Some(_) if promise == Promise::ReservationPromise => return Some(BY_SUBMISSION),
        Some(_) if decides.molds() => return Some(SIZED_LATE),
        Some(_) if by_event => return Some(EVENTS),
        Some(Order::Estimate) if !decides.known_estimates() => return Some(PREDICTED),
        Some(_) => {}
    }
    match promise {
        Promise::HeadStarts if decides.reservation == "kept" => Some(FIRST_KEPT),
        Promise::ShadowTime | Promise::ReservationPromise if !decides.known_estimates() => Some(PREDICTED),
        Promise::ShadowTime | Promise::ReservationPromise if by_event => Some(EVENTS),
        Promise::ShadowTime
            if decides.extra == "all"
                || decides.judged_by == "run-time" && decides.estimates != "exact"
                || decides.reservation == "kept" =>
        {
            Some(OPTIONS)
        }
        _ => None,
    }
}

/// The rows with the estimates that the policy goes by, where these are the run times.
fn believed<'a>(rows: Cow<'a, [Row]>, facts: &Facts<'_>) -> Cow<'a, [Row]> {
    if facts.decides.estimates != "exact" {
        return rows;
    }
    let mut rows = rows.into_owned();
    for row in &mut rows {
        row.estimate = row.run_time;
    }
    Cow::Owned(rows)
}

fn of_reservations(promise: Promise, rows: &[Row], reserved: &Reservations, facts: &Facts<'_>) -> Looked {
    let all = with_estimates(&reserved.outside(rows), reserved);
    match promise {
        _ if reserved.untold => Looked::Not(WHO_INSIDE),
        Promise::Inside => Looked::At(inside(rows, reserved)),
        Promise::Apart => Looked::At(apart(&all, reserved)),
        _ if facts.stopped => Looked::Not(STOPPED),
        Promise::AsAsked => {
            let over = rows.iter().map(|row| row.end).max().unwrap_or_default();
            Looked::At(as_asked(&all, reserved, facts.procs, over))
        }
        _ if !facts.decides.published() => Looked::Not(UNTOLD),
        _ if facts.decides.estimates == "exact" && all.iter().any(|row| row.cancelled) => Looked::Not(CUT),
        _ => Looked::At(leaves_room(&believed(all.into(), facts), reserved, facts.procs)),
    }
}

fn of_cancelled(schedule: &Schedule, work: &Work, held: Option<&Held>, facts: &Facts<'_>) -> Vec<Violation> {
    let Some(all) = &work.cancellations else { return Vec::new() };
    let counted = if facts.rigid { Counted::Held } else { Counted::Served };
    match held {
        Some(held) => cancelled(schedule, &held.jobs, all, counted),
        None => {
            let jobs: Vec<_> = (0..).map(JobId).zip(work.jobs.iter().copied()).collect();
            cancelled(schedule, &jobs, all, counted)
        }
    }
}

/// The rows, and others after them.
fn with<'a>(rows: &'a [Row], others: &[Row]) -> Cow<'a, [Row]> {
    if others.is_empty() { Cow::Borrowed(rows) } else { Cow::Owned([rows, others].concat()) }
}

/// The jobs that have waited, whether they have run or not, in order of submission.
fn who_waited(schedule: &Schedule) -> Cow<'_, [Row]> {
    if schedule.withdrawn.is_empty() {
        return Cow::Borrowed(&schedule.ran);
    }
    let mut rows = [&schedule.ran[..], &schedule.withdrawn].concat();
    rows.sort_by_key(|row| (row.submit_time, row.number));
    Cow::Owned(rows)
}

/// Jobs whose time on their processors depends on others: they are taken to run for as long as they did.
fn as_they_ran(rows: &[Row]) -> Vec<Row> {
    let mut rows = rows.to_vec();
    for row in &mut rows {
        row.run_time = row.end.since(row.start);
    }
    rows
}
