//! Places of waiting jobs in an order, as of an instant.
//!
//! An order by priority gives a job its place when it comes to be considered, and all that wait
//! theirs anew at a decision, if they have stood for long enough.

use crate::ids::JobId;
use crate::kernel::SimTime;

use super::super::{Order, Row};
use super::priority::{PriorityOrder, Rank, are_near};
use super::usage::Usage;

/// Place of a job in an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::judge::schedule) struct Stand {
    /// Key by which it stands, the least first.
    key: u64,
    /// The job itself, by which equal ones stand, if not all stand by submission: of these the
    /// earlier is first, also where it waits again as a late one.
    id: Option<JobId>,
    /// Index of its row.
    pub(in crate::judge::schedule) row: usize,
}

/// Places of jobs in an order.
pub(in crate::judge::schedule) struct Stands<'a> {
    rows: &'a [Row],
    order: Order<'a>,
    moving: Option<Moving<'a>>,
}

/// State of an order that moves.
struct Moving<'a> {
    ranking: &'a PriorityOrder<'a>,
    ranks: Vec<Rank>,
    usage: Usage,
    /// Instant at which they were computed last.
    computed: Option<SimTime>,
    /// Number of decisions that are past.
    next: usize,
}

impl<'a> Stands<'a> {
    pub(in crate::judge::schedule) fn new(rows: &'a [Row], order: Order<'a>) -> Self {
        let moving = match order {
            Order::Priority(ranking) => Some(Moving {
                ranking,
                ranks: vec![Rank::default(); rows.len()],
                usage: ranking.usage(),
                computed: None,
                next: 0,
            }),
            _ => None,
        };
        Stands { rows, order, moving }
    }

    /// The place of a job.
    pub(in crate::judge::schedule) fn of(&self, index: usize) -> Stand {
        let row = &self.rows[index];
        let (key, id) = match &self.moving {
            None if self.order == Order::Submission => (0, None),
            None => (self.order.key(row), row.job),
            Some(moving) => (moving.ranks[index].key, moving.ranks[index].id),
        };
        Stand { key, id, row: index }
    }

    /// Returns true if it is sure that a job stands before another that is behind it by its place.
    pub(in crate::judge::schedule) fn is_clear(&self, first: usize, behind: usize) -> bool {
        self.moving
            .as_ref()
            .is_none_or(|moving| moving.ranks[first].is_clear(&moving.ranks[behind], moving.ranking.rule()))
    }

    /// Returns true if their priorities are so close that it may be open which of two stands first.
    pub(in crate::judge::schedule) fn are_near(first: Stand, behind: Stand) -> bool {
        are_near(first.key, behind.key)
    }

    /// Gives a job its place as of an instant.
    pub(in crate::judge::schedule) fn come(&mut self, now: SimTime, index: usize) {
        if let Some(Moving { ranking, ranks, usage, .. }) = &mut self.moving {
            ranks[index] = ranking.rank(now, &self.rows[index], usage);
        }
    }

    /// Priority of a job was computed when it came, and since when it did is not known: it is open
    /// where it stands until it is computed again.
    pub(in crate::judge::schedule) fn doubt(&mut self, index: usize) {
        if let Some(Moving { ranking, ranks, .. }) = &mut self.moving {
            ranks[index].is_open = ranking.moves();
        }
    }

    /// The next decision before an instant at which places are given anew, where some wait.
    pub(in crate::judge::schedule) fn missed(&mut self, now: SimTime, some_wait: bool) -> Option<SimTime> {
        let moving = self.moving.as_mut()?;
        while let Some(&at) = moving.ranking.decisions.get(moving.next).filter(|&&at| at < now) {
            moving.next += 1;
            if some_wait && moving.ranking.is_due(at, moving.computed) {
                moving.computed = Some(at);
                return Some(at);
            }
        }
        None
    }

    /// Returns true if a decision at this instant, before which some wait, gives places anew.
    pub(in crate::judge::schedule) fn decides(&mut self, now: SimTime, some_wait: bool) -> bool {
        let Some(moving) = self.moving.as_mut().filter(|_| some_wait) else { return false };
        let decides = moving.ranking.decisions.get(moving.next) == Some(&now);
        let due = decides && moving.ranking.is_due(now, moving.computed);
        if due {
            moving.computed = Some(now);
        }
        due
    }
}
