//! CPOP: the ready task of the greatest upward and downward rank next; those of the critical path
//! on one host, which computes them fastest, all others where they end first, with insertion.
//!
//! The critical path is one path: from the task of the greatest upward rank on, at each step the
//! child behind which most lies, of equal ones the lower. Where a void pair or the task itself
//! rules its host out, a task of the path goes where it ends first. A task of several cores is on
//! the host of the path on any of its cores.
//!
//! Source: H. Topcuoglu, S. Hariri, M.-Y. Wu, "Performance-effective and low-complexity task
//! scheduling for heterogeneous computing", IEEE TPDS 13(3), 2002.

use crate::error::CannotPlan;
use crate::kernel::SimDuration;
use crate::model::grid::Core;
use crate::planning::assumption::Assumption;
use crate::planning::plan::TaskPlan;
use crate::planning::ranks::{ByRank, Data, critical_path, downward, mean_executions, nanos, upward};
use crate::planning::view::{TimeSlot, View};
use crate::registry::Entry;
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::Scheduler;
use crate::workflow::TaskNumber;

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::published(
    "cpop",
    "the tasks of the critical path on the host that computes them fastest, the others where they end first",
    "H. Topcuoglu, S. Hariri, M.-Y. Wu, IEEE TPDS 13(3), 2002",
    &[],
    |_| Ok(Box::new(Cpop)),
);

/// Critical path on a processor.
#[derive(Clone, Copy, Debug)]
pub struct Cpop;

impl Scheduler for Cpop {
    fn assumptions(&self) -> &[Assumption] {
        &[Assumption::FullCrossbar, Assumption::SingleEntryExit, Assumption::ContentionFree]
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let seconds = mean_executions(view);
        let up = upward(view, &seconds, Data::Counts);
        let down = downward(view, &seconds);
        let path = critical_path(view, &up);
        let core = fastest(view, &path);
        let mut is_critical = vec![false; view.graph().len()];
        for task in path {
            is_critical[task.index()] = true;
        }
        let mut rank = vec![0.0; view.graph().len()];
        for task in view.tasks() {
            rank[task.index()] = nanos(up[task.index()] + down[task.index()]) as f64;
        }
        let mut schedule = PartialSchedule::new(view).by_figure("end in seconds", "");
        for task in ByRank::new(view, rank).named("upward and downward rank in nanoseconds") {
            let critical = is_critical[task.index()];
            if critical && let Some(core) = core {
                let host = view.host_name(view.host_of(core));
                view.explain(task, || {
                    format!("It is on the critical path, whose tasks go to host `{host}` if they can")
                });
            }
            let is_elsewhere = |slot: TimeSlot| critical && core != Some(view.place_of(slot.core));
            schedule.put(task, Search::Gaps, |slot| (is_elsewhere(slot), slot.end))?;
        }
        Ok(schedule.into_plan())
    }
}

/// The first core of the host on which these tasks take least in all.
fn fastest(view: &View<'_>, path: &[TaskNumber]) -> Option<Core> {
    let total = |core: Core| -> Option<u64> {
        let host = view.host_of(core);
        let spans = path.iter().map(|task| view.execution(*task, host, view.now()));
        spans
            .map(|span| span.map(SimDuration::as_nanos))
            .try_fold(0_u64, |sum, span| Some(sum.saturating_add(span?)))
    };
    view.cores().filter_map(|core| Some((total(core)?, core))).min().map(|(_, core)| core)
}
