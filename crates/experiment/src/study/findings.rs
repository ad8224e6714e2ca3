//! A comparison in words: a block for each pair of points, a line for each metric, and how the
//! figures came about.
//!
//! A line gives the mean difference with the half-width of its own 95 % interval, the same relative
//! to the first point, the p-value adjusted for all lines, and the verdict. Where replications
//! randomize a log, a second line gives the difference with the log as recorded
//! ([`recorded`](super::recorded)). Metrics in which no pair has a value are left out. Where
//! nothing random was drawn there is nothing to test: then a line is the plain difference, and it
//! is said once why.
//!
//! The terminal prints these words and the report shows them, so that both say the same.

use crate::collections::OrderedSet;
use crate::output::number::{as_precise_as, plain, time_unit_of, with_half_width};
use crate::study::summary::{
    Compared, Comparison, Findings, MetricFacts, PairFindings, Point, StudySummary, Verdict,
};
use crate::study::verdict::LEAST_REPLICATIONS;

/// Stands for a value that there is none of.
const NOTHING: &str = "-";
/// Name of the line of the log as recorded.
const RECORDED: &str = "  log as recorded";

/// The findings of `comparison` of the points of `summary`.
pub fn of(summary: &StudySummary, comparison: &Comparison) -> Findings {
    let random = !compared(summary, comparison).all(|point| !point.random && point.replications > 0);
    let mut findings = Findings { random, ..Findings::default() };
    if comparison.pairs == 0 {
        findings.notes.push("nothing to compare: no two points differ on this axis alone".to_owned());
        return findings;
    }
    let shown = || comparison.pairs_list.iter().filter(|one| one.difference.is_some());
    let of_times = shown().filter(|one| facts(summary, one).is_some_and(|metric| metric.unit == "s"));
    let sizes = of_times.map(|one| one.difference.unwrap_or(0.0).abs().max(one.half_width.unwrap_or(0.0)));
    let time = time_unit_of(sizes);
    let mut pair = None;
    for one in shown() {
        if pair != Some((one.from, one.to)) {
            pair = Some((one.from, one.to));
            let heading = heading(summary, comparison.axis, one);
            findings.pairs.push(PairFindings { heading, lines: Vec::new() });
        }
        let scale = scale(facts(summary, one), time);
        let lines = &mut findings.pairs.last_mut().expect("a pair was begun").lines;
        lines.push(line(one, scale, random));
        lines.extend(recorded_line(one, scale));
    }
    findings.notes = notes(summary, comparison, random);
    findings
}

/// Notes on the origin of the figures, and on their limits.
fn notes(summary: &StudySummary, comparison: &Comparison, random: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let shown = || comparison.pairs_list.iter().filter(|one| one.difference.is_some());
    if shown().next().is_none() {
        notes.push("no replication with a value on both sides of any pair".to_owned());
    }
    if random {
        notes.push(closing(comparison));
    } else {
        let words = "no interval and no verdict: nothing random was drawn, so each difference is of this one workload";
        notes.push(words.to_owned());
    }
    if random && shown().any(|one| one.verdict == Verdict::NoVerdict) {
        notes.push(format!(
            "no verdict: fewer than {LEAST_REPLICATIONS} common replications (--replications 10 gives more)"
        ));
    }
    if shown().any(|one| one.recorded.is_some()) {
        notes.push(
            "log as recorded: one run of each point, in no mean, interval or test; outside the draws: beyond what one draw more may be"
                .to_owned(),
        );
    }
    if random && shown().any(|one| one.saturated) {
        notes.push(
            "saturated: at one of the two points more work came than was done, so the difference shows how long the runs are"
                .to_owned(),
        );
    }
    notes.extend(other_jobs(summary, comparison));
    notes
}

/// The meaning of the intervals and tests, in words.
fn closing(comparison: &Comparison) -> String {
    let tests = comparison.pairs_list.iter().filter(|one| one.p.is_some()).count();
    let mut text = "difference ± half-width of its 95 % interval, over common replications".to_owned();
    if tests > 0 {
        let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        text += &format!(
            "; p by the\npaired t test, adjusted by Holm's method for the {} shown ({} × {}); verdicts hold together at 5 %",
            count(tests, "test"),
            count(comparison.metrics, "metric"),
            count(comparison.pairs, "pair"),
        );
    }
    text
}

/// The points that were compared.
fn compared<'a>(
    summary: &'a StudySummary,
    comparison: &'a Comparison,
) -> impl Iterator<Item = &'a Point> + use<'a> {
    let is_in = |point: &&Point| {
        comparison.pairs_list.iter().any(|one| one.from == point.point || one.to == point.point)
    };
    summary.points.iter().filter(is_in)
}

