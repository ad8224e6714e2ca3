//! From a checked scenario of global computing to a run.

use std::fmt;
use std::path::PathBuf;
use std::rc::Rc;

use crate::agreement::Agreement;
use crate::client::{Arrivals, Client};
use crate::collections::StableSort as _;
use crate::database::ResourceDb;
use crate::environment::Environment;
use crate::forecast::ForecastSettings;
use crate::foreign::program::ForeignProgram;
use crate::info::{ClientNumber, Path, PathDirection, ServerNumber};
use crate::kernel::rng::Streams;
use crate::kernel::rng::distribution::{Moments, Sampler};
use crate::kernel::{SimDuration, SimTime};
use crate::monitor::{Drops, MonitorSchedule, NetworkMonitor, ServerMonitor};
use crate::outcomes::BrokerOutcomes;
use crate::predictor::PredictorKind;
use crate::queue::QueueModel;
use crate::record::Kept;
use crate::registry::{Complaint, Params, Registry, code};
use crate::run::{BrokerProblem, Monitors};
use crate::scenario::{Figures, Ready, Rejected, Scenario, keep};
use crate::scheduler::{BrokerScheduler, SchedulerTerms};
use crate::system::network::{self, Notes, ScenarioNetwork};
use crate::system::servers::{self, DescribedServer, DescribedServers};
use crate::system::{clients, foreign, named};
use crate::unit::ForcedDecision;
use crate::units::{Bytes, Flops};

/// Seconds after which probes of one path may be staggered at the finest. Memory of one path
/// between a client and a server, with its queues and what is known of it \[bytes\], measured.
const PATH_BYTES: usize = 1_000;
/// The same where it is measured, with the forecasters of its series.
const MONITORED_PATH_BYTES: usize = 6_000;

const PATHS: &str = "pairs of a client and a server, there and back,";

/// Settings that the system reads of a scenario.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) warm_up: SimDuration,
    pub(super) kept: Kept,
    /// True if measurements are compared with the series that they replay.
    pub(super) agreement: bool,
    /// True if transcripts of foreign programs are written.
    pub(super) transcript: bool,
    /// Decisions that are run on from with each other server.
    pub(super) run_on: u64,
}

/// The sources from which a run is assembled again.
#[derive(Clone)]
pub(super) struct Again {
    registry: Registry,
    scenario: Scenario,
}

impl fmt::Debug for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Again").field("title", &self.scenario.title).finish_non_exhaustive()
    }
}

impl Again {
    /// The run again, as it was before it began, in which one decision is taken otherwise; of it
    /// only tasks are kept.
    ///
    /// # Errors
    /// All that is wrong with its input by now.
    pub(super) fn with(&self, forced: ForcedDecision) -> Result<Assembly, Box<Rejected>> {
        let settings = self.scenario.own::<Settings>().expect("what the system read of its scenario");
        let mut assembly = assembled(&self.registry, &self.scenario, settings)?.0;
        assembly.settings.kept = Kept { tasks: true, ..Kept::default() };
        assembly.agreement = None;
        assembly.forced = Some(forced);
        Ok(assembly)
    }
}

/// A run that is ready to begin.
#[derive(Debug)]
pub(super) struct Assembly {
    pub(super) servers: Vec<DescribedServer>,
    pub(super) network: ScenarioNetwork,
    /// Foreign programs, prepared.
    pub(super) programs: Vec<Rc<ForeignProgram>>,
    pub(super) clients: Vec<Client>,
    pub(super) names: Vec<String>,
    pub(super) packet: f64,
    pub(super) monitors: Monitors,
    pub(super) db: Box<dyn ResourceDb>,
    pub(super) predictor: Box<dyn PredictorKind>,
    pub(super) scheduler: Box<dyn BrokerScheduler>,
    pub(super) terms: SchedulerTerms,
    pub(super) streams: Streams,
    pub(super) settings: Settings,
    pub(super) agreement: Option<Agreement>,
    pub(super) until: Option<SimTime>,
    pub(super) drew: bool,
    /// The number of the task that is to be explained.
    pub(super) explained: Option<u64>,
    /// The sources of the runs that go on from decisions, if any do.
    pub(super) again: Option<Again>,
    pub(super) forced: Option<ForcedDecision>,
    /// Names of the scheduler and the predictor.
    pub(super) called: [String; 2],
}

/// A run that is over.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) outcomes: BrokerOutcomes,
    /// The figures of the run.
    pub(super) figures: Figures,
    /// The number of the task that is to be explained.
    pub(super) explained: Option<u64>,
    /// True if what a timeline is drawn from was kept.
    pub(super) has_timeline: bool,
    /// Names of the scheduler and the predictor.
    pub(super) called: [String; 2],
}

