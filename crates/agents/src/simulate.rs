//! A run of agents, and what comes out of it.
//!
//! `FAMILIES` defines the metrics, `FLOW_FAMILIES` those of given flows,
//! which count as transfers too.

use std::rc::Rc;
use std::sync::Arc;

use crate::kernel::{Digest, SimError, SimTime, Simulation};
use crate::measure::family::{Family, families};
use crate::measure::metric::{Metric, Value};
use crate::platform::network::Network;
use crate::platform::sharing::OutOfRange;
use crate::platform::{HostId, HostObserver, Platform, watch_hosts};

use super::World;
use super::flows::{FlowOutcome, GivenFlows, flow_metrics};
use super::life::{Neighbourhood, deploy};
use super::log::{Completed, Failure, Log};
use super::record::Records;
use super::runtime::Runtime;

/// All metrics of agents are of the whole run.
const WHOLE_RUN: &str = "the whole run";

/// The metrics of a run of agents, in the order in which they are shown.
pub const FAMILIES: [Family; 9] = families! {
    "makespan" ["s"] Lower, WHOLE_RUN =>
        "when the last task was computed or sent, from the beginning of the run";
    "tasks.completed" [] Higher, WHOLE_RUN => "tasks that were computed";
    "throughput" ["1/s"] Higher, WHOLE_RUN => "`tasks.completed` / `makespan`";
    "transfers.completed" [] None, WHOLE_RUN => "transfers that arrived";
    "transfers.failed" [] Lower, WHOLE_RUN => "transfers that were broken off or met a link that failed";
    "bytes.transferred" ["B"] None, WHOLE_RUN => "sizes of the transfers that arrived, added up";
    "host-utilization.mean" [share] None, WHOLE_RUN =>
        "time of cores spent on tasks, work that was lost included / (all cores x `makespan`, or the time until a core was \
         in use last, if that is later: where a run is stopped, or work is lost)";
    "agents.created" [] None, WHOLE_RUN => "agents, those that never began included";
    "agents.failed" [] Lower, WHOLE_RUN => "agents that were killed, ended with an error, or never began";
};

/// Outcomes of a run.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// Instant at which it ended.
    pub ended_at: SimTime,
    /// True if it was stopped before all agents had ended.
    pub stopped: bool,
    /// Resumptions of processes.
    pub events: u64,
    /// Hash over them.
    pub digest: Digest,
    /// True if a random stream was asked for.
    pub drew: bool,
    /// Names of agents, by number.
    pub agents: Vec<String>,
    /// Tasks that were computed, in order, if they were to be listed.
    pub completed: Vec<Completed>,
    /// Number of tasks computed.
    pub tasks: u64,
    /// Number of transfers that arrived.
    pub transfers: u64,
    /// Sum of the sizes of the transfers that arrived.
    pub transferred: f64,
    /// Sizes of all transfers that were started.
    pub departed: f64,
    /// Transfers that did not arrive.
    pub lost_transfers: u64,
    /// Instant at which the last task was computed or sent.
    pub makespan: SimTime,
    /// Instant at which a core was in use last: after the makespan where a run is stopped or work
    /// is lost.
    pub used_until: SimTime,
    /// Agents that failed or were killed, or whose host did not work when they should have begun,
    /// in order.
    pub failures: Vec<Failure>,
    /// The given flows, in the order of their list.
    pub flows: Vec<FlowOutcome>,
    /// Every operation, if they were to be kept.
    pub records: Records,
    /// Of each host, the work it did in the unit of speeds, and its seconds of cores.
    pub computed: Vec<(f64, f64)>,
    platform: Arc<Platform>,
}

/// Runs a world: until all agents have ended, or to the end of the instant `until`.
///
/// # Errors
/// [`SimError::Deadlock`], which names every agent that waits, and the hosts that had failed
/// before; [`SimError::Livelock`] and [`SimError::TimeOverflow`] of programs that make them; links
/// that the network model cannot have, and deployments on hosts that are not there.
pub fn simulate(
    world: World,
    mut simulation: Simulation,
    until: Option<SimTime>,
) -> Result<Outcomes, SimError> {
    let (runtime, flows) = simulation.enter(|| set_up(world))?;
    let outcome = simulation.run_until(until.unwrap_or(SimTime::MAX)).map_err(|error| match error {
        SimError::Deadlock { at, blocked, .. } => {
            let failures = runtime.log.failures.take();
            let ended = |Failure { agent, host, at, error }: &Failure| {
                let host = runtime.host_name(*host);
                let why = error.as_ref().map_or("it was killed".to_owned(), ToString::to_string);
                format!("before, `{agent}` on host `{host}` had ended at {at}: {why}")
            };
            SimError::Deadlock { at, blocked, before: failures.iter().map(ended).collect() }
        }
        error => error,
    })?;
    runtime.over.set(true);
    let stopped = runtime.has_agents() || flows.has_open();
    let hosts = 0..runtime.platform.hosts().len() as u32;
    let (computed, used_until) = simulation.enter(|| {
        let processors = &runtime.processors;
        let computed = |host| (processors.work_done(host), processors.busy(host));
        let hosts = hosts.map(HostId::new);
        (hosts.clone().map(computed).collect(), hosts.map(|host| processors.used_until(host)).max())
    });
    let drew = simulation.streamed();
    // agents that are left are dropped while the run is over, so that none is counted as killed
    drop(simulation);
    let log = &runtime.log;
    Ok(Outcomes {
        ended_at: outcome.ended_at,
        stopped,
        events: outcome.events,
        digest: outcome.digest,
        drew,
        agents: runtime.names(),
        completed: log.completed.take(),
        tasks: log.tasks.get(),
        transfers: log.transfers.get(),
        transferred: log.arrived.get(),
        departed: log.sent.get(),
        lost_transfers: log.lost.get(),
        makespan: log.last_work.get(),
        used_until: used_until.unwrap_or_default(),
        failures: log.failures.take(),
        flows: flows.outcomes(),
        records: log.records.take(),
        computed,
        platform: Arc::clone(&runtime.platform),
    })
}

