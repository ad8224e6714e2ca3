//! Communication patterns: which tasks of a job a task sends to, and which it receives from.
//!
//! In every iteration a task sends to each of its peers in turn, and then receives from each. One
//! file is one pattern. ClusterSchedSim (SIMULATION 80(4-5), 2004) draws four of them without
//! stating their rules, which are therefore our own, each in its file. A task alone has no peers
//! under any pattern. No task is its own peer, and none is a peer twice. All patterns but
//! `explicit` are symmetric: a task receives from those that it sends to.
//!
//! A pattern answers for one task at a time and keeps no table of all, so a job of a million tasks
//! costs nothing until its tasks run. [`Peers`] does not allocate; a task that iterates asks once
//! and clones it.

mod a2a;
mod explicit;
mod linear;
mod nn;
mod none;
mod peers;
#[cfg(test)]
mod tests;
mod tree;

use std::fmt;

use crate::registry::{Complaint, Entry, Params, Table};

pub use explicit::{Explicit, NoPeers};
pub use peers::Peers;

/// Pattern by which the tasks of a job send to each other.
pub trait Pattern: fmt::Debug + Send + Sync {
    /// The tasks that `rank` of `tasks` sends to, in the order of sending.
    fn sends_to(&self, rank: u32, tasks: u32) -> Peers;

    /// The tasks that `rank` of `tasks` receives from, in the order of receiving.
    fn receives_from(&self, rank: u32, tasks: u32) -> Peers {
        self.sends_to(rank, tasks)
    }

    /// Number of tasks a job must have; `None`: any number.
    fn tasks(&self) -> Option<u32> {
        None
    }
}

/// A pattern that has no keys.
const fn named(
    name: &'static str,
    about: &'static str,
    build: fn(&Params<'_>) -> Result<Box<dyn Pattern>, Complaint>,
) -> Entry<dyn Pattern> {
    const SOURCE: &str = "ClusterSchedSim, SIMULATION 80(4-5), 2004, names it; the rule is ours";
    Entry::published(name, about, SOURCE, &[], build)
}

/// The patterns by name.
pub fn table() -> Table<dyn Pattern> {
    Table::new(
        "pattern",
        "which tasks of a job send to which",
        &[a2a::ENTRY, explicit::ENTRY, linear::ENTRY, nn::ENTRY, none::ENTRY, tree::ENTRY],
    )
}
