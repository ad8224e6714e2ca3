//! A prediction of one's own for task graphs, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`, and `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_prediction -- list predictions
//! cargo run --release --example own_prediction -- run scenarios/task-graph.toml --set prediction=learning
//! cargo run --release --example own_prediction -- compare scenarios/task-graph.toml --vary prediction.bias=0%,50%,200%
//! ```
//!
//! The prediction: at first every task seems to take longer than it does, by `bias`; whenever a
//! plan is made again, half of that is gone. Transfers are known.

use std::process::ExitCode;

use clustersim::cli;
use clustersim::dag::graph::Graph;
use clustersim::dag::grid::Grid;
use clustersim::dag::prediction::{Knowledge, Prediction, PredictionQuestion};
use clustersim::dag::predictions::PredictionKind;
use clustersim::kernel::rng::Streams;
use clustersim::registry::{Bounds, Entry, Key, Kind, Registry};
use clustersim::system::standard;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the prediction.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn PredictionKind>("prediction", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the prediction.
const ENTRY: Entry<dyn PredictionKind> = Entry {
    name: "learning",
    about: "tasks seem longer than they are, by less with every plan",
    source: "",
    keys: &[Key::new("bias", Kind::Share(Bounds::NotNegative))
        .or("50%")
        .about("by how much a task seems longer in the first plan, as a share of what it takes")],
    build: |params| Ok(Box::new(Learning { bias: params.read("bias")? })),
};

#[derive(Debug)]
struct Learning {
    bias: f64,
}

impl PredictionKind for Learning {
    fn prediction(&self, _: &Streams, _: &Grid, _: &Graph) -> Prediction {
        let bias = self.bias;
        Prediction::by(Knowledge::Perfect, move |question, plans_before| match question {
            PredictionQuestion::Execution(..) => 1.0 + bias / (1_u64 << plans_before.min(50)) as f64,
            PredictionQuestion::Transfer(..) => 1.0,
        })
    }
}
