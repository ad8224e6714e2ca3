//! A comparison on a terminal: a block for each pair of points, a line for each metric.
//!
//! A line gives the mean difference with the half-width of its own 95 % interval, the same relative to the first point, the
//! p-value adjusted for all lines of the table, and the verdict. Metrics in which no pair has a value are left out. Where
//! nothing random was drawn there is nothing to test: then a line is the plain difference, and it is said once why.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::report::number::{plain, time_unit};
use crate::study::summary::{Comparison, Point, StudySummary};
use crate::study::verdict::{Compared, LEAST_REPLICATIONS, Verdict};

/// What stands for a value that there is none of.
const NOTHING: &str = "-";

/// The text to be printed, with its last line end; `advice` tells how to draw something where nothing random was drawn.
pub fn text(summary: &StudySummary, comparison: &Comparison, advice: &str) -> String {
    let mut text = String::new();
    if comparison.pairs == 0 {
        return "nothing to compare: no two points differ on this axis alone\n".to_owned();
    }
    let lines: Vec<(&Compared, [String; 5])> = comparison
        .pairs_list
        .iter()
        .filter(|one| one.difference.is_some())
        .map(|one| (one, cells(summary, one)))
        .collect();
    let fixed = compared(summary, comparison).all(|point| !point.random && point.replications > 0);
    let width =
        |column: usize| lines.iter().map(|(_, cells)| cells[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 4] = [0, 1, 2, 3].map(width);
    let mut pair = None;
    for (one, cells) in &lines {
        if pair != Some((one.from, one.to)) {
            pair = Some((one.from, one.to));
            let gap = if text.is_empty() { "" } else { "\n" };
            // writing into a String cannot fail
            let _ = writeln!(text, "{gap}{}", heading(summary, comparison.axis, one));
        }
        let [metric, difference, relative, p, verdict] = cells;
        let (a, b, c) = (widths[0], widths[1], widths[2]);
        if fixed {
            let _ = writeln!(text, "  {metric:<a$}  {difference:>b$}  {relative:>c$}");
            continue;
        }
        let _ = writeln!(
            text,
            "  {metric:<a$}  {difference:>b$}  {relative:>c$}  {p:>d$}  {verdict}",
            d = widths[3],
        );
    }
    if lines.is_empty() {
        text.push_str("no replication with a value on both sides of any pair\n");
    }
    if fixed {
        text.push_str("\nno interval and no verdict: nothing random was drawn, so each difference is of this one workload\n");
        let _ = writeln!(text, "{advice}");
    } else {
        closing(&mut text, comparison);
    }
    other_jobs(&mut text, summary, comparison);
    text
}

/// How the figures came about.
fn closing(text: &mut String, comparison: &Comparison) {
    let tests = comparison.pairs_list.iter().filter(|one| one.p.is_some()).count();
    // writing into a String cannot fail
    let _ = write!(text, "\ndifference ± half-width of its 95 % interval, over common replications");
    if tests > 0 {
        let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let _ = write!(
            text,
            "; p by the\npaired t test, adjusted by Holm's method for the {} shown ({} × {}); verdicts hold together at 5 %",
            count(tests, "test"),
            count(comparison.metrics, "metric"),
            count(comparison.pairs, "pair"),
        );
    }
    text.push('\n');
    let shown = |one: &&Compared| one.difference.is_some();
    if comparison.pairs_list.iter().filter(shown).any(|one| one.verdict == Verdict::NoVerdict) {
        let _ = writeln!(
            text,
            "no verdict: fewer than {LEAST_REPLICATIONS} common replications (--replications 10 gives more)"
        );
    }
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

/// That the figures of a pair are over other jobs, which no mean tells.
fn other_jobs(text: &mut String, summary: &StudySummary, comparison: &Comparison) {
    const COMPLETED: &str = "jobs.completed";
    let find = |number: u32| summary.points.iter().find(|point| point.point == number);
    let pairs: BTreeSet<(u32, u32)> = comparison.pairs_list.iter().map(|one| (one.from, one.to)).collect();
    let differ = |&&(from, to): &&(u32, u32)| {
        let (Some(from), Some(to)) = (find(from), find(to)) else { return false };
        let mut both = from.values(COMPLETED).iter().zip(to.values(COMPLETED));
        both.any(|(from, to)| from.zip(*to).is_some_and(|(from, to)| (from - to).abs() > 0.0))
    };
    match (pairs.iter().filter(differ).count(), pairs.len()) {
        (0, _) => {}
        (count, all) => {
            let _ = writeln!(
                text,
                "in {count} of {all} pairs not as many jobs were completed on both sides ({COMPLETED}): the means are over other jobs"
            );
        }
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

/// Metric, difference, relative change, p and verdict.
fn cells(summary: &StudySummary, one: &Compared) -> [String; 5] {
    let unit =
        summary.metrics.iter().find(|metric| metric.name == one.metric).map_or("", |metric| &metric.unit);
    // both in the unit of the greater, so that they can be compared at a glance
    let greatest = one.difference.unwrap_or(0.0).abs().max(one.half_width.unwrap_or(0.0));
    let (scale, unit) = match unit {
        "s" => time_unit(greatest),
        unit => (1.0, unit),
    };
    let show = |value: f64| plain(value / scale);
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let nothing = || NOTHING.to_owned();
    let difference = one.difference.map_or_else(nothing, |difference| {
        let spread = one.half_width.map_or_else(String::new, |half| format!(" ± {}", show(half)));
        format!("{}{spread}{unit}", signed(difference, show(difference)))
    });
    let relative = one.relative.map_or_else(nothing, |relative| {
        // to one decimal, and never a minus before nothing
        let percent = (relative * 1000.0).round() / 10.0 + 0.0;
        signed(percent, format!("{percent:.1} %"))
    });
    let p = one.p_adjusted.map_or_else(nothing, |p| match p {
        p if p < 0.001 => "p < 0.001".to_owned(),
        p => format!("p = {p:.3}"),
    });
    [one.metric.clone(), difference, relative, p, one.verdict.word().to_owned()]
}

/// A plus before what is above zero.
fn signed(value: f64, text: String) -> String {
    if value > 0.0 { format!("+{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::build::{RunFacts, StudyFacts, build};
    use crate::study::summary::{Axis, Judged};
    use crate::study::trust::RunSigns;

    /// Two policies at one load; the second waits 60 s less, with some spread, in each of `replications`.
    fn study(replications: u32, drew: bool) -> StudySummary {
        let axis = |key: &str, labels: &[&str]| Axis {
            keys: vec![key.to_owned()],
            labels: labels.iter().map(ToString::to_string).collect(),
        };
        let facts = StudyFacts {
            title: "two policies".to_owned(),
            seed: 1,
            axes: vec![axis("policy.backfill", &["none", "easy"]), axis("workload.load", &["0.7"])],
            points: vec![(vec![0, 0], "none at 0.7".to_owned()), (vec![1, 0], "easy at 0.7".to_owned())],
            metrics: vec![
                ("wait-time.mean".to_owned(), "s".to_owned()),
                ("utilization".to_owned(), String::new()),
                ("throughput".to_owned(), "jobs/h".to_owned()),
                ("makespan".to_owned(), "s".to_owned()),
            ],
        };
        let places = (0..2).flat_map(|point| (0..replications).map(move |replication| (point, replication)));
        let rows: Vec<_> = places
            .map(|(point, replication)| {
                let (p, r) = (f64::from(point), f64::from(replication));
                let wait = 600.0 + 10.0 * r - p * (60.0 + r);
                let metrics = vec![
                    ("wait-time.mean".to_owned(), Some(wait)),
                    ("utilization".to_owned(), Some(0.7)),
                    (
                        "throughput".to_owned(),
                        Some(100.0 + p * if replication % 2 == 0 { 1.0 } else { -1.1 }),
                    ),
                    ("makespan".to_owned(), None),
                ];
                (point, replication, metrics)
            })
            .collect();
        let runs: Vec<RunFacts<'_>> = rows
            .iter()
            .map(|(point, replication, metrics)| RunFacts {
                point: *point,
                replication: *replication,
                drew,
                signs: RunSigns { saturated: *point == 0 && *replication == 0, unsettled: false },
                metrics,
                ..RunFacts::default()
            })
            .collect();
        build(&facts, &runs)
    }

    #[test]
    fn a_comparison_reads_in_lines() {
        let summary = study(6, true);
        let text = text(&summary, &summary.comparisons[1], "");
        println!("{text}");
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = text.lines().map(words).collect();
        assert_eq!(lines[0], "policy.backfill: none -> easy (workload.load = 0.7)");
        // differences -60 to -65: mean -62.5, variance 3.5, t(0.975, 5) × sqrt(3.5/6) = 1.963; mean before 625
        assert_eq!(lines[1], "wait-time.mean -62.5 ± 1.963 s -10.0 % p < 0.001 better");
        assert_eq!(lines[2], "utilization 0 ± 0 0.0 % p = 1.000 identical");
        assert!(lines[3].starts_with("throughput -0.05 ± 1.20"), "{}", lines[3]);
        assert!(lines[3].ends_with("no evidence"), "{}", lines[3]);
        let column = |line: &str| line.chars().position(|c| c == '±');
        assert!(text.lines().skip(1).take(3).all(|line| column(line) < line.chars().position(|c| c == '%')));
        assert!(!text.contains("makespan"), "nothing was observed of it");
        assert!(text.contains("for the 3 tests shown (4 metrics × 1 pair)"), "{text}");
        assert!(!text.contains("no verdict"));
    }

    #[test]
    fn few_replications_say_why_there_is_no_verdict() {
        let summary = study(4, true);
        let text = text(&summary, &summary.comparisons[0], "draw!");
        assert!(text.contains("no verdict: fewer than 5 common replications"), "{text}");
        assert!(!text.contains("Holm"), "no test was made: {text}");
    }

    #[test]
    fn unless_told_the_family_is_what_the_table_above_shows() {
        let summary = study(6, true);
        let text = text(&summary, &summary.comparisons[0], "draw!");
        assert!(!text.contains("throughput") && text.contains("utilization"), "{text}");
        assert!(text.contains("for the 2 tests shown (3 metrics × 1 pair)"), "{text}");
    }

    #[test]
    fn what_drew_nothing_is_told_as_plain_differences_and_why_in_one_line() {
        let summary = study(1, false);
        let text = text(&summary, &summary.comparisons[0], "draw!");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "  wait-time.mean  -60 s  -10.0 %");
        assert_eq!(lines[2], "  utilization         0    0.0 %");
        assert!(lines[4].starts_with("no interval and no verdict: nothing random was drawn"), "{text}");
        assert_eq!(lines[5], "draw!");
        assert!(!text.contains("Holm") && !text.contains("common replications"), "{text}");
    }

    #[test]
    fn that_other_jobs_were_completed_is_said() {
        let mut summary = study(6, true);
        let jobs = |count: f64| crate::study::summary::Figures {
            summary: crate::kernel::stats::Summary::of(&[count]).expect("a value"),
            values: vec![Some(count)],
        };
        summary.points[0].metrics.insert("jobs.completed".to_owned(), jobs(10.0));
        summary.points[1].metrics.insert("jobs.completed".to_owned(), jobs(10.0));
        assert!(!text(&summary, &summary.comparisons[0], "draw!").contains("other jobs"));
        summary.points[1].metrics.insert("jobs.completed".to_owned(), jobs(9.0));
        assert!(
            text(&summary, &summary.comparisons[0], "draw!").contains("in 1 of 1 pairs not as many jobs")
        );
    }

    #[test]
    fn nothing_to_compare_is_said() {
        let summary = study(6, true);
        assert!(text(&summary, &summary.compare(1, Judged::Headline), "").starts_with("nothing to compare"));
        assert!(
            text(&summary, &summary.compare(0, Judged::Named(&["makespan".to_owned()])), "")
                .starts_with("no replication")
        );
    }
}
