//! Hosts and links that fail while a plan is executed.
//!
//! A host that fails loses the tasks that it computes and what is being sent to and from it. Unless data are kept it loses what it holds
//! too: data that have arrived there, and what its tasks have produced; then a task that has ended is computed again if some child of it
//! has not started, or some output of it has not come home. The home host keeps the files that begin there or came back. Everything that
//! has not started is planned again when a host fails or is repaired, unless plans are never made
//! again: then tasks wait until their host is repaired, and a lost task ends the run. On a host that is down nothing starts.
//!
//! A transfer that a link breaks off as it fails is sent again, from its first byte, when all links of its route work; in the planned order
//! it keeps its place, and those behind it wait. While a link does not work nothing starts over it. Failures and repairs of links are news
//! for plans as those of hosts are: such a plan takes hosts between which a link has failed as not joined, unless there is no plan then.
//! A transfer over a link that never works again ends the run.
//!
//! What ends at the very instant of a failure has ended. Source: "DAGSim" names failures of hosts; what is lost is a choice of ours.

use std::rc::Rc;

use crate::dag::error::RunFailed;
use crate::dag::execution::links::{Cargo, Links, TransferNumber};
use crate::dag::execution::run::Run;
use crate::dag::execution::state::State;
use crate::dag::execution::{RecordedTime, Replan, TransferRecord};
use crate::dag::view::{ExecutionState, Progress};
use crate::kernel::{SimTime, now, spawn_daemon, timer};
use crate::platform::HostId;
use crate::platform::sharing::LinkId;
use crate::workflow::{EdgeNumber, TaskNumber};

/// How often a task may start: a host that fails again and again would keep a run going for ever.
const MOST_ATTEMPTS: u32 = 1_000;

/// How often the data of an edge may be sent, for the same reason.
const MOST_SENT: u32 = 1_000;

/// Begins the processes of hosts and links whose state changes.
pub(super) fn begin(run: &Rc<Run>) {
    let grid = &run.problem.grid;
    for host in grid.hosts() {
        let working = &grid.host(host).working;
        if working.value_at(now()) <= 0.0 {
            run.state.borrow_mut().standing.down.insert(host);
        }
        if working.next_change(now()).is_some() {
            spawn_daemon(("state of host", host.index() as u32), watch(Rc::clone(run), host));
        }
    }
    for (number, link) in (0..).zip(grid.platform().links()) {
        if link.working.value_at(now()) <= 0.0 {
            run.state.borrow_mut().standing.links_down.insert(LinkId::new(number));
        }
        if link.working.next_change(now()).is_some() {
            spawn_daemon(("state of link", number), watch_link(Rc::clone(run), LinkId::new(number)));
        }
    }
}

/// Lets a host fail and be repaired.
async fn watch(run: Rc<Run>, host: HostId) {
    let working = &run.problem.grid.host(host).working;
    while let Some(change) = working.next_change(now()) {
        timer(change.since(now())).await;
        let is_down = || run.state.borrow().standing.down.contains(&host);
        // it may leave and return at one instant
        if working.least_at(now()) <= 0.0 && !is_down() {
            run.host_fails(host);
        }
        if working.value_at(now()) > 0.0 && is_down() {
            run.repaired(host);
        }
    }
}

/// Lets a link fail and be repaired.
async fn watch_link(run: Rc<Run>, link: LinkId) {
    let working = &run.problem.grid.platform().links()[link.index()].working;
    while let Some(change) = working.next_change(now()) {
        timer(change.since(now())).await;
        let is_down = || run.state.borrow().standing.links_down.contains(&link);
        if working.least_at(now()) <= 0.0 && !is_down() {
            run.link_changes(link, false);
        }
        if working.value_at(now()) > 0.0 && is_down() {
            run.link_changes(link, true);
        }
    }
}

