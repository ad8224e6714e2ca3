//! Runs in which nothing is completed: plans move tasks from host to host, or failures break off
//! what is computed or sent.
//!
//! Data are sent again to a host that a task is moved to. Where plans follow each other faster than
//! data arrive, and each sees another host ahead, tasks never start. One such plan is nothing:
//! hosts are down, or data are on their way. Where all that wait have been moved [`MOVES`] times in
//! the mean, and none of them has started, it is a mistake of the scenario.

use crate::execution::links::TransferNumber;
use crate::execution::record::{ExecutedTask, PlanCause, PlanRecord};
use crate::execution::run::Run;
use crate::execution::state::{BrokenOff, State};
use crate::kernel::{SimTime, ends_too_late, note_decision, now};
use crate::workflow::TaskNumber;

/// Names of tasks that a message has at most.
const NAMED: usize = 3;

/// Moves of each task that waits from which on that is no chance.
const MOVES: u64 = 10;

/// The last plans of a run, since which nothing was computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fruitless {
    /// End of the last task, or start of the run.
    pub since: SimTime,
    /// Number of plans since then.
    pub plans: usize,
    /// Number of moves of tasks in these plans.
    pub moved: u64,
}

impl Fruitless {
    /// `None` while a task is computed, and where those that wait were moved fewer than `MOVES`
    /// times in the mean.
    pub(crate) fn of(tasks: &[ExecutedTask], plans: &[PlanRecord]) -> Option<Self> {
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

impl Run {
    /// A plan or a failure completes nothing by itself: the run ends where too many follow each
    /// other, and nothing else goes on.
    pub(super) fn completes_nothing(&self, state: &State) {
        note_decision(|_, from| {
            let late = if self.goes_on_since(state, from) {
                Some(ends_too_late(from, self.next_end(state))?)
            } else {
                None
            };
            Some(self.why_nothing_ends(state, late))
        });
    }

    /// The instant before which nothing ends that is computed or sent, as predicted.
    fn next_end(&self, state: &State) -> SimTime {
        let tasks = state.columns.iter().filter_map(|column| column.running).map(|(_, end)| end);
        let transfers = self.links.under_way().into_iter().map(|sent| self.arrival(state, sent));
        tasks.chain(transfers).min().unwrap_or(now())
    }

    /// Predicted arrival of what is on its way; now if its data have been sent elsewhere since.
    fn arrival(&self, state: &State, sent: TransferNumber) -> SimTime {
        let (graph, record) = (&self.problem.graph, state.transfers[sent.index()]);
        let at = if graph.file_rules().cache {
            state.standing.copies.get(&(graph.first_of(record.edge), record.to)).copied()
        } else {
            let is_last = state.last_sent(record.edge) == Some(sent);
            state.standing.deliveries[record.edge.index()].filter(|_| is_last).map(|last| last.at)
        };
        at.unwrap_or(now())
    }

    /// Reason why plans and failures complete nothing, and the tasks that are not
    /// computed; `late` says that something goes on that ends too late.
    fn why_nothing_ends(&self, state: &State, late: Option<String>) -> String {
        let graph = &self.problem.graph;
        let name = |task: TaskNumber| format!("`{}`", graph.task(task).name);
        let open: Vec<TaskNumber> =
            graph.tasks().filter(|task| state.records[task.index()].end.is_none()).collect();
        let names: Vec<String> = open.iter().take(NAMED).map(|task| name(*task)).collect();
        let more = if open.len() > NAMED { " …" } else { "" };
        let BrokenOff { since, lost, sent } = &state.fruitless;
        let plans = || state.plans.iter().rev().take_while(|plan| plan.at > *since);
        let periods = plans().filter(|plan| plan.cause == PlanCause::Period).count();
        let of_failures: Vec<&PlanRecord> = plans().filter(|plan| plan.cause == PlanCause::Failure).collect();
        let most_lost = lost.iter().max_by_key(|(_, times)| **times);
        let most_sent = sent.iter().max_by_key(|(_, times)| **times);
        let broken_off: u32 = lost.values().chain(sent.values()).sum();
        let is_failing = broken_off as usize > periods || of_failures.len() > periods;
        let found = match (Fruitless::of(&state.records, &state.plans), most_lost, most_sent) {
            (_, Some((task, times)), most_sent)
                if broken_off as usize > periods && most_sent.is_none_or(|(_, sent)| sent <= times) =>
            {
                format!("hosts fail sooner than tasks end; task {} was lost {times} times", name(*task))
            }
            (_, _, Some((edge, times))) if broken_off as usize > periods => format!(
                "hosts or links fail sooner than data arrive; the transfer {} was broken off {times} times",
                self.edge_name(*edge)
            ),
            _ if of_failures.len() > periods => format!(
                "hosts or links fail, or are repaired, sooner than data arrive; the {} plans that were made for it moved tasks {} times",
                of_failures.len(),
                of_failures.iter().map(|plan| plan.moved).sum::<u64>()
            ),
            (Some(Fruitless { moved, .. }), ..) => format!(
                "they were moved {moved} times, and each move throws away what was sent before; a longer `replan.period` \
                 lets tasks start"
            ),
            _ => "plans follow each other faster than tasks end; a longer `replan.period` needs fewer"
                .to_owned(),
        };
        let cause = match late {
            Some(late) if is_failing => late,
            Some(late) => format!("{late}; a longer `replan.period` needs fewer"),
            None => found,
        };
        format!("{} tasks are not computed ({}{more}): {cause}", open.len(), names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
