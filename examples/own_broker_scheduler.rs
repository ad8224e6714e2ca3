//! A scheduler of one's own for global computing, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`, and `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_broker_scheduler -- run scenarios/global-computing.toml --set scheduler.kind=near-and-idle
//! cargo run --release --example own_broker_scheduler -- run scenarios/global-computing.toml --set scheduler.kind=near-and-idle --explain 100
//! cargo run --release --example own_broker_scheduler -- compare scenarios/global-computing.toml --vary scheduler.kind=greedy,near-and-idle
//! ```
//!
//! The rule: of the servers whose predicted load is below `busy` the one with the shortest
//! transfers; if all are busy, the one on which the task is predicted to be back first.

use std::process::ExitCode;

use clustersim::brokers::scheduler::BrokerScheduler;
use clustersim::brokers::view::{ServerSelection, View};
use clustersim::cli;
use clustersim::registry::{Bounds, Entry, Key, Kind, Registry};
use clustersim::system::standard;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the scheduler.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn BrokerScheduler>("broker", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the scheduler.
const ENTRY: Entry<dyn BrokerScheduler> = Entry {
    name: "near-and-idle",
    about: "of the servers that are not busy the one with the shortest transfers",
    source: "",
    keys: &[Key::new("busy", Kind::Number(Bounds::Positive))
        .or_number(1.0)
        .about("the load from which a server is busy")],
    build: |params| Ok(Box::new(NearAndIdle { busy: params.read("busy")? })),
};

#[derive(Clone, Copy, Debug)]
struct NearAndIdle {
    busy: f64,
}

impl BrokerScheduler for NearAndIdle {
    fn select(&mut self, view: &mut View<'_>) -> ServerSelection {
        let nearest = view.least(|view, server| {
            let times = view.estimate(server);
            if view.server(server).load < self.busy { times.send + times.receive } else { f64::INFINITY }
        });
        let is_idle = nearest.is_some_and(|server| view.server(server).load < self.busy);
        let chosen = if is_idle { nearest } else { view.least(|view, server| view.estimate(server).total()) };
        chosen.into_iter().collect()
    }

    fn begin(&self) -> Box<dyn BrokerScheduler> {
        Box::new(*self)
    }
}
