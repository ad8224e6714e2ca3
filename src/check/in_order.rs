//! First come, first served: nothing overtakes.

use std::collections::BTreeSet;

use crate::kernel::SimTime;

use super::changes::{Change, changes};
use super::{Row, Violation};

/// No job starts before one that stands before it; rows stand in order of submission.
pub fn in_order(rows: &[Row]) -> Vec<Violation> {
    if rows.iter().any(|row| row.considered > row.submit_time || row.on.is_empty()) {
        return among_considered(rows);
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

/// The same where jobs wait for others or are cancelled: no job starts before one that stands before it and is considered. Who comes to be considered
/// at an instant may do so after others have started at it.
fn among_considered(rows: &[Row]) -> Vec<Violation> {
    let mut waiting: BTreeSet<usize> = BTreeSet::new();
    let mut violations = Vec::new();
    for instant in changes(rows).chunk_by(|one, other| one.0 == other.0) {
        let now = instant[0].0;
        let submitted = |late: bool| {
            let late = move |place: usize| (rows[place].considered > rows[place].submit_time) == late;
            instant.iter().filter(move |&&(_, change, place)| change == Change::Submission && late(place))
        };
        waiting.extend(submitted(false).map(|&(_, _, place)| place));
        for &(_, _, place) in
            instant.iter().filter(|change| matches!(change.1, Change::Start | Change::Withdrawal))
        {
            waiting.remove(&place);
        }
        for &(_, _, place) in instant.iter().filter(|change| change.1 == Change::Start) {
            if let Some(&first) = waiting.first().filter(|&&first| first < place) {
                let what = format!(
                    "it starts before a job submitted earlier, which starts at {}",
                    rows[first].start
                );
                violations.push(Violation { job: rows[place].number, at: now, what });
            }
        }
        let late = submitted(true).map(|&(_, _, place)| place);
        waiting.extend(late.filter(|&place| rows[place].start > now));
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
    fn a_job_that_waits_for_others_may_be_overtaken_until_it_is_considered() {
        let from = |considered, row| Row { considered: SimTime::from_nanos(considered), ..row };
        let first = |considered, start| from(considered, row(1, 0, start, 9, (0, 0)));
        let rows = |considered, start| [first(considered, start), row(2, 1, 5, 9, (1, 1))];
        assert_eq!(in_order(&rows(5, 9)), []);
        assert_eq!(in_order(&rows(4, 5)), []);
        assert_eq!(in_order(&rows(4, 9)).len(), 1);
    }
}
