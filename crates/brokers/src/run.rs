//! A run: clients, monitors and the scheduling unit on one kernel.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::agreement::Agreement;
use crate::client::{ActiveClient, Brokerage, Client, ClientStreams};
use crate::database::ResourceDb;
use crate::dialogue::live::PeerFault;
use crate::environment::Environment;
use crate::foreign::program::ForeignProgram;
use crate::info::{Path, ServerNumber};
use crate::kernel::rng::Streams;
use crate::kernel::{Outcome, SimError, SimTime, Simulation, hold, now, spawn, spawn_daemon};
use crate::knowledge::Knowledge;
use crate::monitor::{
    Drift, MonitorSchedule, Monitored, NetworkMonitor, ServerMonitor, monitor_network, monitor_server,
};
use crate::outages::ServerOutages;
use crate::outcomes::{BrokerOutcomes, QueueOutcome, ServerOutcome};
use crate::predictor::PredictorKind;
use crate::record::{Kept, Recorder, Written};
use crate::scheduler::{BrokerScheduler, SchedulerTerms};
use crate::unit::{ForcedDecision, SchedulingUnit};

pub use crate::outages::ServerFailures;

/// Monitors and their schedules.
#[derive(Debug, Default)]
pub struct Monitors {
    /// Measurement of paths.
    pub network: Option<NetworkMonitor>,
    /// Schedule of each path.
    pub paths: Vec<(Path, MonitorSchedule)>,
    /// Measurement of servers.
    pub server: Option<ServerMonitor>,
    /// Schedule of each server.
    pub servers: Vec<(ServerNumber, MonitorSchedule)>,
}

/// Description of a run.
#[derive(Debug)]
pub struct BrokerProblem {
    /// Servers and network.
    pub environment: Rc<Environment>,
    /// Foreign programs that its parts ask, prepared.
    pub programs: Vec<Rc<ForeignProgram>>,
    /// Clients, which have the tasks.
    pub clients: Vec<Client>,
    /// Measurements of paths and servers.
    pub monitors: Monitors,
    /// Database of the measurements.
    pub db: Box<dyn ResourceDb>,
    /// The predictor.
    pub predictor: Box<dyn PredictorKind>,
    /// Scheduler that chooses servers.
    pub scheduler: Box<dyn BrokerScheduler>,
    /// Terms that hold for any scheduler.
    pub terms: SchedulerTerms,
    /// Failures of servers.
    pub failures: Vec<(ServerNumber, ServerFailures)>,
    /// Streams of the run.
    pub streams: Streams,
    /// Instant at which observation begins.
    pub warm_up: SimTime,
    /// Records to be kept.
    pub kept: Kept,
    /// Comparison of measurements with the series that they replay, if that is asked.
    pub agreement: Option<Agreement>,
    /// The number of the task whose decisions are to be explained.
    pub explained: Option<u64>,
    /// A decision that is taken otherwise than its scheduler says.
    pub forced: Option<ForcedDecision>,
}

/// Runs until all tasks are over, or until an instant.
///
/// # Errors
/// What stops the run: a deadlock, a limit.
pub fn execute(
    problem: BrokerProblem,
    mut simulation: Simulation,
    until: Option<SimTime>,
) -> Result<BrokerOutcomes, SimError> {
    let programs = problem.programs.clone();
    for program in &programs {
        program.begin(&problem.environment).map_err(|fault| of_program(fault, SimTime::ZERO))?;
    }
    let brokerage = simulation.enter(|| begin(problem));
    let outcome = simulation.run_until(until.unwrap_or(SimTime::MAX))?;
    let mut outcomes = simulation.enter(|| outcomes(&brokerage, &outcome));
    drop(simulation);
    for program in &programs {
        program.dialogue().finish(outcomes.ended).map_err(|fault| of_program(fault, outcomes.ended))?;
    }
    // those of a run that fails stay where they are
    let dialogues = programs.iter().map(|program| program.dialogue());
    let transcripts = dialogues.filter_map(|dialogue| Some((dialogue.part(), dialogue.transcript()?)));
    outcomes.transcripts.extend(transcripts);
    Ok(outcomes)
}

/// A mistake of a foreign program before or after all that happens.
fn of_program(error: Box<PeerFault>, at: SimTime) -> SimError {
    SimError::Model { process: "scheduling unit".into(), at, error }
}

