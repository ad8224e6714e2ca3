//! Forecasts of each series by itself: by a battery of forecasters, or by one alone.
//!
//! Every measurement is taken in when it comes; what will be is asked for when a task is to be
//! placed. The answer is the next value of the series, or the mean over the next values of
//! `horizon`.
//!
//! Source: R. Wolski, "Dynamically forecasting network performance using the Network Weather
//! Service", Cluster Computing 1(1), 1998.

use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::curve::availability;
use crate::database::ResourceDb;
use crate::environment::Environment;
use crate::forecast::{self, Battery, Forecast, ForecastSettings};
use crate::info::SeriesKey;
use crate::info::{NetworkInfo, Path, ServerInfo, ServerNumber};
use crate::kernel::SimTime;
use crate::predictor::{Predictor, PredictorKind};
use crate::registry::Entry;

pub(super) const BATTERY: Entry<dyn PredictorKind> = Entry::published(
    "battery",
    "of each series what the forecaster says that has erred least so far",
    "R. Wolski, Cluster Computing 1(1), 1998",
    &forecast::KEYS,
    |params| Ok(Box::new(Forecasts(ForecastSettings::read(params)?))),
);

#[derive(Clone, Debug)]
struct Forecasts(ForecastSettings);

impl PredictorKind for Forecasts {
    fn begin(&self, _: &Rc<Environment>) -> Box<dyn Predictor> {
        Box::new(Forecasting {
            settings: self.0.clone(),
            series: OrderedMap::new(),
            seen: OrderedMap::new(),
            up: OrderedMap::new(),
        })
    }
}

#[derive(Debug)]
struct Forecasting {
    settings: ForecastSettings,
    series: OrderedMap<SeriesKey, Battery>,
    /// Number of measurements of each were taken in; of a path under its bandwidth, of a server
    /// under its load.
    seen: OrderedMap<SeriesKey, u64>,
    up: OrderedMap<ServerNumber, (f64, bool)>,
}

impl Forecasting {
    fn take_in(&mut self, series: SeriesKey, value: f64) {
        self.series.entry(series).or_insert_with(|| self.settings.battery.clone()).add(value);
    }

    fn predict(&self, series: SeriesKey) -> Option<f64> {
        self.settings.forecast(self.series.get(&series)?)
    }
}

impl Predictor for Forecasting {
    fn measured_network(&mut self, path: Path, db: &mut dyn ResourceDb) {
        let since = self.seen.get(&SeriesKey::Bandwidth(path)).copied().unwrap_or(0);
        let mut new = Vec::new();
        let count = db.get_network(path, since, &mut |info| new.push((info.bandwidth, info.latency)));
        self.seen.insert(SeriesKey::Bandwidth(path), count);
        for (bandwidth, latency) in new {
            self.take_in(SeriesKey::Bandwidth(path), bandwidth);
            self.take_in(SeriesKey::Latency(path), latency);
        }
    }

    fn measured_server(&mut self, server: ServerNumber, db: &mut dyn ResourceDb) {
        let since = self.seen.get(&SeriesKey::Load(server)).copied().unwrap_or(0);
        let mut new = Vec::new();
        let count = db.get_server(server, since, &mut |info| new.push(info));
        self.seen.insert(SeriesKey::Load(server), count);
        for info in new {
            self.take_in(SeriesKey::Load(server), info.load);
            self.take_in(SeriesKey::Availability(server), info.availability);
            self.up.insert(server, (info.performance, info.is_up));
        }
    }

    fn network(&mut self, now: SimTime, path: Path, _: &mut dyn ResourceDb) -> Option<NetworkInfo> {
        let bandwidth = self.predict(SeriesKey::Bandwidth(path))?;
        let latency = self.predict(SeriesKey::Latency(path))?;
        // an autoregression may lead below what can be
        Some(NetworkInfo { time: now, bandwidth: bandwidth.max(1.0), latency: latency.max(0.0) })
    }

    fn server(&mut self, now: SimTime, server: ServerNumber, _: &mut dyn ResourceDb) -> Option<ServerInfo> {
        let load = self.predict(SeriesKey::Load(server))?.max(0.0);
        let predicted = self.predict(SeriesKey::Availability(server)).unwrap_or_else(|| availability(load));
        let (performance, is_up) = *self.up.get(&server)?;
        Some(ServerInfo { time: now, performance, load, availability: predicted.clamp(0.001, 1.0), is_up })
    }

    fn is_lasting(&self) -> bool {
        true
    }

    fn forecast(&self, series: SeriesKey) -> Option<Forecast<'_>> {
        self.series.get(&series)?.best(self.settings.select)
    }

    fn forecasters(&self, series: SeriesKey) -> Vec<Forecast<'_>> {
        self.series.get(&series).into_iter().flat_map(Battery::all).collect()
    }
}
