//! Waits for hosts and links that are down: tasks that no plan can have now, and the waits of a run
//! that gets no further.
//!
//! A task whose hosts are all down has no place in a plan, nor has any that comes after it: they
//! stay open until a host is repaired, and others go on. Where a rule has no plan for what is left,
//! and has one if all hosts work, everything that has no place waits.

use crate::error::{CannotPlan, RunFailed};
use crate::execution::lawful;
use crate::execution::links::TransferNumber;
use crate::execution::record::ExecutedTask;
use crate::execution::run::Run;
use crate::execution::state::State;
use crate::kernel::{SimError, SimTime, now};
use crate::planning::plan::TaskPlan;
use crate::planning::view::{Progress, View};
use crate::platform::HostId;
use crate::workflow::TaskNumber;

/// Tasks and transfers that a message names.
const NAMED: usize = 3;

impl Run {
    /// Sets aside open tasks that no host which works can have, and those after them: they are in
    /// no plan until a host is repaired.
    pub(super) fn set_aside(&self, state: &mut State) {
        state.set_aside.clear();
        state.no_plan = None;
        if state.standing.down.is_empty() {
            return;
        }
        let (graph, grid) = (&self.problem.graph, &self.problem.grid);
        let mut is_aside = vec![false; graph.len()];
        let current = state.standing.current.clone();
        for &task in &graph.order()[current.start as usize..current.end as usize] {
            let progress = state.standing.tasks[task.index()];
            if !matches!(progress, Progress::Open | Progress::Kept(_)) {
                continue;
            }
            let follows = graph.incoming(task).iter().any(|edge| is_aside[graph.edge(*edge).from.index()]);
            let has_host = || {
                let works = |host: &HostId| !state.standing.down.contains(host);
                grid.hosts().filter(works).any(|host| self.problem.can_run(task, host))
            };
            if follows || (progress == Progress::Open && !has_host()) {
                is_aside[task.index()] = true;
                state.standing.tasks[task.index()] = Progress::Absent;
                state.set_aside.push(task);
            }
        }
    }

    /// Returns true if there is a plan once all hosts work that are down.
    pub(super) fn would_plan(&self, state: &State) -> bool {
        let mut standing = state.standing.clone();
        let is_down = !standing.down.is_empty();
        standing.down.clear();
        standing.links_down.clear();
        let view = View::new(&self.problem, &standing, now(), state.plans.len() as u64);
        is_down && !self.has_successor() && self.present().rule.scheduler.plan(&view).is_ok()
    }

    /// No open task is in a plan until a host is repaired, nor any that comes after one.
    pub(super) fn lay_aside_all(&self, state: &mut State, why: CannotPlan) {
        let graph = &self.problem.graph;
        let mut is_aside = vec![false; graph.len()];
        let current = state.standing.current.clone();
        for &task in &graph.order()[current.start as usize..current.end as usize] {
            let follows = || graph.incoming(task).iter().any(|edge| is_aside[graph.edge(*edge).from.index()]);
            let is_next = match state.standing.tasks[task.index()] {
                Progress::Open => true,
                Progress::Kept(_) => follows(),
                _ => false,
            };
            if is_next {
                is_aside[task.index()] = true;
                state.standing.tasks[task.index()] = Progress::Absent;
                state.set_aside.push(task);
            }
        }
        state.no_plan = Some(why);
    }

    /// Returns true if a task or a transfer that is under way began at this instant or before.
    pub(super) fn goes_on_since(&self, state: &State, from: SimTime) -> bool {
        let computes =
            |task: &ExecutedTask| task.end.is_none() && task.start.is_some_and(|start| start <= from);
        let began = |sent: TransferNumber| state.transfers[sent.index()].start.get();
        let is_sent = |sent: TransferNumber| began(sent).is_some_and(|start| start <= from);
        state.records.iter().any(computes) || self.links.under_way().into_iter().any(is_sent)
    }

