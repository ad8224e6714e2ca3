//! Outcomes of a run: tasks, transfers and plans.

use std::fmt;
use std::rc::Rc;

use crate::SchedulingProblem;
use crate::execution::attempts::{AttemptLog, AttemptNumber};
use crate::kernel::{Digest, SimDuration, SimTime};
use crate::model::graph::Graph;
use crate::model::grid::Core;
use crate::planning::plan::SlotReasons;
use crate::platform::HostId;
use crate::registry::definition::words;
use crate::workflow::EdgeNumber;

/// Outcome of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExecutedTask {
    /// The core that it was planned on last; of a task of several cores what stands for them
    /// ([`Grid::members`](crate::model::grid::Grid::members)).
    pub core: Option<Core>,
    /// Planned start and end, in the plan by which it started.
    pub planned: Option<(SimTime, SimTime)>,
    /// Instant at which all its data were on the host.
    pub ready: Option<SimTime>,
    /// Instant at which it started the last time.
    pub start: Option<SimTime>,
    /// Instant at which it ended.
    pub end: Option<SimTime>,
    /// Instant at which it was predicted to end as it started.
    pub predicted: Option<SimTime>,
    /// Number of times that it started.
    pub attempts: u32,
    /// Last start by its place among all starts.
    pub place: AttemptNumber,
}

/// An instant of a record, if there is one. A run may have a record for each of millions of
/// transfers: it takes no more room than an instant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RecordedTime(SimTime);

impl RecordedTime {
    /// No instant; nothing that is recorded happens at the end of time.
    pub const NONE: RecordedTime = RecordedTime(SimTime::MAX);

    /// The instant.
    pub fn get(self) -> Option<SimTime> {
        (self != RecordedTime::NONE).then_some(self.0)
    }
}

impl From<SimTime> for RecordedTime {
    fn from(at: SimTime) -> Self {
        RecordedTime(at)
    }
}

impl fmt::Debug for RecordedTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// Outcome of the data of an edge, an input or an output while they are sent from host to host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransferRecord {
    /// Edge; where files are sent by themselves, the first that wanted the file there.
    pub edge: EdgeNumber,
    /// The host of the parent, or the home host.
    pub from: HostId,
    /// The host of the child, or the home host.
    pub to: HostId,
    /// Size of the data.
    pub bytes: u64,
    /// Instant at which they were there to be sent.
    pub ready: RecordedTime,
    /// Instant at which they were sent.
    pub start: RecordedTime,
    /// Instant at which they arrived.
    pub end: RecordedTime,
}

/// A plan that was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanRecord {
    /// Instant.
    pub at: SimTime,
    /// Cause.
    pub cause: PlanCause,
    /// Tasks that it has a place for.
    pub tasks: u64,
    /// Of these, those that had another core before.
    pub moved: u64,
    /// The last end of a task, as planned.
    pub end: SimTime,
    /// Predicted lower bound of the end of any plan, if the scheduler has found one.
    pub bound: Option<SimTime>,
    /// Steps of the scheduler that made the longest chain longer, if it counts them.
    pub lengthened: Option<u64>,
    /// Questions of the scheduler.
    pub questions: u64,
    /// Pairs of a task and a core that it looked at.
    pub looked_at: u64,
}

impl PlanRecord {
    /// Record of a plan that was left to a scheduler which places tasks as the run goes on.
    pub(super) fn without_tasks(at: SimTime, cause: PlanCause) -> Self {
        PlanRecord {
            at,
            cause,
            tasks: 0,
            moved: 0,
            end: at,
            bound: None,
            lengthened: None,
            questions: 0,
            looked_at: 0,
        }
    }
}

words! {
    /// Cause of a plan.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum PlanCause {
        Arrival = "arrival", "a workflow arrived";
        Completion = "completion", "tasks had ended";
        Period = "period", "the period was over";
        Deviation = "deviation", "a task ended far from its predicted end";
        Failure = "failure", "a host or a link failed or was repaired";
        TakeOver = "take-over", "another scheduler took over; without tasks if it places them as the run goes on";
    }
}

/// A scheduler that took over from another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TakeOver {
    /// Instant.
    pub at: SimTime,
    /// Name.
    pub scheduler: String,
}

/// Outcomes of a run.
#[derive(Debug)]
pub struct Outcomes {
    /// Problem that was executed.
    pub problem: Rc<SchedulingProblem>,
    /// Of each task.
    pub tasks: Vec<ExecutedTask>,
    /// Every transfer between two hosts, in the order in which they were planned.
    pub transfers: Vec<TransferRecord>,
    /// Every attempt of a task, where something can fail.
    pub log: Option<AttemptLog>,
    /// The plans.
    pub plans: Vec<PlanRecord>,
    /// The schedulers that took over, in order.
    pub take_overs: Vec<TakeOver>,
    /// Reasons for the place of the explained task, plan by plan.
    pub reasons: Vec<SlotReasons>,
    /// Instant at which the run ended.
    pub ended_at: SimTime,
    /// True if it was stopped before its last task had ended.
    pub stopped: bool,
    /// Resumptions of processes.
    pub events: u64,
    /// Hash over them.
    pub digest: Digest,
}

impl TransferRecord {
    /// Span in which the data were sent, if they arrived.
    pub fn span(&self) -> Option<(SimTime, SimTime)> {
        self.start.get().zip(self.end.get())
    }
}

impl Outcomes {
    /// The tasks.
    pub fn graph(&self) -> &Graph {
        &self.problem.graph
    }

    /// The time of cores that a task had in use from its last start to its end: of each core that
    /// it held; `None` unless it has ended.
    pub fn core_time(&self, task: &ExecutedTask) -> Option<SimDuration> {
        let cores = self.problem.grid.members(task.core?).len() as u64;
        let span = task.end?.since(task.start?);
        Some(SimDuration::from_nanos(span.as_nanos().saturating_mul(cores)))
    }

    /// The end of the last task, or when the last file came home; `None` if some task has not
    /// ended or a file is not there.
    pub fn makespan(&self) -> Option<SimTime> {
        let mut ends = self.tasks.iter().map(|task| task.end);
        let last = ends.try_fold(SimTime::ZERO, |last, end| end.map(|end| last.max(end)))?;
        let returned =
            self.last_return().and_then(|(_, returned)| returned.end.get()).map_or(last, |end| end.max(last));
        (!self.stopped).then_some(returned)
    }

    /// The transfer of the file that came home last, and its place.
    pub fn last_return(&self) -> Option<(u32, &TransferRecord)> {
        let all = (0..).zip(&self.transfers);
        let returns = all.filter(|(_, record)| self.graph().data(record.edge).to.is_none());
        returns.filter(|(_, record)| record.end.get().is_some()).max_by_key(|(_, record)| record.end.get())
    }
}
