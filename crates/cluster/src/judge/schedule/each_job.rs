//! The promises to each job, whatever the others do.

use super::{Row, Violation, violation_of};

/// Each job starts after its submission, runs for its run time, and has its processors, all of the
/// machine.
pub fn each_job(rows: &[Row], procs: u32) -> Vec<Violation> {
    let mut violations = Vec::new();
    for row in rows {
        let mut broken = |what: String| violations.push(violation_of(row, row.start, what));
        if row.start < row.submit_time {
            broken(format!("it starts before its submission at {}", row.submit_time));
        }
        if row.end < row.start || row.end.since(row.start) != row.run_time {
            broken(format!("it ends at {}, though it runs for {}", row.end, row.run_time));
        }
        let held: u64 = row.held();
        if held != u64::from(row.procs) {
            broken(format!("it needs {} processors and has {held}", row.procs));
        }
        if let Some(beyond) = row.on.iter().find(|interval| interval.last >= procs) {
            broken(format!("it runs on processors {beyond}, but there are only {procs}"));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;

    #[test]
    fn a_job_that_is_wronged_is_found() {
        let good = row(1, 5, 5, 10, (0, 3));
        assert_eq!(each_job(std::slice::from_ref(&good), 4), []);
        let early = Row { submit_time: crate::kernel::SimTime::from_nanos(6), ..good.clone() };
        let short = Row { end: crate::kernel::SimTime::from_nanos(14), ..good.clone() };
        let cramped = Row { procs: 5, ..good.clone() };
        assert_eq!(each_job(&[early, short, cramped, good], 4).len(), 3);
        assert_eq!(each_job(&[row(1, 0, 0, 1, (2, 4))], 4).len(), 1);
    }
}