impl Settings {
    /// Reads them; what is wrong is among the complaints.
    pub(super) fn read(params: &Params<'_>, complaints: &mut Vec<Complaint>) -> Option<Self> {
        let (run, record) = (params.section("run"), params.section("record"));
        let warm_up = keep(run.read::<SimDuration>("warm-up"), complaints);
        let tasks = keep(record.read("tasks"), complaints);
        let measurements = keep(record.read("measurements"), complaints);
        let forecasts = keep(record.read("forecasts"), complaints);
        let packets = keep(record.read("packets"), complaints);
        let regret = keep(record.read("regret"), complaints);
        let run_on: Option<u64> = keep(record.read("run-on"), complaints);
        let agreement = keep(record.read("agreement"), complaints);
        let transcript = keep(record.read("transcript"), complaints);
        let until: Option<SimDuration> = keep(run.read("until"), complaints)?;
        if let Some((warm_up, until)) = warm_up.zip(until)
            && warm_up >= until
        {
            complaints
                .push(run.complaint("warm-up", "nothing is observed: the run ends before the warm-up does"));
        }
        let kept = Kept {
            tasks: tasks?,
            measurements: measurements?,
            forecasts: forecasts?,
            packets: packets?,
            regret: regret? || run_on? > 0,
            candidates: run_on? > 0,
            probes: false,
            subjects: false,
        };
        Some(Settings {
            warm_up: warm_up?,
            kept,
            agreement: agreement?,
            transcript: transcript?,
            run_on: run_on?,
        })
    }

    /// Start of the observation.
    pub(super) fn observed_from(&self) -> SimTime {
        SimTime::ZERO + self.warm_up
    }
}

/// The files that a scenario reads: as they are named, and from where the program runs.
pub(super) fn inputs(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let platform = params.section("platform");
    let mut inputs = servers::inputs(&platform);
    inputs.extend(clients::inputs(params));
    let mut queues: Vec<Params<'_>> =
        platform.items("queue").iter().map(|node| platform.with(node)).collect();
    queues.push(platform.section("queues"));
    for queue in queues {
        if let Ok(model) = queue.component::<dyn QueueModel>("model", "queue-model") {
            inputs.extend(model.inputs().into_iter().map(|(name, path)| (name.to_owned(), path.to_owned())));
        }
    }
    let monitor = params.section("monitor");
    for what in ["network", "server"].into_iter().filter(|what| monitor.has(what)) {
        let section = monitor.section(what);
        if section.has("drop-at")
            && let (Ok(name), Ok(path)) = (section.read::<String>("drop-at"), section.path("drop-at"))
        {
            inputs.push((name, path));
        }
    }
    inputs.extend(foreign::inputs(params));
    inputs.stable_sort();
    inputs.dedup();
    inputs
}

/// Clients, servers and what is between them.
#[derive(Debug)]
pub(super) struct ScenarioEnvironment {
    /// Names of clients.
    pub(super) names: Vec<String>,
    pub(super) servers: DescribedServers,
    pub(super) network: ScenarioNetwork,
}

/// Reads clients by name, servers and the network.
///
/// # Errors
/// What is wrong with them, at its place.
pub(super) fn environment(
    scenario: &Scenario,
    params: &Params<'_>,
    settings: &Settings,
    notes: &mut Notes,
) -> Result<ScenarioEnvironment, Box<Rejected>> {
    let streams = scenario.streams();
    let reject_all = |complaints| scenario.reject_all(complaints);
    let platform = params.section("platform");
    let names = clients::all_names(params).map_err(reject_all)?;
    let servers = servers::read(&platform, &streams).map_err(reject_all)?;
    if servers.servers.is_empty() {
        let complaint = platform.complaint("server", "there is no server that could execute a task");
        return Err(scenario.reject(complaint.help("write one `[[platform.server]]` at least")));
    }
    let server_names: Vec<String> = servers.servers.iter().map(|server| server.name.clone()).collect();
    let mut complaints = Vec::new();
    let twice = |name: &str| platform.complaint("server", format!("a second server is called `{name}`"));
    named::report_twice(server_names.iter().map(|name| (name.as_str(), twice(name))), &mut complaints);
    if !complaints.is_empty() {
        return Err(scenario.reject_all(complaints));
    }
    let pairs = 2 * (names.len() as u64).saturating_mul(server_names.len() as u64);
    let is_monitored = params.section("monitor").has("network");
    let bytes = if is_monitored { MONITORED_PATH_BYTES } else { PATH_BYTES };
    params.fits("platform", PATHS, pairs, bytes).map_err(|complaint| scenario.reject(complaint))?;
    let of = (&names[..], &server_names[..]);
    let network =
        network::read(&platform, of, (&streams, settings.observed_from()), notes).map_err(reject_all)?;
    Ok(ScenarioEnvironment { names, servers, network })
}

