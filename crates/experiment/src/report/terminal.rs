//! The result of a run on a terminal: statistics, lines, shares, lists, what the figures are worth,
//! and a level over time.
//!
//! The layout is one for all systems; a system declares which of its figures stand where
//! ([`Shown`]). Times of the table of statistics have one unit, that of their median size, so that
//! they can be compared by their numbers. A time that stands alone (makespan, skewness) has the
//! unit that suits it.

use std::fmt::Write;

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use crate::collections::StableSort as _;
use crate::measure::family::Family;
use crate::measure::metric::Metric;
use crate::output::number::{grouped, plain, time_unit_of, time_with_half_width, with_half_width};
use crate::output::{LevelOverTime, Shown, ShownList, ShownStrip};
use crate::report::figures::{NOTHING, doubts, labelled, no_interval, strip, strip_columns, value};
use crate::report::levels::means;
use crate::report::words::Words;
use crate::scenario::{Figures, Results, Scenario};
use crate::text::in_one_line;

/// Columns of the table of statistics: the part of a family, and its head.
const PARTS: [(&str, &str); 4] = [("mean", "mean"), ("median", "median"), ("p95", "95 %"), ("max", "max")];
/// Columns of the bar of a share of 1.
const BAR: f64 = 40.0;

/// The text to be printed, with its last line end. A narrow terminal gets a shorter strip chart;
/// the rest is the same everywhere.
pub fn text(scenario: &Scenario, results: &dyn Results, width: Option<usize>) -> String {
    let (figures, shown) = (results.figures(), results.shown());
    let mut text = format!("{}\n\n", in_one_line(&scenario.title));
    let is_declared = !shown.statistics.is_empty() || !shown.lines.is_empty();
    let (rows, lines) =
        if is_declared { declared(scenario, figures, &shown) } else { every_metric(scenario, figures) };
    statistics(&mut text, figures, &rows);
    let own = lines.iter().map(|(label, value)| (&**label, Some(value.clone())));
    let last = [("events", Some(grouped(figures.events))), ("digest", Some(figures.digest.to_string()))];
    labelled(&mut text, own.chain(last));
    if let Some((family, title)) = shown.shares {
        shares(&mut text, scenario, figures, (family, title));
    }
    for ShownList { title, lines } in &shown.lists {
        // writing into a String cannot fail
        let _ = writeln!(text, "\n {title}");
        lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
    trust(&mut text, figures, shown.batch_means_of);
    if let Some(over_time) = shown.strip {
        draw(&mut text, over_time, strip_columns(width));
    }
    text + &doubts(figures)
}

/// Rows and lines of a terminal.
type Layout = (Vec<(&'static str, &'static str)>, Vec<(String, String)>);

/// Rows and lines as a system declares them, and a line for each metric that a component adds.
fn declared(scenario: &Scenario, figures: &Figures, shown: &Shown<'_>) -> Layout {
    let family = |metric: &str| scenario.system.family(metric);
    let words = Words { figures, family: &family, facts: &shown.facts };
    let filled = |(label, line): &(&str, &str)| Some(((*label).to_owned(), words.fill(line)?));
    // metrics that components of another crate add are in no family of the system
    let added = figures.metrics.iter().filter(|metric| family(&metric.name).is_none());
    let added = added.map(|metric| (metric.name.clone(), in_its_unit(scenario, metric)));
    (shown.statistics.clone(), shown.lines.iter().filter_map(filled).chain(added).collect())
}

/// Rows and lines that show every metric: a row a family with means and quantiles or maxima, a line
/// any other.
fn every_metric(scenario: &Scenario, figures: &Figures) -> Layout {
    let families: &[&'static [Family]] = scenario.system.families();
    let is_shown = |part: &str| PARTS.iter().any(|(known, _)| *known == part);
    let is_row =
        |family: &Family| family.parts.len() > 1 && family.parts.iter().all(|(part, _)| is_shown(part));
    let rows: Vec<&'static Family> =
        families.iter().copied().flatten().filter(|family| is_row(family)).collect();
    let is_other = |metric: &&Metric| rows.iter().all(|family| !family.has(&metric.name));
    let line = |metric: &Metric| (metric.name.clone(), in_its_unit(scenario, metric));
    let lines = figures.metrics.iter().filter(is_other).map(line).collect();
    (rows.iter().map(|family| (family.name, family.name)).collect(), lines)
}

/// A metric in its unit.
fn in_its_unit(scenario: &Scenario, metric: &Metric) -> String {
    value(metric, scenario.system.is_share(&metric.name))
}

/// A row of the table of statistics.
struct Row<'a> {
    family: &'a str,
    label: &'a str,
    values: [Option<f64>; PARTS.len()],
    is_time: bool,
}

/// The table of statistics; a row or column without any value is left out.
fn statistics(text: &mut String, figures: &Figures, rows: &[(&str, &str)]) {
    let row = |&(family, label)| {
        let metrics = PARTS.map(|(part, _)| figures.find(&format!("{family}.{part}")));
        let is_time = metrics.iter().flatten().any(|metric| metric.unit == "s");
        Row { family, label, values: metrics.map(|metric| metric.and_then(Metric::number)), is_time }
    };
    let rows: Vec<Row<'_>> =
        rows.iter().map(row).filter(|row| row.values.iter().any(Option::is_some)).collect();
    if rows.is_empty() {
        return;
    }
    let half_width = |row: &Row<'_>| {
        let mean = format!("{}.mean", row.family);
        figures.half_widths.iter().find(|found| found.metric == mean).map(|found| found.half_width)
    };
    let is_used = |place: &usize| rows.iter().any(|row| row.values[*place].is_some());
    let used: Vec<usize> = (0..PARTS.len()).filter(is_used).collect();
    let has_half_widths = rows.iter().any(|row| half_width(row).is_some());
    let mut heads = vec![""];
    for &place in &used {
        heads.push(PARTS[place].1);
        if place == 0 && has_half_widths {
            heads.push("±");
        }
    }
    let right = |cell: String| Cell::new(cell).set_alignment(CellAlignment::Right);
    let mut table = Table::new();
    let rule = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    table.load_style(rule).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(heads.into_iter().map(|head| right(head.to_owned())));
    // times stand below each other to be compared: all of them have one unit
    let times = rows.iter().filter(|row| row.is_time).flat_map(|row| row.values).flatten();
    let time = time_unit_of(times);
    for row in &rows {
        let unit = if row.is_time { time } else { (1.0, "") };
        let mut cells = Vec::new();
        for &place in &used {
            if place == 0 && has_half_widths {
                cells.extend(with_its_half_width(row.values[0], half_width(row), unit));
            } else {
                let shown = |value| in_unit(plain(value / unit.0), unit.1);
                cells.push(row.values[place].map_or_else(|| NOTHING.to_owned(), shown));
            }
        }
        table.add_row([Cell::new(row.label)].into_iter().chain(cells.into_iter().map(right)));
    }
    for line in table.to_string().lines() {
        // writing into a String cannot fail
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push('\n');
}

/// A number and its unit, if it has one.
pub(super) fn in_unit(number: String, unit: &str) -> String {
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

/// A mean and its half-width, in a unit of this size and name.
fn with_its_half_width(
    mean: Option<f64>,
    half_width: Option<f64>,
    (scale, unit): (f64, &str),
) -> [String; 2] {
    let with_unit = |text: String| in_unit(text, unit);
    match (mean, half_width) {
        (Some(mean), Some(half_width)) => {
            let shown = if unit.is_empty() { with_half_width } else { time_with_half_width };
            let (mean, half_width) = shown(mean / scale, half_width / scale);
            [with_unit(mean), with_unit(half_width)]
        }
        (mean, _) => {
            let mean = mean.map_or_else(|| NOTHING.to_owned(), |mean| with_unit(plain(mean / scale)));
            [mean, NOTHING.to_owned()]
        }
    }
}

/// Bars of the metrics of a family, which are shares of a whole or add up to it, the greatest
/// first.
fn shares(text: &mut String, scenario: &Scenario, figures: &Figures, (family, title): (&str, &str)) {
    let is_part =
        |metric: &&Metric| metric.name.strip_prefix(family).is_some_and(|rest| rest.starts_with('.'));
    let parts = figures.metrics.iter().filter(is_part);
    let mut parts: Vec<(&Metric, f64)> = parts
        .filter_map(|metric| Some((metric, metric.number()?)))
        .filter(|(_, value)| *value > 0.0)
        .collect();
    if parts.is_empty() {
        return;
    }
    parts.stable_sort_by(|one, other| other.1.total_cmp(&one.1));
    let is_share = |(metric, _): &(&Metric, f64)| scenario.system.is_share(&metric.name);
    let whole =
        if parts.iter().all(is_share) { 1.0 } else { parts.iter().map(|(_, value)| value).sum::<f64>() };
    // writing into a String cannot fail
    let _ = writeln!(text, "\n {title}");
    for (metric, share) in parts {
        let (name, shown) = (&metric.name[family.len() + 1..], in_its_unit(scenario, metric));
        let marks = "▇".repeat((share / whole * BAR).round() as usize);
        let _ = writeln!(text, "{}", format!("  {name:<16} {shown:>8}  {marks}").trim_end());
    }
}

/// Writes the worth of the figures: what was left out, and how the half-widths came about.
fn trust(text: &mut String, figures: &Figures, batch_means_of: Option<&str>) {
    let observations = batch_means_of.unwrap_or("observations");
    let left_out = figures.cut.map(|cut| (cut.found, cut.jobs));
    // writing into a String cannot fail
    let _ = match left_out {
        Some((Some(true), count)) => {
            writeln!(text, "\n warm-up: the first {} {observations} left out (MSER-5)", grouped(count))
        }
        Some((Some(false), _)) => writeln!(text, "\n warm-up: no end found (MSER-5), nothing left out"),
        Some((None, count @ 1..)) => {
            writeln!(text, "\n warm-up: the first {} {observations} left out", grouped(count))
        }
        _ => writeln!(text),
    };
    if !figures.half_widths.is_empty() {
        text.push_str(" ±: half-width of the mean at 95 %, by batch means of this one run\n");
    } else if let (Some(observations), true) = (batch_means_of, figures.drew) {
        let _ = writeln!(text, " no interval: too few {observations} for batch means");
    } else {
        text.push_str(no_interval(figures.drew));
    }
}

/// Draws a level over time, one column an equal part of it.
fn draw(text: &mut String, ShownStrip { title, from, to, level }: ShownStrip<'_>, columns: usize) {
    let seconds = to.since(from).as_secs_f64();
    let (from, to) = (from.as_nanos(), to.as_nanos());
    match level {
        LevelOverTime::InUse { spans, of } => {
            let spans = spans.map(|(start, end, servers)| (start.as_nanos(), end.as_nanos(), servers));
            let level = |mean: &f64| {
                let share = mean / of as f64;
                ((share * 8.0).round() as usize).max(usize::from(share > 0.0))
            };
            let levels: Vec<usize> = means(spans, from, to, columns).iter().map(level).collect();
            if !levels.is_empty() {
                strip(text, title, &levels, seconds);
            }
        }
        LevelOverTime::Instants(instants) => {
            let mut counts = vec![0_u64; columns];
            for at in instants.filter(|_| from < to) {
                let place = u128::from(at.as_nanos().clamp(from, to) - from) * columns as u128;
                counts[((place / u128::from(to - from)) as usize).min(columns - 1)] += 1;
            }
            let most = counts.iter().copied().max().unwrap_or(0);
            if most > 0 {
                let levels: Vec<usize> =
                    counts.iter().map(|count| (count * 8).div_ceil(most) as usize).collect();
                strip(text, &format!("{title}, up to {} a column", grouped(most)), &levels, seconds);
            }
        }
    }
}
