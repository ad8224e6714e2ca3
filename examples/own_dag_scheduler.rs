//! A scheduler of one's own for task graphs, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`, and `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_dag_scheduler -- list schedulers
//! cargo run --release --example own_dag_scheduler -- run scenarios/task-graph.toml --set scheduler=thrifty
//! cargo run --release --example own_dag_scheduler -- run scenarios/task-graph.toml --set scheduler=thrifty --explain t6
//! cargo run --release --example own_dag_scheduler -- compare scenarios/task-graph.toml --vary scheduler=heft,thrifty
//! ```
//!
//! The rule: tasks go in the order of HEFT. A task may end later than it could, by `patience` times
//! its time on the best host; of the hosts that end it by then the slowest has it. So fast hosts
//! stay free for tasks that need them. With no patience the rule is HEFT but for ties.

use std::process::ExitCode;

use clustersim::cli;
use clustersim::dag::ranks::{ByRank, Data, mean_executions, upward};
use clustersim::dag::{CannotPlan, PartialSchedule, Scheduler, Search, TaskPlan, View};
use clustersim::kernel::SimDuration;
use clustersim::registry::{Bounds, Entry, Key, Kind, Registry};
use clustersim::system::standard;

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
    name: "thrifty",
    about: "the slowest host that ends the task hardly later than the best one would",
    source: "",
    keys: &[Key::new("patience", Kind::Share(Bounds::NotNegative))
        .or("50%")
        .about("how much later a task may end, as a share of its time on the best host")],
    build: |params| Ok(Box::new(Thrifty { patience: params.read("patience")? })),
};

#[derive(Debug)]
struct Thrifty {
    patience: f64,
}

impl Scheduler for Thrifty {
    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let rank = upward(view, &mean_executions(view), Data::Counts);
        let mut schedule = PartialSchedule::new(view).by_figure("relative speed", "the lower core");
        for task in ByRank::new(view, rank).named("upward rank in seconds") {
            let best = schedule.choose(task, Search::Gaps, |slot| slot.end)?;
            let later = self.patience * best.end.since(best.start).as_secs_f64();
            let latest = best.end.saturating_add(SimDuration::ceil_secs(later));
            view.explain(task, || format!("It may end at {latest}, and could at {}", best.end));
            let speed = |core| view.relative_speed(view.host_of(core));
            schedule.put(task, Search::Gaps, |slot| (slot.end > latest, speed(slot.core)))?;
        }
        Ok(schedule.into_plan())
    }
}
