//! Events of a schedule, instant by instant, with the jobs that wait and run then.

use crate::collections::{Interval, OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::SimTime;

use super::{Order, Row};

/// An event of a job; in this order at one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// The end.
    End,
    /// The submission, or the instant from which it is considered if it waited for others.
    Submission,
    /// The cancellation before its start.
    Cancellation,
    /// The start.
    Start,
}

/// Submission, start and end of every job, each with its index in `rows`, in order of time.
pub(super) fn changes(rows: &[Row]) -> Vec<(SimTime, Change, usize)> {
    let mut changes = Vec::with_capacity(rows.len() * 3);
    for (index, row) in rows.iter().enumerate() {
        let cancelled = row.on.is_empty() && row.cancelled;
        // a job that was held until then has never been considered
        if cancelled && row.considered < row.end {
            changes.extend([
                (row.considered, Change::Submission, index),
                (row.end, Change::Cancellation, index),
            ]);
        }
        if !cancelled {
            changes.push((row.considered, Change::Submission, index));
            changes.extend([(row.start, Change::Start, index), (row.end, Change::End, index)]);
        }
    }
    changes.stable_sort();
    changes
}

/// These changes instant by instant.
pub(super) fn instants(
    changes: &[(SimTime, Change, usize)],
) -> impl Iterator<Item = (SimTime, &[(SimTime, Change, usize)])> {
    changes.chunk_by(|one, other| one.0 == other.0).map(|instant| (instant[0].0, instant))
}

/// Start (`true`) and end of every job that holds processors for any time, in order of time: at one
/// instant ends first.
pub(super) fn holds(rows: &[Row]) -> Vec<(SimTime, bool, usize)> {
    let lasting = rows.iter().enumerate().filter(|(_, row)| row.start < row.end);
    let mut holds: Vec<_> =
        lasting.flat_map(|(index, row)| [(row.start, true, index), (row.end, false, index)]).collect();
    holds.stable_sort();
    holds
}

/// The state at an instant: jobs that wait, and jobs that run.
pub(super) struct State<'a> {
    pub(super) rows: &'a [Row],
    order: Order,
    /// In the order of the queue.
    pub(super) waiting: OrderedSet<(u64, usize)>,
    /// Estimated ends of the running jobs.
    pub(super) running: OrderedSet<(SimTime, usize)>,
}

impl<'a> State<'a> {
    /// Before the first instant.
    pub(super) fn new(rows: &'a [Row], order: Order) -> Self {
        State { rows, order, waiting: OrderedSet::new(), running: OrderedSet::new() }
    }

    /// The position in the queue of the job of this index.
    pub(super) fn stand(&self, index: usize) -> (u64, usize) {
        self.order.stand(&self.rows[index], index)
    }

    pub(super) fn take(&mut self, change: Change, index: usize) {
        let row = &self.rows[index];
        let stand = self.stand(index);
        let estimated_end = (row.start.saturating_add(row.estimate), index);
        match change {
            Change::Submission => drop(self.waiting.insert(stand)),
            Change::Cancellation | Change::Start => drop(self.waiting.remove(&stand)),
            Change::End => {}
        }
        // one that ends at once has ended before it starts, in the order of changes
        match change {
            Change::Start if row.start < row.end => drop(self.running.insert(estimated_end)),
            Change::End if row.start < row.end => drop(self.running.remove(&estimated_end)),
            _ => {}
        }
    }
}

impl State<'_> {
    /// Instant since which a job has run past its estimate, if one does just before `now`.
    pub(super) fn past_estimate(&self, now: SimTime) -> Option<SimTime> {
        self.running.first().map(|one| one.0).filter(|&end| end < now)
    }
}

/// Intervals that do not overlap, each with the index of its owner.
#[derive(Default)]
pub(super) struct Spread(OrderedMap<u32, (u32, usize)>);

impl Spread {
    pub(super) fn insert(&mut self, on: Interval, owner: usize) {
        self.0.insert(on.first, (on.last, owner));
    }

    pub(super) fn remove(&mut self, on: Interval) {
        self.0.remove(&on.first);
    }

    /// Takes an interval out, if it is this owner's.
    pub(super) fn remove_of(&mut self, on: Interval, owner: usize) {
        if self.0.get(&on.first).is_some_and(|&(_, of)| of == owner) {
            self.remove(on);
        }
    }

    /// The owner of the last interval that shares a processor with `on`.
    pub(super) fn meets(&self, on: Interval) -> Option<usize> {
        let (_, &(last, owner)) = self.0.range(..=on.last).next_back()?;
        (last >= on.first).then_some(owner)
    }
}
