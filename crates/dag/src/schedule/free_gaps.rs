//! Gaps of cores for tasks of several, while a plan is made in which tasks move until the end; and
//! the plan.

use crate::kernel::SimTime;
use crate::model::grid::Core;
use crate::planning::plan::{PlannedTask, TaskPlan};
use crate::schedule::slots::{core_by_core, first_together};
use crate::schedule::starts::Starts;
use crate::workflow::TaskNumber;

impl Starts<'_> {
    /// The first instant from `from` on at which a task could start on as many of these cores as it
    /// asks for without moving another, at places of each core that are allowed, from the first to
    /// the second; and the lowest cores where it could.
    pub(crate) fn first_gap(
        &self,
        task: TaskNumber,
        cores: &[Core],
        from: u64,
        allowed: impl Fn(Core) -> (usize, usize),
    ) -> Option<(u64, Vec<Core>)> {
        let width = self.view.width(task) as usize;
        first_together(cores, width, from, |core, from| {
            let (column, (first, last)) = (self.sequences.column(core), allowed(core));
            let mut start = first.checked_sub(1).map_or(from, |before| self.end(column[before]).max(from));
            loop {
                let place = self.place_at(core, start);
                if place > last {
                    return None;
                }
                let Some(&next) = column.get(place) else { return Some(start) };
                let end = start.saturating_add(self.span_on(task, core, start)?);
                if end <= self.start(next) {
                    return Some(start);
                }
                start = self.end(next);
            }
        })
    }

    /// The place of a core behind all that has ended by an instant.
    pub(crate) fn place_at(&self, core: Core, start: u64) -> usize {
        self.sequences.column(core).partition_point(|task| self.end(*task) <= start)
    }

    /// The plan of it, once every task has a place.
    pub(crate) fn plan(&self) -> TaskPlan {
        let instant = SimTime::from_nanos;
        let of = |core| self.sequences.column(core).iter().copied().filter(|task| !self.is_fixed(*task));
        let columns: Vec<Vec<TaskNumber>> = self.view.cores().map(|core| of(core).collect()).collect();
        let core = |task| self.core(task).expect("what is on a core has a place");
        let planned = |task| {
            let [start, end] = [self.start(task), self.end(task)].map(instant);
            PlannedTask { task, core: core(task), start, end }
        };
        let order = core_by_core(&self.view.problem().grid, &columns, core);
        TaskPlan { assignments: order.into_iter().map(planned).collect(), ..TaskPlan::default() }
    }
}
