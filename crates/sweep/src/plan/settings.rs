//! Settings of plans.

use crate::heuristic::Heuristic;
use crate::interval::EventInterval;
use crate::kernel::SimDuration;
use crate::plan::chart::CompletedWhen;
use crate::plan::subset::Subset;
use crate::registry::choices;
use crate::scheduler::link_queue::LinkDiscipline;

choices! {
    /// Extent of a plan.
    #[derive(Default)]
    pub enum Fill {
        #[default]
        Horizon = "horizon", "until each host has a task that starts later than `delta` after the next plan";
        Proportional = "proportional", "so many tasks for each host";
        All = "all", "all tasks";
    }
}

choices! {
    /// Span beyond the next plan for which hosts get tasks.
    #[derive(Default)]
    pub enum Delta {
        #[default]
        Interval = "interval", "as long as until that plan";
        Tuned = "tuned", "more after a host ran idle with work left, else less";
    }
}

/// Simulated time that a plan takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PlanningTime {
    /// The same time for each plan.
    Constant(SimDuration),
    /// Seconds for each pair of a task and a host that is looked at.
    PerLook(f64),
}

/// Settings of plans.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
pub struct PlanSettings {
    /// Heuristic that chooses the next task.
    pub heuristic: Box<dyn Heuristic>,
    /// Instant at which the next plan is made.
    pub interval: Box<dyn EventInterval>,
    /// Rule that chooses the tasks to be planned.
    pub subset: Box<dyn Subset>,
    /// Extent of a plan.
    pub fill: Fill,
    /// Number of tasks for each host, of proportional plans.
    pub per_host: u32,
    /// Span beyond the next plan for which hosts get tasks.
    pub delta: Delta,
    /// Fixed span, if it is always the same.
    pub fixed_delta: Option<SimDuration>,
    /// Tasks of its queue that a host keeps.
    pub keep: u32,
    /// Rule for the next transfer of a link.
    pub links: LinkDiscipline,
    /// True if idle hosts take tasks from the queues of others.
    pub steal: bool,
    /// True if hosts that have nothing to do compute second copies of tasks.
    pub duplicate: bool,
    /// Time that a plan takes.
    pub planning: PlanningTime,
    /// True if a plan is made when hosts are added.
    pub on_added: bool,
    /// True if one is made when hosts are removed.
    pub on_removed: bool,
    /// True if one is made when a host is idle and tasks have no host.
    pub on_idle: bool,
    /// Instant at which a task counts as completed.
    pub completed_when: CompletedWhen,
    /// True if tasks are looked at one by one that a chart cannot tell apart; the plan is the same.
    pub individually: bool,
}
