//! Nodes with what they have, over time: what is booked on them, and the earliest start of a job.
//!
//! The earliest start is exact: the first instant from which the nodes have everything that a job
//! asks for throughout its span. Where it is booked depends on how jobs have nodes:
//!
//! - where every job has its nodes whole ([`WholeNodes`]: nodes of one processor, or all demands
//!   for nodes to themselves), a booking is a count of nodes of each kind, and nodes are chosen at
//!   the start. The lowest kinds that hold it are taken;
//! - elsewhere ([`NamedNodes`]) a booking names nodes: of those that hold the job for its span,
//!   those that are idle for the shortest time before it (Slurm's `bf_busy_nodes`), the lowest of
//!   equals. Idle time counts from the instant of the last decision on.
//!
//! A node takes as many chunks as fit, a last smaller chunk the first node where it fits. At its
//! start a job is placed anew, by the allocation, on nodes that hold it for its span next to all
//! other bookings ([`NodeTimetable::alongside`]).
//!
//! # Complexity
//! Free processors of all nodes are a step function of their own, which rejects most searches. A
//! search that passes it costs a step for each booking on each node that may take the job, and a
//! sort of them.

mod lane;
mod named;
mod table;
mod whole;

use crate::batch::running::NEXT_NANO;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::DemandId;

use super::chunk::Chunk;
pub(in crate::batch) use table::{Instant, NodeTimetable};

/// Span of time; it begins before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) from: SimTime,
    pub(super) to: SimTime,
}

impl Span {
    fn new(from: SimTime, span: SimDuration) -> Self {
        Span { from, to: from.saturating_add(span) }
    }
}

/// A job that is looked for a place for.
#[derive(Clone, Copy)]
pub(super) struct Need<'a> {
    pub(super) chunk: Chunk<'a>,
    pub(super) demand: DemandId,
    pub(super) procs: u32,
}
