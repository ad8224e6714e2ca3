//! Reasons for the slot of a task: what a heuristic saw of it, and which task would have been next.

use crate::kernel::SimTime;
use crate::sweep::heuristic::{DecidingNumber, Rank};
use crate::sweep::model::grid::HostNumber;
use crate::sweep::plan::chart::{ChartSlot, ClusterCompletion};
use crate::workflow::{FileNumber, TaskNumber};

/// A slot that a task got in a plan, and what was known of it.
#[derive(Clone, PartialEq, Debug)]
pub struct SlotChoice {
    /// Instant at which the plan was made.
    pub at: SimTime,
    /// The task.
    pub task: TaskNumber,
    /// Slot.
    pub slot: ChartSlot,
    /// Instant at which it would have been completed on each cluster that could have it.
    pub completions: Vec<ClusterCompletion>,
    /// The numbers that its heuristic compared.
    pub compared: Vec<DecidingNumber>,
    /// Rank of the task; `None` of heuristics that take tasks in order.
    pub rank: Option<Rank>,
    /// Tasks as urgent as it, out of which it was drawn by chance.
    pub drawn_from: Option<u64>,
    /// Tasks that had slots in the plan before.
    pub before: u64,
    /// Tasks that it was chosen out of.
    pub among: u64,
    /// The task that would have been next.
    pub next: Option<NextTask>,
    /// Inputs that were on the cluster, or would be by the chart.
    pub found: Vec<FileNumber>,
    /// Inputs that had to be sent.
    pub sent: Vec<FileNumber>,
}

/// The task that would have been planned in place of another.
#[derive(Clone, PartialEq, Debug)]
pub struct NextTask {
    /// The task.
    pub task: TaskNumber,
    /// Rank of the task.
    pub rank: Rank,
    /// The numbers that the heuristic compared.
    pub compared: Vec<DecidingNumber>,
}

/// A task that an idle host took, where nothing is planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TakenTask {
    /// The instant.
    pub at: SimTime,
    /// The task.
    pub task: TaskNumber,
    /// The host.
    pub host: HostNumber,
    /// Tasks that waited, itself among them.
    pub among: u64,
    /// Bytes of its inputs that were on the cluster, where these decide.
    pub bytes: Option<u64>,
}
