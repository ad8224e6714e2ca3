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
    use super::super::pools::tests::{asking, both_reserved};
    use super::super::row;
    use super::*;

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
