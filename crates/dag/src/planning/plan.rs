//! Plan of a scheduler: the core, the place in the order and the times of each task, and the
//! reasons for its slot.

use crate::kernel::SimTime;
use crate::model::grid::Core;
use crate::platform::HostId;
use crate::workflow::{EdgeNumber, TaskNumber};

/// A core, or what stands for the cores that a task holds together, and a span of time on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSlot {
    /// The core.
    pub core: Core,
    /// Start.
    pub start: SimTime,
    /// End.
    pub end: SimTime,
}

/// A task on a core, as planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlannedTask {
    /// The task.
    pub task: TaskNumber,
    /// The core that computes it; of a task of several cores what stands for them
    /// ([`View::together`](crate::View::together)).
    pub core: Core,
    /// Instant at which it is planned to start; instants count for orders of transfers and for
    /// comparison, a core keeps the order all the same.
    pub start: SimTime,
    /// Instant at which it is planned to end.
    pub end: SimTime,
}

/// Transfer of the data of an edge from host to host, as planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlannedTransfer {
    /// The edge or input.
    pub edge: EdgeNumber,
    /// Host that has the data.
    pub from: HostId,
    /// Host that needs them.
    pub to: HostId,
    /// Start on its links; the present instant of a transfer that they carry already.
    pub start: SimTime,
    /// Predicted arrival.
    pub end: SimTime,
}

/// An order of tasks for each core.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaskPlan {
    /// The tasks; those of one core are computed in this order.
    pub assignments: Vec<PlannedTask>,
    /// The edges between hosts in the order in which links carry them; without it, in the order of
    /// the planned ends of their parents.
    pub transfers: Option<Vec<EdgeNumber>>,
    /// Predicted lower bound of the end of any plan, if the scheduler has found one; a plan that
    /// ends then is the best.
    pub bound: Option<SimTime>,
    /// Steps of the scheduler that made the longest chain longer, if it counts them.
    pub lengthened: Option<u64>,
}

impl TaskPlan {
    /// The last planned end; the beginning of time without tasks.
    pub fn end(&self) -> SimTime {
        self.assignments.iter().map(|assignment| assignment.end).max().unwrap_or_default()
    }

    /// The assignment of a task.
    pub fn of(&self, task: TaskNumber) -> Option<&PlannedTask> {
        self.assignments.iter().find(|assignment| assignment.task == task)
    }
}

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
