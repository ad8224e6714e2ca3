//! Tables of what was measured and forecast: their columns, and their rows of a run.

use std::io;

use crate::broker::agreement::Agreement;
use crate::broker::info::{Path, PathDirection, SeriesKey};
use crate::broker::outcomes::BrokerOutcomes;
use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::output::{Cell, RowSink, Table, columns};
use crate::registry::definition::words;

words! {
    /// Quantity of a value in measurements.csv, forecasts.csv and agreement.csv.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum MeasuredKind {
        Bandwidth = "bandwidth", "the bandwidth of a path, in bytes per second";
        Latency = "latency", "the latency of a path, in seconds";
        Load = "load", "the tasks at a server, in its queue and in service";
        Availability = "availability", "the share of a server that one more task gets";
    }
}

pub(super) fn measurements() -> Table {
    Table::new(
        "measurements",
        "of global computing: a row a measured value, in the order of time. Key: record.measurements",
        &columns! {
            "time" Time "s", "when it was written into the database";
            "kind" Text "", "what it is a value of";
            "from" Text "", "of a path where it begins; of a server its name";
            "to" Text "", "of a path where it ends";
            "value" Real "", "the value, in the unit of its kind";
        },
    )
}

pub(super) fn push_measurements(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.measurements.iter().try_for_each(|measured| {
        let [kind, from, to] = series_cells(outcomes, measured.series);
        sink.row(&[Cell::at(measured.time), kind, from, to, Cell::Real(measured.value)])
    })
}

pub(super) fn forecasts() -> Table {
    Table::new(
        "forecasts",
        "of global computing: a row a measured value that had been forecast, in the order of time. Key: record.forecasts",
        &columns! {
            "time" Time "s", "when it was measured";
            "kind" Text "", "what it is a value of";
            "from" Text "", "of a path where it begins; of a server its name";
            "to" Text "", "of a path where it ends";
            "forecaster" Text "", "the forecaster that was believed";
            "forecast" Real "", "what it said before, in the unit of the kind";
            "actual" Real "", "what was measured";
        },
    )
}

pub(super) fn push_forecasts(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.forecasts.iter().try_for_each(|found| {
        let [kind, from, to] = series_cells(outcomes, found.series);
        let [forecast, actual] = [found.forecast, found.actual].map(Cell::Real);
        sink.row(&[Cell::at(found.time), kind, from, to, Cell::Text(&found.forecaster), forecast, actual])
    })
}

pub(super) fn forecasters() -> Table {
    Table::new(
        "forecasters",
        "of global computing: a row a series that was forecast and a forecaster of the battery. Key: record.forecasts",
        &columns! {
            "kind" Text "", "what the series has values of";
            "from" Text "", "of a path where it begins; of a server its name";
            "to" Text "", "of a path where it ends";
            "forecaster" Text "", "the forecaster";
            "mse" Real "", "the mean of its squared errors at the end of the run, over all of them or the last (`predictor.window`)";
            "mae" Real "", "the mean of its absolute errors, in the unit of the kind";
            "believed" Count "", "values of which its forecast was believed";
        },
    )
}

pub(super) fn push_forecasters(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    let mut believed: OrderedMap<(SeriesKey, &str), u64> = OrderedMap::new();
    for found in &outcomes.forecasts {
        *believed.entry((found.series, &found.forecaster)).or_default() += 1;
    }
    outcomes.forecasters.iter().try_for_each(|found| {
        let [kind, from, to] = series_cells(outcomes, found.series);
        let [mse, mae] = found.errors.map(Cell::Real);
        let count = believed.get(&(found.series, &*found.forecaster)).copied().unwrap_or(0);
        sink.row(&[kind, from, to, Cell::Text(&found.forecaster), mse, mae, Cell::Count(count)])
    })
}

pub(super) fn believed() -> Table {
    Table::new(
        "believed",
        "of global computing: a row a span of time in which the forecasts of one forecaster were believed, in the order of beginning. Key: record.forecasts",
        &columns! {
            "begin" Time "s", "when the first value was measured that it had forecast";
            "end" Time "s", "when the first value was measured that another one had; the end of the run if there was none";
            "kind" Text "", "what the series has values of";
            "from" Text "", "of a path where it begins; of a server its name";
            "to" Text "", "of a path where it ends";
            "forecaster" Text "", "the forecaster that was believed";
            "values" Count "", "values that it had forecast";
        },
    )
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
        let [kind, from, to] = series_cells(outcomes, span.series);
        let [begin, end] = [span.begin, span.end].map(Cell::at);
        sink.row(&[begin, end, kind, from, to, Cell::Text(span.forecaster), Cell::Count(span.values)])
    })
}

pub(super) fn agreement() -> Table {
    Table::new(
        "agreement",
        "of global computing: a row a measurement that is compared with the point of the series that it replays, in the order in which they were measured. Key: record.agreement",
        &columns! {
            "time" Time "s", "when the measurement began";
            "kind" Text "", "what it is a value of";
            "from" Text "", "of a path where it begins; of a server its name";
            "to" Text "", "of a path where it ends";
            "point" Real "", "the point of the series that was in force, in the unit of the kind";
            "measured" Real "", "what was measured";
            "forecast_of_point" Real "", "what was forecast from the points before; empty without the predictor `battery`";
            "forecast_of_measured" Real "", "what was forecast from the measurements before";
        },
    )
}

pub(super) fn push_agreement(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    let compared = outcomes.agreement.iter().flat_map(|agreement: &Agreement| &agreement.compared);
    for instant in compared {
        let [kind, from, to] = series_cells(outcomes, instant.series);
        let [point, measured] = instant.values.map(Cell::Real);
        let [of_point, of_measured] =
            instant.forecasts.map_or([Cell::Empty; 2], |forecasts| forecasts.map(Cell::Real));
        sink.row(&[Cell::at(instant.began), kind, from, to, point, measured, of_point, of_measured])?;
    }
    Ok(())
}

/// Kind, from and to of a series.
fn series_cells(outcomes: &BrokerOutcomes, series: SeriesKey) -> [Cell<'_>; 3] {
    let of_path = |kind: MeasuredKind, path: Path| {
        let client = Cell::Text(&outcomes.clients[path.client.index()]);
        let server = Cell::Text(&outcomes.servers[path.server.index()].name);
        match path.direction {
            PathDirection::Send => [Cell::Word(kind.name()), client, server],
            PathDirection::Receive => [Cell::Word(kind.name()), server, client],
        }
    };
    let (kind, server) = match series {
        SeriesKey::Bandwidth(path) => return of_path(MeasuredKind::Bandwidth, path),
        SeriesKey::Latency(path) => return of_path(MeasuredKind::Latency, path),
        SeriesKey::Load(server) => (MeasuredKind::Load, server),
        SeriesKey::Availability(server) => (MeasuredKind::Availability, server),
    };
    [Cell::Word(kind.name()), Cell::Text(&outcomes.servers[server.index()].name), Cell::Empty]
}
