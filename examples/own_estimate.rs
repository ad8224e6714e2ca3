//! An estimate of one's own of links and hosts in parameter sweeps, with the whole command line
//! around it.
//!
//! In a crate of your own this file is `src/main.rs`, and `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_estimate -- list performance-estimates
//! cargo run --release --example own_estimate -- run scenarios/parameter-sweep.toml --set prediction=cautious
//! cargo run --release --example own_estimate -- compare scenarios/parameter-sweep.toml --vary prediction.values=1,10,100
//! ```
//!
//! The estimate: each link and host is predicted to be as bad as the worst of its last measured
//! values.

use std::process::ExitCode;

use clustersim::cli;
use clustersim::kernel::SimTime;
use clustersim::registry::{Entry, Key, Kind, Registry};
use clustersim::sweep::estimate::{EstimateQuestion, Estimator, Measurements, measured};
use clustersim::sweep::predictions::{PredictedValue, Predictions};
use clustersim::system::standard;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the estimate.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn Estimator>("performance-estimate", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the estimate.
const ENTRY: Entry<dyn Estimator> = Entry {
    name: "cautious",
    about: "each link and host as the worst of its last measured values",
    source: "",
    keys: &[
        measured::STEP,
        measured::DELAY,
        Key::new("values", Kind::Count { least: 1, most: 10_000 })
            .or_count(20)
            .about("how many of the last values are looked at"),
    ],
    build: |params| {
        let (measured, values) = (Measurements::read(params)?, params.read("values")?);
        Ok(Box::new(Cautious { measured, values }))
    },
};

#[derive(Debug)]
struct Cautious {
    measured: Measurements,
    values: u64,
}

impl Estimator for Cautious {
    fn predictions(&mut self, question: &EstimateQuestion<'_>) -> Predictions {
        let now = question.now;
        let least = |value: &dyn Fn(SimTime) -> f64| {
            let measured = self.measured.last(now, self.values).map(value);
            // before the first measured value is known, what is now
            measured.reduce(f64::min).unwrap_or_else(|| value(now))
        };
        let constant = PredictedValue::constant;
        question.predicted(
            |link| {
                let latency = -least(&|at| -question.measured_link(link, at).0);
                (constant(latency), constant(least(&|at| question.measured_link(link, at).1)))
            },
            |host| constant(least(&|at| question.measured_host(host, at))),
        )
    }
}
