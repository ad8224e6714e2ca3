//! From a checked scenario of agents to a run, and what comes out of it.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use crate::collections::StableSort as _;
use crate::kernel::rng::Streams;
use crate::kernel::{SimError, SimTime};
use crate::measure::family::{Family, families};
use crate::measure::metric::{Metric, Value};
use crate::platform::described;
use crate::platform::network::{Transport, Unloaded};
use crate::registry::{Params, Registry};
use crate::role::steady_state::Optimum;
use crate::role::{Assignment, Role};
use crate::scenario::{Figures, Ready, Rejected, Scenario, Session};
use crate::system::deploy::{Settings, deploy};
use crate::system::{deployment, flows};
use crate::{Outcomes, World, simulate};

/// A run of agents that is ready to begin.
#[derive(Debug)]
pub struct Assembly {
    pub(super) world: World,
    streams: Streams,
    until: Option<SimTime>,
    /// Roles that may know the optimum of the steady state.
    single: Vec<(Rc<dyn Role>, Assignment)>,
    drew: bool,
}

/// A run of agents that is over.
#[derive(Debug)]
pub struct Ended {
    /// Outcomes of the run.
    pub outcomes: Outcomes,
    /// The figures of the run.
    pub figures: Figures,
}

/// Builds the platform, and makes the agents ready.
///
/// # Errors
/// What is wrong with the input, at its place.
pub(super) fn assemble(
    registry: &Registry,
    scenario: &Scenario,
    settings: Settings,
) -> Result<Ready, Box<Rejected>> {
    let params = scenario.params(registry);
    let streams = scenario.streams();
    let section = params.section("platform");
    let described =
        described::read(&section, &streams).map_err(|complaints| scenario.reject_all(complaints))?;
    let drawn = described.drawn;
    let network: Box<dyn Transport> =
        section.component("network", "network").map_err(|complaint| scenario.reject(complaint))?;
    let traffic = described::traffic(&section, &described.platform)
        .map_err(|complaints| scenario.reject_all(complaints))?;
    let deployed = deploy(&params, scenario.sources(), &described.platform, streams, settings);
    let flows = flows::read(&params, scenario.sources(), &described.platform, &*network);
    let (deployed, flows) = match (deployed, flows) {
        (Ok(deployed), Ok(flows)) => (deployed, flows),
        (deployed, flows) => {
            let complaints = [deployed.err(), flows.err()].into_iter().flatten().flatten();
            return Err(scenario.reject_all(complaints.collect()));
        }
    };
    let mut world = World::new(Arc::new(described.platform)).over(network).recording(settings.recording);
    deployed.deployments.into_iter().for_each(|deployment| world.deploy(deployment));
    let is_alone = traffic.is_empty() && flows.is_empty();
    let single = if is_alone { deployed.single } else { Vec::new() };
    flows.into_iter().for_each(|flow| world.flow(flow));
    traffic.into_iter().for_each(|traffic| world.traffic(traffic));
    let assembly = Assembly { world, streams, until: scenario.until, single, drew: drawn };
    Ok(Ready {
        run: Box::new(assembly),
        inputs: inputs(&params),
        notes: Vec::new(),
        warnings: described.warnings,
    })
}

/// The files that a scenario of agents reads: as they are named, and from where the program runs.
pub(super) fn inputs(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let mut inputs = described::inputs(&params.section("platform"));
    inputs.extend(deployment::input(params));
    inputs.extend(flows::input(params));
    inputs.stable_sort();
    inputs
}

impl Assembly {
    /// The optimum of the steady state, if exactly one role knows one.
    fn optimum(&self) -> Option<Optimum> {
        let (platform, transport) = (self.world.platform(), self.world.transport());
        let mut network = Unloaded::new(platform, transport).ok()?;
        let mut known =
            self.single.iter().filter_map(|(role, assignment)| role.optimum(assignment, &mut network));
        let first = known.next();
        if known.next().is_some() { None } else { first }
    }

    /// Runs it.
    ///
    /// # Errors
    /// A deadlock, or time past its end.
    pub fn run(self, session: &Session) -> Result<Ended, SimError> {
        let optimum = self.optimum();
        let outcomes = simulate(self.world, session.simulation(self.streams), self.until)?;
        let mut metrics = outcomes.metrics();
        metrics.extend(steady_state_metrics(&metrics, optimum));
        let figures = Figures::new(metrics, outcomes.digest, outcomes.events, self.drew || outcomes.drew);
        let figures = Figures { ended: Some(outcomes.ended_at), ..figures };
        Ok(Ended { outcomes, figures })
    }
}

/// The metrics of runs of which the optimum of the steady state is known.
pub(super) const FAMILIES: [Family; 3] = families! {
    "steady-state.throughput" ["1/s"] None, "the hosts of the workers, and routes from the master" =>
        "highest rate of tasks in the long run: each host does at most min(n / (c + w), k / w) with n workers, k \
         cores, c to send a task there and w to compute it; the master sends to one at a time, hosts of the \
         least c first",
        shown OPTIMUM,
        source "O. Beaumont, L. Carter, J. Ferrante, A. Legrand, Y. Robert, IPDPS 2002 (bandwidth-centric allocation)";
    "steady-state.share" [share] Higher, "the whole run" =>
        "`throughput` / `steady-state.throughput`", shown OPTIMUM;
    "steady-state.overlap" [share] None, "the hosts of the workers" =>
        "share of the hosts with more workers than cores: there receiving overlaps with computing",
        shown OPTIMUM;
};

const OPTIMUM: &str = "a role knows the optimum (`master`, with nothing but its workers on hosts and routes that do not change)";

/// The optimum of the steady state where it is known, the share of it that was reached, and on how
/// many hosts it has overlap.
pub(super) fn steady_state_metrics(metrics: &[Metric], optimum: Option<Optimum>) -> [Metric; 3] {
    let reached = metrics.iter().find(|metric| metric.name == "throughput").and_then(Metric::number);
    let share = reached.zip(optimum).map(|(reached, optimum)| reached / optimum.rate);
    let [of_rate, of_share, of_overlap] = FAMILIES;
    let value = |value: Option<f64>| value.map_or(Value::Nothing, Value::Real);
    [
        of_rate.metric(value(optimum.map(|optimum| optimum.rate))),
        of_share.metric(value(share)),
        of_overlap.metric(value(optimum.map(|optimum| optimum.overlap))),
    ]
}
