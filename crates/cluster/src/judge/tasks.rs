//! `executions.csv` and `profile.csv` of detail `task`: times of processors add up, jobs are those
//! of `jobs.csv`, and what the summary says of tasks is made of their rows.

use crate::check::{Recomputation, Violation, near};
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::output::RowFile;
use crate::rows::{ExecutionRow, ProfileRow};

use super::counts::{mean, unevenness};
use super::rows::Fate;
use super::run::JobRun;
use super::task_rows::{ACTIVITIES, COUNTS, OF_JOBS, OF_JOBS_ALONE};
use super::{JobFiles, NO_EXECUTIONS};

const PAIRS: &str = "over how many pairs of frames jitter is a mean is not in executions.csv";

/// Rows of both tables.
fn both<'a>(
    of_jobs: &'a str,
    of_processors: &'a str,
) -> Result<(Vec<ExecutionRow<'a>>, Vec<ProfileRow>), String> {
    Ok((RowFile::new(of_jobs)?.all()?, RowFile::new(of_processors)?.all()?))
}

/// Rows of both tables that contradict themselves, `jobs.csv`, or each other.
///
/// # Errors
/// The first cell that cannot be read.
pub(super) fn rows(run: &JobRun<'_>, of_jobs: &str, of_processors: &str) -> Result<Vec<Violation>, String> {
    let (executions, processors) = both(of_jobs, of_processors)?;
    let mut violations = of_time(run, &processors);
    let places: OrderedMap<(u64, SimTime), usize> =
        run.jobs.iter().enumerate().map(|(place, job)| ((job.number, job.submit_time), place)).collect();
    let mut seen = vec![false; run.jobs.len()];
    for row in &executions {
        let mut broken = |what: &str| {
            violations.push(Violation { job: row.job, at: row.start, what: what.to_owned() });
        };
        let Some(&place) = places.get(&(row.job, row.submitted)) else {
            broken("its execution is of no job of the workload");
            continue;
        };
        if std::mem::replace(&mut seen[place], true) {
            broken("it has two executions");
        }
        let (job, outcome) = (&run.jobs[place], run.outcomes[place].as_ref());
        let last = outcome.map(|outcome| (outcome.start, Some(outcome.end)));
        if row.tasks != job.procs
            || last.is_some_and(|last| last != (Some(row.start), row.end))
            || (last.is_none() && row.end.is_some())
        {
            broken("its execution has other tasks, or another start or end than the job");
        }
        let class = run.facts.applications.map(|all| all.class(JobId(place as u32)));
        if class.is_some_and(|class| class != row.class) {
            broken("its execution is of another class");
        }
        let is_first = |first| row.start <= first && row.end.is_none_or(|end| first <= end);
        if !row.first_dispatch.is_none_or(is_first) || (row.end.is_some() && row.first_dispatch.is_none()) {
            broken("it has its first processor before its start or after its end");
        }
        if !run.facts.dedicates && row.dedicated != job.run_time {
            broken("its dedicated time is not that of the workload");
        }
        let slowdown =
            row.end.map(|end| end.since(row.submitted).as_secs_f64() / row.dedicated.as_secs_f64());
        let is_same = match (row.slowdown, slowdown) {
            (Some(stated), Some(found)) => near(stated, found),
            (stated, found) => stated.is_none() && found.is_none(),
        };
        if !is_same {
            broken("its slowdown is not its response time over its dedicated time");
        }
        let others = (0..ACTIVITIES.len()).filter(|place| !OF_JOBS.contains(place));
        if others.into_iter().any(|place| row.spent()[place] > 0) {
            broken("it is charged with what processors do of themselves");
        }
        let (windows, pace, cv) = (row.pace_windows, row.pace_mean, row.pace_cv);
        let is_paced = pace.is_some() == (windows > 0) && (cv.is_none() || windows > 1);
        if row.frames_missed > row.frames_due || row.skew.is_some() != (row.skewed_waits > 0) || !is_paced {
            broken("it misses more frames than are due, or has a skew of no wait or a pace of no window");
        }
    }
    for (place, outcome) in run.outcomes.iter().enumerate() {
        if outcome.as_ref().is_some_and(|outcome| outcome.start.is_some()) && !seen[place] {
            let (job, what) = (run.jobs[place].number, "it ran and has no execution".to_owned());
            violations.push(Violation { job, at: run.jobs[place].submit_time, what });
        }
    }
    violations.extend(charged(run, &executions, &processors));
    Ok(violations)
}