/// Sends a transfer again when every link of its route works.
pub(super) async fn send_again(run: Rc<Run>, transfer: TransferNumber) {
    let record = run.state.borrow().transfers[transfer.index()];
    let platform = run.problem.grid.platform();
    let mut route = Vec::new();
    if platform.route(record.from, record.to, &mut route).is_err() {
        return;
    }
    let working = || route.iter().map(|link| &platform.links()[link.index()].working);
    let never = || run.fail(RunFailed::Never(format!("the transfer {}", run.edge_name(record.edge))));
    if run.state.borrow_mut().is_sent_too_often(record.edge) {
        return never();
    }
    while working().any(|link| link.value_at(now()) <= 0.0) {
        let change: Option<SimTime> = working().filter_map(|link| link.next_change(now())).min();
        let Some(change) = change else { return never() };
        timer(change.since(now())).await;
    }
    run.plan_again(transfer);
}

impl Run {
    /// A link fails or is repaired.
    fn link_changes(&self, link: LinkId, works: bool) {
        let mut guard = self.state.borrow_mut();
        let state = &mut *guard;
        let down = &mut state.standing.links_down;
        let _ = if works { down.remove(&link) } else { down.insert(link) };
        state.since.failures += 1;
        let mut too_often = None;
        if let (false, Links::Timed(timed)) = (works, &self.links) {
            for old in timed.carried() {
                if self.route(state.cargo(old)).contains(&link) {
                    let record = state.transfers[old.index()];
                    let new = TransferNumber(state.transfers.len() as u32);
                    state.transfers.push(TransferRecord {
                        ready: now().into(),
                        start: RecordedTime::NONE,
                        ..record
                    });
                    let copy = (self.problem.graph.first_of(record.edge), record.to);
                    for edge in self.forget(state, old) {
                        state.transfer_of[edge.index()] = Some(new);
                    }
                    if self.problem.graph.file_rules().cache {
                        state.carriers.insert(copy, new);
                    }
                    state.sendable.push(new);
                    timed.replace(old, new);
                    too_often = too_often.or(state.is_sent_too_often(record.edge).then_some(record.edge));
                }
            }
        }
        drop(guard);
        if let Some(edge) = too_often {
            return self.fail(RunFailed::Never(format!("the transfer {}", self.edge_name(edge))));
        }
        self.news.set();
    }

    /// The links that a transfer takes.
    fn route(&self, cargo: Cargo) -> Vec<LinkId> {
        let mut route = Vec::new();
        let joined = self.problem.grid.platform().route(cargo.from, cargo.to, &mut route);
        if joined.is_ok() { route } else { Vec::new() }
    }

    /// Whether both hosts of a transfer work, and all links of its route; those of a network model see to themselves. One over a link that
    /// never works again ends the run.
    pub(super) fn may_send(&self, state: &State, transfer: TransferNumber) -> bool {
        let cargo = state.cargo(transfer);
        let is_down = |host| state.standing.down.contains(&host);
        let links_down = &state.standing.links_down;
        if is_down(cargo.from) || is_down(cargo.to) {
            return false;
        }
        if links_down.is_empty() || matches!(self.links, Links::Network(..)) {
            return true;
        }
        let links = self.problem.grid.platform().links();
        let failed: Vec<LinkId> =
            self.route(cargo).into_iter().filter(|link| links_down.contains(link)).collect();
        if failed.iter().any(|link| links[link.index()].working.next_change(now()).is_none()) {
            let edge = state.transfers[transfer.index()].edge;
            self.fail(RunFailed::Never(format!("the transfer {}", self.edge_name(edge))));
        }
        failed.is_empty()
    }

    fn repaired(&self, host: HostId) {
        let mut state = self.state.borrow_mut();
        state.standing.down.remove(&host);
        state.since.failures += 1;
        state.touched.extend(self.problem.grid.cores_of(host));
        drop(state);
        self.news.set();
    }

