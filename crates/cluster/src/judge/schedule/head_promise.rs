//! The promises to the head of the queue.
//!
//! Whenever an instant is over, the first in the queue that still waits does not fit with the jobs
//! that run ([`head_starts`]): so it is under every rule that lets the head start. And under EASY
//! it starts not later than at the shadow time computed when it first stood there blocked, by the
//! estimates of the jobs running then ([`shadow_time`]; A. W. Mu'alem, D. G. Feitelson, IEEE TPDS
//! 12(6), 2001). While a job outlasts its estimate nothing is promised, and what was promised for
//! then or later is void.
//!
//! Where processors are reserved, the head fits if by the estimates it delays no reservation that
//! is known, and its shadow time is the first at which it does. Where nodes fail, EASY looks at the
//! first job in the queue that the processors in service suffice for. What is promised lasts until
//! a node fails or is back, or a reservation becomes known, and then anew.

use crate::kernel::SimTime;

use super::changes::{Change, State};
use super::pool_lines::PoolLines;
use super::supply::{Event, Outlook, events, instants, span};
use super::{Order, Row, Stand, Supply, Violation, violation_of};

/// The job that is first in a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueueHead {
    /// The first of all.
    First,
    /// The first that the processors in service suffice for.
    Able,
}

impl QueueHead {
    /// The job that the rule of overtaking of this name looks at.
    pub(super) fn of(backfill: &str) -> Self {
        if backfill == "easy" { QueueHead::Able } else { QueueHead::First }
    }
}

/// Checks both halves of EASY's promise in order of submission.
///
/// # Complexity
/// As [`shadow_time`].
pub fn head_promise(rows: &[Row], procs: u32) -> Vec<Violation> {
    let supply = Supply::from(procs);
    let mut violations = head_starts(rows, supply, Order::Submission, QueueHead::Able);
    violations.extend(shadow_time(rows, supply, Order::Submission));
    violations
}

/// No job is first in the queue and waits though it fits; rows stand in order of submission and are
/// all runs of all jobs.
///
/// # Complexity
/// n log n, and for each instant as much as a search of the estimated ends of the jobs running
/// then.
pub fn head_starts(rows: &[Row], supply: Supply<'_>, order: Order<'_>, head: QueueHead) -> Vec<Violation> {
    swept(rows, supply, order, head).violations
}

/// No job starts later than at its first shadow time as the head of the queue, unless one outlasts
/// its estimate before; rows stand in order of submission, and are all runs of all jobs.
///
/// # Complexity
/// As [`head_starts`].
pub fn shadow_time(rows: &[Row], supply: Supply<'_>, order: Order<'_>) -> Vec<Violation> {
    swept(rows, supply, order, QueueHead::Able).promises_broken()
}

fn swept<'a>(rows: &'a [Row], supply: Supply<'a>, order: Order<'a>, head: QueueHead) -> Sweep<'a> {
    let (state, outlook) = (State::new(rows, order), Outlook::new(supply));
    let mut sweep = Sweep {
        state,
        outlook,
        pools: PoolLines::new(supply.pools),
        head,
        stands: None,
        promised: vec![None; rows.len()],
        violations: Vec::new(),
    };
    for (now, instant) in instants(&events(rows, &supply)) {
        let mut shaken = false;
        sweep.state.at(now);
        if let Some(since) = sweep.state.overdue() {
            sweep.forget(since);
        }
        for &(_, event) in instant {
            match event {
                Event::Machine(change, index) => shaken |= sweep.outlook.take(now, change, index),
                Event::Job(change, index) => sweep.job(now, change, index),
            }
        }
        sweep.outlook.timeline.advance(now);
        sweep.pools.advance(now);
        if shaken {
            sweep.forget(now);
        }
        sweep.judge(now);
    }
    sweep
}

struct Sweep<'a> {
    state: State<'a>,
    outlook: Outlook<'a>,
    pools: PoolLines<'a>,
    head: QueueHead,
    /// The job that was promised its shadow time.
    stands: Option<usize>,
    promised: Vec<Option<SimTime>>,
    violations: Vec<Violation>,
}

