//! A forecaster of one's own, with the whole command line around it. It serves wherever something
//! is forecast: global computing, task graphs and parameter sweeps.
//!
//! In a crate of your own this file is `src/main.rs`, and `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_forecaster -- list forecasters
//! cargo run --release --example own_forecaster -- run scenarios/global-computing.toml --set 'predictor={ kind = "battery", forecasters = ["last", { kind = "seasonal", period = 24 }] }'
//! ```
//!
//! The rule: what it was a period ago, as by the day before.

use std::collections::VecDeque;
use std::process::ExitCode;

use clustersim::cli;
use clustersim::forecast::Forecaster;
use clustersim::registry::{Entry, Key, Kind, Registry};
use clustersim::system::standard;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the forecaster.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn Forecaster>("forecaster", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the forecaster.
const ENTRY: Entry<dyn Forecaster> = Entry {
    name: "seasonal",
    about: "what it was a period ago",
    source: "",
    keys: &[Key::new("period", Kind::Count { least: 1, most: 1 << 20 })
        .or_count(24)
        .about("the values of a period")],
    build: |params| {
        Ok(Box::new(Seasonal { period: params.read::<u64>("period")? as usize, last: VecDeque::new() }))
    },
};

#[derive(Clone, Debug)]
struct Seasonal {
    period: usize,
    /// The values of the last period, the oldest first.
    last: VecDeque<f64>,
}

impl Forecaster for Seasonal {
    fn add(&mut self, value: f64) {
        if self.last.len() == self.period {
            self.last.pop_front();
        }
        self.last.push_back(value);
    }

    fn next(&self) -> Option<f64> {
        self.last.front().copied().filter(|_| self.last.len() == self.period)
    }
}
