//! HCPT: the critical tasks, each after those ancestors that are still missing, then all others;
//! each where it ends first, with insertion.
//!
//! Earliest and latest starts are by mean costs. Tasks for which both are equal are critical and
//! are taken by rising latest start. Of several missing parents the one of the least latest start
//! comes first. All others follow by number.
//!
//! Source: T. Hagras, J. Janecek, "A simple scheduling heuristic for heterogeneous computing
//! environments", ISPDC 2003.

use crate::error::CannotPlan;
use crate::planning::assumption::Assumption;
use crate::planning::plan::TaskPlan;
use crate::planning::ranks::{ByRank, Data, downward, mean_executions, nanos, upward};
use crate::planning::view::View;
use crate::registry::Entry;
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::Scheduler;
use crate::workflow::TaskNumber;

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::published(
    "hcpt",
    "critical tasks, each after its missing ancestors, where they end first, with insertion",
    "T. Hagras, J. Janecek, ISPDC 2003",
    &[],
    |_| Ok(Box::new(Hcpt)),
);

/// Heterogeneous critical parent trees.
#[derive(Clone, Copy, Debug)]
pub struct Hcpt;

impl Scheduler for Hcpt {
    fn assumptions(&self) -> &[Assumption] {
        &[Assumption::FullCrossbar, Assumption::SingleEntryExit, Assumption::ContentionFree]
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let order = listed(view);
        let mut schedule = PartialSchedule::new(view).by_figure("end in seconds", "");
        for task in ByRank::listed(view, &order) {
            view.explain(task, || {
                "The list has critical tasks, each behind its missing ancestors, and then all others"
                    .to_owned()
            });
            schedule.put(task, Search::Gaps, |slot| slot.end)?;
        }
        Ok(schedule.into_plan())
    }
}

/// The open tasks in the order in which they are placed.
fn listed(view: &View<'_>) -> Vec<TaskNumber> {
    let graph = view.graph();
    let seconds = mean_executions(view);
    let up = upward(view, &seconds, Data::Counts);
    let down = downward(view, &seconds);
    let length = view.tasks().map(|task| up[task.index()]).fold(0.0, f64::max);
    let latest = |task: TaskNumber| (nanos(length - up[task.index()]), task);
    let is_critical = |task: &TaskNumber| nanos(length - up[task.index()] - down[task.index()]) == 0;
    let mut critical: Vec<TaskNumber> = view.open().filter(is_critical).collect();
    critical.sort_unstable_by_key(|task| latest(*task));
    let mut is_listed = vec![false; graph.len()];
    for task in view.tasks() {
        is_listed[task.index()] = !view.is_open(task);
    }
    let mut order = Vec::new();
    for task in critical {
        let mut wanted = vec![task];
        while let Some(&task) = wanted.last() {
            let parents = graph.incoming(task).iter().map(|edge| graph.edge(*edge).from);
            if let Some(parent) =
                parents.filter(|parent| !is_listed[parent.index()]).min_by_key(|task| latest(*task))
            {
                wanted.push(parent);
                continue;
            }
            wanted.pop();
            if !std::mem::replace(&mut is_listed[task.index()], true) {
                order.push(task);
            }
        }
    }
    order.extend(view.tasks().filter(|task| !is_listed[task.index()]));
    order
}