/// A deployment on a host that the platform does not have, or a flow from or to one.
#[derive(Debug, thiserror::Error)]
enum NoHost {
    #[error("agent `{0}` is deployed on a host that the platform does not have")]
    Agent(String),
    #[error("flow `{0}` has a host that the platform does not have")]
    Flow(String),
}

/// Begins network, hosts, agents and flows; inside the simulation.
fn set_up(world: World) -> Result<(Rc<Runtime>, Rc<GivenFlows>), SimError> {
    let World { platform, transport, deployments, traffic, flows, recording } = world;
    let refused = |error: Box<dyn std::error::Error + Send + Sync>| SimError::Model {
        process: "network".into(),
        at: SimTime::ZERO,
        error,
    };
    let network =
        Network::begin(&platform, &*transport).map_err(|wrong: OutOfRange| refused(wrong.into()))?;
    let homeless = deployments.iter().find(|agent| agent.host.index() >= platform.hosts().len());
    if let Some(deployment) = homeless {
        let agent = deployment.name.clone().into_owned();
        return Err(refused(NoHost::Agent(agent).into()));
    }
    let is_there = |host: HostId| host.index() < platform.hosts().len();
    if let Some(flow) = flows.iter().find(|flow| !is_there(flow.from) || !is_there(flow.to)) {
        return Err(refused(NoHost::Flow(flow.name.clone()).into()));
    }
    let runtime = Rc::new(Runtime::new(network, Log::new(recording)));
    let flows = GivenFlows::new(&runtime, flows);
    let news: Rc<dyn HostObserver> =
        Rc::new(Neighbourhood { runtime: Rc::clone(&runtime), flows: Rc::clone(&flows) });
    runtime.watch_by(watch_hosts(&runtime.processors, &news));
    for deployment in deployments {
        deploy(&runtime, deployment);
    }
    flows.begin();
    for traffic in traffic {
        traffic.begin(&runtime.network);
    }
    Ok((runtime, flows))
}

impl Outcomes {
    /// The seconds of which a core was in use some: to the makespan, or as long as one was.
    pub(super) fn busy_span(&self) -> f64 {
        self.makespan.max(self.used_until).as_secs_f64()
    }

    /// All metrics, in the order in which they are shown.
    pub fn metrics(&self) -> Vec<Metric> {
        let makespan = self.makespan.as_secs_f64();
        let per_time =
            |amount: f64| if makespan > 0.0 { Value::Real(amount / makespan) } else { Value::Nothing };
        let cores: f64 = self.platform.hosts().iter().map(|host| f64::from(host.cores)).sum();
        let busy: f64 = self.computed.iter().map(|&(_, busy)| busy).sum();
        let whole = cores * self.busy_span();
        let utilization = if whole > 0.0 { Value::Real(busy / whole) } else { Value::Nothing };
        let values = [
            Value::Real(makespan),
            Value::Count(self.tasks),
            per_time(self.tasks as f64),
            Value::Count(self.transfers),
            Value::Count(self.lost_transfers),
            Value::Real(self.transferred),
            utilization,
            Value::Count(self.agents.len() as u64),
            Value::Count(self.failures.len() as u64),
        ];
        let mut metrics: Vec<Metric> =
            FAMILIES.iter().zip(values).map(|(family, value)| family.metric(value)).collect();
        if !self.flows.is_empty() {
            metrics.extend(flow_metrics(&self.flows));
        }
        metrics
    }

    /// The same metrics, of no run.
    pub fn metrics_of_nothing() -> Vec<Metric> {
        FAMILIES.iter().map(|family| family.metric(Value::Nothing)).collect()
    }

    /// The platform of the run.
    pub fn platform(&self) -> &Platform {
        &self.platform
    }
}
