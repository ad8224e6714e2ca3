//! Nodes from an instant on, where some are reserved: those that jobs have by their estimates, and
//! reservations as far as they are known.

use crate::kernel::SimTime;

use super::super::Row;
use super::super::calendar::Calendar;
use super::super::changes::Change;
use super::super::supply::SupplyChange;
use super::kinds::NodesByKind;
use super::names::NodesByName;
use super::node_supply::NodeSupply;
use super::stock::Stock;

/// Nodes from an instant on.
pub(super) enum NodesAhead<'a> {
    /// Every job has its nodes whole.
    Kinds(NodesByKind<'a>),
    /// Jobs share nodes.
    Names(NodesByName<'a>),
}

impl<'a> NodesAhead<'a> {
    pub(super) fn new(supply: NodeSupply<'a>, rows: &[Row]) -> Self {
        let kinds = NodesByKind::of(supply, rows);
        kinds.map_or_else(|| NodesAhead::Names(NodesByName::new(supply)), NodesAhead::Kinds)
    }

    pub(super) fn advance(&mut self, now: SimTime) {
        match self {
            NodesAhead::Kinds(kinds) => kinds.advance(now),
            NodesAhead::Names(names) => names.advance(now),
        }
    }

    pub(super) fn changes(&mut self, now: SimTime, change: SupplyChange, index: usize) {
        match self {
            NodesAhead::Kinds(kinds) => drop(kinds.changes(now, change, index)),
            NodesAhead::Names(names) => drop(names.changes(now, change, index)),
        }
    }

    /// A job starts, or ends.
    pub(super) fn job(&mut self, now: SimTime, change: Change, row: &Row) {
        match (self, change) {
            (NodesAhead::Kinds(kinds), Change::Start) => kinds.starts(now, row),
            (NodesAhead::Kinds(kinds), _) => kinds.ends(now, row),
            (NodesAhead::Names(names), Change::Start) => names.starts(now, row),
            (NodesAhead::Names(names), _) => names.ends(now, row),
        }
    }

    /// Returns true if a job that fits now does so for its estimate: on nodes that have these
    /// stocks now, where these jobs are past their estimates.
    pub(super) fn holds<'r>(
        &mut self,
        now: SimTime,
        row: &Row,
        stocks: &[Stock],
        overdue: impl Iterator<Item = &'r Row>,
    ) -> bool {
        match self {
            NodesAhead::Kinds(kinds) => kinds.holds(now, row, overdue),
            NodesAhead::Names(names) => names.holds(now, row, stocks),
        }
    }

    /// The first instant, from `from` on, from which on a job fits as long as it is estimated to
    /// run.
    pub(super) fn first(&mut self, (now, from): (SimTime, SimTime), row: &Row) -> Option<SimTime> {
        match self {
            NodesAhead::Kinds(kinds) => first(kinds, (now, from), row),
            NodesAhead::Names(names) => first(names, (now, from), row),
        }
    }
}

fn first<C: Calendar>(calendar: &mut C, (now, from): (SimTime, SimTime), row: &Row) -> Option<SimTime> {
    let booking = calendar.earliest(now, row, from)?;
    calendar.give_up(now, row, &booking);
    Some(booking.start)
}
