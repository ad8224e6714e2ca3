//! Schedulers that order servers by one figure, the least first.

use crate::info::ServerNumber;
use crate::registry::{Entry, entry};
use crate::scheduler::BrokerScheduler;
use crate::view::{ServerSelection, View, foremost};

/// Cost to be minimized.
type Cost = fn(&mut View<'_>, ServerNumber) -> f64;

#[derive(Clone, Copy, Debug)]
struct Least(Cost);

impl BrokerScheduler for Least {
    fn select(&mut self, view: &mut View<'_>) -> ServerSelection {
        view.ranked(self.0)
    }

    fn begin(&self) -> Box<dyn BrokerScheduler> {
        Box::new(*self)
    }
}

pub(super) const GREEDY: Entry<dyn BrokerScheduler> = entry!(
    "greedy" => "the server on which the task is predicted to be back first: transfers and service by predicted values",
    builds Least(|view, server| view.estimate(server).total())
);

pub(super) const BEST_NETWORK: Entry<dyn BrokerScheduler> = entry!(
    "best-network" => "the server with the shortest predicted transfers",
    builds Least(|view, server| {
        let estimate = view.estimate(server);
        estimate.send + estimate.receive
    })
);

pub(super) const FASTEST: Entry<dyn BrokerScheduler> = entry!("fastest" => "the server of the highest performance", builds Least(|view, server| -view.performance(server)));

/// By load, then by performance.
#[derive(Clone, Copy, Debug)]
struct LeastLoad;

pub(super) const LEAST_LOAD: Entry<dyn BrokerScheduler> = entry!("least-load" => "the server with the least predicted load; of equals the fastest", builds LeastLoad);

impl BrokerScheduler for LeastLoad {
    fn select(&mut self, view: &mut View<'_>) -> ServerSelection {
        let mut order = Vec::with_capacity(view.candidates().len());
        for place in 0..view.candidates().len() {
            let server = view.candidates()[place];
            let load = view.server(server).load;
            view.score(server, load);
            order.push(((load, -view.performance(server)), server));
        }
        foremost(order, view.wanted(), |one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)))
    }

    fn begin(&self) -> Box<dyn BrokerScheduler> {
        Box::new(*self)
    }
}
