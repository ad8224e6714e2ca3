//! The execution of plans on the platform as it really behaves.
//!
//! ```text
//!             plan                 data arrive            host's order          end
//!   (open) ────────▶ planned ──────────────────▶ ready ─────────────────▶ runs ────▶ finished
//!      ▲               │ re-planning: not started                           │
//!      └───────────────┴────────────────────────────── host fails ◀─────────┘
//! ```
//!
//! There is a process for each core that has something to compute, one for transfers (or that of
//! the network model), one for each host that may fail, and one that decides: when everything of an
//! instant is over it asks for plans, and then starts what may start, the lower task first. A core
//! keeps the order of its plan, idle while the next task is not ready (strict first in, first out),
//! unless the execution is work conserving. What has started never moves.
//!
//! A task of several cores stands in the order of each and holds all of them from its start to its
//! end. It starts once its data are there and it is its turn on all of them, all being idle. In a
//! work-conserving execution a task may start whose data are there and whose cores are idle; of
//! those that would share a core the one that comes first on it does, and a core takes what is
//! behind a task that waits for another core. The lowest core of a task has the time for all.
//!
//! Sending costs no processor time. The data of an edge are sent once the parent has ended and the
//! child has a host; where the child is put on another host later they are sent again. Until that
//! begins, what was sent before counts: a later plan may find it, and a failure loses it.
//!
//! Source: "DAGSim"; failures, streams of applications and work conservation are choices of ours.

#[cfg(test)]
mod attempt_tests;
mod attempts;
mod dispatcher;
mod failures;
#[cfg(test)]
mod file_tests;
mod fruitless;
mod kept;
#[cfg(test)]
mod kept_tests;
mod lawful;
mod links;
#[cfg(test)]
mod moved_tests;
mod processes;
mod record;
mod run;
mod sending;
mod state;
mod taking_over;
#[cfg(test)]
mod tests;
mod waiting;

use std::rc::Rc;

use crate::kernel::{SimError, SimTime, Simulation};
use crate::model::problem::SchedulingProblem;
use crate::scheduler::NamedScheduler;
use crate::workflow::TaskNumber;

pub use attempts::{Attempt, AttemptLog, AttemptNumber, Attempts, DataSource};
pub use dispatcher::Dispatcher;
pub(crate) use fruitless::Fruitless;
pub use links::LinkOrder;
pub use record::{ExecutedTask, Outcomes, PlanCause, PlanRecord, RecordedTime, TakeOver, TransferRecord};
pub use state::{Merge, Replan};

/// Rules by which plans are made and executed.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// Order of transfers on links.
    pub links: LinkOrder,
    /// Instant at which a plan is made again; of schedulers that take over from one another each
    /// says so itself.
    pub replan: Replan,
    /// Outcome of earlier plans when a workflow arrives; of schedulers that take over likewise.
    pub merge: Merge,
    /// True if a host that fails keeps the data that it holds.
    pub keep_data: bool,
    /// True if a core takes the first of its tasks that is ready, where the next is not.
    pub work_conserving: bool,
    /// The task of which it is to be explained why it is where it is.
    pub explained: Option<TaskNumber>,
}

/// Runs the tasks of a problem by a scheduler, to their ends or to the end of the instant `until`.
///
/// # Errors
/// The scheduler has no plan or an unlawful one, a task or transfer never ends, or a link fails
/// (`RunFailed`); everything that ends a simulation.
pub fn execute(
    problem: Rc<SchedulingProblem>,
    rule: &NamedScheduler,
    execution: Execution,
    mut simulation: Simulation,
    until: Option<SimTime>,
) -> Result<Outcomes, SimError> {
    let run = simulation.enter(|| {
        let run = run::Run::begin(problem, rule, execution)?;
        processes::begin(&run);
        Ok::<_, SimError>(run)
    })?;
    let outcome = simulation.run_until(until.unwrap_or(SimTime::MAX)).map_err(|error| run.stuck(error))?;
    drop(simulation);
    Ok(run.outcomes(&outcome))
}
