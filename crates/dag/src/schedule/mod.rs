//! Schedules under construction: the slots that a task could have.
//!
//! - [`partial`]: tasks that have a slot; `slots`: the slots of the next, on one core or several,
//!   and its transfers on links.
//! - `offers`, `each_offer`, `pair_heaps`, `steady_board`, `steady_tasks`: the best slot of each
//!   ready task.
//! - `starts`, `sequences`, `free_gaps`: plans in which tasks move until the end.

pub(crate) mod each_offer;
pub(crate) mod free_gaps;
pub(crate) mod offers;
pub(crate) mod pair_heaps;
pub mod partial;
pub(crate) mod sequences;
pub(crate) mod slots;
pub(crate) mod starts;
pub(crate) mod steady_board;
pub(crate) mod steady_tasks;
