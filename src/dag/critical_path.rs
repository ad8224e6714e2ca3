//! The critical path of an execution: the chain of tasks, transfers and waits that ends at the makespan.
//!
//! From the task that ends last it goes back to what let each task start when it did: the data that arrived last, or the task before it
//! on its core. Its steps lie end to end from the start of the run to the makespan, so their times add up to it. A file that comes home
//! behind the last task is its last step; before the first task an input may be sent.

use crate::dag::execution::{Outcomes, TransferRecord};
use crate::dag::grid::Core;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::definition::words;
use crate::workflow::{EdgeNumber, TaskNumber};

words! {
    /// What takes the time of a step.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum StepKind {
        Computes = "computes", "the task is computed";
        Transfers = "transfers", "data are being sent to the task, or back home from it";
        WaitsForLink = "waits-for-link", "data wait for a link that carries others";
        Waits = "waits", "nothing of the task happens: its workflow has not arrived, or no plan has it yet";
    }
}

/// A step of the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CriticalStep {
    /// The task that it brings forward.
    pub task: TaskNumber,
    /// What takes the time.
    pub kind: StepKind,
    /// From when.
    pub start: SimTime,
    /// To when.
    pub end: SimTime,
}

/// The steps, in order of time; none if some task has not ended.
pub fn critical_path(outcomes: &Outcomes) -> Vec<CriticalStep> {
    let ends = outcomes
        .graph()
        .tasks()
        .filter_map(|task| Some((outcomes.tasks[task.index()].end?, std::cmp::Reverse(task))));
    let Some((_, std::cmp::Reverse(last))) = outcomes.makespan().and(ends.max()) else { return Vec::new() };
    let mut path = Path::new(outcomes);
    let mut next = Some(last);
    if let Some(home) =
        outcomes.last_return().filter(|home| home.end.get() > outcomes.tasks[last.index()].end)
        && let Some((writer, (sent, arrived))) = outcomes.graph().data(home.edge).from.zip(home.span())
    {
        path.push(writer, StepKind::Transfers, sent, arrived);
        path.push(writer, StepKind::WaitsForLink, outcomes.tasks[writer.index()].end.unwrap_or(sent), sent);
        next = Some(writer);
    }
    while let Some(task) = next {
        let (Some(start), Some(end)) = (outcomes.tasks[task.index()].start, outcomes.tasks[task.index()].end)
        else {
            break;
        };
        path.push(task, StepKind::Computes, start, end);
        next = path.before(task, start);
    }
    path.in_order()
}

/// What was before the start of a task that has ended: the steps since the end of the task that it waited for last, that task included.
pub fn steps_before(outcomes: &Outcomes, task: TaskNumber) -> Vec<CriticalStep> {
    let mut path = Path::new(outcomes);
    if let Some(start) = outcomes.tasks[task.index()].start
        && let Some(before) = path.before(task, start)
        && let (Some(start), Some(end)) =
            (outcomes.tasks[before.index()].start, outcomes.tasks[before.index()].end)
    {
        path.push(before, StepKind::Computes, start, end);
    }
    path.in_order()
}

/// A path as it is walked, backwards.
struct Path<'a> {
    outcomes: &'a Outcomes,
    arrivals: LastTransfers<'a>,
    before_on_core: Vec<Option<TaskNumber>>,
    steps: Vec<CriticalStep>,
}

impl<'a> Path<'a> {
    fn new(outcomes: &'a Outcomes) -> Self {
        let (arrivals, before_on_core) = (LastTransfers::of(outcomes), before_on_core(outcomes));
        Path { outcomes, arrivals, before_on_core, steps: Vec::new() }
    }

    fn push(&mut self, task: TaskNumber, kind: StepKind, start: SimTime, end: SimTime) {
        if end > start {
            self.steps.push(CriticalStep { task, kind, start, end });
        }
    }

