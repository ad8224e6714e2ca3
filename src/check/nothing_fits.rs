//! Of disciplines that start whatever fits: when an instant is over, no job that waits fits.
//!
//! Whether a job fits is a matter of free processors alone.

use std::collections::BTreeSet;

use super::changes::{Change, changes};
use super::{Row, Violation};

/// No job waits past an instant at whose end enough processors are free for it; rows are all jobs of the run.
///
/// # Complexity
/// n log n.
pub fn nothing_fits(rows: &[Row], procs: u32) -> Vec<Violation> {
    let mut free = i64::from(procs);
    let mut waiting: BTreeSet<(u32, usize)> = BTreeSet::new();
    let mut violations = Vec::new();
    for instant in changes(rows).chunk_by(|one, other| one.0 == other.0) {
        for &(_, change, place) in instant {
            let row = &rows[place];
            match change {
                Change::Submission => {
                    waiting.insert((row.procs, place));
                }
                Change::Withdrawal => {
                    waiting.remove(&(row.procs, place));
                }
                Change::Start => {
                    waiting.remove(&(row.procs, place));
                    free -= i64::from(row.procs);
                }
                Change::End => free += i64::from(row.procs),
            }
        }
        if let Some(&(need, place)) = waiting.first()
            && i64::from(need) <= free
        {
            let what = format!("it waits, though it needs {need} processors and {free} are free");
            violations.push(Violation { job: rows[place].number, at: instant[0].0, what });
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;

    #[test]
    fn a_job_that_could_have_started_is_found() {
        let rows = [row(1, 0, 0, 10, (0, 5)), row(2, 1, 10, 5, (0, 4)), row(3, 2, 2, 3, (6, 7))];
        assert_eq!(nothing_fits(&rows, 10), []);
        let late = [row(1, 0, 0, 10, (0, 5)), row(2, 1, 10, 5, (0, 4)), row(3, 2, 4, 3, (6, 7))];
        let found = nothing_fits(&late, 10);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].to_string(),
            "job 3 at 0.000000002 s: it waits, though it needs 2 processors and 4 are free"
        );
    }
}
