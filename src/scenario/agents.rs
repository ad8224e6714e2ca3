//! From a checked scenario of agents to a run, and what comes out of it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::agent::{Outcomes, Verbosity, World, simulate};
use crate::instrument::family::{Aim, Family};
use crate::instrument::metrics::{Metric, Value};
use crate::kernel::rng::Streams;
use crate::kernel::{SimError, SimTime, Simulation};
use crate::platform::network::Transport;
use crate::registry::{Params, Registry};
use crate::scenario::agents_side::{Agents, deploy};
use crate::scenario::check::{Rejected, Scenario};
use crate::scenario::deployment;
use crate::scenario::platform;
use crate::scenario::ready::{Figures, Ready, Run};

/// A run of agents that is ready to begin.
#[derive(Debug)]
pub struct Assembly {
    world: World,
    streams: Streams,
    until: Option<SimTime>,
    best_rate: Option<f64>,
    drew: bool,
}

/// A run of agents that is over.
#[derive(Debug)]
pub struct Ended {
    /// What came out of it.
    pub outcomes: Outcomes,
    /// The metrics, in the order in which they are shown.
    pub metrics: Vec<Metric>,
    /// Whether a random number was drawn, for the platform or by an agent.
    pub drew: bool,
}

/// Builds the platform, and makes the agents ready.
///
/// # Errors
/// What is wrong with the input, at its place.
pub(super) fn assemble(
    registry: &Registry,
    scenario: &Scenario,
    agents: Agents,
) -> Result<Ready, Box<Rejected>> {
    let params = scenario.params(registry);
    let streams = Streams::new(scenario.seed, scenario.replication);
    let section = params.section("platform");
    let described =
        platform::read(&section, &streams).map_err(|complaints| scenario.reject_all(complaints))?;
    let drawn = section.has("random") || section.has("perturb");
    let network: Box<dyn Transport> =
        section.component("network", "network").map_err(|complaint| scenario.reject(complaint))?;
    let traffic = platform::traffic(&section, &described.platform)
        .map_err(|complaints| scenario.reject_all(complaints))?;
    let deployed = deploy(&params, scenario.sources(), &described.platform, streams)
        .map_err(|complaints| scenario.reject_all(complaints))?;
    let mut world = World::new(Arc::new(described.platform)).over(network).recording(agents.recording);
    deployed.deployments.into_iter().for_each(|deployment| world.deploy(deployment));
    traffic.into_iter().for_each(|traffic| world.traffic(traffic));
    let best_rate = deployed.best_rate;
    let assembly = Assembly { world, streams, until: scenario.until, best_rate, drew: drawn };
    let (run, inputs) = (Run::Agents(Box::new(assembly)), inputs(&params));
    Ok(Ready { run, inputs, warnings: described.warnings })
}

/// The files that a scenario of agents reads: as they are named, and from where the program runs.
pub(super) fn inputs(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let mut inputs = platform::inputs(&params.section("platform"));
    inputs.extend(deployment::input(params));
    inputs.sort();
    inputs
}

impl Assembly {
    /// Chooses what is told while it runs.
    #[must_use]
    pub fn telling(self, verbosity: Verbosity) -> Self {
        Assembly { world: self.world.telling(verbosity), ..self }
    }

    /// Runs it.
    ///
    /// # Errors
    /// A deadlock, or time past its end.
    pub fn run(self) -> Result<Ended, SimError> {
        let outcomes = simulate(self.world, Simulation::with_streams(self.streams), self.until)?;
        let mut metrics = outcomes.metrics();
        metrics.extend(against_the_best(&metrics, self.best_rate));
        let drew = self.drew || outcomes.drew;
        Ok(Ended { outcomes, metrics, drew })
    }
}

/// The metrics of runs of which the best rate is known.
pub(super) const FAMILIES: [Family; 2] = [
    Family::new(
        "steady-state.throughput",
        "1/s",
        Aim::None,
        "highest rate of tasks in the long run, from the speeds and routes of the workers: a master serves the workers of \
         the least transfer time first, as far as its port allows",
        "the platform at its start",
    )
    .shown(BEST_RATE)
    .source("O. Beaumont, L. Carter, J. Ferrante, A. Legrand, Y. Robert, IPDPS 2002 (bandwidth-centric allocation)"),
    Family::new(
        "steady-state.share",
        "",
        Aim::Higher,
        "`throughput` / `steady-state.throughput`",
        "the whole run",
    )
    .shown(BEST_RATE),
];

const BEST_RATE: &str = "a role knows the best rate (`master`)";

/// The best rate that is known, and the share of it that was reached.
pub(super) fn against_the_best(metrics: &[Metric], best: Option<f64>) -> [Metric; 2] {
    let reached = metrics.iter().find(|metric| metric.name == "throughput").and_then(Metric::number);
    let share = reached.zip(best).map(|(reached, best)| reached / best);
    let [of_best, of_share] = FAMILIES;
    let value = |value: Option<f64>| value.map_or(Value::Nothing, Value::Real);
    [of_best.metric(value(best)), of_share.metric(value(share))]
}

impl Ended {
    /// What every run tells.
    pub fn figures(&self) -> Figures<'_> {
        Figures {
            metrics: &self.metrics,
            classes: &[],
            digest: self.outcomes.digest,
            events: self.outcomes.events,
            drew: self.drew,
            cut: None,
            half_widths: &[],
            warnings: Vec::new(),
            notes: Vec::new(),
        }
    }
}
