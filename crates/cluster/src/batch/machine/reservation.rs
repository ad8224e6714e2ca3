//! Reservations of processors: the times at which some are withheld from other jobs.
//!
//! A reservation is of a number of processors, whichever they are. Repeated ones are as many
//! reservations, one for each time. Some jobs may have been promised theirs: these run inside it,
//! and nowhere else.

use crate::collections::{IntervalSet, OrderedMap};
use crate::ids::JobId;
use crate::kernel::SimTime;

/// Processors that are reserved for a span of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reservation {
    /// Number in the scenario, from 1.
    pub number: u32,
    /// The how many-th time it is that it takes place, from 1.
    pub time: u32,
    /// Instant at which it begins.
    pub from: SimTime,
    /// Instant at which it ends, be it late or not; after `from`.
    pub to: SimTime,
    /// From when on it is known; not after `from`.
    pub known: SimTime,
    /// Processors it needs; above zero. Those of all that overlap are at most the machine.
    pub procs: u32,
    /// Use of the processors.
    pub purpose: ReservationUse,
    /// True if it does without processors that fail, and does not take others for them.
    pub shrinks: bool,
}

/// Nodes that a reservation is of, where jobs ask for more than processors.
#[derive(Clone, Debug)]
pub struct ReservedNodes {
    /// The nodes that it may have.
    pub among: IntervalSet,
    /// Number of those that it has: all, unless it is stated; then they are chosen when it becomes
    /// known.
    pub count: Option<u32>,
}

/// The reservations of a run.
#[derive(Clone, Debug, Default)]
pub struct Reservations {
    /// All of them, each time of a repeated one for itself.
    pub all: Vec<Reservation>,
    /// The jobs that run inside one, with its number; their processors are part of what it needs.
    pub inside: OrderedMap<JobId, u32>,
    /// The nodes that they are of, by their numbers; of others, and where jobs ask for processors
    /// alone, it is processors that are reserved.
    pub nodes: OrderedMap<u32, ReservedNodes>,
    /// The amounts of pools that they hold, by their numbers and the names of the pools.
    pub pools: OrderedMap<u32, Vec<(String, u32)>>,
}

impl Reservations {
    /// None.
    pub const NONE: Reservations = Reservations {
        all: Vec::new(),
        inside: OrderedMap::new(),
        nodes: OrderedMap::new(),
        pools: OrderedMap::new(),
    };
}

/// Use of reserved processors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ReservationUse {
    /// Maintenance: it has its processors in time, and jobs that are still on them are interrupted.
    Maintenance,
    /// Promised in advance: it waits for jobs that are still on processors it needs, and is late.
    Advance,
}
