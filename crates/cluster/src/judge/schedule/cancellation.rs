//! Jobs that their users cancel: each in its time, and no other job.
//!
//! A job is cancelled so long after its submission, if it waits then. One that its log has
//! cancelled anyhow ends then if it runs. At that very instant what ends has ended, and no job
//! starts any more. Jobs of equal number, submission and size are not judged.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::workload::Job;
use crate::workload::cancellation::{Cancel, Cancellations};

use super::row::Key;
use super::{Attempt, Interruptions, LimitBasis, Row, ScheduledJobs, Violation, violation_of};

/// Judges every job of a schedule; `jobs` are those of the workload, with the ids that it gives
/// them. Where run times are counted in slices, a schedule does not show whether one was over.
///
/// # Complexity
/// n log n in the jobs.
pub fn cancellation(
    schedule: &ScheduledJobs,
    jobs: &[(JobId, Job)],
    all: &Cancellations,
    counted: LimitBasis,
    interrupted: &Interruptions,
) -> Vec<Violation> {
    let earlier = interrupted.earlier();
    let mut attempts: OrderedMap<(u64, SimTime), Vec<&Attempt>> = OrderedMap::new();
    for one in &interrupted.attempts {
        attempts.entry((one.number, one.submit_time)).or_default().push(one);
    }
    let mut known: OrderedMap<Key, Vec<&(JobId, Job)>> = OrderedMap::new();
    for one in jobs {
        known.entry((one.1.number, one.1.submit_time, one.1.procs)).or_default().push(one);
    }
    let mut violations = Vec::new();
    for row in schedule.ran.iter().chain(&schedule.cancelled) {
        let Some(&[(id, job)]) = known.get(&row.key()).map(Vec::as_slice) else { continue };
        let key = (row.number, row.submit_time);
        let before = earlier.get(&key).copied().unwrap_or_default();
        let lasts = interrupted.lasts(job.run_time.saturating_sub(before.kept));
        let over = counted == LimitBasis::Held && row.end.since(row.start) >= lasts;
        let own = attempts.get(&key).map_or(&[][..], Vec::as_slice);
        if let Some(what) = wrong(row, over, all.of(*id), own) {
            violations.push(violation_of(row, row.end, what));
        }
    }
    violations
}

/// Mistakes of a job that is to be cancelled so, or not at all; `over` if it has had its run time.
fn wrong(row: &Row, over: bool, cancel: Option<Cancel>, earlier: &[&Attempt]) -> Option<String> {
    let Some(cancel) = cancel else {
        return row.cancelled.then(|| "it is cancelled without a request".to_owned());
    };
    let at = row.submit_time.saturating_add(cancel.after());
    let runs = matches!(cancel, Cancel::Anyhow(_));
    let cut = earlier.iter().find(|one| one.start >= at || runs && one.end > at);
    if let Some(one) = cut {
        return Some(format!(
            "its run from {} is none that it can have, as it is cancelled at {at}",
            one.start
        ));
    }
    if row.on.is_empty() {
        // one that ran then, and gives up only while it waits, gives up when it waits again
        let ran = earlier.iter().find(|one| one.start < at && one.end > at);
        let at = ran.map_or(at, |one| one.end);
        return (row.end != at).then(|| format!("it is cancelled, though that is to be at {at}"));
    }
    if row.start >= at {
        return Some(format!("it starts, though it is cancelled at {at}"));
    }
    if runs && row.end > at {
        return Some(format!("it continues, though it is cancelled at {at}"));
    }
    if !row.cancelled {
        return None;
    }
    if !runs || row.end != at {
        return Some("it is cancelled while it runs, without a request for that".to_owned());
    }
    over.then(|| "it is cancelled, though it had ended".to_owned())
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimDuration;

    use super::super::row;
    use super::*;

    #[test]
    fn a_job_cancelled_too_late_too_early_or_without_a_request_is_found() {
        let nanos = SimDuration::from_nanos;
        let jobs = [(1, 0), (2, 0), (3, 0)]
            .map(|(number, submit)| Job::new(number, SimTime::from_nanos(submit), 1, nanos(9)));
        let jobs: Vec<(JobId, Job)> = (0..).map(JobId).zip(jobs).collect();
        let all = Cancellations::new(vec![
            (JobId(0), Cancel::Waiting(nanos(5))),
            (JobId(1), Cancel::Anyhow(nanos(5))),
        ]);
        let found = |ran: Vec<Row>, cancelled: Vec<Row>| {
            let schedule = ScheduledJobs { ran, cancelled, ..ScheduledJobs::default() };
            cancellation(&schedule, &jobs, &all, LimitBasis::Held, &Interruptions::default()).len()
        };
        let ran = |number, start, end| row(number, 0, start, end - start, (0, 0));
        let cut = |number, start, end| Row { cancelled: true, ..ran(number, start, end) };
        let away = |number, end| Row { on: Vec::new(), ..cut(number, end, end) };
        assert_eq!(found(vec![ran(1, 4, 13), cut(2, 4, 5), ran(3, 0, 9)], Vec::new()), 0);
        assert_eq!(found(Vec::new(), vec![away(1, 5), away(2, 5)]), 0);
        assert_eq!(found(vec![ran(1, 5, 14), ran(2, 4, 13), cut(3, 0, 5)], Vec::new()), 3);
        assert_eq!(found(vec![cut(1, 4, 5), cut(2, 1, 4)], vec![away(3, 5)]), 3);
        assert_eq!(found(Vec::new(), vec![away(1, 4), away(2, 6)]), 2);
    }
}
