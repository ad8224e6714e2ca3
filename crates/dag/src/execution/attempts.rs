//! Attempts: every start of a task, what became of it, and whose data it used.
//!
//! Where nothing fails every task is started once: its row of [`Outcomes::tasks`] is the attempt,
//! and it used what its parents wrote and what was sent to its host last. Where hosts or links may
//! fail each start has a row of its own, and notes as it begins where its data come from; what is
//! sent notes whose data it carries, and when a failure broke it off. [`Attempts`] reads both
//! alike, so that paths, slack, bills, pictures and tables follow one account of a run.
//!
//! Attempts are numbered in the order in which they began. What an attempt waited for began before
//! it, also among tasks that take no time: a walk from attempts to those they waited for ends.
//!
//! ```text
//!   tasks[t] ──▶ the last attempt of t
//!   attempt ───▶ its sources, inputs first: attempt of the parent, transfer
//!   transfer ──▶ attempt of the parent that wrote what it carries
//! ```

use crate::execution::links::TransferNumber;
use crate::execution::{Outcomes, RecordedTime, TransferRecord};
use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::Core;
use crate::platform::HostId;
use crate::workflow::{EdgeNumber, TaskNumber};

/// An attempt by its place among all starts of a run, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct AttemptNumber(pub u32);

impl AttemptNumber {
    /// Place.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A start of a task, and what became of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The task.
    pub task: TaskNumber,
    /// Number of starts of the task up to this one, from 1.
    pub ordinal: u32,
    /// Core on which it was computed, or what stands for all that it held.
    pub core: Core,
    /// Instant from which all its data were on the host.
    pub ready: Option<SimTime>,
    /// Start.
    pub start: SimTime,
    /// End, if it ended.
    pub end: Option<SimTime>,
    /// Instant at which a failure broke it off, or lost data that it had written and that were
    /// needed once more.
    pub lost: Option<SimTime>,
    /// The attempt of the same task before it.
    pub earlier: Option<AttemptNumber>,
}

impl Attempt {
    /// Instant from which its core was free again; `None` while it is computed.
    pub fn over(&self) -> Option<SimTime> {
        self.end.or(self.lost)
    }
}

/// Origin of the data of an edge or input that an attempt used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataSource {
    /// The edge or input.
    pub edge: EdgeNumber,
    /// The attempt of the parent that wrote them; none of an input.
    pub writer: Option<AttemptNumber>,
    /// The place of the transfer that brought them; none if they were on the host.
    pub transfer: Option<u32>,
}

/// Record of a transfer where something can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SentData {
    pub(super) writer: Option<AttemptNumber>,
    pub(super) broken_off: RecordedTime,
}

impl SentData {
    pub(super) const NOTHING: SentData = SentData { writer: None, broken_off: RecordedTime::NONE };
}

/// The attempts of a run in which something can fail.
#[derive(Clone, Debug, Default)]
pub struct AttemptLog {
    rows: Vec<Attempt>,
    /// Of each attempt, one behind the last of its sources.
    until: Vec<u32>,
    sources: Vec<DataSource>,
    /// By transfer.
    sent: Vec<SentData>,
}

impl AttemptLog {
    /// A task starts.
    pub(super) fn begin(&mut self, attempt: Attempt, sources: Vec<DataSource>) {
        self.sources.extend(sources);
        self.until.push(self.sources.len() as u32);
        self.rows.push(attempt);
    }

    /// An attempt ends.
    pub(super) fn end(&mut self, attempt: AttemptNumber, at: SimTime) {
        self.rows[attempt.index()].end = Some(at);
    }

    /// An attempt, or what it has written, is lost.
    pub(super) fn lose(&mut self, attempt: AttemptNumber, at: SimTime) {
        self.rows[attempt.index()].lost.get_or_insert(at);
    }

    /// The last of a task's attempts that ended, from `last` backwards.
    pub(super) fn last_ended(&self, last: AttemptNumber) -> Option<AttemptNumber> {
        let mut next = Some(last);
        while let Some(attempt) = next.and_then(|number| self.rows.get(number.index())) {
            if attempt.end.is_some() {
                return next;
            }
            next = attempt.earlier;
        }
        None
    }

    /// Returns true if an earlier attempt of the same task has ended.
    pub(super) fn has_ended_before(&self, attempt: AttemptNumber) -> bool {
        self.rows[attempt.index()].earlier.and_then(|earlier| self.last_ended(earlier)).is_some()
    }

    /// Record of a transfer.
    pub(super) fn sent(&self, transfer: u32) -> SentData {
        self.sent.get(transfer as usize).copied().unwrap_or(SentData::NOTHING)
    }

