//! Agreement of a replay with what was measured: the series of a measured queue or server against
//! the measurements that a monitor makes of it.
//!
//! A path is replayed if it leads over one queue whose model is `measured`, and a server if it has
//! a series of availability. Each measurement is compared with the point of the series that holds
//! when the measurement begins. A point is compared once: if several measurements begin before the
//! next point, with the first of them; a measurement without a point of its own is not compared. So
//! a series with holes is compared where it has points.
//!
//! Two batteries of the forecasters of the scenario forecast the next value, one from the points
//! and one from the measurements. Where a measurement is compared, so are the forecasts before it.
//! The error of a forecast is how far its own next value is from it: of every point that was in
//! force, and of every measurement.
//!
//! - Correlation is Pearson's, of each series by itself; the least of them is reported.
//! - A relative difference is |measured - point| / point, over all series of one kind.
//! - Points are those of the curve: none is below its least value.
//!
//! Source: A. Takefusa and others, HPDC 1999, section 5 and figures 6 to 9.

use crate::collections::OrderedMap;
use crate::curve::Curve;
use crate::environment::Environment;
use crate::forecast::{Battery, ForecastSettings, Select};
use crate::info::SeriesKey;
use crate::kernel::SimTime;
use crate::kernel::stats::{Quantiles, Table};
use crate::measure::family::{Aim, Family, Part, metrics_of};
use crate::measure::metric::{Metric, Value};

const TAKEFUSA: &str = "A. Takefusa and others, HPDC 1999, section 5";
const COMPARED: &str = "measurements after the warm-up that begin on a point of the series of their queue or server, the first of each point";
const FORECAST: &str = "points that are in force in the run, and measurements of them, after the warm-up: those that were forecast";
const ASKED: &str = "runs with `record.agreement`";

const KINDS: &[Part] = &[
    ("bandwidth", "of paths over one measured queue"),
    ("availability", "of servers with a measured availability"),
];
const BOTH: &[Part] = &[
    ("bandwidth", "bandwidths of paths over one measured queue"),
    ("bandwidth-forecast", "forecasts of these bandwidths"),
    ("availability", "availabilities of servers with a measured one"),
    ("availability-forecast", "forecasts of these availabilities"),
];
const SPREAD: &[Part] = &[
    ("median", "half of the differences are no greater"),
    ("p95", "95 % of the differences are no greater"),
    ("max", "the greatest"),
];
const SIDES: &[Part] = &[
    ("series", "from the points of the series, of its next point"),
    ("measured", "from the measurements, of the next measurement"),
];

const fn difference(name: &'static str, formula: &'static str) -> Family {
    Family::share(name, Aim::Lower, formula, COMPARED).parts(SPREAD).shown(ASKED).source(TAKEFUSA)
}

const fn error(name: &'static str, unit: &'static str, formula: &'static str) -> Family {
    Family::new(name, unit, Aim::Lower, formula, FORECAST).parts(SIDES).shown(ASKED).source(TAKEFUSA)
}

/// The families, in the order in which they are shown.
pub const FAMILIES: [Family; 8] = [
    Family::count(
        "agreement.instants",
        Aim::None,
        "measurements that are compared with points of the series that they replay",
        COMPARED,
    )
    .parts(KINDS)
    .shown(ASKED),
    Family::new(
        "agreement.correlation",
        "",
        Aim::Higher,
        "Pearson's correlation of points and measurements, or of forecasts from both; of several series the least",
        COMPARED,
    )
    .parts(BOTH)
    .shown(ASKED)
    .source(TAKEFUSA),
    difference("agreement.bandwidth-difference", "|measured - point| / point of bandwidths"),
    difference(
        "agreement.bandwidth-forecast-difference",
        "|from measurements - from points| / from points, of forecasts of bandwidths",
    ),
    difference("agreement.availability-difference", "|measured - point| / point of availabilities"),
    difference(
        "agreement.availability-forecast-difference",
        "|from measurements - from points| / from points, of forecasts of availabilities",
    ),
    error("agreement.bandwidth-error", "B/s", "mean |forecast - value| of forecasts of bandwidths"),
    error("agreement.availability-error", "", "mean |forecast - value| of forecasts of availabilities"),
];

/// Pairs of values: their correlation.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Correlation {
    count: f64,
    means: [f64; 2],
    /// Sums of squared deviations of both, and of their products.
    squares: [f64; 2],
    products: f64,
}

impl Correlation {
    fn add(&mut self, pair: [f64; 2]) {
        self.count += 1.0;
        let before = [pair[0] - self.means[0], pair[1] - self.means[1]];
        let after = |side: usize, means: &[f64; 2]| pair[side] - means[side];
        self.means.iter_mut().zip(before).for_each(|(mean, deviation)| *mean += deviation / self.count);
        for side in [0, 1] {
            self.squares[side] += before[side] * after(side, &self.means);
        }
        self.products += before[0] * after(1, &self.means);
    }

