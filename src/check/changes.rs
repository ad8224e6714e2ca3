//! What happens in a schedule, instant by instant.

use crate::kernel::SimTime;

use super::Row;

/// What happens to a job; in this order at one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// It ends.
    End,
    /// It is submitted, or considered from now on if it waited for others.
    Submission,
    /// It is cancelled before it has started.
    Withdrawal,
    /// It starts.
    Start,
}

/// Submission, start and end of every job, each with its place in `rows`, in order of time.
pub(super) fn changes(rows: &[Row]) -> Vec<(SimTime, Change, usize)> {
    let mut changes = Vec::with_capacity(rows.len() * 3);
    for (place, row) in rows.iter().enumerate() {
        if row.on.is_empty() && row.cancelled {
            // who was held until then has never been considered
            if row.considered < row.end {
                changes.push((row.considered, Change::Submission, place));
                changes.push((row.end, Change::Withdrawal, place));
            }
            continue;
        }
        changes.push((row.considered, Change::Submission, place));
        changes.push((row.start, Change::Start, place));
        changes.push((row.end, Change::End, place));
    }
    changes.sort_unstable();
    changes
}

/// Start (`true`) and end of every job that holds processors for any time, in order of time: at one instant ends first.
pub(super) fn holds(rows: &[Row]) -> Vec<(SimTime, bool, usize)> {
    let lasting = rows.iter().enumerate().filter(|(_, row)| row.start < row.end);
    let mut holds: Vec<_> =
        lasting.flat_map(|(place, row)| [(row.start, true, place), (row.end, false, place)]).collect();
    holds.sort_unstable();
    holds
}