impl Sweep<'_> {
    fn job(&mut self, now: SimTime, change: Change, index: usize) {
        let row = &self.state.rows[index];
        self.state.take(change, index);
        // a job that comes to stand before the head, or starts there, ends its promise, as does a
        // limit that holds it back
        let before = |head| index != head && self.state.stand(index) < self.state.stand(head);
        let ends = change.considers() || change == Change::Start;
        if self.stands.is_some_and(|head| change.holds() && index == head || ends && before(head)) {
            self.forget(now);
        }
        self.outlook.job(now, change, row);
        self.pools.job(now, change, row);
    }

    /// The promise to the head, if it still waits, holds no more unless it is for before an
    /// instant.
    fn forget(&mut self, since: SimTime) {
        if let Some(head) = self.stands.take().filter(|&head| self.state.rows[head].start > since) {
            self.promised[head] = self.promised[head].filter(|&promised| promised < since);
        }
    }

    /// The instant is over: the head must be blocked, and is promised its shadow time.
    fn judge(&mut self, now: SimTime) {
        self.state.decide();
        let (rows, outlook) = (self.state.rows, &self.outlook);
        let able = |stand: &&Stand| {
            self.head == QueueHead::First || i64::from(rows[stand.row].procs) <= outlook.in_service
        };
        let Some(&stand) = self.state.waiting.iter().find(able) else { return };
        let head = stand.row;
        let is_first = self.state.is_first(stand);
        if self.stands.is_some_and(|before| before != head || !is_first) {
            self.forget(now);
        }
        if !is_first {
            return;
        }
        let outlasts = self.state.running.first().is_some_and(|&(end, _)| end <= now);
        let (row, outlook) = (&rows[head], &self.outlook);
        if outlook.fits(now, row) && self.pools.fits(row) {
            let what =
                format!("it is first in the queue and waits, though {} processors are free", outlook.free);
            self.violations.push(violation_of(row, now, what));
        } else if self.promised[head].is_none() && !outlasts {
            let first = self.first(row, now);
            self.promised[head] = Some(first).filter(|&first| first < SimTime::MAX);
            self.stands = Some(head);
        }
    }

    /// The first start from an instant on that suits processors and pools, by the estimates.
    fn first(&self, row: &Row, now: SimTime) -> SimTime {
        let mut first = now;
        loop {
            let before = self.outlook.timeline.earliest(row.procs, span(row), first);
            first = self.pools.earliest(row, before);
            if first == before || first == SimTime::MAX {
                return first;
            }
        }
    }

    fn promises_broken(&self) -> Vec<Violation> {
        let broken = |(row, promised): (&Row, &Option<SimTime>)| {
            let promised = promised.filter(|&promised| row.start > promised)?;
            let what = format!("it was promised a start at {promised} when it came to the head of the queue");
            Some(violation_of(row, row.start, what))
        };
        self.state.rows.iter().zip(&self.promised).filter_map(broken).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimDuration;

    use super::super::{LimitTurn, row};
    use super::*;

    #[test]
    fn example_b_under_easy_keeps_the_promise_to_the_head_only() {
        let rows = [
            row(1, 0, 0, 100, (0, 5)),
            row(2, 1, 100, 50, (0, 7)),
            row(3, 2, 403, 100, (0, 9)),
            row(4, 3, 3, 400, (8, 9)),
        ];
        assert_eq!(head_promise(&rows, 10), []);
    }

    #[test]
    fn a_head_that_is_delayed_by_one_that_overtook_is_found() {
        // job 3 takes what job 2 was promised at 100
        let rows = [row(1, 0, 0, 100, (0, 5)), row(2, 1, 200, 50, (0, 7)), row(3, 2, 2, 198, (6, 9))];
        let violations = head_promise(&rows, 10);
        assert_eq!(violations.len(), 1);
        assert!(violations[0].what.contains("promised"), "{}", violations[0]);
    }

    #[test]
    fn the_head_is_the_first_in_the_order_of_the_queue() {
        // the shortest waits though it fits, which is no sin in order of submission
        let rows = [row(1, 0, 0, 9, (0, 5)), row(2, 1, 9, 50, (0, 7)), row(3, 2, 59, 10, (0, 3))];
        assert_eq!(head_starts(&rows, 10.into(), Order::Submission, QueueHead::First), []);
        let found = head_starts(&rows, 10.into(), Order::Estimate, QueueHead::First);
        assert_eq!((found.len(), found[0].job), (1, 3), "{found:?}");
        // by estimates it was first at 2, and would have had its 6 processors at 9
        let rows = [row(1, 0, 0, 9, (0, 5)), row(2, 1, 9, 50, (0, 7)), row(3, 2, 59, 10, (0, 5))];
        assert_eq!(shadow_time(&rows, 10.into(), Order::Submission), []);
        assert_eq!(shadow_time(&rows, 10.into(), Order::Estimate)[0].job, 3);
    }

    #[test]
    fn what_is_promised_is_void_once_a_job_outlasts_its_estimate_and_holds_again_after_that() {
        // the first says 100 and ends at 130; the second was promised 100, and the third comes to
        // the head then: it is promised 180
        let mut first = row(1, 0, 0, 130, (0, 5));
        first.estimate = SimDuration::from_nanos(100);
        let rows = |start, third| {
            let last = row(3, 2, third, 50, (0, 7));
            [first.clone(), row(2, 1, start, 50, (0, 7)), last]
        };
        assert_eq!(shadow_time(&rows(130, 180), 10.into(), Order::Submission), []);
        assert_eq!(shadow_time(&rows(131, 181), 10.into(), Order::Submission), []);
        let late = shadow_time(&rows(130, 181), 10.into(), Order::Submission);
        assert_eq!((late.len(), late[0].job), (1, 3), "{late:?}");
    }

    #[test]
    fn a_head_that_limits_hold_back_is_promised_nothing_until_they_let_it_through() {
        let turn =
            |at, through| LimitTurn { at: SimTime::from_nanos(at), through, in_doubt: false, by_start: None };
        let rows = |turns: &[LimitTurn], start| {
            let second = Row { turns: turns.to_vec(), ..row(2, 1, start, 50, (0, 7)) };
            [row(1, 0, 0, 100, (0, 5)), second]
        };
        let found = |turns: &[LimitTurn], start| {
            let rows = rows(turns, start);
            let waits = head_starts(&rows, 10.into(), Order::Submission, QueueHead::First).len();
            (waits, shadow_time(&rows, 10.into(), Order::Submission).len())
        };
        assert_eq!([found(&[], 100), found(&[], 120)], [(0, 0), (1, 1)]);
        let held = [turn(1, false), turn(120, true)];
        assert_eq!([found(&held, 120), found(&held, 121)], [(0, 0), (1, 0)]);
        // the promise is void that was made before a limit held it back
        let between = [turn(50, false), turn(120, true)];
        assert_eq!([found(&between, 120), found(&between, 121)], [(0, 0), (1, 0)]);
    }

    #[test]
    fn a_job_that_outlasts_its_estimate_ends_promises_that_are_not_due_before() {
        // job 1 is estimated to end at 100, and ends then or later; job 2 needs all. Job 3 has two
        // processors, and is estimated to end at 50
        let first = |run| Row { estimate: SimDuration::from_nanos(100), ..row(1, 0, 0, run, (0, 5)) };
        let found = |run, start| {
            let rows = [first(run), row(2, 1, start, 50, (0, 7)), row(3, 2, 2, 48, (6, 7))];
            shadow_time(&rows, 8.into(), Order::Submission).len()
        };
        assert_eq!([found(100, 100), found(100, 101), found(101, 101)], [0, 1, 0]);
        // promised anew when that has ended, as job 4 goes on up to 200 by its estimate
        let again = |start| {
            let fourth = row(4, 0, 0, 200, (6, 7));
            shadow_time(&[first(120), fourth, row(2, 1, start, 50, (0, 7))], 8.into(), Order::Submission)
                .len()
        };
        assert_eq!([again(200), again(201)], [0, 1]);
    }

    #[test]
    fn a_head_that_waits_for_nothing_is_found() {
        let violations = head_promise(&[row(1, 0, 5, 1, (0, 0))], 10);
        assert_eq!((violations.len(), violations[0].job, violations[0].at), (1, 1, SimTime::ZERO));
    }
}
