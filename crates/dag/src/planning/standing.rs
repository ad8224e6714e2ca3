//! Progress of a run: tasks that have started and ended, places of data, failures, and places that
//! are kept.

use std::ops::Range;

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::SimTime;
use crate::model::graph::Graph;
use crate::planning::plan::{PlannedTransfer, TimeSlot};
use crate::platform::HostId;
use crate::platform::sharing::LinkId;
use crate::workflow::{EdgeNumber, TaskNumber};

/// State of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Progress {
    /// Absent, as its workflow has not arrived: it is not to be scheduled yet.
    #[default]
    Absent,
    /// Open to be scheduled, and not started.
    Open,
    /// Not started, and keeps the place that it has in a plan.
    Kept(TimeSlot),
    /// Running, and ends as predicted when it started; not before now.
    Running(TimeSlot),
    /// Ended.
    Finished(TimeSlot),
}

/// The host that the data of an edge were sent to, or are being sent to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// The host.
    pub to: HostId,
    /// Arrival, past or predicted.
    pub at: SimTime,
}

/// The state of a run between two plans.
#[derive(Clone, Debug, Default)]
pub struct ExecutionState {
    /// Of each task.
    pub tasks: Vec<Progress>,
    /// Of each edge, input and output.
    pub deliveries: Vec<Option<Delivery>>,
    /// With a file cache: the arrival of each file on a host, past or predicted, by the first of
    /// the edges that carry it.
    pub copies: OrderedMap<(EdgeNumber, HostId), SimTime>,
    /// Hosts that have failed and are not repaired.
    pub down: OrderedSet<HostId>,
    /// The tasks of these numbers: of all others the workflows have not arrived, or have ended. So
    /// a plan in a long stream of workflows costs no more than one in a short stream.
    pub(crate) current: Range<u32>,
    /// Links that have failed and are not repaired.
    pub links_down: OrderedSet<LinkId>,
    /// The tasks that keep their places, every one after all that it waits for.
    pub(crate) kept: Vec<TaskNumber>,
    /// Transfers that links carry now, and those to tasks that keep their places; where transfers
    /// wait for each other.
    pub(crate) booked: Vec<PlannedTransfer>,
}

impl ExecutionState {
    /// Every task may be scheduled, and none has started.
    pub fn all_open(graph: &Graph) -> Self {
        ExecutionState {
            tasks: vec![Progress::Open; graph.len()],
            deliveries: vec![None; graph.data_count()],
            copies: OrderedMap::new(),
            down: OrderedSet::new(),
            current: 0..graph.len() as u32,
            links_down: OrderedSet::new(),
            kept: Vec::new(),
            booked: Vec::new(),
        }
    }

    /// Returns true if a host or a link has failed and is not repaired.
    pub(crate) fn has_failures(&self) -> bool {
        !self.down.is_empty() || !self.links_down.is_empty()
    }

    /// The place of a task: present, past or planned; `None` if it is open.
    pub fn slot(&self, task: TaskNumber) -> Option<TimeSlot> {
        match self.tasks[task.index()] {
            Progress::Kept(slot) | Progress::Running(slot) | Progress::Finished(slot) => Some(slot),
            Progress::Open | Progress::Absent => None,
        }
    }
}
