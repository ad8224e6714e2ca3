//! A comparison on a terminal: a block for each pair of points, a line for each metric, and below what must be said.
//!
//! A line gives the mean difference with the half-width of its own 95 % interval, the same relative to the first point, the
//! p-value adjusted for all lines of the table, and the verdict. Metrics in which no pair has a value are left out.

use std::fmt::Write;

use crate::report::number::{plain, span};
use crate::study::summary::{Comparison, Point, StudySummary};
use crate::study::verdict::{Compared, LEAST_REPLICATIONS, Verdict};

/// What stands for a value that there is none of.
const NOTHING: &str = "-";

/// The text to be printed, with its last line end.
pub fn text(summary: &StudySummary, comparison: &Comparison) -> String {
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
        let _ = writeln!(
            text,
            "  {metric:<a$}  {difference:>b$}  {relative:>c$}  {p:>d$}  {verdict}",
            a = widths[0],
            b = widths[1],
            c = widths[2],
            d = widths[3],
        );
    }
    if lines.is_empty() {
        text.push_str("no replication with a value on both sides of any pair\n");
    }
    closing(&mut text, summary, comparison);
    text
}

/// How the figures came about, and the warnings of the points that were compared.
fn closing(text: &mut String, summary: &StudySummary, comparison: &Comparison) {
    let tests = comparison.pairs_list.iter().filter(|one| one.p.is_some()).count();
    let _ =
        writeln!(text, "\ndifference ± half-width of its 95 % interval, over common replications; p by the");
    let _ = writeln!(
        text,
        "paired t test, adjusted by Holm's method for {tests} tests; verdicts hold together at 5 %"
    );
    let shown = |one: &&Compared| one.difference.is_some();
    if comparison.pairs_list.iter().filter(shown).any(|one| one.verdict == Verdict::NoVerdict) {
        let _ = writeln!(text, "no verdict: fewer than {LEAST_REPLICATIONS} common replications");
    }
    let compared = |point: &&Point| {
        comparison.pairs_list.iter().any(|one| one.from == point.point || one.to == point.point)
    };
    let mut begun = false;
    for point in summary.points.iter().filter(compared) {
        for warning in &point.warnings {
            if !begun {
                text.push_str("\nwarnings\n");
                begun = true;
            }
            let _ = writeln!(text, "  {}: {} ({})", point.label, warning.text, warning.code);
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
    let show = |value: f64| match unit {
        "s" => span(value),
        "" => plain(value),
        unit => format!("{} {unit}", plain(value)),
    };
    let nothing = || NOTHING.to_owned();
    let difference = one.difference.map_or_else(nothing, |difference| match one.half_width {
        Some(half_width) => format!("{} ± {}", signed(difference, show(difference)), show(half_width)),
        None => signed(difference, show(difference)),
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
    use crate::study::summary::Axis;
    use crate::study::trust::RunSigns;

    /// Two policies at one load; the second waits 60 s less, with some spread, in each of `replications`.
    fn study(replications: u32) -> StudySummary {
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
                drew: true,
                signs: RunSigns { saturated: *point == 0 && *replication == 0, unsettled: false },
                metrics,
                ..RunFacts::default()
            })
            .collect();
        build(&facts, &runs)
    }

    #[test]
    fn a_comparison_reads_in_lines() {
        let summary = study(6);
        let text = text(&summary, &summary.comparisons[0]);
        println!("{text}");
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = text.lines().map(words).collect();
        assert_eq!(lines[0], "policy.backfill: none -> easy (workload.load = 0.7)");
        // differences -60 to -65: mean -62.5, variance 3.5, t(0.975, 5) × sqrt(3.5/6) = 1.963; mean before 625
        assert_eq!(lines[1], "wait-time.mean -62.5 s ± 1.963 s -10.0 % p < 0.001 better");
        assert_eq!(lines[2], "utilization 0 ± 0 0.0 % p = 1.000 identical");
        assert!(lines[3].starts_with("throughput -0.05 jobs/h ± 1.20"), "{}", lines[3]);
        assert!(lines[3].ends_with("no evidence"), "{}", lines[3]);
        let column = |line: &str| line.chars().position(|c| c == '±');
        assert!(text.lines().skip(1).take(3).all(|line| column(line) < line.chars().position(|c| c == '%')));
        assert!(!text.contains("makespan"), "nothing was observed of it");
        assert!(text.contains("for 3 tests"), "{text}");
        assert!(text.contains("warnings\n  none at 0.7: in 1 of 6 runs more work came"), "{text}");
        assert!(!text.contains("no verdict"));
    }

    #[test]
    fn few_replications_say_why_there_is_no_verdict() {
        let summary = study(4);
        let text = text(&summary, &summary.comparisons[0]);
        assert!(text.contains("no verdict: fewer than 5 common replications"), "{text}");
        assert!(text.contains("(few-replications)"), "{text}");
    }

    #[test]
    fn nothing_to_compare_is_said() {
        let summary = study(6);
        assert!(text(&summary, &summary.compare(1, &[])).starts_with("nothing to compare"));
        assert!(text(&summary, &summary.compare(0, &["makespan".to_owned()])).starts_with("no replication"));
    }
}
