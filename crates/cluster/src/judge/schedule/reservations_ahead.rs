//! Reservations of processors that are known ahead: no job that starts delays one.
//!
//! By the estimates, a job that starts is over before a reservation that is known begins, or leaves
//! it what it needs: then no reservation waits for a job, and none interrupts one, unless a job
//! outlasts its estimate. A job past its estimate is taken to end at once. Whether a job fits
//! otherwise is a matter of free processors alone.

use std::borrow::Cow;

use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::{SimDuration, SimTime};

use super::changes::{Change, State};
use super::supply::{Event, SupplyChange, events, instants, jobs};
use super::{
    Attempt, Away, Facts, Interruptions, Order, Reservations, Row, ScheduledJobs, Supply, Violation,
    violation_of,
};

/// The jobs that run, and the reservations that there are, at an instant.
struct Scene<'a> {
    state: State<'a>,
    supply: Supply<'a>,
    /// Places of reservations in order of their beginnings.
    order: Vec<usize>,
    /// Processors that each needs now.
    needs: Vec<u64>,
    /// The first of the order that is not over.
    first: usize,
    in_service: u64,
}

impl<'a> Scene<'a> {
    fn new(rows: &'a [Row], supply: Supply<'a>) -> Self {
        let mut order: Vec<usize> = (0..supply.requested.len()).collect();
        order.stable_sort_by_key(|&place| supply.requested[place].from);
        Scene {
            state: State::new(rows, Order::Fewest),
            order,
            needs: supply.requested.iter().map(|one| one.procs.into()).collect(),
            first: 0,
            in_service: supply.procs.into(),
            supply,
        }
    }

    fn take(&mut self, now: SimTime, event: Event) {
        while self.order.get(self.first).is_some_and(|&place| self.supply.requested[place].to <= now) {
            self.first += 1;
        }
        let (supply, service) = (&self.supply, &mut self.in_service);
        match event {
            Event::Job(change, index) => self.state.take(change, index),
            Event::Machine(SupplyChange::Fails, index) => {
                *service = service.saturating_sub(supply.away[index].on.count());
            }
            Event::Machine(SupplyChange::Back, index) => *service += supply.away[index].on.count(),
            Event::Machine(SupplyChange::Shrinks, index) => {
                let needs = &mut self.needs[supply.without[index].place];
                *needs = needs.saturating_sub(supply.without[index].procs.into());
            }
            Event::Machine(SupplyChange::Regrows, index) => {
                self.needs[supply.without[index].place] += u64::from(supply.without[index].procs);
            }
            Event::Machine(..) => {}
        }
    }

    /// The number of a known reservation that would lack processors, by the estimates, where a job,
    /// which needs `more` with those that run, has its own from `now` on for its estimate.
    fn delayed(&self, now: SimTime, job: &Row, more: u32) -> Option<u32> {
        let to = now.saturating_add(job.estimate.max(SimDuration::from_nanos(1)));
        let live = || {
            let all = self.order[self.first..].iter().map(|&place| (place, &self.supply.requested[place]));
            let begins = all.take_while(move |(_, one)| one.from < to);
            begins.filter(move |(_, one)| one.known <= now && one.to > now)
        };
        let met = live().find(|(_, one)| {
            let at = one.from.max(now);
            let reserved = live().filter(|(_, other)| other.from <= at && at < other.to);
            let reserved: u64 = reserved.map(|(place, _)| self.needs[place]).sum();
            let held = self.state.running.iter().filter(|(end, _)| *end > at || at == now);
            let held: u64 = held.map(|&(_, index)| u64::from(self.state.rows[index].procs)).sum();
            held + reserved + u64::from(more) > self.in_service
        });
        met.map(|(_, one)| one.which.0)
    }
}

/// As `respects_reservations_of`, on `procs` processors that are always there.
pub fn respects_reservations(rows: &[Row], known: &Reservations, procs: u32) -> Vec<Violation> {
    respects_reservations_of(rows, Supply::reserved(procs, known))
}

/// No job is started that delays a reservation that is known, by the estimates of all that run;
/// rows are all runs of all jobs, each with the estimate of its job.
///
/// # Complexity
/// For each start that may meet a reservation, a step for each that runs and each reservation.
pub(super) fn respects_reservations_of(rows: &[Row], supply: Supply<'_>) -> Vec<Violation> {
    let mut scene = Scene::new(rows, supply);
    let mut violations = Vec::new();
    for (now, instant) in instants(&events(rows, &supply)) {
        instant.iter().for_each(|&(_, event)| scene.take(now, event));
        let started = jobs(instant, Change::Start).map(|job| &rows[job]);
        for row in started.filter(|row| row.end > now) {
            if let Some(number) = scene.delayed(now, row, 0) {
                let what = format!("it starts, though by the estimates it delays reservation {number}");
                violations.push(violation_of(row, now, what));
            }
        }
    }
    violations
}

