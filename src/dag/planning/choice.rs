//! Reasons for the slot of a task: what the scheduler said of it, the cores that were looked at,
//! and what the rule made least.

use crate::dag::planning::view::TimeSlot;
use crate::kernel::SimTime;
use crate::workflow::TaskNumber;

/// A core that was looked at for a task.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CandidateSlot {
    /// Instant at which the data of all parents would be there.
    pub ready: SimTime,
    /// The slot.
    pub slot: TimeSlot,
    /// Figure that the rule compares, of the kind that [`FigureName::name`] says.
    pub figure: f64,
}

/// Name of the figure that a rule compares when it looks at cores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FigureName {
    /// Meaning of the number of a core, such as "end in seconds".
    pub name: &'static str,
    /// Criterion among equal numbers before the lower core decides; empty if there is none.
    pub tie: &'static str,
}

impl Default for FigureName {
    fn default() -> Self {
        FigureName { name: "figure", tie: "" }
    }
}

/// The cores that were looked at for a task, and the one that it got.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The task.
    pub task: TaskNumber,
    /// Tasks that had a slot before it.
    pub before: usize,
    /// Name of the figure that the rule compares.
    pub figure: FigureName,
    /// The cores that were looked at, the best first, of equal ones the lower.
    pub candidates: Vec<CandidateSlot>,
    /// Number of them are as good as the first, which counts; among these the lowest core was
    /// taken.
    pub equal: usize,
    /// The slot that it got.
    pub slot: TimeSlot,
}

/// Reasons for the slot of a task by one plan, or by one placement of a scheduler that places tasks
/// as the run goes on.
#[derive(Clone, PartialEq, Debug)]
pub struct SlotReasons {
    /// Instant at which the scheduler was asked, or placed it.
    pub at: SimTime,
    /// Number of the plan, from 0.
    pub plan: u64,
    /// Explanations by the scheduler, in sentences.
    pub said: Vec<String>,
    /// The cores that it looked at.
    pub choice: Option<Choice>,
}

/// Figure that a rule minimizes.
pub trait ChoiceFigure: PartialOrd + Copy {
    /// As seconds, or whatever the rule counts in, for explanations.
    fn number(self) -> f64;
}

impl ChoiceFigure for SimTime {
    fn number(self) -> f64 {
        self.as_secs_f64()
    }
}

impl ChoiceFigure for f64 {
    fn number(self) -> f64 {
        self
    }
}

impl<A: ChoiceFigure, B: ChoiceFigure> ChoiceFigure for (A, B) {
    fn number(self) -> f64 {
        self.0.number()
    }
}

/// Preferred slots first, and of equal ones the least figure.
impl<A: ChoiceFigure> ChoiceFigure for (bool, A) {
    fn number(self) -> f64 {
        self.1.number()
    }
}
