//! First come, first served: nothing overtakes.

use crate::kernel::SimTime;

use super::{Row, Violation};

/// No job starts before one that stands before it; rows stand in order of submission.
pub fn in_order(rows: &[Row]) -> Vec<Violation> {
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
}
