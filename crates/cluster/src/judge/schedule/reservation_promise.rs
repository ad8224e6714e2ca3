//! Conservative backfilling's promise to every job.
//!
//! Each job, when it is submitted, gets a reservation: the earliest one that leaves alone those of
//! all jobs before it, by the estimates of the jobs running then. It starts not later (A. W.
//! Mu'alem, D. G. Feitelson, IEEE TPDS 12(6), 2001, section 2). The check keeps a book of its own:
//! it replays the schedule as it was, gives every job its reservation when it comes, in order of
//! submission, lets all move forward in that order when a job ends early, and compares each start
//! with the first reservation. That holds only if no job outlasts its estimate; a schedule with
//! such a job is not checked.
//!
//! When a node fails or is back, or a reservation of processors becomes known, every job takes the
//! earliest reservation anew, in order of the queue, and is promised that from then on.

use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::SimTime;
use crate::workload::resources::DemandId;

use super::calendar::{Booking, Calendar};
use super::changes::Change;
use super::floors::Floors;
use super::nodes::{NodesByKind, NodesByName};
use super::pool_lines::{PoolLines, Pooled};
use super::supply::{Event, Outlook, events, instants, jobs, span};
use super::{NodeSupply, Row, Supply, Violation, violation_of};

/// Occasions on which a job is promised a start.
const SUBMITTED: &str = "it was submitted";
const CHANGED: &str = "the machine changed";

/// As [`reservation_promise_on`], on `procs` processors that are always there.
pub fn reservation_promise(rows: &[Row], procs: u32) -> Vec<Violation> {
    reservation_promise_on(rows, procs.into())
}

/// Checks every job's first reservation; rows stand in order of submission and are all runs of all
/// jobs.
///
/// # Complexity
/// A search of the reservations for each submission, and one for each waiting job where a job ends
/// early or the machine changes.
pub fn reservation_promise_on(rows: &[Row], supply: Supply<'_>) -> Vec<Violation> {
    let outlook = Outlook::new(supply);
    match supply.pools {
        None => replay(rows, supply, outlook),
        pools => replay(rows, supply, Pooled { machine: outlook, pools: PoolLines::new(pools) }),
    }
}

/// The same on nodes that have more than processors. Where jobs share nodes their reservations name
/// nodes, else they are numbers of nodes by kind.
pub fn reservation_promise_on_nodes(rows: &[Row], supply: NodeSupply<'_>) -> Vec<Violation> {
    reservation_promise_among(rows, rows, supply)
}

/// The same of some jobs, where the machine has others on nodes that these never have.
pub(super) fn reservation_promise_among(
    rows: &[Row],
    machine: &[Row],
    supply: NodeSupply<'_>,
) -> Vec<Violation> {
    let (all, pools) = (supply.processors(), PoolLines::new(supply.pools));
    match NodesByKind::of(supply, machine) {
        Some(machine) => replay(rows, all, Pooled { machine, pools }),
        None => replay(rows, all, Pooled { machine: NodesByName::new(supply), pools }),
    }
}

/// Replays a schedule over what is free.
fn replay<C: Calendar>(rows: &[Row], supply: Supply<'_>, calendar: C) -> Vec<Violation> {
    if rows.iter().any(|row| row.run_time > row.estimate) {
        return Vec::new();
    }
    let floors = OrderedMap::new();
    let mut book = Book { rows, calendar, floors, promised: vec![None; rows.len()], waiting: Vec::new() };
    let mut violations = Vec::new();
    for (now, instant) in instants(&events(rows, &supply)) {
        book.calendar.advance(now);
        let (shaken, freed) = book.take(now, instant);
        let submitted = jobs(instant, Change::Submission);
        if shaken {
            book.begin_again(now, submitted);
        } else {
            if freed {
                book.move_all(now);
            }
            submitted.for_each(|job| book.admit(now, job));
        }
        for job in jobs(instant, Change::Start) {
            if let Some((first, when)) = book.promised[job].filter(|&(first, _)| now > first) {
                let what = format!("it was promised a start at {first} when {when}");
                violations.push(violation_of(&rows[job], now, what));
            }
            book.start(now, job);
        }
    }
    violations
}

/// A job that waits, and its reservation if it finds one.
struct WaitingJob<P> {
    job: usize,
    booking: Option<Booking<P>>,
}

struct Book<'a, C: Calendar> {
    rows: &'a [Row],
    /// Capacity that no job has or is promised.
    calendar: C,
    /// Of jobs that ask for the same beyond processors, and of pools.
    floors: OrderedMap<(DemandId, Option<u32>), Floors>,
    /// The start that each was promised, and when.
    promised: Vec<Option<(SimTime, &'static str)>>,
    /// In order of the queue.
    waiting: Vec<WaitingJob<C::Place>>,
}

