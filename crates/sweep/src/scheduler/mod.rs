//! Schedulers: what the grid calls, what they call, and how queues become transfers and
//! computations.
//!
//! - [`interfaces`] between a scheduler and the grid; [`kind`]: schedulers by name.
//! - `dispatch`: `do_schedule`; `link_queue`: the queue of a link, and its next transfer;
//!   `rerouting`: inputs from other clusters; `duplicate`: second copies of tasks.
//! - [`workqueue`]: the scheduler that plans nothing.

pub(crate) mod dispatch;
pub(crate) mod duplicate;
pub mod interfaces;
pub mod kind;
pub(crate) mod link_queue;
pub(crate) mod rerouting;
pub mod workqueue;
