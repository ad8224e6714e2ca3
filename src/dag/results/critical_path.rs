//! The critical path of an execution: the chain of tasks, transfers and waits that ends at the
//! makespan.
//!
//! From the task that ends last it goes back to what let each attempt start when it did: the data
//! that arrived last, the attempt before it on its core, or the loss of an earlier attempt of the
//! same task. Each of these began before it, so the walk ends, also where a task was computed again
//! behind its child, and among tasks that take no time. Its steps lie end to end from the start of
//! the run to the makespan, so their times add up to it. A file that comes home behind the last
//! task is its last step; before the first task an input may be sent.

use crate::dag::execution::{Attempt, AttemptNumber, Attempts, DataSource, Outcomes, TransferRecord};
use crate::dag::model::grid::Core;
use crate::kernel::SimTime;
use crate::registry::definition::words;
use crate::workflow::TaskNumber;

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
pub fn steps_before(outcomes: &Outcomes, task: TaskNumber) -> Vec<CriticalStep> {
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

    /// Of the data of an attempt those that were there last; of equal ones those of the lowest
    /// parent.
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