    fn host_fails(&self, host: HostId) {
        let (graph, grid) = (&self.problem.graph, &self.problem.grid);
        let mut guard = self.state.borrow_mut();
        let state = &mut *guard;
        state.standing.down.insert(host);
        state.since.failures += 1;
        let mut lost: Vec<TaskNumber> = Vec::new();
        for core in grid.cores_of(host) {
            if let Some((task, _)) = state.columns[core.index()].running.take() {
                state.columns[core.index()].aborted.give();
                lost.push(task);
            }
            if self.is_dynamic() {
                // what was placed is to be placed again
                let placed: Vec<TaskNumber> = state.columns[core.index()].order.drain(..).collect();
                state.idle.insert(core);
                for task in placed {
                    state.reopen(task);
                    if state.parents[task.index()] == 0 {
                        state.ready.insert(task);
                    }
                }
            }
        }
        for &task in &lost {
            state.reopen(task);
        }
        // edges whose data were sent without effect, and by which transfer
        let mut forgotten: Vec<(EdgeNumber, TransferNumber)> = Vec::new();
        for number in (0..state.transfers.len() as u32).map(TransferNumber) {
            let record = state.transfers[number.index()];
            let is_here = record.from == host || record.to == host;
            let has_come_home = graph.data(record.edge).to.is_none();
            let is_lost = match record.end.get() {
                Some(_) => record.to == host && !self.execution.keep_data && !has_come_home,
                None => is_here,
            };
            if record.start.get().is_some() && is_lost {
                let edges = self.forget(state, number);
                forgotten.extend(edges.into_iter().map(|edge| (edge, number)));
                if record.end.get().is_none() {
                    self.links.cancel(number);
                }
            }
        }
        if !self.execution.keep_data {
            for &task in graph.order().iter().rev() {
                let is_needed = || {
                    graph
                        .outgoing(task)
                        .iter()
                        .any(|edge| state.standing.has_not_started(graph.edge(*edge).to))
                        || graph.outputs(task).iter().any(|edge| !state.returned.contains(edge))
                };
                let is_here = matches!(state.standing.tasks[task.index()], Progress::Finished(slot) if grid.host_of(slot.core) == host);
                if is_here && is_needed() {
                    state.finished -= 1;
                    for &edge in graph.outgoing(task) {
                        let child = graph.edge(edge).to;
                        state.parents[child.index()] += 1;
                        state.ready.remove(&child);
                    }
                    state.reopen(task);
                    lost.push(task);
                }
            }
        }
        for &task in &lost {
            if state.parents[task.index()] == 0 {
                state.ready.insert(task);
            }
        }
        // no plan sees to them, nor ever to what goes home; those of tasks that are to be computed again are planned when these end
        let is_planned_again = !self.is_dynamic() && self.present().replan != Replan::Never;
        for (edge, number) in forgotten {
            let (data, record) = (graph.data(edge), state.transfers[number.index()]);
            if is_planned_again && data.to.is_some() {
                continue;
            }
            let waits_there = |child: &TaskNumber| {
                let progress = state.standing.tasks[child.index()];
                matches!(progress, Progress::Kept(slot) if grid.host_of(slot.core) == record.to)
            };
            if let Some(child) = data.to.filter(waits_there).filter(|_| record.end.get().is_some()) {
                state.missing[child.index()] += 1;
                state.records[child.index()].ready = None;
            }
            let is_there =
                |task: TaskNumber| matches!(state.standing.tasks[task.index()], Progress::Finished(_));
            if data.from.is_none_or(is_there) {
                self.plan_edge_again(state, edge, number);
            }
        }
        let too_often = |task: &&TaskNumber| state.records[task.index()].attempts >= MOST_ATTEMPTS;
        let is_static = self.present().replan == Replan::Never && !self.is_dynamic();
        let over = if is_static { lost.first() } else { lost.iter().find(too_often) };
        let over = over.map(|task| graph.task(*task).name.to_string());
        drop(guard);
        match over {
            Some(task) => self.fail(RunFailed::Lost { task, host: grid.host(host).name.clone(), at: now() }),
            None => self.news.set(),
        }
    }
}

impl State {
    /// Whether the data of an edge were broken off as often as is allowed, now included.
    fn is_sent_too_often(&mut self, edge: EdgeNumber) -> bool {
        let count = self.broken.entry(edge).or_default();
        *count += 1;
        *count >= MOST_SENT
    }

    /// A task that has started is to be computed again.
    fn reopen(&mut self, task: TaskNumber) {
        self.standing.tasks[task.index()] = Progress::Open;
        let record = &mut self.records[task.index()];
        (record.ready, record.start, record.end, record.predicted) = (None, None, None, None);
    }
}

impl ExecutionState {
    fn has_not_started(&self, task: TaskNumber) -> bool {
        matches!(self.tasks[task.index()], Progress::Open | Progress::Kept(_))
    }
}