/// Reads what the scenario names, and draws what is drawn beforehand.
///
/// # Errors
/// What is wrong with the input, at its place.
pub(super) fn assemble(
    registry: &Registry,
    scenario: &Scenario,
    settings: &Settings,
) -> Result<Ready, Box<Rejected>> {
    let (mut assembly, warnings) = assembled(registry, scenario, settings)?;
    if settings.run_on > 0 {
        assembly.again = Some(Again { registry: registry.clone(), scenario: scenario.clone() });
    }
    let inputs = inputs(&scenario.params(registry));
    Ok(Ready { run: Box::new(assembly), inputs, notes: Vec::new(), warnings })
}

fn assembled(
    registry: &Registry,
    scenario: &Scenario,
    settings: &Settings,
) -> Result<(Assembly, Vec<Complaint>), Box<Rejected>> {
    let params = scenario.params(registry);
    let streams = scenario.streams();
    let reject_all = |complaints| scenario.reject_all(complaints);
    let reject = |complaint| scenario.reject(complaint);
    let platform = params.section("platform");
    let mut notes = Notes::default();
    let ScenarioEnvironment { names, servers, network } =
        environment(scenario, &params, settings, &mut notes)?;
    let performance =
        servers.servers.iter().map(|server| server.performance * f64::from(server.processors)).sum();
    let widest = servers.servers.iter().map(|server| server.processors).max().unwrap_or(1);
    let clients = clients::read(&params, performance, widest).map_err(reject_all)?;
    let monitors =
        monitors(&params.section("monitor"), names.len(), servers.servers.len()).map_err(reject_all)?;
    let until = scenario.until;
    if !clients.ends && until.is_none() {
        let complaint = params.complaint("client", "nothing says when the run ends");
        return Err(reject(complaint.help("write `tasks` of each client, or `until` of `[run]`")));
    }
    let packet: Bytes = platform.section("queues").read("packet").map_err(reject)?;
    if packet.get() == 0 {
        let complaint = platform.section("queues").complaint("packet", "packets of 0 bytes carry nothing");
        return Err(reject(complaint.label("expected 1 byte at least")));
    }
    let section = params.section("scheduler");
    let scheduler: Box<dyn BrokerScheduler> = params.component("scheduler", "broker").map_err(reject)?;
    let predictor: Box<dyn PredictorKind> = params.component("predictor", "predictor").map_err(reject)?;
    let terms = SchedulerTerms::read(&section).map_err(reject)?;
    let db = database(&params, &*predictor).map_err(reject)?;
    let agreement = agreement(&params, settings).map_err(reject)?;
    let kind = |name: &str| params.section(name).read::<String>("kind").map_err(reject);
    let drops = |share: f64| share > 0.0 && share < 1.0;
    let laws = [
        monitors.network.as_ref().and_then(|monitor| monitor.drift.as_ref()),
        monitors.server.as_ref().and_then(|monitor| monitor.drift.as_ref()),
    ];
    let drew = servers.draws
        || clients.draws
        || notes.draws
        || scheduler.draws()
        || terms.query_time.variance() != Some(0.0)
        || monitors.network.as_ref().is_some_and(|monitor| drops(monitor.drops.share))
        || monitors.server.as_ref().is_some_and(|monitor| drops(monitor.drops.share))
        || laws.into_iter().flatten().any(|law| law.variance() != Some(0.0));
    let programs = [db.program(), predictor.program(), scheduler.program()].into_iter().flatten().cloned();
    let programs = foreign::prepare(&params, programs, scenario, settings.transcript).map_err(reject_all)?;
    let mut settings = *settings;
    // of users who wait for results no more are in the system than there are users: nothing grows
    settings.kept.subjects =
        clients.clients.iter().any(|client| !matches!(client.arrivals, Arrivals::Closed { .. }));
    if scenario.record_trace {
        // what the timeline is drawn from
        settings.kept = Kept { tasks: true, packets: true, probes: true, ..settings.kept };
    }
    let assembly = Assembly {
        network,
        programs,
        clients: clients.clients,
        names,
        packet: packet.get() as f64,
        monitors,
        db,
        predictor,
        scheduler,
        terms,
        streams,
        settings,
        agreement,
        until,
        drew,
        explained: None,
        again: None,
        forced: None,
        called: [kind("scheduler")?, kind("predictor")?],
        servers: servers.servers,
    };
    Ok((assembly, notes.warnings))
}

/// Comparison of measurements with the series that they replay: forecasts of both too, if the
/// predictor is the battery.
fn agreement(params: &Params<'_>, settings: &Settings) -> Result<Option<Agreement>, Complaint> {
    if !settings.agreement {
        return Ok(None);
    }
    let predictor = params.section("predictor");
    let is_battery = predictor.read::<String>("kind")? == "battery";
    let forecasts = is_battery.then(|| ForecastSettings::read(&predictor)).transpose()?;
    Ok(Some(Agreement::new(forecasts.as_ref(), settings.observed_from())))
}

