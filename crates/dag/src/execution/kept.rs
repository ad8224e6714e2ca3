//! New times of what keeps its place, before other tasks are planned around it.
//!
//! A core computes its tasks in their order, and links carry transfers in theirs. So each kept
//! task, and each transfer to one, begins once all that it waits for is over, as predicted now: its
//! parents, its data, what is before it on its core or on a link of its route, and what has started
//! already. Nothing keeps an instant that an earlier plan said: tasks have ended early or late
//! since then.
//!
//! A host that is down gives no duration of a task; the task then takes as long as in the earlier
//! plan.

use crate::collections::OrderedMap;
use crate::execution::links::TransferNumber;
use crate::execution::run::Run;
use crate::execution::state::State;
use crate::kernel::{SimDuration, SimTime, now};
use crate::model::problem::Contention;
use crate::planning::plan::PlannedTransfer;
use crate::planning::view::{ExecutionState, Progress, TimeSlot, View};
use crate::platform::HostId;
use crate::platform::sharing::LinkId;
use crate::workflow::{EdgeNumber, TaskNumber};

/// A task that keeps its place, or a transfer to one.
#[derive(Clone, Copy, Debug)]
enum Kept {
    /// With the place that it had.
    Task(TaskNumber, TimeSlot),
    /// Over which edge, from where and to where.
    Transfer(EdgeNumber, HostId, HostId),
}

/// One of both, and what it waits for.
#[derive(Clone, Debug)]
struct Node {
    what: Kept,
    /// The latest end of what it waits for, as far as it is known.
    from: SimTime,
    /// Number of others that it waits for and that have no times yet.
    missing: u32,
    is_done: bool,
    /// The others that wait for it.
    next: Vec<usize>,
}

/// The graph of waits; see the module's essay.
struct Retiming<'v> {
    view: &'v View<'v>,
    nodes: Vec<Node>,
    tasks: OrderedMap<TaskNumber, usize>,
    /// The transfer that carries the data of each edge to each host.
    transfers: OrderedMap<(EdgeNumber, HostId), usize>,
    /// Of links that carry something: until when, and the last that waits for them.
    links: OrderedMap<LinkId, (SimTime, Option<usize>)>,
}

impl Run {
    /// Opens kept tasks behind a task that is open again, if that may come to a host from which
    /// nothing can be sent to theirs.
    pub(super) fn open_beyond_reach(&self, state: &mut State) {
        let (graph, grid) = (&self.problem.graph, &self.problem.grid);
        let ExecutionState { tasks, current, .. } = &mut state.standing;
        for &task in &graph.order()[current.start as usize..current.end as usize] {
            let Progress::Kept(slot) = tasks[task.index()] else { continue };
            let to = grid.host_of(slot.core);
            let is_void = |parent: TaskNumber, from: HostId| {
                from != to && self.problem.can_run(parent, from) && grid.pair(from, to).is_none()
            };
            let may_be_apart = graph.incoming(task).iter().any(|edge| {
                let parent = graph.edge(*edge).from;
                tasks[parent.index()] == Progress::Open && grid.hosts().any(|from| is_void(parent, from))
            });
            if may_be_apart {
                tasks[task.index()] = Progress::Open;
            }
        }
    }

    /// Gives all that keeps its place new times.
    pub(super) fn retime(&self, state: &mut State) {
        let is_queued = self.problem.contention == Contention::Queued;
        let under_way = if is_queued { self.under_way(state) } else { Vec::new() };
        let view = View::new(&self.problem, &state.standing, now(), state.plans.len() as u64);
        let mut retiming = Retiming::new(&view, &under_way);
        for column in &state.columns {
            let busy = match column.running {
                Some((task, _)) => state.standing.slot(task).map(|slot| slot.end),
                None => None,
            };
            retiming.add_core(busy.unwrap_or_default(), column.order.iter().copied());
        }
        state.link_order.iter().for_each(|edge| retiming.add_transfer(*edge));
        let (slots, booked) = retiming.run();
        let standing = &mut state.standing;
        standing.kept = slots.iter().map(|(task, _)| *task).collect();
        for (task, slot) in slots {
            standing.tasks[task.index()] = Progress::Kept(slot);
        }
        standing.booked = under_way.into_iter().chain(booked).filter(|_| is_queued).collect();
    }

