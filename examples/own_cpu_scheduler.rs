//! A CPU scheduler of one's own, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`; `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_cpu_scheduler -- list cpu-schedulers
//! cargo run --release --example own_cpu_scheduler -- run scenarios/coscheduling.toml --set cluster.node.scheduler=least-run
//! ```
//!
//! The rule: of the tasks that are ready on a node, the one runs next that has run least so far,
//! for one quantum. No task preempts another before its quantum is over.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::process::ExitCode;

use clustersim::cli;
use clustersim::kernel::SimDuration;
use clustersim::node::os::cpu::{CpuScheduler, Entering, RunQueue, TaskKey};
use clustersim::registry::{Bounds, Entry, Key, Kind, Registry};
use clustersim::system::standard;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the scheduler.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn CpuScheduler>("cpu-scheduler", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the scheduler.
const ENTRY: Entry<dyn CpuScheduler> = Entry {
    name: "least-run",
    about: "the ready task that has run least runs next, for one quantum",
    source: "",
    keys: &[Key::new("quantum", Kind::Duration(Bounds::Positive))
        .or("10ms")
        .about("how long a task runs before the others get their turn")],
    build: |params| Ok(Box::new(LeastRun { quantum: params.read("quantum")? })),
};

#[derive(Debug)]
struct LeastRun {
    quantum: SimDuration,
}

impl CpuScheduler for LeastRun {
    fn run_queue(&self) -> Box<dyn RunQueue> {
        Box::new(Ready { quantum: self.quantum, in_order: Vec::new(), has_run: BTreeMap::new() })
    }
}

/// The ready tasks of a node.
#[derive(Debug)]
struct Ready {
    quantum: SimDuration,
    /// By the time that each has run; of equal ones the earlier first.
    in_order: Vec<TaskKey>,
    has_run: BTreeMap<TaskKey, SimDuration>,
}

impl RunQueue for Ready {
    fn enter(&mut self, task: TaskKey, _: Entering) {
        let own = *self.has_run.entry(task).or_default();
        let place = self.in_order.partition_point(|other| self.has_run[other] <= own);
        self.in_order.insert(place, task);
    }

    fn pick(&mut self, _: usize) -> Option<TaskKey> {
        (!self.in_order.is_empty()).then(|| self.in_order.remove(0))
    }

    fn remove(&mut self, task: TaskKey) -> bool {
        let place = self.in_order.iter().position(|&other| other == task);
        place.map(|place| self.in_order.remove(place)).is_some()
    }

    fn quantum(&self, _: TaskKey) -> Option<SimDuration> {
        Some(self.quantum)
    }

    fn ran(&mut self, task: TaskKey, span: SimDuration) {
        let own = self.has_run.entry(task).or_default();
        *own = own.saturating_add(span);
    }

    fn outranks(&self, _: TaskKey) -> bool {
        false
    }

    fn boosted_outranks(&self, running: TaskKey) -> bool {
        self.in_order.first().is_some_and(|first| self.has_run[first] <= self.has_run[&running])
    }

    fn len(&self) -> usize {
        self.in_order.len()
    }

    fn scan(&self, look: &mut dyn FnMut(TaskKey) -> ControlFlow<()>) {
        let _ = self.in_order.iter().try_for_each(|&task| look(task));
    }

    fn forget(&mut self, task: TaskKey) {
        self.has_run.remove(&task);
    }
}
