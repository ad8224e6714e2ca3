//! What was measured, and what was forecast of it.

use crate::check::{Judgement, Violation};
use crate::collections::OrderedMap;
use crate::forecast::Battery;
use crate::kernel::SimTime;

use super::run::{ForecastRow, MeasuredRow, Run};
use super::unjudged::{DRIFT, NO_BATTERY, NO_FORECASTS, NO_MEASUREMENTS};

fn of_series([kind, from, to]: &[String; 3], at: SimTime, what: &str) -> Violation {
    let between = if to.is_empty() { from.clone() } else { format!("{from} to {to}") };
    Violation::of_no_job(at, format!("{kind} of {between} {what}"))
}

/// Availability is that of the series of the server, or what its load leaves of it to one more task.
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
                let by_series =
                    run.facts.server(server).and_then(|number| run.facts.availability(number, row.time));
                let by_load = loads
                    .get(&**server)
                    .filter(|load| load.time == row.time)
                    .map(|load| (1.0 + load.value).recip());
                if by_series.or(by_load) != Some(row.value) {
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

/// Each forecast is that of the forecaster which erred least on the values before.
pub(super) fn forecasts(run: &Run<'_>) -> Judgement {
    let (Some(measured), Some(forecasts)) = (&run.measurements, &run.forecasts) else {
        return Err(NO_FORECASTS);
    };
    let settings = run.files.battery.ok_or(NO_BATTERY)?;
    let mut found = Vec::new();
    let mut series: OrderedMap<&[String; 3], Battery> = OrderedMap::new();
    let mut rows = forecasts.iter();
    for value in measured {
        let battery = series.entry(&value.series).or_insert_with(|| settings.battery.clone());
        if let Some(best) = battery.best(settings.select) {
            let row = rows.next();
            let is_it = |row: &ForecastRow| {
                (row.time, &row.series, row.actual) == (value.time, &value.series, value.value)
                    && (&*row.forecaster, row.forecast) == (best.name, best.value)
            };
            if !row.is_some_and(is_it) {
                let what = format!(
                    "is forecast to be {} by {}, which is not in the row of it",
                    best.value, best.name
                );
                found.push(of_series(&value.series, value.time, &what));
                // what follows would be off by a row
                break;
            }
        }
        battery.add(value.value);
    }
    if found.is_empty()
        && let Some(row) = rows.next()
    {
        found.push(of_series(&row.series, row.time, "is forecast, and nothing was measured"));
    }
    Ok(found)
}
