//! What a scheduler that places tasks as the run goes on has in its hands.

use std::rc::Rc;

use crate::dag::choice::SlotReasons;
use crate::dag::error::Unlawful;
use crate::dag::execution::run::Run;
use crate::dag::grid::Core;
use crate::dag::view::View;
use crate::kernel::{Either, SimTime, now, race, settle, timer};
use crate::workflow::TaskNumber;

/// The verbs of a [`DynamicScheduler`](crate::dag::scheduler::DynamicScheduler).
#[derive(Clone, Debug)]
pub struct Dispatcher(pub(super) Rc<Run>);

impl Dispatcher {
    /// Waits until something has happened: a task ended, or a workflow arrived. False when every task has ended.
    pub async fn news(&self) -> bool {
        if self.0.is_computed() {
            return false;
        }
        self.0.dispatched.wait().await;
        !self.0.is_computed()
    }

    /// Waits as [`Dispatcher::news`] does, but until an instant after this one at the latest.
    pub async fn news_until(&self, at: SimTime) -> bool {
        match race(self.news(), timer(at.since(now()))).await {
            Either::Left(more) => more,
            Either::Right(()) => {
                settle().await;
                !self.0.is_computed()
            }
        }
    }

    /// The tasks that have no place and whose parents have all ended, by number.
    pub fn ready(&self) -> Vec<TaskNumber> {
        self.0.state.borrow().ready.iter().copied().collect()
    }

    /// The cores of hosts that work, compute nothing and have nothing placed, by number.
    pub fn idle(&self) -> Vec<Core> {
        let state = self.0.state.borrow();
        let works = |core: &&Core| !state.standing.down.contains(&self.0.problem.grid.host_of(**core));
        state.idle.iter().filter(works).copied().collect()
    }

    /// Whether a core can have a task: its host can run it, and the data of all parents can be sent there.
    pub fn can_have(&self, task: TaskNumber, core: Core) -> bool {
        self.0.may_place(task, core).is_ok()
    }

    /// Puts a task behind what a core has; its data are sent as soon as its parents have ended.
    ///
    /// # Errors
    /// The task has a place, a parent has none, or the core cannot have it.
    pub fn place(&self, task: TaskNumber, core: Core) -> Result<(), Unlawful> {
        self.0.may_place(task, core)?;
        self.0.place(task, core);
        Ok(())
    }

    /// Looks at what a planning scheduler would see.
    pub fn view<R>(&self, look: impl FnOnce(&View<'_>) -> R) -> R {
        let state = self.0.state.borrow();
        let view =
            View::new(&self.0.problem, &state.standing, now(), 0).explaining(self.0.execution.explained);
        let seen = look(&view);
        let reasons = view.reasons();
        drop(view);
        drop(state);
        if let Some(new) = reasons {
            self.note(new);
        }
        seen
    }

    /// Says in a sentence why a task gets its place, if that is to be explained, as [`View::explain`].
    pub fn explain(&self, task: TaskNumber, why: impl FnOnce() -> String) {
        if self.0.execution.explained == Some(task) {
            self.note(SlotReasons { at: now(), plan: 0, said: vec![why()], choice: None });
        }
    }

    /// Adds to what was said in this instant.
    fn note(&self, new: SlotReasons) {
        let reasons = &mut self.0.state.borrow_mut().reasons;
        match reasons.last_mut().filter(|last| last.at == new.at) {
            Some(last) => {
                last.said.extend(new.said);
                last.choice = new.choice.or(last.choice.take());
            }
            None => reasons.push(new),
        }
    }
}