    /// A transfer starts, and carries what this attempt wrote.
    pub(super) fn send(&mut self, transfer: u32, writer: Option<AttemptNumber>) {
        let count = self.sent.len().max(transfer as usize + 1);
        self.sent.resize(count, SentData::NOTHING);
        self.sent[transfer as usize] = SentData { writer, broken_off: RecordedTime::NONE };
    }

    /// A failure breaks off a transfer.
    pub(super) fn break_off(&mut self, transfer: u32, at: SimTime) {
        if let Some(sent) = self.sent.get_mut(transfer as usize) {
            sent.broken_off = at.into();
        }
    }

    /// Of so many transfers these are kept, in this order, and renumbered.
    pub(super) fn put_in_order(&mut self, order: &[TransferNumber], count: usize) {
        self.sent.resize(count, SentData::NOTHING);
        self.sent = order.iter().map(|old| self.sent[old.index()]).collect();
        let mut new = vec![None; count];
        for (place, old) in (0..).zip(order) {
            new[old.index()] = Some(place);
        }
        for source in &mut self.sources {
            source.transfer = source.transfer.and_then(|old| new[old as usize]);
        }
    }
}

/// Every attempt of a run.
#[derive(Debug)]
pub struct Attempts<'a> {
    outcomes: &'a Outcomes,
    /// The tasks in the order in which they began, of a run in which nothing can fail.
    by_start: Vec<TaskNumber>,
    arrivals: LastTransfers,
    /// Of a run in which something can fail: edges of which the last attempt of the child used what
    /// the last attempt of the parent wrote.
    follows: Vec<bool>,
}

impl<'a> Attempts<'a> {
    /// The attempts of a run.
    pub fn of(outcomes: &'a Outcomes) -> Self {
        let mut by_start = Vec::new();
        if outcomes.log.is_none() {
            let begun = outcomes.tasks.iter().filter(|task| task.start.is_some()).count();
            by_start.resize(begun, TaskNumber(0));
            for task in outcomes.graph().tasks() {
                let record = &outcomes.tasks[task.index()];
                if record.start.is_some() {
                    by_start[record.place.index()] = task;
                }
            }
        }
        let arrivals = LastTransfers::of(outcomes);
        let mut attempts = Attempts { outcomes, by_start, arrivals, follows: Vec::new() };
        if outcomes.log.is_some() {
            attempts.take_up_sources();
        }
        attempts
    }

    /// Lets each edge have the source that the last attempt of its child used.
    fn take_up_sources(&mut self) {
        let graph = self.outcomes.graph();
        self.follows = vec![false; graph.data_count()];
        for task in graph.tasks() {
            for source in self.last(task).map_or(Vec::new(), |last| self.sources(last)) {
                let place = source.edge.index();
                self.arrivals.last[place] = source.transfer.map_or(0, |transfer| transfer + 1);
                let writer = graph.data(source.edge).from.and_then(|parent| self.last(parent));
                self.follows[place] = source.writer == writer;
            }
        }
    }

    /// True if the last attempt of an edge's child used what the last attempt of its parent wrote.
    pub fn follows(&self, edge: EdgeNumber) -> bool {
        self.follows.is_empty() || self.follows[edge.index()]
    }

    /// The tasks that have started and count, by the starts of their last attempts.
    pub fn by_last_start(&self) -> Vec<TaskNumber> {
        if self.outcomes.log.is_none() {
            return self.by_start.clone();
        }
        let is_last = |number: &AttemptNumber| self.last(self.get(*number).task) == Some(*number);
        self.numbers().filter(is_last).map(|number| self.get(number).task).collect()
    }

    /// Duration of the transfer by which the data of an edge got to their user; zero if there was
    /// none.
    pub fn took(&self, edge: EdgeNumber) -> SimDuration {
        let transfer = self.arrivals.place(edge).map(|place| &self.outcomes.transfers[place as usize]);
        let span = transfer.and_then(TransferRecord::span);
        span.map_or(SimDuration::ZERO, |(start, end)| end.since(start))
    }

