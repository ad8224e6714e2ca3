//! The result of a run on a terminal: the metrics, the log's own waits with them, and utilization over time.
//!
//! Waits and response times have one unit, that of their median size, so that they can be compared by their numbers. A time
//! that stands alone (makespan, skewness) has the unit that suits it.

use std::fmt::Write;

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use crate::collections::StableSort as _;
use crate::instrument::metrics::{Metric, Value};
use crate::instrument::profile::Activity;
use crate::output::number::{grouped, plain, span, time_unit_of, time_with_half_width, with_half_width};
use crate::report::figures::{NOTHING, labelled, percent, strip, strip_columns};
use crate::report::levels::means;
use crate::scenario::Scenario;
use crate::system::cluster::experiment::Finished;
use crate::text::in_one_line;

/// The rows of the table of statistics, and whether they are times.
const ROWS: [(&str, &str, bool); 5] = [
    ("wait-time", "wait time", true),
    ("recorded-wait-time", "  as in the log", true),
    ("response-time", "response time", true),
    ("slowdown", "slowdown", false),
    ("bounded-slowdown", "bounded slowdown", false),
];

const PARTS: [&str; 4] = ["mean", "median", "p95", "max"];

/// The text to be printed, with its last line end. A narrow terminal gets a shorter strip chart; the rest is the same
/// everywhere.
pub fn text(scenario: &Scenario, finished: &Finished, width: Option<usize>) -> String {
    let mut text = format!("{}\n\n", in_one_line(&scenario.title));
    statistics(&mut text, finished);
    totals(&mut text, finished);
    processors(&mut text, finished);
    trust(&mut text, finished);
    over_time(&mut text, finished, strip_columns(width));
    text
}

