//! What a front end decides with: the queue, the running jobs by estimated end, the room on nodes that jobs share, the
//! rows of gang scheduling, what is promised to real-time jobs, and pure decisions over them.
//!
//! Nothing here waits, and nothing here changes the machine: a decision reads a view and answers with jobs or
//! processors, and a policy carries it out. So a rule can be tested by hand, without a kernel.

pub mod admission;
pub mod allocation;
pub mod backfill;
pub mod node_selection;
pub mod ousterhout;
mod profile;
pub mod queue;
mod running;
mod slots;

pub use profile::Profile;
pub use queue::Queue;
pub use running::{Running, Shadow};
pub use slots::Slots;