    /// The run.
    pub fn outcomes(&self) -> &'a Outcomes {
        self.outcomes
    }

    /// The numbers of all, in the order in which they began.
    pub fn numbers(&self) -> impl DoubleEndedIterator<Item = AttemptNumber> + use<> {
        let count = self.outcomes.log.as_ref().map_or(self.by_start.len(), |log| log.rows.len());
        (0..count as u32).map(AttemptNumber)
    }

    /// An attempt.
    pub fn get(&self, number: AttemptNumber) -> Attempt {
        if let Some(log) = &self.outcomes.log {
            return log.rows[number.index()];
        }
        let task = self.by_start[number.index()];
        let record = &self.outcomes.tasks[task.index()];
        Attempt {
            task,
            ordinal: record.attempts,
            core: record.core.expect("what has started has a core"),
            ready: record.ready,
            start: record.start.expect("it is among those that began"),
            end: record.end,
            lost: None,
            earlier: None,
        }
    }

    /// The last attempt of a task, if it counts: `None` of one that has not started, or was lost
    /// and not started again.
    pub fn last(&self, task: TaskNumber) -> Option<AttemptNumber> {
        let record = &self.outcomes.tasks[task.index()];
        record.start.map(|_| record.place)
    }

    /// Origins of the data of an attempt: those of inputs, then of edges from parents, in the order
    /// of the graph.
    pub fn sources(&self, number: AttemptNumber) -> Vec<DataSource> {
        if let Some(log) = &self.outcomes.log {
            let first = number.index().checked_sub(1).map_or(0, |before| log.until[before]);
            return log.sources[first as usize..log.until[number.index()] as usize].to_vec();
        }
        let graph = self.outcomes.graph();
        let task = self.by_start[number.index()];
        let source = |edge: &EdgeNumber| {
            let writer = graph.data(*edge).from.map(|parent| self.outcomes.tasks[parent.index()].place);
            DataSource { edge: *edge, writer, transfer: self.arrivals.place(*edge) }
        };
        graph.inputs(task).iter().chain(graph.incoming(task)).map(source).collect()
    }

    /// The transfer of a source.
    pub fn transfer(&self, source: &DataSource) -> Option<&'a TransferRecord> {
        source.transfer.map(|place| &self.outcomes.transfers[place as usize])
    }

    /// The attempt whose data a transfer carries; none of an input, or of what was not sent.
    pub fn writer(&self, transfer: u32) -> Option<AttemptNumber> {
        match &self.outcomes.log {
            Some(log) => log.sent(transfer).writer,
            None => {
                let edge = self.outcomes.transfers[transfer as usize].edge;
                self.last(self.outcomes.graph().data(edge).from?)
            }
        }
    }

    /// Instant at which a failure broke off a transfer.
    pub fn broken_off(&self, transfer: u32) -> Option<SimTime> {
        self.outcomes.log.as_ref().and_then(|log| log.sent(transfer).broken_off.get())
    }

    /// Of each attempt, the one before it on its core; of those before it on several cores the one
    /// that was over last, of equal ones that which began last, of these that of the highest task.
    pub fn before_on_core(&self) -> Vec<Option<AttemptNumber>> {
        let grid = &self.outcomes.problem.grid;
        let mut last: Vec<Option<AttemptNumber>> = vec![None; grid.cores().len()];
        let mut before = |number| {
            let members = grid.members(self.get(number).core);
            let before = members.filter_map(|member| last[member.index()].replace(number));
            before.max_by_key(|before| {
                let Attempt { start, task, .. } = self.get(*before);
                (self.get(*before).over(), start, task)
            })
        };
        self.numbers().map(&mut before).collect()
    }

    /// True if these rows say more than the last attempt of each task does: something may fail, or
    /// tasks take no time, of which only the order in which they began says which came first.
    pub fn adds_to_tasks(outcomes: &Outcomes) -> bool {
        let takes_no_time =
            || outcomes.tasks.iter().any(|task| task.start.is_some() && task.start == task.end);
        outcomes.log.is_some() || takes_no_time()
    }
}

/// The last transfer of the data of each edge to the host of its child, or home.
#[derive(Debug)]
struct LastTransfers {
    /// Of each edge: one above the place of its transfer, or 0.
    last: Vec<u32>,
}

impl LastTransfers {
    fn of(outcomes: &Outcomes) -> Self {
        let graph = outcomes.graph();
        let mut last = vec![0; graph.data_count()];
        let transfers = (1_u32..).zip(&outcomes.transfers);
        for (number, transfer) in transfers.filter(|(_, transfer)| transfer.end.get().is_some()) {
            for edge in graph.same_data(transfer.edge) {
                let host: Option<HostId> = match graph.data(edge).to {
                    Some(child) => {
                        outcomes.tasks[child.index()].core.map(|core| outcomes.problem.grid.host_of(core))
                    }
                    None => graph.file_rules().home,
                };
                if host == Some(transfer.to) {
                    last[edge.index()] = number;
                }
            }
        }
        LastTransfers { last }
    }

    fn place(&self, edge: EdgeNumber) -> Option<u32> {
        self.last[edge.index()].checked_sub(1)
    }
}
