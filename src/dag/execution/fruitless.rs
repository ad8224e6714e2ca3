//! Plans that move tasks from host to host, and nothing is computed.
//!
//! Data are sent anew to a host that a task is moved to. Where plans follow each other faster than data arrive, and each
//! sees another host ahead, tasks never start. One such plan is nothing: hosts are down, or data are on their way. Where
//! all that wait have been moved [`MOVES`] times in the mean, and none of them has started, it is a mistake of the scenario.

use crate::dag::execution::record::{ExecutedTask, PlanRecord};
use crate::dag::graph::Graph;
use crate::kernel::SimTime;
use crate::workflow::TaskNumber;

/// Names of tasks that a message has at most.
const NAMED: usize = 3;

/// Moves of each task that waits from which on that is no chance.
const MOVES: u64 = 10;

/// The last plans of a run, since which nothing was computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fruitless {
    /// End of the last task, or start of the run.
    pub since: SimTime,
    /// Number of plans since then.
    pub plans: usize,
    /// Number of moves of tasks in these plans.
    pub moved: u64,
}

impl Fruitless {
    /// `None` while a task is computed, and where those that wait were moved fewer than `MOVES` times in the mean.
    pub fn of(tasks: &[ExecutedTask], plans: &[PlanRecord]) -> Option<Self> {
        if tasks.iter().any(|task| task.start.is_some() && task.end.is_none()) {
            return None;
        }
        let since = tasks.iter().filter_map(|task| task.end).max();
        let last = plans.iter().rev().take_while(|plan| since.is_none_or(|since| plan.at > since));
        let (count, moved) = last.fold((0, 0), |(count, moved), plan| (count + 1, moved + plan.moved));
        let found = Fruitless { since: since.unwrap_or(SimTime::ZERO), plans: count, moved };
        let waiting = plans.last().map_or(0, |plan| plan.tasks);
        (moved > 0 && moved >= MOVES * waiting).then_some(found)
    }
}

/// Why plans that follow each other complete nothing, and which tasks are not computed.
pub(super) fn why(graph: &Graph, tasks: &[ExecutedTask], plans: &[PlanRecord]) -> String {
    let open: Vec<usize> = (0..tasks.len()).filter(|place| tasks[*place].end.is_none()).collect();
    let names: Vec<String> = open
        .iter()
        .take(NAMED)
        .map(|place| format!("`{}`", graph.task(TaskNumber(*place as u32)).name))
        .collect();
    let more = if open.len() > NAMED { " …" } else { "" };
    let cause = match Fruitless::of(tasks, plans) {
        Some(Fruitless { moved, .. }) => format!(
            "they were moved {moved} times, and each move throws away what was sent before; a longer `replan.period` \
             lets tasks start"
        ),
        None => {
            "plans follow each other faster than tasks end; a longer `replan.period` needs fewer".to_owned()
        }
    };
    format!("{} tasks are not computed ({}{more}): {cause}", open.len(), names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dag::execution::record::PlanCause;

    fn at(seconds: u64) -> SimTime {
        SimTime::from_nanos(seconds * 1_000_000_000)
    }

    /// Plans of two tasks, a second after the other from 10 s on.
    fn plans(moved: &[u64]) -> Vec<PlanRecord> {
        let plan = |(place, &moved): (u64, &u64)| PlanRecord {
            tasks: 2,
            moved,
            ..PlanRecord::without_tasks(at(10 + place), PlanCause::Period)
        };
        (0..).zip(moved).map(plan).collect()
    }

    #[test]
    fn plans_after_the_last_end_count_unless_a_task_is_computed() {
        let ended = ExecutedTask { start: Some(at(2)), end: Some(at(11)), ..ExecutedTask::default() };
        let runs = ExecutedTask { start: Some(at(12)), ..ExecutedTask::default() };
        let waits = ExecutedTask::default();
        let moving = plans(&[9, 9, 9, 0, 11]);
        let found = Fruitless { since: at(11), plans: 3, moved: 20 };
        assert_eq!(Fruitless::of(&[ended, waits], &moving), Some(found));
        assert_eq!(Fruitless::of(&[ended, runs], &moving), None);
        assert_eq!(Fruitless::of(&[ended, waits], &plans(&[9, 9, 9, 0, 10])), None);
        let never = Fruitless { since: SimTime::ZERO, plans: 2, moved: 20 };
        assert_eq!(Fruitless::of(&[waits], &plans(&[10, 10])), Some(never));
        assert_eq!(Fruitless::of(&[waits], &[]), None);
    }
}
