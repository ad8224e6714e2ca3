//! The execution of plans on the platform as it really behaves.
//!
//! ```text
//!             plan                 data arrive            host's order          end
//!   (open) ────────▶ planned ──────────────────▶ ready ─────────────────▶ runs ────▶ finished
//!      ▲               │ re-planning: not started                           │
//!      └───────────────┴────────────────────────────── host fails ◀─────────┘
//! ```
//!
//! There is a process for each core that has something to compute, one for transfers (or that of the network model), one for each host
//! that may fail, and one that decides: when everything of an instant is over it asks for plans, and then starts what may start, the
//! lower task first. A core keeps the order of its plan, idle while the next task is not ready (strict first in, first out), unless the
//! execution is work conserving. What has started never moves.
//!
//! Sending costs no processor time. The data of an edge are sent once the parent has ended and the child has a host; where the child is
//! put on another host later they are sent again.
//!
//! Source: "DAGSim"; failures, streams of applications and work conservation are choices of ours.

mod dispatcher;
mod failures;
mod lawful;
mod links;
mod processes;
mod replanning;
mod run;

use std::rc::Rc;

use crate::dag::choice::Choice;
use crate::dag::graph::Graph;
use crate::dag::grid::Core;
use crate::dag::problem::Problem;
use crate::dag::scheduler::Rule;
use crate::kernel::{Digest, SimError, SimTime, Simulation};
use crate::platform::HostId;
use crate::registry::definition::words;
use crate::workflow::{EdgeNumber, TaskNumber};

pub use dispatcher::Dispatcher;
pub use links::LinkOrder;
pub use replanning::Replan;

/// How plans are made and executed.
#[derive(Debug, Default)]
pub struct Execution {
    /// How transfers get on.
    pub links: LinkOrder,
    /// When a plan is made again.
    pub replan: Replan,
    /// What becomes of earlier plans when a workflow arrives.
    pub merge: Merge,
    /// Whether a host that fails keeps the data that it holds.
    pub keep_data: bool,
    /// Whether a core takes the first of its tasks that is ready, where the next is not.
    pub work_conserving: bool,
    /// The task of which it is to be explained why it is where it is.
    pub explained: Option<TaskNumber>,
}

/// What becomes of earlier plans when a workflow arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Merge {
    /// What is planned keeps its place, and the new tasks are laid over it.
    #[default]
    Append,
    /// Everything that has not started is planned again.
    Interleave,
}

/// What became of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TaskRecord {
    /// The core that it was planned on last.
    pub core: Option<Core>,
    /// When it was planned to start and to end, in the plan by which it started.
    pub planned: Option<(SimTime, SimTime)>,
    /// When all its data were on the host.
    pub ready: Option<SimTime>,
    /// When it started the last time.
    pub start: Option<SimTime>,
    /// When it ended.
    pub end: Option<SimTime>,
    /// When it was predicted to end as it started.
    pub predicted: Option<SimTime>,
    /// How often it started.
    pub attempts: u32,
}

/// What became of the data of an edge on their way between two hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransferRecord {
    /// Which.
    pub edge: EdgeNumber,
    /// The host of the parent.
    pub from: HostId,
    /// The host of the child.
    pub to: HostId,
    /// How much.
    pub bytes: u64,
    /// When they were there to be sent.
    pub ready: Option<SimTime>,
    /// When they were sent.
    pub start: Option<SimTime>,
    /// When they arrived.
    pub end: Option<SimTime>,
}

/// A plan that was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanRecord {
    /// When.
    pub at: SimTime,
    /// Why.
    pub cause: PlanCause,
    /// Tasks that it has a place for.
    pub tasks: u64,
    /// Of these, those that had another core before.
    pub moved: u64,
    /// The last end of a task, as planned.
    pub end: SimTime,
    /// Questions of the scheduler.
    pub questions: u64,
    /// Pairs of a task and a core that it looked at.
    pub looked_at: u64,
}

words! {
    /// Why a plan was made.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum PlanCause {
        Arrival = "arrival", "a workflow arrived";
        Completion = "completion", "tasks had ended";
        Period = "period", "the period was over";
        Deviation = "deviation", "a task ended far from its predicted end";
        Failure = "failure", "a host failed or was repaired";
    }
}

/// What came out of a run.
#[derive(Debug)]
pub struct Outcomes {
    /// What was run.
    pub problem: Rc<Problem>,
    /// Of each task.
    pub tasks: Vec<TaskRecord>,
    /// Every transfer between two hosts, in the order in which they were planned.
    pub transfers: Vec<TransferRecord>,
    /// The plans.
    pub plans: Vec<PlanRecord>,
    /// Why the explained task is where it is, plan by plan.
    pub choices: Vec<Choice>,
    /// When the run ended.
    pub ended_at: SimTime,
    /// Whether it was stopped before its last task had ended.
    pub stopped: bool,
    /// Resumptions of processes.
    pub events: u64,
    /// Hash over them.
    pub digest: Digest,
}

impl Outcomes {
    /// The tasks.
    pub fn graph(&self) -> &Graph {
        &self.problem.graph
    }

    /// The end of the last task; nothing if some task has not ended.
    pub fn makespan(&self) -> Option<SimTime> {
        self.tasks
            .iter()
            .map(|task| task.end)
            .try_fold(SimTime::ZERO, |last, end| end.map(|end| last.max(end)))
    }
}

/// Runs the tasks of a problem by a scheduler, to their ends or to the end of the instant `until`.
///
/// # Errors
/// The scheduler has no plan or an unlawful one, a task or transfer never ends, or a link fails ([`RunFailed`](crate::dag::RunFailed)); everything that ends a simulation.
pub fn execute(
    problem: Rc<Problem>,
    rule: &Rule,
    execution: Execution,
    mut simulation: Simulation,
    until: Option<SimTime>,
) -> Result<Outcomes, SimError> {
    let run = simulation.enter(|| run::Run::begin(problem, rule, execution))?;
    let outcome = simulation.run_until(until.unwrap_or(SimTime::MAX))?;
    drop(simulation);
    Ok(run.outcomes(&outcome))
}
