//! A queue discipline of one's own, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`; `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_discipline -- list queues
//! cargo run --release --example own_discipline -- run scenarios/quickstart.toml --set policy.queue=least-work
//! cargo run --release --example own_discipline -- compare scenarios/study.toml --vary policy.queue=fcfs,sjf,least-work
//! ```
//!
//! The rule: the job with the least work is considered first, its work being its processors times
//! the time it is taken to run, in whole units of `grain`. Jobs of equal work keep their order, so
//! the coarser the grain, the nearer this is to smallest job first. As under every order,
//! backfilling may let others pass.

use std::process::ExitCode;

use clustersim::batch::queue::Discipline;
use clustersim::cli;
use clustersim::kernel::SimDuration;
use clustersim::registry::{Bounds, Entry, Key, Kind, Registry};
use clustersim::system::standard;
use clustersim::workload::Job;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the discipline.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn Discipline>("queue", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the discipline.
const ENTRY: Entry<dyn Discipline> = Entry {
    name: "least-work",
    about: "least work first: processors times the time a job is taken to run",
    source: "",
    keys: &[Key::new("grain", Kind::Duration(Bounds::Positive))
        .or("1s")
        .about("the unit to which the time is rounded up")],
    build: |params| Ok(Box::new(LeastWork { grain: params.read("grain")? })),
};

#[derive(Debug)]
struct LeastWork {
    grain: SimDuration,
}

impl Discipline for LeastWork {
    /// The key of a job: lesser keys first, equal ones in order of submission.
    fn key(&self, job: &Job) -> u64 {
        let units = job.estimate.as_nanos().div_ceil(self.grain.as_nanos());
        units.saturating_mul(u64::from(job.procs))
    }
}
