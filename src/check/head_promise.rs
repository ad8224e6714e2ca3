//! EASY's promise to the head of the queue.
//!
//! Whenever an instant is over, the job first in order of submission that still waits does not fit beside the jobs
//! that run; and it starts not later than at the shadow time computed when it first stood there blocked, by the
//! estimates of the jobs running then (A. W. Mu'alem, D. G. Feitelson, IEEE TPDS 12(6), 2001). The second holds only if
//! no job outlasts its estimate, so a schedule with such a job is checked for the first alone.

use std::collections::BTreeSet;

use crate::kernel::SimTime;

use super::changes::{Change, changes};
use super::{Row, Violation};

/// Checks both halves of the promise; rows stand in order of submission and are all jobs of the run.
///
/// # Complexity
/// n log n, and for each job that becomes a blocked head one pass over those that run then.
pub fn head_promise(rows: &[Row], procs: u32) -> Vec<Violation> {
    let mut sweep = Sweep {
        rows,
        free: i64::from(procs),
        waiting: BTreeSet::new(),
        running: BTreeSet::new(),
        promised: vec![None; rows.len()],
        violations: Vec::new(),
    };
    let exact = rows.iter().all(|row| row.run_time <= row.estimate);
    for instant in changes(rows).chunk_by(|one, other| one.0 == other.0) {
        for &(_, change, place) in instant {
            sweep.take(change, place);
        }
        sweep.look(instant[0].0);
    }
    if exact {
        sweep.keep_promises();
    }
    sweep.violations
}

struct Sweep<'a> {
    rows: &'a [Row],
    free: i64,
    waiting: BTreeSet<usize>,
    /// Estimated ends of the running jobs.
    running: BTreeSet<(SimTime, usize)>,
    promised: Vec<Option<SimTime>>,
    violations: Vec<Violation>,
}

impl Sweep<'_> {
    fn take(&mut self, change: Change, place: usize) {
        let row = &self.rows[place];
        let estimated_end = (row.start.saturating_add(row.estimate), place);
        match change {
            Change::Submission => {
                // who waited for others may come to stand before the head, whose promise ends there
                if let Some(&head) = self.waiting.first().filter(|&&head| place < head) {
                    self.promised[head] = None;
                }
                self.waiting.insert(place);
            }
            Change::Withdrawal => {
                self.waiting.remove(&place);
            }
            Change::Start => {
                self.waiting.remove(&place);
                self.running.insert(estimated_end);
                self.free -= i64::from(row.procs);
            }
            Change::End => {
                self.running.remove(&estimated_end);
                self.free += i64::from(row.procs);
            }
        }
    }

    /// The instant is over: the head must be blocked, and is promised its shadow time.
    fn look(&mut self, now: SimTime) {
        let Some(&head) = self.waiting.first() else { return };
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

    fn keep_promises(&mut self) {
        for (row, promised) in self.rows.iter().zip(&self.promised) {
            if let Some(promised) = promised.filter(|&promised| row.start > promised) {
                let what =
                    format!("it was promised a start at {promised} when it came to the head of the queue");
                self.violations.push(Violation { job: row.number, at: row.start, what });
            }
        }
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
    fn a_head_that_waits_for_nothing_is_found() {
        let violations = head_promise(&[row(1, 0, 5, 1, (0, 0))], 10);
        assert_eq!((violations.len(), violations[0].job, violations[0].at), (1, 1, SimTime::ZERO));
    }
}
