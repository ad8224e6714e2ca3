//! The critical path of an execution: the chain of tasks, transfers and waits that ends at the
//! makespan; and the slack of every other task.
//!
//! From the task that ends last it goes back to what let each attempt start when it did: the data
//! that arrived last, the attempt before it on its core, or the loss of an earlier attempt of the
//! same task. Each of these began before it, so the walk ends, also where a task was computed again
//! behind its child, and among tasks that take no time. Its steps lie end to end from the start of
//! the run to the makespan, so their times add up to it. A file that comes home behind the last
//! task is its last step; before the first task an input may be sent.
//!
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

use crate::execution::{Attempt, AttemptNumber, Attempts, DataSource, Outcomes, TransferRecord};
use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::Core;
use crate::planning::view::{ExecutionState, View};
use crate::registry::definition::words;
use crate::workflow::{EdgeNumber, TaskNumber};

words! {
    /// Use of the time of a step.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum StepKind {
        Computes = "computes", "the task is computed, be it in an attempt that was lost";
        Transfers = "transfers", "data are being sent to the task, or back home from it";
        WaitsForLink = "waits-for-link", "data wait for a link that carries others or has failed";
        Waits = "waits", "nothing of the task happens: its workflow has not arrived, no plan has it yet, or its host is down";
    }
}

/// A step of the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CriticalStep {
    /// The task that it brings forward.
    pub task: TaskNumber,
    /// The core of its attempt that the step is about.
    pub core: Core,
    /// Use of its time.
    pub kind: StepKind,
    /// Start.
    pub start: SimTime,
    /// End.
    pub end: SimTime,
}

/// The steps, in order of time; none if some task has not ended.
pub fn critical_path(outcomes: &Outcomes) -> Vec<CriticalStep> {
    let ends = outcomes
        .graph()
        .tasks()
        .filter_map(|task| Some((outcomes.tasks[task.index()].end?, std::cmp::Reverse(task))));
    let Some((end, std::cmp::Reverse(last))) = outcomes.makespan().and(ends.max()) else { return Vec::new() };
    let mut path = Path::new(outcomes);
    let mut next = path.attempts.last(last);
    if let Some((place, home)) = outcomes.last_return().filter(|(_, home)| home.end.get() > Some(end))
        && let Some((writer, (sent, arrived))) = path.attempts.writer(place).zip(home.span())
    {
        let written = path.attempts.get(writer).end.unwrap_or(sent);
        path.push(writer, StepKind::Transfers, sent, arrived);
        path.push(writer, StepKind::WaitsForLink, written, sent);
        next = Some(writer);
    }
    while let Some(attempt) = next {
        path.computes(attempt);
        next = path.before(attempt);
    }
    path.in_order()
}

/// Steps before the start of a task that has ended: those since the end of the task that it waited
/// for last, that task included.
pub(crate) fn steps_before(outcomes: &Outcomes, task: TaskNumber) -> Vec<CriticalStep> {
    let mut path = Path::new(outcomes);
    if let Some(attempt) = path.attempts.last(task)
        && let Some(before) = path.before(attempt)
    {
        path.computes(before);
    }
    path.in_order()
}

/// The data that an attempt waited for last.
struct LastData<'a> {
    there: SimTime,
    /// The attempt that wrote them; none of an input.
    writer: Option<AttemptNumber>,
    parent: Option<TaskNumber>,
    transfer: Option<&'a TransferRecord>,
}

/// A path as it is walked, backwards.
struct Path<'a> {
    attempts: Attempts<'a>,
    before_on_core: Vec<Option<AttemptNumber>>,
    steps: Vec<CriticalStep>,
}

impl<'a> Path<'a> {
    fn new(outcomes: &'a Outcomes) -> Self {
        let attempts = Attempts::of(outcomes);
        Path { before_on_core: attempts.before_on_core(), attempts, steps: Vec::new() }
    }

    /// The next step backwards, unless it takes no time.
    fn push(&mut self, attempt: AttemptNumber, kind: StepKind, start: SimTime, end: SimTime) {
        if end > start {
            let Attempt { task, core, .. } = self.attempts.get(attempt);
            let next = self.steps.last().map_or(SimTime::MAX, |next| next.start);
            assert!(end <= next, "a step ends no later than the next begins: {task:?} at {end}, not {next}");
            self.steps.push(CriticalStep { task, core, kind, start, end });
        }
    }

