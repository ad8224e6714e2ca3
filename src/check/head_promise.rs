//! What is promised to the head of the queue.
//!
//! Whenever an instant is over, the first in the queue that still waits does not fit beside the jobs that run
//! ([`head_starts`]): so it is under every rule that lets the head start. And under EASY it starts not later than at the
//! shadow time computed when it first stood there blocked, by the estimates of the jobs running then ([`shadow_time`];
//! A. W. Mu'alem, D. G. Feitelson, IEEE TPDS 12(6), 2001). The second holds only if no job outlasts its estimate.

use std::collections::BTreeSet;

use crate::kernel::SimTime;

use super::changes::{Change, changes};
use super::{Order, Row, Violation};

/// Checks both halves of EASY's promise in order of submission, the second if no job outlasts its estimate.
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

/// No job is first in the queue and waits though it fits; rows stand in order of submission and are all jobs of the run.
///
/// # Complexity
/// n log n, and for each job that becomes a blocked head one pass over those that run then.
pub fn head_starts(rows: &[Row], procs: u32, order: Order) -> Vec<Violation> {
    swept(rows, procs, order).violations
}

/// No job starts later than at its first shadow time as the head of the queue; rows stand in order of submission, are all
/// jobs of the run, and none outlasts its estimate.
///
/// # Complexity
/// n log n, and for each job that becomes a blocked head one pass over those that run then.
pub fn shadow_time(rows: &[Row], procs: u32, order: Order) -> Vec<Violation> {
    swept(rows, procs, order).promises_broken()
}

fn swept(rows: &[Row], procs: u32, order: Order) -> Sweep<'_> {
    let mut sweep = Sweep {
        rows,
        order,
        free: i64::from(procs),
        waiting: BTreeSet::new(),
        running: BTreeSet::new(),
        promised: vec![None; rows.len()],
        violations: Vec::new(),
    };
    for instant in changes(rows).chunk_by(|one, other| one.0 == other.0) {
        for &(_, change, place) in instant {
            sweep.take(change, place);
        }
        sweep.look(instant[0].0);
    }
    sweep
}

struct Sweep<'a> {
    rows: &'a [Row],
    order: Order,
    free: i64,
    /// In the order of the queue.
    waiting: BTreeSet<(u64, usize)>,
    /// Estimated ends of the running jobs.
    running: BTreeSet<(SimTime, usize)>,
    promised: Vec<Option<SimTime>>,
    violations: Vec<Violation>,
}

impl Sweep<'_> {
    fn take(&mut self, change: Change, place: usize) {
        let row = &self.rows[place];
        let estimated_end = (row.start.saturating_add(row.estimate), place);
        let stand = self.order.stand(row, place);
        match change {
            Change::Submission => {
                // who comes to stand before the head ends its promise
                if let Some(&(_, head)) = self.waiting.first().filter(|&&head| stand < head) {
                    self.promised[head] = None;
                }
                self.waiting.insert(stand);
            }
            Change::Withdrawal => {
                self.waiting.remove(&stand);
            }
            Change::Start => {
                self.waiting.remove(&stand);
                // one that ends at once has ended before, in the order of changes
                if row.start < row.end {
                    self.running.insert(estimated_end);
                    self.free -= i64::from(row.procs);
                }
            }
            Change::End if row.start == row.end => {}
            Change::End => {
                self.running.remove(&estimated_end);
                self.free += i64::from(row.procs);
            }
        }
    }

    /// The instant is over: the head must be blocked, and is promised its shadow time.
    fn look(&mut self, now: SimTime) {
        let Some(&(_, head)) = self.waiting.first() else { return };
        let row = &self.rows[head];
        let need = i64::from(row.procs);
        if need <= self.free {
            let what =
                format!("it is first in the queue and waits, though {} processors are free", self.free);
            self.violations.push(Violation { job: row.number, at: now, what });
            return;
        }
        if self.promised[head].is_some() {
            return;
        }
        let mut free = self.free;
        for &(end, place) in &self.running {
            free += i64::from(self.rows[place].procs);
            if free >= need {
                self.promised[head] = Some(end);
                return;
            }
        }
    }

    fn promises_broken(&self) -> Vec<Violation> {
        let broken = |(row, promised): (&Row, &Option<SimTime>)| {
            let promised = promised.filter(|&promised| row.start > promised)?;
            let what = format!("it was promised a start at {promised} when it came to the head of the queue");
            Some(Violation { job: row.number, at: row.start, what })
        };
        self.rows.iter().zip(&self.promised).filter_map(broken).collect()
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