    /// The transfers that links carry now, until they are predicted to arrive.
    fn under_way(&self, state: &State) -> Vec<PlannedTransfer> {
        let view = View::new(&self.problem, &state.standing, now(), 0);
        let planned = |number: TransferNumber| {
            let record = state.transfers[number.index()];
            let end = view.delivered(record.edge, record.to)?.max(now());
            Some(PlannedTransfer { edge: record.edge, from: record.from, to: record.to, start: now(), end })
        };
        self.links.carried().into_iter().filter_map(planned).collect()
    }
}

impl<'v> Retiming<'v> {
    fn new(view: &'v View<'v>, under_way: &[PlannedTransfer]) -> Self {
        let (tasks, transfers, links) = (OrderedMap::new(), OrderedMap::new(), OrderedMap::new());
        let mut retiming = Retiming { view, nodes: Vec::new(), tasks, transfers, links };
        for sent in under_way {
            for link in retiming.route(sent.from, sent.to) {
                let (until, _) = retiming.links.entry(link).or_default();
                *until = sent.end.max(*until);
            }
        }
        retiming
    }

    /// The links that a transfer waits for: none where transfers have their links to themselves.
    fn route(&self, from: HostId, to: HostId) -> Vec<LinkId> {
        let (problem, mut route) = (self.view.problem(), Vec::new());
        if problem.contention == Contention::Queued
            && problem.grid.platform().route(from, to, &mut route).is_err()
        {
            route.clear();
        }
        route.sort_unstable();
        route.dedup();
        route
    }

    fn add(&mut self, what: Kept) -> usize {
        self.nodes.push(Node { what, from: self.view.now(), missing: 0, is_done: false, next: Vec::new() });
        self.nodes.len() - 1
    }

    /// Lets one wait for another, if there is one, and for an instant.
    fn wait(&mut self, node: usize, before: Option<usize>, until: SimTime) {
        self.nodes[node].from = self.nodes[node].from.max(until);
        if let Some(before) = before {
            self.nodes[before].next.push(node);
            self.nodes[node].missing += 1;
        }
    }

    /// Lets one wait for a parent.
    fn wait_for_task(&mut self, node: usize, parent: TaskNumber) {
        let before = self.tasks.get(&parent).copied();
        let until = match self.view.progress(parent) {
            Progress::Running(slot) | Progress::Finished(slot) => slot.end,
            Progress::Kept(_) | Progress::Open | Progress::Absent => SimTime::ZERO,
        };
        self.wait(node, before, until);
    }

    /// The kept tasks of a core, in its order, behind what it computes until then.
    fn add_core(&mut self, busy: SimTime, order: impl Iterator<Item = TaskNumber>) {
        let mut before = None;
        for task in order {
            let Progress::Kept(slot) = self.view.progress(task) else { continue };
            // one of several cores is met on each, and waits for all
            let node = match self.tasks.get(&task) {
                Some(node) => *node,
                None => self.add(Kept::Task(task, slot)),
            };
            self.wait(node, before, busy);
            self.tasks.insert(task, node);
            before = Some(node);
        }
    }

    /// The transfer of the data of an edge to a host, by the first of the edges that carry the same
    /// where files are sent by themselves.
    fn copy(&self, edge: EdgeNumber, to: HostId) -> (EdgeNumber, HostId) {
        let graph = self.view.graph();
        (if graph.file_rules().cache { graph.first_of(edge) } else { edge }, to)
    }

