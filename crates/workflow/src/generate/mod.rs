//! Generated graphs: published families of random and regular graphs, one file each.
//!
//! A family states its tasks and edges, each with a weight; the rest is the same for all: the cost
//! of a task is a draw times its weight, the bytes of an edge are a draw times its weight, `ccr`
//! scales all bytes by one factor, and `beta` makes costs unrelated. Structure, costs and data come
//! from streams of their own, so that changing one law moves no draw of another.

mod chain;
mod cholesky;
mod fft;
mod fork_join;
mod gaussian_elimination;
mod independent;
mod layered;
mod lu;
mod montage;
mod random;
mod sketch;
mod stencil;
mod tiles;
mod trees;

pub use random::choose;

use crate::registry::Entry;
use crate::source::WorkflowSource;

/// The families by name.
pub(super) const ENTRIES: &[Entry<dyn WorkflowSource>] = &[
    chain::ENTRY,
    cholesky::ENTRY,
    fft::ENTRY,
    fork_join::ENTRY,
    gaussian_elimination::ENTRY,
    independent::ENTRY,
    layered::ENTRY,
    lu::ENTRY,
    montage::ENTRY,
    random::ENTRY,
    stencil::ENTRY,
    trees::IN_TREE,
    trees::OUT_TREE,
];

#[cfg(test)]
mod tests;
