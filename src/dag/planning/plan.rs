//! Plan of a scheduler: the core, the place in the order, and the times of each task.

use crate::dag::model::grid::Core;
use crate::kernel::SimTime;
use crate::platform::HostId;
use crate::workflow::{EdgeNumber, TaskNumber};

/// A task on a core, as planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlannedTask {
    /// The task.
    pub task: TaskNumber,
    /// The core that computes it; of a task of several cores what stands for them
    /// ([`View::together`](crate::dag::View::together)).
    pub core: Core,
    /// Instant at which it is planned to start; instants count for orders of transfers and for
    /// comparison, a core keeps the order all the same.
    pub start: SimTime,
    /// Instant at which it is planned to end.
    pub end: SimTime,
}

/// The data of an edge on their way from host to host, as planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlannedTransfer {
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
