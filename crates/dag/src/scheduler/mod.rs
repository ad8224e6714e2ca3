//! Schedulers: which task is computed where, and in which order.
//!
//! A [`Scheduler`] answers a read-only [`View`] with a [`TaskPlan`], and equal views with equal
//! plans: its streams are named after their purposes. Each file is one published rule, or one kind.
//!
//! | kind | next task | host |
//! |---|---|---|
//! | list | by a rank that is worked out once | the least end or start, with insertion or without |
//! | batch | of those that are ready, the one that a rule of their best hosts picks | its best |
//! | critical path | the most urgent, by earliest and latest starts | least delay of its children |
//! | search | any order | any, as far as it may lead to a shorter plan, or makes one shorter |
//! | portfolio | as the rule of the shortest plan says | as it says |
//! | given | in topological order, or by a file | one for all, in turns, by chance, or by a file |
//!
//! Schedulers that wait or watch (self-scheduling, your own) are dynamic schedulers.

mod batch;
mod cpop;
mod dcp;
mod dcp_wide;
mod dls;
mod dynamic;
mod fixed;
mod hcpt;
mod heft;
mod local_search;
mod lookahead;
mod mcp;
mod optimal;
mod peft;
#[cfg(test)]
mod plain;
mod portfolio;
mod simple;
mod succession;
#[cfg(test)]
pub(crate) mod tests;

use std::fmt;
use std::rc::Rc;

use crate::error::CannotPlan;
use crate::planning::assumption::Assumption;
use crate::planning::plan::TaskPlan;
use crate::planning::view::{Progress, View};
use crate::registry::{Complaint, Entry, Table};
use crate::workflow::TaskNumber;

/// Attribute of [`DynamicScheduler`] and its implementations, as `#[async_trait(?Send)]`.
pub use async_trait::async_trait;
pub use batch::Batch;
pub use cpop::Cpop;
pub use dcp::{CriticalChild, Dcp, DcpDagsim, Tail};
pub use dls::{Dls, DlsDagsim, ReadyWhen};
pub use dynamic::{Dynamic, DynamicScheduler, ReadyOrder, SelfScheduling};
pub use fixed::Fixed;
pub use hcpt::Hcpt;
pub use heft::Heft;
pub use local_search::LocalSearch;
pub use lookahead::LookaheadHeft;
pub use mcp::Mcp;
pub use optimal::Optimal;
#[cfg(test)]
pub(crate) use peft::OptimisticCosts;
pub use peft::Peft;
pub use portfolio::Portfolio;
pub use simple::{Random, RoundRobin, Sequential};
pub use succession::{SchedulerPhase, Succession, Switch};

/// A rule that plans.
pub trait Scheduler: fmt::Debug {
    /// Expectations of graph and grid; a broken assumption is a warning.
    fn assumptions(&self) -> &[Assumption] {
        &[]
    }

    /// The tasks that a new plan takes back: unless it says otherwise, all that have not started.
    fn take_back(&self, view: &View<'_>) -> Vec<TaskNumber> {
        let kept = |task: &TaskNumber| matches!(view.progress(*task), Progress::Kept(_));
        view.tasks().filter(kept).collect()
    }

    /// Mistakes of a given plan, each at its place, as far as known before the run: none of a rule
    /// that plans. All tasks of the view are open.
    fn mistakes(&self, _view: &View<'_>) -> Vec<Complaint> {
        Vec::new()
    }

    /// Returns true if it draws random numbers.
    fn draws(&self) -> bool {
        false
    }

    /// The process that places tasks as the run goes on, if it does not plan.
    fn dynamic(&self) -> Option<Rc<dyn DynamicScheduler>> {
        None
    }

    /// The schedulers that take over from one another, if it is several.
    fn succession(&self) -> Option<Rc<Succession>> {
        None
    }

    /// A plan for every open task of the view.
    ///
    /// # Errors
    /// It has none.
    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan>;
}

/// A scheduler by its name.
#[derive(Clone, Debug)]
pub struct NamedScheduler {
    /// Name in messages.
    pub name: String,
    /// The scheduler.
    pub scheduler: Rc<dyn Scheduler>,
}

/// The schedulers by name.
pub fn table() -> Table<dyn Scheduler> {
    const ENTRIES: &[Entry<dyn Scheduler>] = &[
        cpop::ENTRY,
        dcp::ENTRY,
        dcp::DAGSIM,
        dls::ENTRY,
        dls::DAGSIM,
        batch::ETF,
        fixed::ENTRY,
        hcpt::ENTRY,
        heft::ENTRY,
        batch::HLFET,
        local_search::ENTRY,
        lookahead::ENTRY,
        batch::MAX_MIN,
        mcp::ENTRY,
        batch::MCT,
        batch::MIN_MIN,
        batch::OLB,
        optimal::ENTRY,
        peft::ENTRY,
        portfolio::ENTRY,
        simple::RANDOM,
        simple::ROUND_ROBIN,
        dynamic::SELF_SCHEDULING,
        simple::SEQUENTIAL,
        batch::SUFFERAGE,
    ];
    Table::new("scheduler", "which task of a graph is computed where, and in which order", ENTRIES)
}
