//! Events of a schedule, instant by instant, with the jobs that wait and run then.

use std::ops::Bound;

use crate::collections::{Interval, OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::SimTime;

use super::{LimitTurn, Order, Row, Stand, Stands};

/// An event of a job; in this order at one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// The end.
    End,
    /// The submission or release of a job that limits of its queues hold back from then on.
    Comes,
    /// Limits hold it back from now on.
    Held,
    /// The submission, or the instant from which it is considered if it waited for others, or
    /// limits held it back.
    Submission,
    /// The cancellation before its start.
    Cancellation,
    /// The start.
    Start,
    /// A start makes limits hold it back.
    HeldByStart,
    /// A start makes limits let it through.
    FreedByStart,
}

impl Change {
    /// Returns true if a job is considered from then on.
    pub(super) fn considers(self) -> bool {
        matches!(self, Change::Submission | Change::FreedByStart)
    }

    /// Returns true if a job comes at an instant, or is held back, and limits may let it through or
    /// not from then on.
    pub(super) fn doubts(self, row: &Row, at: SimTime) -> bool {
        (self.holds() || self == Change::Comes) && row.doubt_from(at).is_some()
    }

    /// Returns true if limits hold a job back from then on that was considered.
    pub(super) fn holds(self) -> bool {
        matches!(self, Change::Held | Change::HeldByStart)
    }
}

/// Submission, start and end of every job, each with its index in `rows`, in order of time.
pub(super) fn changes(rows: &[Row]) -> Vec<(SimTime, Change, usize)> {
    let mut changes = Vec::with_capacity(rows.len() * 3);
    for (index, row) in rows.iter().enumerate() {
        let cancelled = row.on.is_empty() && row.cancelled;
        // a job that was held until then has never been considered
        if cancelled && row.considered < row.end {
            come(row, index, &mut changes);
            changes.push((row.end, Change::Cancellation, index));
        }
        if !cancelled {
            come(row, index, &mut changes);
            changes.extend([(row.start, Change::Start, index), (row.end, Change::End, index)]);
        }
    }
    changes.stable_sort();
    changes
}

/// A job comes, and limits of its queues turn.
fn come(row: &Row, index: usize, changes: &mut Vec<(SimTime, Change, usize)>) {
    let mut turns = row.turns.iter();
    let lets = |turn: &LimitTurn| turn.through && !turn.in_doubt;
    let at_once = turns.clone().next().filter(|turn| !(lets(turn) || turn.by_start.is_some()));
    if at_once.is_some_and(|turn| turn.at == row.considered) {
        turns.next();
        changes.push((row.considered, Change::Comes, index));
    } else {
        changes.push((row.considered, Change::Submission, index));
    }
    changes.extend(turns.map(|turn| {
        let change = match (lets(turn), turn.by_start.is_some()) {
            (true, false) => Change::Submission,
            (true, true) => Change::FreedByStart,
            (false, false) => Change::Held,
            (false, true) => Change::HeldByStart,
        };
        (turn.at, change, index)
    }));
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

/// Instant at which a run is over by its estimate.
pub(super) fn estimated_end(row: &Row) -> SimTime {
    row.start.saturating_add(row.estimate)
}

/// The state at an instant: jobs that wait, and jobs that run.
pub(super) struct State<'a> {
    pub(super) rows: &'a [Row],
    stands: Stands<'a>,
    now: SimTime,
    /// In the order of the queue: those that limits let through.
    pub(super) waiting: OrderedSet<Stand>,
    /// Jobs among them that may stand before the next one or behind it.
    open: OrderedSet<Stand>,
    /// Jobs that wait, and that limits may let through or not.
    doubtful: OrderedSet<usize>,
    /// Estimated ends of the running jobs.
    pub(super) running: OrderedSet<(SimTime, usize)>,
}

impl<'a> State<'a> {
    /// Before the first instant.
    pub(super) fn new(rows: &'a [Row], order: Order<'a>) -> Self {
        State {
            rows,
            stands: Stands::new(rows, order),
            now: SimTime::ZERO,
            waiting: OrderedSet::new(),
            open: OrderedSet::new(),
            doubtful: OrderedSet::new(),
            running: OrderedSet::new(),
        }
    }

