//! Judging a finished run of global computing by its files, and by the servers and queues of its
//! scenario.

use crate::collections::OrderedMap;
use crate::curve::Curve;
use crate::environment::QueueLayout as _;
use crate::info::{ClientNumber, Path, PathDirection, ServerNumber};
use crate::judge::{
    AskingRules, BrokerFacts, BrokerFiles, ChoiceRule, DescribedStation, JudgedBattery, JudgedMethod,
    JudgedStation, QueueRoutes, StationFacts, StationSpeed, WholeRun, judge_brokers,
};
use crate::kernel::rng::distribution::Moments as _;
use crate::kernel::{SimDuration, SimTime};
use crate::outages::ServerFailures;
use crate::output::number::grouped;
use crate::registry::{Complaint, Params, code};
use crate::scenario::{Checked, Rejected, RunDirectory};
use crate::scheduler::SchedulerTerms;
use crate::station::{Discipline, Rate};
use crate::system::assembly::{ScenarioEnvironment, Settings, environment};
use crate::system::network::Notes;
use crate::system::servers::DescribedServer;
use crate::units::{Bytes, Flops};

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
    let battery = battery(&params.section("predictor")).map_err(reject)?;
    let monitor = params.section("monitor");
    let asking = asking(&params, &terms, settings.run_on > 0).map_err(reject)?;
    let metrics = &summary["metrics"];
    let (server_file, queue_file) = (text("servers.csv")?, text("queues.csv")?);
    let (jobs, forecasters, believed) = (text("jobs.csv")?, text("forecasters.csv")?, text("believed.csv")?);
    let facts =
        Facts::new(environment(run.scenario, &params, &settings, &mut Notes::default())?, class_counts(run));
    let (servers, routes) = (facts.described(), facts.routes());
    let packet: Bytes = params.section("platform").section("queues").read("packet").map_err(reject)?;
    let whole = WholeRun {
        summary: &summary,
        manifest: run.manifest,
        named: (&run.scenario.title, run.scenario.seed),
        until: run.scenario.until,
        has_regret: settings.kept.regret,
        packet: packet.get() as f64,
        probed: probed(&monitor).map_err(reject)?,
        servers: &servers,
        routes: &routes,
        server_file: server_file.as_deref(),
        queue_file: queue_file.as_deref(),
        jobs: jobs.as_deref(),
        forecasters: forecasters.as_deref(),
        believed: believed.as_deref(),
        has_agreement: run.has("agreement.csv"),
    };
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
        asking,
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

/// The rules for tasks that ask; `run_on` is true if decisions have what happened.
fn asking(params: &Params<'_>, terms: &SchedulerTerms, run_on: bool) -> Result<AskingRules, Complaint> {
    let scheduler: String = params.section("scheduler").read("kind")?;
    let choice = match scheduler.as_str() {
        "greedy" => Some(ChoiceRule::Predictions),
        "oracle" if !run_on => Some(ChoiceRule::Truth),
        "fastest" => Some(ChoiceRule::Performance),
        "round-robin" => Some(ChoiceRule::Turn),
        _ => None,
    };
    let is_fixed = terms.query_time.variance() == Some(0.0);
    let query = terms.query_time.mean().filter(|_| is_fixed);
    Ok(AskingRules {
        query: query.map(SimDuration::ceil_secs),
        after: terms.retry.after,
        times: terms.retry.times.into(),
        choice,
        has_opt: terms.opt.is_some(),
        reads_servers: params.section("monitor").has("server"),
    })
}

/// Returns true if monitors send probes, and if their readings cost servers operations.
fn probed(monitor: &Params<'_>) -> Result<[bool; 2], Complaint> {
    let network = monitor.has("network").then(|| monitor.section("network").read("free")).transpose()?;
    let server =
        monitor.has("server").then(|| monitor.section("server").read::<Flops>("cost")).transpose()?;
    Ok([network == Some(false), server.is_some_and(|cost| cost.get() > 0.0)])
}

