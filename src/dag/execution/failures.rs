//! Hosts and links that fail while a plan is executed.
//!
//! A host that fails loses the tasks that it computes and what is being sent to and from it. Unless data are kept it loses what it holds
//! too: data that have arrived there, and what its tasks have produced; then a task that has ended is computed again if some child of it
//! has not started. Everything that has not started is planned again when a host fails or is repaired, unless plans are never made
//! again: then tasks wait until their host is repaired, and a lost task ends the run. On a host that is down nothing starts.
//!
//! A transfer that meets a link that has failed is sent again when all links of its route work.
//!
//! What ends at the very instant of a failure has ended. Source: "DAGSim" names failures of hosts; what is lost is a choice of ours.

use std::rc::Rc;

use crate::dag::error::RunFailed;
use crate::dag::execution::Replan;
use crate::dag::execution::links::TransferNumber;
use crate::dag::execution::run::Run;
use crate::dag::execution::state::State;
use crate::dag::view::{ExecutionState, Progress};
use crate::kernel::{SimTime, now, spawn_daemon, timer};
use crate::platform::HostId;
use crate::workflow::TaskNumber;

/// How often a task may start: a host that fails again and again would keep a run going for ever.
const MOST_ATTEMPTS: u32 = 1_000;

/// Begins the processes of hosts whose state changes.
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
}

/// Lets a host fail and be repaired.
async fn watch(run: Rc<Run>, host: HostId) {
    let working = &run.problem.grid.host(host).working;
    while let Some(change) = working.next_change(now()) {
        timer(change.since(now())).await;
        let (works, was_down) =
            (working.value_at(now()) > 0.0, run.state.borrow().standing.down.contains(&host));
        match (works, was_down) {
            (true, true) => run.repaired(host),
            (false, false) => run.host_fails(host),
            _ => {}
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
    while working().any(|link| link.value_at(now()) <= 0.0) {
        let change: Option<SimTime> = working().filter_map(|link| link.next_change(now())).min();
        let Some(change) = change else {
            return run.fail(RunFailed::Never(format!("the transfer {}", run.edge_name(record.edge))));
        };
        timer(change.since(now())).await;
    }
    run.plan_again(transfer);
}

impl Run {
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
            if self.scheduler.1.dynamic().is_some() {
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
        for number in (0..state.transfers.len() as u32).map(TransferNumber) {
            let record = state.transfers[number.index()];
            let is_here = record.from == host || record.to == host;
            let is_lost =
                if record.end.is_some() { record.to == host && !self.execution.keep_data } else { is_here };
            if record.start.is_some() && is_lost {
                state.forget(number, record.edge);
                if record.end.is_none() {
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
        let too_often = |task: &&TaskNumber| state.records[task.index()].attempts >= MOST_ATTEMPTS;
        let is_static = self.execution.replan == Replan::Never && self.scheduler.1.dynamic().is_none();
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
    /// A task that has started is to be computed again.
    fn reopen(&mut self, task: TaskNumber) {
        self.standing.tasks[task.index()] = Progress::Open;
        let record = &mut self.records[task.index()];
        (record.ready, record.start, record.end, record.predicted) = (None, None, None, None);
    }

    /// The data of an edge are where they came from, as if they had not been sent.
    fn forget(&mut self, transfer: TransferNumber, edge: crate::workflow::EdgeNumber) {
        if self.transfer_of[edge.index()] == Some(transfer) {
            self.transfer_of[edge.index()] = None;
            self.standing.deliveries[edge.index()] = None;
        }
    }
}

impl ExecutionState {
    fn has_not_started(&self, task: TaskNumber) -> bool {
        matches!(self.tasks[task.index()], Progress::Open | Progress::Kept(_))
    }
}
