//! Nothing overtakes: who stands before another in the queue starts before it, or with it.

use std::collections::BTreeSet;

use crate::kernel::SimTime;

use super::changes::{Change, changes};
use super::{Order, Row, Violation};

/// No job starts before one that stands before it in this order; rows stand in order of submission.
pub fn in_the_order(rows: &[Row], order: Order) -> Vec<Violation> {
    if order == Order::Submission { in_order(rows) } else { among_considered(rows, order) }
}

/// No job starts before one that was submitted before it; rows stand in order of submission.
pub fn in_order(rows: &[Row]) -> Vec<Violation> {
    if rows.iter().any(|row| row.considered > row.submit_time || row.on.is_empty()) {
        return among_considered(rows, Order::Submission);
    }
    let mut latest = SimTime::ZERO;
    let mut violations = Vec::new();
    for row in rows {
        if row.start < latest {
            let what = format!("it starts before a job submitted earlier, which starts at {latest}");
            violations.push(Violation { job: row.number, at: row.start, what });
        }
        latest = latest.max(row.start);
    }
    violations
}

/// The same where jobs wait for others or are cancelled, or another order holds: no job starts before one that stands before it and is considered. Who comes to be considered
/// at an instant may do so after others have started at it.
fn among_considered(rows: &[Row], order: Order) -> Vec<Violation> {
    let stand = |place: usize| order.stand(&rows[place], place);
    let mut waiting: BTreeSet<(u64, usize)> = BTreeSet::new();
    let mut violations = Vec::new();
    for instant in changes(rows).chunk_by(|one, other| one.0 == other.0) {
        let now = instant[0].0;
        let submitted = |late: bool| {
            let late = move |place: usize| (rows[place].considered > rows[place].submit_time) == late;
            instant.iter().filter(move |&&(_, change, place)| change == Change::Submission && late(place))
        };
        waiting.extend(submitted(false).map(|&(_, _, place)| stand(place)));
        for &(_, _, place) in
            instant.iter().filter(|change| matches!(change.1, Change::Start | Change::Withdrawal))
        {
            waiting.remove(&stand(place));
        }
        for &(_, _, place) in instant.iter().filter(|change| change.1 == Change::Start) {
            if let Some(&(_, first)) = waiting.first().filter(|&&first| first < stand(place)) {
                let (number, start) = (rows[first].number, rows[first].start);
                let what = match order {
                    Order::Submission => {
                        format!("it starts before a job submitted earlier, which starts at {start}")
                    }
                    _ => {
                        format!("it starts before job {number}, which stands before it and starts at {start}")
                    }
                };
                violations.push(Violation { job: rows[place].number, at: now, what });
            }
        }
        let late = submitted(true).map(|&(_, _, place)| place);
        waiting.extend(late.filter(|&place| rows[place].start > now).map(stand));
    }
    violations
}

#[cfg(test)]
mod tests {
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
