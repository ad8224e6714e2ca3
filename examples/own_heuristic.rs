//! A heuristic of one's own for parameter sweeps, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`, and `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_heuristic -- list heuristics
//! cargo run --release --example own_heuristic -- run scenarios/parameter-sweep.toml --set scheduler.heuristic=bulky-first
//! cargo run --release --example own_heuristic -- run scenarios/parameter-sweep.toml --set scheduler.heuristic=bulky-first --explain 7
//! cargo run --release --example own_heuristic -- compare scenarios/parameter-sweep.toml --vary scheduler.heuristic=xsufferage,bulky-first
//! ```
//!
//! The rule: tasks that read `large` bytes or more go first, those that read most before others. Of
//! equal tasks, and of all that read less, the one is next that would lose most on its second-best
//! cluster, as by `xsufferage`.

use std::process::ExitCode;

use clustersim::cli;
use clustersim::registry::{Entry, Key, Kind, Registry};
use clustersim::sweep::completion::Completions;
use clustersim::sweep::heuristic::{Heuristic, Rank};
use clustersim::system::standard;
use clustersim::units::Bytes;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the heuristic.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn Heuristic>("heuristic", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the heuristic.
const ENTRY: Entry<dyn Heuristic> = Entry {
    name: "bulky-first",
    about: "the task that reads most, if that is much, else the one that loses most on its second-best cluster",
    source: "",
    keys: &[Key::new("large", Kind::Bytes).or("1MB").about("how much a task reads that goes first")],
    build: |params| Ok(Box::new(BulkyFirst { large: params.read::<Bytes>("large")? })),
};

#[derive(Debug)]
struct BulkyFirst {
    large: Bytes,
}

impl Heuristic for BulkyFirst {
    fn rank(&self, completions: &Completions<'_>) -> Rank {
        let known = completions.known();
        let bytes: u64 = known.inputs(completions.task).iter().map(|file| known.bytes(*file)).sum();
        let bulk = if bytes >= self.large.get() { bytes } else { 0 };
        let best = completions.best().completion;
        let lost = completions.second_cluster().map_or(0, |second| second - best);
        Rank(bulk as f64, lost as f64)
    }
}
