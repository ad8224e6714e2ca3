//! PEFT: the ready task of the greatest mean optimistic cost next, on the host where its end and
//! what must still follow are least.
//!
//! The optimistic cost of a task on a host is what must follow at least once it has ended there: of
//! its children the greatest, for each child over hosts the least of its own optimistic cost there,
//! its time there, and the mean time of its data unless it stays on the same host. It is worked out
//! in whole nanoseconds, and as many steps as there are pairs of an edge and a host.
//!
//! Source: H. Arabnejad, J. G. Barbosa, "List scheduling algorithm for heterogeneous systems by an
//! optimistic cost table", IEEE TPDS 25(3), 2014.

use crate::error::CannotPlan;
use crate::kernel::SimDuration;
use crate::planning::assumption::Assumption;
use crate::planning::plan::TaskPlan;
use crate::planning::ranks::ByRank;
use crate::planning::view::View;
use crate::registry::Entry;
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::Scheduler;
use crate::workflow::TaskNumber;

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::published(
    "peft",
    "the task of the greatest mean optimistic cost, where its end and what must follow are least, with insertion",
    "H. Arabnejad, J. G. Barbosa, IEEE TPDS 25(3), 2014",
    &[],
    |_| Ok(Box::new(Peft)),
);

/// Predict earliest finish time.
#[derive(Clone, Copy, Debug)]
pub struct Peft;

impl Scheduler for Peft {
    fn assumptions(&self) -> &[Assumption] {
        &[Assumption::FullCrossbar, Assumption::ContentionFree]
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let table = OptimisticCosts::new(view);
        let mut rank = vec![0.0; view.graph().len()];
        for task in view.tasks() {
            rank[task.index()] = table.mean(task);
        }
        let mut schedule = PartialSchedule::new(view).by_figure("end and optimistic cost, in seconds", "");
        for task in ByRank::new(view, rank).named("mean optimistic cost in seconds") {
            let behind = table.of(task);
            schedule.put(task, Search::Gaps, |slot| {
                let behind = behind[view.host_of(slot.core).index()];
                slot.end.saturating_add(SimDuration::from_nanos(behind))
            })?;
        }
        Ok(schedule.into_plan())
    }
}

/// Least time that must follow each open task, by host, in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct OptimisticCosts {
    hosts: usize,
    costs: Vec<u64>,
}

impl OptimisticCosts {
    pub(crate) fn new(view: &View<'_>) -> Self {
        let (graph, mean, hosts) = (view.graph(), view.mean_transfer(), view.hosts().len());
        let mut costs = vec![0_u64; graph.len() * hosts];
        // by host: the task itself and what follows it
        let mut with_task = vec![0_u64; hosts];
        for &child in view.order().iter().rev().filter(|task| view.is_open(**task)) {
            let behind = &costs[child.index() * hosts..][..hosts];
            for ((with_task, behind), host) in with_task.iter_mut().zip(behind).zip(view.hosts()) {
                let span = view.execution(child, host, view.now());
                *with_task = span.map_or(u64::MAX, |span| span.as_nanos().saturating_add(*behind));
            }
            let least = with_task.iter().copied().min().unwrap_or(0);
            for edge in graph.incoming(child).iter().map(|edge| graph.edge(*edge)) {
                let sent = SimDuration::ceil_secs(mean.seconds(edge.bytes)).as_nanos();
                let elsewhere = least.saturating_add(sent);
                let behind = &mut costs[edge.from.index() * hosts..][..hosts];
                for (behind, with_task) in behind.iter_mut().zip(&with_task) {
                    *behind = (*behind).max(elsewhere.min(*with_task));
                }
            }
        }
        OptimisticCosts { hosts, costs }
    }

    /// Costs of a task, by host.
    fn of(&self, task: TaskNumber) -> &[u64] {
        &self.costs[task.index() * self.hosts..][..self.hosts]
    }

    /// The mean over hosts, in seconds.
    pub(crate) fn mean(&self, task: TaskNumber) -> f64 {
        let sum = self.of(task).iter().fold(0_u64, |sum, cost| sum.saturating_add(*cost));
        sum as f64 / self.hosts.max(1) as f64 / 1e9
    }
}
