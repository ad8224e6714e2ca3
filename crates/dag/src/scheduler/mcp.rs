//! MCP: tasks by their latest starts, each on the host where it starts first, with insertion.
//!
//! The latest start of a task is the length of the critical path less its upward rank, by mean
//! costs. Tasks are compared by lists, number by number: the task's own latest start, then those of
//! all its descendants in rising order. A list that ends first is the lesser. Equal lists go by the
//! number of the task.
//!
//! Source: M.-Y. Wu, D. D. Gajski, "Hypertool: a programming aid for message-passing systems", IEEE
//! TPDS 1(3), 1990.

use crate::error::CannotPlan;
use crate::kernel::SimDuration;
use crate::output::number::plain;
use crate::planning::assumption::Assumption;
use crate::planning::plan::TaskPlan;
use crate::planning::ranks::{ByRank, Data, mean_executions, nanos, upward};
use crate::planning::view::View;
use crate::registry::Entry;
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::Scheduler;
use crate::workflow::TaskNumber;

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::published(
    "mcp",
    "the task of the earliest latest start, on the host where it starts first, with insertion",
    "M.-Y. Wu, D. D. Gajski, IEEE TPDS 1(3), 1990",
    &[],
    |_| Ok(Box::new(Mcp)),
);

/// Modified critical path.
#[derive(Clone, Copy, Debug)]
pub struct Mcp;

impl Scheduler for Mcp {
    fn assumptions(&self) -> &[Assumption] {
        &[Assumption::Homogeneous, Assumption::FullCrossbar, Assumption::ContentionFree]
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let up = upward(view, &mean_executions(view), Data::Counts);
        let length = view.tasks().map(|task| up[task.index()]).fold(0.0, f64::max);
        let mut latest = vec![0; view.graph().len()];
        for task in view.tasks() {
            latest[task.index()] = nanos(length - up[task.index()]);
        }
        let mut order: Vec<TaskNumber> = view.open().collect();
        order.sort_unstable_by_key(|task| (latest[task.index()], *task));
        let mut descendants = Descendants::new(view, &latest);
        for equal in order.chunk_by_mut(|one, next| latest[one.index()] == latest[next.index()]) {
            if equal.len() > 1 {
                equal.sort_by_cached_key(|task| (descendants.of(*task), *task));
            }
        }
        let mut schedule = PartialSchedule::new(view).by_figure("start in seconds", "");
        for task in ByRank::listed(view, &order) {
            view.explain(task, || {
                let latest = SimDuration::from_nanos(latest[task.index()]).as_secs_f64();
                format!("The list is by latest starts; its own is {}", plain(latest))
            });
            schedule.put(task, Search::Gaps, |slot| slot.start)?;
        }
        Ok(schedule.into_plan())
    }
}

/// Looks for the descendants of tasks.
struct Descendants<'v> {
    view: &'v View<'v>,
    latest: &'v [u64],
    /// By task: the search that met it last.
    met: Vec<u32>,
    searches: u32,
}

impl<'v> Descendants<'v> {
    fn new(view: &'v View<'v>, latest: &'v [u64]) -> Self {
        Descendants { view, latest, met: vec![0; latest.len()], searches: 0 }
    }

    /// The latest starts of all descendants of a task, rising.
    fn of(&mut self, task: TaskNumber) -> Vec<u64> {
        self.searches += 1;
        let graph = self.view.graph();
        let (mut found, mut open) = (Vec::new(), vec![task]);
        while let Some(task) = open.pop() {
            for child in graph.outgoing(task).iter().map(|edge| graph.edge(*edge).to) {
                if std::mem::replace(&mut self.met[child.index()], self.searches) != self.searches {
                    found.push(self.latest[child.index()]);
                    open.push(child);
                }
            }
        }
        found.sort_unstable();
        found
    }
}
