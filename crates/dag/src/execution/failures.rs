//! Hosts and links that fail while a plan is executed.
//!
//! A host that fails loses the tasks that it computes and what is being sent to and from it. Unless
//! data are kept it loses what it holds too: data that have arrived there, and what its tasks have
//! produced; then a task that has ended is computed again if some child of it has not started, or
//! some output of it has not come home. The home host keeps the files that begin there or came
//! back. Everything that has not started is planned again when a host fails or is repaired, unless
//! plans are never made again: then tasks wait until their host is repaired, and a lost task ends
//! the run. On a host that is down nothing starts.
//!
//! A transfer that a link breaks off as it fails is sent again, from its first byte, when all links
//! of its route work; in the planned order it keeps its place, and those behind it wait. While a
//! link does not work nothing starts over it. Failures and repairs of links are news for plans as
//! those of hosts are: such a plan takes hosts between which a link has failed as not joined,
//! unless there is no plan then. A transfer over a link that never works again ends the run.
//!
//! What ends at the very instant of a failure has ended. Source: "DAGSim" names failures of hosts;
//! what is lost is a choice of ours.

use std::rc::Rc;

use crate::error::RunFailed;
use crate::execution::links::{Cargo, Links, Timed, TransferNumber};
use crate::execution::run::Run;
use crate::execution::state::State;
use crate::execution::{RecordedTime, Replan, TransferRecord};
use crate::kernel::{SimTime, note_over, now, spawn_daemon, timer};
use crate::planning::view::{ExecutionState, Progress};
use crate::platform::HostId;
use crate::platform::sharing::LinkId;
use crate::workflow::{EdgeNumber, TaskNumber};

