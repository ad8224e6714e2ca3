//! A rule of one's own for when a parameter sweep is planned again, with the whole command line
//! around it.
//!
//! In a crate of your own this file is `src/main.rs`, and `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_interval -- list intervals
//! cargo run --release --example own_interval -- run scenarios/parameter-sweep.toml --set scheduler.interval=doubling
//! cargo run --release --example own_interval -- compare scenarios/parameter-sweep.toml --vary scheduler.interval=s2,doubling
//! ```
//!
//! The rule: the time to the next plan doubles while every sub-task runs that was predicted to.
//! Once one does not, it is `first` again.

use std::process::ExitCode;

use clustersim::cli;
use clustersim::kernel::SimDuration;
use clustersim::registry::{Bounds, Entry, Key, Kind, Registry};
use clustersim::sweep::interval::{BeforeFirstPlan, EventInterval, ExpectedRun};
use clustersim::system::standard;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the rule.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn EventInterval>("interval", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the rule.
const ENTRY: Entry<dyn EventInterval> = Entry {
    name: "doubling",
    about: "twice the last time while all predictions are right, else the first",
    source: "",
    keys: &[Key::new("first", Kind::Duration(Bounds::Within(1.0, 1e6)))
        .or("30s")
        .about("the time to the second plan, and after each prediction that was wrong")],
    build: |params| Ok(Box::new(Doubling { first: params.read("first")? })),
};

#[derive(Debug)]
struct Doubling {
    first: SimDuration,
}

impl EventInterval for Doubling {
    fn first(&mut self, _: &BeforeFirstPlan) -> SimDuration {
        self.first
    }

    fn next(&mut self, last: SimDuration, expected: &[ExpectedRun]) -> SimDuration {
        let all_right = expected.iter().all(|run| run.is_right);
        if all_right { last.saturating_add(last) } else { self.first }
    }
}
