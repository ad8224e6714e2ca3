//! The metrics of a run as text, where its system has no table of its own.

use std::fmt::Write;

use crate::instrument::metrics::{Metric, Value};
use crate::output::number::{grouped, plain, span};
use crate::scenario::{Figures, Scenario};
use crate::text::in_one_line;

/// What stands for a value that there is none of.
const NOTHING: &str = "—";

/// The text to be printed, with its last line end.
pub fn text(scenario: &Scenario, figures: &Figures<'_>) -> String {
    let mut lines: Vec<(&str, String)> =
        figures.metrics.iter().map(|metric| (metric.name.as_str(), value(scenario, metric))).collect();
    lines.extend([("events", grouped(figures.events)), ("digest", figures.digest.to_string())]);
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = format!("{}\n\n", in_one_line(&scenario.title));
    for (name, value) in lines {
        // writing into a String cannot fail
        let _ = writeln!(text, " {name:<width$}  {value}");
    }
    for warning in &figures.warnings {
        let _ = writeln!(text, "\n warning: {} ({})", warning.text, warning.code);
    }
    text.push_str(if figures.drew {
        "\n no interval: one run of what was drawn at random; --replications N gives one\n"
    } else {
        "\n no interval: nothing random was drawn\n"
    });
    text
}

fn value(scenario: &Scenario, metric: &Metric) -> String {
    match metric.value {
        Value::Nothing => NOTHING.to_owned(),
        Value::Count(count) => grouped(count),
        Value::Real(seconds) if metric.unit == "s" => span(seconds),
        Value::Real(share) if scenario.system.is_share(&metric.name) => format!("{} %", plain(share * 100.0)),
        Value::Real(value) if metric.unit.is_empty() => plain(value),
        Value::Real(value) => format!("{} {}", plain(value), metric.unit),
    }
}
