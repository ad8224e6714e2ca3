//! GPUs of nodes as devices: their state, the rules by which chunks get them, and the fragmentation
//! of what is free.
//!
//! Of each node the GPUs are known, of each GPU its kind and how many of its parts are free. A
//! chunk asks for whole GPUs, which have to be empty, for parts of one or of several, or for
//! instances of a profile; all of it is on one node. Chunks of one job are alike, and which of
//! several GPUs a chunk gets changes no number of chunks that fit, so a job fits under every rule
//! or under none.

mod fragmentation;
mod node_gpus;
mod rule;
#[cfg(test)]
pub(in crate::batch) mod tests;

pub use fragmentation::{GpuTask, TaskMix, free_amount};
pub use node_gpus::{Gpu, HeldGpu, NodeGpus};
pub use rule::{GpuNode, GpuRule, GpuScores, GpuSite, GpuSizes, MigStarts, Score};