impl<C: Calendar> Book<'_, C> {
    /// Takes what ends or changes: true if what was promised may move, and if jobs may move
    /// forward.
    fn take(&mut self, now: SimTime, instant: &[(SimTime, Event)]) -> (bool, bool) {
        let (mut shaken, mut freed) = (false, false);
        for &(_, event) in instant {
            match event {
                Event::Machine(change, index) => shaken |= self.calendar.changes(now, change, index),
                Event::Job(Change::End, job) => {
                    let row = &self.rows[job];
                    // one that ends at once ends before it starts
                    if row.start < row.end {
                        self.calendar.ends(now, row);
                        freed |= row.start.saturating_add(span(row)) > now;
                    }
                }
                Event::Job(Change::Cancellation, job) => {
                    // one that is submitted at this instant has no reservation yet
                    if let Some(booking) = self.take_out(job).and_then(|one| one.booking) {
                        self.calendar.give_up(now, &self.rows[job], &booking);
                        freed = true;
                    }
                }
                Event::Job(..) => {}
            }
        }
        (shaken, freed)
    }

    fn take_out(&mut self, job: usize) -> Option<WaitingJob<C::Place>> {
        let at = self.waiting.binary_search_by_key(&job, |one| one.job).ok()?;
        Some(self.waiting.remove(at))
    }

    /// A job takes the earliest reservation.
    fn book(&mut self, now: SimTime, job: usize, when: &'static str) -> WaitingJob<C::Place> {
        let row = &self.rows[job];
        let floors = self.floors.entry((row.demand, row.pools)).or_default();
        let from = floors.of(row.procs, span(row), SimTime::MAX).max(now);
        let booking = if from == SimTime::MAX { None } else { self.calendar.earliest(now, row, from) };
        let start = booking.as_ref().map(|one| one.start);
        floors.note(row.procs, span(row), start.unwrap_or(SimTime::MAX));
        // what is past is broken
        if self.promised[job].is_none_or(|(promised, _)| promised >= now) {
            self.promised[job] = start.map(|start| (start, when));
        }
        WaitingJob { job, booking }
    }

    /// A job comes to wait.
    fn admit(&mut self, now: SimTime, job: usize) {
        let one = self.book(now, job, SUBMITTED);
        let at = self.waiting.partition_point(|other| other.job < job);
        self.waiting.insert(at, one);
    }

    /// Lets every waiting job in order take the earliest reservation.
    fn move_all(&mut self, now: SimTime) {
        self.floors.clear();
        for WaitingJob { job, booking } in &mut self.waiting {
            let row = &self.rows[*job];
            let Some(booking) = booking else { continue };
            let floors = self.floors.entry((row.demand, row.pools)).or_default();
            let from = floors.of(row.procs, span(row), booking.start).max(now);
            if from >= booking.start {
                continue;
            }
            let found = self.calendar.earlier(now, row, from, booking);
            let start = found.as_ref().map_or(booking.start, |(earlier, _)| earlier.start);
            floors.note(row.procs, span(row), start);
            if let Some((earlier, freed)) = found {
                *booking = earlier;
                self.floors.values_mut().for_each(|floors| floors.free(freed));
            }
        }
    }

    /// Every job that waits, also from now on, takes the earliest reservation anew, in order.
    fn begin_again(&mut self, now: SimTime, submitted: impl Iterator<Item = usize>) {
        self.floors.clear();
        let before = std::mem::take(&mut self.waiting);
        for WaitingJob { job, booking } in &before {
            booking.iter().for_each(|booking| self.calendar.give_up(now, &self.rows[*job], booking));
        }
        let waited = before.iter().map(|one| (one.job, CHANGED));
        let mut jobs: Vec<_> = waited.chain(submitted.map(|job| (job, SUBMITTED))).collect();
        jobs.stable_sort();
        self.waiting = jobs.into_iter().map(|(job, when)| self.book(now, job, when)).collect();
    }

    /// A job starts, whatever it was promised.
    fn start(&mut self, now: SimTime, job: usize) {
        let row = &self.rows[job];
        let booking = self.take_out(job).and_then(|one| one.booking);
        if C::KEEPS_PLACES && row.start < row.end && booking.as_ref().is_some_and(|one| one.start == now) {
            return;
        }
        booking.iter().for_each(|booking| self.calendar.give_up(now, row, booking));
        if row.start < row.end {
            self.calendar.starts(now, row);
        }
        self.floors.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimDuration;

    use super::super::row;
    use super::*;

    #[test]
    fn example_b_under_conservative_backfilling_keeps_every_promise_and_under_easy_breaks_one() {
        let kept = [
            row(1, 0, 0, 100, (0, 5)),
            row(2, 1, 100, 50, (0, 7)),
            row(3, 2, 150, 100, (0, 9)),
            row(4, 3, 250, 400, (8, 9)),
        ];
        assert_eq!(reservation_promise(&kept, 10), []);
        let mut easy = kept.to_vec();
        easy[2] = row(3, 2, 403, 100, (0, 9));
        easy[3] = row(4, 3, 3, 400, (8, 9));
        let violations = reservation_promise(&easy, 10);
        assert_eq!(violations.len(), 1);
        assert_eq!((violations[0].job, violations[0].at.as_nanos()), (3, 403));
        assert!(violations[0].what.contains("0.00000015 s"), "{}", violations[0]);
    }

    #[test]
    fn an_early_end_moves_reservations_but_not_what_was_promised() {
        // job 1 says 100 and ends at 40; job 2 was promised 100 and may start between
        let mut first = row(1, 0, 0, 40, (0, 5));
        first.estimate = SimDuration::from_nanos(100);
        let at = |start| [first.clone(), row(2, 1, start, 50, (0, 7))];
        assert_eq!(reservation_promise(&at(40), 10), []);
        assert_eq!(reservation_promise(&at(100), 10), []);
        assert_eq!(reservation_promise(&at(101), 10).len(), 1);
    }
}
