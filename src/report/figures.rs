//! The metrics of a run as text, where its system has no table of its own, and the parts that such texts are made of.

use std::fmt::Write;

use crate::instrument::metrics::{Metric, Value};
use crate::output::number::{grouped, plain, span};
use crate::scenario::{Figures, Scenario};
use crate::text::in_one_line;

/// What stands for a value that there is none of.
pub const NOTHING: &str = "—";
/// Columns of a strip chart, where there is room for them.
const COLUMNS: usize = 72;
/// Columns of a strip chart at least, and columns next to it.
const LEAST: usize = 20;
const ALONGSIDE: usize = 4;

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
    text.push_str(no_interval(figures.drew));
    text
}

/// Why the figures of one run have no intervals.
pub fn no_interval(drew: bool) -> &'static str {
    if drew {
        "\n no interval: one run of what was drawn at random; --replications N gives one\n"
    } else {
        "\n no interval: nothing random was drawn\n"
    }
}

/// Adds labelled values, a line each.
pub fn labelled<'a>(text: &mut String, lines: impl IntoIterator<Item = (&'a str, Option<String>)>) {
    for (label, value) in lines {
        // writing into a String cannot fail
        let _ = writeln!(text, " {label:<12} {}", value.as_deref().unwrap_or(NOTHING));
    }
}

/// Columns of a strip chart on a terminal so wide.
pub fn strip_columns(width: Option<usize>) -> usize {
    width.map_or(COLUMNS, |width| width.saturating_sub(ALONGSIDE).clamp(LEAST, COLUMNS))
}

/// Adds a strip chart of levels from 0 to 8, a column each, over so many seconds.
pub fn strip(text: &mut String, title: &str, levels: &[usize], seconds: f64) {
    const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar: String = levels.iter().map(|level| LEVELS[(*level).min(8)]).collect();
    let (length, width) = (span(seconds), levels.len().saturating_sub(1));
    let _ = writeln!(text, "\n {title}\n ▕{bar}▏\n  0{length:>width$}");
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{} %", plain(share * 100.0))
}

fn value(scenario: &Scenario, metric: &Metric) -> String {
    match metric.value {
        Value::Nothing => NOTHING.to_owned(),
        Value::Count(count) => grouped(count),
        Value::Real(seconds) if metric.unit == "s" => span(seconds),
        Value::Real(share) if scenario.system.is_share(&metric.name) => percent(share),
        Value::Real(value) if metric.unit.is_empty() => plain(value),
        Value::Real(value) => format!("{} {}", plain(value), metric.unit),
    }
}
