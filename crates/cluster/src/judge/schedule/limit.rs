//! Limits on run times: a job that reaches the time requested, and a grace, is killed there.

use crate::kernel::SimDuration;

use super::{Row, Violation, violation_of};

/// The time that a limit is counted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitBasis {
    /// The time that a job has its processors.
    Held,
    /// The time that a job runs, which may be less: it has its processors in slices.
    Served,
}

/// Each job runs for its estimate and `grace` at the most, and one that was killed for exactly that
/// time; one that is killed at a walltime of its own has no grace. Where that is counted in slices,
/// a schedule shows only that a job that was killed had its processors for so long at least.
pub fn limit(rows: &[Row], grace: SimDuration, counted: LimitBasis) -> Vec<Violation> {
    let broken = rows.iter().filter_map(|row| {
        let grace = if row.own_limit { SimDuration::ZERO } else { grace };
        let (limit, held) = (row.estimate.saturating_add(grace), row.end.since(row.start));
        let what = match (row.killed, counted) {
            (true, LimitBasis::Held) if held != limit => {
                format!("it is killed after {held}, though it may run for {limit}")
            }
            (true, LimitBasis::Served) if held < limit => {
                format!("it is killed after {held} at the most, though it may run for {limit}")
            }
            (false, LimitBasis::Held) if held > limit => {
                format!("it runs for {held}, though it may run for {limit}")
            }
            _ => return None,
        };
        Some(violation_of(row, row.end, what))
    });
    broken.collect()
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;

    #[test]
    fn a_job_killed_too_soon_or_too_late_or_not_at_all_is_found() {
        let nanos = SimDuration::from_nanos;
        let of = |run, killed| Row { estimate: nanos(10), killed, ..row(1, 0, 0, run, (0, 0)) };
        let count = |run, killed, counted| limit(&[of(run, killed)], nanos(2), counted).len();
        let held = [(11, true), (12, true), (13, true), (11, false), (12, false), (13, false)];
        assert_eq!(held.map(|(run, killed)| count(run, killed, LimitBasis::Held)), [1, 0, 1, 0, 0, 1]);
        assert_eq!(held.map(|(run, killed)| count(run, killed, LimitBasis::Served)), [1, 0, 0, 0, 0, 0]);
        let message = limit(&[of(13, true)], nanos(2), LimitBasis::Held)[0].to_string();
        assert_eq!(
            message,
            "job 1 at 0.000000013 s: it is killed after 0.000000013 s, though it may run for 0.000000012 s"
        );
    }
}
