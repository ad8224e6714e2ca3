//! No job is lost and none made up: the jobs of a schedule are those of the workload.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::workload::Job;

use super::on_nodes::could_take;
use super::row::Key;
use super::{Facts, Interruptions, LimitCounts, Row, ScheduledJobs, Violation, violation_of};

/// Every job of the workload is there once, as it was submitted, and only jobs that need more
/// processors than there are, or nodes as there are none, were refused. Jobs were killed if, and
/// only if, they would run longer than they may, by the site or by a walltime of their own. Where
/// jobs are rigid, rows of the schedule take over how long their jobs had to run, unless they were
/// killed; `known` has the earlier runs of jobs that were interrupted.
pub fn complete(
    schedule: &mut ScheduledJobs,
    jobs: &[Job],
    facts: &Facts<'_>,
    known: &Interruptions,
) -> Vec<Violation> {
    let mut violations = Vec::new();
    let earlier = known.earlier();
    // two jobs of one number, instant and size are distinguished by how long they run, as far as
    // possible
    let mut expected: OrderedMap<Key, Vec<(JobId, &Job)>> = OrderedMap::new();
    for (id, job) in (0..).map(JobId).zip(jobs) {
        expected.entry((job.number, job.submit_time, job.procs)).or_default().push((id, job));
    }
    let broken = |row: &Row, what: String| violation_of(row, row.submit_time, what);
    let no_such_job = "the workload has no such job with this size and submission";
    for row in &mut schedule.ran {
        let of_key = expected.entry(row.key()).or_default();
        let fits = |job: &Job| {
            if row.killed || row.cancelled {
                job.run_time > row.run_time || job.killed && job.run_time == row.run_time
            } else {
                job.run_time == row.run_time
            }
        };
        let same = |(_, job): &(JobId, &Job)| fits(job) && job.estimate == row.estimate;
        let place = of_key.iter().position(same);
        let Some(place) = place.or(of_key.len().checked_sub(1)) else {
            violations.push(broken(row, no_such_job.to_owned()));
            continue;
        };
        let (id, job) = of_key.remove(place);
        row.job = Some(id);
        let whole = !(row.killed || row.cancelled || row.lost);
        let in_slices = facts.in_slices();
        // in slices it can only take longer
        let before = earlier.get(&(row.number, row.submit_time)).copied().unwrap_or_default();
        if in_slices && whole && row.run_time < job.run_time.saturating_sub(before.kept) {
            let what = format!("it ran for {} and not for {}", row.run_time, job.run_time);
            violations.push(broken(row, what));
        }
        (row.demand, row.own_limit, row.work) = (job.demand, job.killed, Some(job.run_time));
        row.queue = facts.own_nodes.and_then(|own| own.queue_of(job));
        let lasts = known.lasts(job.run_time.saturating_sub(before.kept));
        let may = facts.limit(job.estimate, before.held);
        let closes = facts.reserved.is_some_and(|known| known.closes_on(row));
        let dies =
            job.killed || may.is_some_and(|may| lasts > may) || closes && lasts > row.end.since(row.start);
        let dies = dies || known.acts.ended(row);
        // what earlier runs in slices have left of a limit of all of them is not in the schedule
        let is_known = !(in_slices && facts.limit_of_job && !before.held.is_zero());
        if dies != row.killed && is_known && !row.cancelled && !row.lost {
            let what = if dies { "it was not killed at its limit" } else { "it was killed without need" };
            violations.push(broken(row, what.to_owned()));
        }
        if !facts.rigid {
            continue;
        }
        if job.estimate != row.estimate {
            violations
                .push(broken(row, format!("its estimate is {} and not {}", job.estimate, row.estimate)));
        }
        if !row.killed && !row.cancelled {
            row.run_time = job.run_time;
        }
    }
    for row in &mut schedule.cancelled {
        let of_key = expected.entry(row.key()).or_default();
        match of_key.pop() {
            Some((id, job)) => {
                row.job = Some(id);
                (row.demand, row.work) = (job.demand, Some(job.run_time));
                row.queue = facts.own_nodes.and_then(|own| own.queue_of(job));
            }
            None => violations.push(broken(row, no_such_job.to_owned())),
        }
    }
    let mut counts = LimitCounts::new(facts.limits, facts.resources);
    for row in &mut schedule.refused {
        let of_key = expected.entry(row.key()).or_default();
        let Some((id, job)) = of_key.pop() else {
            violations.push(broken(row, no_such_job.to_owned()));
            continue;
        };
        row.job = Some(id);
        row.queue = facts.own_nodes.and_then(|own| own.queue_of(job));
        row.demand = job.demand;
        let row = &*row;
        let finds_nodes =
            facts.resources.is_none_or(|all| could_take(all, all.demands.of(job.demand), job.procs));
        // a reservation may be too short for it, or be over before it fits
        let fits = facts.reserved.is_none_or(|known| known.of(row).is_none());
        // what limits of queues can never let run is refused too
        let forbidden =
            facts.limits.and_then(|queues| queues.forbids(job, row, |row| counts.needed(row))).is_some();
        let rejected = known.acts.rejected((row.number, row.submit_time)).is_some();
        let finds_pools = facts.pools.is_none_or(|pools| pools.could_take(row));
        let finds = finds_nodes && finds_pools && fits;
        if row.procs <= facts.procs && finds && !forbidden && !rejected {
            violations
                .push(broken(row, format!("it was refused, though it fits in {} processors", facts.procs)));
        }
    }
    violations.extend(expected.values().flatten().map(|(_, job)| Violation {
        job: job.number,
        at: job.submit_time,
        what: "it was submitted and is not in the schedule".to_owned(),
    }));
    violations
}

#[cfg(test)]
mod tests {
    use crate::kernel::{SimDuration, SimTime};

    use super::super::row;
    use super::*;

    fn facts(procs: u32) -> Facts<'static> {
        Facts::of_space_sharing(procs)
    }

    #[test]
    fn jobs_that_are_lost_made_up_or_refused_without_need_are_found() {
        let at = SimTime::from_nanos;
        let job = |number, submit, procs| Job::new(number, at(submit), procs, SimDuration::from_nanos(9));
        let jobs = [job(1, 0, 2), job(2, 0, 1), job(3, 5, 9), job(4, 6, 1)];
        let good = ScheduledJobs {
            ran: vec![row(1, 0, 0, 9, (0, 1)), row(2, 0, 3, 9, (2, 2)), row(4, 6, 6, 9, (3, 3))],
            refused: vec![row(3, 5, 5, 0, (0, 8))],
            ..ScheduledJobs::default()
        };
        assert_eq!(complete(&mut good.clone(), &jobs, &facts(8), &Interruptions::default()), []);
        assert_eq!(complete(&mut good.clone(), &jobs, &facts(9), &Interruptions::default()).len(), 1);
        let mut lost = good.clone();
        lost.ran.pop();
        assert_eq!(
            complete(&mut lost, &jobs, &facts(8), &Interruptions::default())[0].what,
            "it was submitted and is not in the schedule"
        );
        let mut made_up = good.clone();
        made_up.ran.push(row(4, 6, 8, 9, (3, 3)));
        assert_eq!(complete(&mut made_up, &jobs, &facts(8), &Interruptions::default()).len(), 1);
        let mut short = good;
        short.ran[0] = row(1, 0, 0, 7, (0, 1));
        // the estimate of the made row is its run time
        assert_eq!(complete(&mut short, &jobs, &facts(8), &Interruptions::default()).len(), 1);
        assert_eq!(short.ran[0].run_time, SimDuration::from_nanos(9));
    }
}