fn begin(problem: BrokerProblem) -> Rc<Brokerage> {
    let BrokerProblem {
        environment,
        programs: _,
        clients,
        monitors,
        db,
        predictor,
        scheduler,
        terms,
        failures,
        streams,
        warm_up,
        kept,
        agreement,
        explained,
        forced,
    } = problem;
    let recorder = Rc::new(Recorder::new(kept, warm_up, environment.servers.len()).comparing(agreement));
    let knowledge = Knowledge::new(db, predictor.begin(&environment), &environment);
    let stream = streams.stream("broker/scheduler");
    let unit = SchedulingUnit::new(
        Rc::clone(&environment),
        knowledge,
        scheduler.begin(),
        (terms, stream),
        Rc::clone(&recorder),
        explained,
    );
    unit.force(forced);
    spawn_daemon("scheduler", Rc::clone(&unit).schedule());
    for (server, failures) in failures {
        let stream = streams.stream(&format!("failures/{}", environment.server(server).name));
        environment.fails(server, ServerOutages::new(failures, stream));
        spawn_daemon(("failures of server", server.0), follow(Rc::clone(&environment), server));
    }
    monitor(&environment, &unit, &recorder, monitors, &streams);
    let brokerage = Rc::new(Brokerage {
        environment,
        unit,
        recorder,
        queries: RefCell::new(streams.stream("broker/query-time")),
        tasks: Cell::new(0),
    });
    for client in clients {
        let name = &brokerage.environment.clients[client.number.index()];
        let draws_for = |purpose: &str| streams.stream(&format!("client/{name}/{purpose}"));
        let own = ClientStreams {
            arrivals: draws_for("arrivals"),
            classes: draws_for("classes"),
            send: draws_for("send"),
            receive: draws_for("receive"),
            instructions: draws_for("instructions"),
        };
        let number = client.number.0;
        spawn(("client", number), ActiveClient::new(client, own, Rc::clone(&brokerage)).issue());
    }
    brokerage
}

fn monitor(
    environment: &Rc<Environment>,
    unit: &Rc<SchedulingUnit>,
    recorder: &Rc<Recorder>,
    monitors: Monitors,
    streams: &Streams,
) {
    let monitored = Rc::new(Monitored {
        environment: Rc::clone(environment),
        unit: Rc::clone(unit),
        recorder: Rc::clone(recorder),
    });
    if let Some(network) = monitors.network.map(Rc::new) {
        for (path, schedule) in monitors.paths {
            let number = environment.network.number(path) as u32;
            let stream = streams.of("monitor", "path", number.into());
            let drift = Drift::drawn(network.drift.as_ref(), streams.of("drift", "path", number.into()));
            let of_path = (path, schedule, drift);
            let process = monitor_network(Rc::clone(&monitored), Rc::clone(&network), of_path, stream);
            spawn_daemon(("network monitor", number), process);
        }
    }
    if let Some(reading) = monitors.server.map(Rc::new) {
        for (server, schedule) in monitors.servers {
            let stream = streams.of("monitor", "server", server.0.into());
            let drift = Drift::drawn(reading.drift.as_ref(), streams.of("drift", "server", server.0.into()));
            let of_server = (server, schedule, drift);
            let process = monitor_server(Rc::clone(&monitored), Rc::clone(&reading), of_server, stream);
            spawn_daemon(("server monitor", server.0), process);
        }
    }
}

/// Takes a server down and up as its outages say; no run is kept from being over by that.
async fn follow(environment: Rc<Environment>, server: ServerNumber) {
    let station = &environment.server(server).station;
    let Some(outages) = environment.outages(server) else { return };
    loop {
        // it may leave and return at one instant
        if station.is_up() && outages.fails_at(now()) {
            station.go_down();
        }
        if !station.is_up() && outages.is_up(now()) {
            station.go_up();
        }
        let Some(next) = outages.next_change(now()) else { return };
        hold(next.at.since(now())).background().await;
    }
}

fn outcomes(brokerage: &Brokerage, outcome: &Outcome) -> BrokerOutcomes {
    let Brokerage { environment, unit, recorder, .. } = brokerage;
    unit.finish();
    let ended = outcome.ended_at;
    let figures = recorder.figures.take();
    let Written {
        tasks,
        lost,
        packets,
        measurements,
        forecasts,
        regrets,
        candidates,
        probes,
        subjects,
        agreement,
    } = recorder.take();
    let forecast_series = forecasts.iter().map(|forecast| forecast.series).collect();
    let queues = environment.network.used().map(|queue| QueueOutcome {
        number: queue.number,
        name: queue.name.clone(),
        usage: queue.usage(ended),
        delays: queue.delays(),
    });
    let servers =
        environment.servers.iter().zip(&figures.by_server).map(|(server, completed)| ServerOutcome {
            name: server.name.clone(),
            performance: server.performance,
            processors: server.processors,
            usage: server.station.usage(ended),
            completed: *completed,
            identity_holds: server.station.identity_holds(ended),
        });
    let capacity =
        environment.servers.iter().map(|server| server.performance * f64::from(server.processors)).sum();
    BrokerOutcomes {
        tasks,
        lost,
        packets,
        measurements,
        forecasts,
        forecasters: unit.forecasters(&forecast_series),
        regrets,
        candidates,
        probes,
        agreement,
        transcripts: Vec::new(),
        queues: queues.collect(),
        servers: servers.collect(),
        clients: environment.clients.clone(),
        lost_probes: *recorder.lost_probes.borrow(),
        issued: brokerage.tasks.get(),
        left_out: brokerage.tasks.get() - figures.counts[0],
        asked: unit.asked(),
        decisions: unit.decisions(),
        ended,
        warm_up: recorder.warm_up,
        events: outcome.events,
        digest: outcome.digest,
        figures,
        capacity,
        subjects,
    }
}
