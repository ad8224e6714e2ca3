//! Interfaces between a scheduler and the grid: entries that the grid calls, and four interfaces
//! that the scheduler uses.
//!
//! ```text
//!              new_host  new_work  work_done  host_failed  work_failed  disk_failed  transfer_done
//!   grid  ────────────────────────────────────────────────────────────────────────────▶ scheduler
//!         ◀────────────────────────────────────────────────────────────────────────────
//!         store copy retrieve compute cancel remove give_room take_room  information  predictions
//! ```
//!
//! Entries only say what has happened. When everything of an instant is over,
//! [`SweepScheduler::decide`] is called once, and acts.
//!
//! Source: sections 7.3.2 and 7.3.4 of the report of the Parameter Sweep Template.

use std::fmt;
use std::rc::Rc;

use crate::estimate::known::KnownSweep;
use crate::estimate::predictions::{Predictions, SubTask, SweepTransfer};
use crate::kernel::SimTime;
use crate::model::grid::{ClusterNumber, HostNumber, LinkNumber, SweepGrid};
use crate::model::storage::{LimitedStorage, StoredFiles};
use crate::results::record::{SlotChoice, SweepPlanRecord, TakenTask};
use crate::workflow::{FileNumber, TaskNumber};

/// A computation that is in progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunningComputation {
    /// The task.
    pub task: TaskNumber,
    /// The processor of its host.
    pub processor: u32,
    /// Instant at which it is estimated to end.
    pub end: SimTime,
}

/// Interface to the tasks and files of the application.
pub trait ApplicationInterface {
    /// The application.
    fn known(&self) -> &Rc<KnownSweep>;
}

/// Interface to the actions of the grid.
pub trait GridActions {
    /// Sends a file to a cluster, over its link from the origin of the file, which is idle.
    fn store(&mut self, cluster: ClusterNumber, file: FileNumber, task: TaskNumber);

    /// Sends a file to a cluster over a link from another that has it, which is idle.
    fn copy(&mut self, link: LinkNumber, cluster: ClusterNumber, file: FileNumber, task: TaskNumber);

    /// Sends an output of a task that has computed to its origin, over a link that is idle.
    fn retrieve(&mut self, cluster: ClusterNumber, file: FileNumber, task: TaskNumber);

    /// Starts a task on a host that has an idle processor and all its inputs.
    fn compute(&mut self, task: TaskNumber, host: HostNumber);

    /// Ends a computation without result.
    fn cancel(&mut self, task: TaskNumber, host: HostNumber);

    /// Removes a file from a cluster.
    fn remove(&mut self, cluster: ClusterNumber, file: FileNumber);

    /// Gives a task room for all its inputs in the storage of a cluster, if that has a limit.
    /// Whether it has room now; without it inputs are sent, and the task starts, only if they can
    /// have it then.
    fn give_room(&mut self, cluster: ClusterNumber, task: TaskNumber) -> bool;

    /// Takes the room of a task back that is not to run on a cluster; the end of its computation
    /// does so by itself.
    fn take_room(&mut self, cluster: ClusterNumber, task: TaskNumber);
}

/// Interface to the state of the grid at this instant.
pub trait GridInformation {
    /// The instant.
    fn now(&self) -> SimTime;

    /// Clusters and hosts, those that are not there among them.
    fn grid(&self) -> &Rc<SweepGrid>;

    /// Returns true if a host is there.
    fn is_present(&self, host: HostNumber) -> bool;

    /// Returns true if a cluster is there: its links and its storage.
    fn is_linked(&self, cluster: ClusterNumber) -> bool;

    /// Processors of a host that compute nothing; none of one that is not there.
    fn idle_processors(&self, host: HostNumber) -> u32;

    /// Clusters that store each file.
    fn stored(&self) -> &Rc<StoredFiles>;

    /// The storage of a cluster, if it has a limit.
    fn storage(&self, cluster: ClusterNumber) -> Option<&LimitedStorage>;

    /// Returns true if the storage of a cluster can hold all inputs of a task.
    fn fits(&self, task: TaskNumber, cluster: ClusterNumber) -> bool;

    /// Returns true if an input is where a task would compute.
    fn has_input(&self, task: TaskNumber, file: FileNumber, cluster: ClusterNumber) -> bool;

    /// Returns true if the storage from which a link brings a file to a cluster can keep it so
    /// long, if that has a limit.
    fn can_spare(&self, link: LinkNumber, cluster: ClusterNumber, file: FileNumber) -> bool;

    /// Number of tasks that have not started use each file.
    fn usage(&self) -> &[u32];