    /// The task that a start waited for last: of what was over last before it; at one instant the data.
    fn before(&mut self, task: TaskNumber, start: SimTime) -> Option<TaskNumber> {
        let ended = |task: TaskNumber| self.outcomes.tasks[task.index()].end;
        let core = self.before_on_core[task.index()].and_then(|before| Some((ended(before)?, before)));
        match (latest_parent(self.outcomes, &self.arrivals, task), core) {
            (Some((there, parent, transfer)), core) if core.is_none_or(|(free, _)| there >= free) => {
                let ready = transfer.and_then(|transfer| transfer.ready.get()).unwrap_or(there);
                let parent_end = parent.map_or(Some(ready), ended).unwrap_or(there);
                self.push(task, StepKind::Waits, there, start);
                let mut from = there;
                if let Some((sent, arrived)) = transfer.and_then(TransferRecord::span) {
                    self.push(task, StepKind::Transfers, sent, arrived);
                    from = sent;
                }
                self.push(task, StepKind::WaitsForLink, parent_end, from);
                if parent.is_none() {
                    self.push(task, StepKind::Waits, SimTime::ZERO, parent_end);
                }
                parent
            }
            (_, Some((free, before))) => {
                self.push(task, StepKind::Waits, free, start);
                Some(before)
            }
            _ => {
                self.push(task, StepKind::Waits, SimTime::ZERO, start);
                None
            }
        }
    }

    fn in_order(mut self) -> Vec<CriticalStep> {
        self.steps.reverse();
        self.steps
    }
}

/// The transfer by which the data of each edge got where they were used.
pub(in crate::dag) struct LastTransfers<'a> {
    all: &'a [TransferRecord],
    /// Of each edge: one above the place of its transfer, or 0.
    last: Vec<u32>,
}

impl<'a> LastTransfers<'a> {
    /// Of a run.
    pub(in crate::dag) fn of(outcomes: &'a Outcomes) -> Self {
        let graph = outcomes.graph();
        let mut last = vec![0; graph.data_count()];
        let transfers = (1_u32..).zip(&outcomes.transfers);
        for (number, transfer) in transfers.filter(|(_, transfer)| transfer.end.get().is_some()) {
            for edge in graph.same_data(transfer.edge) {
                let host = match graph.data(edge).to {
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
        LastTransfers { all: &outcomes.transfers, last }
    }

    /// That of an edge, if there was one.
    pub(in crate::dag) fn get(&self, edge: EdgeNumber) -> Option<&'a TransferRecord> {
        self.last[edge.index()].checked_sub(1).map(|number| &self.all[number as usize])
    }

    /// How long it took; no time if there was none.
    pub(in crate::dag) fn took(&self, edge: EdgeNumber) -> SimDuration {
        let span = self.get(edge).and_then(TransferRecord::span);
        span.map_or(SimDuration::ZERO, |(start, end)| end.since(start))
    }
}

/// The task that ended before each on its core.
fn before_on_core(outcomes: &Outcomes) -> Vec<Option<TaskNumber>> {
    let mut order: Vec<(Core, SimTime, SimTime, TaskNumber)> = Vec::new();
    for task in outcomes.graph().tasks() {
        let record = &outcomes.tasks[task.index()];
        if let (Some(core), Some(start), Some(end)) = (record.core, record.start, record.end) {
            order.push((core, start, end, task));
        }
    }
    order.sort_unstable();
    let mut before = vec![None; outcomes.tasks.len()];
    for pair in order.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        before[pair[1].3.index()] = Some(pair[0].3);
    }
    before
}

/// Whose data were there last: when, the parent unless it is an input, and the transfer that brought them; of equal ones the lowest parent.
fn latest_parent<'a>(
    outcomes: &Outcomes,
    arrivals: &LastTransfers<'a>,
    task: TaskNumber,
) -> Option<(SimTime, Option<TaskNumber>, Option<&'a TransferRecord>)> {
    let graph = outcomes.graph();
    let there = |edge: &EdgeNumber| {
        let parent = graph.data(*edge).from;
        let transfer = arrivals.get(*edge);
        let end = parent.and_then(|parent| outcomes.tasks[parent.index()].end);
        let at = transfer.and_then(|transfer| transfer.end.get()).or(end)?;
        Some((at, parent, transfer))
    };
    let all = graph.incoming(task).iter().chain(graph.inputs(task)).filter_map(there);
    all.max_by_key(|(at, parent, _)| (*at, parent.is_some(), std::cmp::Reverse(*parent)))
}
