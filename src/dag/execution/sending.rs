//! What is sent between hosts: started, arrived, and sent again.

use std::rc::Rc;

use crate::dag::error::RunFailed;
use crate::dag::execution::TransferRecord;
use crate::dag::execution::links::{Arrivals, Links, TransferNumber};
use crate::dag::execution::run::Run;
use crate::dag::view::{Delivery, Progress};
use crate::kernel::{SimTime, now};
use crate::workflow::EdgeNumber;

impl Run {
    /// Sends the data of an edge, unless a host or a link has failed.
    pub(super) fn send(self: &Rc<Self>, transfer: TransferNumber) {
        let mut state = self.state.borrow_mut();
        if let Links::Timed(timed) = &self.links
            && !self.may_send(&state, transfer)
        {
            timed.put_off(transfer);
            return state.sendable.push(transfer);
        }
        let cargo = state.cargo(transfer);
        let record = &mut state.transfers[transfer.index()];
        record.start = Some(now());
        let edge = record.edge;
        let grid = &self.problem.grid;
        let end = grid.carried(cargo.from, cargo.to, cargo.bytes, now());
        let at = end.unwrap_or(SimTime::MAX);
        state.standing.deliveries[edge.index()] = Some(Delivery { to: cargo.to, at });
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

    /// Of these transfers, those whose hosts and links work; the others stay behind.
    pub(super) fn sendable_now(&self, sendable: Vec<TransferNumber>) -> Vec<TransferNumber> {
        let mut state = self.state.borrow_mut();
        let (now, later) = sendable.into_iter().partition(|transfer| self.may_send(&state, *transfer));
        state.sendable = later;
        now
    }

    /// A transfer that was broken off by a link is to be sent again.
    pub(super) fn plan_again(&self, transfer: TransferNumber) {
        let mut state = self.state.borrow_mut();
        let TransferRecord { edge, to, .. } = state.transfers[transfer.index()];
        let child = self.problem.graph.edge(edge).to;
        let is_wanted = matches!(state.standing.tasks[child.index()], Progress::Kept(slot) if self.problem.grid.host_of(slot.core) == to);
        if is_wanted && state.transfer_of[edge.index()] == Some(transfer) {
            state.transfer_of[edge.index()] = None;
            state.missing[child.index()] -= 1;
            self.plan_edge(&mut state, edge);
        }
        drop(state);
        self.news.set();
    }

    /// What messages call the data of an edge.
    pub(super) fn edge_name(&self, edge: EdgeNumber) -> String {
        let graph = &self.problem.graph;
        let dependence = graph.edge(edge);
        let [from, to] = [dependence.from, dependence.to].map(|task| graph.task(task).name.to_string());
        format!("from `{from}` to `{to}`")
    }
}

/// A run as the observer of its transfers.
pub(super) struct Observer(pub(super) Rc<Run>);

impl Arrivals for Observer {
    fn arrived(&self, transfer: TransferNumber, completed: bool) {
        let run = &self.0;
        run.links.over(transfer);
        if !completed {
            run.state.borrow_mut().broken_off.push(transfer);
            return run.news.set();
        }
        let mut state = run.state.borrow_mut();
        let record = &mut state.transfers[transfer.index()];
        let (edge, to) = (record.edge, record.to);
        record.end = Some(now());
        if let Some(delivery) = &mut state.standing.deliveries[edge.index()]
            && delivery.to == to
        {
            delivery.at = now();
        }
        let child = run.problem.graph.edge(edge).to;
        if let Progress::Kept(slot) = state.standing.tasks[child.index()]
            && run.problem.grid.host_of(slot.core) == to
            && state.transfer_of[edge.index()] == Some(transfer)
        {
            state.delivered(child, slot.core);
        }
        drop(state);
        run.news.set();
    }
}