/// The database of the scenario, or that of the predictor itself.
fn database(params: &Params<'_>, predictor: &dyn PredictorKind) -> Result<Box<dyn ResourceDb>, Complaint> {
    let Some(own) = predictor.database() else { return params.component("database", "database") };
    let section = params.section("database");
    let kind: String = section.read("kind")?;
    if kind == "memory" {
        return Ok(own);
    }
    let message = format!("the predictor is the database too, and `{kind}` would be a second one");
    let complaint = Complaint { code: code::CONTRADICTION, ..section.complaint("kind", message) };
    Err(complaint.help("leave the database out, or write `predictor.stores = false`"))
}

/// Monitors and their schedules.
fn monitors(params: &Params<'_>, clients: usize, servers: usize) -> Result<Monitors, Vec<Complaint>> {
    let mut monitors = Monitors::default();
    if params.has("network") {
        let section = params.section("network");
        let probe: Bytes = section.read("probe")?;
        if probe.get() == 0 {
            return Err(section
                .complaint("probe", "a probe of 0 bytes measures nothing")
                .label("expected more")
                .into());
        }
        let every: SimDuration = section.read("every")?;
        let timeout: Option<SimDuration> = section.read("timeout")?;
        monitors.network = Some(NetworkMonitor {
            probe: probe.get() as f64,
            timeout: timeout.unwrap_or(every),
            measures_latency: section.read("latency")?,
            is_free: section.read("free")?,
            drift: drift(&section)?,
            drops: drops(&section)?,
        });
        let both = |client, server| {
            let (client, server) = (ClientNumber(client), ServerNumber(server));
            PathDirection::ALL.map(|direction| Path { client, server, direction })
        };
        let paths = (0..clients as u32)
            .flat_map(|client| (0..servers as u32).flat_map(move |server| both(client, server)));
        let paths: Vec<Path> = paths.collect();
        monitors.paths = paths.iter().copied().zip(schedules(&section, every, paths.len())?).collect();
    }
    if params.has("server") {
        let section = params.section("server");
        let cost: Flops = section.read("cost")?;
        let average = section.read("load-average")?;
        monitors.server = Some(ServerMonitor {
            cost: cost.get(),
            average,
            drift: drift(&section)?,
            drops: drops(&section)?,
        });
        let every: SimDuration = section.read("every")?;
        monitors.servers =
            (0..servers as u32).map(ServerNumber).zip(schedules(&section, every, servers)?).collect();
    }
    Ok(monitors)
}

/// Schedule of the measurements of each of `count` things.
fn schedules(
    section: &Params<'_>,
    period: SimDuration,
    count: usize,
) -> Result<Vec<MonitorSchedule>, Complaint> {
    let phase: SimDuration = section.read("phase")?;
    let is_staggered: bool = section.read("stagger")?;
    let part = |place: usize| {
        let nanos = u128::from(period.as_nanos()) * place as u128 / count.max(1) as u128;
        SimDuration::from_nanos(if is_staggered { nanos as u64 } else { 0 })
    };
    let at = |place: usize| phase.checked_add(part(place)).unwrap_or(SimDuration::MAX);
    Ok((0..count).map(|place| MonitorSchedule { period, phase: at(place) }).collect())
}

fn drift(section: &Params<'_>) -> Result<Option<Sampler>, Complaint> {
    section.has("drift").then(|| Ok(*section.component::<Sampler>("drift", "distribution")?)).transpose()
}

fn drops(section: &Params<'_>) -> Result<Drops, Vec<Complaint>> {
    let instants = if section.has("drop-at") { clients::instants(section, "drop-at")? } else { Rc::from([]) };
    Ok(Drops { share: section.read("drop")?, instants })
}

impl Assembly {
    /// The problem, with servers and queues on the kernel that is running.
    pub(super) fn problem(self) -> BrokerProblem {
        let warm_up = self.settings.observed_from();
        let numbered = (0..).map(ServerNumber).zip(&self.servers);
        let failures =
            numbered.clone().filter_map(|(number, server)| Some((number, server.failures.clone()?)));
        let failures = failures.collect();
        let servers = numbered.map(|(number, server)| server.build(number, &self.streams, warm_up)).collect();
        let environment = Environment::new(self.names, servers, Box::new(self.network), self.packet);
        BrokerProblem {
            environment: Rc::new(environment),
            programs: self.programs,
            clients: self.clients,
            monitors: self.monitors,
            db: self.db,
            predictor: self.predictor,
            scheduler: self.scheduler,
            terms: self.terms,
            failures,
            streams: self.streams,
            warm_up,
            kept: self.settings.kept,
            agreement: self.agreement,
            explained: self.explained,
            forced: self.forced,
        }
    }
}
