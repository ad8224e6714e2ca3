//! Forecasts: the value that the battery of forecasters gives for the next measurement of each
//! resource.
//!
//! Source: R. Wolski, N. Spring, J. Hayes, "The network weather service: a distributed resource
//! performance forecasting service for metacomputing", FGCS 15(5-6), 1999.

use crate::estimate::measured::{DELAY, Measurements, STEP};
use crate::estimate::predictions::{PredictedValue, Predictions};
use crate::estimate::{EstimateQuestion, Estimator, ProgressEstimate};
use crate::forecast::{Battery, Select};
use crate::model::grid::{HostNumber, LinkNumber};
use crate::registry::{Entry, Kind, entry, keys};

const KEYS: &[crate::registry::Key] = &keys! {
    ..STEP;
    ..DELAY;
    "select" Kind::Choice(&[
        ("mse", "that with the least mean squared error so far"),
        ("mae", "that with the least mean absolute error so far"),
    ]), or "mse" => "which forecaster is believed";
};

pub(super) const ENTRY: Entry<dyn Estimator> = entry!(
    "forecast" => "each resource by what was measured of it, and the forecaster that was best so far",
    source "R. Wolski, N. Spring, J. Hayes, FGCS 15(5-6), 1999", keys KEYS,
    reads |params| ForecastEstimator {
        measured: Measurements::read(params)?,
        by: if params.read::<String>("select")? == "mae" { Select::Mae } else { Select::Mse },
        seen: 0,
        links: Vec::new(),
        hosts: Vec::new(),
    }
);

/// Batteries of forecasters, one a series.
#[derive(Debug)]
pub(crate) struct ForecastEstimator {
    measured: Measurements,
    by: Select,
    /// Values that the batteries have got.
    seen: u64,
    /// Of latency and bandwidth.
    links: Vec<[Battery; 2]>,
    hosts: Vec<Battery>,
}

impl Estimator for ForecastEstimator {
    fn predictions(&mut self, question: &EstimateQuestion<'_>) -> Predictions {
        let (links, hosts) = question.counts();
        self.links.resize_with(links, || [Battery::standard(), Battery::standard()]);
        self.hosts.resize_with(hosts, Battery::standard);
        let count = self.measured.count(question.now);
        for place in self.seen..count {
            let at = self.measured.instant(place);
            for (link, [latencies, bandwidths]) in (0..).map(LinkNumber).zip(&mut self.links) {
                let (latency, bandwidth) = question.measured_link(link, at);
                latencies.add(latency);
                bandwidths.add(bandwidth);
            }
            for (host, values) in (0..).map(HostNumber).zip(&mut self.hosts) {
                values.add(question.measured_host(host, at));
            }
        }
        self.seen = self.seen.max(count);
        let best = |battery: &Battery, measured: f64| {
            let value = battery.best(self.by).map_or(measured, |forecast| forecast.value);
            PredictedValue::constant(value.max(0.0))
        };
        question.predicted(
            |link| {
                let (latency, bandwidth) = question.measured_link(link, question.now);
                let [latencies, bandwidths] = &self.links[link.index()];
                (best(latencies, latency), best(bandwidths, bandwidth))
            },
            |host| best(&self.hosts[host.index()], question.measured_host(host, question.now)),
        )
    }

    fn progress(&self) -> ProgressEstimate {
        ProgressEstimate::Measured
    }
}