    /// Returns true if the computation of a task has started.
    fn has_started(&self, task: TaskNumber) -> bool;

    /// Returns true if the computation of a task has ended.
    fn has_computed(&self, task: TaskNumber) -> bool;

    /// Returns true if an output is at the origin.
    fn is_returned(&self, file: FileNumber) -> bool;

    /// Computations that a host runs.
    fn computing(&self, host: HostNumber) -> Vec<RunningComputation>;

    /// Transfer that a link carries, and its estimated end.
    fn carried(&self, link: LinkNumber) -> Option<(SweepTransfer, SimTime)>;
}

/// Interface to predictions.
pub trait Forecasts {
    /// Predictions of all resources, at the planning of this number.
    fn predictions(&mut self, planning: u64) -> Rc<Predictions>;

    /// Predictions of the last planning.
    fn last_predictions(&self) -> Option<&Rc<Predictions>>;
}

/// The four interfaces.
pub trait Interfaces: ApplicationInterface + GridActions + GridInformation + Forecasts {
    /// The link that carries a file to or from a cluster.
    fn link_of(&self, file: FileNumber, cluster: ClusterNumber) -> LinkNumber {
        self.grid().link_of(self.known().origin(file), cluster)
    }

    /// Returns true if a file is where a link brings it to a cluster from: at its origin, or on a
    /// cluster that is there.
    fn is_at_source(&self, link: LinkNumber, cluster: ClusterNumber, file: FileNumber) -> bool {
        self.grid().source_of(link, cluster).is_none_or(|source| {
            self.is_linked(source)
                && self.grid().cluster(source).has_storage
                && self.stored().is_stored(source, file)
        })
    }

    /// Returns true if a link carries a file to or from a cluster now.
    fn is_carried(&self, cluster: ClusterNumber, file: SubTask) -> bool {
        let is_it =
            |(transfer, _): (SweepTransfer, SimTime)| (transfer.cluster, transfer.file) == (cluster, file);
        self.grid().links_of(cluster).any(|link| self.carried(link).is_some_and(is_it))
    }
}

/// A scheduler of parameter sweeps.
pub trait SweepScheduler: fmt::Debug {
    /// A host is there.
    fn new_host(&mut self, host: HostNumber, grid: &dyn Interfaces);

    /// These tasks are to be done.
    fn new_work(&mut self, tasks: &[TaskNumber]);

    /// The computation of a task has ended.
    fn work_done(&mut self, task: TaskNumber, host: HostNumber, grid: &dyn Interfaces);

    /// A host is gone.
    fn host_failed(&mut self, host: HostNumber, grid: &dyn Interfaces);

    /// The computation of a task, or its outputs, are lost.
    fn work_failed(&mut self, task: TaskNumber);

    /// A cluster is gone; its hosts are, too.
    fn disk_failed(&mut self, cluster: ClusterNumber);

    /// A transfer has ended.
    fn transfer_done(&mut self, transfer: SweepTransfer);

    /// Acts on all that has happened at this instant.
    fn decide(&mut self, grid: &mut dyn Interfaces);

    /// All tasks are completed: it is not called again.
    fn ends(&mut self) {}

    /// Reason that it cannot go on, if it cannot: the run ends, and this is its error.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Instant at which the scheduler decides again, if nothing happens before.
    fn wakes(&self) -> Option<SimTime> {
        None
    }

    /// The plans that it has made.
    fn plans(&self) -> &[SweepPlanRecord] {
        &[]
    }

    /// The task whose slots are to be explained.
    fn explain(&mut self, _task: TaskNumber) {}

    /// The slots that the explained task got, plan by plan.
    fn choices(&self) -> &[SlotChoice] {
        &[]
    }

    /// Takings of the explained task by idle hosts, where nothing is planned.
    fn taken(&self) -> &[TakenTask] {
        &[]
    }

    /// Tasks that a host took over from the queue of another.
    fn steals(&self) -> u64 {
        0
    }

    /// Planned starts of the transfers that the scheduler started, in order of start; `None` for
    /// transfers without a plan.
    fn planned_transfers(&self) -> &[Option<SimTime>] {
        &[]
    }

    /// Instant at which a task came into the queue of a host on which it is, or was.
    fn queued(&self, _task: TaskNumber, _host: HostNumber) -> Option<SimTime> {
        None
    }

    /// Returns true if it will act without anything that happens.
    fn is_planning(&self) -> bool {
        false
    }

    /// Planned start and end of the computation of a task, in the plan by which it is on its host.
    fn planned(&self, _task: TaskNumber) -> Option<(SimTime, SimTime)> {
        None
    }
}
