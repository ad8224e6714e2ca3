//! Bookings that name nodes: where jobs share these.
//!
//! A job starts at the first instant at which enough nodes have everything that it asks for
//! throughout its estimate. Of the nodes that do it takes those that no job is on for the shortest
//! time before, the lowest of equals, each with as many of its chunks as fit and the lowest GPUs;
//! a last smaller chunk goes where it fits first.

use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::DemandId;

use super::super::Row;
use super::super::calendar::{Booking, Calendar};
use super::super::supply::{SupplyChange, span};
use super::line::Line;
use super::node_supply::NodeSupply;
use super::stock::{Need, Share, Stock, has_features, nodes_of, shares, stocks};

/// Free parts of every node over time.
pub(in crate::judge::schedule) struct NodesByName<'a> {
    supply: NodeSupply<'a>,
    lines: Vec<Line>,
    features: OrderedMap<DemandId, Vec<bool>>,
}

impl<'a> NodesByName<'a> {
    pub(in crate::judge::schedule) fn new(supply: NodeSupply<'a>) -> Self {
        let lines = stocks(supply.resources).into_iter().map(Line::new).collect();
        NodesByName { supply, lines, features: OrderedMap::new() }
    }

    fn take(&mut self, from: SimTime, to: SimTime, shares: &[Share]) {
        shares.iter().for_each(|share| self.lines[share.node as usize].take(from, to, share));
    }

    fn give(&mut self, from: SimTime, to: SimTime, shares: &[Share]) {
        shares.iter().for_each(|share| self.lines[share.node as usize].give(from, to, share));
    }

    /// Returns true if a job fits on these stocks, which there are now, as long as it is estimated
    /// to run.
    pub(super) fn holds(&mut self, now: SimTime, row: &Row, stocks: &[Stock]) -> bool {
        let resources = self.supply.resources;
        let need = Need::of(row, resources);
        let has = &*self.features.entry(row.demand).or_insert_with(|| has_features(resources, need.demand));
        // what jobs past their estimates have is free from the next instant on
        let next = SimDuration::from_nanos(1);
        let rest = span(row).saturating_sub(next);
        let (mut all, mut has_last) = (0_i64, need.rest == 0);
        for (node, stock) in stocks.iter().enumerate().filter(|&(node, _)| has[node]) {
            let mut stock = stock.clone();
            if !rest.is_zero() {
                stock.meet(&self.lines[node].free(now.saturating_add(next), rest));
            }
            let chunks = stock.chunks(need.demand);
            all = all.saturating_add(chunks);
            has_last |= stock.takes_last(&need, chunks);
        }
        all > need.chunks || all == need.chunks && has_last
    }

    /// The first start of a job in a span of time, and what it gets then.
    fn first(
        &mut self,
        now: SimTime,
        row: &Row,
        within: (SimTime, SimTime),
    ) -> Option<(SimTime, Vec<Share>)> {
        let need = Need::of(row, self.supply.resources);
        let resources = self.supply.resources;
        let features = self.features.entry(row.demand);
        let has = &*features.or_insert_with(|| has_features(resources, need.demand));
        let mut changes: Vec<(SimTime, usize, i64)> = Vec::new();
        for (node, line) in self.lines.iter().enumerate().filter(|(node, _)| has[*node]) {
            line.chunks(&need, span(row), within, |at, chunks| changes.push((at, node, chunks)));
        }
        changes.stable_sort_by_key(|change| change.0);
        let (mut chunks, mut all) = (vec![0; self.lines.len()], 0);
        for instant in changes.chunk_by(|one, other| one.0 == other.0) {
            for &(_, node, count) in instant {
                all += count - chunks[node];
                chunks[node] = count;
            }
            if all >= need.chunks
                && let Some(shares) = place(&self.lines, has, &need, now, (instant[0].0, span(row)))
            {
                return Some((instant[0].0, shares));
            }
        }
        None
    }
}

/// The nodes that a job gets for a span, if they have room for all of it.
fn place(
    lines: &[Line],
    has: &[bool],
    need: &Need<'_>,
    now: SimTime,
    (at, span): (SimTime, SimDuration),
) -> Option<Vec<Share>> {
    let mut order: Vec<(SimDuration, usize)> =
        (0..lines.len()).filter(|&node| has[node]).map(|node| (lines[node].idle(now, at), node)).collect();
    order.stable_sort();
    let mut left = need.chunks;
    let mut taken = Vec::new();
    let mut last = need.rest > 0;
    for (_, node) in order {
        let stock = lines[node].free(at, span);
        let chunks = stock.chunks(need.demand).min(left);
        left -= chunks;
        if chunks > 0 || last {
            taken.push((node, stock, chunks));
        }
        if left == 0 && !last {
            break;
        }
    }
    if left > 0 {
        return None;
    }
    let mut shares = Vec::new();
    for (node, stock, chunks) in taken {
        let has_last = last && stock.takes_last(need, chunks);
        last &= !has_last;
        if chunks > 0 || has_last {
            shares.push(stock.share(node as u32, need, chunks, has_last));
        }
    }
    (!last).then_some(shares)
}

impl Calendar for NodesByName<'_> {
    type Place = Vec<Share>;

    fn advance(&mut self, now: SimTime) {
        self.lines.iter_mut().for_each(|line| line.advance(now));
    }

    fn changes(&mut self, now: SimTime, change: SupplyChange, index: usize) -> bool {
        if let Some((plan, from)) = self.supply.planned(now, change, index) {
            let is_closed = change == SupplyChange::Known;
            for &node in &plan.nodes {
                self.lines[node as usize].change(from, plan.asked.to, |stock| stock.close(is_closed));
            }
        } else if matches!(change, SupplyChange::Fails | SupplyChange::Back) {
            let is_away = change == SupplyChange::Fails;
            for node in nodes_of(self.supply.resources, self.supply.away[index].on) {
                self.lines[node].change(now, SimTime::MAX, |stock| stock.is_away = is_away);
            }
        }
        change.moves_promises()
    }

    fn earliest(&mut self, now: SimTime, row: &Row, from: SimTime) -> Option<Booking<Vec<Share>>> {
        let (start, place) = self.first(now, row, (from, SimTime::MAX))?;
        self.take(start, start.saturating_add(span(row)), &place);
        Some(Booking { start, place })
    }

    fn earlier(
        &mut self,
        now: SimTime,
        row: &Row,
        from: SimTime,
        one: &Booking<Vec<Share>>,
    ) -> Option<(Booking<Vec<Share>>, SimTime)> {
        let end = one.start.saturating_add(span(row));
        self.give(one.start, end, &one.place);
        let Some((start, place)) = self.first(now, row, (from, one.start)) else {
            self.take(one.start, end, &one.place);
            return None;
        };
        self.take(start, start.saturating_add(span(row)), &place);
        Some((Booking { start, place }, one.start))
    }

    fn give_up(&mut self, now: SimTime, row: &Row, one: &Booking<Vec<Share>>) {
        self.give(one.start.max(now), one.start.saturating_add(span(row)), &one.place);
    }

    fn starts(&mut self, now: SimTime, row: &Row) {
        self.take(now, now.saturating_add(span(row)), &shares(row, self.supply.resources));
    }

    fn ends(&mut self, now: SimTime, row: &Row) {
        self.give(now, row.start.saturating_add(span(row)), &shares(row, self.supply.resources));
    }
}
