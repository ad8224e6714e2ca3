//! Parts of texts for a terminal: a metric in its unit, labelled lines, doubts, a strip chart.

use std::fmt::Write;

use crate::measure::metric::{Metric, Value};
use crate::output::number::{grouped, plain, span};
use crate::scenario::Figures;

/// Mark of a missing value.
pub const NOTHING: &str = "—";
/// Columns of a label at least.
const LABEL: usize = 12;
/// Columns of a strip chart, where there is room for them.
const COLUMNS: usize = 72;
/// Columns of a strip chart at least, and columns next to it.
const LEAST: usize = 20;
const ALONGSIDE: usize = 4;

/// Rejections by reason, reasons to doubt the figures of a run, and notes on them, a line each;
/// nothing without any.
pub fn doubts(figures: &Figures) -> String {
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

/// Reason that the figures of one run have no intervals.
pub fn no_interval(drew: bool) -> &'static str {
    if drew {
        " no interval: one run of what was drawn at random; --replications N gives one\n"
    } else {
        " no interval: nothing random was drawn\n"
    }
}

/// Adds labelled values, a line each; the labels have one width.
pub fn labelled<'a>(text: &mut String, lines: impl IntoIterator<Item = (&'a str, Option<String>)>) {
    let lines: Vec<_> = lines.into_iter().collect();
    let longest = lines.iter().map(|(label, _)| label.chars().count()).max();
    let width = longest.unwrap_or(0).max(LABEL);
    for (label, value) in lines {
        // writing into a String cannot fail
        let _ = writeln!(text, " {label:<width$} {}", value.as_deref().unwrap_or(NOTHING));
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

/// A metric in its unit: a time in the one that suits it, a share in percent.
pub(super) fn value(metric: &Metric, is_share: bool) -> String {
    match metric.value {
        Value::Nothing => NOTHING.to_owned(),
        Value::Count(count) => grouped(count),
        Value::Real(seconds) if metric.unit == "s" => span(seconds),
        Value::Real(share) if is_share => percent(share),
        Value::Real(value) if metric.unit.is_empty() => plain(value),
        Value::Real(value) => format!("{} {}", plain(value), metric.unit),
    }
}

/// A mark of a matrix as pages and papers have it.
pub(crate) fn sign(mark: char) -> char {
    match mark {
        'v' => '▼',
        '^' => '▲',
        '.' => '·',
        'o' => '○',
        other => other,
    }
}
