//! The figures of tasks in the summary, counted again.

use crate::check::{Judgement, Violation};
use crate::kernel::{SimDuration, SimTime};

use super::run::{Run, TaskEnd, TaskRow, of_task};
use super::unjudged::{NO_ATTEMPTS, NO_METRICS, UNFINISHED};

fn differs(what: &str, reported: f64, found: f64) -> Option<Violation> {
    let is_near = (reported - found).abs() <= 1e-9 * reported.abs().max(found.abs());
    (!is_near).then(|| {
        Violation::of_no_job(SimTime::ZERO, format!("{what} is {reported}, and by the files {found}"))
    })
}

/// Tasks that were observed, by what became of them, and their returns by reason.
pub(super) fn counted(run: &Run<'_>) -> [(&'static str, usize); 6] {
    let observed = || run.tasks.iter().filter(|task| run.is_observed(task));
    let ended = |state: TaskEnd| observed().filter(|task| task.state == state).count();
    let lost = |is_late: bool| {
        run.lost().filter(|(attempt, task)| attempt.is_late == is_late && run.is_observed(task)).count()
    };
    [
        ("tasks.issued", observed().count()),
        ("tasks.completed", ended(TaskEnd::Completed)),
        ("rejected", ended(TaskEnd::Rejected)),
        ("unfinished", ended(TaskEnd::Unfinished)),
        ("fallbacks", lost(true)),
        ("failures", lost(false)),
    ]
}

/// The share of tasks with a deadline whose results were back later or never; nothing if none has
/// one.
pub(super) fn late_share(run: &Run<'_>) -> Result<Option<f64>, &'static str> {
    let with_deadline = || run.tasks.iter().filter(|task| run.is_observed(task) && task.deadline.is_some());
    if with_deadline().count() == 0 {
        return Ok(None);
    }
    if run.tasks.iter().any(|task| run.is_observed(task) && task.state == TaskEnd::Unfinished) {
        return Err(UNFINISHED);
    }
    let is_late = |task: &&TaskRow| task.steps[6].is_none_or(|received| Some(received) > task.deadline);
    Ok(Some(with_deadline().filter(is_late).count() as f64 / with_deadline().count() as f64))
}

/// Tasks by what became of them, returns by their reasons, and missed deadlines.
pub(super) fn counts(run: &Run<'_>) -> Judgement {
    let metrics = run.files.metrics.ok_or(NO_METRICS)?;
    run.attempts.as_ref().ok_or(NO_ATTEMPTS)?;
    let reported = |name: &str| metrics[name]["value"].as_f64();
    let mut found: Vec<Violation> = counted(run)
        .into_iter()
        .filter_map(|(name, count)| differs(name, reported(name).unwrap_or(f64::NAN), count as f64))
        .collect();
    match late_share(run) {
        Err(why) if found.is_empty() => return Err(why),
        Ok(Some(share)) => {
            let reported = reported("deadline-failures").unwrap_or(f64::NAN);
            found.extend(differs("deadline-failures", reported, share));
        }
        _ => {}
    }
    Ok(found)
}

/// The parts of response times in the summary.
pub(super) const PARTS: [&str; 5] = ["time.query", "time.send", "time.queue", "time.service", "time.receive"];

/// Time taken by the tasks that were observed, in nanoseconds.
#[derive(Debug, Default)]
pub(super) struct Spent {
    pub(super) count: u32,
    pub(super) response: u128,
    /// By part.
    pub(super) sums: [u128; 5],
    /// The tasks whose parts do not add up.
    pub(super) torn: Vec<Violation>,
}

/// Adds up what tasks took.
///
/// # Errors
/// Attempts that were given up are not in the files.
pub(super) fn spent(run: &Run<'_>) -> Result<Spent, &'static str> {
    run.attempts.as_ref().ok_or(NO_ATTEMPTS)?;
    // of each task: until when, and what it took so far
    let mut spent: Vec<(SimTime, [u128; 5])> =
        run.tasks.iter().map(|task| (task.steps[0].unwrap_or_default(), [0; 5])).collect();
    let span = |from: SimTime, to: SimTime| u128::from(to.since(from).as_nanos());
    for (attempt, task) in run.lost() {
        let (until, parts) = &mut spent[task.number as usize];
        parts[0] += span(*until, attempt.decided);
        parts[1] += span(attempt.decided, attempt.queued);
        parts[2] += span(attempt.queued, attempt.until);
        *until = attempt.until;
    }
    let mut all = Spent::default();
    for (task, (until, mut parts)) in run.tasks.iter().zip(spent) {
        let [Some(issued), Some(decided), _, Some(queued), Some(started), Some(ended), Some(received)] =
            task.steps
        else {
            continue;
        };
        let last =
            [(until, decided), (decided, queued), (queued, started), (started, ended), (ended, received)];
        parts.iter_mut().zip(last).for_each(|(part, (from, to))| *part += span(from, to));
        let (whole, sum) = (span(issued, received), parts.iter().sum::<u128>());
        if whole != sum {
            let secs = |nanos: u128| SimDuration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
            let what = format!("takes {}, and its parts {}", secs(whole), secs(sum));
            all.torn.push(of_task(task.number, Some(received), &what));
        }
        if run.is_observed(task) {
            (all.count, all.response) = (all.count + 1, all.response + whole);
            all.sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        }
    }
    Ok(all)
}

/// Query, send, queue, service, receive.
pub(super) fn shares(run: &Run<'_>) -> Judgement {
    let metrics = run.files.metrics.ok_or(NO_METRICS)?;
    let Spent { count, response, sums, torn: mut found } = spent(run)?;
    if count > 0 {
        let mean = |sum: u128| sum as f64 / 1e9 / f64::from(count);
        let reported = |name: &str| metrics[name]["value"].as_f64().unwrap_or(f64::NAN);
        found.extend(differs("response-time.mean", reported("response-time.mean"), mean(response)));
        let parts = PARTS.iter().zip(sums);
        found.extend(parts.filter_map(|(name, sum)| differs(name, reported(name), mean(sum))));
    }
    Ok(found)
}
