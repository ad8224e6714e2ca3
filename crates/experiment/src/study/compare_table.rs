//! A comparison on a terminal: the lines of each pair of points in columns, then how the figures
//! came about.

use std::fmt::Write;

use crate::study::summary::Findings;
use crate::text::in_one_line;

/// The text to be printed, with its last line end; `advice` says how to draw something where
/// nothing random was drawn.
pub fn text(findings: &Findings, advice: &str) -> String {
    let mut text = String::new();
    let lines = || findings.pairs.iter().flat_map(|pair| &pair.lines);
    let width = |column: usize| lines().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let [a, b, c, d] = [0, 1, 2, 3].map(width);
    for (place, pair) in findings.pairs.iter().enumerate() {
        let gap = if place == 0 { "" } else { "\n" };
        // writing into a String cannot fail
        let _ = writeln!(text, "{gap}{}", in_one_line(&pair.heading));
        for [metric, difference, relative, p, verdict] in &pair.lines {
            let line = format!("  {metric:<a$}  {difference:>b$}  {relative:>c$}  {p:>d$}  {verdict}");
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    for (place, note) in findings.notes.iter().enumerate() {
        let gap = if place == 0 && !text.is_empty() { "\n" } else { "" };
        let _ = writeln!(text, "{gap}{note}");
    }
    if !findings.random && !findings.pairs.is_empty() {
        let _ = writeln!(text, "{advice}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::System;
    use crate::study::build::{StudyFacts, build};
    use crate::study::findings;
    use crate::study::row::Row;
    use crate::study::served::Served;
    use crate::study::summary::{Axis, Comparison, StudySummary};
    use crate::study::verdict::Judged;

    /// Two policies at one load; the second waits 60 s less, with some spread, in each of
    /// `replications`.
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
                ("useful-utilization".to_owned(), String::new()),
                ("throughput".to_owned(), "jobs/h".to_owned()),
                ("makespan".to_owned(), "s".to_owned()),
            ],
            system: Some(&Served),
            headline: Served.headline(&[]),
            ..StudyFacts::default()
        };
        let places = (0..2).flat_map(|point| (0..replications).map(move |replication| (point, replication)));
        let rows: Vec<Row> = places
            .map(|(point, replication)| {
                let (p, r) = (f64::from(point), f64::from(replication));
                let wait = 600.0 + 10.0 * r - p * (60.0 + r);
                let metrics = vec![
                    ("wait-time.mean".to_owned(), Some(wait)),
                    ("useful-utilization".to_owned(), Some(0.7)),
                    (
                        "throughput".to_owned(),
                        Some(100.0 + p * if replication % 2 == 0 { 1.0 } else { -1.1 }),
                    ),
                    ("makespan".to_owned(), None),
                ];
                Row {
                    point,
                    replication: Some(replication),
                    drew,
                    warned: if point == 0 && replication == 0 {
                        vec!["saturated".to_owned()]
                    } else {
                        Vec::new()
                    },
                    metrics,
                    ..Row::default()
                }
            })
            .collect();
        build(&facts, &rows)
    }

    fn shown(summary: &StudySummary, comparison: &Comparison, advice: &str) -> String {
        text(&findings::of(summary, comparison), advice)
    }

    #[test]
    fn a_comparison_reads_in_lines() {
        let summary = study(6, true);
        let text = shown(&summary, &summary.comparisons[1], "");
        println!("{text}");
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = text.lines().map(words).collect();
        assert_eq!(lines[0], "policy.backfill: none -> easy (workload.load = 0.7)");
        // differences -60 to -65: mean -62.5, variance 3.5, t(0.975, 5) × sqrt(3.5/6) = 1.963; mean
        // before 625
        assert_eq!(lines[1], "wait-time.mean -62.5 ± 2.0 s -10.0 % p < 0.001 better, saturated");
        assert_eq!(lines[2], "useful-utilization 0 ± 0 % 0.0 % p = 1.000 identical, saturated");
        assert!(lines[3].starts_with("throughput 0.0 ± 1.2 jobs/h"), "{}", lines[3]);
        assert!(lines[3].ends_with("no evidence, saturated"), "{}", lines[3]);
        let column = |line: &str| line.chars().position(|c| c == '±');
        assert!(text.lines().skip(1).take(3).all(|line| column(line) < line.chars().position(|c| c == '%')));
        assert!(!text.contains("makespan"), "nothing was observed of it");
        assert!(text.contains("for the 3 tests shown (4 metrics × 1 pair)"), "{text}");
        assert!(!text.contains("no verdict"));
    }

    #[test]
    fn few_replications_say_why_there_is_no_verdict() {
        let summary = study(4, true);
        let text = shown(&summary, &summary.comparisons[0], "draw!");
        assert!(text.contains("no verdict: fewer than 5 common replications"), "{text}");
        assert!(!text.contains("Holm"), "no test was made: {text}");
    }

    #[test]
    fn unless_reported_the_family_is_what_the_table_above_shows() {
        let summary = study(6, true);
        let text = shown(&summary, &summary.comparisons[0], "draw!");
        assert!(!text.contains("throughput") && text.contains("useful-utilization"), "{text}");
        assert!(text.contains("for the 2 tests shown (3 metrics × 1 pair)"), "{text}");
    }

    #[test]
    fn what_drew_nothing_is_reported_as_plain_differences_and_why_in_one_line() {
        let summary = study(1, false);
        let text = shown(&summary, &summary.comparisons[0], "draw!");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "  wait-time.mean      -60 s  -10.0 %");
        assert_eq!(lines[2], "  useful-utilization    0 %    0.0 %");
        assert!(lines[4].starts_with("no interval and no verdict: nothing random was drawn"), "{text}");
        assert_eq!(lines[5], "draw!");
        assert!(!text.contains("Holm") && !text.contains("common replications"), "{text}");
    }

    #[test]
    fn that_other_jobs_were_completed_is_said() {
        let mut summary = study(6, true);
        let jobs = |count: f64| crate::study::summary::Figures {
            summary: crate::kernel::stats::Summary::of(&[count]).expect("a value"),
            quantiles: None,
            values: vec![Some(count)],
        };
        summary.points[0].metrics.insert("jobs.completed".to_owned(), jobs(10.0));
        summary.points[1].metrics.insert("jobs.completed".to_owned(), jobs(10.0));
        assert!(!shown(&summary, &summary.comparisons[0], "draw!").contains("other jobs"));
        summary.points[1].metrics.insert("jobs.completed".to_owned(), jobs(9.0));
        assert!(
            shown(&summary, &summary.comparisons[0], "draw!").contains("in 1 of 1 pairs not as many jobs")
        );
    }

    #[test]
    fn nothing_to_compare_is_said() {
        let summary = study(6, true);
        assert!(
            shown(&summary, &summary.compare(1, None, Judged::Headline), "")
                .starts_with("nothing to compare")
        );
        assert!(
            shown(&summary, &summary.compare(0, None, Judged::Named(&["makespan".to_owned()])), "")
                .starts_with("no replication")
        );
    }
}
