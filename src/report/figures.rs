//! The metrics of a run as text, where its system has no table of its own, and the parts that such texts are made of.

use std::fmt::Write;

use crate::instrument::metrics::{Metric, Value};
use crate::kernel::SimTime;
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
    text.push_str(no_interval(figures.drew));
    text
}

/// Rejections by reason, reasons to doubt the figures of a run, and notes on them, a line each; nothing
/// without any.
pub fn doubts(figures: &Figures<'_>) -> String {
    let mut text = String::new();
    for one in &figures.rejections {
        let gap = if text.is_empty() { "\n" } else { "" };
        let about = one.about.trim_start_matches("rejected: ");
        let _ = writeln!(text, "{gap} rejected {:>8}  {}: {about}", grouped(one.count), one.reason);
    }
    for (word, all) in [("warning", &figures.warnings), ("note", &figures.notes)] {
        for one in all {
            let gap = if text.is_empty() { "\n" } else { "" };
            let _ = writeln!(text, "{gap} {word}: {}", one.text);
        }
    }
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

/// Adds a strip chart of how many of these servers are in use, from the beginning of the run to `end`; nothing if that is at 0.
pub fn strip_of_spans(
    text: &mut String,
    title: &str,
    spans: impl Iterator<Item = (SimTime, SimTime)>,
    servers: u64,
    (end, columns): (SimTime, usize),
) {
    let whole = end.as_nanos();
    if whole == 0 {
        return;
    }
    let mut used = vec![0_u128; columns];
    for (start, end) in spans {
        let place = |at: SimTime| (u128::from(at.as_nanos()) * columns as u128 / u128::from(whole)) as usize;
        for (column, used) in used.iter_mut().enumerate().take(place(end) + 1).skip(place(start)) {
            let edge = |column: usize| (column as u128 * u128::from(whole) / columns as u128) as u64;
            let from = start.as_nanos().max(edge(column));
            let to = end.as_nanos().min(edge(column + 1));
            *used += u128::from(to.saturating_sub(from));
        }
    }
    let full = u128::from(servers) * u128::from(whole) / columns as u128;
    let levels: Vec<usize> =
        used.iter().map(|used| (used * 8).div_ceil(full.max(1)).min(8) as usize).collect();
    strip(text, title, &levels, whole as f64 / 1e9);
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