/// Processors whose activities do not fill their time.
fn of_time(run: &JobRun<'_>, processors: &[ProfileRow]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut broken = |processor: u64, what: &str| {
        let what = format!("processor {processor} {what}");
        violations.push(Violation::of_no_job(SimTime::ZERO, what));
    };
    if processors.len() != run.facts.procs as usize {
        broken(processors.len() as u64, "is the number of rows, and there are others");
    }
    let first = processors.first().map(|first| (first.from, first.to));
    let mut node = 0;
    for (place, row) in (0..).zip(processors) {
        if row.processor != place || row.node < node || row.node > node + 1 || (place == 0 && row.node != 0) {
            broken(place, "has another number, or is on another node");
        }
        node = row.node;
        if first != Some((row.from, row.to)) {
            broken(place, "is observed from or to another instant than the first");
        }
        if row.spent().iter().sum::<u64>() != row.to.saturating_sub(row.from) {
            broken(place, "does not spend all of its time");
        }
    }
    if first.is_some_and(|(_, to)| SimTime::from_nanos(to) < run.end()) {
        broken(0, "is observed to an instant before the last end of a job");
    }
    violations
}

/// Activities of which jobs are charged with more than processors have, or of computing and its
/// like with another sum.
fn charged(run: &JobRun<'_>, executions: &[ExecutionRow<'_>], processors: &[ProfileRow]) -> Vec<Violation> {
    let from = processors.first().map_or(0, |first| first.from);
    let is_whole = run.jobs.first().is_none_or(|first| from <= first.submit_time.as_nanos());
    let mut violations = Vec::new();
    for (place, name) in ACTIVITIES.iter().enumerate() {
        let of_jobs: u64 = executions.iter().map(|row| row.spent()[place]).sum();
        let all: u64 = processors.iter().map(|row| row.spent()[place]).sum();
        if is_whole && (of_jobs > all || (place < OF_JOBS_ALONE && of_jobs != all)) {
            let what = format!("jobs have {of_jobs} ns of {name}, and processors {all} ns");
            violations.push(Violation::of_no_job(SimTime::ZERO, what));
        }
    }
    violations
}

