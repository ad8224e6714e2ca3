//! Which promises a policy makes, and the look at each of them.
//!
//! A policy is known here by the names of its parts alone, as the resolved scenario has them.

use std::borrow::Cow;

use crate::ids::JobId;
use crate::kernel::SimDuration;
use crate::workload::Work;
use crate::workload::resources::Resources;

use super::beside_reservations::with_estimates;
use super::{
    Counted, Held, Interruptions, Moldable, Reservations, Row, Schedule, Violation, apart, as_asked,
    cancelled, complete, crowded, gives_way, head_promise, held, in_order, in_service, inside, job_by_itself,
    leaves_room, limit, molded, no_overlap, nothing_fits, nothing_fits_beside, on_nodes, reservation_promise,
    shared, work_adds_up,
};

/// Something that every schedule, or every schedule of some policies, keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promise {
    /// [`held`].
    Held,
    /// [`cancelled`].
    Cancelled,
    /// [`molded`].
    Molded,
    /// [`complete`].
    Complete,
    /// [`job_by_itself`].
    JobByItself,
    /// [`limit`].
    Limit,
    /// [`work_adds_up`].
    WorkAddsUp,
    /// [`in_service`].
    InService,
    /// [`gives_way`].
    GivesWay,
    /// [`as_asked`].
    AsAsked,
    /// [`apart`].
    Apart,
    /// [`leaves_room`].
    LeavesRoom,
    /// [`inside`].
    Inside,
    /// [`no_overlap`], [`shared`] or [`crowded`].
    NoOverlap,
    /// [`on_nodes`].
    OnNodes,
    /// [`in_order`].
    InOrder,
    /// [`nothing_fits`], [`nothing_fits_beside`].
    NothingFits,
    /// [`head_promise`].
    HeadPromise,
    /// [`reservation_promise`].
    ReservationPromise,
}

/// How the jobs of a schedule hold their processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holding {
    /// Each has its own.
    Alone,
    /// A processor takes so many at once.
    Shared(u32),
    /// So too, and jobs move: the schedule tells where they were last.
    Moving(u32),
    /// Tasks leave their processors before their jobs end.
    Leaving,
}

/// What is known of a run beside its schedule.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub struct Facts<'a> {
    /// The kind of the policy.
    pub policy: &'a str,
    /// The discipline of its queue; empty if it has none.
    pub queue: &'a str,
    /// How it lets jobs overtake; empty if it does not say.
    pub backfill: &'a str,
    /// Whether the rule of overtaking has its textbook options.
    pub textbook: bool,
    /// Processors of the machine.
    pub procs: u32,
    /// How jobs hold processors.
    pub holding: Holding,
    /// Whether a job holds its processors for just its run time, whatever others do.
    pub rigid: bool,
    /// How long a job may go on after the time it requested, if it is killed then.
    pub grace: Option<SimDuration>,
    /// What nodes have beyond processors and jobs ask for, if that counts.
    pub resources: Option<&'a Resources>,
    /// Whether jobs may depend on others.
    pub depends: bool,
    /// Whether jobs may be cancelled.
    pub cancels: bool,
    /// What is known of nodes that failed, if nodes may fail.
    pub failing: Option<&'a Interruptions>,
    /// Which sizes jobs may be given and how long they run then, if they may be given other ones.
    pub moldable: Option<&'a Moldable>,
    /// What is known of reservations of processors, if there are any.
    pub reserved: Option<&'a Reservations>,
    /// Whether the run was stopped with jobs in it.
    pub stopped: bool,
}

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
const WHO_INSIDE: &str = "which jobs run inside reservations is not known";
const STOPPED: &str = "the run was stopped, and jobs that had not ended have no row";

