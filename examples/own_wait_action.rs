//! A wait action of one's own, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`; `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_wait_action -- list wait-actions
//! cargo run --release --example own_wait_action -- run scenarios/coscheduling.toml --policy '{ kind = "coscheduling", scheme = { kind = "actions", wait = "attentive" } }'
//! cargo run --release --example own_wait_action -- explain policy.scheme.wait.patience
//! ```
//!
//! The rule: a task that waits spins for `threshold`. If no message at all has reached its node by
//! then, its partners hardly run, and it blocks; if one has, it goes on to spin for `patience` in
//! all. As with every wait action, the scheme may put any arrival action and any periodic action
//! beside it.

use std::process::ExitCode;

use clustersim::cli;
use clustersim::kernel::SimDuration;
use clustersim::node::os::wait::{Spinning, Step, WaitAction};
use clustersim::registry::{Bounds, Entry, Key, Kind, Registry};
use clustersim::system::standard;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the wait action.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn WaitAction>("wait-action", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the wait action.
const ENTRY: Entry<dyn WaitAction> = Entry {
    name: "attentive",
    about: "spin up to a threshold, longer if any message has reached the node, then block",
    source: "",
    keys: &[
        Key::new("threshold", Kind::Duration(Bounds::NotNegative))
            .or("200us")
            .about("processor time that a task spins while nothing reaches its node"),
        Key::new("patience", Kind::Duration(Bounds::NotNegative))
            .or("1ms")
            .about("processor time that it spins in all if something does"),
    ],
    build: |params| {
        let (threshold, patience) = (params.read("threshold")?, params.read("patience")?);
        if patience < threshold {
            let complaint = params.complaint("patience", "`patience` is less than `threshold`");
            return Err(complaint.label("would make a task block sooner when messages come"));
        }
        Ok(Box::new(Attentive { threshold, patience }))
    },
};

#[derive(Debug)]
struct Attentive {
    threshold: SimDuration,
    patience: SimDuration,
}

impl WaitAction for Attentive {
    fn step(&self, wait: &Spinning) -> Step {
        let limit = if wait.arrivals == 0 { self.threshold } else { self.patience };
        match limit.saturating_sub(wait.spun) {
            SimDuration::ZERO => Step::Block,
            left => Step::SpinFor(left),
        }
    }
}
