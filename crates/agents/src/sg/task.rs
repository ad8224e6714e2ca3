//! Tasks of a toolkit: what they are, where they are in their life, and when they were where.

use crate::ids::index;
use crate::kernel::SimTime;
use crate::platform::sharing;

use super::toolkit::ResourceId;

index! {
    /// A task of a [`Toolkit`](super::Toolkit), numbered from 0 in the order of creation.
    pub struct TaskId(pub(super) u32);
}

/// State of a task; the module's essay draws it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum State {
    /// On no resource.
    #[default]
    Unscheduled,
    /// On a resource, waiting for what it depends on.
    Scheduled,
    /// Waiting to be served.
    Ready,
    /// Served.
    Running,
    /// Done.
    Completed,
    /// Resource failed.
    Failed,
}

/// Places and times of a task so far.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TaskRecord {
    /// Name.
    pub name: String,
    /// State of the task.
    pub state: State,
    /// The resources that it was last put on, in order.
    pub resources: Vec<ResourceId>,
    /// Instant at which it was put there.
    pub scheduled: Option<SimTime>,
    /// Instant at which all that it depends on had completed, or it was scheduled if that was
    /// later.
    pub ready: Option<SimTime>,
    /// Instant at which it was first served.
    pub begun: Option<SimTime>,
    /// Instant at which it completed or failed.
    pub ended: Option<SimTime>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Task {
    pub(super) amount: f64,
    pub(super) is_transfer: bool,
    pub(super) priority: f64,
    /// Tasks that wait for this one.
    pub(super) followers: Vec<TaskId>,
    /// Number of tasks it waits for.
    pub(super) missing: u32,
    /// Names on its resources, in the order of its path.
    pub(super) places: Vec<sharing::ServiceId>,
    /// Index of the resource that it is on, in the order of its path.
    pub(super) hop: usize,
    /// Instant at which the latency that it waits for is over.
    pub(super) arrival: Option<SimTime>,
    pub(super) record: TaskRecord,
}

impl Task {
    pub(super) fn new(name: String, amount: f64, is_transfer: bool) -> Self {
        let record = TaskRecord { name, ..TaskRecord::default() };
        Task { amount, is_transfer, priority: 1.0, record, ..Task::default() }
    }

    /// Returns true if it is on a resource and has not ended.
    pub(super) fn is_on(&self) -> bool {
        matches!(self.record.state, State::Scheduled | State::Ready | State::Running)
    }
}
