//! State of a run that changes as it goes on: cores, tasks, data and plans.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::collections::{OrderedMap, OrderedSet};
use crate::error::CannotPlan;
use crate::execution::attempts::AttemptLog;
use crate::execution::links::{Cargo, TransferNumber};
use crate::execution::{ExecutedTask, PlanRecord, TakeOver, TransferRecord};
use crate::kernel::{Signal, SimDuration, SimTime, now};
use crate::model::graph::Graph;
use crate::model::grid::{Core, Grid};
use crate::planning::plan::SlotReasons;
use crate::planning::view::{ExecutionState, Progress};
use crate::platform::HostId;
use crate::workflow::{EdgeNumber, TaskNumber};

use super::PlanCause;

/// A core, its order, and the process that computes it.
#[derive(Debug)]
pub(super) struct Column {
    /// Tasks that are next, in the order of the plan.
    pub(super) order: VecDeque<TaskNumber>,
    /// Task that it computes, and the end of that.
    pub(super) running: Option<(TaskNumber, SimTime)>,
    /// Given when it gets something to compute; made with its process.
    pub(super) work: Option<Rc<Signal>>,
    /// Given when what it computes is lost.
    pub(super) aborted: Rc<Signal>,
}

impl Default for Column {
    fn default() -> Self {
        let aborted = Rc::new(Signal::new("a host that fails"));
        Column { order: VecDeque::new(), running: None, work: None, aborted }
    }
}

/// A set of edges, inputs and outputs.
#[derive(Debug, Default)]
pub(super) struct EdgeSet(Vec<u64>);

impl EdgeSet {
    /// None of so many.
    pub(super) fn none_of(count: usize) -> Self {
        EdgeSet(vec![0; count.div_ceil(64)])
    }

    pub(super) fn has(&self, edge: EdgeNumber) -> bool {
        self.0[edge.index() / 64] >> (edge.index() % 64) & 1 == 1
    }

    /// Puts an edge into the set, or out of it; returns true if it was in it.
    fn put(&mut self, edge: EdgeNumber, is_in: bool) -> bool {
        let (word, bit) = (&mut self.0[edge.index() / 64], 1 << (edge.index() % 64));
        let was_in = *word & bit != 0;
        *word = if is_in { *word | bit } else { *word & !bit };
        was_in
    }
}

/// State of a run that changes as it goes on.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) standing: ExecutionState,
    /// Number of workflows that are not current as they have ended: the first ones.
    pub(super) ended: usize,
    pub(super) columns: Vec<Column>,
    pub(super) records: Vec<ExecutedTask>,
    pub(super) transfers: Vec<TransferRecord>,
    /// The edges between tasks and hosts in the order in which links carry them, by the last plan.
    pub(super) link_order: Vec<EdgeNumber>,
    /// The last transfer of each edge, input and output.
    pub(super) transfer_of: Vec<Option<TransferNumber>>,
    /// Last transfer of each edge and input that has started, where a plan has wanted another since
    /// then; of those whose data are sent for each of them.
    pub(super) sent_before: OrderedMap<EdgeNumber, TransferNumber>,
    /// Transfer of each file to a host, by the first of the edges that carry it, where files are
    /// sent by themselves.
    pub(super) carriers: OrderedMap<(EdgeNumber, HostId), TransferNumber>,
    /// Transfers that an earlier plan wanted and that have not started, to be used again.
    pub(super) spare: Vec<TransferNumber>,
    /// Outputs that are on the home host, and how many are not.
    pub(super) returned: OrderedSet<EdgeNumber>,
    pub(super) not_returned: usize,
    /// Edges and inputs whose data a task with a place waits for, and their number for each task.
    pub(super) awaited: EdgeSet,
    pub(super) missing: Vec<u32>,
    /// Every attempt, where something can fail; and how many began.
    pub(super) log: Option<AttemptLog>,
    pub(super) begun: u32,
    /// Tasks that have ended and whose host has lost what they wrote.
    pub(super) gone: OrderedSet<TaskNumber>,
    /// Since when each host is down that is.
    pub(super) down_since: OrderedMap<HostId, SimTime>,
    /// Reason that the rule has no plan for what is set aside, if some host could have it.
    pub(super) no_plan: Option<CannotPlan>,
    /// Open tasks that no plan has, since all hosts that could have them are down.
    pub(super) set_aside: Vec<TaskNumber>,
    /// Cores, and such that a task holds together, that may have something to start, some more than
    /// once.
    pub(super) touched: Vec<Core>,
    /// Transfers whose data are there to be sent.
    pub(super) sendable: Vec<TransferNumber>,
    /// Transfers that a link broke off.
    pub(super) broken_off: Vec<TransferNumber>,
    /// Tasks and data that failures broke off since a task ended that had not ended before.
    pub(super) fruitless: BrokenOff,
    /// Number of parents of each task that have not ended.
    pub(super) parents: Vec<u32>,
    /// The tasks that are open and whose parents have all ended.
    pub(super) ready: OrderedSet<TaskNumber>,
    /// The cores that have nothing to compute.
    pub(super) idle: OrderedSet<Core>,
    pub(super) since: Since,
    pub(super) arrived: bool,
    pub(super) finished: usize,
    pub(super) plans: Vec<PlanRecord>,
    pub(super) reasons: Vec<SlotReasons>,
    /// Tasks that have ended under the present scheduler.
    pub(super) under_present: u64,
    /// True if the time of the present scheduler is over, or it gave up.
    pub(super) is_replaced: bool,
    pub(super) take_overs: Vec<TakeOver>,
}

