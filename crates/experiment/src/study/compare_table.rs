//! The answer of a study on a terminal of 80 columns: the sentence, the matrices, then how the
//! figures came about.

use std::fmt::Write;

use crate::study::matrix::{AnswerMatrix, MatrixCell};
use crate::study::summary::Findings;
use crate::text::in_one_line;

/// Columns of a terminal.
const WIDE: usize = 80;
/// Stands for a cell that there is none of.
const NOTHING: &str = "-";

/// The text to be printed, with its last line end; `advice` says how to draw something where
/// nothing random was drawn.
pub fn text(findings: &Findings, advice: &str) -> String {
    let mut text = matrices(findings, &findings.matrices);
    for (place, note) in findings.notes.iter().enumerate() {
        let gap = if place == 0 && !text.is_empty() { "\n" } else { "" };
        let _ = write!(text, "{gap}{}", wrapped(note));
    }
    if !findings.random && !findings.matrices.is_empty() {
        let _ = writeln!(text, "{advice}");
    }
    text
}

/// The answer and the matrices of the first metric.
pub fn primary(findings: &Findings) -> String {
    let first = findings.matrices.first().map_or("", |matrix| &matrix.metric);
    let count = findings.matrices.iter().take_while(|matrix| matrix.metric == first).count();
    matrices(findings, &findings.matrices[..count])
}

/// The answer and some of the matrices.
fn matrices(findings: &Findings, shown: &[AnswerMatrix]) -> String {
    let mut text =
        if findings.answer.is_empty() { String::new() } else { wrapped(&in_one_line(&findings.answer)) };
    let mut heading = "";
    for (place, matrix) in shown.iter().enumerate() {
        let is_new = heading != matrix.heading;
        if place > 0 || !text.is_empty() {
            text.push('\n');
        }
        if is_new {
            heading = &matrix.heading;
            // writing into a String cannot fail
            let heading = in_one_line(heading);
            let heading = if heading.chars().count() > WIDE {
                heading.replace("   ", "\n  ")
            } else {
                heading.into_owned()
            };
            let _ = writeln!(text, "{heading}");
        }
        if !matrix.rest.is_empty() {
            let _ = writeln!(text, "{}", in_one_line(&matrix.rest));
        }
        blocks(&mut text, matrix);
    }
    text
}

/// A matrix; columns for which there is no room follow below, then the meaning of the marks.
fn blocks(text: &mut String, matrix: &AnswerMatrix) {
    let wide = |cells: &mut dyn Iterator<Item = usize>| cells.max().unwrap_or(0);
    let heads: Vec<String> = matrix.columns.iter().map(|head| in_one_line(head).into_owned()).collect();
    let labels = wide(&mut matrix.rows.iter().map(|row| in_one_line(&row.label).chars().count()));
    let columns: Vec<Vec<String>> = (0..matrix.columns.len())
        .map(|column| matrix.rows.iter().map(|row| shown(row.cells[column].as_ref())).collect())
        .collect();
    let widths: Vec<usize> = columns
        .iter()
        .zip(&heads)
        .map(|(cells, head)| wide(&mut cells.iter().chain([head]).map(|cell| cell.chars().count())))
        .collect();
    let mut first = 0;
    while first < columns.len() {
        let mut room = WIDE.saturating_sub(labels);
        let fits = widths[first..].iter().take_while(|width| {
            let fits = **width + 2 <= room;
            room = room.saturating_sub(**width + 2);
            fits
        });
        let end = first + fits.count().max(1);
        let mut line = |label: &str, cell: &dyn Fn(usize) -> String| {
            let cells: Vec<String> =
                (first..end).map(|column| format!("  {:>1$}", cell(column), widths[column])).collect();
            // writing into a String cannot fail
            let _ = writeln!(text, "{}", format!("{label:<labels$}{}", cells.concat()).trim_end());
        };
        if matrix.columns.iter().any(|head| !head.is_empty()) {
            line("", &|column| heads[column].clone());
        }
        for (place, row) in matrix.rows.iter().enumerate() {
            line(&in_one_line(&row.label), &|column| columns[column][place].clone());
        }
        for (place, row) in matrix.rows.iter().enumerate() {
            for (column, head) in heads.iter().enumerate().take(end).skip(first) {
                if let Some(cell) = row.cells[column].as_ref().filter(|cell| !cell.recorded.is_empty()) {
                    let at = if head.is_empty() { String::new() } else { format!(", {head}") };
                    let _ = write!(
                        text,
                        "{}",
                        wrapped(&format!(
                            "  log as recorded ({}{at}): {}",
                            in_one_line(&matrix.rows[place].label),
                            cell.recorded
                        ))
                    );
                }
            }
        }
        first = end;
    }
    if !matrix.marks.is_empty() {
        let marks: Vec<String> =
            matrix.marks.iter().map(|(mark, meaning)| format!("{mark} {meaning}")).collect();
        text.push_str(&wrapped(&marks.join("   ")));
    }
}

