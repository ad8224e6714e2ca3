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
//! Free processors of all nodes are a step function of their own, and so are whole chunks of each
//! demand where bookings name nodes: they reject most searches, and name the instant that most
//! others find, so that one place among nodes is looked for. Where nodes do not hold what they
//! promise, a search costs a step for each booking on each node that may take the job, and a sort
//! of them. A booking costs a step for each of its nodes and each of the few demands that are asked
//! about; an instant that passes costs nothing.

mod found;
mod from_now;
mod lane;
mod named;
mod outline;
mod sums;
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
