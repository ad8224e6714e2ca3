//! Places of waiting jobs in an order, as of an instant.
//!
//! An order by priority gives a job its place when it comes to be considered, and all that wait
//! theirs anew at a decision, if they have stood for long enough.

use crate::kernel::SimTime;

use super::super::{Order, Row};
use super::priority::{PriorityOrder, Rank};
use super::usage::Usage;

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
    pub(in crate::judge::schedule) fn of(&self, index: usize) -> (u64, usize) {
        match &self.moving {
            None => self.order.stand(&self.rows[index], index),
            Some(moving) => (moving.ranks[index].key, index),
        }
    }

    /// Returns true if it is sure that a job stands before another that is behind it by its place.
    pub(in crate::judge::schedule) fn is_clear(&self, first: usize, behind: usize) -> bool {
        self.moving
            .as_ref()
            .is_none_or(|moving| moving.ranks[first].is_clear(&moving.ranks[behind], moving.ranking.rule()))
    }

    /// Gives a job its place as of an instant.
    pub(in crate::judge::schedule) fn come(&mut self, now: SimTime, index: usize) {
        if let Some(Moving { ranking, ranks, usage, .. }) = &mut self.moving {
            ranks[index] = ranking.rank(now, &self.rows[index], usage);
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
