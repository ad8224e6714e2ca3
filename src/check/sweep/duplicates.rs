//! Computations that were thrown away, as their tasks had ended on other hosts.

use crate::check::plan::loads::{finish, is_same};
use crate::kernel::SimTime;

use super::run::Run;
use super::tasks::seconds;
use super::{Judgement, SweepValue, Violation};

/// A computation that is thrown away is on another host, is broken off as its task ends there, and
/// had not ended by then.
pub(super) fn broken_off(run: &Run<'_>) -> Judgement {
    // the file is there once a task was computed twice
    let rows = run.duplicates.as_deref().unwrap_or_default();
    let (mut found, mut is_open) = (Vec::new(), false);
    for row in rows {
        let mut wrong = |at: SimTime, what: &str| {
            found.push(Violation::of_no_job(
                at,
                format!("the second computation of task `{}` {what}", row.name),
            ));
        };
        let (Some(task), Some(host)) = (row.task, row.host) else {
            wrong(row.start, "is of no task of the application, or on a host that does not exist");
            continue;
        };
        if row.end < row.start {
            wrong(row.end, "ends before it starts");
            continue;
        }
        let counted = run.tasks[task].as_ref();
        if counted.is_some_and(|counted| counted.host == Some(host)) {
            wrong(row.start, "is on the host that has computed it");
        }
        // of a task that was started again the files have the last attempt
        let ended = counted.filter(|counted| counted.attempts <= 1).and_then(|counted| counted.end);
        if ended.is_some_and(|ended| ended != row.end) {
            wrong(row.end, "is broken off, and not as its task ends");
        }
        let Some(seconds) = seconds(run, task, host) else {
            wrong(row.start, "is on a host of an architecture that it has no time for");
            continue;
        };
        let availability = |at| run.values.at(run.grid, (SweepValue::Availability, host), at);
        if availability(row.start).is_none() {
            is_open = true;
            continue;
        }
        let own = finish(row.start, seconds / run.grid.speed(host), availability);
        // where tasks wait before they compute it may end later
        if !run.grid.waits(host) && own.is_some_and(|own| own < row.end && !is_same(own, row.end)) {
            wrong(row.end, "is broken off, and had ended before");
        }
    }
    Run::unless_drawn(is_open, found)
}
