//! Measurements, and forecasts of them.

use crate::check::sheet::{Right, Sheet};
use crate::check::{Judgement, Violation, near};
use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::output::Always;
use crate::rows::{ForecasterCells, ForecasterRow};

use super::battery::JudgedSeries;
use super::run::{ForecastRow, MeasuredRow, Run, series};
use super::unjudged::{DRIFT, NO_BATTERY, NO_FORECASTS, NO_MEASUREMENTS};

fn of_series([kind, from, to]: &[String; 3], at: SimTime, what: &str) -> Violation {
    let between = if to.is_empty() { from.clone() } else { format!("{from} to {to}") };
    Violation::of_no_job(at, format!("{kind} of {between} {what}"))
}

/// Availability is that of the series of the server, or what its load leaves of it to one more
/// task.
pub(super) fn readings(run: &Run<'_>) -> Judgement {
    let rows = run.measurements.as_ref().ok_or(NO_MEASUREMENTS)?;
    let mut found = Vec::new();
    let mut loads: OrderedMap<&str, &MeasuredRow> = OrderedMap::new();
    let mut last = SimTime::ZERO;
    for row in rows {
        if row.time < last {
            found.push(of_series(&row.series, row.time, "is measured before the row above it"));
        }
        last = row.time;
        let [kind, server, _] = &row.series;
        match &**kind {
            "load" => {
                loads.insert(server, row);
            }
            "availability" if !run.files.has_drift => {
                let series = run.facts.server(server).and_then(|number| run.facts.availability(number));
                let by_series = series.map(|series| series.at(row.time));
                let by_load = loads
                    .get(&**server)
                    .filter(|load| load.time == row.time)
                    .map(|load| (1.0 + load.value).recip());
                let is_it = |right: f64| near(right, row.value);
                if !by_series.or(by_load).is_some_and(is_it) {
                    let what =
                        format!("is {}, which is neither its series nor what its load leaves", row.value);
                    found.push(of_series(&row.series, row.time, &what));
                }
            }
            _ => {}
        }
    }
    if run.files.has_drift && found.is_empty() {
        return Err(DRIFT);
    }
    Ok(found)
}

/// Series by their names, as they are by now.
type AllSeries<'a> = OrderedMap<&'a [String; 3], JudgedSeries<'a>>;

/// Each forecast is that of the forecaster which erred least on the values before.
pub(super) fn forecasts(run: &Run<'_>) -> Judgement {
    let (Some(measured), Some(forecasts)) = (&run.measurements, &run.forecasts) else {
        return Err(NO_FORECASTS);
    };
    let battery = run.files.battery.ok_or(NO_BATTERY)?;
    let mut found = Vec::new();
    let mut all = AllSeries::new();
    let mut rows = forecasts.iter();
    for value in measured {
        let series = all.entry(&value.series).or_insert_with(|| JudgedSeries::new(battery));
        let best = series.best();
        if let Some(first) = best.first() {
            let is_it = |row: &ForecastRow| {
                (row.time, &row.series, row.actual) == (value.time, &value.series, value.value)
                    && best
                        .iter()
                        .any(|said| row.forecaster == said.name && series.is_near(row.forecast, said.value))
            };
            if !rows.next().is_some_and(is_it) {
                let what = format!(
                    "is forecast to be {} by {}, which is not in the row of it",
                    first.value, first.name
                );
                found.push(of_series(&value.series, value.time, &what));
                // what follows would be off by a row
                break;
            }
        }
        series.add(value.value);
    }
    if found.is_empty()
        && let Some(row) = rows.next()
    {
        found.push(of_series(&row.series, row.time, "is forecast, and nothing was measured"));
    }
    Ok(found)
}

/// Cells of `forecasters.csv`: a row for each forecaster that has been tried, of the series that
/// were forecast, which stand in any order.
pub(super) fn forecasters(run: &Run<'_>, sheet: &Sheet<'_, ForecasterRow<'_>>) -> Vec<Vec<Right>> {
    let (Some(measured), Some(battery)) = (&run.measurements, run.files.battery) else {
        let why = if run.measurements.is_none() { NO_MEASUREMENTS } else { NO_BATTERY };
        let open = |_: &ForecasterRow<'_>| ForecasterCells::all(&Right::Open(why)).list(Always);
        return sheet.rows.iter().map(open).collect();
    };
    let mut all = AllSeries::new();
    for value in measured {
        all.entry(&value.series).or_insert_with(|| JudgedSeries::new(battery)).add(value.value);
    }
    let mut believed: OrderedMap<(&[String; 3], &str), u64> = OrderedMap::new();
    for row in run.forecasts.iter().flatten() {
        *believed.entry((&row.series, &row.forecaster)).or_default() += 1;
    }
    let mut order: Vec<&[String; 3]> = Vec::new();
    for row in &sheet.rows {
        let of_row = series(row.kind, row.from.clone(), row.to.clone());
        let named = all.keys().find(|series| ***series == of_row).copied();
        order.extend(named.filter(|series| order.last() != Some(series)));
    }
    let is_left = |series: &&[String; 3]| !order.contains(series);
    let left: Vec<&[String; 3]> = believed.keys().map(|(series, _)| *series).filter(is_left).collect();
    let mut rows = Vec::new();
    for name in order.into_iter().chain(left) {
        let Some(series) = all.get(name) else { continue };
        for said in series.all() {
            let stated = sheet.rows.get(rows.len());
            let error = |by: usize| {
                let stated = stated.map(|row| [row.mse, row.mae][by]);
                let is_near = |stated: &f64| (stated - said.errors[by]).abs() <= series.rounding(*stated, by);
                Right::Real(stated.filter(is_near).unwrap_or(said.errors[by]))
            };
            let count = believed.get(&(name, said.name)).copied().unwrap_or(0);
            let [kind, from, to] = name.each_ref().map(|cell| Right::text(cell));
            let right = ForecasterCells {
                kind,
                from,
                to,
                forecaster: Right::text(said.name),
                mse: error(0),
                mae: error(1),
                believed: Right::Count(count),
            };
            rows.push(right.list(Always));
        }
    }
    rows
}
