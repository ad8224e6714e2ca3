//! Schedules under construction: the slots that a task could have.
//!
//! - [`partial`]: tasks that have a slot; `slots`: the slots of the next, on one core or several,
//!   and its transfers on links.
//! - `offers`, `each_offer`, `pair_heaps`, `steady_board`, `steady_tasks`: the best slot of each
//!   ready task.
//! - `starts`, `sequences`, `free_gaps`: plans in which tasks move until the end.

pub(in crate::dag) mod each_offer;
pub(in crate::dag) mod free_gaps;
pub(in crate::dag) mod offers;
pub(in crate::dag) mod pair_heaps;
pub mod partial;
pub(in crate::dag) mod sequences;
pub(in crate::dag) mod slots;
pub(in crate::dag) mod starts;
pub(in crate::dag) mod steady_board;
pub(in crate::dag) mod steady_tasks;
