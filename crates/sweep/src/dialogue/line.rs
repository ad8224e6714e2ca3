//! Lines of a dialogue.

use crate::collections::OrderedMap;
use crate::estimate::predictions::SweepTransfer;
use crate::kernel::SimTime;
use crate::model::grid::{ClusterNumber, HostNumber};
use crate::workflow::{FileNumber, TaskNumber};

/// Entry that the grid calls in a scheduler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GridEntry {
    /// A host is there.
    NewHost(HostNumber),
    /// These tasks are to be done.
    NewWork(Vec<TaskNumber>),
    /// The computation of a task has ended.
    WorkDone(TaskNumber, HostNumber),
    /// A host is gone.
    HostFailed(HostNumber),
    /// The computation of a task, or its outputs, are lost.
    WorkFailed(TaskNumber),
    /// A cluster is gone.
    DiskFailed(ClusterNumber),
    /// A transfer has ended.
    TransferDone(SweepTransfer),
    /// All of the instant has happened: the scheduler acts.
    Decide,
}

/// By which action a file is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendingAction {
    /// An input from its origin.
    Store,
    /// An input from another cluster.
    Copy,
    /// An output to its origin.
    Retrieve,
}

/// Instant at which a task came into the queue of its host, and the planned start and end of its
/// computation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PlannedTimes {
    /// Into the queue.
    pub queued: Option<SimTime>,
    /// Start and end.
    pub planned: Option<(SimTime, SimTime)>,
}

/// Action of a scheduler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SchedulerAction {
    /// A transfer starts.
    Send {
        /// By which action.
        how: SendingAction,
        /// The transfer.
        transfer: SweepTransfer,
        /// Instant at which it was planned to start.
        planned: Option<SimTime>,
    },
    /// A computation starts.
    Compute {
        /// Of this task.
        task: TaskNumber,
        /// On this host.
        host: HostNumber,
        /// Times of its entry into the queue and of its plan.
        times: PlannedTimes,
    },
    /// A computation is ended without result.
    Cancel {
        /// Of this task.
        task: TaskNumber,
        /// On this host.
        host: HostNumber,
    },
    /// A file is removed.
    Remove {
        /// From this cluster.
        cluster: ClusterNumber,
        /// The file.
        file: FileNumber,
    },
    /// Room is asked for.
    GiveRoom {
        /// On this cluster.
        cluster: ClusterNumber,
        /// For the inputs of this task.
        task: TaskNumber,
        /// True if it has room then.
        answer: bool,
    },
    /// Room is given back.
    TakeRoom {
        /// On this cluster.
        cluster: ClusterNumber,
        /// By this task.
        task: TaskNumber,
    },
}

/// Content of a line, without its instant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DialogueLine {
    /// The grid calls.
    Entry(GridEntry),
    /// The scheduler acts.
    Action(SchedulerAction),
    /// At the end of the run a task has other times than those with which it started last.
    Planned(TaskNumber, PlannedTimes),
    /// The run is over; so many tasks were taken over from the queues of other hosts.
    End(u64),
}

/// The times of all tasks, as results have them.
#[derive(Debug, Default)]
pub(super) struct KnownTimes {
    planned: OrderedMap<TaskNumber, (SimTime, SimTime)>,
    queued: OrderedMap<(TaskNumber, HostNumber), SimTime>,
    /// Tasks whose times are noted at the end.
    noted: OrderedMap<TaskNumber, Option<SimTime>>,
}

impl KnownTimes {
    /// A task starts on a host.
    pub(super) fn start(&mut self, task: TaskNumber, host: HostNumber, times: PlannedTimes) {
        self.plan(task, times.planned);
        match times.queued {
            Some(since) => self.queued.insert((task, host), since),
            None => self.queued.remove(&(task, host)),
        };
    }

    /// Sets the times that are noted of a task at the end; from then on they hold.
    pub(super) fn note(&mut self, task: TaskNumber, times: PlannedTimes) {
        self.plan(task, times.planned);
        self.noted.insert(task, times.queued);
    }

    fn plan(&mut self, task: TaskNumber, planned: Option<(SimTime, SimTime)>) {
        match planned {
            Some(span) => self.planned.insert(task, span),
            None => self.planned.remove(&task),
        };
    }

    /// Instant at which a task was planned to start and to end.
    pub(super) fn planned(&self, task: TaskNumber) -> Option<(SimTime, SimTime)> {
        self.planned.get(&task).copied()
    }

    /// Instant at which a task came into the queue of a host.
    pub(super) fn queued(&self, task: TaskNumber, host: HostNumber) -> Option<SimTime> {
        let noted = self.noted.get(&task).copied();
        noted.unwrap_or_else(|| self.queued.get(&(task, host)).copied())
    }
}
