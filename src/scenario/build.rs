//! From a checked scenario to a run: jobs, machine, policy, and what comes out.

use std::sync::Arc;

use crate::frontend::{allocation, backfill, queue};
use crate::instrument::metrics::Metric;
use crate::kernel::rng::Streams;
use crate::kernel::{SimError, Simulation};
use crate::policy::{self, Outcomes, Policy, Setting, Watch, simulate_watched};
use crate::registry::Registry;
use crate::scenario::check::{Rejected, Scenario};
use crate::scenario::expect::Broken;
use crate::workload::source::{Loaded, Request, Source};
use crate::workload::{distribution, randomization, source};

/// Every component that comes with the simulator. A user's own crate adds its entries to it.
pub fn standard() -> Registry {
    let mut registry = Registry::new();
    registry
        .table(allocation::table())
        .table(backfill::table())
        .table(distribution::table())
        .table(policy::table())
        .table(queue::table())
        .table(randomization::table())
        .table(source::table());
    registry
}

/// A run that is ready to begin.
#[derive(Debug)]
pub struct Experiment {
    /// The jobs and where they come from.
    pub loaded: Loaded,
    policy: Box<dyn Policy>,
    setting: Setting,
    streams: Streams,
}

/// A run that is over.
#[derive(Debug)]
pub struct Finished {
    /// What became of every job.
    pub outcomes: Outcomes,
    /// The metrics, in the order in which they are shown.
    pub metrics: Vec<Metric>,
    /// What outputs call the workload.
    pub workload: String,
    /// Whether a random number was drawn, for the jobs or by the policy: if not, every replication is this run.
    pub drew: bool,
}

/// The source of a scenario's jobs; nothing is read yet.
///
/// # Errors
/// Values of the workload that contradict each other.
pub fn workload(registry: &Registry, scenario: &Scenario) -> Result<Box<dyn Source>, Box<Rejected>> {
    scenario
        .params(registry)
        .component("workload", "workload")
        .map_err(|complaint| scenario.reject(complaint))
}

/// Reads or draws the jobs of `source`, and makes the policy ready.
///
/// # Errors
/// What is wrong with the input, at its place.
pub fn build(
    registry: &Registry,
    scenario: &Scenario,
    source: &dyn Source,
) -> Result<Experiment, Box<Rejected>> {
    let streams = Streams::new(scenario.seed, scenario.replication);
    let policy = scenario.params(registry).component("policy", "policy");
    let policy = policy.map_err(|complaint| scenario.reject(complaint))?;
    let request = Request { procs: scenario.procs, streams };
    let loaded = source.load(&request).map_err(|complaint| scenario.reject(complaint))?;
    let setting = Setting { procs: loaded.procs, until: scenario.until, warm_up: scenario.warm_up };
    Ok(Experiment { loaded, policy, setting, streams })
}

impl Experiment {
    /// Runs it. Watching changes nothing in the results.
    ///
    /// # Errors
    /// A deadlock, an unlawful start, or time past its end.
    pub fn run(self, watch: Option<Watch>) -> Result<Finished, SimError> {
        let simulation = Simulation::with_streams(self.streams);
        let Loaded { jobs, name, drew, .. } = self.loaded;
        let outcomes = simulate_watched(Arc::new(jobs), self.setting, self.policy, simulation, watch)?;
        let metrics = outcomes.run().metrics();
        let drew = drew || outcomes.drew;
        Ok(Finished { outcomes, metrics, workload: name, drew })
    }
}

impl Finished {
    /// The expectations of `scenario` that the metrics break.
    pub fn broken(&self, scenario: &Scenario) -> Vec<Broken> {
        scenario.expectations.iter().filter_map(|expected| expected.broken_by(&self.metrics)).collect()
    }
}
