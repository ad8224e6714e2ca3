//! Why jobs may not overtake, as the rules of a front end know it.

use crate::kernel::SimTime;
use crate::registry::definition::words;

words! {
    /// Why a job that waits may not overtake, or when it can start, as one word of outputs.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum ObstacleKind {
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
pub enum Obstacle {
    /// The rule does not say.
    Unknown,
    /// No job may overtake.
    Order,
    /// Too little is free for it, too.
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

impl Obstacle {
    /// Its word in outputs; `None` where the rule does not say.
    pub fn kind(&self) -> Option<ObstacleKind> {
        Some(match self {
            Obstacle::Unknown => return None,
            Obstacle::Order => ObstacleKind::Order,
            Obstacle::Short => ObstacleKind::Short,
            Obstacle::Shadow { .. } => ObstacleKind::Shadow,
            Obstacle::Reservations(_) => ObstacleKind::Reservations,
            Obstacle::Promised(_) => ObstacleKind::Promised,
            Obstacle::Reserved(_) => ObstacleKind::Reserved,
            Obstacle::Overdue => ObstacleKind::Overdue,
            Obstacle::Away => ObstacleKind::Away,
        })
    }
}
