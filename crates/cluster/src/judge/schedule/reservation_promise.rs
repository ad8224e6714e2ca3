//! Conservative backfilling's promise to every job.
//!
//! Each job, when it is submitted, gets a reservation: the earliest one that leaves alone those of
//! all jobs before it, by the estimates of the jobs running then. It starts not later (A. W.
//! Mu'alem, D. G. Feitelson, IEEE TPDS 12(6), 2001, section 2). The check keeps a book of its own:
//! it replays the schedule as it was, gives every job its reservation when it comes, in order of
//! submission, lets all move forward in that order when a job ends early, and compares each start
//! with the first reservation. That holds only if no job outlasts its estimate; a schedule with
//! such a job is not checked.

use crate::collections::StableSort as _;
use crate::kernel::{SimDuration, SimTime};

use super::changes::{Change, changes, instants};
use super::{Row, Violation, violation_of};

/// Checks every job's first reservation; rows stand in order of submission and are all jobs of the
/// run.
///
/// # Complexity
/// One pass over the waiting and running jobs for each submission, and one for each waiting job
/// where a job ends early.
pub fn reservation_promise(rows: &[Row], procs: u32) -> Vec<Violation> {
    if rows.iter().any(|row| row.run_time > row.estimate) {
        return Vec::new();
    }
    let mut book = Book { rows, procs: i64::from(procs), promised: vec![None; rows.len()], held: Vec::new() };
    let mut violations = Vec::new();
    for (now, instant) in instants(&changes(rows)) {
        let early = |&&(_, change, place): &&(SimTime, Change, usize)| {
            change == Change::End && rows[place].start.saturating_add(rows[place].estimate) > now
        };
        let gone = |place: usize| {
            instant.iter().any(|&(_, change, other)| change == Change::Cancellation && other == place)
        };
        let moves = instant.iter().any(|change| early(&change) || change.1 == Change::Cancellation);
        book.held.retain(|span| !(gone(span.place) || span.runs && rows[span.place].end == now));
        if moves {
            book.move_all(now);
        }
        for &(_, _, place) in instant.iter().filter(|change| change.1 == Change::Submission) {
            let first = book.earliest(place, now);
            book.promised[place] = Some(first);
            book.held.push(Span { place, start: first, runs: false });
        }
        for &(_, _, place) in instant.iter().filter(|change| change.1 == Change::Start) {
            for span in book.held.iter_mut().filter(|span| span.place == place) {
                *span = Span { place, start: now, runs: true };
            }
            if let Some(first) = book.promised[place].filter(|&first| now > first) {
                let what = format!("it was promised a start at {first} when it was submitted");
                violations.push(violation_of(&rows[place], now, what));
            }
        }
    }
    violations
}

/// Processors that a job holds by its estimate, or is promised.
#[derive(Clone, Copy)]
struct Span {
    place: usize,
    start: SimTime,
    runs: bool,
}

struct Book<'a> {
    rows: &'a [Row],
    procs: i64,
    promised: Vec<Option<SimTime>>,
    held: Vec<Span>,
}

impl Book<'_> {
    fn end(&self, span: &Span) -> SimTime {
        span.start.saturating_add(self.rows[span.place].estimate)
    }

    /// The earliest instant from `now` on at which a job fits with all others for its whole
    /// estimate.
    fn earliest(&self, place: usize, now: SimTime) -> SimTime {
        let row = &self.rows[place];
        // (instant, processors that become free then), of all others
        let mut changes: Vec<(SimTime, i64)> = Vec::new();
        let mut free = self.procs - i64::from(row.procs);
        for span in self.held.iter().filter(|span| span.place != place && self.end(span) > now) {
            let procs = i64::from(self.rows[span.place].procs);
            if span.start <= now {
                free -= procs;
            } else {
                changes.push((span.start, -procs));
            }
            changes.push((self.end(span), procs));
        }
        changes.stable_sort_by_key(|&(at, _)| at);
        let mut found = (free >= 0).then_some(now);
        for instant in changes.chunk_by(|one, other| one.0 == other.0) {
            let at = instant[0].0;
            if found
                .is_some_and(|start| start.saturating_add(row.estimate.max(SimDuration::from_nanos(1))) <= at)
            {
                break;
            }
            free += instant.iter().map(|change| change.1).sum::<i64>();
            found = if free >= 0 { found.or(Some(at)) } else { None };
        }
        found.unwrap_or(SimTime::MAX)
    }

    /// Lets every waiting job in order take the earliest reservation.
    fn move_all(&mut self, now: SimTime) {
        let mut waiting: Vec<usize> = (0..self.held.len()).filter(|&index| !self.held[index].runs).collect();
        waiting.stable_sort_by_key(|&index| self.held[index].place);
        for index in waiting {
            let start = self.earliest(self.held[index].place, now);
            self.held[index].start = start.min(self.held[index].start);
        }
    }
}

#[cfg(test)]
mod tests {
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
