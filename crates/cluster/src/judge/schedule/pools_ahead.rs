//! Reservations that hold some of pools and are known ahead: no job that starts delays one.

use super::changes::{Change, holds};
use super::pool_lines::PoolLines;
use super::{PoolSupply, Row, Violation, violation_of};

/// No job starts that by the estimates delays a reservation which is known and holds some of a
/// pool; rows are all runs of jobs outside reservations, each with the estimate of its job.
///
/// # Complexity
/// n log n, and for each start a look at its span.
pub(super) fn respects_reserved_amounts(rows: &[Row], supply: &PoolSupply) -> Vec<Violation> {
    let mut violations = Vec::new();
    if supply.reserved.is_empty() {
        return violations;
    }
    let mut lines = PoolLines::new(Some(supply));
    for (now, starts, place) in holds(rows) {
        let row = &rows[place];
        lines.advance(now);
        if !starts {
            lines.job(now, Change::End, row);
            continue;
        }
        if !lines.leaves_reserved(row) {
            let what = "it starts, though by the estimates it delays a reservation that holds some of a pool";
            violations.push(violation_of(row, now, what.to_owned()));
        }
        lines.job(now, Change::Start, row);
    }
    violations
}

#[cfg(test)]
mod tests {
    use crate::collections::OrderedMap;
    use crate::kernel::SimTime;

    use super::super::pools::tests::{asking, supply};
    use super::super::{RequestedReservation, Reservations, asks_beyond, in_pools, row, six_of_eight};
    use super::*;

    /// Two of two licences are reserved from 50 to 90, known from 20 on; job 5 is to run inside.
    fn both_reserved() -> (Reservations, PoolSupply) {
        let at = SimTime::from_nanos;
        let what = RequestedReservation { known: at(20), ..six_of_eight().requested[0] };
        let known = Reservations {
            requested: vec![what],
            amounts: OrderedMap::from([(what.which.0, vec![("matlab".to_owned(), 2)])]),
            inside: OrderedMap::from([((5, at(0)), what.which.0)]),
            ..Reservations::default()
        };
        let all = supply().reserving(&known.requested, &known.amounts);
        (known, all)
    }

    #[test]
    fn amounts_that_reservations_hold_are_no_other_jobs() {
        let (at, (known, all)) = (SimTime::from_nanos, both_reserved());
        let what = known.requested[0];
        let job = |number, start, run, list| asking(row(number, 0, start, run, (0, 0)), list);
        let held = |rows: &[Row]| in_pools(rows, &all, |row| known.of(row)).len();
        assert_eq!(
            [held(&[job(5, 60, 9, 0)]), held(&[job(1, 40, 30, 0)]), held(&[job(1, 90, 9, 0)])],
            [0; 3]
        );
        assert_eq!([held(&[job(1, 60, 9, 1)]), held(&[job(5, 60, 9, 1)])], [1, 1], "abaqus is not its");
        let twice = [job(5, 60, 9, 0), Row { submit_time: at(1), ..job(5, 60, 9, 0) }];
        let known = Reservations {
            inside: OrderedMap::from([((5, at(0)), what.which.0), ((5, at(1)), what.which.0)]),
            ..known
        };
        assert_eq!(in_pools(&twice, &all, |row| known.of(row)).len(), 1);
        assert!(asks_beyond("matlab:3", &known.amounts[&what.which.0]) && asks_beyond("a", &[]));
        assert!(!asks_beyond("matlab:2,abaqus:0", &known.amounts[&what.which.0]));
    }

    #[test]
    fn a_job_that_holds_what_a_reservation_will_need_is_found() {
        let (_, all) = both_reserved();
        let found =
            |start, run| respects_reserved_amounts(&[asking(row(1, 0, start, run, (0, 0)), 1)], &all).len();
        // it is not known before 20
        assert_eq!([found(10, 99), found(30, 20), found(90, 9)], [0; 3]);
        assert_eq!([found(30, 21), found(49, 2)], [1, 1]);
    }
}
