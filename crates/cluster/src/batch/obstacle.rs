//! Obstacles to overtaking, as the rules of a front end know them.

use crate::kernel::SimTime;
use crate::registry::definition::words_of;

words_of! {
    /// Obstacle that keeps a waiting job from overtaking, or the instant at which it can start.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Obstacle {
        Order = "order", "no job may overtake";
        Short = "too-few-free", "too little is free for it, too";
        Shadow {
            /// Instant at which the head can start, by the estimates.
            shadow: SimTime,
            /// Instant at which the job would end itself.
            ends: SimTime,
            /// Processors that the head leaves free then.
            extra: u64,
        } = "delays-head", "it would delay the head of the queue";
        /// Number of jobs that hold reservations.
        Reservations(u64) = "delays-reservation", "it would delay a job that holds a reservation";
        Promised(SimTime) = "promised", "it is the head of the queue, and its start is known by the estimates";
        Reserved(SimTime) = "reserved", "it holds a reservation itself, which is to come";
        Overdue = "overdue", "its own reservation has come due, but other jobs outlast their estimates";
        Pool {
            /// Number of the pool among those of the run.
            pool: usize,
            /// Amount that the job asks for.
            need: u64,
            /// Amount that is free.
            free: u64,
        } = "too-little-of-pool", "too little of a pool is free for it, too";
        Away = "out-of-service", "it needs more processors than are in service";
        _ Unknown, "the rule does not report it";
    }
}
