//! Judging a finished run of global computing by its files, and by the servers and queues of its scenario.

use crate::broker::environment::QueueLayout as _;
use crate::broker::info::{ClientNumber, Path, PathDirection, ServerNumber};
use crate::broker::outages::ServerFailures;
use crate::broker::scheduler::SchedulerTerms;
use crate::broker::station::{Discipline, Rate};
use crate::check::{
    BrokerFacts, BrokerFiles, DescribedStation, JudgedStation, QueueRoutes, StationFacts, WholeRun,
    judge_brokers,
};
use crate::collections::OrderedMap;
use crate::forecast::ForecastSettings;
use crate::kernel::{SimDuration, SimTime};
use crate::output::number::grouped;
use crate::registry::{Complaint, code};
use crate::scenario::{Checked, Rejected, RunDirectory};
use crate::system::brokers::assembly::{ScenarioEnvironment, Settings, environment};
use crate::system::brokers::network::Notes;
use crate::system::brokers::servers::DescribedServer;

pub(super) fn judge(run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
    let refused = |why: String| {
        let message = format!("the run in {} cannot be checked: {why}", run.place.display());
        run.reject(Complaint::nowhere(code::MANIFEST, message))
    };
    let text = |name| run.has(name).then(|| run.text(name)).transpose();
    let (tasks, attempts, packets) = (text("tasks.csv")?, text("attempts.csv")?, text("packets.csv")?);
    let (measurements, forecasts) = (text("measurements.csv")?, text("forecasts.csv")?);
    let decisions = text("decisions.csv")?;
    let summary = run.json("summary.json")?;
    run.has_its_inputs().map_err(&refused)?;
    let params = run.scenario.params(run.registry);
    let settings = *run.scenario.own::<Settings>().expect("what the system read of its scenario");
    let reject = |complaint| run.scenario.reject(complaint);
    let terms = SchedulerTerms::read(&params.section("scheduler")).map_err(reject)?;
    let predictor = params.section("predictor");
    let is_battery = predictor.read::<String>("kind").is_ok_and(|kind| kind == "battery");
    let battery = is_battery.then(|| ForecastSettings::read(&predictor)).transpose().map_err(reject)?;
    let metrics = &summary["metrics"];
    let (server_file, queue_file) = (text("servers.csv")?, text("queues.csv")?);
    let (jobs, forecasters, believed) = (text("jobs.csv")?, text("forecasters.csv")?, text("believed.csv")?);
    let facts =
        Facts::new(environment(run.scenario, &params, &settings, &mut Notes::default())?, class_counts(run));
    let (servers, routes) = (facts.described(), facts.routes());
    let whole = WholeRun {
        summary: &summary,
        manifest: run.manifest,
        named: (&run.scenario.title, run.scenario.seed),
        until: run.scenario.until,
        has_regret: settings.kept.regret,
        servers: &servers,
        routes: &routes,
        server_file: server_file.as_deref(),
        queue_file: queue_file.as_deref(),
        jobs: jobs.as_deref(),
        forecasters: forecasters.as_deref(),
        believed: believed.as_deref(),
        has_agreement: run.has("agreement.csv"),
    };
    let monitor = params.section("monitor");
    let files = BrokerFiles {
        tasks: tasks.as_deref(),
        attempts: attempts.as_deref(),
        measurements: measurements.as_deref(),
        forecasts: forecasts.as_deref(),
        packets: packets.as_deref(),
        decisions: decisions.as_deref(),
        whole: Some(&whole),
        metrics: metrics.is_object().then_some(metrics),
        warm_up: settings.observed_from(),
        fallbacks: terms.fallbacks.into(),
        has_copies: terms.wanted > 1,
        has_drift: monitor.has("server") && monitor.section("server").has("drift"),
        battery: battery.as_ref(),
    };
    let promises = judge_brokers(&files, &facts).map_err(refused)?;
    let about = format!(
        "{} of {} tasks",
        grouped(metrics["tasks.completed"]["value"].as_u64().unwrap_or(0)),
        grouped(run.manifest["counters"]["tasks"].as_u64().unwrap_or(0)),
    );
    Ok(Checked { about, promises })
}