    /// Lets cores and links have what keeps its place, if anything is set aside.
    pub(super) fn wait_for_repair(&self, state: &mut State) {
        if state.set_aside.is_empty() {
            return;
        }
        self.retime(state);
        let is_there = |edge, host| state.was_sent(&self.problem.graph, edge, host);
        if let Ok(kept) = lawful::check(&self.problem, &state.standing, &TaskPlan::default(), &is_there) {
            self.take_up(state, &kept.assignments, &kept.order, None);
        }
        state.give_back();
    }

    /// The tasks and transfers that a run waits for in which nothing happens any more.
    pub(super) fn stuck(&self, error: SimError) -> SimError {
        let SimError::Deadlock { at, .. } = error else { return error };
        let state = self.state.borrow();
        let mut waits = self.waiting_transfers(&state);
        waits.extend(self.waiting_tasks(&state));
        if waits.is_empty() {
            let graph = &self.problem.graph;
            let has_ended =
                |task: TaskNumber| matches!(state.standing.tasks[task.index()], Progress::Finished(_));
            let open = graph.tasks().filter(|task| !has_ended(*task));
            waits.extend(open.map(|task| format!("task `{}` has not ended", graph.task(task).name)));
        }
        let more = waits.len().saturating_sub(NAMED);
        waits.truncate(NAMED);
        let mut waits = waits.join("; ");
        if more > 0 {
            waits += &format!("; and {more} more");
        }
        SimError::Model { process: "execution".into(), at, error: Box::new(RunFailed::Stuck { at, waits }) }
    }

    /// Transfers that wait for a host, or for data on a host that a route joins.
    fn waiting_transfers(&self, state: &State) -> Vec<String> {
        let waits = |number: &TransferNumber| {
            let record = state.transfers[number.index()];
            if !self.is_joined(state.cargo(*number)) {
                let [from, to] = [record.from, record.to].map(|host| &self.problem.grid.host(host).name);
                let name = self.edge_name(record.edge);
                return Some(format!("the transfer {name} has no route from `{from}` to `{to}`"));
            }
            let host =
                [record.from, record.to].into_iter().find(|host| state.standing.down.contains(host))?;
            Some(format!("the transfer {} waits for {}", self.edge_name(record.edge), self.down(state, host)))
        };
        state.sendable.iter().filter_map(waits).collect()
    }

    /// Tasks that have not started and wait for nothing but a host.
    fn waiting_tasks(&self, state: &State) -> Vec<String> {
        let graph = &self.problem.graph;
        let waits = |task: TaskNumber| {
            let name = &graph.task(task).name;
            let host = match state.standing.tasks[task.index()] {
                Progress::Kept(slot) if state.missing[task.index()] == 0 => {
                    self.problem.grid.host_of(slot.core)
                }
                Progress::Open if state.parents[task.index()] == 0 => {
                    let can = |host: &HostId| self.problem.can_run(task, *host);
                    let able: Vec<HostId> = self.problem.grid.hosts().filter(can).collect();
                    match able[..] {
                        [only] => only,
                        _ if able.iter().all(|host| state.standing.down.contains(host)) => {
                            return Some(format!(
                                "task `{name}` waits for a host that can run it: all are down"
                            ));
                        }
                        _ => return state.no_plan.as_ref().map(|why| format!("task `{name}` waits: {why}")),
                    }
                }
                _ => return None,
            };
            let is_down = state.standing.down.contains(&host);
            is_down.then(|| format!("task `{name}` waits for {}", self.down(state, host)))
        };
        graph.tasks().filter_map(waits).collect()
    }

    /// A host that is down, and since when.
    fn down(&self, state: &State, host: HostId) -> String {
        let since = state.down_since.get(&host).copied().unwrap_or_default();
        format!("host `{}`, which is down since {since}", self.problem.grid.host(host).name)
    }
}

impl State {
    /// Tasks that were set aside are open again, for the next plan.
    pub(super) fn give_back(&mut self) {
        for task in &self.set_aside {
            self.standing.tasks[task.index()] = Progress::Open;
            let record = &mut self.records[task.index()];
            (record.core, record.planned, record.ready) = (None, None, None);
        }
    }
}
