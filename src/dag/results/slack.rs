//! Slack: by how much the end of a task could be later without the last task of all ending later.
//!
//! Each task keeps its core, its duration and its place in the order of its core, and the data of
//! each edge take as long as they did from when they were sent. Then the slack of a task is the
//! least, over the tasks that follow it, of the time that the follower would not have had to wait
//! for it, plus the follower's own slack. Followers are its children and the next task on each of
//! its cores. Of tasks that were computed again the last attempts count, and a child follows its
//! parent if it used what that attempt wrote. A task without followers has the time until the
//! makespan, and so has the transfer home of what it writes, if it is returned. So slack is shared:
//! a chain of tasks has what each of its tasks has, once.
//!
//! - *Executed*: instants of the execution. A wait for a link that carries other data counts as
//!   slack of the task whose data wait.
//! - *Planned*: instants of the plans by which tasks started, and predicted durations of transfers
//!   that have their links to themselves; never below 0 where predictions, or plans of different
//!   times, contradict each other.
//!
//! Source: L.-C. Canon, E. Jeannot, "A comparison of robustness metrics for scheduling DAGs on
//! heterogeneous systems", HeteroPar 2007 (slack on the graph with edges between successive tasks
//! of a processor).

use crate::dag::execution::{Attempts, Outcomes};
use crate::dag::planning::view::{ExecutionState, View};
use crate::kernel::{SimDuration, SimTime};
use crate::workflow::{EdgeNumber, TaskNumber};

/// The slack of each task of a run whose tasks have all ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Slack {
    /// By the execution; empty if some task has not ended.
    pub executed: Vec<SimDuration>,
    /// By the plans; empty if there are none, or some task has not ended.
    pub planned: Vec<SimDuration>,
}

impl Slack {
    /// Of a run.
    pub fn of(outcomes: &Outcomes) -> Self {
        if outcomes.makespan().is_none() {
            return Slack::default();
        }
        let attempts = Attempts::of(outcomes);
        let (graph, records) = (outcomes.graph(), &outcomes.tasks);
        let executed = records.iter().filter_map(|task| task.start.zip(task.end)).collect::<Vec<_>>();
        let planned: Vec<_> = records.iter().filter_map(|task| task.planned).collect();
        let executed = slacks(&attempts, &executed, |edge| attempts.took(edge));
        if planned.len() < records.len() {
            return Slack { executed, planned: Vec::new() };
        }
        let state = ExecutionState::all_open(graph);
        let view = View::new(&outcomes.problem, &state, SimTime::ZERO, 0);
        let predicted = |edge: EdgeNumber| {
            let data = graph.data(edge);
            let host = |task: Option<TaskNumber>| match task {
                Some(task) => records[task.index()].core.map(|core| view.host_of(core)),
                None => graph.file_rules().home,
            };
            let (Some(source), Some(target)) = (host(data.from), host(data.to)) else {
                return SimDuration::ZERO;
            };
            let start = data.from.map_or(SimTime::ZERO, |from| planned[from.index()].1);
            view.transfer(edge, source, target, start).unwrap_or(SimDuration::ZERO)
        };
        Slack { planned: slacks(&attempts, &planned, predicted), executed }
    }
}