/// Tasks and data that failures broke off since a task ended that had not ended before.
#[derive(Clone, Default, Debug)]
pub(super) struct BrokenOff {
    /// Instant at which that task ended, or the start of the run.
    pub(super) since: SimTime,
    /// Times that a task was lost while it was computed.
    pub(super) lost: OrderedMap<TaskNumber, u32>,
    /// Times that data were broken off.
    pub(super) sent: OrderedMap<EdgeNumber, u32>,
}

impl State {
    pub(super) fn cargo(&self, transfer: TransferNumber) -> Cargo {
        let TransferRecord { from, to, bytes, .. } = self.transfers[transfer.index()];
        Cargo { transfer, from, to, bytes }
    }

    /// Returns true if a transfer is the one by which the data of an edge go.
    pub(super) fn goes_by(&self, edge: EdgeNumber, transfer: TransferNumber) -> bool {
        self.transfer_of[edge.index()] == Some(transfer)
    }

    /// The last transfer of an edge that has started: its data are on a host, or on their way
    /// there. So says [`ExecutionState::deliveries`], by which plans go.
    pub(super) fn last_sent(&self, edge: EdgeNumber) -> Option<TransferNumber> {
        let has_started = |number: &TransferNumber| self.transfers[number.index()].start.get().is_some();
        let last = self.transfer_of[edge.index()].filter(has_started);
        last.or_else(|| self.sent_before.get(&edge).copied())
    }

    /// An output is on the home host.
    pub(super) fn is_home(&mut self, edge: EdgeNumber) {
        self.not_returned -= usize::from(self.returned.insert(edge));
    }

    /// Takes back the transfers of files that have not started.
    pub(super) fn take_back_copies(&mut self) {
        let State { carriers, transfers, transfer_of, spare, .. } = self;
        carriers.retain(|_, number| {
            let has_started = transfers[number.index()].start.get().is_some();
            if !has_started {
                spare.push(*number);
            }
            has_started
        });
        // the lowest is used first
        spare.sort_unstable_by(|one, other| other.cmp(one));
        for of_edge in transfer_of {
            *of_edge = of_edge.filter(|number| transfers[number.index()].start.get().is_some());
        }
    }

    /// A task with a place waits for the data of an edge, or does not.
    pub(super) fn await_data(&mut self, edge: EdgeNumber, task: TaskNumber, is_awaited: bool) {
        let was_awaited = self.awaited.put(edge, is_awaited);
        let missing = &mut self.missing[task.index()];
        *missing = *missing + u32::from(is_awaited) - u32::from(was_awaited);
    }

    /// The data of an edge are where their child is to be computed.
    pub(super) fn delivered(&mut self, edge: EdgeNumber, task: TaskNumber, core: Core) {
        if !self.awaited.has(edge) {
            // it had them from an earlier attempt of the parent
            return;
        }
        self.await_data(edge, task, false);
        if self.missing[task.index()] == 0 {
            self.records[task.index()].ready = Some(now());
            self.touched.push(core);
        }
    }

    /// Returns true if the data of an edge are on a host or on their way there, by the last
    /// transfer that counts for them.
    pub(super) fn was_sent(&self, graph: &Graph, edge: EdgeNumber, host: HostId) -> bool {
        let number = if graph.file_rules().cache {
            self.carriers.get(&(graph.first_of(edge), host)).copied()
        } else {
            self.last_sent(edge)
        };
        let sent = number.map(|number| self.transfers[number.index()]);
        sent.is_some_and(|sent| sent.to == host && sent.start.get().is_some())
    }

