//! State of a failed run on the policies' side: the numbers of its jobs, and how many of them wait.

use crate::kernel::{Blocked, Name, SimError};
use crate::units::grouped;

use super::front_end::FrontEnd;

/// Kinds of processes that are numbered by the jobs of the run.
const OF_JOBS: [&str; 2] = ["job", "task of job"];

/// The error with jobs under their numbers in the workload; where nothing goes on, with the jobs
/// that were never started.
pub(super) fn described(error: SimError, front: &FrontEnd) -> SimError {
    let named = |process: Name| {
        let job = process.index().filter(|_| OF_JOBS.contains(&process.kind()));
        let number = job.and_then(|job| Some(front.jobs().get(usize::try_from(job).ok()?)?.number));
        number.map_or(process, |number| process.numbered(number))
    };
    match error {
        SimError::Deadlock { at, blocked, .. } => {
            let blocked = blocked.into_iter().map(|one| Blocked { process: named(one.process), ..one });
            SimError::Deadlock { at, blocked: blocked.collect(), before: waiting(front) }
        }
        SimError::Livelock { process, at, resumptions, .. } => {
            SimError::Livelock { process: named(process), at, resumptions, before: waiting(front) }
        }
        SimError::TimeOverflow { process, at, delay } => {
            SimError::TimeOverflow { process: named(process), at, delay }
        }
        SimError::NoProgress { process, at, since, decisions, why } => {
            SimError::NoProgress { process: named(process), at, since, decisions, why }
        }
        SimError::Model { process, at, error } => SimError::Model { process: named(process), at, error },
        other => other,
    }
}

/// Number of jobs that wait for their start, and the first submitted of them.
fn waiting(front: &FrontEnd) -> Vec<String> {
    let waiting = front.waiting();
    let Some(first) = waiting.first() else { return Vec::new() };
    let first = front.jobs()[first.index()].number;
    let were = if waiting.len() == 1 { "job was" } else { "jobs were" };
    let mut before = vec![format!(
        "{} {were} submitted and never started, the first of them job {first}",
        grouped(waiting.len() as u64)
    )];
    let held = front.kept_back();
    if held > 0 {
        before.push(format!("features of another crate hold {} of them", grouped(held)));
    }
    before
}