/// The slack of each task, all of which have ended; those that follow a task began after it.
fn slacks(
    attempts: &Attempts<'_>,
    times: &[(SimTime, SimTime)],
    lag: impl Fn(EdgeNumber) -> SimDuration,
) -> Vec<SimDuration> {
    let outcomes = attempts.outcomes();
    let graph = outcomes.graph();
    let home = |task: TaskNumber| {
        let returns = graph.outputs(task).iter().map(|edge| lag(*edge));
        returns.max().unwrap_or(SimDuration::ZERO)
    };
    let ends = graph.tasks().map(|task| times[task.index()].1.saturating_add(home(task)));
    let last = ends.max().unwrap_or_default();
    let mut next = vec![None; outcomes.problem.grid.cores().len()];
    let mut slack = vec![SimDuration::ZERO; graph.len()];
    for task in attempts.by_last_start().into_iter().rev() {
        let (_, end) = times[task.index()];
        let left = |follower: TaskNumber, lag: SimDuration, slack: &[SimDuration]| {
            let (start, _) = times[follower.index()];
            let latest = start.saturating_add(slack[follower.index()]);
            SimDuration::from_nanos(latest.as_nanos().saturating_sub(end.saturating_add(lag).as_nanos()))
        };
        let mut least = last.since(end.saturating_add(home(task)));
        for &edge in graph.outgoing(task).iter().filter(|edge| attempts.follows(**edge)) {
            least = least.min(left(graph.edge(edge).to, lag(edge), &slack));
        }
        let held = outcomes.tasks[task.index()].core.into_iter();
        for core in held.flat_map(|core| outcomes.problem.grid.members(core)) {
            if let Some(follower) = next[core.index()].replace(task) {
                least = least.min(left(follower, SimDuration::ZERO, &slack));
            }
        }
        slack[task.index()] = least;
    }
    slack
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dag::execution::{Execution, LinkOrder};
    use crate::dag::scheduler::NamedScheduler;
    use crate::dag::tests::{CHAIN, F6, Instance, K9, M7, T10, executed, scheduler};

    fn outcomes(instance: &Instance, hosts: usize, shared: bool, rule: &str) -> Outcomes {
        let links = if shared { LinkOrder::Planned } else { LinkOrder::Free };
        let execution = Execution { links, ..Execution::default() };
        let rule = NamedScheduler { name: rule.to_owned(), scheduler: scheduler(rule).into() };
        executed(instance.problem(hosts, shared), &rule, execution).expect("it ends")
    }

    /// The end of the last task if one of them ends later by a delay and everything else follows as
    /// soon as it may.
    fn delayed(outcomes: &Outcomes, late: TaskNumber, delay: SimDuration) -> SimTime {
        let graph = outcomes.graph();
        let attempts = Attempts::of(outcomes);
        let mut free = vec![SimTime::ZERO; outcomes.problem.grid.cores().len()];
        let mut ends = vec![SimTime::ZERO; graph.len()];
        for task in attempts.by_last_start() {
            let record = &outcomes.tasks[task.index()];
            let core = record.core.expect("it has ended").index();
            let mut start = free[core];
            for edge in graph.incoming(task) {
                start = start.max(ends[graph.edge(*edge).from.index()].saturating_add(attempts.took(*edge)));
            }
            let span =
                record.end.zip(record.start).map(|(end, start)| end.since(start)).expect("it has ended");
            let delay = if task == late { delay } else { SimDuration::ZERO };
            ends[task.index()] = start.saturating_add(span).saturating_add(delay);
            free[core] = ends[task.index()];
        }
        ends.into_iter().max().unwrap_or_default()
    }

    #[test]
    fn a_task_that_ends_later_by_its_slack_delays_nothing_and_by_more_the_last() {
        let second = SimDuration::from_nanos(1_000_000_000);
        for rule in ["heft", "min-min", "sufferage", "round-robin", "sequential"] {
            for (instance, hosts) in [(&T10, 3), (&K9, 3), (&F6, 4), (&M7, 3), (&CHAIN, 2)] {
                let outcomes = outcomes(instance, hosts, false, rule);
                let slack = Slack::of(&outcomes);
                let makespan = outcomes.makespan().expect("all have ended");
                assert_eq!(slack.executed, slack.planned, "perfect predictions: {rule}");
                for task in outcomes.graph().tasks() {
                    let own = slack.executed[task.index()];
                    assert_eq!(delayed(&outcomes, task, own), makespan, "{rule} {task:?}");
                    let later = makespan.saturating_add(second);
                    assert_eq!(
                        delayed(&outcomes, task, own.saturating_add(second)),
                        later,
                        "{rule} {task:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn slack_worked_by_hand() {
        // all of a chain on one host decides the makespan
        assert!(
            Slack::of(&outcomes(&CHAIN, 2, false, "heft")).executed.iter().all(|one| one.as_nanos() == 0)
        );
        // 2 6 6 6 6 2 with transfers of 3: on four hosts the first computes one of the middle ones
        // from 2 to 8 and the last task from 14, when the data of the other three are there
        let seconds = |hosts| -> Vec<f64> {
            let slack = Slack::of(&outcomes(&F6, hosts, false, "heft"));
            slack.executed.iter().map(|one| one.as_secs_f64()).collect()
        };
        assert_eq!(seconds(4), [0.0, 6.0, 0.0, 0.0, 0.0, 0.0]);
        // on two hosts one has two of them until 14, whose data are there at 17, and the other two
        // until 17
        assert_eq!(seconds(2), [0.0; 6]);
    }
}