impl Promise {
    /// What is promised, in words.
    pub fn text(self) -> &'static str {
        match self {
            Promise::Held => {
                "no job starts before those have left that it depends on, and who cannot start any more is refused"
            }
            Promise::Cancelled => "jobs are cancelled when their users want it, and no others",
            Promise::Molded => {
                "moldable jobs have sizes that they can have, and run on them for as long as their law says"
            }
            Promise::Complete => {
                "the jobs are those of the workload, none lost, made up or refused without need"
            }
            Promise::JobByItself => {
                "each job starts after its submission, for its run time, on as many processors as it needs"
            }
            Promise::Limit => "no job runs longer than it may, and one that is killed runs for just so long",
            Promise::WorkAddsUp => {
                "a job is interrupted only when a node of it fails, and then does again what it has not kept"
            }
            Promise::InService => "no job is on a processor that is out of service",
            Promise::GivesWay => {
                "a job is interrupted only when maintenance begins that takes processors of it, and then begins anew"
            }
            Promise::AsAsked => {
                "reservations have their processors from their beginnings, or while they lack some none is free"
            }
            Promise::Apart => "no job is on processors that are reserved",
            Promise::LeavesRoom => {
                "no job is started that is in the way of a reservation which is known, by the estimates"
            }
            Promise::Inside => "who is to run inside a reservation does so, and nowhere else",
            Promise::NoOverlap => "no processor is held by more jobs than it takes",
            Promise::OnNodes => {
                "nodes give no more memory and GPUs than they have, and only to jobs that may be there"
            }
            Promise::InOrder => "nothing overtakes",
            Promise::NothingFits => "no job waits while enough processors are free for it",
            Promise::HeadPromise => {
                "the head of the queue starts once it fits, at its first shadow time at the latest"
            }
            Promise::ReservationPromise => "no job starts later than it could be told when it was submitted",
        }
    }

    /// The promises of a policy, in the order in which they are looked at.
    fn of(facts: &Facts<'_>) -> Vec<Promise> {
        let mut promises = Vec::new();
        promises.extend(facts.depends.then_some(Promise::Held));
        promises.extend(facts.cancels.then_some(Promise::Cancelled));
        promises.extend(facts.moldable.map(|_| Promise::Molded));
        promises.push(Promise::Complete);
        promises.extend(facts.failing.map(|_| Promise::WorkAddsUp));
        promises.extend(facts.reserved.map(|_| Promise::GivesWay));
        promises.push(Promise::JobByItself);
        promises.extend(facts.grace.map(|_| Promise::Limit));
        promises.push(Promise::NoOverlap);
        promises.extend(facts.resources.map(|_| Promise::OnNodes));
        promises.extend(facts.failing.map(|_| Promise::InService));
        if facts.reserved.is_some() {
            promises.extend([Promise::AsAsked, Promise::Apart, Promise::LeavesRoom]);
            let any = facts.reserved.is_some_and(|known| known.untold || !known.inside.is_empty());
            promises.extend(any.then_some(Promise::Inside));
        }
        match (facts.policy, facts.queue, facts.backfill) {
            ("space-sharing", "fcfs", "none") => promises.push(Promise::InOrder),
            ("space-sharing", "fcfs", "easy") if facts.textbook => promises.push(Promise::HeadPromise),
            ("space-sharing", "fcfs", "conservative") if facts.textbook => {
                promises.push(Promise::ReservationPromise);
            }
            ("space-sharing", "first-fit" | "best-fit" | "worst-fit", _) => {
                promises.push(Promise::NothingFits);
            }
            _ => {}
        }
        promises
    }
}

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
            Promise::InOrder | Promise::NothingFits | Promise::HeadPromise | Promise::ReservationPromise => {
                of_order(promise, &schedule, facts, &reserved, work.is_ok())
            }
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
    let why_not = match promise {
        Promise::NothingFits | Promise::HeadPromise | Promise::ReservationPromise
            if facts.resources.is_some() =>
        {
            Some(COUNTED)
        }
        _ if facts.stopped => Some(STOPPED),
        _ if facts.failing.is_some() => Some(FAILING),
        _ if facts.depends && !known => Some(UNKNOWN),
        Promise::HeadPromise | Promise::ReservationPromise if facts.reserved.is_some() => Some(RESERVED),
        _ if reserved.untold => Some(WHO_INSIDE),
        _ if !reserved.attempts.is_empty() => Some(AGAIN),
        Promise::NothingFits if facts.reserved.is_some() && !facts.textbook => Some(UNTOLD),
        _ => None,
    };
    if let Some(why) = why_not {
        return Looked::Not(why);
    }
    let rows = who_waited(schedule);
    let rows = reserved.outside(&rows);
    Looked::At(match promise {
        Promise::InOrder => in_order(&rows),
        Promise::HeadPromise => head_promise(&rows, facts.procs),
        Promise::ReservationPromise => reservation_promise(&rows, facts.procs),
        _ if facts.reserved.is_some() => nothing_fits_beside(&rows, reserved, facts.procs),
        _ => nothing_fits(&rows, facts.procs),
    })
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
        _ if !facts.textbook => Looked::Not(UNTOLD),
        _ => Looked::At(leaves_room(&all, reserved, facts.procs)),
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