    /// The step in which an attempt is computed.
    fn computes(&mut self, attempt: AttemptNumber) {
        let begun = self.attempts.get(attempt);
        if let Some(over) = begun.over() {
            self.push(attempt, StepKind::Computes, begun.start, over);
        }
    }

    /// The attempt that a start waited for last: of what was over last before it; at one instant
    /// the data, then the core.
    fn before(&mut self, attempt: AttemptNumber) -> Option<AttemptNumber> {
        let Attempt { start, earlier, .. } = self.attempts.get(attempt);
        let core = self.before_on_core[attempt.index()];
        let core = core.and_then(|before| Some((self.attempts.get(before).over()?, before)));
        let lost = earlier.and_then(|before| Some((self.attempts.get(before).lost?, before)));
        let others = [core, lost].into_iter().flatten().map(|(at, _)| at).max();
        let before = match self.last_data(attempt) {
            Some(data) if others.is_none_or(|at| data.there >= at) => {
                self.waits_for_data(attempt, start, &data)
            }
            _ => {
                let last = [lost, core].into_iter().flatten().max_by_key(|(at, _)| *at);
                let before = last.map(|(_, before)| before);
                // what was lost later was over before, and nothing happened to it meanwhile
                let over = before.and_then(|before| self.attempts.get(before).over());
                self.push(attempt, StepKind::Waits, over.unwrap_or(SimTime::ZERO), start);
                before
            }
        };
        assert!(before.is_none_or(|before| before < attempt), "what is waited for began before");
        before
    }

    /// The steps from the end of the attempt that wrote these data, which is returned, to a start
    /// that waited for them.
    fn waits_for_data(
        &mut self,
        attempt: AttemptNumber,
        start: SimTime,
        data: &LastData<'_>,
    ) -> Option<AttemptNumber> {
        let LastData { there, writer, transfer, .. } = *data;
        let ready = transfer.and_then(|transfer| transfer.ready.get()).unwrap_or(there);
        let written = writer.map_or(Some(ready), |writer| self.attempts.get(writer).end).unwrap_or(there);
        self.push(attempt, StepKind::Waits, there, start);
        let mut from = there;
        if let Some((sent, arrived)) = transfer.and_then(TransferRecord::span) {
            self.push(attempt, StepKind::Transfers, sent, arrived);
            from = sent;
        }
        self.push(attempt, StepKind::WaitsForLink, written, from);
        if writer.is_none() {
            self.push(attempt, StepKind::Waits, SimTime::ZERO, written);
        }
        writer
    }

    /// Data of an attempt that arrived last; of equal ones those of the lowest parent.
    fn last_data(&self, attempt: AttemptNumber) -> Option<LastData<'a>> {
        let there = |source: DataSource| {
            let transfer = self.attempts.transfer(&source);
            let writer = source.writer.map(|writer| self.attempts.get(writer));
            let written = writer.and_then(|writer| writer.end);
            let there = transfer.and_then(|transfer| transfer.end.get()).or(written)?;
            let parent = writer.map(|writer| writer.task);
            Some(LastData { there, writer: source.writer, parent, transfer })
        };
        let all = self.attempts.sources(attempt).into_iter().filter_map(there);
        all.max_by_key(|data| (data.there, data.parent.is_some(), std::cmp::Reverse(data.parent)))
    }

    fn in_order(mut self) -> Vec<CriticalStep> {
        self.steps.reverse();
        self.steps
    }
}

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
    use crate::execution::{Execution, LinkOrder};
    use crate::scheduler::NamedScheduler;
    use crate::tests::{CHAIN, F6, Instance, K9, M7, T10, executed, scheduler};

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

    /// On two hosts the first computes tasks 2 and 4 until 14, whose data are with the second at
    /// 17; there tasks 3 and 5 end at 17.
    #[test]
    fn where_data_and_a_core_come_at_one_instant_the_data_are_the_cause() {
        let path = critical_path(&outcomes(&F6, 2, false, "heft"));
        let seconds = |at: SimTime| at.as_secs_f64();
        let steps: Vec<_> = path
            .iter()
            .map(|step| (step.task.0 + 1, step.kind, seconds(step.start), seconds(step.end)))
            .collect();
        let (computes, transfers) = (StepKind::Computes, StepKind::Transfers);
        let expected = [
            (1, computes, 0.0, 2.0),
            (2, computes, 2.0, 8.0),
            (4, computes, 8.0, 14.0),
            (6, transfers, 14.0, 17.0),
            (6, computes, 17.0, 19.0),
        ];
        assert_eq!(steps, expected);
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