fn statistics(text: &mut String, finished: &Finished) {
    let metrics = &finished.metrics;
    let half_widths = &finished.half_widths;
    let of_tasks = find(metrics, "cpu-utilization").is_some();
    let mut table = Table::new();
    let rule = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    table.load_style(rule).set_content_arrangement(ContentArrangement::Disabled);
    let mut heads = vec!["", "mean", "median", "95 %", "max"];
    if !half_widths.is_empty() {
        heads.insert(2, "±");
    }
    table.set_header(heads.into_iter().map(|head| Cell::new(head).set_alignment(CellAlignment::Right)));
    let parts_of = |name: &str| PARTS.map(|part| number(metrics, &format!("{name}.{part}")));
    // times stand below each other to be compared: all of them have one unit
    let times =
        ROWS.iter().filter(|(_, _, is_time)| *is_time).flat_map(|(name, ..)| parts_of(name)).flatten();
    let time = time_unit_of(times);
    for (name, label, is_time) in ROWS {
        let cells = parts_of(name);
        let unit = if is_time { time } else { (1.0, "") };
        // jobs of nodes are often shorter than the bound
        let says_nothing = match name {
            "recorded-wait-time" => cells[0].is_none(),
            "bounded-slowdown" => of_tasks,
            _ => false,
        };
        if says_nothing {
            continue;
        }
        let shown = |cell| match cell {
            None => NOTHING.to_owned(),
            Some(value) => in_unit(plain(value / unit.0), unit.1),
        };
        let mut texts: Vec<String> = cells.iter().copied().map(shown).collect();
        if !half_widths.is_empty() {
            let mean = format!("{name}.mean");
            let found = half_widths.iter().find(|found| found.metric == mean).map(|found| found.half_width);
            let (text, half_width) = with_its_half_width(cells[0], found, unit);
            texts[0] = text;
            texts.insert(1, half_width);
        }
        let label = Cell::new(label);
        let cells = texts.into_iter().map(|cell| Cell::new(cell).set_alignment(CellAlignment::Right));
        table.add_row([label].into_iter().chain(cells));
    }
    for line in table.to_string().lines() {
        // writing into a String cannot fail
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn in_unit(number: String, unit: &str) -> String {
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

/// A mean and its half-width, in a unit of this size and name.
fn with_its_half_width(
    mean: Option<f64>,
    half_width: Option<f64>,
    (scale, unit): (f64, &str),
) -> (String, String) {
    let with_unit = |text: String| in_unit(text, unit);
    match (mean, half_width) {
        (Some(mean), Some(half_width)) => {
            let shown = if unit.is_empty() { with_half_width } else { time_with_half_width };
            let (mean, half_width) = shown(mean / scale, half_width / scale);
            (with_unit(mean), with_unit(half_width))
        }
        (mean, _) => {
            let mean = mean.map_or_else(|| NOTHING.to_owned(), |mean| with_unit(plain(mean / scale)));
            (mean, NOTHING.to_owned())
        }
    }
}

fn totals(text: &mut String, finished: &Finished) {
    let metrics = &finished.metrics;
    let count = |name| match find(metrics, name).map(|metric| metric.value) {
        Some(Value::Count(count)) => count,
        _ => 0,
    };
    let submitted = count("jobs.submitted");
    let mut jobs = match count("jobs.completed") {
        completed if completed == submitted => format!("{} completed", grouped(completed)),
        completed => format!("{} submitted: {} completed", grouped(submitted), grouped(completed)),
    };
    for (name, label) in [
        ("jobs.killed", "killed"),
        ("jobs.cancelled", "cancelled"),
        ("jobs.lost", "lost"),
        ("jobs.rejected", "rejected"),
        ("jobs.unfinished", "unfinished"),
    ] {
        if count(name) > 0 {
            let _ = write!(jobs, ", {} {label}", grouped(count(name)));
        }
    }
    let lines = [
        ("jobs", Some(jobs)),
        ("utilization", number(metrics, "utilization").map(|held| with_useful(metrics, held))),
        ("throughput", number(metrics, "throughput").map(|value| format!("{} jobs/h", plain(value)))),
        ("makespan", number(metrics, "makespan").map(span)),
        ("processors", Some(grouped(u64::from(finished.outcomes.setting.procs)))),
        ("events", Some(grouped(finished.outcomes.events))),
        ("digest", Some(finished.outcomes.digest.to_string())),
    ];
    text.push('\n');
    labelled(text, lines);
    if let Some(share) = number(metrics, "availability") {
        let (failures, often) = (count("node-failures"), count("interruptions"));
        let s = if often == 1 { "" } else { "s" };
        let _ = writeln!(
            text,
            " {:<12} {} of nodes, {} interruption{s}, {} in service",
            "failures",
            grouped(failures),
            grouped(often),
            percent(share)
        );
    }
    if number(metrics, "reservations.started").is_some() {
        let [begun, late, often] = ["reservations.started", "reservations.late", "interruptions"].map(count);
        let lines = [(begun, " time"), (late, " late"), (often, " interruption")];
        let counts = lines.map(|(count, what)| {
            let s = if count == 1 || what == " late" { "" } else { "s" };
            format!("{}{what}{s}", grouped(count))
        });
        let _ = writeln!(text, " {:<12} {}", "reservations", counts.join(", "));
    }
    if let [Some(total), Some(idle)] = ["energy.total", "energy.idle"].map(|name| number(metrics, name)) {
        let _ = writeln!(text, " {:<12} {} J, {} J of it idle", "energy", plain(total), plain(idle));
    }
}

/// The time that processors were held, and what of it was useful if that is less.
fn with_useful(metrics: &[Metric], held: f64) -> String {
    let (held, useful) = (percent(held), number(metrics, "useful-utilization").map(percent));
    match useful.filter(|useful| *useful != held) {
        Some(useful) => format!("{held}, {useful} of useful work"),
        None => held,
    }
}

/// At detail `task`: where the time of the processors went, the greatest share first, and what was lost.
fn processors(text: &mut String, finished: &Finished) {
    let metrics = &finished.metrics;
    let mut shares: Vec<(&str, f64)> = Activity::ALL
        .into_iter()
        .filter_map(|activity| {
            let share = number(metrics, &format!("profile.{}", activity.name()))?;
            (share > 0.0).then_some((activity.name(), share))
        })
        .collect();
    if shares.is_empty() {
        return;
    }
    shares.stable_sort_by(|one, other| other.1.total_cmp(&one.1));
    text.push_str("\n processor time\n");
    for (name, share) in shares {
        let marks = "▇".repeat((share * 40.0).round() as usize);
        let share = percent(share);
        let _ = writeln!(text, "{}", format!("  {name:<16} {share:>8}  {marks}").trim_end());
    }
    let lines = [
        ("loss of CPU", number(metrics, "loss-of-cpu").map(percent)),
        ("loss of capacity", number(metrics, "loss-of-capacity.per-slot").map(percent)),
        ("skewness", number(metrics, "scheduling-skewness").map(span)),
        ("fairness", number(metrics, "fairness").map(plain)),
        ("late frames", number(metrics, "deadlines.missed").map(percent)),
    ];
    for (label, value) in lines {
        if let Some(value) = value {
            let _ = writeln!(text, "  {label:<16} {value:>8}");
        }
    }
}

/// Writes the worth of the figures: what was left out, and how the half-widths came about.
fn trust(text: &mut String, finished: &Finished) {
    let cut = finished.warm_up_cut;
    match cut.found {
        Some(true) => {
            let _ = writeln!(text, "\n warm-up: the first {} jobs left out (MSER-5)", grouped(cut.jobs));
        }
        Some(false) => text.push_str("\n warm-up: no end found (MSER-5), nothing left out\n"),
        None if cut.jobs > 0 => {
            let _ = writeln!(text, "\n warm-up: the first {} jobs left out", grouped(cut.jobs));
        }
        None => text.push('\n'),
    }
    text.push_str(match (finished.drew, finished.half_widths.is_empty()) {
        (false, _) => " no interval: nothing random was drawn\n",
        (true, true) => " no interval: too few jobs for batch means\n",
        (true, false) => " ±: half-width of the mean at 95 %, by batch means of this one run\n",
    });
}

/// Utilization over the window, one column an equal part of it.
fn over_time(text: &mut String, finished: &Finished, columns: usize) {
    let run = finished.outcomes.run();
    let window = run.window();
    let held = run
        .spans_in_use(window)
        .map(|(start, end, procs)| (start.as_nanos(), end.as_nanos(), u64::from(procs)));
    let used = means(held, window.from.as_nanos(), window.to.as_nanos(), columns);
    if used.is_empty() {
        return;
    }
    let level = |mean: &f64| {
        let share = mean / f64::from(run.procs);
        ((share * 8.0).round() as usize).max(usize::from(share > 0.0))
    };
    let levels: Vec<usize> = used.iter().map(level).collect();
    strip(text, "utilization over time, 0 to 100 %", &levels, window.to.since(window.from).as_secs_f64());
}

fn find<'a>(metrics: &'a [Metric], name: &str) -> Option<&'a Metric> {
    metrics.iter().find(|metric| metric.name == name)
}

fn number(metrics: &[Metric], name: &str) -> Option<f64> {
    find(metrics, name).and_then(Metric::number)
}
