//! Starts of computations and transfers: at an instant at which something happened that let them.
//!
//! Processors, links and schedulers act when a computation ends or is cancelled, a transfer arrives
//! or is broken off, a task arrives, a plan is made, or a host or a cluster comes or goes; between
//! these nothing begins. Where tasks wait in batch queues, their waits are in no file.

use crate::collections::OrderedSet;
use crate::kernel::{SimDuration, SimTime};
use crate::rows::PlanRow;

use super::facts::NotKnown;
use super::run::{AGAIN, NO_PLANS, NO_TRANSFERS, OWN, Run, STOPPED, WAITS};
use super::{Judgement, SweepValue, Violation};

/// Changes of presence that are looked at: those of a value that repeats go on for ever.
const MOST_CHANGES: usize = 100_000;

/// Instant at which a plan that was made is taken up: once the time that it takes is over.
fn taken_up(run: &Run<'_>, plan: &PlanRow<'_>) -> SimTime {
    let per_look = |look: SimDuration| SimDuration::ceil_secs(look.as_secs_f64() * plan.looks as f64);
    plan.at.saturating_add(run.files.per_look.map_or(run.files.planning_time, per_look))
}

/// The first instant from another on at which a host and its cluster are there.
fn first_host(run: &Run<'_>, from: SimTime) -> Result<Option<SimTime>, NotKnown> {
    let mut first: Option<SimTime> = None;
    for host in 0..run.grid.hosts() {
        let cluster = (SweepValue::ClusterPresence, run.grid.cluster_of(host));
        let mut next = Some(from);
        for _ in 0..MOST_CHANGES {
            let Some(now) = next.filter(|now| first.is_none_or(|first| *now < first)) else { break };
            let presence = run.values.at(run.grid, (SweepValue::HostPresence, host), now).ok_or(NotKnown)?;
            let linked = run.values.at(run.grid, cluster, now).ok_or(NotKnown)?;
            if presence.0 > 0.0 && linked.0 > 0.0 {
                first = Some(now);
                break;
            }
            next = presence.1.into_iter().chain(linked.1).min();
        }
    }
    Ok(first)
}

