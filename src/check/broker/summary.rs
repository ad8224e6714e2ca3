//! What the summary reports of tasks, counted again.

use crate::check::{Judgement, Violation};
use crate::kernel::{SimDuration, SimTime};

use super::run::{Run, TaskEnd, of_task};
use super::unjudged::{NO_ATTEMPTS, NO_METRICS, UNFINISHED};

fn differs(what: &str, reported: f64, found: f64) -> Option<Violation> {
    let is_near = (reported - found).abs() <= 1e-9 * reported.abs().max(found.abs());
    (!is_near).then(|| {
        Violation::of_no_job(SimTime::ZERO, format!("{what} is {reported}, and by the files {found}"))
    })
}

/// Tasks by what became of them, returns by their reasons, and missed deadlines.
pub(super) fn counts(run: &Run<'_>) -> Judgement {
    let metrics = run.files.metrics.ok_or(NO_METRICS)?;
    run.attempts.as_ref().ok_or(NO_ATTEMPTS)?;
    let observed = || run.tasks.iter().filter(|task| run.is_observed(task));
    let ended = |state: TaskEnd| observed().filter(|task| task.state == state).count();
    let lost = |is_late: bool| {
        run.lost().filter(|(attempt, task)| attempt.is_late == is_late && run.is_observed(task)).count()
    };
    let counts = [
        ("tasks.issued", observed().count()),
        ("tasks.completed", ended(TaskEnd::Completed)),
        ("rejected", ended(TaskEnd::Rejected)),
        ("unfinished", ended(TaskEnd::Unfinished)),
        ("fallbacks", lost(true)),
        ("failures", lost(false)),
    ];
    let reported = |name: &str| metrics[name]["value"].as_f64();
    let mut found: Vec<Violation> = counts
        .into_iter()
        .filter_map(|(name, count)| differs(name, reported(name).unwrap_or(f64::NAN), count as f64))
        .collect();
    let with_deadline = observed().filter(|task| task.deadline.is_some()).count();
    if with_deadline > 0 {
        if ended(TaskEnd::Unfinished) > 0 {
            return if found.is_empty() { Err(UNFINISHED) } else { Ok(found) };
        }
        let late = observed().filter(|task| {
            task.deadline.is_some_and(|deadline| task.steps[6].is_none_or(|received| received > deadline))
        });
        let share = late.count() as f64 / with_deadline as f64;
        found.extend(differs("deadline-failures", reported("deadline-failures").unwrap_or(f64::NAN), share));
    }
    Ok(found)
}

/// Query, send, queue, service, receive.
pub(super) fn shares(run: &Run<'_>) -> Judgement {
    const PARTS: [&str; 5] = ["time.query", "time.send", "time.queue", "time.service", "time.receive"];
    let metrics = run.files.metrics.ok_or(NO_METRICS)?;
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
    let (mut count, mut response, mut sums, mut found) = (0_u32, 0_u128, [0_u128; 5], Vec::new());
    for (task, (until, mut parts)) in run.tasks.iter().zip(spent) {
        let [Some(issued), Some(decided), _, Some(queued), Some(started), Some(ended), Some(received)] =
            task.steps
        else {
            continue;
        };
        let last =
            [(until, decided), (decided, queued), (queued, started), (started, ended), (ended, received)];
        parts.iter_mut().zip(last).for_each(|(part, (from, to))| *part += span(from, to));
        let (whole, all) = (span(issued, received), parts.iter().sum::<u128>());
        if whole != all {
            let secs = |nanos: u128| SimDuration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
            let what = format!("takes {}, and its parts {}", secs(whole), secs(all));
            found.push(of_task(task.number, Some(received), &what));
        }
        if run.is_observed(task) {
            (count, response) = (count + 1, response + whole);
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        }
    }
    if count > 0 {
        let mean = |sum: u128| sum as f64 / 1e9 / f64::from(count);
        let reported = |name: &str| metrics[name]["value"].as_f64().unwrap_or(f64::NAN);
        found.extend(differs("response-time.mean", reported("response-time.mean"), mean(response)));
        let parts = PARTS.iter().zip(sums);
        found.extend(parts.filter_map(|(name, sum)| differs(name, reported(name), mean(sum))));
    }
    Ok(found)
}
