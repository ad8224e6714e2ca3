//! Why a task has its slot: the cores that were looked at for it, and what the rule made least.

use crate::dag::view::TimeSlot;
use crate::kernel::SimTime;
use crate::workflow::TaskNumber;

/// A core that was looked at for a task.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CandidateSlot {
    /// When the data of all parents would be there.
    pub ready: SimTime,
    /// The slot.
    pub slot: TimeSlot,
    /// What the rule makes least.
    pub figure: f64,
}

/// Why a task has its slot.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The task.
    pub task: TaskNumber,
    /// Tasks that had a slot before it.
    pub before: usize,
    /// The cores that were looked at, in order.
    pub candidates: Vec<CandidateSlot>,
    /// The slot that it got.
    pub slot: TimeSlot,
}