/// The battery of a predictor, if it is one and all of its forecasters are known here.
fn battery(predictor: &Params<'_>) -> Result<Option<JudgedBattery>, Complaint> {
    if predictor.read::<String>("kind")? != "battery" {
        return Ok(None);
    }
    let window = predictor.has("window").then(|| predictor.read("window")).transpose()?;
    let by_absolute = predictor.read::<String>("select")? == "mae";
    if !predictor.has("forecasters") {
        return Ok(Some(JudgedBattery { window, by_absolute, ..JudgedBattery::standard() }));
    }
    let mut members = Vec::new();
    for (place, node) in predictor.items("forecasters").iter().enumerate() {
        let table = predictor.with(node);
        let kind: String = table.read("kind")?;
        let Some(method) = method(&kind, &table)? else { return Ok(None) };
        members.push((format!("{kind} {place}"), method));
    }
    Ok(Some(JudgedBattery { members, window, by_absolute }))
}

/// The method of a forecaster, if it is known here.
fn method(kind: &str, table: &Params<'_>) -> Result<Option<JudgedMethod>, Complaint> {
    Ok(Some(match kind {
        "last" => JudgedMethod::Last,
        "mean" => JudgedMethod::Mean,
        "sliding-mean" => JudgedMethod::SlidingMean(table.read("values")?),
        "sliding-median" => JudgedMethod::SlidingMedian(table.read("values")?),
        "trimmed-mean" => JudgedMethod::TrimmedMean(table.read("values")?, table.read("cut")?),
        "smoothing" => JudgedMethod::Smoothing(table.read("gain")?),
        "adaptive-mean" => JudgedMethod::AdaptiveMean(table.read("least")?, table.read("most")?),
        "adaptive-median" => JudgedMethod::AdaptiveMedian(table.read("least")?, table.read("most")?),
        "autoregression" => JudgedMethod::Autoregression(table.read("order")?, table.read("values")?),
        _ => return Ok(None),
    }))
}

/// Number of classes each client has, by name.
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

/// The speed that a rate describes.
fn speed(rate: &Rate) -> StationSpeed {
    match rate {
        Rate::Constant(speed) => StationSpeed::always(*speed),
        Rate::Measured(cursor) => along(cursor.curve()),
    }
}

fn along(curve: &Curve) -> StationSpeed {
    StationSpeed { pieces: curve.polynomials().collect(), times: 1.0 }
}

/// The environment of the scenario.
struct Facts {
    environment: ScenarioEnvironment,
    /// By number; of queues, all that have no name of their own have the last one.
    speeds: [Vec<StationSpeed>; 2],
    /// By number of the server.
    availabilities: Vec<Option<StationSpeed>>,
    classes: OrderedMap<String, usize>,
    servers: OrderedMap<String, usize>,
    queues: OrderedMap<String, usize>,
}

impl Facts {
    fn new(environment: ScenarioEnvironment, classes: OrderedMap<String, usize>) -> Self {
        let all = &environment.servers.servers;
        let servers = all.iter().map(|server| server.name.clone()).zip(0..).collect();
        let of_servers = all.iter().map(|server| speed(&server.rate())).collect();
        let speeds = [of_servers, environment.network.rates().map(speed).collect()];
        let availabilities = all.iter().map(|server| server.availability.as_ref().map(along)).collect();
        let queues = environment.network.names().zip(0..).collect();
        Facts { environment, speeds, availabilities, classes, servers, queues }
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

    /// The queues of the route between each client and each server, unless there are too many
    /// pairs.
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

    fn speed(&self, of: JudgedStation) -> &StationSpeed {
        let [servers, queues] = &self.speeds;
        match of {
            JudgedStation::Server(number) => &servers[number],
            JudgedStation::Queue(number) => &queues[number.min(queues.len() - 1)],
        }
    }

    fn availability(&self, server: usize) -> Option<&StationSpeed> {
        self.availabilities[server].as_ref()
    }

    fn down(&self, of: JudgedStation, (from, to): (SimTime, SimTime)) -> Vec<(SimTime, SimTime)> {
        let mut down = Vec::new();
        let JudgedStation::Server(number) = of else { return down };
        let Some(ServerFailures::Traced(state)) = &self.environment.servers.servers[number].failures else {
            return down;
        };
        let mut at = from;
        while at < to {
            let next = state.next_change(at).map_or(to, |next| next.min(to));
            if state.value_at(at) <= 0.0 {
                down.push((at, next));
            }
            at = next;
        }
        down
    }

    fn fails(&self, server: usize) -> bool {
        self.environment.servers.servers[server].failures.is_some()
    }

    fn has_others(&self, of: JudgedStation) -> bool {
        match of {
            JudgedStation::Server(number) => self.environment.servers.servers[number].load.is_some(),
            JudgedStation::Queue(number) => self.environment.network.has_others(number),
        }
    }
}
