//! Free parts of nodes that have more than processors: which job fits, where, and when the head of
//! a queue will.
//!
//! On a plain machine a job fits if enough processors are free, wherever they are. On nodes with
//! memory, GPUs and features it fits if its chunks do ([`resources`](crate::workload::resources)):
//! each node takes as many as fit, and chunks of one job are alike, so the job fits if the nodes
//! together take them all. A last chunk with fewer processors is placed last, where it fits first;
//! that finds capacity whenever there is any.
//!
//! EASY backfilling on nodes is the published rule with capacity in place of counts: the shadow
//! time of the head is the earliest estimated end at which it fits, and its reservation is a place
//! on nodes then ([`Reservation`]). Who is estimated to outlast it may start next to it: on what is
//! free now and not reserved. The place takes what is not free now first, so on nodes of one
//! processor, and on nodes with processors alone, this is the extra-processor rule, to the job.

mod chunk;
mod free;
mod free_resources;
mod gpu_choice;
mod gpu_place;
#[cfg(test)]
mod gpu_tests;
mod gpu_view;
mod held;
mod lack;
mod offered;
mod outlook;
mod placement;
mod reservation;
#[cfg(test)]
mod tests;
mod timetable;

pub use free_resources::{Asking, FreeResources};
pub use gpu_choice::GpuPlace;
pub use lack::Lack;
pub use outlook::NodesOutlook;
pub use reservation::Reservation;
pub(in crate::batch) use timetable::{Instant, NodeTimetable};