    /// An instant begins: in an order that moves jobs have the places that the decisions before it
    /// have given them.
    pub(super) fn at(&mut self, now: SimTime) {
        while let Some(before) = self.stands.missed(now, !self.waiting.is_empty()) {
            self.order_again(before);
        }
        self.now = now;
    }

    /// The policy decides at this instant, at which nothing has started yet: in an order that moves
    /// jobs may get other places.
    pub(super) fn decide(&mut self) {
        if self.stands.decides(self.now, !self.waiting.is_empty()) {
            self.order_again(self.now);
        }
    }

    fn order_again(&mut self, now: SimTime) {
        let waiting: Vec<usize> = self.waiting.iter().map(|stand| stand.row).collect();
        waiting.iter().chain(&self.doubtful).for_each(|&index| self.stands.come(now, index));
        self.waiting = waiting.into_iter().map(|index| self.stand(index)).collect();
        let pairs = self.waiting.iter().zip(self.waiting.iter().skip(1));
        let open = pairs.filter(|(first, next)| !self.is_clear(first.row, next.row));
        self.open = open.map(|(first, _)| *first).collect();
    }

    /// A job comes to wait, or leaves those that do.
    fn waits(&mut self, stand: Stand, comes: bool) {
        if comes {
            self.waiting.insert(stand);
        } else {
            self.waiting.remove(&stand);
        }
        self.open.remove(&stand);
        let before = self.waiting.range(..stand).next_back().copied();
        for one in before.into_iter().chain(comes.then_some(stand)) {
            let next = self.waiting.range((Bound::Excluded(one), Bound::Unbounded)).next();
            if next.is_some_and(|next| !self.is_clear(one.row, next.row)) {
                self.open.insert(one);
            } else {
                self.open.remove(&one);
            }
        }
    }

    /// Instant since which a job runs past its estimate that ran before this instant, if one does.
    pub(super) fn overdue(&self) -> Option<SimTime> {
        self.running.first().map(|&(end, _)| end).filter(|&end| end < self.now)
    }

    /// The position in the queue of the job of this index.
    pub(super) fn stand(&self, index: usize) -> Stand {
        self.stands.of(index)
    }

    /// Returns true if it is sure that a job stands before another one that stands behind it.
    pub(super) fn is_clear(&self, first: usize, behind: usize) -> bool {
        self.stands.is_clear(first, behind)
    }

    /// Returns true if it is sure that a job that waits stands before all that stand behind it.
    pub(super) fn is_first(&self, stand: Stand) -> bool {
        // those up to the first that it is open of are equal to it, or far enough behind it
        let near = self.open.range(stand..).next().filter(|&&open| Stands::are_near(stand, open));
        let is_behind = |&other: &usize| stand < self.stand(other) && self.is_clear(stand.row, other);
        near.is_none() && self.doubtful.iter().all(is_behind)
    }

    /// Returns true if it is sure of all that wait which stands before which.
    pub(super) fn is_sure(&self) -> bool {
        self.open.is_empty() && self.doubtful.is_empty()
    }

    /// A job that waits may be let through or not from now on, or is not any more.
    fn doubt(&mut self, change: Change, index: usize) {
        if change.doubts(&self.rows[index], self.now) {
            self.doubtful.insert(index);
        } else {
            self.doubtful.remove(&index);
        }
    }

    pub(super) fn take(&mut self, change: Change, index: usize) {
        let row = &self.rows[index];
        let estimated_end = (estimated_end(row), index);
        match change {
            change if change.considers() => {
                self.stands.come(self.now, index);
                if self.doubtful.remove(&index) {
                    self.stands.doubt(index);
                }
                self.waits(self.stand(index), true);
            }
            change if change.holds() || matches!(change, Change::Cancellation | Change::Start) => {
                if change == Change::Start {
                    self.decide();
                }
                self.waits(self.stand(index), false);
                self.doubt(change, index);
            }
            Change::Comes => {
                self.stands.come(self.now, index);
                self.doubt(change, index);
            }
            _ => {}
        }
        // one that ends at once has ended before it starts, in the order of changes
        match change {
            Change::Start if row.start < row.end => drop(self.running.insert(estimated_end)),
            Change::End if row.start < row.end => drop(self.running.remove(&estimated_end)),
            _ => {}
        }
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
