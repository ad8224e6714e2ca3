//! Conservative backfilling's promise to every job.
//!
//! Each job, when it is submitted, gets a reservation: the earliest one that leaves alone those of
//! all jobs before it, by the estimates of the jobs running then. It starts not later (A. W.
//! Mu'alem, D. G. Feitelson, IEEE TPDS 12(6), 2001, section 2). The check keeps a book of its own:
//! it replays the schedule as it was, gives every job its reservation when it comes, in order of
//! submission, lets all move forward in that order when a job ends early, and compares each start
//! with the first reservation.
//!
//! When a node fails or is back, or a reservation of processors becomes known, every job takes the
//! earliest reservation anew, in order of the queue, and is promised that from then on.
//!
//! A job that limits hold back gives its reservation up, and gets one and a promise again when they
//! let it through. So does one that finds room when its reservation is due only on more nodes than
//! limits leave: it is passed over, and comes again at the next decision. In an order other than
//! that of submission jobs come and move forward in that order, as it is then. Nothing is said from
//! when it is open which of two stands first or whether limits let one through, or a job outlasts
//! its estimate, until none waits.
//!
//! Where it is decided after each event, and not once an instant, jobs that come at one instant get
//! their reservations one after the other; and no more is promised from when the order of events
//! matters and is not in the schedule, as several jobs end, or some come that have waited for
//! others, until none waits.

use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::SimTime;
use crate::workload::resources::DemandId;

use super::calendar::{Booking, Calendar};
use super::changes::{Change, estimated_end};
use super::floors::Floors;
use super::nodes::{NodesByKind, NodesByName};
use super::pool_lines::{PoolLines, Pooled};
use super::supply::{Event, Outlook, events, instants, jobs, span};
use super::{NodeSupply, Order, Row, Stands, Supply, Violation, violation_of};

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
    reservation_promise_in((rows, Order::Submission, false), supply)
}

