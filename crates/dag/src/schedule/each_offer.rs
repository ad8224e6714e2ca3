//! Offers of ready tasks, each up to date: for rules that prefer a task because its best slot is
//! late or much better than the next.
//!
//! A host that gets a task has a later slot for all others. So only those whose best or second best
//! it is have another offer. The figure of a slot is to grow with its end.

use crate::kernel::SimTime;
use crate::model::grid::Core;
use crate::planning::view::TimeSlot;
use crate::platform::HostId;
use crate::schedule::steady_tasks::SteadyTasks;
use crate::workflow::TaskNumber;

/// The best that a ready task can have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Offer<F> {
    pub(crate) best: TimeSlot,
    /// Figure that the rule minimizes, on the best core.
    pub(crate) figure: F,
    /// The same on the second best, if there is one. On no other core than the best is it less;
    /// unless the rule asks for it, it may be more by now.
    pub(crate) second: Option<(F, Core)>,
}

/// A task, and what counts of its offer.
struct Row<B> {
    key: B,
    task: TaskNumber,
    line: u32,
    best: HostId,
    second: HostId,
}

/// All offers; see the module's essay.
pub(crate) struct EachOffer<B> {
    rows: Vec<Row<B>>,
}

/// Figures and keys that a rule gives slots and offers.
pub(crate) struct Says<'r, A, B> {
    /// Figure of a task in a slot.
    pub(crate) figure: &'r dyn Fn(TaskNumber, TimeSlot) -> A,
    /// Key of a task with an offer.
    pub(crate) key: &'r dyn Fn(TaskNumber, &Offer<A>) -> B,
    /// True if the key depends on the second best slot.
    pub(crate) by_second: bool,
}

impl<B: Ord + Copy> EachOffer<B> {
    pub(crate) fn new() -> Self {
        EachOffer { rows: Vec::new() }
    }

    /// Puts a task in; `None` if no host can have it.
    pub(crate) fn insert<A>(
        &mut self,
        tasks: &SteadyTasks,
        task: TaskNumber,
        line: u32,
        says: &Says<'_, A, B>,
    ) -> Option<()> {
        self.rows.push(says.row(tasks, task, line)?);
        Some(())
    }

    /// Takes a task out.
    pub(crate) fn remove(&mut self, task: TaskNumber) {
        let place = self.rows.iter().position(|row| row.task == task);
        self.rows.swap_remove(place.expect("the task is there"));
    }

    /// Takes in that a host has got something.
    ///
    /// # Errors
    /// The task that no host can have any more.
    pub(crate) fn renew<A>(
        &mut self,
        tasks: &SteadyTasks,
        host: HostId,
        says: &Says<'_, A, B>,
    ) -> Result<(), TaskNumber> {
        for row in &mut self.rows {
            if row.best == host || row.second == host {
                *row = says.row(tasks, row.task, row.line).ok_or(row.task)?;
            }
        }
        Ok(())
    }

    /// The least key, its task and host.
    pub(crate) fn first(&self) -> Option<(B, TaskNumber, HostId)> {
        let least = self.rows.iter().min_by_key(|row| (row.key, row.task))?;
        Some((least.key, least.task, least.best))
    }
}

impl<A, B> Says<'_, A, B> {
    /// Key of a task whose best slot is this one, whatever the second is.
    pub(crate) fn key_in(&self, task: TaskNumber, slot: TimeSlot) -> B {
        (self.key)(task, &Offer { best: slot, figure: (self.figure)(task, slot), second: None })
    }

    fn row(&self, tasks: &SteadyTasks, task: TaskNumber, line: u32) -> Option<Row<B>> {
        let (best, second) = tasks.earliest_two(line, self.by_second);
        let on = |(end, host): (SimTime, HostId)| ((self.figure)(task, tasks.ending(line, host, end)), host);
        let (end, host) = best?;
        let second_host = second.map_or(host, |(_, host)| host);
        let offer = Offer {
            best: tasks.ending(line, host, end),
            figure: on((end, host)).0,
            second: second.map(on).map(|(figure, host)| (figure, tasks.first_core(host))),
        };
        Some(Row { key: (self.key)(task, &offer), task, line, best: host, second: second_host })
    }
}
