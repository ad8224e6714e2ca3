//! Limits on run times: a job that reaches the time requested, and a grace, is killed there.

use crate::collections::OrderedMap;
use crate::kernel::SimDuration;

use super::{Facts, Interruptions, Row, Violation, violation_of};

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
    let broken = rows.iter().filter_map(|row| of_run(row, row.estimate.saturating_add(grace), counted));
    broken.collect()
}

/// The same of all runs, where a job that was interrupted has its full limit again, or what its
/// earlier runs have left of it.
pub(super) fn limit_of_runs(
    rows: &[Row],
    facts: &Facts<'_>,
    known: &Interruptions,
    counted: LimitBasis,
) -> Vec<Violation> {
    if known.attempts.is_empty() {
        return limit(rows, facts.grace.unwrap_or_default(), counted);
    }
    let mut violations = Vec::new();
    let earlier = known.earlier();
    let before = |row: &Row| earlier.get(&(row.number, row.submit_time)).copied().unwrap_or_default();
    let limited = |row: &Row, held| facts.limit(row.estimate, held);
    for row in rows {
        let may = limited(row, before(row).held);
        // of a job with a walltime of its own it is not known how much work was left
        let wrong = may.filter(|_| !row.own_limit).and_then(|may| of_run(row, may, counted));
        violations.extend(wrong);
    }
    let estimates: OrderedMap<_, _> = rows.iter().map(|row| ((row.number, row.submit_time), row)).collect();
    let mut held = OrderedMap::new();
    for one in &known.attempts {
        let key = (one.number, one.submit_time);
        let Some(row) = estimates.get(&key) else { continue };
        let so_far = held.entry(key).or_insert(SimDuration::ZERO);
        let estimate = one.sized.map_or(row.estimate, |sized| sized.estimate);
        let (ran, may) = (one.end.since(one.start), facts.limit(estimate, *so_far));
        *so_far = so_far.saturating_add(ran);
        // in slices it may have its processors for longer
        if let Some(may) = may.filter(|&may| ran > may && counted == LimitBasis::Held) {
            let what = format!("it runs for {ran}, though it may run for {may}");
            violations.push(Violation { job: one.number, at: one.end, what });
        }
    }
    violations
}

/// Mistake of a run that may last for `limit`; a walltime of its own has no grace.
fn of_run(row: &Row, limit: SimDuration, counted: LimitBasis) -> Option<Violation> {
    let (limit, held) = (if row.own_limit { row.estimate } else { limit }, row.end.since(row.start));
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
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::kernel::SimTime;

    use super::super::{Attempt, row};
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

    #[test]
    fn a_second_run_has_the_full_limit_or_what_is_left_of_it() {
        let nanos = SimDuration::from_nanos;
        let at = SimTime::from_nanos;
        let attempt = |end| Attempt {
            number: 1,
            submit_time: at(0),
            start: at(0),
            end: at(end),
            on: vec![Interval::new(0, 0)],
            kept: SimDuration::ZERO,
            gpus: Vec::new(),
            sized: None,
        };
        let count = |first, second, limit_of_job| {
            let facts = Facts { grace: Some(nanos(2)), limit_of_job, ..Facts::of_space_sharing(4) };
            let known = Interruptions { attempts: vec![attempt(first)], ..Interruptions::default() };
            let row = Row { estimate: nanos(10), killed: true, ..row(1, 0, 50, second, (0, 0)) };
            limit_of_runs(&[row], &facts, &known, LimitBasis::Held).len()
        };
        assert_eq!([count(7, 12, false), count(7, 5, false), count(13, 12, false)], [0, 1, 1]);
        assert_eq!([count(7, 5, true), count(7, 12, true), count(12, 0, true)], [0, 1, 0]);
    }
}
