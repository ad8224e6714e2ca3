//! `jobs.swf` against `jobs.csv`: the same jobs in order of submission, with their simulated waits.

use crate::check::Violation;
use crate::kernel::{SimDuration, SimTime};
use crate::units::seconds;
use crate::workload::{Job, UNKNOWN_ID};

use super::rows::Fate;
use super::run::JobRun;

/// Lines that are not those of the jobs: number, submission, wait, run time, processors, request,
/// status.
pub(super) fn same_jobs(run: &JobRun<'_>, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    let (head, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with(';'));
    let mut broken = |job, at, what| violations.push(Violation { job, at, what });
    let counts: [(&str, u64); 4] = [
        ("MaxJobs", run.jobs.len() as u64),
        ("MaxRecords", run.jobs.len() as u64),
        ("MaxProcs", run.facts.procs.into()),
        ("MaxNodes", run.facts.procs.into()),
    ];
    for (name, count) in counts {
        if !head.contains(&&*format!("; {name}: {count}")) {
            broken(Violation::NO_JOB, SimTime::ZERO, format!("{name} is not {count} in the header"));
        }
    }
    if lines.len() != run.jobs.len() {
        let what = format!("{} jobs were submitted, and {} are there", run.jobs.len(), lines.len());
        broken(Violation::NO_JOB, SimTime::ZERO, what);
    }
    for (place, ((line, job), outcome)) in lines.into_iter().zip(run.jobs).zip(&run.outcomes).enumerate() {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let outcome = outcome.as_ref();
        let start = outcome.and_then(|outcome| outcome.start);
        // one that had started and not ended when the run was stopped has no row
        let waits = outcome.is_some().then(|| start.map(|start| start.since(job.submit_time)));
        let held = start.zip(outcome).map(|(start, outcome)| outcome.end.since(start));
        let run_time = match outcome {
            // on the processors that it was given a job that ran once ran for its run time
            Some(outcome) if run.facts.molds => {
                let once = outcome.held.is_zero() && run.facts.checkpoint.is_none();
                held.filter(|_| outcome.fate == Fate::Completed && once)
            }
            Some(outcome) if run.facts.dedicates || outcome.start.is_some() => outcome.alone,
            _ => Some(run.facts.alone(job)).filter(|_| !run.facts.dedicates),
        };
        let request = match outcome {
            Some(outcome) if outcome.start.is_some() => Some(outcome.request),
            _ => Some(job.estimate).filter(|_| !run.facts.dedicates),
        };
        let status = match outcome.map(|outcome| outcome.fate) {
            Some(Fate::Killed | Fate::Lost) => 0,
            Some(Fate::Cancelled) => 5,
            _ => job.status,
        };
        let sizes = [(4, outcome.map_or(job.procs, |outcome| outcome.procs)), (7, job.procs)];
        let is_same = fields.len() == 18
            && fields[0].parse() == Ok(job.number)
            && is(fields[1], Some(job.submit_time.since(SimTime::ZERO)))
            && waits.is_none_or(|waits| is(fields[2], waits))
            && run_time.is_none_or(|run_time| is(fields[3], Some(run_time)))
            && sizes.iter().all(|(field, procs)| fields[*field].parse() == Ok(*procs))
            && request.is_none_or(|request| is(fields[8], Some(request)))
            && fields[10].parse() == Ok(status)
            && (11..16)
                .zip(marks(job, run.attributes.and_then(|all| all.of(place).executable)))
                .all(|(field, mark)| fields[field].parse() == Ok(mark))
            && [5, 6, 9, 16, 17].iter().all(|field| fields[*field] == "-1");
        if !is_same {
            broken(job.number, job.submit_time, "its line is not that of the job and of its wait".to_owned());
        }
    }
    violations
}

/// User, group, executable, queue and partition of a job, -1 of those that are not known.
fn marks(job: &Job, executable: Option<u32>) -> [i64; 5] {
    let id = |number: u32| if number == UNKNOWN_ID { -1 } else { i64::from(number) };
    let queue = |number: Option<u16>| number.map_or(-1, i64::from);
    [
        id(job.user),
        id(job.group),
        executable.map_or(-1, i64::from),
        queue(job.queue()),
        queue(job.partition()),
    ]
}

/// Returns true if a field is this time, or -1 of none.
fn is(field: &str, time: Option<SimDuration>) -> bool {
    match time {
        Some(time) => seconds(field) == Some(time.as_nanos()),
        None => field == "-1",
    }
}
