//! Jobs inside reservations of processors: each runs in its own reservation, on processors of that,
//! and is over when that is.

use std::borrow::Cow;

use crate::collections::IntervalSet;
use crate::kernel::SimTime;
use crate::workload::Job;

use super::{RequestedReservation, Reservations, Row, Violation, violation_of};

impl Reservations {
    /// The number of the reservation inside which a job is to run, if it is.
    pub(super) fn of(&self, row: &Row) -> Option<u32> {
        self.inside.get(&(row.number, row.submit_time)).copied()
    }

    /// Of these jobs, those that are to run inside no reservation.
    pub(super) fn outside<'a>(&self, rows: &'a [Row]) -> Cow<'a, [Row]> {
        if self.inside.is_empty() {
            return Cow::Borrowed(rows);
        }
        rows.iter().filter(|row| self.of(row).is_none()).cloned().collect()
    }

    /// Instant at which a job is refused that waits for a reservation of this number from `from`
    /// on: when a reservation is over, or at once, and none that is to come can take the job.
    pub fn refused_at(&self, number: u32, job: &Job, from: SimTime) -> SimTime {
        let can_be = |now: SimTime| {
            !self.beyond_share.contains(&job.number)
                && self.requested.iter().any(|one| {
                    let fits = one.which.0 == number && job.procs <= one.procs && one.to > now;
                    let asking = (job.demand, job.procs);
                    fits && self.nodes.as_ref().is_none_or(|nodes| nodes.could_take(number, asking))
                        && one.from.max(now).saturating_add(job.estimate) <= one.to
                })
        };
        let ends = self.requested.iter().map(|one| one.to).filter(|&to| to >= from && !can_be(to)).min();
        if can_be(from) { ends.unwrap_or(from) } else { from }
    }

    /// The reservation during which a job starts inside which it is to run.
    fn window(&self, row: &Row) -> Option<&RequestedReservation> {
        let number = self.of(row)?;
        self.requested.iter().find(|one| one.which.0 == number && one.from <= row.start && row.start < one.to)
    }

    /// Returns true if a job ends exactly when the reservation is over inside which it runs.
    pub(super) fn closes_on(&self, row: &Row) -> bool {
        self.window(row).is_some_and(|window| window.to == row.end)
    }
}

/// Each job that is to run inside a reservation starts while that takes place, if by its estimate
/// it is over before it, and is on processors that it has, until it is over at the latest.
///
/// # Complexity
/// A look at all reservations for each such job.
pub fn jobs_in_reservations(rows: &[Row], known: &Reservations) -> Vec<Violation> {
    let mut violations = Vec::new();
    for row in rows {
        let Some(number) = known.of(row) else { continue };
        let mut broken = |at, what| violations.push(violation_of(row, at, what));
        let Some(window) = known.window(row) else {
            let what = "inside which it is to run, does not take place";
            broken(row.start, format!("it starts while reservation {number}, {what}"));
            continue;
        };
        if row.start.saturating_add(row.estimate) > window.to {
            broken(row.start, format!("by its estimate it is not over before reservation {number} is"));
        }
        if row.end > window.to {
            broken(window.to, format!("it continues when reservation {number} is over"));
        }
        let mut had = IntervalSet::default();
        for piece in known.pieces.iter().filter(|one| one.which == window.which && one.from <= row.start) {
            had.insert(piece.on);
        }
        if let Some(on) = row.on.iter().find(|&&on| !had.remove(on)) {
            let what = format!("reservation {number}, inside which it is to run, has not all of {on}");
            broken(row.start, what);
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use crate::collections::{Interval, OrderedMap};
    use crate::kernel::SimDuration;

    use super::super::{Piece, row};
    use super::*;

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    #[test]
    fn a_job_that_leaves_its_reservation_is_found() {
        let which = (2, 1);
        let asked = RequestedReservation {
            which,
            from: at(50),
            to: at(90),
            known: at(0),
            procs: 4,
            interrupts: false,
            shrinks: false,
        };
        let piece =
            |first, last, from| Piece { which, on: Interval::new(first, last), from: at(from), to: at(90) };
        let known = Reservations {
            requested: vec![asked],
            pieces: vec![piece(4, 5, 50), piece(6, 7, 60)],
            inside: OrderedMap::from([((1, at(10)), 2)]),
            ..Reservations::default()
        };
        let found = |start, run, estimate, on| {
            let one = Row { estimate: SimDuration::from_nanos(estimate), ..row(1, 10, start, run, on) };
            (jobs_in_reservations(std::slice::from_ref(&one), &known).len(), known.closes_on(&one))
        };
        assert_eq!([found(50, 30, 40, (4, 5)), found(60, 30, 30, (4, 7))], [(0, false), (0, true)]);
        // too early, too late, too long, by its estimate too long, on processors that it has not,
        // or not yet
        assert_eq!(
            [found(49, 1, 1, (4, 4)).0, found(90, 1, 1, (4, 4)).0, found(80, 11, 10, (4, 4)).0],
            [1; 3]
        );
        assert_eq!(
            [found(80, 1, 11, (4, 4)).0, found(70, 1, 1, (3, 4)).0, found(59, 1, 1, (4, 6)).0],
            [1; 3]
        );
        let others = [row(1, 11, 0, 5, (0, 0)), row(1, 10, 50, 5, (4, 4))];
        assert_eq!(known.outside(&others).len(), 1);
        assert_eq!(jobs_in_reservations(&others, &known), []);
    }
}
