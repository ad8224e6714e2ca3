//! Bookings that count nodes: where jobs have these whole, as each has one processor, or as all
//! jobs ask for nodes to themselves.
//!
//! A booking is a number of nodes of each kind, the first kind that holds the job first; which
//! nodes these are is decided when it starts. Kinds that are alike to all jobs are one here: they
//! have the same, or they have one processor and the same jobs may be there. Nodes that are
//! reserved by name are a kind of their own.

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::DemandId;

use super::super::Row;
use super::super::calendar::{Booking, Calendar};
use super::super::on_nodes::parts;
use super::super::supply::{SupplyChange, span};
use super::super::timeline::Timeline;
use super::classes::{Classes, classes, each_kind};
use super::node_supply::NodeSupply;
use super::reserved::NodeReservations;
use super::stock::{Need, Stock, nodes_of};

const NEXT: SimDuration = SimDuration::from_nanos(1);

/// Chunks of a demand that a node of a kind takes without another job.
#[derive(Clone, Copy, Debug)]
struct Most {
    kind: usize,
    chunks: i64,
}

/// Free nodes of each class over time.
pub(in crate::judge::schedule) struct NodesByKind<'a> {
    supply: NodeSupply<'a>,
    lines: Vec<Timeline>,
    /// A node of each class.
    whole: Vec<Stock>,
    /// Class of each node.
    of_nodes: Vec<usize>,
    /// Of each class the kind of the site that its first node has.
    firsts: Vec<usize>,
    /// Of each demand, the classes that have its features.
    most: OrderedMap<DemandId, Vec<Most>>,
}

impl<'a> NodesByKind<'a> {
    /// `None` if nodes are shared.
    pub(in crate::judge::schedule) fn of(supply: NodeSupply<'a>, rows: &[Row]) -> Option<Self> {
        let mut asked: OrderedSet<DemandId> = rows.iter().map(|row| row.demand).collect();
        let reserved = supply.reserved;
        reserved.iter().for_each(|reserved| asked.extend(reserved.demands()));
        let named = reserved.map(NodeReservations::named).unwrap_or_default();
        let Classes { of_nodes, firsts, counts } = classes(supply.resources, &asked, &named)?;
        let stocks = each_kind(supply.resources);
        Some(NodesByKind {
            supply,
            lines: counts.into_iter().map(Timeline::new).collect(),
            whole: firsts.iter().map(|&first| stocks[first].clone()).collect(),
            of_nodes,
            firsts,
            most: OrderedMap::new(),
        })
    }

