//! The result of a study on a terminal: a row a point, the main metrics with their intervals.

use std::fmt::Write;

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use crate::kernel::stats::Summary;
use crate::report::number::{plain, time_unit};
use crate::study::summary::{IntervalKind, Point, StudySummary};

/// What stands for a value that there is none of.
const NOTHING: &str = "—";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Time,
    Ratio,
    Share,
}

impl Unit {
    fn of(metric: &str) -> Unit {
        match metric {
            "utilization" | "cpu-utilization" | "host-utilization.mean" | "steady-state.share" => Unit::Share,
            _ if metric.contains("slowdown") || metric == "throughput" => Unit::Ratio,
            _ => Unit::Time,
        }
    }
}

/// How a metric of the headline is called here.
fn label(metric: &str) -> String {
    let unit = if metric == "throughput" { " [1/s]" } else { "" };
    metric.trim_end_matches(".mean").replace(['-', '.'], " ") + unit
}

/// The text to be printed, with its last line end.
pub fn text(summary: &StudySummary) -> String {
    let mut text = format!("{}\n\n", summary.title);
    let mut table = Table::new();
    let rule = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    table.load_style(rule).set_content_arrangement(ContentArrangement::Disabled);
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    let keys = summary.axes.iter().map(|axis| Cell::new(axis.keys.join(", ")));
    let heads = summary.headline().map(|name| right(label(name)));
    table.set_header(
        ["point", "runs"].map(|head| right(head.to_owned())).into_iter().chain(keys).chain(heads),
    );
    for point in &summary.points {
        let failed = if point.failed > 0 { format!(" ({} failed)", point.failed) } else { String::new() };
        let first = [right(point.point.to_string()), right(format!("{}{failed}", point.replications))];
        let steps = summary.axes.iter().zip(&point.at).map(|(axis, &step)| Cell::new(&axis.labels[step]));
        let figures = summary
            .headline()
            .map(|name| right(shown(point.metrics.get(name).map(|figures| figures.summary), Unit::of(name))));
        table.add_row(first.into_iter().chain(steps).chain(figures));
    }
    for line in table.to_string().lines() {
        // writing into a String cannot fail
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push('\n');
    text.push_str(&footing(summary));
    text
}

/// What the intervals are, and where there are none.
fn footing(summary: &StudySummary) -> String {
    let with = summary.points.iter().filter(|point| point.interval != IntervalKind::None).count();
    if with == summary.points.len() {
        return " mean ± half-width of the 95 % interval over replications\n".to_owned();
    }
    let without = || summary.points.iter().filter(|point| point.interval == IntervalKind::None);
    let fixed = |point: &Point| !point.random && point.replications > 0;
    let why = match (without().any(fixed), without().any(|point| !fixed(point))) {
        (true, false) => "nothing random was drawn",
        (false, _) => "one run a point",
        (true, true) => "one run a point, or nothing random was drawn",
    };
    if with == 0 {
        return format!(" no interval: {why}\n");
    }
    format!(" mean ± half-width of the 95 % interval over replications; where there is none: {why}\n")
}

fn shown(metric: Option<Summary>, unit: Unit) -> String {
    let Some(Summary { mean, half_width, .. }) = metric else { return NOTHING.to_owned() };
    let (scale, name) = match unit {
        Unit::Ratio => (1.0, ""),
        Unit::Share => (0.01, "%"),
        Unit::Time => time_unit(mean),
    };
    let name = if name.is_empty() { String::new() } else { format!(" {name}") };
    match half_width {
        Some(half_width) => format!("{} ± {}{name}", plain(mean / scale), plain(half_width / scale)),
        None => format!("{}{name}", plain(mean / scale)),
    }
}
