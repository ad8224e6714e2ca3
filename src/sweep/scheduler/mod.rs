//! Schedulers: what the grid calls, what they call, and how queues become transfers and
//! computations.
//!
//! - [`interfaces`] between a scheduler and the grid; [`kind`]: schedulers by name.
//! - `dispatch`: `do_schedule`; `link_queue`: the queue of a link, and its next transfer;
//!   `rerouting`: inputs from other clusters; `duplicate`: second copies of tasks.
//! - [`workqueue`]: the scheduler that plans nothing.

pub(in crate::sweep) mod dispatch;
pub(in crate::sweep) mod duplicate;
pub mod interfaces;
pub mod kind;
pub(in crate::sweep) mod link_queue;
pub(in crate::sweep) mod rerouting;
pub mod workqueue;