/// Begins the processes of hosts and links whose state changes.
pub(super) fn begin(run: &Rc<Run>) {
    let grid = &run.problem.grid;
    for host in grid.hosts() {
        let working = &grid.host(host).working;
        if working.value_at(now()) <= 0.0 {
            let mut state = run.state.borrow_mut();
            state.standing.down.insert(host);
            state.down_since.insert(host, now());
        }
        if working.next_change(now()).is_some() {
            spawn_daemon(("state of host", host.index() as u32), watch(Rc::clone(run), host));
        }
    }
    for (number, link) in (0..).zip(grid.platform().links().iter()) {
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
    let working = run.problem.grid.platform().link(link).working.clone();
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
    let links: Vec<_> = route.iter().map(|link| platform.link(*link)).collect();
    let working = || links.iter().map(|link| &link.working);
    let never = || run.fail(RunFailed::Never(format!("the transfer {}", run.edge_name(record.edge))));
    run.completes_nothing(&run.state.borrow());
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
        if let (false, Links::Timed(timed)) = (works, &self.links) {
            for old in timed.carried() {
                if self.route(state.cargo(old)).contains(&link) {
                    self.begins_again(state, timed, old);
                    self.completes_nothing(state);
                }
            }
        }
        drop(guard);
        self.news.set();
    }

    /// A transfer that a link broke off keeps its place in the orders of links and waits to be sent
    /// again, unless its task is elsewhere now.
    fn begins_again(&self, state: &mut State, timed: &Timed, old: TransferNumber) {
        let record = state.transfers[old.index()];
        state.break_off(old);
        let edges = self.forget(state, old);
        if edges.is_empty() {
            return self.links.cancel(old);
        }
        let new = TransferNumber(state.transfers.len() as u32);
        state.transfers.push(TransferRecord { ready: now().into(), start: RecordedTime::NONE, ..record });
        for edge in edges {
            state.transfer_of[edge.index()] = Some(new);
        }
        if self.problem.graph.file_rules().cache {
            state.carriers.insert((self.problem.graph.first_of(record.edge), record.to), new);
        }
        state.sendable.push(new);
        timed.replace(old, new);
    }

    /// The links that a transfer takes.
    fn route(&self, cargo: Cargo) -> Vec<LinkId> {
        let mut route = Vec::new();
        let joined = self.problem.grid.platform().route(cargo.from, cargo.to, &mut route);
        if joined.is_ok() { route } else { Vec::new() }
    }

    /// Returns true if a route joins both hosts of a transfer.
    pub(super) fn is_joined(&self, cargo: Cargo) -> bool {
        cargo.from == cargo.to || self.problem.grid.pair(cargo.from, cargo.to).is_some()
    }

    /// Returns true if both hosts of a transfer work, and all links of its route; those of a
    /// network model see to themselves. One over a link that never works again ends the run.
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
        let platform = self.problem.grid.platform();
        let failed: Vec<LinkId> =
            self.route(cargo).into_iter().filter(|link| links_down.contains(link)).collect();
        if failed.iter().any(|link| platform.link(*link).working.next_change(now()).is_none()) {
            let edge = state.transfers[transfer.index()].edge;
            self.fail(RunFailed::Never(format!("the transfer {}", self.edge_name(edge))));
        }
        failed.is_empty()
    }

    fn repaired(&self, host: HostId) {
        let mut state = self.state.borrow_mut();
        state.standing.down.remove(&host);
        state.down_since.remove(&host);
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
        state.down_since.insert(host, now());
        state.since.failures += 1;
        let mut lost = self.lose_running(state, host);
        let forgotten = self.lose_data(state, host);
        if !self.execution.keep_data {
            lost.extend(self.lose_results(state, host));
        }
        for &task in &lost {
            if state.parents[task.index()] == 0 {
                state.ready.insert(task);
            }
        }
        for (edge, number) in forgotten {
            self.send_what_was_lost(state, edge, number);
        }
        let is_static = self.present().replan == Replan::Never && !self.is_dynamic();
        if let Some(task) = lost.first().filter(|_| is_static) {
            let (task, host) = (graph.task(*task).name.to_string(), grid.host(host).name.clone());
            drop(guard);
            return self.fail(RunFailed::Lost { task, host, at: now() });
        }
        if !lost.is_empty() {
            self.completes_nothing(state);
        }
        drop(guard);
        self.news.set();
    }

    /// The host computes nothing any more; gives what it computed. What was placed there as the run
    /// went on has no place.
    fn lose_running(&self, state: &mut State, host: HostId) -> Vec<TaskNumber> {
        let mut lost = Vec::new();
        let grid = &self.problem.grid;
        for core in grid.cores_of(host) {
            if let Some((task, _)) = state.columns[core.index()].running.take()
                && state.standing.slot(task).is_some_and(|slot| grid.first_of(slot.core) == core)
            {
                state.columns[core.index()].aborted.give();
                lost.push(task);
            }
            if self.is_dynamic() {
                // what was placed is to be placed again
                let placed: Vec<TaskNumber> = state.columns[core.index()].order.drain(..).collect();
                state.idle.insert(core);
                for task in placed {
                    if state.standing.slot(task).is_none() {
                        // it was met on another of its cores
                        continue;
                    }
                    self.reopen(state, task);
                    if state.parents[task.index()] == 0 {
                        state.ready.insert(task);
                    }
                }
            }
        }
        for &task in &lost {
            self.reopen(state, task);
            *state.fruitless.lost.entry(task).or_default() += 1;
        }
        lost
    }

    /// Breaks off what is being sent from and to a host, and forgets what it has been sent unless
    /// data are kept; gives the edges whose data are where they came from again, with the transfer
    /// of each.
    fn lose_data(&self, state: &mut State, host: HostId) -> Vec<(EdgeNumber, TransferNumber)> {
        let graph = &self.problem.graph;
        for number in self.links.under_way() {
            let record = state.transfers[number.index()];
            if record.from == host || record.to == host {
                state.break_off(number);
                self.links.cancel(number);
            }
        }
        // of an edge only the last transfer that has started counts, and files have one for all who
        // read them there
        let mut lost: Vec<TransferNumber> = Vec::new();
        for edge in (0..graph.data_count() as u32).map(EdgeNumber) {
            let Some(number) = state.last_sent(edge) else { continue };
            let record = state.transfers[number.index()];
            let is_lost = match record.end.get() {
                Some(_) => record.to == host && !self.execution.keep_data && graph.data(edge).to.is_some(),
                None => record.from == host || record.to == host,
            };
            if is_lost {
                lost.push(number);
            }
        }
        if !self.execution.keep_data {
            // copies of files that no task waits for now
            let copies = state.carriers.iter().filter(|((_, at), _)| *at == host);
            let arrived = copies.filter(|(_, number)| state.transfers[number.index()].end.get().is_some());
            let is_read =
                |number: &TransferNumber| graph.data(state.transfers[number.index()].edge).to.is_some();
            lost.extend(arrived.map(|(_, number)| *number).filter(is_read));
        }
        lost.sort_unstable();
        lost.dedup();
        let forget = |number| self.forget(state, number).into_iter().map(move |edge| (edge, number));
        lost.into_iter().flat_map(forget).collect()
    }

    /// The results of tasks on a host are lost: those that have ended are computed again if a child
    /// has not started, or an output has not come home. So are tasks whose host has lost what they
    /// wrote before, if a child is to be computed again. Gives these.
    fn lose_results(&self, state: &mut State, host: HostId) -> Vec<TaskNumber> {
        let (graph, grid) = (&self.problem.graph, &self.problem.grid);
        let mut lost = Vec::new();
        for &task in graph.order().iter().rev() {
            let Progress::Finished(slot) = state.standing.tasks[task.index()] else { continue };
            if grid.host_of(slot.core) == host {
                state.gone.insert(task);
            } else if !state.gone.contains(&task) {
                continue;
            }
            let is_open = |edge: &EdgeNumber| state.standing.has_not_started(graph.edge(*edge).to);
            let is_not_home = |edge: &EdgeNumber| !state.returned.contains(edge);
            if !graph.outgoing(task).iter().any(is_open) && !graph.outputs(task).iter().any(is_not_home) {
                continue;
            }
            state.finished -= 1;
            note_over(-1);
            state.gone.remove(&task);
            for &edge in graph.outgoing(task) {
                let child = graph.edge(edge).to;
                state.parents[child.index()] += 1;
                state.ready.remove(&child);
            }
            self.reopen(state, task);
            lost.push(task);
        }
        lost
    }

    /// Sends the data of an edge again that were lost, if no plan sees to it: of tasks that keep
    /// their places, and ever to the home host. Those of tasks that are to be computed again are
    /// planned when these end.
    fn send_what_was_lost(&self, state: &mut State, edge: EdgeNumber, number: TransferNumber) {
        let data = self.problem.graph.data(edge);
        let is_planned_again = !self.is_dynamic() && self.present().replan != Replan::Never;
        if is_planned_again && data.to.is_some() {
            return;
        }
        let to = state.transfers[number.index()].to;
        if let Some(child) = data.to
            && let Progress::Kept(slot) = state.standing.tasks[child.index()]
            && self.problem.grid.host_of(slot.core) == to
        {
            state.await_data(edge, child, true);
            state.records[child.index()].ready = None;
        }
        let is_there = |task: TaskNumber| matches!(state.standing.tasks[task.index()], Progress::Finished(_));
        if data.from.is_none_or(is_there) {
            self.plan_edge_again(state, edge, number);
        }
    }

    /// A task that has started or had a place is to be computed again, or placed: nothing is sent
    /// to it, nor what it had written.
    fn reopen(&self, state: &mut State, task: TaskNumber) {
        let graph = &self.problem.graph;
        let record = state.records[task.index()];
        if let (Some(log), Some(_)) = (&mut state.log, record.start) {
            log.lose(record.place, now());
        }
        state.reopen(task);
        let data = graph.inputs(task).iter().chain(graph.incoming(task));
        for &edge in data.chain(graph.outgoing(task)).chain(graph.outputs(task)) {
            self.withdraw(state, edge);
        }
    }
}

impl State {
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
