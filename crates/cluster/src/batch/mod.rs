//! Decisions of a batch scheduler and their data: the queue, the running jobs by estimated end,
//! free parts of nodes that jobs share, the rows of gang scheduling, promises to real-time jobs,
//! and pure decisions over them; the [`machine`] that a policy changes, and the [`record`] that it
//! writes.
//!
//! Nothing here waits, and no decision changes the machine: it reads a view and answers with jobs
//! or processors, and a policy carries it out. So a rule can be tested by hand, without a kernel.

pub mod admission;
pub mod allocation;
pub mod backfill;
pub mod devices;
pub mod estimate;
pub mod gang_matrix;
pub mod holding;
pub mod limits;
pub mod machine;
pub mod molding;
pub mod node_resources;
pub mod node_selection;
mod obstacle;
pub mod planned;
pub mod pools;
mod profile;
pub mod queue;
pub mod record;
mod running;
mod slots;
#[cfg(test)]
mod tests;
mod timetable;

pub use obstacle::Obstacle;
pub use profile::Profile;
pub use queue::Queue;
pub use running::{Running, Shadow};
pub use slots::Slots;
