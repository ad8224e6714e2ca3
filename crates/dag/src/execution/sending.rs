//! Data sent between hosts: planned, started, arrived, and sent again.
//!
//! Where files are sent by themselves, edges that carry the same data to the same host go by one
//! transfer.

use std::rc::Rc;

use crate::error::RunFailed;
use crate::execution::links::{Arrivals, Links, TransferNumber};
use crate::execution::run::Run;
use crate::execution::state::State;
use crate::execution::{RecordedTime, TransferRecord};
use crate::kernel::{SimTime, now};
use crate::planning::view::{Delivery, Progress, TimeSlot};
use crate::workflow::{EdgeNumber, TaskNumber};

impl Run {
    /// Data of a task: its inputs, edges from its parents, and outputs.
    pub(super) fn data_of(&self, task: TaskNumber) -> impl Iterator<Item = EdgeNumber> + '_ {
        let graph = &self.problem.graph;
        graph.inputs(task).iter().chain(graph.incoming(task)).chain(graph.outputs(task)).copied()
    }

    /// Takes back every transfer that has not started.
    pub(super) fn take_back_transfers(&self, state: &mut State) {
        if let Links::Timed(timed) = &self.links {
            timed.take_back();
        }
        state.sendable.clear();
        if self.problem.graph.file_rules().cache {
            state.take_back_copies();
        }
    }

    /// Sees to it that the data of an edge or an input get to the host of its child, and those of
    /// an output to the home host.
    pub(super) fn plan_edge(&self, state: &mut State, edge: EdgeNumber) {
        let (graph, grid) = (&self.problem.graph, &self.problem.grid);
        let data = graph.data(edge);
        let place = |task: Option<TaskNumber>| match task {
            Some(task) => grid.host_of(state.standing.slot(task).expect("it is planned").core),
            None => self.home().expect("there is one, or no input and output"),
        };
        let (from, to) = (place(data.from), place(data.to));
        let is_there = |task: TaskNumber| matches!(state.standing.tasks[task.index()], Progress::Finished(_));
        let has_ended = data.from.is_none_or(is_there);
        let waits = |state: &mut State, for_it: bool| {
            if let Some(child) = data.to {
                state.await_data(edge, child, for_it);
            }
        };
        let Some(bytes) = data.bytes.filter(|_| from != to) else { return waits(state, !has_ended) };
        if data.to.is_none() && state.returned.contains(&edge) {
            return;
        }
        let copy = graph.file_rules().cache.then(|| (graph.first_of(edge), to));
        let known = match copy {
            Some(copy) => state.carriers.get(&copy).copied(),
            None => state.last_sent(edge),
        };
        if let Some(number) = known {
            let sent = state.transfers[number.index()];
            if copy.is_some() || sent.to == to {
                // there, being sent, or wanted by another task on the host
                state.transfer_of[edge.index()] = Some(number);
                state.sent_before.remove(&edge);
                return waits(state, sent.end.get().is_none());
            }
        }
        waits(state, true);
        let none = RecordedTime::NONE;
        let record = TransferRecord { edge, from, to, bytes, ready: none, start: none, end: none };
        if let (None, Some(sent)) = (copy, known) {
            state.sent_before.insert(edge, sent);
        }
        let unused = if copy.is_some() { state.spare.pop() } else { state.transfer_of[edge.index()] };
        let number = match unused.filter(|known| state.transfers[known.index()].start == none) {
            Some(number) => number,
            None => TransferNumber(state.transfers.len() as u32),
        };
        if number.index() == state.transfers.len() {
            state.transfers.push(record);
        } else {
            state.transfers[number.index()] = record;
        }
        state.transfer_of[edge.index()] = Some(number);
        if let Some(copy) = copy {
            state.carriers.insert(copy, number);
        }
        if let Links::Timed(timed) = &self.links {
            timed.queue(grid, state.cargo(number));
        }
        if has_ended {
            Self::is_ready(state, number);
        }
    }

    /// The data of a transfer are there to be sent; of a file that several tasks want it is said
    /// once. What an earlier attempt of its writer sent is there, or is being sent.
    pub(super) fn is_ready(state: &mut State, transfer: TransferNumber) {
        let TransferRecord { ready, start, .. } = &mut state.transfers[transfer.index()];
        if start.get().is_some() {
            return;
        }
        if ready.get().is_none() {
            *ready = now().into();
            state.sendable.push(transfer);
        }
    }

    /// Takes back the transfer of an edge that has not started, unless others wait for the same
    /// data.
    pub(super) fn withdraw(&self, state: &mut State, edge: EdgeNumber) {
        let graph = &self.problem.graph;
        let Some(number) = state.transfer_of[edge.index()] else { return };
        if state.transfers[number.index()].start.get().is_some() {
            return;
        }
        state.transfer_of[edge.index()] = None;
        if graph.same_data(edge).any(|other| state.goes_by(other, number)) {
            return;
        }
        let copy = (graph.first_of(edge), state.transfers[number.index()].to);
        if state.carriers.get(&copy) == Some(&number) {
            state.carriers.remove(&copy);
        }
        state.sendable.retain(|sendable| *sendable != number);
        if let Links::Timed(timed) = &self.links {
            timed.withdraw(number);
        }
    }

    /// Sends the data of an edge, unless a host or a link has failed, or no route joins its hosts:
    /// data that are computed again may be where nothing leads to the child.
    pub(super) fn send(self: &Rc<Self>, transfer: TransferNumber) {
        let mut state = self.state.borrow_mut();
        if !self.is_joined(state.cargo(transfer)) {
            if let Links::Timed(timed) = &self.links {
                timed.put_off(transfer);
            }
            return state.sendable.push(transfer);
        }
        if let Links::Timed(timed) = &self.links
            && !self.may_send(&state, transfer)
        {
            timed.put_off(transfer);
            return state.sendable.push(transfer);
        }
        let cargo = state.cargo(transfer);
        let record = &mut state.transfers[transfer.index()];
        record.start = now().into();
        let edge = record.edge;
        state.sent_before.remove(&edge);
        let writer = self.problem.graph.data(edge).from;
        if let State { log: Some(log), records, .. } = &mut *state {
            let writer = writer.and_then(|writer| log.last_ended(records[writer.index()].place));
            log.send(transfer.0, writer);
        }
        let grid = &self.problem.grid;
        let end = grid.carried(cargo.from, cargo.to, cargo.bytes, now());
        let at = end.unwrap_or(SimTime::MAX);
        self.deliver(&mut state, edge, Delivery { to: cargo.to, at });
        drop(state);
        match &self.links {
            Links::Network(..) => {
                let arrivals: Rc<dyn Arrivals> = Rc::new(Observer(Rc::clone(self)));
                self.links.start_over_network(cargo, &arrivals);
            }
            Links::Timed(timed) => match end.filter(|end| *end < SimTime::MAX) {
                Some(end) => timed.start(transfer, end),
                None => self.fail(RunFailed::Never(format!("the transfer {}", self.edge_name(edge)))),
            },
        }
    }

    /// The data of an edge are on a host, or are predicted to be.
    fn deliver(&self, state: &mut State, edge: EdgeNumber, delivery: Delivery) {
        let graph = &self.problem.graph;
        if graph.file_rules().cache {
            state.standing.copies.insert((graph.first_of(edge), delivery.to), delivery.at);
        } else {
            state.standing.deliveries[edge.index()] = Some(delivery);
        }
    }

    /// Of these transfers, those whose hosts and links work, and the others.
    pub(super) fn sendable_now(
        &self,
        state: &State,
        sendable: Vec<TransferNumber>,
    ) -> (Vec<TransferNumber>, Vec<TransferNumber>) {
        sendable.into_iter().partition(|transfer| self.may_send(state, *transfer))
    }

    /// A transfer that was broken off by a link is to be sent again.
    pub(super) fn plan_again(&self, transfer: TransferNumber) {
        let mut state = self.state.borrow_mut();
        for edge in self.forget(&mut state, transfer) {
            let writer = self.problem.graph.data(edge).from;
            let is_there = |task: TaskNumber| state.standing.slot(task).is_some();
            if !writer.is_none_or(is_there) {
                continue;
            }
            self.plan_edge_again(&mut state, edge, transfer);
        }
        drop(state);
        self.news.set();
    }

    /// The data of edges are where they came from, as if they had not been sent by this transfer;
    /// gives these edges.
    pub(super) fn forget(&self, state: &mut State, transfer: TransferNumber) -> Vec<EdgeNumber> {
        let graph = &self.problem.graph;
        let TransferRecord { edge, to, .. } = state.transfers[transfer.index()];
        let edges: Vec<EdgeNumber> =
            graph.same_data(edge).filter(|edge| state.goes_by(*edge, transfer)).collect();
        for edge in &edges {
            state.transfer_of[edge.index()] = None;
            state.standing.deliveries[edge.index()] = None;
        }
        if state.sent_before.get(&edge) == Some(&transfer) {
            // a plan wants them elsewhere, and has not sent them there
            state.sent_before.remove(&edge);
            state.standing.deliveries[edge.index()] = None;
        }
        let copy = (graph.first_of(edge), to);
        if state.carriers.get(&copy) == Some(&transfer) {
            state.carriers.remove(&copy);
            state.standing.copies.remove(&copy);
        }
        edges
    }

    /// Plans to send what was forgotten, if a task still waits for it there, or the home host; its
    /// writer must have a place.
    pub(super) fn plan_edge_again(&self, state: &mut State, edge: EdgeNumber, forgotten: TransferNumber) {
        let (data, to) = (self.problem.graph.data(edge), state.transfers[forgotten.index()].to);
        let is_there = |slot: TimeSlot| self.problem.grid.host_of(slot.core) == to;
        match data.to.map(|child| (child, state.standing.tasks[child.index()])) {
            None => self.plan_edge(state, edge),
            Some((_, Progress::Kept(slot))) if is_there(slot) => self.plan_edge(state, edge),
            Some(_) => {}
        }
    }

    /// Name of the data of an edge in messages.
    pub(super) fn edge_name(&self, edge: EdgeNumber) -> String {
        let graph = &self.problem.graph;
        let data = graph.data(edge);
        let name = |task: Option<TaskNumber>| match task {
            Some(task) => format!("`{}`", graph.task(task).name),
            None => "the home host".to_owned(),
        };
        format!("from {} to {}", name(data.from), name(data.to))
    }
}

/// A run as the observer of its transfers.
pub(super) struct Observer(pub(super) Rc<Run>);

impl Arrivals for Observer {
    fn arrived(&self, transfer: TransferNumber, completed: bool) {
        let run = &self.0;
        run.links.over(transfer);
        let mut state = run.state.borrow_mut();
        if !completed {
            state.break_off(transfer);
            state.broken_off.push(transfer);
            drop(state);
            return run.news.set();
        }
        let record = &mut state.transfers[transfer.index()];
        let (edge, to) = (record.edge, record.to);
        record.end = now().into();
        let graph = &run.problem.graph;
        if graph.file_rules().cache || state.last_sent(edge) == Some(transfer) {
            run.deliver(&mut state, edge, Delivery { to, at: now() });
        }
        for edge in graph.same_data(edge) {
            if !state.goes_by(edge, transfer) {
                continue;
            }
            let Some(child) = graph.data(edge).to else {
                state.is_home(edge);
                continue;
            };
            if let Progress::Kept(slot) = state.standing.tasks[child.index()]
                && run.problem.grid.host_of(slot.core) == to
            {
                state.delivered(edge, child, slot.core);
            }
        }
        drop(state);
        run.news.set();
    }
}
