//! Nodes that jobs share, over time: bookings name them.

use crate::batch::node_resources::FreeResources;
use crate::batch::node_resources::free::Free;
use crate::batch::node_resources::gpu_choice::Held;
use crate::batch::node_resources::placement::{Part, place};
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::Demands;

use super::lane::{Lane, Taken};
use super::{NEXT_NANO, Need, Span};

/// Nodes by name.
#[derive(Debug)]
pub(super) struct NamedNodes {
    lanes: Vec<Lane>,
    /// The nodes that jobs are booked on.
    nodes: OrderedMap<JobId, Vec<u32>>,
    /// The nodes with jobs past their estimates.
    late: Vec<u32>,
}

/// A place of a job: its part on each node.
pub(super) type Place = Vec<(u32, Taken)>;

impl NamedNodes {
    pub(super) fn new(resources: &FreeResources) -> Self {
        let nodes = resources.empty.iter().zip(&resources.now);
        let lane = |(empty, now): (&Free, &Free)| {
            Lane::new(if now.is_down() { empty.shut() } else { empty.clone() })
        };
        let lanes = nodes.map(lane).collect();
        NamedNodes { lanes, nodes: OrderedMap::new(), late: Vec::new() }
    }

    /// A decision begins; these jobs are past their estimates.
    pub(super) fn begin<'h>(&mut self, now: SimTime, late: impl Iterator<Item = &'h Held>) {
        for lane in &mut self.lanes {
            lane.begin(now);
        }
        self.late.clear();
        for (node, taken) in late.flat_map(place_of) {
            self.lanes[node as usize].is_held(taken);
            self.late.push(node);
        }
    }

    /// A node is reserved for a span. Returns false if it is out of service, or some of it is
    /// booked meanwhile.
    pub(super) fn reserve(&mut self, node: u32, span: Span) -> bool {
        let lane = &mut self.lanes[node as usize];
        lane.reserve(span) && lane.is_there()
    }

    pub(super) fn book(&mut self, job: JobId, span: Span, place: Place) {
        let nodes = place.iter().map(|&(node, _)| node).collect();
        for (node, taken) in place {
            self.lanes[node as usize].book(job, span, taken);
        }
        self.nodes.insert(job, nodes);
    }

    /// Takes out the booking of a job.
    pub(super) fn take_out(&mut self, job: JobId) -> Place {
        let nodes = self.nodes.remove(&job).unwrap_or_default();
        let part = |node: u32| Some((node, self.lanes[node as usize].take_out(job)?));
        nodes.into_iter().filter_map(part).collect()
    }

    pub(super) fn extend(&mut self, job: JobId, to: SimTime) {
        for &node in self.nodes.get(&job).into_iter().flatten() {
            self.lanes[node as usize].extend(job, to);
        }
    }

    /// The earliest start from an instant on, which is not before `now`.
    pub(super) fn earliest(
        &self,
        demands: &Demands,
        need: &Need<'_>,
        (from, span): (SimTime, SimDuration),
        now: SimTime,
    ) -> Option<SimTime> {
        let able = || self.lanes.iter().filter(|lane| need.chunk.may_be_on(lane.make()));
        // what is far ahead is looked at only if nothing is found before
        let last = able().map(|lane| lane.last(demands)).max()?.max(now).saturating_add(NEXT_NANO);
        let (mut begins, mut length) = (from, span.max(NEXT_NANO));
        loop {
            let before = begins.saturating_add(length);
            let found = self.earliest_within(demands, need, (begins, before, span), now);
            if found.is_some() || before > last || before == SimTime::MAX {
                return found;
            }
            (begins, length) = (before, SimDuration::from_nanos(length.as_nanos().saturating_mul(2)));
        }
    }

    /// The earliest start in [`from`, `before`).
    fn earliest_within(
        &self,
        demands: &Demands,
        need: &Need<'_>,
        (from, before, span): (SimTime, SimTime, SimDuration),
        now: SimTime,
    ) -> Option<SimTime> {
        let size = need.chunk.demand.procs;
        let (whole, rest) = (need.procs / size, need.procs % size);
        let able = || self.lanes.iter().filter(|lane| need.chunk.may_be_on(lane.make()));
        // changes in how many whole chunks are held, and if there is a smaller one, instants at
        // which it may have come to fit
        let mut changes: Vec<(SimTime, i64, bool)> = Vec::new();
        for lane in able() {
            if whole > 0 {
                let mut note = |at, by| changes.push((at, by, by > 0));
                lane.holds(demands, &need.chunk, (from, before, span), now, &mut note);
            }
            if rest > 0 {
                let ends = lane.ends(demands, from, now).filter(|&at| at < before);
                changes.extend(ends.map(|at| (at, 0, true)));
            }
        }
        changes.sort_unstable_by_key(|&(at, ..)| at);
        let mut held = 0;
        for same in changes.chunk_by(|one, next| one.0 == next.0) {
            held += same.iter().map(|&(_, by, _)| by).sum::<i64>();
            let (at, rises) = (same[0].0, same.iter().any(|&(.., rises)| rises));
            let may = rises && held >= i64::from(whole);
            if may && self.place(demands, need, Span::new(at, span), now).is_some() {
                return Some(at);
            }
        }
        None
    }

    /// The place of a job on nodes that hold it for a span: those idle for the shortest time before
    /// it. `None` if they do not hold it.
    pub(super) fn place(
        &self,
        demands: &Demands,
        need: &Need<'_>,
        span: Span,
        now: SimTime,
    ) -> Option<Place> {
        let size = need.chunk.demand.procs;
        let (whole, last) = (need.procs / size, need.chunk.of_procs(need.procs % size));
        let least = if last.demand.procs > 0 { last.demand.procs } else { size };
        let may = |lane: &Lane| need.chunk.may_be_on(lane.make()) && lane.may_have(least, span);
        let able = (0..).zip(&self.lanes).filter(|(_, lane)| may(lane));
        let mut able: Vec<(SimDuration, u32)> =
            able.map(|(node, lane)| (lane.idle_before(demands, span.from, now), node)).collect();
        able.sort_unstable();
        let (mut nodes, mut free) = (Vec::new(), Vec::new());
        let (mut chunks, mut tried) = (0_u32, false);
        // the first nodes that hold it are enough
        let parts = able.into_iter().find_map(|(_, node)| {
            let here = self.lanes[node as usize].throughout(demands, span, now);
            let ends = last.demand.procs > 0 && here.chunks(&last) > 0;
            let whole_here = here.chunks(&need.chunk);
            if whole_here == 0 && !ends {
                return None;
            }
            nodes.push(node);
            free.push(here);
            chunks = chunks.saturating_add(whole_here);
            // once all whole chunks have a place, a node helps that takes the smaller one
            if chunks < whole || tried && !ends {
                return None;
            }
            tried = true;
            place(&free, || 0..free.len() as u32, need.chunk, need.procs)
        })?;
        let taken = parts.into_iter().map(|part| {
            let (node, demand) = (nodes[part.node as usize], &need.chunk.demand);
            let gpus = free[part.node as usize].lowest_gpus(demand, demand.chunks(part.procs));
            (node, Taken { demand: need.demand, procs: part.procs, gpus })
        });
        Some(taken.collect())
    }

    /// Free parts of each node throughout a span.
    pub(super) fn throughout(&self, demands: &Demands, span: Span, now: SimTime) -> Vec<Free> {
        self.lanes.iter().map(|lane| lane.throughout(demands, span, now)).collect()
    }
}

/// The place of what a running job holds.
pub(super) fn place_of(held: &Held) -> Place {
    let part = |part: &Part| {
        let gpus = held.gpus_on(part.node).to_vec();
        (part.node, Taken { demand: held.demand, procs: part.procs, gpus })
    };
    held.parts.iter().map(part).collect()
}