/// The runs of all jobs outside reservations, each with the time that it was planned to last: for
/// what its job's estimate leaves of it, or its run time where the policy goes by that, with its
/// checkpoints, and within its limit.
pub(super) fn with_estimates(
    rows: &[Row],
    interrupted: &[Row],
    (reserved, known): (&Reservations, &Interruptions),
    facts: &Facts<'_>,
) -> Vec<Row> {
    let is_exact = facts.decides.estimates == "exact";
    let mut all = rows.to_vec();
    all.extend(interrupted.iter().filter(|row| reserved.of(row).is_none()).cloned());
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.stable_sort_by_key(|&place| all[place].start);
    let runs: OrderedMap<(u64, SimTime, SimTime), &Attempt> =
        known.attempts.iter().map(|one| ((one.number, one.submit_time, one.start), one)).collect();
    let mut earlier: OrderedMap<(u64, SimTime), (SimDuration, SimDuration)> = OrderedMap::new();
    for place in order {
        let row = &mut all[place];
        let before = earlier.entry((row.number, row.submit_time)).or_default();
        let run = runs.get(&(row.number, row.submit_time, row.start));
        let last = || known.kept_to_the_last.get(&(row.number, row.submit_time)).copied();
        let expected = if is_exact { row.work.unwrap_or(row.run_time) } else { row.estimate };
        let (expected, estimate, kept) = match run.map(|run| run.sized) {
            Some(Some(sized)) if is_exact => (sized.work, sized.estimate, sized.kept),
            Some(Some(sized)) => (sized.estimate, sized.estimate, sized.kept),
            Some(None) => (expected, row.estimate, before.0),
            None => (expected, row.estimate, last().unwrap_or(before.0)),
        };
        let planned = known.plans(expected, kept, facts.limit(estimate, before.1));
        let own = run.map_or(SimDuration::ZERO, |run| run.kept);
        *before = (before.0.saturating_add(own), before.1.saturating_add(row.end.since(row.start)));
        row.estimate = planned;
    }
    all
}

impl Reservations {
    /// The same with the nodes that they are to have, where it is nodes that are reserved.
    #[must_use]
    pub fn planned(self, schedule: &ScheduledJobs, failing: Option<&Interruptions>) -> Self {
        let interrupted = failing.map_or_else(|| Cow::Owned(self.interruptions()), Cow::Borrowed);
        self.planned_by(schedule, &interrupted, failing.map_or(&[][..], |known| &known.away))
    }

    /// The same by these interruptions, and nodes that were out of service.
    pub(super) fn planned_by(
        self,
        schedule: &ScheduledJobs,
        interrupted: &Interruptions,
        away: &[Away],
    ) -> Self {
        let Some(nodes) = self.nodes.clone() else { return self };
        let rows = [&schedule.ran[..], &with_jobs(schedule, interrupted)].concat();
        let over = schedule.ran.iter().map(|row| row.end).max().unwrap_or_default();
        Reservations { nodes: Some(nodes.planned(&self, &rows, away, over)), ..self }
    }
}

/// The runs that were interrupted, with the estimates and the work of their jobs.
pub(super) fn with_jobs(schedule: &ScheduledJobs, known: &Interruptions) -> Vec<Row> {
    let rows = schedule.ran.iter().chain(&schedule.cancelled).chain(&schedule.refused);
    let jobs: OrderedMap<(u64, SimTime), &Row> =
        rows.map(|row| ((row.number, row.submit_time), row)).collect();
    let of_job = |(row, run): (Row, &Attempt)| {
        let Some(job) = jobs.get(&(row.number, row.submit_time)) else { return row };
        // it may have had another size
        let estimate = run.sized.map_or(job.estimate, |sized| sized.estimate);
        Row { estimate, work: job.work, ..row }
    };
    known.rows().into_iter().zip(&known.attempts).map(of_job).collect()
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;

    use super::super::{Without, row, six_of_eight};
    use super::*;

    #[test]
    fn a_job_that_obstructs_by_its_estimate_is_found() {
        let known = six_of_eight();
        let found = |start, estimate, procs: u32| {
            let estimate = SimDuration::from_nanos(estimate);
            let one = Row { estimate, ..row(2, 0, start, 1, (0, procs - 1)) };
            respects_reservations(&[row(1, 0, 0, 60, (7, 7)), one], &known, 8).len()
        };
        assert_eq!([found(0, 50, 7), found(0, 51, 1), found(90, 9, 8)], [0, 0, 0]);
        // the first two start with the other job, and delay the reservation together
        assert_eq!([found(0, 51, 2), found(0, 999, 7), found(49, 2, 2), found(50, 1, 2)], [2, 2, 1, 1]);
    }

    #[test]
    fn where_nodes_fail_a_reservation_leaves_less_or_does_without() {
        // of 8 processors 6 are reserved from 50 to 90, and two fail at 60
        let at = crate::kernel::SimTime::from_nanos;
        let known = six_of_eight();
        let away = [Away { on: Interval::new(6, 7), from: at(60), to: at(80) }];
        let without = [Without { place: 0, procs: 2, from: at(60), to: at(70) }];
        let found = |start, procs: u32, without| {
            let one = Row { estimate: SimDuration::from_nanos(5), ..row(1, 0, start, 5, (0, procs - 1)) };
            let supply = Supply { away: &away, without, ..Supply::reserved(8, &known) };
            respects_reservations_of(&[one], supply).len()
        };
        assert_eq!([55, 60, 79, 80].map(|start| found(start, 2, &[])), [0, 1, 1, 0]);
        assert_eq!([60, 69, 70, 80].map(|start| found(start, 2, &without)), [0, 0, 1, 0]);
        assert_eq!([found(60, 3, &without), found(80, 3, &without)], [1, 1]);
    }
}
