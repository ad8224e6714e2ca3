//! A foreign program predicts, and keeps the measurements too unless the scenario says otherwise.
//!
//! The program is asked for a path or server at most once an instant; if it says that its
//! predictions hold until the next measurement, once after each measurement. What it forecasts of
//! series, for the record and for explanations, it says when a measurement is put: whether anything
//! is recorded changes no question.
//!
//! Source: A. Takefusa and others, HPDC 1999, section 4.2 (`NWSResourceDB`, `NWSNetworkPredictor`,
//! `NWSServerPredictor`).

use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::database::ResourceDb;
use crate::dialogue::message::Message;
use crate::environment::Environment;
use crate::forecast::Forecast;
use crate::foreign::answer::{self, StatedForecast};
use crate::foreign::message::{of_path, of_server};
use crate::foreign::program::{ForeignProgram, KEYS};
use crate::foreign::store::{ForeignStore, StatedForecasts, send_network, send_server};
use crate::info::{NetworkInfo, Path, SeriesKey, ServerInfo, ServerNumber};
use crate::kernel::SimTime;
use crate::predictor::{Predictor, PredictorKind};
use crate::registry::{Entry, Key, Kind, entry};

const STORES: Key = Key::new("stores", Kind::Flag)
    .or_flag(true)
    .about("whether the program is the database too: `[database]` has no effect then");

pub(super) const ENTRY: Entry<dyn PredictorKind> = entry!(
    "program" => "a program in any language, which is asked over a pipe; it is the database too",
    source "A. Takefusa and others, HPDC 1999, section 4",
    keys &Key::joined::<4>(&[&KEYS, &[STORES]]),
    reads |params| {
        let stores = params.read("stores")?;
        let program = ForeignProgram::read(params, "predictor", Some(("stores", stores)))?;
        ForeignKind { program, stores, forecasts: Rc::default() }
    }
);

#[derive(Debug)]
struct ForeignKind {
    program: Rc<ForeignProgram>,
    stores: bool,
    forecasts: StatedForecasts,
}

impl PredictorKind for ForeignKind {
    fn begin(&self, _: &Rc<Environment>) -> Box<dyn Predictor> {
        Box::new(ForeignPredictor {
            program: Rc::clone(&self.program),
            stores: self.stores,
            stated: Rc::clone(&self.forecasts),
            forecasts: OrderedMap::new(),
            seen: OrderedMap::new(),
            networks: OrderedMap::new(),
            servers: OrderedMap::new(),
        })
    }

    fn database(&self) -> Option<Box<dyn ResourceDb>> {
        let (program, forecasts) = (Rc::clone(&self.program), Rc::clone(&self.forecasts));
        self.stores.then(|| Box::new(ForeignStore::with_forecasts(program, forecasts)) as Box<dyn ResourceDb>)
    }

    fn program(&self) -> Option<&Rc<ForeignProgram>> {
        Some(&self.program)
    }
}

#[derive(Debug)]
struct ForeignPredictor {
    program: Rc<ForeignProgram>,
    stores: bool,
    /// Forecasts of the program after the last measurements, to be taken over from there.
    stated: StatedForecasts,
    forecasts: OrderedMap<SeriesKey, StatedForecast>,
    /// Number of measurements of a database of its own were sent; of a path under its bandwidth, of
    /// a server under its load.
    seen: OrderedMap<SeriesKey, u64>,
    /// Answers, and when they were given.
    networks: OrderedMap<Path, (SimTime, Option<NetworkInfo>)>,
    servers: OrderedMap<ServerNumber, (SimTime, Option<ServerInfo>)>,
}

impl ForeignPredictor {
    /// The first measurement of a series that was not sent.
    fn since(&self, series: SeriesKey) -> u64 {
        self.seen.get(&series).copied().unwrap_or(0)
    }

    fn take_over(&mut self, all: [SeriesKey; 2]) {
        for series in all {
            match self.stated.borrow_mut().remove(&series) {
                Some(stated) => self.forecasts.insert(series, stated),
                None => self.forecasts.remove(&series),
            };
        }
    }

    /// Returns true if an answer of an instant still holds.
    fn holds(&self, given: SimTime, now: SimTime) -> bool {
        given == now || self.program.is_lasting()
    }
}

impl Predictor for ForeignPredictor {
    fn measured_network(&mut self, path: Path, db: &mut dyn ResourceDb) {
        let series = [SeriesKey::Bandwidth(path), SeriesKey::Latency(path)];
        if !self.stores {
            let mut new = Vec::new();
            let count = db.get_network(path, self.since(series[0]), &mut |info| new.push(info));
            self.seen.insert(series[0], count);
            new.into_iter().for_each(|info| send_network(&self.program, path, info, &self.stated));
        }
        self.networks.remove(&path);
        self.take_over(series);
    }

    fn measured_server(&mut self, server: ServerNumber, db: &mut dyn ResourceDb) {
        let series = [SeriesKey::Load(server), SeriesKey::Availability(server)];
        if !self.stores {
            let mut new = Vec::new();
            let count = db.get_server(server, self.since(series[0]), &mut |info| new.push(info));
            self.seen.insert(series[0], count);
            new.into_iter().for_each(|info| send_server(&self.program, server, info, &self.stated));
        }
        self.servers.remove(&server);
        self.take_over(series);
    }

    fn network(&mut self, now: SimTime, path: Path, _: &mut dyn ResourceDb) -> Option<NetworkInfo> {
        if let Some((given, known)) = self.networks.get(&path)
            && self.holds(*given, now)
        {
            return *known;
        }
        let message = Message::new("predict", "network").time("time", now);
        let question = of_path(message, path, self.program.environment()).line();
        let stated = self.program.ask(&question, answer::network)?;
        let info = stated.map(|stated| NetworkInfo {
            time: now,
            bandwidth: stated.bandwidth,
            latency: stated.latency,
        });
        self.networks.insert(path, (now, info));
        info
    }

    fn server(&mut self, now: SimTime, server: ServerNumber, _: &mut dyn ResourceDb) -> Option<ServerInfo> {
        if let Some((given, known)) = self.servers.get(&server)
            && self.holds(*given, now)
        {
            return *known;
        }
        let message = Message::new("predict", "server").time("time", now);
        let question = of_server(message, server, self.program.environment()).line();
        let stated = self.program.ask(&question, answer::server)?;
        let info = stated.map(|stated| ServerInfo {
            time: now,
            performance: stated.performance,
            load: stated.load,
            availability: stated.availability,
            is_up: stated.is_up,
        });
        self.servers.insert(server, (now, info));
        info
    }

    fn is_lasting(&self) -> bool {
        self.program.is_lasting()
    }

    fn forecast(&self, series: SeriesKey) -> Option<Forecast<'_>> {
        let StatedForecast { value, by, mse, mae } = self.forecasts.get(&series)?;
        Some(Forecast { name: by, value: *value, mse: *mse, mae: *mae })
    }
}
