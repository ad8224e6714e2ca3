//! The promises to the head of the queue.
//!
//! Whenever an instant is over, the first in the queue that still waits does not fit with the jobs
//! that run ([`head_starts`]): so it is under every rule that lets the head start. And under EASY
//! it starts not later than at the shadow time computed when it first stood there blocked, by the
//! estimates of the jobs running then ([`shadow_time`]; A. W. Mu'alem, D. G. Feitelson, IEEE TPDS
//! 12(6), 2001). The second holds only if no job outlasts its estimate.

use crate::kernel::SimTime;

use super::changes::{Change, State, changes, instants};
use super::{Order, Row, Violation, violation_of};

/// Checks both halves of EASY's promise in order of submission, the second if no job outlasts its
/// estimate.
///
/// # Complexity
/// As [`shadow_time`].
pub fn head_promise(rows: &[Row], procs: u32) -> Vec<Violation> {
    let mut violations = head_starts(rows, procs, Order::Submission);
    if rows.iter().all(|row| row.run_time <= row.estimate) {
        violations.extend(shadow_time(rows, procs, Order::Submission));
    }
    violations
}

/// No job is first in the queue and waits though it fits; rows stand in order of submission and are
/// all jobs of the run.
///
/// # Complexity
/// n log n, and for each job that becomes a blocked head one pass over those that run then.
pub fn head_starts(rows: &[Row], procs: u32, order: Order) -> Vec<Violation> {
    swept(rows, procs, order).violations
}

/// No job starts later than at its first shadow time as the head of the queue; rows stand in order
/// of submission, are all jobs of the run, and none outlasts its estimate.
///
/// # Complexity
/// n log n, and for each job that becomes a blocked head one pass over those that run then.
pub fn shadow_time(rows: &[Row], procs: u32, order: Order) -> Vec<Violation> {
    swept(rows, procs, order).promises_broken()
}

fn swept(rows: &[Row], procs: u32, order: Order) -> Sweep<'_> {
    let state = State::new(rows, procs, order);
    let mut sweep = Sweep { state, promised: vec![None; rows.len()], violations: Vec::new() };
    for (now, instant) in instants(&changes(rows)) {
        for &(_, change, index) in instant {
            // a job that comes to stand before the head ends its promise
            let head = sweep.state.waiting.first().filter(|&&head| sweep.state.stand(index) < head);
            if let (Change::Submission, Some(&(_, head))) = (change, head) {
                sweep.promised[head] = None;
            }
            sweep.state.take(change, index);
        }
        sweep.judge(now);
    }
    sweep
}

struct Sweep<'a> {
    state: State<'a>,
    promised: Vec<Option<SimTime>>,
    violations: Vec<Violation>,
}

impl Sweep<'_> {
    /// The instant is over: the head must be blocked, and is promised its shadow time.
    fn judge(&mut self, now: SimTime) {
        let State { rows, free, waiting, running, .. } = &self.state;
        let Some(&(_, head)) = waiting.first() else { return };
        let need = i64::from(rows[head].procs);
        if need <= *free {
            let what = format!("it is first in the queue and waits, though {free} processors are free");
            self.violations.push(violation_of(&rows[head], now, what));
        } else if self.promised[head].is_none() {
            let mut free = *free;
            self.promised[head] = running.iter().find_map(|&(end, index)| {
                free += i64::from(rows[index].procs);
                (free >= need).then_some(end)
            });
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
    use super::super::row;
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
        assert_eq!(head_starts(&rows, 10, Order::Submission), []);
        let found = head_starts(&rows, 10, Order::Estimate);
        assert_eq!((found.len(), found[0].job), (1, 3), "{found:?}");
        // by estimates it was first at 2, and would have had its 6 processors at 9
        let rows = [row(1, 0, 0, 9, (0, 5)), row(2, 1, 9, 50, (0, 7)), row(3, 2, 59, 10, (0, 5))];
        assert_eq!(shadow_time(&rows, 10, Order::Submission), []);
        assert_eq!(shadow_time(&rows, 10, Order::Estimate)[0].job, 3);
    }

    #[test]
    fn a_head_that_waits_for_nothing_is_found() {
        let violations = head_promise(&[row(1, 0, 5, 1, (0, 0))], 10);
        assert_eq!((violations.len(), violations[0].job, violations[0].at), (1, 1, SimTime::ZERO));
    }
}