    /// The next transfer in the order of links, if a kept task waits for it and it has not begun.
    fn add_transfer(&mut self, edge: EdgeNumber) {
        let (view, data) = (self.view, self.view.graph().data(edge));
        let Some(Progress::Kept(slot)) = data.to.map(|task| view.progress(task)) else { return };
        let place = |task: TaskNumber| Some(view.host_of(view.standing.slot(task)?.core));
        let from = data.from.map_or(view.graph().file_rules().home, place);
        let (Some(from), to) = (from, view.host_of(slot.core)) else { return };
        let copy = self.copy(edge, to);
        let is_sent = from != to && data.bytes.is_some() && view.delivered(edge, to).is_none();
        if !is_sent || self.transfers.contains_key(&copy) {
            return;
        }
        let node = self.add(Kept::Transfer(edge, from, to));
        self.transfers.insert(copy, node);
        if let Some(parent) = data.from {
            self.wait_for_task(node, parent);
        }
        for link in self.route(from, to) {
            let (until, before) = self.links.insert(link, (SimTime::ZERO, Some(node))).unwrap_or_default();
            self.wait(node, before, until);
        }
    }

    /// Lets tasks wait for their data.
    fn add_data(&mut self) {
        let (view, graph) = (self.view, self.view.graph());
        let tasks: Vec<(TaskNumber, usize)> = self.tasks.iter().map(|(task, node)| (*task, *node)).collect();
        for (task, node) in tasks {
            let Kept::Task(_, slot) = self.nodes[node].what else { continue };
            let host = view.host_of(slot.core);
            for &edge in graph.inputs(task).iter().chain(graph.incoming(task)) {
                let transfer = self.transfers.get(&self.copy(edge, host)).copied();
                match (view.delivered(edge, host), graph.data(edge).from) {
                    (Some(at), _) => self.wait(node, None, at),
                    _ if transfer.is_some() => self.wait(node, transfer, SimTime::ZERO),
                    (None, Some(parent)) => self.wait_for_task(node, parent),
                    (None, None) => {}
                }
            }
        }
    }

    /// End of a node that begins as soon as it can.
    fn end(&self, node: &Node) -> SimTime {
        let span = match node.what {
            Kept::Task(task, slot) => {
                let host = self.view.host_of(slot.core);
                self.view.execution(task, host, node.from).unwrap_or(slot.end.since(slot.start))
            }
            // a run in which it never arrives ends with an error
            Kept::Transfer(edge, from, to) => {
                self.view.transfer(edge, from, to, node.from).unwrap_or(SimDuration::ZERO)
            }
        };
        node.from.saturating_add(span)
    }

    /// Tasks, every one after all that it waits for, with their new places; and transfers, in the
    /// order of links.
    fn run(mut self) -> (Vec<(TaskNumber, TimeSlot)>, Vec<PlannedTransfer>) {
        self.add_data();
        let (mut tasks, mut transfers) = (Vec::new(), vec![None; self.nodes.len()]);
        let mut open: Vec<usize> =
            (0..self.nodes.len()).filter(|node| self.nodes[*node].missing == 0).collect();
        loop {
            // the order of links may contradict that of cores, by a plan from a file: the run then
            // says so
            let stuck = |node: &Node| !node.is_done && matches!(node.what, Kept::Transfer(..));
            let Some(place) = open.pop().or_else(|| self.nodes.iter().position(stuck)) else { break };
            if std::mem::replace(&mut self.nodes[place].is_done, true) {
                continue;
            }
            let (start, end) = (self.nodes[place].from, self.end(&self.nodes[place]));
            match self.nodes[place].what {
                Kept::Task(task, slot) => tasks.push((task, TimeSlot { start, end, ..slot })),
                Kept::Transfer(edge, from, to) => {
                    transfers[place] = Some(PlannedTransfer { edge, from, to, start, end });
                }
            }
            for next in std::mem::take(&mut self.nodes[place].next) {
                let node = &mut self.nodes[next];
                (node.from, node.missing) = (node.from.max(end), node.missing - 1);
                if node.missing == 0 {
                    open.push(next);
                }
            }
        }
        (tasks, transfers.into_iter().flatten().collect())
    }
}