/// Every instant at which something may begin.
fn events(run: &Run<'_>) -> Result<OrderedSet<SimTime>, &'static str> {
    let plans = run.plans.as_ref().ok_or(NO_PLANS)?;
    let transfers = run.transfers.as_ref().ok_or(NO_TRANSFERS)?;
    match () {
        () if !run.files.acts_on_events => return Err(OWN),
        () if run.files.stopped => return Err(STOPPED),
        () if run.misses_attempts() || run.may_lose() => return Err(AGAIN),
        () if (0..run.grid.hosts()).any(|host| run.grid.waits(host)) => return Err(WAITS),
        () => {}
    }
    let mut events: OrderedSet<SimTime> =
        plans.iter().flat_map(|plan| [plan.at, taken_up(run, plan)]).collect();
    events.insert(SimTime::ZERO);
    let arrivals = run.works.iter().map(|work| work.arrival);
    let ends = run.rows().filter_map(|(_, row)| row.end).chain(run.thrown_away().map(|(_, _, _, end)| end));
    for at in arrivals.chain(ends).chain(transfers.iter().filter_map(|row| row.end)) {
        events.insert(at);
    }
    let hosts = (0..run.grid.hosts()).map(|host| (SweepValue::HostPresence, host));
    let clusters = (0..run.grid.clusters()).map(|cluster| (SweepValue::ClusterPresence, cluster));
    for of in hosts.chain(clusters) {
        let mut next = Some(SimTime::ZERO);
        for _ in 0..MOST_CHANGES {
            let Some(now) = next.filter(|now| Some(*now) <= run.makespan()) else { break };
            events.insert(now);
            let value = run.values.at(run.grid, of, now).ok_or(NotKnown);
            next = value.map_err(|NotKnown| super::run::DRAWN)?.1;
        }
    }
    Ok(events)
}

/// Computations and transfers begin when something has happened.
pub(super) fn begin(run: &Run<'_>) -> Judgement {
    let events = events(run)?;
    let late = |at: &SimTime| !events.contains(at);
    let mut found = Vec::new();
    for (task, row) in run.rows() {
        if let Some(start) = row.start.filter(late) {
            found.push(run.of_task(task, start, "starts, and nothing happens then"));
        }
    }
    for (task, _, start, _) in run.thrown_away().filter(|(_, _, start, _)| late(start)) {
        found.push(run.of_task(task, start, "starts a second time, and nothing happens then"));
    }
    for row in run.transfers.iter().flatten().filter(|row| late(&row.start)) {
        let what = format!("the transfer of file `{}` starts, and nothing happens then", row.file);
        found.push(Violation::of_no_job(row.start, what));
    }
    Ok(found)
}

/// Plans are made one after another, at the instants that the one before has set, and look as far
/// as they say.
///
/// The first is made once tasks and a host are there; what a workqueue predicts, which looks at
/// nothing, once tasks are. A plan that takes longer than until the next is to be made puts that
/// off.
pub(super) fn plans(run: &Run<'_>) -> Judgement {
    let plans = run.plans.as_ref().ok_or(NO_PLANS)?;
    let first = run.works.iter().map(|work| work.arrival).min();
    let with_host = first.map(|first| first_host(run, first)).transpose();
    let with_host = with_host.map_err(|NotKnown| super::run::DRAWN)?.flatten();
    let mut found = Vec::new();
    let mut wrong = |at: SimTime, what: &str| found.push(Violation::of_no_job(at, format!("a plan {what}")));
    let planned = || run.rows().filter(|(_, row)| row.planned.is_some());
    for (place, plan) in plans.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| &plans[before]);
        let set = before.and_then(|before| {
            let due = before.at.saturating_add(before.interval?);
            Some(due.max(taken_up(run, before)))
        });
        if before.is_some_and(|before| before.at > plan.at) {
            wrong(plan.at, "stands after a later one");
        }
        let is_made = match (&*plan.trigger, before) {
            ("start", None) => Some(plan.at) == with_host || plan.looks == 0 && Some(plan.at) == first,
            ("event", Some(_)) => set == Some(plan.at),
            ("idle" | "added" | "removed", Some(_)) => true,
            _ => false,
        };
        if !is_made {
            wrong(plan.at, "is made at an instant that nothing has set");
        }
        if plan.tasks > run.works.len() as u64 {
            wrong(plan.at, "has more tasks than there are");
        }
        if plan.correctness.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
            wrong(plan.at, "is more correct than all");
        }
        let ahead = plan.interval.zip(plan.delta);
        let horizon = ahead.map(|(interval, delta)| plan.at.saturating_add(interval).saturating_add(delta));
        if plan.horizon.is_some() && plan.horizon != horizon {
            wrong(plan.at, "looks further than it says");
        }
        if plans.len() > 1 || run.files.stopped || run.misses_attempts() || run.may_lose() {
            continue;
        }
        // a workqueue takes tasks as hosts get free: it has no places for them
        if planned().next().is_some() && plan.tasks != planned().count() as u64 {
            wrong(plan.at, "has another number of tasks than have places");
        }
        if planned().filter_map(|(_, row)| row.planned_end).max().is_some_and(|last| last > plan.end) {
            wrong(plan.at, "ends before a task that is in it");
        }
    }
    Ok(found)
}

/// The application is that of the scenario.
pub(super) fn application(run: &Run<'_>) -> Vec<Violation> {
    let Some(right) = run.files.application else { return Vec::new() };
    let mut found = Vec::new();
    let mut wrong = |what: String| found.push(Violation::of_no_job(SimTime::ZERO, what));
    if run.works.len() != right.tasks.len() || run.sizes.len() != right.files.len() {
        wrong("works.csv or sizes.csv has another number of rows than the application".to_owned());
    }
    for ((place, work), right) in (2..).zip(&run.works).zip(&right.tasks) {
        let times = work.times.iter().zip(&right.times);
        let is_right = work.name == right.name
            && work.arrival == right.arrival
            && work.times.len() == right.times.len()
            && times.into_iter().all(|(time, right)| crate::check::near(*time, *right))
            && (&work.inputs, &work.outputs) == (&right.inputs, &right.outputs);
        if !is_right {
            wrong(format!("works.csv, line {place}: the task is not that of the application"));
        }
    }
    for ((place, file), right) in (2..).zip(&run.sizes).zip(&right.files) {
        if (&file.name, file.bytes, file.origin) != (&right.name, right.bytes, Some(right.origin)) {
            wrong(format!("sizes.csv, line {place}: the file is not that of the application"));
        }
    }
    found
}