/// The same where the queue has an order, and it may be decided after each event.
pub(super) fn reservation_promise_in(of: (&[Row], Order<'_>, bool), supply: Supply<'_>) -> Vec<Violation> {
    let outlook = Outlook::new(supply);
    match supply.pools {
        None => replay(of, supply, outlook),
        pools => replay(of, supply, Pooled { machine: outlook, pools: PoolLines::new(pools) }),
    }
}

/// The same on nodes that have more than processors. Where jobs share nodes their reservations name
/// nodes, else they are numbers of nodes by kind.
pub fn reservation_promise_on_nodes(rows: &[Row], supply: NodeSupply<'_>) -> Vec<Violation> {
    reservation_promise_among((rows, Order::Submission, false), rows, supply)
}

/// The same of some jobs, where the machine has others on nodes that these never have.
pub(super) fn reservation_promise_among(
    of: (&[Row], Order<'_>, bool),
    machine: &[Row],
    supply: NodeSupply<'_>,
) -> Vec<Violation> {
    let (all, pools) = (supply.processors(), PoolLines::new(supply.pools));
    match NodesByKind::of(supply, machine) {
        Some(machine) => replay(of, all, Pooled { machine, pools }),
        None => replay(of, all, Pooled { machine: NodesByName::new(supply), pools }),
    }
}

/// Replays a schedule over what is free.
fn replay<C: Calendar>(
    (rows, order, by_event): (&[Row], Order<'_>, bool),
    supply: Supply<'_>,
    calendar: C,
) -> Vec<Violation> {
    let mut book = Book {
        rows,
        calendar,
        floors: OrderedMap::new(),
        promised: vec![None; rows.len()],
        waiting: Vec::new(),
        stands: Stands::new(rows, order),
        running: OrderedSet::new(),
        doubtful: OrderedSet::new(),
        passable: OrderedSet::new(),
        is_open: false,
        is_unbooked: false,
        violations: Vec::new(),
    };
    let reruns = if by_event { reruns(rows) } else { OrderedSet::new() };
    for (now, instant) in instants(&events(rows, &supply)) {
        book.at(now);
        let again = book.passed_over(now);
        let (shaken, freed) = book.take(now, instant);
        let held = [Change::Comes, Change::Held].into_iter().flat_map(|change| jobs(instant, change));
        let passable = held.chain(again.iter().copied()).filter(|job| book.passable.contains(job));
        let come: OrderedSet<usize> = jobs(instant, Change::Submission).chain(passable).collect();
        let mut come: Vec<usize> = come.into_iter().filter(|&job| book.place_of(job).is_none()).collect();
        let mut later = Vec::new();
        if by_event {
            let waits = !(book.waiting.is_empty() && come.is_empty());
            let otherwise = waits && is_ordered_otherwise(rows, instant, (&come, &reruns));
            // what one that is still to end was to free is missing at the other's end; in an order
            // that moves each event may give others their places, and a start makes limits turn
            // before others come
            let is_due = |job: usize| rows[job].start.saturating_add(span(&rows[job])) <= now;
            let misses = jobs(instant, Change::End).any(is_due) || matches!(order, Order::Priority(_));
            book.is_open |= otherwise && misses || turns_by_start(instant) && !come.is_empty();
            book.is_unbooked |= otherwise;
            (later, come) = come.into_iter().partition(|&job| rows[job].considered == now);
        }
        book.decide(now, come.into_iter(), (shaken, freed || !again.is_empty()));
        later.into_iter().for_each(|job| book.decide(now, std::iter::once(job), (false, false)));
        let by_start = |change: Change| matches!(change, Change::HeldByStart | Change::FreedByStart);
        let mut turned: Vec<(Change, usize)> = (instant.iter())
            .filter_map(|&(_, event)| match event {
                Event::Job(change, job) if by_start(change) => Some((change, job)),
                _ => None,
            })
            .collect();
        let mut starts: Vec<usize> = jobs(instant, Change::Start).collect();
        while !turned.is_empty() {
            // it is decided again once those that are due have started, with the jobs that these
            // hold back or let through
            let (due, others): (Vec<usize>, Vec<usize>) =
                starts.into_iter().partition(|&job| book.is_due(now, job));
            let (first, later): (Vec<_>, Vec<_>) = turned
                .into_iter()
                .partition(|&(_, job)| due.is_empty() || !others.iter().any(|&by| book.turns(now, job, by)));
            due.into_iter().for_each(|job| book.start(now, job));
            let held = first.iter().filter(|(change, _)| *change == Change::HeldByStart);
            let freed = held.fold(false, |freed, &(_, job)| freed | book.take_back(now, job));
            let let_through = first.iter().filter(|(change, _)| *change == Change::FreedByStart);
            book.decide(now, let_through.map(|&(_, job)| job), (false, freed));
            (starts, turned) = (others, later);
        }
        starts.into_iter().for_each(|job| book.start(now, job));
        let waits = !(book.waiting.is_empty() && book.doubtful.is_empty());
        (book.is_open, book.is_unbooked) = (book.is_open && waits, book.is_unbooked && waits);
    }
    book.violations
}

/// Returns true if starts of an instant make limits hold jobs back or let them through.
fn turns_by_start(instant: &[(SimTime, Event)]) -> bool {
    let turns = |event: &Event| matches!(event, Event::Job(Change::HeldByStart | Change::FreedByStart, _));
    instant.iter().any(|one| turns(&one.1))
}

/// Rows of jobs that have run before.
fn reruns(rows: &[Row]) -> OrderedSet<usize> {
    let mut seen = OrderedSet::new();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.stable_sort_by_key(|&job| rows[job].start);
    order.into_iter().filter(|&job| !seen.insert(rows[job].number)).collect()
}

/// Returns true if events of an instant had an order that matters, and it may have been another
/// than that in which these jobs come, of which some have run before.
fn is_ordered_otherwise(
    rows: &[Row],
    instant: &[(SimTime, Event)],
    (come, reruns): (&[usize], &OrderedSet<usize>),
) -> bool {
    let ends = jobs(instant, Change::End).filter(|&job| rows[job].start < rows[job].end);
    let changes = instant.iter().any(|one| matches!(one.1, Event::Machine(..)));
    let is_late = |job: &usize| {
        let row = &rows[*job];
        row.considered > row.submit_time || row.follows || reruns.contains(job)
    };
    ends.count() > 1 && !changes || come.len() > 1 && come.iter().any(is_late)
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
    stands: Stands<'a>,
    /// Estimated ends of the running jobs.
    running: OrderedSet<(SimTime, usize)>,
    /// Jobs that wait, and that limits may let through or not.
    doubtful: OrderedSet<usize>,
    /// Jobs that limits let through, and that are passed over if they do not start when they are
    /// due.
    passable: OrderedSet<usize>,
    /// True if it was open which of two that wait stands first or whether limits let one through,
    /// or one that ran outlasted its estimate, since none waited.
    is_open: bool,
    /// True if the reservations may be others since none waited: what was promised before stands.
    is_unbooked: bool,
    violations: Vec<Violation>,
}

impl<C: Calendar> Book<'_, C> {
    /// An instant begins: jobs stand as the decisions before it have ordered them.
    fn at(&mut self, now: SimTime) {
        self.calendar.advance(now);
        self.is_open |= self.running.first().is_some_and(|&(end, _)| end < now);
        while let Some(before) = self.stands.missed(now, !self.waiting.is_empty()) {
            self.order_again(before);
        }
    }

    fn order_again(&mut self, now: SimTime) {
        let stands = &mut self.stands;
        self.waiting.iter().for_each(|one| stands.come(now, one.job));
        self.waiting.stable_sort_by_key(|one| stands.of(one.job));
    }

    /// Jobs come to be considered, and those that wait move if the machine has changed, or forward
    /// if something was freed.
    fn decide(&mut self, now: SimTime, come: impl Iterator<Item = usize>, (shaken, freed): (bool, bool)) {
        let mut come: Vec<usize> = come.collect();
        for &job in &come {
            self.stands.come(now, job);
            if self.doubtful.remove(&job) {
                self.stands.doubt(job);
            }
        }
        if self.stands.decides(now, !(self.waiting.is_empty() && come.is_empty())) {
            self.order_again(now);
        }
        come.stable_sort_by_key(|&job| self.stands.of(job));
        if shaken {
            self.begin_again(now, &come);
        } else {
            if freed {
                self.move_all(now);
            }
            come.iter().for_each(|&job| self.admit(now, job));
        }
        let open = self.waiting.windows(2).any(|pair| !self.stands.is_clear(pair[0].job, pair[1].job));
        let outlasts = self.running.first().is_some_and(|&(end, _)| end <= now);
        self.is_open |= open || outlasts && !self.waiting.is_empty() || !self.doubtful.is_empty();
    }

    /// Jobs that were due before an instant, and were passed over: they give their reservations up.
    fn passed_over(&mut self, now: SimTime) -> Vec<usize> {
        let due = |one: &&WaitingJob<C::Place>| {
            self.passable.contains(&one.job) && one.booking.as_ref().is_some_and(|one| one.start < now)
        };
        let all: Vec<usize> = self.waiting.iter().filter(due).map(|one| one.job).collect();
        for &job in &all {
            self.take_back(now, job);
            self.promised[job] = None;
        }
        // the one may have come again when the other was due
        self.is_open |= all.len() > 1;
        all
    }

    /// Limits may let a job through or not from now on, or that is known.
    fn doubt(&mut self, now: SimTime, change: Change, job: usize) {
        let doubt = self.rows[job].doubt_from(now).filter(|_| change.doubts(&self.rows[job], now));
        for (all, lets) in [(&mut self.passable, true), (&mut self.doubtful, false)] {
            if doubt.is_some_and(|turn| turn.through == lets) {
                all.insert(job);
            } else if lets || !change.considers() {
                all.remove(&job);
            }
        }
    }

    /// Takes what ends or changes: true if what was promised may move, and if jobs may move
    /// forward.
    fn take(&mut self, now: SimTime, instant: &[(SimTime, Event)]) -> (bool, bool) {
        let (mut shaken, mut freed) = (false, false);
        for &(_, event) in instant {
            if let Event::Job(change, job) = event {
                self.doubt(now, change, job);
            }
            match event {
                Event::Machine(change, index) => shaken |= self.calendar.changes(now, change, index),
                Event::Job(Change::End, job) => {
                    let row = &self.rows[job];
                    // one that ends at once ends before it starts
                    if row.start < row.end {
                        self.calendar.ends(now, row);
                        self.running.remove(&(estimated_end(row), job));
                        freed |= row.start.saturating_add(span(row)) > now;
                    }
                }
                Event::Job(Change::Held, job) if self.passable.contains(&job) => {}
                // one that is submitted at this instant has no reservation yet
                Event::Job(Change::Cancellation | Change::Held, job) => freed |= self.take_back(now, job),
                Event::Job(..) => {}
            }
        }
        (shaken, freed)
    }

    fn place_of(&self, job: usize) -> Option<usize> {
        self.waiting.binary_search_by_key(&self.stands.of(job), |one| self.stands.of(one.job)).ok()
    }

    fn take_out(&mut self, job: usize) -> Option<WaitingJob<C::Place>> {
        self.place_of(job).map(|at| self.waiting.remove(at))
    }

    /// A job waits no more, or is held back: true if it gives a reservation up. Its promise is
    /// broken if it is past, unless nothing is said at the time.
    fn take_back(&mut self, now: SimTime, job: usize) -> bool {
        let (rows, is_open) = (self.rows, self.is_open);
        self.promised[job] = self.promised[job].filter(|&(promised, _)| promised < now && !is_open);
        let booking = self.take_out(job).and_then(|one| one.booking);
        booking.iter().for_each(|booking| self.calendar.give_up(now, &rows[job], booking));
        booking.is_some()
    }

    /// Returns true if the reservation of a job that waits is due, or it waits not even.
    fn is_due(&self, now: SimTime, job: usize) -> bool {
        let Some(one) = self.place_of(job).map(|at| &self.waiting[at]) else { return true };
        one.booking.as_ref().is_some_and(|booking| booking.start <= now)
    }

    /// Returns true if at this instant limits let a job through, or hold it back, by the start of
    /// another.
    fn turns(&self, now: SimTime, job: usize, by: usize) -> bool {
        let (job, by) = (&self.rows[job], self.rows[by].job);
        by.is_some() && job.turns.iter().any(|turn| turn.at == now && turn.by_start == by)
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
            self.promised[job] = start.filter(|_| !self.is_unbooked).map(|start| (start, when));
        }
        WaitingJob { job, booking }
    }

    /// A job comes to wait.
    fn admit(&mut self, now: SimTime, job: usize) {
        let one = self.book(now, job, SUBMITTED);
        let at = self.waiting.partition_point(|other| self.stands.of(other.job) < self.stands.of(job));
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
    fn begin_again(&mut self, now: SimTime, submitted: &[usize]) {
        self.floors.clear();
        let before = std::mem::take(&mut self.waiting);
        for WaitingJob { job, booking } in &before {
            booking.iter().for_each(|booking| self.calendar.give_up(now, &self.rows[*job], booking));
        }
        let waited = before.iter().map(|one| (one.job, CHANGED));
        let mut jobs: Vec<_> = waited.chain(submitted.iter().map(|&job| (job, SUBMITTED))).collect();
        jobs.stable_sort_by_key(|&(job, _)| self.stands.of(job));
        self.waiting = jobs.into_iter().map(|(job, when)| self.book(now, job, when)).collect();
    }

    /// A job starts, whatever it was promised.
    fn start(&mut self, now: SimTime, job: usize) {
        let row = &self.rows[job];
        if let Some((first, when)) = self.promised[job].filter(|&(first, _)| now > first && !self.is_open) {
            let what = format!("it was promised a start at {first} when {when}");
            self.violations.push(violation_of(row, now, what));
        }
        let booking = self.take_out(job).and_then(|one| one.booking);
        if row.start < row.end {
            self.running.insert((estimated_end(row), job));
        }
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

    use super::super::{LimitTurn, row};
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
    fn with_a_decision_after_each_event_one_that_waited_for_another_may_come_behind_others() {
        // both come as the first ends, and the third starts; the second was held until then, or not
        let rows = |follows| {
            let second = Row { follows, ..row(2, 20, 100, 54, (0, 1)) };
            [row(1, 0, 0, 20, (0, 1)), second, row(3, 20, 20, 53, (0, 2)), row(4, 20, 73, 27, (0, 3))]
        };
        let broken = |follows| {
            let of = (&rows(follows)[..], Order::Submission, true);
            reservation_promise_in(of, 4.into()).iter().map(|one| one.job).collect::<Vec<_>>()
        };
        assert_eq!((broken(true), broken(false)), (vec![], vec![2]));
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

    #[test]
    fn a_promise_that_a_job_past_its_estimate_made_void_stays_void_for_one_that_limits_hold_back() {
        // job 1 says 100 and ends at 130; job 2 was promised 100, limits hold it back from 130 to
        // 150, and nobody else waits then
        let turn =
            |at, through| LimitTurn { at: SimTime::from_nanos(at), through, in_doubt: false, by_start: None };
        let found = |estimate, start| {
            let first = Row { estimate: SimDuration::from_nanos(estimate), ..row(1, 0, 0, 130, (0, 5)) };
            let turns = vec![turn(130, false), turn(150, true)];
            let rows = [first, Row { turns, ..row(2, 1, start, 50, (0, 7)) }];
            reservation_promise(&rows, 10).len()
        };
        assert_eq!([found(100, 150), found(100, 151), found(130, 150), found(130, 151)], [0, 1, 0, 1]);
    }
}
