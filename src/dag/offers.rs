//! Choosing among ready tasks by the best slot of each.
//!
//! Rules of this kind look at all tasks that are ready and at every core for each, place one task, and look again. What was found is
//! kept: as long as later starts never mean earlier ends, a slot can only have got worse, so a task is looked at again only if its own
//! best or second best slot has changed. Where predictions allow a later start to end earlier, every task is looked at each time.

use std::collections::BTreeMap;

use crate::dag::error::CannotPlan;
use crate::dag::grid::Core;
use crate::dag::ranks::{children_now_ready, missing_parents};
use crate::dag::schedule::{ChoiceFigure, PartialSchedule, Search};
use crate::dag::view::{TimeSlot, View};
use crate::output::number::grouped;
use crate::workflow::TaskNumber;

/// The best that a ready task can have.
#[derive(Clone, Copy, Debug)]
pub(in crate::dag) struct Offer<F> {
    pub(in crate::dag) best: TimeSlot,
    /// What the rule makes least, on the best core.
    pub(in crate::dag) figure: F,
    /// The same on the second best, if there is one.
    pub(in crate::dag) second: Option<(F, Core)>,
}

/// A rule that chooses among ready tasks: what makes a slot good, and which task is next.
pub(in crate::dag) struct ByOffers<F, K> {
    /// What is made least for a task.
    pub(in crate::dag) figure: F,
    /// Of the ready tasks the one of the least key is next, of equal ones that of the lowest number.
    pub(in crate::dag) key: K,
    /// What is special about the task that is next, for explanations.
    pub(in crate::dag) why: &'static str,
}

impl<F, K> ByOffers<F, K> {
    /// Places all open tasks that have no slot, one by one, behind what is there.
    ///
    /// # Errors
    /// No core can have one of them.
    pub(in crate::dag) fn place_all<A, B>(&self, schedule: &mut PartialSchedule<'_>) -> Result<(), CannotPlan>
    where
        A: ChoiceFigure + Ord,
        B: Ord,
        F: Fn(TaskNumber, TimeSlot) -> A,
        K: Fn(TaskNumber, &Offer<A>) -> B,
    {
        let view = schedule.view();
        let mut missing = missing_parents(view, |task| view.is_open(task) && schedule.slot(task).is_none());
        let without = |task: &TaskNumber| missing[task.index()] == 0 && schedule.slot(*task).is_none();
        let first: Vec<TaskNumber> = view.open().filter(without).collect();
        self.place(schedule, first, |task| children_now_ready(view, &mut missing, task))
    }

    /// Places these tasks one by one, and those that each of them makes ready.
    ///
    /// # Errors
    /// As [`ByOffers::place_all`].
    pub(in crate::dag) fn place<A, B>(
        &self,
        schedule: &mut PartialSchedule<'_>,
        first: Vec<TaskNumber>,
        mut now_ready: impl FnMut(TaskNumber) -> Vec<TaskNumber>,
    ) -> Result<(), CannotPlan>
    where
        A: ChoiceFigure + Ord,
        B: Ord,
        F: Fn(TaskNumber, TimeSlot) -> A,
        K: Fn(TaskNumber, &Offer<A>) -> B,
    {
        let view = schedule.view();
        let is_monotone = view.is_monotone();
        let mut ready: BTreeMap<TaskNumber, Offer<A>> = BTreeMap::new();
        for task in first {
            ready.insert(task, self.offer(schedule, task)?);
        }
        let next = |ready: &BTreeMap<TaskNumber, Offer<A>>| {
            let (task, offer) = ready.iter().min_by_key(|(task, offer)| (self.key)(**task, offer))?;
            Some((*task, offer.best))
        };
        while let Some((task, slot)) = next(&ready) {
            ready.remove(&task);
            if view.explains(task) {
                view.explain(task, || match ready.len() as u64 {
                    0 => "No other task is ready".to_owned(),
                    others => format!("Of {} ready tasks it is next: {}", grouped(others + 1), self.why),
                });
                // what was found on other cores before may have got worse
                schedule.uncounted(|schedule| self.offer(schedule, task))?;
            }
            schedule.place(task, slot);
            for (&other, offer) in &mut ready {
                if !is_monotone || offer.is_changed(schedule, other, slot.core) {
                    *offer = self.offer(schedule, other)?;
                }
            }
            for child in now_ready(task) {
                ready.insert(child, self.offer(schedule, child)?);
            }
        }
        Ok(())
    }

    fn offer<A>(&self, schedule: &mut PartialSchedule<'_>, task: TaskNumber) -> Result<Offer<A>, CannotPlan>
    where
        A: ChoiceFigure + Ord,
        F: Fn(TaskNumber, TimeSlot) -> A,
    {
        let mut least: [Option<(A, Core)>; 2] = [None; 2];
        let best = schedule.choose(task, Search::Tail, |slot| {
            let own = (self.figure)(task, slot);
            if least[0].is_none_or(|(first, _)| own < first) {
                least = [Some((own, slot.core)), least[0]];
            } else if least[1].is_none_or(|(second, _)| own < second) {
                least[1] = Some((own, slot.core));
            }
            own
        })?;
        Ok(Offer { best, figure: (self.figure)(task, best), second: least[1] })
    }
}

impl<F> Offer<F> {
    /// Whether it may have changed by what was placed on this core.
    fn is_changed(&self, schedule: &mut PartialSchedule<'_>, task: TaskNumber, core: Core) -> bool {
        if self.best.core == core || self.second.as_ref().is_some_and(|(_, second)| *second == core) {
            return true;
        }
        // links may have more to carry
        schedule.has_queues() && schedule.earliest(task, self.best.core, Search::Tail) != Some(self.best)
    }
}

/// The open tasks whose parents have all ended.
pub(in crate::dag) fn with_finished_parents(view: &View<'_>) -> Vec<TaskNumber> {
    let graph = view.graph();
    let is_finished = |task| matches!(view.progress(task), crate::dag::view::Progress::Finished(_));
    let all =
        |task: &TaskNumber| graph.incoming(*task).iter().all(|edge| is_finished(graph.edge(*edge).from));
    view.open().filter(all).collect()
}
