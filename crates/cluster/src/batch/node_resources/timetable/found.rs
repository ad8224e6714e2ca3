//! The search for the place of a job among nodes, one after the other.

use crate::batch::node_resources::chunk::Chunk;
use crate::batch::node_resources::free::Free;
use crate::batch::node_resources::placement::{Part, place};
use crate::kernel::SimTime;

use super::lane::Taken;
use super::named::{NamedNodes, Place};
use super::{Need, Span};

/// Chunks that a node holds: whole ones, and true if it holds a smaller one.
type HeldChunks = (i64, bool);

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