/// How many classes each client has, by name.
fn class_counts(run: &RunDirectory<'_>) -> OrderedMap<String, usize> {
    let params = run.scenario.params(run.registry);
    let mut counts = OrderedMap::new();
    for node in params.items("client") {
        let table = params.with(node);
        let names = super::named::names(&table).unwrap_or_default();
        counts.extend(names.into_iter().map(|name| (name, table.items("class").len())));
    }
    counts
}

/// The environment of the scenario.
struct Facts {
    environment: ScenarioEnvironment,
    rates: Vec<Rate>,
    classes: OrderedMap<String, usize>,
    servers: OrderedMap<String, usize>,
    queues: OrderedMap<String, usize>,
}

impl Facts {
    fn new(environment: ScenarioEnvironment, classes: OrderedMap<String, usize>) -> Self {
        let all = &environment.servers.servers;
        let servers = all.iter().map(|server| server.name.clone()).zip(0..).collect();
        let rates = all.iter().map(DescribedServer::rate).collect();
        let queues = environment.network.names().zip(0..).collect();
        Facts { environment, rates, classes, servers, queues }
    }
}

/// Pairs of clients and servers whose routes are looked up.
const MOST_PAIRS: usize = 100_000;

impl Facts {
    /// The servers as they are described.
    fn described(&self) -> Vec<DescribedStation> {
        let describe = |server: &DescribedServer| DescribedStation {
            name: server.name.clone(),
            performance: server.performance,
            price: server.price,
        };
        self.environment.servers.servers.iter().map(describe).collect()
    }

    /// The queues of the route between each client and each server, unless there are too many pairs.
    fn routes(&self) -> OrderedMap<(String, String), QueueRoutes> {
        let mut routes = OrderedMap::new();
        if self.environment.network.pairs() > MOST_PAIRS {
            return routes;
        }
        for (client, name) in (0..).map(ClientNumber).zip(&self.environment.names) {
            for (number, described) in (0..).map(ServerNumber).zip(&self.environment.servers.servers) {
                let route =
                    |direction| self.environment.network.route(Path { client, server: number, direction });
                let both = [PathDirection::Send, PathDirection::Receive].map(route);
                routes.insert((name.clone(), described.name.clone()), both);
            }
        }
        routes
    }
}

impl BrokerFacts for Facts {
    fn classes(&self, client: &str) -> Option<usize> {
        self.classes.get(client).copied()
    }

    fn server(&self, name: &str) -> Option<usize> {
        self.servers.get(name).copied()
    }

    fn queue(&self, name: &str) -> Option<usize> {
        self.queues.get(name).copied()
    }

    fn station(&self, of: JudgedStation) -> StationFacts {
        let (processors, latency, discipline) = match of {
            JudgedStation::Server(number) => {
                let server = &self.environment.servers.servers[number];
                (server.processors, SimDuration::ZERO, server.discipline)
            }
            JudgedStation::Queue(number) => {
                let (latency, discipline) =
                    self.environment.network.terms(number).unwrap_or((SimDuration::ZERO, Discipline::Fcfs));
                (1, latency, discipline)
            }
        };
        StationFacts {
            processors,
            in_order: discipline == Discipline::Fcfs,
            is_shared: discipline == Discipline::Ps,
            latency,
        }
    }

    fn work(&self, of: JudgedStation, from: SimTime, to: SimTime) -> f64 {
        let rate = match of {
            JudgedStation::Server(number) => Some(&self.rates[number]),
            JudgedStation::Queue(number) => self.environment.network.rate(number),
        };
        // copies share the curve
        let Some(mut rate) = rate.cloned() else { return 0.0 };
        let state = match of {
            JudgedStation::Server(number) => self.environment.servers.servers[number].failures.as_ref(),
            JudgedStation::Queue(_) => None,
        };
        let Some(ServerFailures::Traced(state)) = state else { return rate.work(from, to) };
        // a server that is down does nothing
        let (mut work, mut at) = (0.0, from);
        while at < to {
            let next = state.next_change(at).map_or(to, |next| next.min(to));
            if state.value_at(at) > 0.0 {
                work += rate.work(at, next);
            }
            at = next;
        }
        work
    }

    fn availability(&self, server: usize, at: SimTime) -> Option<f64> {
        Some(self.environment.servers.servers[server].availability.as_ref()?.value_at(at))
    }
}
