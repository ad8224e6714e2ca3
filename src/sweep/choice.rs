//! Why a task has its slot: what a heuristic saw of it, and which task would have been next.

use crate::kernel::SimTime;
use crate::sweep::chart::{ChartSlot, ClusterCompletion};
use crate::sweep::heuristic::Rank;
use crate::workflow::{FileNumber, TaskNumber};

/// A slot that a task got in a plan, and what was known of it.
#[derive(Clone, PartialEq, Debug)]
pub struct SlotChoice {
    /// When the plan was made.
    pub at: SimTime,
    /// The task.
    pub task: TaskNumber,
    /// Its slot.
    pub slot: ChartSlot,
    /// When it would have been completed on each cluster that could have it.
    pub completions: Vec<ClusterCompletion>,
    /// How urgent it was; nothing of heuristics that take tasks in order.
    pub rank: Option<Rank>,
    /// Tasks that had slots in the plan before.
    pub before: u64,
    /// Tasks that it was chosen out of.
    pub among: u64,
    /// The task that would have been next.
    pub next: Option<(TaskNumber, Rank)>,
    /// Its inputs that were on the cluster, or would be by the chart.
    pub found: Vec<FileNumber>,
    /// Its inputs that had to be sent.
    pub sent: Vec<FileNumber>,
}
