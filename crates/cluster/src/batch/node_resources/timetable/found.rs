//! The search for the place of a job among nodes, one after the other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::batch::node_resources::chunk::Chunk;
use crate::batch::node_resources::free::Free;
use crate::batch::node_resources::placement::{Part, place};
use crate::kernel::{SimDuration, SimTime};

use super::lane::{Lane, Taken};
use super::named::{NamedNodes, Place};
use super::{Need, Span};

/// Chunks that a node holds: whole ones, and true if it holds a smaller one.
type HeldChunks = (i64, bool);

/// Nodes that are empty and alike, throughout a span.
#[derive(Clone, Copy)]
struct EmptyAlike {
    /// Chunks that each holds, if it is of use.
    held: Option<HeldChunks>,
    /// The last instant before the span at which they were reserved.
    reserved: SimTime,
}

impl NamedNodes {
    /// The place of a job on nodes that hold it for a span: those idle for the shortest time before
    /// it. `None` if they do not hold it.
    pub(super) fn place(&self, need: &Need<'_>, span: Span, now: SimTime) -> Option<Place> {
        let mut found = Found::new(self, need, span, now);
        let mut empty = self.outlines.answers();
        let ever = span.from.since(now);
        // the first nodes that hold it are enough, so those after the first are put in order only
        // as far as they are asked for; those idle since now have theirs
        let (mut later, mut last) = (Vec::new(), Vec::new());
        let mut in_last = 0;
        for (node, lane) in (0..).zip(&self.lanes) {
            let outline = self.outline_of(node);
            if outline.is_full(span.from) {
                continue;
            }
            let (held, idle) = if outline.is_empty(span.from) {
                let EmptyAlike { held, reserved } = empty.of(node, || found.on_empty(lane));
                (held, span.from.since(outline.empty_from.max(reserved).max(now)))
            } else if need.chunk.may_be_on(lane.make()) {
                (found.holds(node), lane.idle_before(span.from, now))
            } else {
                continue;
            };
            let Some(held) = held else { continue };
            if idle == SimDuration::ZERO {
                if let Some(place) = found.and(node, held) {
                    return Some(place);
                }
            } else if idle == ever {
                // as many as hold all whole chunks are enough where there is no smaller one
                if in_last < found.whole || found.last.is_some() {
                    in_last += held.0;
                    last.push((node, held));
                }
            } else {
                later.push(Reverse((idle, node, held)));
            }
        }
        let mut later = BinaryHeap::from(later);
        while let Some(Reverse((_, node, held))) = later.pop() {
            if let Some(place) = found.and(node, held) {
                return Some(place);
            }
        }
        last.into_iter().find_map(|(node, held)| found.and(node, held))
    }
}

/// Nodes on which a job may be placed, as far as they have been looked at.
pub(super) struct Found<'a> {
    all: &'a NamedNodes,
    need: &'a Need<'a>,
    span: Span,
    now: SimTime,
    /// Whole chunks that have no place yet.
    whole: i64,
    /// The smaller chunk, if there is one.
    last: Option<Chunk<'a>>,
    /// The nodes, and the whole chunks that they have.
    nodes: Vec<(u32, i64)>,
    tried: bool,
}

impl<'a> Found<'a> {
    pub(super) fn new(all: &'a NamedNodes, need: &'a Need<'a>, span: Span, now: SimTime) -> Self {
        let (size, procs) = (need.chunk.demand.procs, need.procs);
        let last = (!procs.is_multiple_of(size)).then(|| need.chunk.of_procs(procs % size));
        Found { all, need, span, now, whole: i64::from(procs / size), last, nodes: Vec::new(), tried: false }
    }

    /// Chunks that a node holds which is empty throughout the span.
    fn on_empty(&self, lane: &Lane) -> EmptyAlike {
        let held = |chunk: &Chunk<'_>| i64::from(lane.empty().chunks(chunk));
        let whole = held(&self.need.chunk);
        let ends = self.last.as_ref().is_some_and(|last| held(last) > 0);
        let of_use = !lane.is_reserved(self.span) && (whole > 0 || ends);
        EmptyAlike { held: of_use.then_some((whole, ends)), reserved: lane.reserved_before(self.span.from) }
    }

    /// Chunks that a node holds; `None` if it is of no use.
    pub(super) fn holds(&self, node: u32) -> Option<HeldChunks> {
        let held = |chunk: &Chunk<'_>| self.all.least(node, chunk, self.span, self.now);
        let whole = held(&self.need.chunk);
        let ends = self.last.as_ref().is_some_and(|last| held(last) > 0);
        (whole > 0 || ends).then_some((whole, ends))
    }

    /// Takes a further node; gives the place of the job once it has one.
    pub(super) fn and(&mut self, node: u32, (held, ends): HeldChunks) -> Option<Place> {
        let taken = held.min(self.whole);
        self.whole -= taken;
        self.nodes.push((node, taken));
        // once all whole chunks have a place, a node helps that takes the smaller one
        if self.whole > 0 || self.tried && !ends {
            return None;
        }
        self.tried = true;
        if self.last.is_some() { self.with_last() } else { Some(self.of_whole()) }
    }

    /// The place of a job of whole chunks.
    fn of_whole(&self) -> Place {
        let demand = &self.need.chunk.demand;
        let taken = |&(node, chunks): &(u32, i64)| {
            let chunks = chunks as u32;
            let gpus = if demand.gpus == 0 {
                Vec::new()
            } else {
                self.all.throughout(node, self.span, self.now).lowest_gpus(demand, chunks)
            };
            (node, Taken { demand: self.need.demand, procs: chunks * demand.procs, gpus })
        };
        self.nodes.iter().map(taken).collect()
    }

    /// The place of a job with a smaller chunk, if that has one.
    fn with_last(&self) -> Option<Place> {
        let throughout = |&(node, _): &(u32, i64)| self.all.throughout(node, self.span, self.now);
        let free: Vec<Free> = self.nodes.iter().map(throughout).collect();
        let parts = place(&free[..], || 0..free.len() as u32, self.need.chunk, self.need.procs)?;
        let taken = |part: Part| {
            let (at, demand) = (part.node as usize, &self.need.chunk.demand);
            let gpus = free[at].lowest_gpus(demand, demand.chunks(part.procs));
            (self.nodes[at].0, Taken { demand: self.need.demand, procs: part.procs, gpus })
        };
        Some(parts.into_iter().map(taken).collect())
    }
}
