//! Why jobs may not overtake, as the rules of a front end know it.

use crate::kernel::SimTime;
use crate::registry::definition::words;

words! {
    /// Why a job that waits may not overtake, or when it can start, as one word of outputs.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum BarKind {
        Order = "order", "no job may overtake";
        Short = "too-few-free", "too little is free for it, too";
        Shadow = "delays-head", "it would delay the head of the queue";
        Reservations = "delays-reservation", "it would delay a job that holds a reservation";
        Promised = "promised", "it is the head of the queue, and its start is known by the estimates";
        Reserved = "reserved", "it holds a reservation itself, which is to come";
        Overdue = "overdue", "its own reservation has come due, but other jobs outlast their estimates";
        Away = "out-of-service", "it needs more processors than are in service";
    }
}

/// Why a job that waits may not overtake, or when it can start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bar {
    /// The rule does not tell.
    Untold,
    /// Nobody may overtake.
    Order,
    /// There is too little room for it, too.
    Short,
    /// It would delay the head of the queue.
    Shadow {
        /// When the head can start, by the estimates.
        shadow: SimTime,
        /// When it would end itself.
        ends: SimTime,
        /// What the head leaves free then.
        extra: u64,
    },
    /// It would delay one of so many jobs that hold reservations.
    Reservations(u64),
    /// It is the head of the queue, and can start then by the estimates.
    Promised(SimTime),
    /// It holds a reservation itself.
    Reserved(SimTime),
    /// It needs more processors than are in service.
    Away,
    /// Its reservation has come due, or would at once, but jobs outlast their estimates.
    Overdue,
}

impl Bar {
    /// Its word in outputs; `None` where the rule does not say.
    pub fn kind(&self) -> Option<BarKind> {
        Some(match self {
            Bar::Untold => return None,
            Bar::Order => BarKind::Order,
            Bar::Short => BarKind::Short,
            Bar::Shadow { .. } => BarKind::Shadow,
            Bar::Reservations(_) => BarKind::Reservations,
            Bar::Promised(_) => BarKind::Promised,
            Bar::Reserved(_) => BarKind::Reserved,
            Bar::Overdue => BarKind::Overdue,
            Bar::Away => BarKind::Away,
        })
    }
}
