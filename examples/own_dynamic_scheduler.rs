//! A scheduler of one's own that places tasks as the run goes on, with the whole command line
//! around it.
//!
//! In a crate of your own this file is `src/main.rs`, and `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_dynamic_scheduler -- explain delay
//! cargo run --release --example own_dynamic_scheduler -- run scenarios/task-graph.toml --set scheduler=delay
//! cargo run --release --example own_dynamic_scheduler -- run scenarios/task-graph.toml --set scheduler=delay --explain t6
//! cargo run --release --example own_dynamic_scheduler -- compare scenarios/task-graph.toml --vary scheduler=self-scheduling,delay
//! ```
//!
//! The rule is delay scheduling (M. Zaharia and others, EuroSys 2010): a task that is ready waits
//! until a core of the host is idle that holds most of its data. Once it has waited for `patience`
//! it takes any idle core.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::rc::Rc;

use clustersim::cli;
use clustersim::dag::{
    Core, Dispatcher, Dynamic, DynamicScheduler, Progress, Scheduler, Unlawful, View, async_trait,
};
use clustersim::kernel::{SimDuration, SimTime, now};
use clustersim::platform::HostId;
use clustersim::registry::{Bounds, Entry, Key, Kind, Registry};
use clustersim::system::standard;
use clustersim::workflow::TaskNumber;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the scheduler.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn Scheduler>("scheduler", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the scheduler.
const ENTRY: Entry<dyn Scheduler> = Entry {
    name: "delay",
    about: "no plan: a ready task waits a while for the host that holds most of its data",
    source: "M. Zaharia and others, EuroSys 2010",
    keys: &[Key::new("patience", Kind::Duration(Bounds::NotNegative))
        .or("10s")
        .about("how long a ready task waits for that host")],
    build: |params| Ok(Box::new(Dynamic(Rc::new(Delay { patience: params.read("patience")? })))),
};

#[derive(Debug)]
struct Delay {
    patience: SimDuration,
}

/// The host that holds most of what a task reads, of equal ones the lower; none for a task without
/// parents.
fn nearest(view: &View<'_>, task: TaskNumber) -> Option<HostId> {
    let mut held: BTreeMap<HostId, u64> = BTreeMap::new();
    for edge in view.graph().incoming(task).iter().map(|edge| view.graph().edge(*edge)) {
        if let Progress::Finished(slot) = view.progress(edge.from) {
            *held.entry(view.host_of(slot.core)).or_default() += edge.bytes.unwrap_or(0);
        }
    }
    held.into_iter().rev().max_by_key(|(_, bytes)| *bytes).map(|(host, _)| host)
}

#[async_trait(?Send)]
impl DynamicScheduler for Delay {
    async fn run(&self, dispatcher: Dispatcher) -> Result<(), Unlawful> {
        let mut since: BTreeMap<TaskNumber, SimTime> = BTreeMap::new();
        let mut more = dispatcher.news().await;
        while more {
            for task in dispatcher.ready() {
                let until = since.entry(task).or_insert_with(now).saturating_add(self.patience);
                let near = dispatcher.view(|view| nearest(view, task));
                let is_near = |core: &Core| near == Some(dispatcher.view(|view| view.host_of(*core)));
                let mut idle = dispatcher.idle();
                idle.retain(|core| dispatcher.can_have(task, *core));
                let core = idle.iter().copied().find(is_near);
                let any = idle.first().copied().filter(|_| near.is_none() || until <= now());
                let Some(core) = core.or(any) else { continue };
                dispatcher.explain(task, || match is_near(&core) {
                    true => "The host holds most of its data".to_owned(),
                    false if near.is_none() => "It has no parents: any idle core".to_owned(),
                    false => format!("It has waited since {}: any idle core", since[&task]),
                });
                dispatcher.place(task, core)?;
            }
            // a task that waits may take any core once its patience is over, and there are idle
            // ones
            let waiting =
                dispatcher.ready().into_iter().map(|task| since[&task].saturating_add(self.patience));
            more = match waiting.filter(|until| *until > now()).min() {
                Some(until) => dispatcher.news_until(until).await,
                None => dispatcher.news().await,
            };
        }
        Ok(())
    }
}
