//! The result of a study on a terminal: a row a point, the main metrics with their intervals, each
//! column in one unit.

use std::fmt::Write;

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use crate::kernel::stats::Summary;
use crate::measure::own_warnings::Share;
use crate::output::number::{plain, time_unit_of, time_with_half_width, with_half_width};
use crate::study::summary::{IntervalKind, Point, StudySummary};
use crate::text::in_one_line;

/// Stands for a value that there is none of.
const NOTHING: &str = "—";

/// The divisor of the values of a metric of the headline, and the unit of its column.
fn scale(summary: &StudySummary, metric: &str) -> (f64, String) {
    let Some(facts) = summary.metrics.iter().find(|known| known.name == metric) else {
        return (1.0, String::new());
    };
    if facts.share {
        return (0.01, "%".to_owned());
    }
    if facts.unit != "s" {
        return (1.0, facts.unit.clone());
    }
    let figures = summary.points.iter().filter_map(|point| point.metrics.get(metric));
    let (scale, unit) = time_unit_of(figures.map(|figures| figures.summary.mean));
    (scale, unit.to_owned())
}

/// The name of a metric of the headline in this table.
fn label(metric: &str, unit: &str) -> String {
    let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
    metric.trim_end_matches(".mean").replace(['-', '.'], " ") + &unit
}

/// The text to be printed, with its last line end; `asked` replications of each point were asked
/// for, if a number was.
pub fn text(summary: &StudySummary, asked: Option<u32>) -> String {
    let mut text = String::new();
    let mut table = Table::new();
    let rule = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    table.load_style(rule).set_content_arrangement(ContentArrangement::Disabled);
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    let keys = summary.axes.iter().map(|axis| Cell::new(axis.keys.join(", ")));
    let scales: Vec<(&String, (f64, String))> =
        summary.headline.iter().map(|name| (name, scale(summary, name))).collect();
    let heads = scales.iter().map(|(name, (_, unit))| right(label(name, unit)));
    let counted = counted(summary);
    let counts = counted.iter().map(|share| right(share.label.to_owned()));
    table.set_header(
        ["point", "runs"]
            .map(|head| right(head.to_owned()))
            .into_iter()
            .chain(keys)
            .chain(heads)
            .chain(counts),
    );
    for point in &summary.points {
        let failed = if point.failed > 0 { format!(" ({} failed)", point.failed) } else { String::new() };
        let first = [right(point.point.to_string()), right(format!("{}{failed}", point.replications))];
        let steps = summary
            .axes
            .iter()
            .zip(&point.at)
            .map(|(axis, &step)| Cell::new(in_one_line(&axis.labels[step])));
        let figures = scales.iter().map(|(name, scale)| {
            let figures = point.metrics.get(*name).map(|figures| figures.summary);
            right(shown(figures, scale.0, is_time(summary, name)))
        });
        let counts = counted.iter().map(|share| right(plain(count(share, point))));
        table.add_row(first.into_iter().chain(steps).chain(figures).chain(counts));
    }
    for line in table.to_string().lines() {
        // writing into a String cannot fail
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push('\n');
    text.push_str(&footing(summary));
    text.push_str(&once(summary, asked));
    text
}

/// The subjects that are missing from the means or not as they were recorded, as far as any point
/// has such subjects.
fn counted(summary: &StudySummary) -> Vec<&'static Share> {
    let has_some = |share: &&Share| summary.points.iter().any(|point| count(share, point) > 0.0);
    summary.own_warnings.shares.others.iter().filter(has_some).collect()
}

/// Number of such subjects at a point: the mean over its replications.
fn count(share: &Share, point: &Point) -> f64 {
    share.count(|metric| point.mean(metric), point.log)
}

/// The meaning of the intervals, and the points that have none.
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

/// Reason that points have one run where more were asked for.
fn once(summary: &StudySummary, asked: Option<u32>) -> String {
    let fixed = summary.points.iter().filter(|point| !point.random && point.replications == 1).count();
    match asked {
        Some(asked) if asked > 1 && fixed > 0 => {
            let which = if fixed == summary.points.len() { "each" } else { "such a" };
            format!(
                " one run of {which} point, not {asked}: nothing random was drawn, so every replication would be the same run\n"
            )
        }
        _ => String::new(),
    }
}

fn is_time(summary: &StudySummary, metric: &str) -> bool {
    summary.metrics.iter().any(|known| known.name == metric && known.unit == "s")
}

fn shown(metric: Option<Summary>, scale: f64, is_time: bool) -> String {
    let Some(Summary { mean, half_width, .. }) = metric else { return NOTHING.to_owned() };
    match half_width {
        Some(half_width) => {
            let precise = if is_time { time_with_half_width } else { with_half_width };
            let (mean, half_width) = precise(mean / scale, half_width / scale);
            format!("{mean} ± {half_width}")
        }
        None => plain(mean / scale),
    }
}
