//! Observations of stations: their span, and the uses that they are of.

use crate::check::sheet::Right;
use crate::kernel::SimDuration;

use super::facts::{JudgedStation, WholeRun};
use super::run::{Run, TaskEnd};
use super::unjudged::OTHERS;

/// Duration of the observation of the run: until the last task came back, where none was rejected
/// and none was on its way. A run that may have been stopped was, if a task was on its way; else
/// more tasks may have been to come.
pub(super) fn window(run: &Run<'_>, whole: &WholeRun<'_>) -> Option<SimDuration> {
    let is_over = run.tasks.iter().all(|task| task.state == TaskEnd::Completed);
    let last = run.tasks.iter().filter_map(|task| task.steps[6]).max();
    let stopped = whole.until.filter(|_| run.tasks.iter().any(|task| task.state == TaskEnd::Unfinished));
    let is_whole = is_over && !run.files.has_copies && whole.until.is_none();
    let ended = last.filter(|_| is_whole).or(stopped)?;
    Some(ended.since(run.files.warm_up))
}

/// The use of a station by others, if there are none.
pub(super) fn others(run: &Run<'_>, of: JudgedStation) -> Right {
    if run.facts.has_others(of) { Right::Open(OTHERS) } else { Right::Count(0) }
}