    /// Nothing if one of both does not vary.
    fn pearson(&self) -> Option<f64> {
        let scale = self.squares[0].sqrt() * self.squares[1].sqrt();
        (scale > 0.0).then(|| (self.products / scale).clamp(-1.0, 1.0))
    }
}

/// A series that is replayed: its points, and how far it was compared.
#[derive(Debug)]
struct Replayed {
    points: Vec<(SimTime, f64)>,
    /// The first point that was not in force yet.
    next: usize,
    /// Forecasters of the points, and of the measurements.
    batteries: [Battery; 2],
    values: Correlation,
    forecasts: Correlation,
}

/// A measurement and the point that it is compared with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ComparedInstant {
    /// Of what.
    pub series: SeriesKey,
    /// Instant at which the measurement began.
    pub began: SimTime,
    /// The point, and what was measured.
    pub values: [f64; 2],
    /// Forecasts of both values, from earlier points and from earlier measurements.
    pub forecasts: Option<[f64; 2]>,
}

/// Comparisons over all series of one kind.
#[derive(Debug, Default)]
struct OfKind {
    instants: u64,
    /// Of values, and of forecasts.
    differences: [Quantiles; 2],
    /// Of forecasts from points, and from measurements.
    errors: [Table; 2],
}

/// Compares measurements with the series that they replay.
#[derive(Debug)]
pub struct Agreement {
    /// Battery and selection that forecast; `None` compares no forecasts.
    battery: Option<(Battery, Select)>,
    warm_up: SimTime,
    /// `None` for a path or server that is not replayed.
    series: OrderedMap<SeriesKey, Option<Replayed>>,
    /// Bandwidths, then availabilities.
    kinds: [OfKind; 2],
    keeps: bool,
    /// Compared instants in the order of measurement, if they are kept.
    pub compared: Vec<ComparedInstant>,
}

impl Agreement {
    /// Nothing was measured. What begins before the end of the warm-up is not compared.
    pub fn new(forecasts: Option<&ForecastSettings>, warm_up: SimTime) -> Self {
        let battery = forecasts.map(|settings| (settings.battery.clone(), settings.select));
        let (series, kinds, compared) = (OrderedMap::new(), Default::default(), Vec::new());
        Agreement { battery, warm_up, series, kinds, keeps: false, compared }
    }

    /// The same, which keeps every instant that it compares.
    #[must_use]
    pub fn keeping(self) -> Self {
        Agreement { keeps: true, ..self }
    }

    /// A measurement that began at an instant had this value.
    pub fn measured(&mut self, environment: &Environment, key: SeriesKey, began: SimTime, value: f64) {
        let kind = usize::from(!matches!(key, SeriesKey::Bandwidth(_)));
        let Agreement { battery, warm_up, series, kinds, .. } = self;
        let replayed = series.entry(key).or_insert_with(|| {
            let curve = replayed_curve(environment, key)?;
            let forecaster = battery.as_ref().map_or_else(Battery::new, |(battery, _)| battery.clone());
            Some(Replayed::new(&curve, &forecaster))
        });
        if let Some(replayed) = replayed {
            let select = battery.as_ref().map(|(_, select)| *select);
            let compared = replayed.measured(
                (began, value),
                began >= *warm_up,
                select.unwrap_or_default(),
                &mut kinds[kind],
            );
            if let Some((values, forecasts)) = compared.filter(|_| self.keeps) {
                self.compared.push(ComparedInstant { series: key, began, values, forecasts });
            }
        }
    }

    /// The values of the families, in their order.
    pub fn metrics(&mut self) -> Vec<Metric> {
        let real =
            |value: Option<f64>| value.filter(|value| value.is_finite()).map_or(Value::Nothing, Value::Real);
        let mut values: Vec<Value> = self.kinds.iter().map(|kind| Value::Count(kind.instants)).collect();
        for kind in [0, 1] {
            let of_kind = |key: &SeriesKey| usize::from(!matches!(key, SeriesKey::Bandwidth(_))) == kind;
            let replayed =
                || self.series.iter().filter(|(key, _)| of_kind(key)).filter_map(|(_, one)| one.as_ref());
            let least = |of: fn(&Replayed) -> &Correlation| {
                replayed().filter_map(|one| of(one).pearson()).min_by(f64::total_cmp)
            };
            values.extend([real(least(|one| &one.values)), real(least(|one| &one.forecasts))]);
        }
        for kind in &mut self.kinds {
            for differences in &mut kind.differences {
                values.extend([50, 95, 100].map(|share| real(differences.quantile(share, 100))));
            }
        }
        for kind in &self.kinds {
            values.extend(kind.errors.each_ref().map(|errors| real(errors.mean())));
        }
        metrics_of(&FAMILIES, values)
    }
}