    /// A failure breaks off a transfer.
    pub(super) fn break_off(&mut self, transfer: TransferNumber) {
        if let Some(log) = &mut self.log {
            log.break_off(transfer.0, now());
        }
        *self.fruitless.sent.entry(self.transfers[transfer.index()].edge).or_default() += 1;
    }

    /// Leaves out the first workflows, as far as they have ended and their outputs are home, of
    /// those that are current. None of their tasks is computed again.
    pub(super) fn leave_ended(&mut self, graph: &Graph) {
        let State { standing: ExecutionState { tasks, current, .. }, returned, .. } = self;
        let is_finished = |task: TaskNumber| {
            matches!(tasks[task.index()], Progress::Finished(_))
                && graph.outputs(task).iter().all(|edge| returned.contains(edge))
        };
        while let Some(first) = graph.applications().get(self.ended)
            && current.start < current.end
            && first.tasks().all(is_finished)
        {
            self.ended += 1;
            current.start += first.workflow.tasks().len() as u32;
        }
    }

    /// The task that a core may start now, with all cores that it then holds: it is its turn on
    /// each.
    pub(super) fn next(&self, grid: &Grid, core: Core, work_conserving: bool) -> Option<(TaskNumber, Core)> {
        let task = self.first(grid, core, work_conserving)?;
        let held = self.held(task, core);
        let is_first = |other: Core| self.first(grid, other, work_conserving) == Some(task);
        (held == core || grid.members(held).all(is_first)).then_some((task, held))
    }

    /// The cores that a task holds, of which one is known.
    fn held(&self, task: TaskNumber, core: Core) -> Core {
        self.standing.slot(task).map_or(core, |slot| slot.core)
    }

    /// The task whose turn it is on a core; `None` while it cannot start, or the core computes.
    fn first(&self, grid: &Grid, core: Core, work_conserving: bool) -> Option<TaskNumber> {
        let column = &self.columns[core.index()];
        if column.running.is_some() {
            return None;
        }
        let is_idle = |other: Core| self.columns[other.index()].running.is_none();
        let ready = |task: &&TaskNumber| {
            let held = || self.held(**task, core);
            self.missing[task.index()] == 0 && (held() == core || grid.members(held()).all(is_idle))
        };
        let mut order = column.order.iter();
        let first = if work_conserving { order.find(ready) } else { order.next().filter(ready) };
        first.copied()
    }
}

/// Instant at which a plan is made again: always when a workflow arrives, and, unless it is never,
/// when a host or a link fails or is repaired.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Replan {
    /// Only then.
    #[default]
    Never,
    /// After this number of tasks has ended since the last time.
    Every(u64),
    /// After this time, over and over.
    Period(SimDuration),
    /// Instant at which a task ends further from its predicted end than this share of its predicted
    /// duration.
    OnDeviation(f64),
    /// Only when a host or a link fails or is repaired.
    OnFailure,
}

/// Outcome of earlier plans when a workflow arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Merge {
    /// Planned tasks keep their places, and the new tasks are laid over them.
    #[default]
    Append,
    /// Everything that has not started is planned again.
    Interleave,
}

/// Events since the last plan.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Since {
    pub(super) completions: u64,
    pub(super) deviations: u64,
    pub(super) failures: u64,
    pub(super) periods: u64,
}

impl Replan {
    /// Cause of a new plan now, if there is one.
    pub(super) fn cause(self, since: &Since) -> Option<PlanCause> {
        match self {
            Replan::Never => None,
            _ if since.failures > 0 => Some(PlanCause::Failure),
            Replan::Every(count) if since.completions >= count.max(1) => Some(PlanCause::Completion),
            Replan::Period(_) if since.periods > 0 => Some(PlanCause::Period),
            Replan::OnDeviation(_) if since.deviations > 0 => Some(PlanCause::Deviation),
            _ => None,
        }
    }

    /// Returns true if a task ended so far from its predicted end that a plan is to be made again.
    pub(super) fn deviates(self, start: SimTime, predicted: SimTime, end: SimTime) -> bool {
        let Replan::OnDeviation(share) = self else { return false };
        let off = predicted.max(end).since(predicted.min(end));
        off.as_secs_f64() > share * predicted.since(start).as_secs_f64()
    }
}
