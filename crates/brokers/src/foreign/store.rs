//! A foreign program as the resource database.

use std::cell::RefCell;
use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::database::ResourceDb;
use crate::dialogue::message::Message;
use crate::foreign::answer::{self, ForecastPair, History, StatedForecast, StatedNetwork, StatedServer};
use crate::foreign::message::{of_path, of_server, put_network, put_server};
use crate::foreign::program::{ForeignProgram, KEYS};
use crate::info::{NetworkInfo, Path, SeriesKey, ServerInfo, ServerNumber};
use crate::kernel::{SimTime, now};
use crate::registry::{Entry, entry};

/// The program as a database alone.
pub const ENTRY: Entry<dyn ResourceDb> = entry!(
    "program" => "a program in any language, which is asked over a pipe",
    source "A. Takefusa and others, HPDC 1999, section 4",
    keys &KEYS,
    reads |params| ForeignStore::new(ForeignProgram::read(params, "database", None)?)
);

/// Forecasts that a program said after the last measurements, by series.
pub(crate) type StatedForecasts = Rc<RefCell<OrderedMap<SeriesKey, StatedForecast>>>;

/// A database that is a foreign program.
#[derive(Debug)]
pub(crate) struct ForeignStore {
    program: Rc<ForeignProgram>,
    forecasts: StatedForecasts,
    /// True if the program predicts too: nothing is then asked of it but predictions.
    predicts: bool,
    /// The last measurements: those that were sent if the program predicts, else what it answered.
    networks: OrderedMap<Path, Option<NetworkInfo>>,
    servers: OrderedMap<ServerNumber, Option<ServerInfo>>,
}

impl ForeignStore {
    /// A program that is the database and nothing else.
    pub(crate) fn new(program: Rc<ForeignProgram>) -> Self {
        ForeignStore {
            program,
            forecasts: Rc::default(),
            predicts: false,
            networks: OrderedMap::new(),
            servers: OrderedMap::new(),
        }
    }

    /// A program that is the predictor too, and that puts its forecasts there.
    pub(crate) fn with_forecasts(program: Rc<ForeignProgram>, forecasts: StatedForecasts) -> Self {
        ForeignStore { forecasts, predicts: true, ..Self::new(program) }
    }

    fn ask_network(
        &self,
        path: Path,
        ask: impl FnOnce(Message) -> Message,
    ) -> Option<History<StatedNetwork>> {
        let message = Message::new("get", "network").time("time", now());
        let question = ask(of_path(message, path, self.program.environment())).line();
        self.program.ask(&question, answer::network_history)
    }

    fn ask_server(
        &self,
        server: ServerNumber,
        ask: impl FnOnce(Message) -> Message,
    ) -> Option<History<StatedServer>> {
        let message = Message::new("get", "server").time("time", now());
        let question = ask(of_server(message, server, self.program.environment())).line();
        self.program.ask(&question, answer::server_history)
    }
}

/// Sends a measurement of a path; the forecasts that the program says then.
pub(crate) fn send_network(program: &ForeignProgram, path: Path, info: NetworkInfo, into: &StatedForecasts) {
    let question = put_network(path, info, program.environment());
    let taken = program.ask(&question, answer::taken_network);
    keep(taken, [SeriesKey::Bandwidth(path), SeriesKey::Latency(path)], into);
}

/// Sends a measurement of a server; the forecasts that the program says then.
pub(crate) fn send_server(
    program: &ForeignProgram,
    server: ServerNumber,
    info: ServerInfo,
    into: &StatedForecasts,
) {
    let question = put_server(server, info, program.environment());
    let taken = program.ask(&question, answer::taken_server);
    keep(taken, [SeriesKey::Load(server), SeriesKey::Availability(server)], into);
}

fn keep(taken: Option<ForecastPair>, series: [SeriesKey; 2], into: &StatedForecasts) {
    let mut forecasts = into.borrow_mut();
    for (series, stated) in series.into_iter().zip(taken.unwrap_or_default()) {
        match stated {
            Some(stated) => forecasts.insert(series, stated),
            None => forecasts.remove(&series),
        };
    }
}

/// The instant of a measurement, of which none is from the future.
fn measured(seconds: f64) -> SimTime {
    SimTime::from_nanos((seconds * 1e9).round() as u64).min(now())
}

fn network_of(stated: StatedNetwork) -> NetworkInfo {
    let StatedNetwork { time, bandwidth, latency } = stated;
    NetworkInfo { time: measured(time), bandwidth, latency }
}

fn server_of(stated: StatedServer) -> ServerInfo {
    let StatedServer { time, performance, load, availability, is_up } = stated;
    ServerInfo { time: measured(time), performance, load, availability, is_up }
}

impl ResourceDb for ForeignStore {
    fn put_network(&mut self, path: Path, info: NetworkInfo) {
        send_network(&self.program, path, info, &self.forecasts);
        if self.predicts {
            self.networks.insert(path, Some(info));
        } else {
            self.networks.remove(&path);
        }
    }

    fn put_server(&mut self, server: ServerNumber, info: ServerInfo) {
        send_server(&self.program, server, info, &self.forecasts);
        if self.predicts {
            self.servers.insert(server, Some(info));
        } else {
            self.servers.remove(&server);
        }
    }

    fn get_network(&mut self, path: Path, since: u64, each: &mut dyn FnMut(NetworkInfo)) -> u64 {
        let Some(History { count, measurements }) =
            self.ask_network(path, |message| message.count("since", since))
        else {
            return since;
        };
        measurements.into_iter().map(network_of).for_each(each);
        count
    }

    fn get_server(&mut self, server: ServerNumber, since: u64, each: &mut dyn FnMut(ServerInfo)) -> u64 {
        let Some(History { count, measurements }) =
            self.ask_server(server, |message| message.count("since", since))
        else {
            return since;
        };
        measurements.into_iter().map(server_of).for_each(each);
        count
    }

    fn last_network(&mut self, path: Path) -> Option<NetworkInfo> {
        if let Some(known) = self.networks.get(&path) {
            return *known;
        }
        if self.predicts {
            return None;
        }
        let history = self.ask_network(path, |message| message.flag("last", true));
        let last = history.and_then(|history| history.measurements.last().copied().map(network_of));
        self.networks.insert(path, last);
        last
    }

    fn last_server(&mut self, server: ServerNumber) -> Option<ServerInfo> {
        if let Some(known) = self.servers.get(&server) {
            return *known;
        }
        if self.predicts {
            return None;
        }
        let history = self.ask_server(server, |message| message.flag("last", true));
        let last = history.and_then(|history| history.measurements.last().copied().map(server_of));
        self.servers.insert(server, last);
        last
    }

    fn program(&self) -> Option<&Rc<ForeignProgram>> {
        Some(&self.program)
    }
}
