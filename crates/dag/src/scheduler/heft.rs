//! HEFT: the task of the greatest upward rank next, on the host where it ends first, with
//! insertion.
//!
//! Source: H. Topcuoglu, S. Hariri, M.-Y. Wu, "Performance-effective and low-complexity task
//! scheduling for heterogeneous computing", IEEE TPDS 13(3), 2002.

use crate::error::CannotPlan;
use crate::planning::assumption::Assumption;
use crate::planning::plan::TaskPlan;
use crate::planning::ranks::{ByRank, Data, mean_executions, upward};
use crate::planning::view::View;
use crate::registry::Entry;
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::Scheduler;

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::published(
    "heft",
    "the task of the greatest upward rank on the host where it ends first, with insertion",
    "H. Topcuoglu, S. Hariri, M.-Y. Wu, IEEE TPDS 13(3), 2002",
    &[],
    |_| Ok(Box::new(Heft)),
);

/// Heterogeneous earliest finish time.
#[derive(Clone, Copy, Debug)]
pub struct Heft;

impl Scheduler for Heft {
    fn assumptions(&self) -> &[Assumption] {
        &[Assumption::FullCrossbar, Assumption::ContentionFree]
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let rank = upward(view, &mean_executions(view), Data::Counts);
        let mut schedule = PartialSchedule::new(view).by_figure("end in seconds", "");
        for task in ByRank::new(view, rank).named("upward rank in seconds") {
            schedule.put(task, Search::Gaps, |slot| slot.end)?;
        }
        Ok(schedule.into_plan())
    }
}
