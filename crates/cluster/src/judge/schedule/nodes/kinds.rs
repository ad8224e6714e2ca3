//! Bookings that count nodes: where jobs have these whole, as each has one processor, or as all
//! jobs ask for nodes to themselves.
//!
//! A booking is a number of nodes of each kind, the first kind that holds the job first; which
//! nodes these are is decided when it starts. Kinds that are alike to all jobs are one here: they
//! have the same, or they have one processor and the same jobs may be there.

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::SimTime;
use crate::workload::resources::{Demand, DemandId, GpuGroup, NodeKind, NodeUse};

use super::super::Row;
use super::super::calendar::{Booking, Calendar};
use super::super::on_nodes::parts;
use super::super::supply::{SupplyChange, span};
use super::super::timeline::Timeline;
use super::NodeSupply;
use super::stock::{Need, Stock, nodes_of};

/// Chunks of a demand that a node of a kind takes without another job.
#[derive(Clone, Copy, Debug)]
struct Most {
    kind: usize,
    chunks: i64,
}

/// Free nodes of each kind over time.
pub(in crate::judge::schedule) struct NodesByKind<'a> {
    supply: NodeSupply<'a>,
    lines: Vec<Timeline>,
    /// A node of each kind.
    whole: Vec<Stock>,
    /// Of each kind of the site the kind that it is here.
    of_site: Vec<usize>,
    /// Of each kind here the first of the site.
    firsts: Vec<usize>,
    /// Of each demand, the kinds that have its features.
    most: OrderedMap<DemandId, Vec<Most>>,
}

impl<'a> NodesByKind<'a> {
    /// `None` if nodes are shared.
    pub(in crate::judge::schedule) fn of(supply: NodeSupply<'a>, rows: &[Row]) -> Option<Self> {
        let resources = supply.resources;
        let kinds = resources.nodes.kinds();
        let alone = |row: &Row| resources.demands.of(row.demand).node_use == NodeUse::Exclusive;
        if kinds.iter().any(|kind| kind.processors > 1) && !rows.iter().all(alone) {
            return None;
        }
        let groups = resources.nodes.gpu_groups();
        let stock =
            |(kind, gpus): (&NodeKind, &Vec<GpuGroup>)| Stock::of(kind, gpus, resources.distinguishes_gpus());
        let stocks: Vec<Stock> = kinds.iter().zip(&groups).map(stock).collect();
        let asked: OrderedSet<DemandId> = rows.iter().map(|row| row.demand).collect();
        let able = |kind: usize| -> Vec<bool> {
            let names = resources.demands.features();
            let takes = |demand: &Demand| {
                let one = Demand { procs: 1, ..*demand };
                names.cover(kinds[kind].features, demand.features) && stocks[kind].chunks(&one) > 0
            };
            asked.iter().map(|&id| takes(resources.demands.of(id))).collect()
        };
        let same = |one: usize, other: usize| {
            let has = |kind: usize| (NodeKind { nodes: 0, ..kinds[kind] }, &groups[kind]);
            let single = [one, other].iter().all(|&kind| kinds[kind].processors == 1);
            has(one) == has(other) || single && able(one) == able(other)
        };
        let (mut firsts, mut of_site, mut counts): (Vec<usize>, _, Vec<i64>) =
            (Vec::new(), Vec::new(), Vec::new());
        for (kind, of) in kinds.iter().enumerate() {
            let place = firsts.iter().position(|&first| same(first, kind)).unwrap_or(firsts.len());
            if place == firsts.len() {
                firsts.push(kind);
                counts.push(0);
            }
            counts[place] += i64::from(of.nodes);
            of_site.push(place);
        }
        Some(NodesByKind {
            supply,
            lines: counts.into_iter().map(Timeline::new).collect(),
            whole: firsts.iter().map(|&first| stocks[first].clone()).collect(),
            of_site,
            firsts,
            most: OrderedMap::new(),
        })
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

    /// Numbers of nodes by their kinds.
    fn by_kind(&self, all: impl Iterator<Item = u32>) -> Vec<(usize, i64)> {
        let nodes = &self.supply.resources.nodes;
        let mut ends = Vec::new();
        let mut end = 0;
        for kind in nodes.kinds() {
            end += kind.nodes;
            ends.push(end);
        }
        let mut held = vec![0; self.lines.len()];
        for node in all {
            held[self.of_site[ends.partition_point(|&end| end <= node)]] += 1;
        }
        held.into_iter().enumerate().filter(|one| one.1 > 0).collect()
    }
}

impl Calendar for NodesByKind<'_> {
    type Place = Vec<(usize, i64)>;

    fn advance(&mut self, now: SimTime) {
        self.lines.iter_mut().for_each(|line| line.advance(now));
    }

    fn changes(&mut self, now: SimTime, change: SupplyChange, index: usize) -> bool {
        let sign = if change == SupplyChange::Fails { -1 } else { 1 };
        let nodes = nodes_of(self.supply.resources, self.supply.away[index].on);
        let nodes = self.by_kind(nodes.map(|node| node as u32));
        self.change(now, SimTime::MAX, &nodes, sign);
        true
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
