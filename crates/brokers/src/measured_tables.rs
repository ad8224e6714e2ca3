//! Rows of the tables of what was measured and forecast.

use std::io;

use crate::agreement::Agreement;
use crate::collections::OrderedMap;
use crate::info::{PathDirection, SeriesKey, ServerNumber};
use crate::kernel::SimTime;
use crate::outcomes::BrokerOutcomes;
use crate::output::{Always, Category, Row as _, RowSink, Word};
use crate::registry::definition::words;
use crate::rows::{AgreementRow, BelievedRow, ForecastRow, ForecasterRow, MeasurementRow};

words! {
    /// Quantity of a value in measurements.csv, forecasts.csv and agreement.csv.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum MeasuredKind {
        Bandwidth = "bandwidth", "the bandwidth of a path, in bytes per second";
        Latency = "latency", "the latency of a path, in seconds";
        Load = "load", "the tasks at a server, in its queue and in service";
        Availability = "availability", "the share of a server that one more task gets";
    }
}

pub(super) fn push_measurements(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.measurements.iter().try_for_each(|measured| {
        let Named { kind, from, to } = Named::of(outcomes, measured.series);
        let row = MeasurementRow { time: measured.time, kind, from, to, value: measured.value };
        row.push(Always, sink)
    })
}

pub(super) fn push_forecasts(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.forecasts.iter().try_for_each(|found| {
        let Named { kind, from, to } = Named::of(outcomes, found.series);
        let row = ForecastRow {
            time: found.time,
            kind,
            from,
            to,
            forecaster: (&*found.forecaster).into(),
            forecast: found.forecast,
            actual: found.actual,
        };
        row.push(Always, sink)
    })
}

pub(super) fn push_forecasters(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    let mut believed: OrderedMap<(SeriesKey, &str), u64> = OrderedMap::new();
    for found in &outcomes.forecasts {
        *believed.entry((found.series, &found.forecaster)).or_default() += 1;
    }
    outcomes.forecasters.iter().try_for_each(|found| {
        let Named { kind, from, to } = Named::of(outcomes, found.series);
        let [mse, mae] = found.errors;
        let believed = believed.get(&(found.series, &*found.forecaster)).copied().unwrap_or(0);
        let forecaster = (&*found.forecaster).into();
        ForecasterRow { kind, from, to, forecaster, mse, mae, believed }.push(Always, sink)
    })
}

pub(super) fn push_believed(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    struct Span<'a> {
        begin: SimTime,
        end: SimTime,
        series: SeriesKey,
        forecaster: &'a str,
        values: u64,
    }
    let mut spans: Vec<Span<'_>> = Vec::new();
    let mut last: OrderedMap<SeriesKey, usize> = OrderedMap::new();
    for found in &outcomes.forecasts {
        let place = last.get(&found.series).copied();
        if let Some(span) = place.map(|place| &mut spans[place]) {
            if span.forecaster == found.forecaster {
                span.values += 1;
                continue;
            }
            span.end = found.time;
        }
        last.insert(found.series, spans.len());
        let (begin, end, series) = (found.time, outcomes.ended, found.series);
        spans.push(Span { begin, end, series, forecaster: &found.forecaster, values: 1 });
    }
    spans.iter().try_for_each(|span| {
        let Named { kind, from, to } = Named::of(outcomes, span.series);
        let (forecaster, values) = (span.forecaster.into(), span.values);
        BelievedRow { begin: span.begin, end: span.end, kind, from, to, forecaster, values }
            .push(Always, sink)
    })
}

pub(super) fn push_agreement(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    let compared = outcomes.agreement.iter().flat_map(|agreement: &Agreement| &agreement.compared);
    for instant in compared {
        let Named { kind, from, to } = Named::of(outcomes, instant.series);
        let [point, measured] = instant.values;
        let row = AgreementRow {
            time: instant.began,
            kind,
            from,
            to,
            point,
            measured,
            forecast_of_point: instant.forecasts.map(|[of_point, _]| of_point),
            forecast_of_measured: instant.forecasts.map(|[_, of_measured]| of_measured),
        };
        row.push(Always, sink)?;
    }
    Ok(())
}

/// Names of a series: of a path where it begins and ends, else of its server.
struct Named<'a> {
    kind: Word<'a>,
    from: Category<'a>,
    to: Option<Category<'a>>,
}

impl<'a> Named<'a> {
    fn of(outcomes: &'a BrokerOutcomes, series: SeriesKey) -> Self {
        let server = |server: ServerNumber| Category::from(&*outcomes.servers[server.index()].name);
        let (kind, path) = match series {
            SeriesKey::Bandwidth(path) => (MeasuredKind::Bandwidth, path),
            SeriesKey::Latency(path) => (MeasuredKind::Latency, path),
            SeriesKey::Load(of) => {
                return Named { kind: Word(MeasuredKind::Load.name()), from: server(of), to: None };
            }
            SeriesKey::Availability(of) => {
                return Named { kind: Word(MeasuredKind::Availability.name()), from: server(of), to: None };
            }
        };
        let client = Category::from(&*outcomes.clients[path.client.index()]);
        let (from, to) = match path.direction {
            PathDirection::Send => (client, server(path.server)),
            PathDirection::Receive => (server(path.server), client),
        };
        Named { kind: Word(kind.name()), from, to: Some(to) }
    }
}
