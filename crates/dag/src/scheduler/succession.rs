//! Schedulers that take over from one another, each with its own rules of when plans are made
//! again.
//!
//! The first plans until it gives up, or until the switch: after a time, or after so many
//! completions. The next then takes back what it plans again ([`Scheduler::take_back`]), as far as
//! it has not started, and goes on; and so on to the last. A scheduler gives up if it has no plan,
//! or, if it places tasks as the run goes on, when its process ends while tasks have no place.
//!
//! Source: "DAGSim" names a scheduler that is started later, on what another left; when it starts
//! is a choice of ours.

use std::rc::Rc;

use crate::error::CannotPlan;
use crate::execution::{Merge, Replan};
use crate::kernel::SimDuration;
use crate::planning::assumption::Assumption;
use crate::planning::plan::TaskPlan;
use crate::planning::view::View;
use crate::scheduler::{NamedScheduler, Scheduler};

/// Condition on which the next scheduler takes over, apart from the one before it giving up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Switch {
    /// Only then.
    #[default]
    GivesUp,
    /// So long after the one before it began.
    After(SimDuration),
    /// After this number of tasks has ended under the one before it.
    Completions(u64),
}

/// A scheduler, and when it plans again.
#[derive(Clone, Debug)]
pub struct SchedulerPhase {
    /// The scheduler.
    pub rule: NamedScheduler,
    /// Instant at which it makes a plan again.
    pub replan: Replan,
    /// Outcome of earlier plans when a workflow arrives.
    pub merge: Merge,
}

/// Schedulers one after another, of which there is one at least.
#[derive(Clone, Debug)]
pub struct Succession {
    /// In this order.
    pub phases: Vec<SchedulerPhase>,
    /// Condition on which one follows another.
    pub switch: Switch,
}

impl Scheduler for Succession {
    fn assumptions(&self) -> &[Assumption] {
        // each has its own
        &[]
    }

    fn draws(&self) -> bool {
        self.phases.iter().any(|phase| phase.rule.scheduler.draws())
    }

    fn succession(&self) -> Option<Rc<Succession>> {
        Some(Rc::new(self.clone()))
    }

    /// The plan of the first that has one.
    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let none = Err(CannotPlan::Own("no scheduler follows another".to_owned()));
        self.phases.iter().fold(none, |plan, phase| plan.or_else(|_| phase.rule.scheduler.plan(view)))
    }
}