/// The series that a measurement of this key replays.
fn replayed_curve(environment: &Environment, key: SeriesKey) -> Option<Curve> {
    match key {
        SeriesKey::Bandwidth(path) => match &environment.network.route(path)[..] {
            [only] => only.measured.clone(),
            _ => None,
        },
        SeriesKey::Availability(server) => environment.server(server).availability.clone(),
        SeriesKey::Latency(_) | SeriesKey::Load(_) => None,
    }
}

impl Replayed {
    fn new(curve: &Curve, battery: &Battery) -> Self {
        Replayed {
            points: curve.points().collect(),
            next: 0,
            batteries: [battery.clone(), battery.clone()],
            values: Correlation::default(),
            forecasts: Correlation::default(),
        }
    }

    /// A measurement; what it is compared with, and forecasts of both, if it is.
    fn measured(
        &mut self,
        (began, value): (SimTime, f64),
        is_observed: bool,
        select: Select,
        all: &mut OfKind,
    ) -> Option<([f64; 2], Option<[f64; 2]>)> {
        let mut compared = None;
        let first = self.next;
        self.next += self.points[first..].iter().take_while(|(at, _)| *at <= began).count();
        let forecast = |battery: &Battery| Some(battery.best(select)?.value);
        let forecasts = |batteries: &[Battery; 2]| batteries.each_ref().map(forecast);
        for place in first..self.next {
            let point = self.points[place].1;
            let [of_points, of_measurements] = forecasts(&self.batteries);
            if is_observed {
                of_points.into_iter().for_each(|forecast| all.errors[0].record((forecast - point).abs()));
                if place + 1 == self.next {
                    let forecasts = of_points.zip(of_measurements).map(<[f64; 2]>::from);
                    self.compare([point, value], forecasts, all);
                    compared = Some(([point, value], forecasts));
                }
            }
            self.batteries[0].add(point);
        }
        if is_observed {
            forecast(&self.batteries[1])
                .into_iter()
                .for_each(|forecast| all.errors[1].record((forecast - value).abs()));
        }
        self.batteries[1].add(value);
        compared
    }

    fn compare(&mut self, pair: [f64; 2], forecasts: Option<[f64; 2]>, all: &mut OfKind) {
        let difference = |[of, other]: [f64; 2]| if of > 0.0 { (other - of).abs() / of } else { f64::NAN };
        all.instants += 1;
        self.values.add(pair);
        all.differences[0].record(difference(pair));
        if let Some(forecasts) = forecasts {
            self.forecasts.add(forecasts);
            all.differences[1].record(difference(forecasts));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Stepwise;
    use crate::forecast::Last;
    use crate::kernel::SimDuration;

    fn at(secs: u64) -> SimTime {
        SimTime::ZERO + SimDuration::from_secs(secs)
    }

    #[test]
    fn a_correlation_worked_by_hand() {
        let mut pairs = Correlation::default();
        assert_eq!(pairs.pearson(), None);
        // deviations -1.5, -0.5, 0.5, 1.5 and -1, -2, 1, 2: their products add up to 6, squares to
        // 5 and 10
        for pair in [[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 5.0]] {
            pairs.add(pair);
        }
        let pearson = pairs.pearson().expect("both vary");
        assert!((pearson - 6.0 / 50_f64.sqrt()).abs() < 1e-12, "{pearson}");
        let mut constant = Correlation::default();
        [1.0, 2.0, 3.0].into_iter().for_each(|value| constant.add([value, 7.0]));
        assert_eq!(constant.pearson(), None);
    }

    /// Points at 0, 60 and 180 s: measurements at 0, 60, 90 and 200 s, of which that at 90 s has no
    /// point of its own.
    #[test]
    fn a_point_is_compared_with_the_first_measurement_that_begins_on_it() {
        let points = [(at(0), 10.0), (at(60), 20.0), (at(180), 40.0)];
        let curve = Curve::new(&points, &Stepwise, 1.0).expect("a curve");
        let mut all = OfKind::default();
        let mut replayed = Replayed::new(&curve, &Battery::new().with("last", Last::default()));
        for (second, value) in [(0, 10.0), (60, 19.0), (90, 21.0), (200, 42.0)] {
            let compared = replayed.measured((at(second), value), true, Select::Mse, &mut all);
            assert_eq!(compared.is_some(), second != 90);
        }
        assert_eq!(all.instants, 3);
        assert_eq!(all.differences[0].quantile(100, 100), Some(0.05));
        // from points 20 is forecast of 40; from measurements 19 of 21, and 21 of 42
        assert_eq!(all.errors.each_ref().map(Table::mean), [Some(20.0), Some(11.5)]);
        assert_eq!(all.differences[1].quantile(100, 100), Some(0.05));
    }

    #[test]
    fn every_family_has_its_values_and_without_measurements_they_are_nothing() {
        let metrics = Agreement::new(None, at(0)).metrics();
        let names: usize = FAMILIES.iter().map(|family| family.names().len()).sum();
        assert_eq!(metrics.len(), names);
        assert!(metrics[2..].iter().all(|metric| metric.value == Value::Nothing));
    }
}