/// Finding that the figures of a pair are over other jobs, which no mean shows.
fn other_jobs(summary: &StudySummary, comparison: &Comparison) -> Option<String> {
    const COMPLETED: &str = "jobs.completed";
    let find = |number: u32| summary.points.iter().find(|point| point.point == number);
    let pairs: OrderedSet<(u32, u32)> = comparison.pairs_list.iter().map(|one| (one.from, one.to)).collect();
    let differ = |&&(from, to): &&(u32, u32)| {
        let (Some(from), Some(to)) = (find(from), find(to)) else { return false };
        let mut both = from.values(COMPLETED).iter().zip(to.values(COMPLETED));
        both.any(|(from, to)| from.zip(*to).is_some_and(|(from, to)| (from - to).abs() > 0.0))
    };
    match (pairs.iter().filter(differ).count(), pairs.len()) {
        (0, _) => None,
        (count, all) => Some(format!(
            "in {count} of {all} pairs not as many jobs were completed on both sides ({COMPLETED}): the means are over other jobs"
        )),
    }
}

/// The settings that differ, then those that the two points share.
fn heading(summary: &StudySummary, axis: usize, one: &Compared) -> String {
    let find = |number: u32| summary.points.iter().find(|point| point.point == number);
    let (Some(from), Some(to)) = (find(one.from), find(one.to)) else {
        return format!("point {} -> point {}", one.from, one.to);
    };
    let setting = |axis: usize, point: &Point| {
        let label =
            summary.axes.get(axis).zip(point.at.get(axis)).and_then(|(axis, at)| axis.labels.get(*at));
        label.map_or(NOTHING, String::as_str).to_owned()
    };
    let keys = |axis: usize| summary.axes.get(axis).map(|axis| axis.keys.join(", ")).unwrap_or_default();
    let shared = (0..summary.axes.len()).filter(|&other| other != axis);
    let shared: Vec<String> =
        shared.map(|other| format!("{} = {}", keys(other), setting(other, from))).collect();
    let shared = if shared.is_empty() { String::new() } else { format!(" ({})", shared.join(", ")) };
    format!("{}: {} -> {}{shared}", keys(axis), setting(axis, from), setting(axis, to))
}

/// The facts about the metric of a comparison.
fn facts<'a>(summary: &'a StudySummary, one: &Compared) -> Option<&'a MetricFacts> {
    summary.metrics.iter().find(|metric| metric.name == one.metric)
}

/// The divisor by which values of a metric are read, and the unit behind them; `time` is that of
/// all times.
fn scale<'a>(metric: Option<&'a MetricFacts>, time: (f64, &'static str)) -> (f64, &'a str) {
    match metric {
        Some(metric) if metric.unit == "s" => time,
        Some(metric) if metric.share => (0.01, "%"),
        Some(metric) => (1.0, &metric.unit),
        None => (1.0, ""),
    }
}

/// Metric, difference, relative change, p and verdict.
fn line(one: &Compared, (scale, unit): (f64, &str), random: bool) -> [String; 5] {
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let nothing = || NOTHING.to_owned();
    let difference = one.difference.map_or_else(nothing, |difference| match one.half_width {
        Some(half) => {
            let (mean, half) = with_half_width(difference / scale, half / scale);
            format!("{} ± {half}{unit}", signed(difference, mean))
        }
        None => format!("{}{unit}", signed(difference, plain(difference / scale))),
    });
    let relative = one.relative.map_or_else(nothing, percent);
    if !random {
        return [one.metric.clone(), difference, relative, String::new(), String::new()];
    }
    let p = one.p_adjusted.map_or_else(nothing, |p| match p {
        p if p < 0.001 => "p < 0.001".to_owned(),
        p => format!("p = {p:.3}"),
    });
    let verdict = one.verdict.word();
    let verdict = if one.saturated { format!("{verdict}, saturated") } else { verdict.to_owned() };
    [one.metric.clone(), difference, relative, p, verdict]
}

/// The same with the log as recorded, where that is another log.
fn recorded_line(one: &Compared, (scale, unit): (f64, &str)) -> Option<[String; 5]> {
    let recorded = one.recorded?;
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let value = match (one.difference, one.half_width) {
        (Some(mean), Some(half)) => as_precise_as(recorded.difference / scale, mean / scale, half / scale),
        _ => plain(recorded.difference / scale),
    };
    let relative = recorded.relative.map_or_else(|| NOTHING.to_owned(), percent);
    let place = match (recorded.p, recorded.outside) {
        (None, _) => "",
        (Some(_), true) => "outside the draws",
        (Some(_), false) => "within the draws",
    };
    let difference = format!("{}{unit}", signed(recorded.difference, value));
    Some([RECORDED.to_owned(), difference, relative, String::new(), place.to_owned()])
}

/// To one decimal, and never a minus before nothing.
fn percent(share: f64) -> String {
    let percent = (share * 1000.0).round() / 10.0 + 0.0;
    signed(percent, format!("{percent:.1} %"))
}

/// A plus before what is above zero.
fn signed(value: f64, text: String) -> String {
    if value > 0.0 && text.bytes().any(|digit| matches!(digit, b'1'..=b'9')) {
        format!("+{text}")
    } else {
        text
    }
}
