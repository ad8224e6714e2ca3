//! Nothing overtakes: a job that stands before another in the queue starts before it, or with it.

use crate::collections::OrderedSet;

use super::changes::{Change, State, changes, instants};
use super::{Order, Row, Stand, Violation, violation_of};

/// No job starts before one that was submitted before it; rows stand in order of submission.
pub fn in_order(rows: &[Row]) -> Vec<Violation> {
    in_the_order(rows, Order::Submission)
}

/// No job starts before one that stands before it in this order and is considered; rows stand in
/// order of submission. A job that comes to be considered at an instant may do so after others have
/// started at it. Where it is open which of two stands first, either may.
///
/// # Complexity
/// n log n.
pub fn in_the_order(rows: &[Row], order: Order<'_>) -> Vec<Violation> {
    in_the_order_by(rows, order, false)
}

/// The same where it may be decided after each event of an instant: then a job may start at it
/// before another comes that stands before it.
pub(super) fn in_the_order_by(rows: &[Row], order: Order<'_>, by_event: bool) -> Vec<Violation> {
    let mut state = State::new(rows, order);
    let mut violations = Vec::new();
    for (now, instant) in instants(&changes(rows)) {
        state.at(now);
        let late =
            |change: Change, index: usize| change.considers() && (by_event || now > rows[index].submit_time);
        for &(_, change, index) in instant {
            // one that starts now has its place as of now
            if !late(change, index) || rows[index].start == now {
                state.take(change, index);
            }
        }
        for &(_, _, index) in instant.iter().filter(|change| change.1 == Change::Start) {
            let before = |first: &&Stand| **first < state.stand(index) && state.is_clear(first.row, index);
            if let Some(&Stand { row: first, .. }) = state.waiting.first().filter(before) {
                let (number, start) = (rows[first].number, rows[first].start);
                let what = match order {
                    Order::Submission => {
                        format!("it starts before a job submitted earlier, which starts at {start}")
                    }
                    _ => {
                        format!("it starts before job {number}, which stands before it and starts at {start}")
                    }
                };
                violations.push(violation_of(&rows[index], now, what));
            }
        }
        let by_starts = instant.iter().filter(|change| change.1 == Change::HeldByStart);
        let held: OrderedSet<usize> = by_starts.map(|change| change.2).collect();
        for &(_, change, index) in instant.iter().filter(|&&(_, change, index)| late(change, index)) {
            if rows[index].start > now && !held.contains(&index) {
                state.take(change, index);
            }
        }
        state.decide();
    }
    violations
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimTime;

    use super::super::row;
    use super::*;

    #[test]
    fn overtaking_is_found() {
        let rows = [row(1, 0, 0, 9, (0, 0)), row(2, 1, 9, 9, (0, 0)), row(3, 2, 8, 1, (1, 1))];
        assert_eq!(in_order(&rows[..2]), []);
        assert_eq!(in_order(&rows).len(), 1);
    }

    #[test]
    fn overtaking_in_an_order_of_size_or_time_is_found() {
        // on one processor each, submitted in this order while another runs: 5 then 3 then 4 long
        let rows = |starts: [u64; 3]| {
            let [first, second, third] = starts;
            [row(1, 1, first, 5, (0, 0)), row(2, 2, second, 3, (0, 1)), row(3, 3, third, 4, (0, 2))]
        };
        let found = |starts, order| in_the_order(&rows(starts), order).len();
        assert_eq!([found([17, 10, 13], Order::Estimate), found([10, 15, 18], Order::Estimate)], [0, 1]);
        assert_eq!([found([10, 15, 18], Order::Fewest), found([17, 10, 13], Order::Fewest)], [0, 2]);
        assert_eq!([found([17, 14, 10], Order::Most), found([10, 15, 18], Order::Most)], [0, 2]);
        assert_eq!([found([10, 15, 18], Order::Submission), found([17, 10, 13], Order::Submission)], [0, 2]);
    }

    #[test]
    fn a_job_that_waits_for_others_may_be_overtaken_until_it_is_considered() {
        let from = |considered, row| Row { considered: SimTime::from_nanos(considered), ..row };
        let first = |considered, start| from(considered, row(1, 0, start, 9, (0, 0)));
        let rows = |considered, start| [first(considered, start), row(2, 1, 5, 9, (1, 1))];
        assert_eq!(in_order(&rows(5, 9)), []);
        assert_eq!(in_order(&rows(4, 5)), []);
        assert_eq!(in_order(&rows(4, 9)).len(), 1);
    }
}