    /// Returns true if a job fits on nodes that are free now and as long as it is estimated to run;
    /// these jobs are past their estimates.
    pub(super) fn holds<'r>(
        &mut self,
        now: SimTime,
        row: &Row,
        overdue: impl Iterator<Item = &'r Row>,
    ) -> bool {
        let (need, most) = (Need::of(row, self.supply.resources), self.most(row));
        let mut free: Vec<i64> = self.lines.iter().map(|line| line.least(now, NEXT)).collect();
        for (kind, nodes) in overdue.flat_map(|row| self.held(row)) {
            free[kind] -= nodes;
        }
        let free = most.iter().map(|one| free[one.kind].min(self.lines[one.kind].least(now, span(row))));
        let free: Vec<i64> = free.collect();
        self.place(&need, &most, &free).is_some()
    }

    fn most(&mut self, row: &Row) -> Vec<Most> {
        let demand = self.supply.resources.demands.of(row.demand);
        let names = self.supply.resources.demands.features();
        let (kinds, whole) = (self.supply.resources.nodes.kinds(), &self.whole);
        let has = |first: usize| names.cover(kinds[first].features, demand.features);
        let all = || {
            let kinds = self.firsts.iter().enumerate().filter(|&(_, &first)| has(first));
            kinds.map(|(kind, _)| Most { kind, chunks: whole[kind].chunks(demand) }).collect()
        };
        self.most.entry(row.demand).or_insert_with(all).clone()
    }

    /// Nodes of each kind for a job, of so many that are free; `None` if it does not fit.
    fn place(&self, need: &Need<'_>, most: &[Most], free: &[i64]) -> Option<Vec<(usize, i64)>> {
        let (mut left, mut has_last) = (need.chunks, need.rest == 0);
        let mut place = Vec::new();
        for (one, &free) in most.iter().zip(free).filter(|(one, _)| one.chunks > 0) {
            let nodes = (left / one.chunks + i64::from(left % one.chunks > 0)).min(free.max(0));
            if nodes > 0 {
                // the last of them may have room for one more
                let on_last = left.min(nodes * one.chunks) - (nodes - 1) * one.chunks;
                let takes = |chunks| self.whole[one.kind].takes_last(need, chunks);
                has_last |= takes(on_last) || nodes > 1 && takes(one.chunks);
                left -= left.min(nodes * one.chunks);
                place.push((one.kind, nodes));
            }
        }
        if left > 0 {
            return None;
        }
        let taken =
            |place: &[(usize, i64)], kind| place.iter().find(|one| one.0 == kind).map_or(0, |one| one.1);
        if !has_last {
            let holds = |(one, free): &(&Most, &i64)| {
                **free > taken(&place, one.kind) && self.whole[one.kind].takes_last(need, 0)
            };
            let kind = most.iter().zip(free).find(holds)?.0.kind;
            match place.iter_mut().find(|one| one.0 == kind) {
                Some(one) => one.1 += 1,
                None => place.push((kind, 1)),
            }
        }
        Some(place)
    }

    /// The first start of a job in a span of time, and its nodes.
    fn first(
        &mut self,
        row: &Row,
        (from, before): (SimTime, SimTime),
    ) -> Option<(SimTime, Vec<(usize, i64)>)> {
        let (need, most) = (Need::of(row, self.supply.resources), self.most(row));
        let span = span(row);
        if let [one] = most[..] {
            let place = self.place(&need, &most, &[i64::from(u32::MAX)])?;
            let nodes = u32::try_from(place.iter().map(|one| one.1).sum::<i64>()).ok()?;
            let start = self.lines[one.kind].earliest(nodes, span, from);
            return (start < before).then_some((start, place));
        }
        let mut at = from;
        while at < before {
            let free: Vec<i64> = most.iter().map(|one| self.lines[one.kind].least(at, span)).collect();
            if let Some(place) = self.place(&need, &most, &free) {
                return Some((at, place));
            }
            at = most.iter().map(|one| self.lines[one.kind].next(at)).min()?;
        }
        None
    }

    fn change(&mut self, from: SimTime, to: SimTime, place: &[(usize, i64)], sign: i64) {
        for &(kind, nodes) in place {
            self.lines[kind].change(from, to, sign * nodes);
        }
    }

    /// The nodes that a job has.
    fn held(&self, row: &Row) -> Vec<(usize, i64)> {
        self.by_kind(parts(row, &self.supply.resources.nodes).into_keys())
    }

    /// Numbers of nodes by their classes.
    fn by_kind(&self, all: impl Iterator<Item = u32>) -> Vec<(usize, i64)> {
        let mut held = vec![0; self.lines.len()];
        all.for_each(|node| held[self.of_nodes[node as usize]] += 1);
        held.into_iter().enumerate().filter(|one| one.1 > 0).collect()
    }
}

impl Calendar for NodesByKind<'_> {
    type Place = Vec<(usize, i64)>;

    fn advance(&mut self, now: SimTime) {
        self.lines.iter_mut().for_each(|line| line.advance(now));
    }

    fn changes(&mut self, now: SimTime, change: SupplyChange, index: usize) -> bool {
        if let Some((plan, from)) = self.supply.planned(now, change, index) {
            let sign = if change == SupplyChange::Known { -1 } else { 1 };
            let nodes = self.by_kind(plan.nodes.iter().copied());
            self.change(from, plan.asked.to, &nodes, sign);
        } else if matches!(change, SupplyChange::Fails | SupplyChange::Back) {
            let sign = if change == SupplyChange::Fails { -1 } else { 1 };
            let nodes = nodes_of(self.supply.resources, self.supply.away[index].on);
            let nodes = self.by_kind(nodes.map(|node| node as u32));
            self.change(now, SimTime::MAX, &nodes, sign);
        }
        change.moves_promises()
    }

    fn earliest(&mut self, _: SimTime, row: &Row, from: SimTime) -> Option<Booking<Self::Place>> {
        let (start, place) = self.first(row, (from, SimTime::MAX))?;
        self.change(start, start.saturating_add(span(row)), &place, -1);
        Some(Booking { start, place })
    }

    fn earlier(
        &mut self,
        _: SimTime,
        row: &Row,
        from: SimTime,
        one: &Booking<Self::Place>,
    ) -> Option<(Booking<Self::Place>, SimTime)> {
        let end = one.start.saturating_add(span(row));
        self.change(one.start, end, &one.place, 1);
        let Some((start, place)) = self.first(row, (from, one.start)) else {
            self.change(one.start, end, &one.place, -1);
            return None;
        };
        self.change(start, start.saturating_add(span(row)), &place, -1);
        Some((Booking { start, place }, one.start))
    }

    fn give_up(&mut self, now: SimTime, row: &Row, one: &Booking<Self::Place>) {
        self.change(one.start.max(now), one.start.saturating_add(span(row)), &one.place, 1);
    }

    fn starts(&mut self, now: SimTime, row: &Row) {
        let held = self.held(row);
        self.change(now, now.saturating_add(span(row)), &held, -1);
    }

    fn ends(&mut self, now: SimTime, row: &Row) {
        let held = self.held(row);
        self.change(now, row.start.saturating_add(span(row)), &held, 1);
    }
}
