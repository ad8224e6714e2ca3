//! Lookahead HEFT: tasks in the order of HEFT, each on the host that lets the last of its children
//! end first.
//!
//! For each host the task is placed there for a trial, then its children by HEFT's rule, the one of
//! the greatest rank first. Parents of the children that have no place yet count for nothing. Ties
//! go to the earlier end of the task itself, then to the lower host. A task without children goes
//! where it ends first.
//!
//! Source: L. F. Bittencourt, R. Sakellariou, E. R. M. Madeira, "DAG scheduling using a lookahead
//! variant of the heterogeneous earliest finish time algorithm", PDP 2010.

use crate::error::CannotPlan;
use crate::kernel::SimTime;
use crate::planning::assumption::Assumption;
use crate::planning::plan::TaskPlan;
use crate::planning::ranks::{ByRank, Data, Ordered, mean_executions, upward};
use crate::planning::view::{TimeSlot, View};
use crate::registry::Entry;
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::Scheduler;
use crate::workflow::{EdgeNumber, TaskNumber};

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::published(
    "lookahead-heft",
    "in the order of HEFT, each task on the host that lets the last of its children end first",
    "L. F. Bittencourt, R. Sakellariou, E. R. M. Madeira, PDP 2010",
    &[],
    |_| Ok(Box::new(LookaheadHeft)),
);

/// HEFT that looks at the children of a task.
#[derive(Clone, Copy, Debug)]
pub struct LookaheadHeft;

impl Scheduler for LookaheadHeft {
    fn assumptions(&self) -> &[Assumption] {
        &[Assumption::FullCrossbar, Assumption::ContentionFree]
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let rank = upward(view, &mean_executions(view), Data::Counts);
        let mut schedule =
            PartialSchedule::new(view).by_figure("last end of a child in seconds", "its own end");
        for task in ByRank::new(view, rank.clone()).named("upward rank in seconds") {
            let children = children(&schedule, task, &rank);
            // what is later than this has lost, and is not worked out to its end
            let mut least = SimTime::MAX;
            let slot = schedule.choose_by(task, Search::Gaps, |schedule, slot| {
                let last = last_end(schedule, task, slot, &children, least);
                least = least.min(last);
                (last, slot.end)
            })?;
            schedule.place(task, slot);
        }
        Ok(schedule.into_plan())
    }
}

/// A child of the task that is placed for a trial.
struct Child {
    task: TaskNumber,
    /// By host: when the data of all parents are there that have a place already.
    ready: Vec<Option<SimTime>>,
    /// From the task, and from those of its children that are parents of this one.
    edges: Vec<EdgeNumber>,
}

fn children(schedule: &PartialSchedule<'_>, task: TaskNumber, rank: &[f64]) -> Vec<Child> {
    let view = schedule.view();
    let graph = view.graph();
    let all = graph.outgoing(task).iter().map(|edge| graph.edge(*edge).to);
    // a child may run already where its parent is computed again
    let mut tasks: Vec<TaskNumber> = all.filter(|child| schedule.slot(*child).is_none()).collect();
    let numbers = tasks.clone();
    let is_trial = |edge: &EdgeNumber| {
        let parent = graph.edge(*edge).from;
        parent == task || numbers.binary_search(&parent).is_ok()
    };
    tasks.sort_by_key(|child| (std::cmp::Reverse(Ordered(rank[child.index()])), *child));
    let child = |child: TaskNumber| {
        let (edges, known): (Vec<_>, Vec<_>) = graph.incoming(child).iter().partition(|edge| is_trial(edge));
        let ready = view.hosts().map(|host| {
            let arrivals = graph.inputs(child).iter().chain(&known).map(|edge| schedule.arrival(*edge, host));
            let able = view.can_run(child, host).then_some(view.now());
            arrivals.fold(able, |ready, arrival| Some(ready?.max(arrival?)))
        });
        Child { task: child, ready: ready.collect(), edges }
    };
    tasks.into_iter().map(child).collect()
}

/// The last end of a child if the task has this slot and its children follow; something later than
/// `least` if it is later.
fn last_end(
    schedule: &mut PartialSchedule<'_>,
    task: TaskNumber,
    slot: TimeSlot,
    children: &[Child],
    least: SimTime,
) -> SimTime {
    if children.is_empty() {
        return slot.end;
    }
    schedule.place(task, slot);
    let mut last = SimTime::ZERO;
    let mut placed = 0;
    for child in children {
        let end = match best(schedule, child) {
            Some(slot) => {
                schedule.place(child.task, slot);
                placed += 1;
                slot.end
            }
            None => SimTime::MAX,
        };
        last = last.max(end);
        if last > least || end == SimTime::MAX {
            break;
        }
    }
    children[..placed].iter().for_each(|child| schedule.take_back(child.task));
    schedule.take_back(task);
    last
}

/// The slot in which a child ends first.
fn best(schedule: &PartialSchedule<'_>, child: &Child) -> Option<TimeSlot> {
    let view = schedule.view();
    let mut best: Option<TimeSlot> = None;
    for host in view.hosts() {
        let arrivals = child.edges.iter().map(|edge| schedule.arrival(*edge, host));
        let ready = arrivals.fold(child.ready[host.index()], |ready, arrival| Some(ready?.max(arrival?)));
        let Some(ready) = ready.filter(|ready| best.is_none_or(|best| *ready < best.end)) else { continue };
        for core in view.places_on(child.task, host) {
            let slot = schedule.slot_on(child.task, core, ready, Search::Gaps);
            if let Some(slot) = slot.filter(|slot| best.is_none_or(|best| slot.end < best.end)) {
                best = Some(slot);
            }
        }
    }
    best
}
