//! One scheduler after another: when the next takes over, and what it finds.
//!
//! What has started stays where it is. A scheduler that plans takes back what it plans again and
//! makes a plan at once; one that places tasks as the run goes on finds all that have not started
//! without a place.

use std::rc::Rc;

use crate::error::RunFailed;
use crate::execution::run::Run;
use crate::execution::state::Since;
use crate::execution::{PlanCause, PlanRecord, TakeOver, processes};
use crate::kernel::now;
use crate::model::grid::Core;
use crate::planning::view::Progress;
use crate::scheduler::{SchedulerPhase, Switch};
use crate::workflow::TaskNumber;

impl Run {
    /// The scheduler that is at work.
    pub(super) fn present(&self) -> &SchedulerPhase {
        &self.succession.phases[self.phase.get()]
    }

    /// Returns true if it places tasks as the run goes on.
    pub(super) fn is_dynamic(&self) -> bool {
        self.present().rule.scheduler.dynamic().is_some()
    }

    /// Returns true if another scheduler is to follow the present one.
    pub(super) fn has_successor(&self) -> bool {
        self.phase.get() + 1 < self.succession.phases.len()
    }

    /// Returns true if the next scheduler is to take over now.
    pub(super) fn is_to_switch(&self) -> bool {
        let state = self.state.borrow();
        let is_counted = match self.succession.switch {
            Switch::Completions(count) => state.under_present >= count,
            Switch::GivesUp | Switch::After(_) => false,
        };
        let is_open = state.finished < state.records.len();
        self.has_successor() && is_open && (state.is_replaced || is_counted)
    }

    /// Lets the next scheduler take over, and plan if it does.
    ///
    /// # Errors
    /// It has no plan, and none follows it; or its plan is unlawful.
    pub(super) fn take_over(self: &Rc<Self>) -> Result<(), RunFailed> {
        self.phase.set(self.phase.get() + 1);
        self.replaced.give();
        let mut guard = self.state.borrow_mut();
        let state = &mut *guard;
        (state.is_replaced, state.under_present, state.since) = (false, 0, Since::default());
        let scheduler = self.present().rule.name.clone();
        state.take_overs.push(TakeOver { at: now(), scheduler });
        if self.is_dynamic() {
            state.plans.push(PlanRecord::without_tasks(now(), PlanCause::TakeOver));
            self.take_back_transfers(state);
            for column in &mut state.columns {
                column.order.clear();
            }
            for (progress, record) in state.standing.tasks.iter_mut().zip(&mut state.records) {
                if let Progress::Kept(_) = progress {
                    *progress = Progress::Open;
                    (record.core, record.planned, record.ready) = (None, None, None);
                }
            }
            let graph = &self.problem.graph;
            let is_ready = |task: &TaskNumber| {
                state.parents[task.index()] == 0 && state.standing.tasks[task.index()] == Progress::Open
            };
            state.ready = graph.tasks().filter(is_ready).collect();
            let is_idle = |core: &Core| state.columns[core.index()].running.is_none();
            state.idle = self.problem.grid.cores().filter(is_idle).collect();
        }
        drop(guard);
        processes::begin_phase(self);
        if self.is_dynamic() { Ok(()) } else { self.plan_or_give_up(PlanCause::TakeOver) }
    }

    /// Makes a plan; a scheduler that has none gives up if another follows it.
    ///
    /// # Errors
    /// As [`Run::take_over`].
    pub(super) fn plan_or_give_up(self: &Rc<Self>, cause: PlanCause) -> Result<(), RunFailed> {
        match self.plan(cause) {
            Err(RunFailed::NoPlan { .. }) if self.has_successor() => self.take_over(),
            made => made,
        }
    }
}
