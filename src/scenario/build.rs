//! From a checked scenario to a run: jobs, machine, policy, and what comes out.

use std::sync::Arc;

use crate::frontend::{allocation, backfill, queue};
use crate::instrument::metrics::Metric;
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimError, SimTime, Simulation, now, observe, spawn_observer};
use crate::policy::{self, Outcomes, Policy, Setting, simulate};
use crate::registry::Registry;
use crate::scenario::check::{Rejected, Scenario};
use crate::scenario::expect::Broken;
use crate::workload::source::{Loaded, Request, Source};
use crate::workload::{Job, distribution, source};

/// Every component that comes with the simulator. A user's own crate adds its entries to it.
pub fn standard() -> Registry {
    let mut registry = Registry::new();
    registry
        .table(allocation::table())
        .table(backfill::table())
        .table(distribution::table())
        .table(policy::table())
        .table(queue::table())
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
}

/// Who is told how far a run is: the instant it has reached. It is called at most some thousand times.
pub type Watch = Box<dyn Fn(SimTime)>;

/// How many times a run tells how far it is, over the span of its submissions.
const REPORTS: u64 = 2000;

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
    let streams = Streams::new(scenario.seed, 0);
    let policy = scenario.params(registry).component("policy", "policy");
    let policy = policy.map_err(|complaint| scenario.reject(complaint))?;
    let request = Request { procs: scenario.procs, streams };
    let loaded = source.load(&request).map_err(|complaint| scenario.reject(complaint))?;
    let setting = Setting { procs: loaded.procs, until: scenario.until, warm_up: scenario.warm_up };
    Ok(Experiment { loaded, policy, setting, streams })
}

impl Experiment {
    /// When the last job is submitted: how far a run goes at least, unless it is stopped.
    pub fn last_submit(&self) -> SimTime {
        self.loaded.jobs.last().map_or(SimTime::ZERO, |job: &Job| job.submit_time)
    }

    /// Runs it. Watching changes nothing in the results.
    ///
    /// # Errors
    /// A deadlock, an unlawful start, or time past its end.
    pub fn run(self, watch: Option<Watch>) -> Result<Finished, SimError> {
        let simulation = Simulation::with_streams(self.streams);
        if let Some(watch) = watch {
            let period =
                SimDuration::from_nanos((self.last_submit().as_nanos() / REPORTS).max(1_000_000_000));
            simulation.enter(|| {
                spawn_observer("progress", async move {
                    loop {
                        observe(period).await;
                        watch(now());
                    }
                })
            });
        }
        let Loaded { jobs, name, .. } = self.loaded;
        let outcomes = simulate(Arc::new(jobs), self.setting, self.policy, simulation)?;
        let metrics = outcomes.run().metrics();
        Ok(Finished { outcomes, metrics, workload: name })
    }
}

impl Finished {
    /// The expectations of `scenario` that the metrics break.
    pub fn broken(&self, scenario: &Scenario) -> Vec<Broken> {
        scenario.expectations.iter().filter_map(|expected| expected.broken_by(&self.metrics)).collect()
    }
}