/// Mark, figure, and the replications that would settle it.
fn shown(cell: Option<&MatrixCell>) -> String {
    let Some(cell) = cell else { return NOTHING.to_owned() };
    let needed = cell.needed.map(|n| format!(" ({n})")).unwrap_or_default();
    match cell.mark {
        ' ' => cell.figure.clone(),
        mark => format!("{mark} {}{needed}", cell.figure),
    }
}

/// A text in lines of a terminal, each with its end; further lines are indented as the first.
fn wrapped(text: &str) -> String {
    let indent: String = text.chars().take_while(|letter| *letter == ' ').collect();
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.trim_start().split(' ') {
        if !line.is_empty() && indent.len() + line.chars().count() + 1 + word.chars().count() > WIDE {
            lines += &format!("{indent}{}\n", line.trim_end());
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines + &format!("{indent}{}\n", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::System;
    use crate::scenario::served::Served;
    use crate::study::build::{StudyFacts, build};
    use crate::study::findings;
    use crate::study::matrix::MatrixRow;
    use crate::study::row::{Row, Seldom};
    use crate::study::summary::{Axis, Role, StudySummary, Verdict};
    use crate::study::verdict::DETECT;

    /// Two policies at one load; the second waits 60 s less, with some spread, in each of
    /// `replications`.
    fn study(replications: u32, drew: bool) -> StudySummary {
        study_of(replications, drew, true)
    }

    fn study_of(replications: u32, drew: bool, saturated: bool) -> StudySummary {
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
        let rows = places
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
                let warned = saturated && point == 0 && replication == 0;
                let warned = if warned { vec!["saturated".to_owned()] } else { Vec::new() };
                let row = Row {
                    point,
                    replication: Some(replication),
                    drew,
                    metrics: metrics.into_iter().collect(),
                    seldom: Seldom { warned, ..Seldom::default() }.boxed(),
                    ..Row::default()
                };
                (row.key(), row)
            })
            .collect();
        build(&facts, &rows)
    }

    fn shown(summary: &StudySummary) -> String {
        let text = text(&findings::of(summary), "draw!");
        println!("{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDE), "{text}");
        text
    }

    #[test]
    fn an_answer_reads_as_a_sentence_and_a_matrix() {
        let settled = study_of(6, true, false);
        // waits of 600 to 650 s by 60 to 65 s less: ratios of 0.9 each, which have no spread
        let text = shown(&settled);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..7],
            [
                "easy cuts wait-time.mean of none by 10.0 % (95 % interval 10 to 10 %).",
                "",
                "wait-time.mean against none [%, 95 % interval]",
                "  1 test, Holm 5 %, n = 6, primary",
                "none  10.42 ± 0.33 min",
                "easy         v -10 ± 0",
                "v better",
            ]
        );
        let matrix = &findings::of(&settled).matrices[0];
        let cell = matrix.rows[1].cells[0].as_ref().expect("a point");
        assert_eq!((cell.point, cell.verdict, cell.n, cell.needed), (1, Some(Verdict::Better), 6, None));
        // differences -60 to -65: mean -62.5, variance 3.5, t(0.975, 5) × sqrt(3.5/6) = 1.963
        assert_eq!((cell.difference.as_str(), cell.p.as_str()), ("-1.042 ± 0.033 min", "p < 0.001"));
        assert!(!text.contains("makespan"), "nothing was observed of it");
    }

    #[test]
    fn saturated_points_are_said_and_not_judged() {
        let text = shown(&study(6, true));
        let lines: Vec<&str> = text.lines().collect();
        let answer = "No difference in wait-time.mean is settled: every pair has a saturated point.";
        assert_eq!(lines[0], answer);
        assert_eq!(lines[5..7], ["easy         o -10 ± 0", "o saturated, no verdict"]);
        assert!(text.contains("0 tests, Holm 5 %"), "{text}");
    }

    #[test]
    fn few_replications_say_why_there_is_no_verdict() {
        let text = shown(&study(4, true));
        assert!(text.contains("no verdict: fewer than 5 common replications"), "{text}");
        assert!(!text.contains("Holm's"), "no test was made: {text}");
    }

    #[test]
    fn what_drew_nothing_is_reported_as_plain_changes_and_why_in_one_line() {
        let text = shown(&study(1, false));
        assert!(text.contains("wait-time.mean against none [%]"), "{text}");
        assert!(text.contains("-10.0\n"), "{text}");
        assert!(text.contains("no interval and no test: nothing random was drawn"), "{text}");
        assert!(text.ends_with("draw!\n"));
        assert!(!text.contains("Holm") && !text.contains("common replications"), "{text}");
    }

    /// Two loads with waits by replication.
    fn waits(before: &[f64], after: &[f64]) -> StudySummary {
        let facts = StudyFacts {
            axes: vec![Axis {
                keys: vec!["workload.load".to_owned()],
                labels: vec!["0.1".to_owned(), "0.5\n".to_owned()],
            }],
            points: vec![(vec![0], "0.1".to_owned()), (vec![1], "0.5".to_owned())],
            metrics: vec![("wait-time.mean".to_owned(), "s".to_owned())],
            system: Some(&Served),
            headline: Served.headline(&[]),
            ..StudyFacts::default()
        };
        let row = |point: u32, replication: usize, wait: f64| Row {
            point,
            replication: Some(replication as u32),
            drew: true,
            metrics: [("wait-time.mean".to_owned(), Some(wait))].into_iter().collect(),
            ..Row::default()
        };
        let rows = [before, after].into_iter().zip(0..).flat_map(|(waits, point)| {
            waits.iter().enumerate().map(move |(replication, wait)| row(point, replication, *wait))
        });
        build(&facts, &rows.map(|row| (row.key(), row)).collect())
    }

    #[test]
    fn a_lopsided_interval_shows_its_ends() {
        // ratios of 100 and 900: the mean of their logarithms is that of 300
        let after = [1000.0, 9000.0, 1000.0, 9000.0, 1000.0, 9000.0];
        let text = shown(&waits(&[10.0; 6], &after));
        let lines: Vec<&str> = text.lines().collect();
        // ln 3 × √(6/5) / √6 × t(0.975, 5) = 1.263: ratios of 300 × e^±1.263
        assert!(lines[0].starts_with("load 0.5"), "{text}");
        assert!(
            text.replace('\n', " ").contains("by 29,900 % (95 % interval 8,384 to 105,977 %)."),
            "{text}"
        );
        assert!(text.contains("^ +29,900 (8,380 to 106,000)"), "{text}");
    }

    #[test]
    fn a_metric_that_is_zero_somewhere_is_compared_by_differences_and_that_is_said() {
        let text = shown(&waits(&[0.0, 1.0, 2.0, 3.0, 4.0], &[11.0, 12.5, 14.0, 13.0, 16.0]));
        assert!(text.contains("wait-time.mean against 0.1 [s, 95 % interval]"), "{text}");
        assert!(text.replace('\n', " ").contains("of some replication: wait-time.mean (point 0)"), "{text}");
        let text = shown(&waits(&[1.0; 5], &[11.0, 12.5, 14.0, 13.0, 16.0]));
        assert!(!text.contains("compared by differences"), "{text}");
    }

    #[test]
    fn the_answer_says_why_nothing_is_settled_where_all_pairs_have_one_reason() {
        let first = |before: &[f64], after: &[f64]| {
            shown(&waits(before, after)).lines().next().map(ToOwned::to_owned).unwrap_or_default()
        };
        let same = [3.0, 4.0, 5.0, 6.0, 7.0];
        assert_eq!(
            first(&same, &same),
            "wait-time.mean is the same at all points, replication by replication."
        );
        assert_eq!(
            first(&same[..1], &[9.0]),
            "No difference in wait-time.mean is settled: fewer than 5 replications."
        );
        assert_eq!(first(&same, &[4.0, 3.0, 6.0, 5.0, 7.0]), "No difference in wait-time.mean is settled.");
    }

    #[test]
    fn that_other_jobs_were_completed_is_said() {
        let mut summary = study(6, true);
        let jobs = |count: f64| crate::study::summary::Figures {
            summary: crate::kernel::stats::Summary::of(&[count]).expect("a value"),
            quantiles: None,
            values: vec![count.into()],
        };
        summary.points[0].metrics.insert("jobs.completed".to_owned(), jobs(10.0));
        summary.points[1].metrics.insert("jobs.completed".to_owned(), jobs(10.0));
        assert!(!shown(&summary).contains("other jobs"));
        summary.points[1].metrics.insert("jobs.completed".to_owned(), jobs(9.0));
        assert!(shown(&summary).contains("in 1 of 1 pairs not as many jobs"));
    }

    #[test]
    fn nothing_to_compare_is_said() {
        let summary = study(6, true);
        let family = |names: &[&str], axis: usize| {
            let find = |name: &&str| summary.metrics.iter().find(|metric| metric.name == **name);
            let metrics: Vec<_> = names.iter().filter_map(find).collect();
            let comparison = summary.compare(axis, Some(0), (Role::Primary, &metrics), DETECT);
            text(&findings::of_comparisons(&summary, &[&comparison]), "")
        };
        assert!(family(&["wait-time.mean"], 1).starts_with("nothing to compare"));
        assert!(family(&["makespan"], 0).starts_with("no replication"));
    }

    #[test]
    fn wide_matrices_follow_in_blocks() {
        let cell = |figure: &str| {
            Some(MatrixCell {
                point: 0,
                verdict: Some(Verdict::NoEvidence),
                mark: '.',
                figure: figure.to_owned(),
                difference: String::new(),
                p: String::new(),
                n: 5,
                needed: Some(23),
                recorded: String::new(),
            })
        };
        let row =
            MatrixRow { label: "easy".to_owned(), cells: (0..9).map(|_| cell("-85.7 ± 2.1")).collect() };
        let matrix = AnswerMatrix {
            metric: "m".to_owned(),
            role: Role::Primary,
            heading: "m against fcfs".to_owned(),
            rest: "policy.order = sjf".to_owned(),
            columns: (1..=9).map(|load| format!("load 0.{load}")).collect(),
            rows: vec![row],
            marks: vec![('.', "not settled (n for 10 %)".to_owned())],
        };
        let findings = Findings { random: true, matrices: vec![matrix], ..Findings::default() };
        let text = text(&findings, "");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["m against fcfs", "policy.order = sjf"]);
        // 4 + 3 × (2 + 18) = 64 columns, four would be 84
        assert_eq!(
            lines[2].split_whitespace().collect::<Vec<_>>(),
            ["load", "0.1", "load", "0.2", "load", "0.3"]
        );
        assert_eq!(lines[3], "easy  . -85.7 ± 2.1 (23)  . -85.7 ± 2.1 (23)  . -85.7 ± 2.1 (23)");
        assert_eq!(lines.len(), 2 + 3 * 2 + 1);
        assert_eq!(lines[8], ". not settled (n for 10 %)");
    }
}
