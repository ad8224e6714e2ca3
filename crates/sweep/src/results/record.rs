//! Outcomes of a run: tasks, transfers and plans, and the reasons for the slots of a task.

use std::rc::Rc;

use crate::estimate::predictions::SweepTransfer;
use crate::heuristic::{DecidingNumber, Rank};
use crate::kernel::{Digest, SimDuration, SimTime};
use crate::model::application::Sweep;
use crate::model::grid::{ClusterNumber, HostNumber, SweepGrid};
use crate::model::storage::FileRemoval;
use crate::plan::chart::{ChartSlot, ClusterCompletion};
use crate::registry::definition::words;
use crate::workflow::{FileNumber, TaskNumber};

/// Outcome of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExecutedSweepTask {
    /// The host that computed it last.
    pub host: Option<HostNumber>,
    /// Instant at which its computation was planned to start and to end.
    pub planned: Option<(SimTime, SimTime)>,
    /// Instant at which it came into the queue of its host.
    pub queued: Option<SimTime>,
    /// Instant at which its computation started the last time.
    pub start: Option<SimTime>,
    /// Instant at which that computation ended.
    pub end: Option<SimTime>,
    /// Instant at which its last output was at the origin; the end of its computation if it has
    /// none.
    pub completed: Option<SimTime>,
    /// Number of times that it started.
    pub attempts: u32,
}

/// A transfer that was started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransferRun {
    /// The transfer.
    pub transfer: SweepTransfer,
    /// Size.
    pub bytes: u64,
    /// Planned start, in the plan by which it started.
    pub planned: Option<SimTime>,
    /// Instant at which it started.
    pub start: SimTime,
    /// Instant at which it arrived; `None` if it was broken off.
    pub end: Option<SimTime>,
}

/// A computation that was thrown away, as its task had ended on another host, or that was lost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DiscardedRun {
    /// The task.
    pub task: TaskNumber,
    /// The host.
    pub host: HostNumber,
    /// Instant at which it started.
    pub start: SimTime,
    /// Instant at which it was broken off.
    pub end: SimTime,
}

words! {
    /// Cause of a plan.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum PlanTrigger {
        Start = "start", "the run began, or its first task arrived";
        Event = "event", "the instant that the plan before had set";
        Idle = "idle", "a host had nothing to do, and tasks had no host";
        Added = "added", "a host was added";
        Removed = "removed", "a host was removed";
    }
}

/// A plan that was made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SweepPlanRecord {
    /// Instant.
    pub at: SimTime,
    /// Cause.
    pub trigger: PlanTrigger,
    /// Tasks that it has a host for.
    pub tasks: u64,
    /// Pairs of a task and a host that were looked at.
    pub looks: u64,
    /// Time for which until the next scheduling event.
    pub interval: Option<SimDuration>,
    /// The share of the sub-tasks predicted to run now that do; `None` if none was predicted.
    pub correctness: Option<f64>,
    /// Span beyond the next scheduling event for which hosts have work.
    pub delta: Option<SimDuration>,
    /// Planning horizon: the next scheduling event plus `delta`; `None` if unlimited.
    pub horizon: Option<SimTime>,
    /// Instant at which its last task is planned to be completed.
    pub end: SimTime,
}

/// Outcomes of a run.
#[derive(Debug)]
pub struct SweepOutcomes {
    /// The application.
    pub sweep: Rc<Sweep>,
    /// The grid.
    pub grid: Rc<SweepGrid>,
    /// Of each task.
    pub tasks: Vec<ExecutedSweepTask>,
    /// Every transfer, in order of start.
    pub transfers: Vec<TransferRun>,
    /// Files that were removed from storages, in order.
    pub removals: Vec<FileRemoval>,
    /// The plans.
    pub plans: Vec<SweepPlanRecord>,
    /// The slots that the explained task got, plan by plan.
    pub choices: Vec<SlotChoice>,
    /// Takings of the explained task by idle hosts, where nothing is planned.
    pub taken: Vec<TakenTask>,
    /// Computations that a host took over from another of its cluster.
    pub steals: u64,
    /// Computations that were lost with their hosts, and outputs with their clusters.
    pub failed: u64,
    /// The computations among these, and those whose outputs were lost.
    pub lost_runs: Vec<DiscardedRun>,
    /// Processor time of these.
    pub lost: SimDuration,
    /// Second copies of tasks that were started.
    pub duplicates: u64,
    /// Computations that were thrown away, as their tasks had ended on other hosts.
    pub discarded: Vec<DiscardedRun>,
    /// Processor time of the computations that ended, by host.
    pub busy: Vec<SimDuration>,
    /// Processor time of all computations, whether they ended or not, by host.
    pub used: Vec<SimDuration>,
    /// Instant at which the run ended.
    pub ended_at: SimTime,
    /// Resumptions of processes.
    pub events: u64,
    /// Hash over them.
    pub digest: Digest,
}

impl SweepOutcomes {
    /// Returns true if files may have been removed from storages.
    pub fn has_removals(&self) -> bool {
        !self.removals.is_empty() || self.grid.clusters.iter().any(|cluster| cluster.capacity.is_some())
    }

    /// Returns true if the origins of files are to be named: there are several.
    pub fn has_further_origins(&self) -> bool {
        !self.grid.further_origins.is_empty()
    }

    /// Returns true if links are to be named: there are several to a cluster.
    pub fn has_further_links(&self) -> bool {
        self.has_further_origins() || self.grid.has_links_between()
    }

    /// Instant at which the last task was completed; `None` if some task was not.
    pub fn makespan(&self) -> Option<SimTime> {
        let mut completions = self.tasks.iter().map(|task| task.completed);
        completions.try_fold(SimTime::ZERO, |last, completed| completed.map(|completed| last.max(completed)))
    }

    /// Of each host: tasks that ended on it, and the time of its processors in use by computations
    /// that ended.
    pub fn by_host(&self) -> Vec<(u64, SimDuration)> {
        let mut hosts: Vec<(u64, SimDuration)> = self.busy.iter().map(|busy| (0, *busy)).collect();
        for record in self.tasks.iter().filter(|record| record.end.is_some()) {
            if let Some(host) = record.host {
                hosts[host.index()].0 += 1;
            }
        }
        hosts
    }

    /// The cluster from which a file was sent to another; `None` if it came from its origin or
    /// went there.
    pub fn source_of(&self, run: &TransferRun) -> Option<ClusterNumber> {
        self.grid.source_of(run.transfer.link, run.transfer.cluster)
    }

    /// The cluster of the host that computed a task last.
    pub(crate) fn cluster_of(&self, task: TaskNumber) -> Option<ClusterNumber> {
        let host = self.tasks[task.index()].host?;
        Some(self.grid.host(host).cluster)
    }
}

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