/// All numbers of detail `task`.
///
/// # Errors
/// The first cell that cannot be read.
pub(super) fn find(run: &JobRun<'_>, files: &JobFiles<'_>, found: &mut Recomputation) -> Result<(), String> {
    let refused = run.submitted().filter(|(_, job, outcome)| {
        outcome.is_some_and(|outcome| outcome.fate == Fate::Rejected) && job.procs <= run.facts.procs
    });
    found.count("jobs.not-admitted", refused.count() as u64);
    let spans =
        run.observed().filter_map(|(_, _, outcome)| Some(outcome.end.since(outcome.start?).as_secs_f64()));
    found.spread("execution-time", spans.collect());
    let (Some(of_jobs), Some(of_processors)) = (files.executions, files.profile) else {
        for name in [
            "cpu-utilization",
            "loss-of-cpu",
            "time-to-first-dispatch",
            "scheduling-skewness",
            "pace.",
            "fairness",
            "deadlines.",
            "profile.",
            "counts.",
            "classes/",
        ] {
            found.never(name, NO_EXECUTIONS);
        }
        return Ok(());
    };
    let (executions, processors) = both(of_jobs, of_processors)?;
    let sum = |which: &[usize]| -> u64 {
        processors.iter().flat_map(|row| which.iter().map(|place| row.spent()[*place])).sum()
    };
    let all = sum(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let (useful, busy) = (sum(&[0, 1]), sum(&[0, 1, 2, 3, 4, 5, 6, 7]));
    found.is("cpu-utilization", over(useful, all));
    found.is("loss-of-cpu", over(busy - useful, busy));
    for (place, name) in ACTIVITIES.iter().enumerate() {
        found.is(format!("profile.{}", name.replace('_', "-")), over(sum(&[place]), all));
    }
    let rows: OrderedMap<(u64, SimTime), &ExecutionRow<'_>> =
        executions.iter().map(|row| ((row.job, row.submitted), row)).collect();
    let observed: Vec<&ExecutionRow<'_>> =
        run.observed().filter_map(|(_, job, _)| rows.get(&(job.number, job.submit_time)).copied()).collect();
    let first =
        observed.iter().filter_map(|row| Some(row.first_dispatch?.since(row.submitted).as_secs_f64()));
    found.spread("time-to-first-dispatch", first.collect());
    let skew: u128 = observed.iter().filter_map(|row| Some(row.skew?.0)).sum();
    let skewed: u64 = observed.iter().map(|row| row.skewed_waits).sum();
    found.is("scheduling-skewness", (skewed > 0).then(|| skew as f64 / skewed as f64 / 1e9));
    for (place, name) in COUNTS.iter().enumerate() {
        let count: u64 = observed.iter().map(|row| row.counts()[place]).sum();
        found.is(format!("counts.{name}"), (!observed.is_empty()).then_some(count as f64));
    }
    of_rows("", &observed, found);
    let mut means = Vec::new();
    for class in run.facts.applications.iter().flat_map(|all| &all.classes) {
        let own: Vec<&ExecutionRow<'_>> =
            observed.iter().filter(|row| row.class == *class).copied().collect();
        means.extend(of_class(run, class, &own, found));
    }
    found.is("fairness", unevenness(&means));
    Ok(())
}

/// Pace and frames of these jobs, whose numbers have names that begin so.
fn of_rows(before: &str, rows: &[&ExecutionRow<'_>], found: &mut Recomputation) {
    let (pace, cv) = pace(rows);
    found.is(format!("{before}pace.mean"), pace);
    found.is(format!("{before}pace.cv"), cv);
    let [due, missed] =
        [|row: &&ExecutionRow<'_>| row.frames_due, |row: &&ExecutionRow<'_>| row.frames_missed]
            .map(|of| rows.iter().map(of).sum::<u64>());
    found.is(format!("{before}deadlines.missed"), over(missed, due));
    let known = if rows.iter().all(|row| row.jitter.is_none()) { Ok(None) } else { Err(PAIRS) };
    found.known(format!("{before}deadlines.jitter"), known);
}

/// The numbers of a class; its mean response time.
fn of_class(
    run: &JobRun<'_>,
    class: &str,
    rows: &[&ExecutionRow<'_>],
    found: &mut Recomputation,
) -> Option<f64> {
    let before = format!("classes/{class}/");
    let is = |of: &dyn Fn(&ExecutionRow<'_>) -> Option<f64>| {
        mean(&rows.iter().filter_map(|row| of(row)).collect::<Vec<_>>())
    };
    found.count(format!("{before}jobs.completed"), rows.len() as u64);
    found
        .is(format!("{before}wait-time.mean"), is(&|row| Some(row.start.since(row.submitted).as_secs_f64())));
    let response = is(&|row| Some(row.end?.since(row.submitted).as_secs_f64()));
    found.is(format!("{before}response-time.mean"), response);
    found
        .is(format!("{before}execution-time.mean"), is(&|row| Some(row.end?.since(row.start).as_secs_f64())));
    found.is(
        format!("{before}slowdown.mean"),
        is(&|row| Some(row.end?.since(row.submitted).as_secs_f64() / row.dedicated.as_secs_f64())),
    );
    of_rows(&before, rows, found);
    let spent = |place: usize| rows.iter().map(|row| row.spent()[place]).sum::<u64>();
    let all: u64 = (0..ACTIVITIES.len()).map(spent).sum();
    for place in OF_JOBS {
        found.is(format!("{before}profile.{}", ACTIVITIES[place].replace('_', "-")), over(spent(place), all));
    }
    debug_assert!(run.facts.of_tasks, "only there jobs have executions");
    response
}

/// Mean and coefficient of variation of all windows of these jobs.
fn pace(rows: &[&ExecutionRow<'_>]) -> (Option<f64>, Option<f64>) {
    let windows = || {
        rows.iter()
            .filter_map(|row| Some((row.pace_windows as f64, row.pace_mean?, row.pace_cv.unwrap_or(0.0))))
    };
    let count: f64 = windows().map(|(count, _, _)| count).sum();
    if count < 1.0 {
        return (None, None);
    }
    let middle = windows().map(|(count, mean, _)| count * mean).sum::<f64>() / count;
    let squares: f64 = windows()
        .map(|(count, mean, cv)| {
            let within = (cv * mean) * (cv * mean) * (count - 1.0);
            within + count * (mean - middle) * (mean - middle)
        })
        .sum();
    let cv = (count > 1.0 && middle.abs() > 0.0).then(|| (squares / (count - 1.0)).sqrt() / middle.abs());
    (Some(middle), cv)
}

fn over(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
