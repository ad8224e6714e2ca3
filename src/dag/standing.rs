//! How far a run has come: what has started and ended, where data are, what has failed, and what keeps its place.

use std::ops::Range;

use crate::collections::{OrderedMap, OrderedSet};
use crate::dag::graph::Graph;
use crate::dag::grid::Core;
use crate::dag::plan::PlannedTransfer;
use crate::kernel::SimTime;
use crate::platform::HostId;
use crate::platform::sharing::LinkId;
use crate::workflow::{EdgeNumber, TaskNumber};

/// A core and a span of time on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSlot {
    /// The core.
    pub core: Core,
    /// When the task starts.
    pub start: SimTime,
    /// When it ends.
    pub end: SimTime,
}

/// Where a task is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Progress {
    /// Its workflow has not arrived: it is not to be scheduled yet.
    #[default]
    Absent,
    /// It may be scheduled, and has not started.
    Open,
    /// It has not started, and keeps the place that it has in a plan.
    Kept(TimeSlot),
    /// It runs, and ends as predicted when it started; not before now.
    Running(TimeSlot),
    /// It has ended.
    Finished(TimeSlot),
}

/// Where the data of an edge have been sent to, or are being sent to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// The host.
    pub to: HostId,
    /// When they were there, or are predicted to be.
    pub at: SimTime,
}

/// How far the tasks of a run have come.
#[derive(Clone, Debug, Default)]
pub struct ExecutionState {
    /// Of each task.
    pub tasks: Vec<Progress>,
    /// Of each edge, input and output.
    pub deliveries: Vec<Option<Delivery>>,
    /// Where files are sent by themselves: when each was on a host, or is predicted to be, by the first of the edges that carry it.
    pub copies: OrderedMap<(EdgeNumber, HostId), SimTime>,
    /// Hosts that have failed and are not repaired.
    pub down: OrderedSet<HostId>,
    /// The tasks of these numbers: of all others the workflows have not arrived, or have ended. So a plan in a long stream of workflows
    /// costs no more than one in a short stream.
    pub(in crate::dag) current: Range<u32>,
    /// Links that have failed and are not repaired.
    pub links_down: OrderedSet<LinkId>,
    /// The tasks that keep their places, every one after all that it waits for.
    pub(in crate::dag) kept: Vec<TaskNumber>,
    /// What links carry now, and what they are to carry for tasks that keep their places; where transfers wait for each other.
    pub(in crate::dag) booked: Vec<PlannedTransfer>,
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

    /// Whether a host or a link has failed and is not repaired.
    pub(in crate::dag) fn has_failures(&self) -> bool {
        !self.down.is_empty() || !self.links_down.is_empty()
    }

    /// Where a task is, was or will be computed; nothing if it is open.
    pub fn slot(&self, task: TaskNumber) -> Option<TimeSlot> {
        match self.tasks[task.index()] {
            Progress::Kept(slot) | Progress::Running(slot) | Progress::Finished(slot) => Some(slot),
            Progress::Open | Progress::Absent => None,
        }
    }
}
