//! Reservations of processors that are known ahead: no job that starts delays one.
//!
//! By the estimates, a job that starts is over before a reservation that is known begins, or leaves
//! it what it needs: then no reservation waits for a job, and none interrupts one, unless a job
//! outlasts its estimate. A job past its estimate is taken to end at once. Whether a job fits
//! otherwise is a matter of free processors alone.

use std::borrow::Cow;

use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::{SimDuration, SimTime};

use super::changes::{Change, State, changes, instants};
use super::{
    Attempt, Facts, Interruptions, Order, RequestedReservation, Reservations, Row, ScheduledJobs, Violation,
    violation_of,
};

/// The jobs that run, and the reservations that there are, at an instant.
struct Scene<'a> {
    state: State<'a>,
    /// In order of their beginnings.
    requested: Vec<RequestedReservation>,
    /// Place of the first reservation that is not over.
    first: usize,
    procs: u64,
}

impl<'a> Scene<'a> {
    fn new(rows: &'a [Row], known: &Reservations, procs: u32) -> Self {
        let mut requested = known.requested.clone();
        requested.stable_sort_by_key(|one| one.from);
        Scene { state: State::new(rows, Order::Fewest), requested, first: 0, procs: u64::from(procs) }
    }

    fn take(&mut self, now: SimTime, change: Change, index: usize) {
        while self.requested.get(self.first).is_some_and(|one| one.to <= now) {
            self.first += 1;
        }
        self.state.take(change, index);
    }

    /// The number of a known reservation that would lack processors, by the estimates, where a job,
    /// which needs `more` with those that run, has its own from `now` on for its estimate.
    fn delayed(&self, now: SimTime, job: &Row, more: u32) -> Option<u32> {
        let to = now.saturating_add(job.estimate.max(SimDuration::from_nanos(1)));
        let live = || {
            let begins = self.requested[self.first..].iter().take_while(move |one| one.from < to);
            begins.filter(move |one| one.known <= now && one.to > now)
        };
        let met = live().find(|one| {
            let at = one.from.max(now);
            let reserved = live().filter(|other| other.from <= at && at < other.to);
            let reserved: u64 = reserved.map(|other| u64::from(other.procs)).sum();
            let held = self.state.running.iter().filter(|(end, _)| *end > at || at == now);
            let held: u64 = held.map(|&(_, index)| u64::from(self.state.rows[index].procs)).sum();
            held + reserved + u64::from(more) > self.procs
        });
        met.map(|one| one.which.0)
    }
}

/// No job is started that delays a reservation that is known, by the estimates of all that run;
/// rows are all runs of all jobs, each with the estimate of its job.
///
/// # Complexity
/// For each start that may meet a reservation, a step for each that runs and each reservation.
pub fn respects_reservations(rows: &[Row], known: &Reservations, procs: u32) -> Vec<Violation> {
    let mut scene = Scene::new(rows, known, procs);
    let mut violations = Vec::new();
    for (now, instant) in instants(&changes(rows)) {
        instant.iter().for_each(|&(_, change, index)| scene.take(now, change, index));
        let started = instant.iter().filter(|one| one.1 == Change::Start).map(|one| &rows[one.2]);
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
/// what its job's estimate leaves of it, with its checkpoints, and within its limit.
pub(super) fn with_estimates(
    rows: &[Row],
    interrupted: &[Row],
    (reserved, known): (&Reservations, &Interruptions),
    facts: &Facts<'_>,
) -> Vec<Row> {
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
        let (estimate, kept) = match run.map(|run| run.sized) {
            Some(Some(sized)) => (sized.estimate, sized.kept),
            Some(None) => (row.estimate, before.0),
            None => (row.estimate, last().unwrap_or(before.0)),
        };
        let planned = known.plans(estimate, kept, facts.limit(estimate, before.1));
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
        let Some(nodes) = self.nodes.clone() else { return self };
        let interrupted = failing.map_or_else(|| Cow::Owned(self.interruptions()), Cow::Borrowed);
        let rows = [&schedule.ran[..], &with_jobs(schedule, &interrupted)].concat();
        let over = schedule.ran.iter().map(|row| row.end).max().unwrap_or_default();
        let away = failing.map_or(&[][..], |known| &known.away);
        Reservations { nodes: Some(nodes.planned(&self, &rows, away, over)), ..self }
    }
}

/// The runs that were interrupted, with the estimates of their jobs.
pub(super) fn with_jobs(schedule: &ScheduledJobs, known: &Interruptions) -> Vec<Row> {
    let rows = schedule.ran.iter().chain(&schedule.cancelled).chain(&schedule.refused);
    let estimates: OrderedMap<(u64, SimTime), SimDuration> =
        rows.map(|row| ((row.number, row.submit_time), row.estimate)).collect();
    let estimate = |row: &Row| estimates.get(&(row.number, row.submit_time)).copied().unwrap_or(row.estimate);
    known.rows().into_iter().map(|row| Row { estimate: estimate(&row), ..row }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{row, six_of_eight};
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
}
