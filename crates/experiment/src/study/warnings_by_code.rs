//! The warnings of a whole study, one for each code: what is wrong, and at which points.
//!
//! Each point has its warnings in full ([`warnings`](super::warnings)). In a study most points
//! share them, so they are reported together: by code, in the order of that module's table, with
//! the numbers of the points. Where all those points say the same, that is said; else what the code
//! means, and for intervals the widest one.

use crate::collections::{OrderedSet, StableSort as _};
use crate::measure::own_warnings::{Share, Shares, WarningKind};
use crate::study::recorded;
use crate::study::slurm::ranges;
use crate::study::summary::{Comparison, Point, StudySummary, WarnedPoints};
use crate::study::warnings::{DIFFERENT, WIDE, kinds};

/// The warnings of a study, by code: those of its points, that compared points leave out different
/// jobs, and that the log as recorded differs.
pub fn of(summary: &StudySummary) -> Vec<WarnedPoints> {
    let asked: Vec<&Comparison> = summary.asked_comparisons();
    let pairs = asked.iter().flat_map(|comparison| &comparison.pairs_list);
    let kinds = kinds(&[summary.own_warnings]);
    let mut warned = by_code(&summary.points, &kinds);
    let pairs = pairs.map(|pair| (pair.from, pair.to)).collect();
    warned.extend(different_jobs(&summary.points, &summary.own_warnings.shares, pairs));
    warned.extend(recorded::warning(&asked));
    let place = |warned: &WarnedPoints| kinds.iter().position(|kind| kind.code == warned.code);
    warned.stable_sort_by_key(place);
    warned
}

/// Warning that compared points differ in which jobs their figures are of.
fn different_jobs(points: &[Point], shares: &Shares, pairs: OrderedSet<(u32, u32)>) -> Option<WarnedPoints> {
    let find = |number: u32| points.iter().find(|point| point.point == number);
    let all = pairs.len();
    let (mut differ, mut at, mut widest) = (0, OrderedSet::new(), (0.0, ""));
    for (from, to) in pairs {
        let (Some(a), Some(b)) = (find(from), find(to)) else { continue };
        let gap = |share: &Share| {
            let of = |point: &Point| shares.share(share, |metric| point.mean(metric), point.log);
            (of(a) - of(b)).abs()
        };
        let gaps = shares.others.iter().map(|share| (gap(share), share));
        let gaps = gaps.filter(|(gap, share)| *gap >= share.least);
        let Some((gap, share)) = gaps.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        differ += 1;
        at.extend([from, to]);
        if gap > widest.0 {
            widest = (gap, share.label);
        }
    }
    let (gap, label) = widest;
    let text = format!(
        "{differ} of {all} compared pairs leave out different jobs, by up to {:.1} % of all (jobs {label}): their differences are \
         between means over different jobs",
        gap * 100.0
    );
    (differ > 0).then(|| WarnedPoints { code: DIFFERENT.to_owned(), text, points: at.into_iter().collect() })
}

/// The warnings of `points`, by code.
fn by_code(points: &[Point], kinds: &[WarningKind]) -> Vec<WarnedPoints> {
    let found = kinds.iter().map(|&WarningKind { code, about, .. }| {
        let with = |point: &Point| point.warnings.iter().find(|warning| warning.code == code).cloned();
        let with_code: Vec<_> = points.iter().filter_map(|point| Some((point, with(point)?))).collect();
        let same = with_code.windows(2).all(|two| two[0].1.text == two[1].1.text);
        let text = match with_code.first() {
            Some((_, warning)) if same => warning.text.clone(),
            _ if code == "wide-interval" => widest(points),
            _ => about.to_owned(),
        };
        WarnedPoints {
            code: code.to_owned(),
            text,
            points: with_code.iter().map(|(point, _)| point.point).collect(),
        }
    });
    found.filter(|warned| !warned.points.is_empty()).collect()
}

/// The widest interval of all that are warned of.
fn widest(points: &[Point]) -> String {
    let mut widest: Option<(f64, &str, u32)> = None;
    for point in points {
        for metric in point.warnings.iter().filter_map(|warning| warning.metric.as_deref()) {
            let width = point.metrics.get(metric).and_then(|figures| figures.summary.relative());
            if let Some(width) = width
                && widest.is_none_or(|(most, ..)| width > most)
            {
                widest = Some((width, metric, point.point));
            }
        }
    }
    let bound = format!("95 % intervals wider than ±{:.0} %", WIDE * 100.0);
    match widest {
        Some((width, metric, point)) if width.is_finite() => {
            format!("{bound}, the widest that of {metric} at point {point}: ±{:.0} %", width * 100.0)
        }
        Some((_, metric, point)) => format!("{bound}, the widest that of {metric} at point {point}, about 0"),
        None => bound,
    }
}

/// The lines to be printed under a table of `points` points; nothing without warnings.
pub fn text(warnings: &[WarnedPoints], points: usize) -> String {
    if warnings.is_empty() {
        return String::new();
    }
    let places: Vec<String> = warnings
        .iter()
        .map(|warned| match warned.points.as_slice() {
            all if all.len() == points && points > 1 => "all points".to_owned(),
            [one] => format!("point {one}"),
            some => format!("points {}", ranges(some).replace(',', ", ")),
        })
        .collect();
    let wide = |lengths: Vec<usize>| lengths.into_iter().max().unwrap_or(0);
    let code = wide(warnings.iter().map(|warned| warned.code.len()).collect());
    let place = wide(places.iter().map(String::len).collect()).min(24);
    let lines = warnings
        .iter()
        .zip(&places)
        .map(|(warned, at)| format!("  {:code$}  {at:place$}  {}\n", warned.code, warned.text));
    format!("\nwarnings\n{}", lines.collect::<Vec<_>>().concat())
}

#[cfg(test)]
mod tests {
    use crate::collections::OrderedMap;
    use crate::kernel::stats::Summary;
    use crate::measure::own_warnings::{Counted, OwnWarnings};
    use crate::study::summary::{Figures, IntervalKind};
    use crate::study::warnings::{of_replications, of_runs};

    use super::*;

    /// A point of three runs with these waits, `saturated` of them saturated.
    fn point(number: u32, saturated: usize, waits: &[f64]) -> Point {
        let summary = Summary::of(waits).expect("values");
        let code = ["saturated".to_owned()];
        let runs: Vec<&[String]> = (0..3).map(|run| if run < saturated { &code[..] } else { &[] }).collect();
        let mut warnings = of_runs(&OwnWarnings::NONE, &runs, 0);
        warnings.extend(of_replications(3, &[("wait-time.mean", summary)]));
        let figures = Figures { summary, quantiles: None, values: Vec::new() };
        Point {
            point: number,
            at: vec![number as usize],
            label: number.to_string(),
            replications: 3,
            failed: 0,
            random: true,
            interval: IntervalKind::Replications,
            metrics: OrderedMap::from([("wait-time.mean".to_owned(), figures)]),
            recorded: None,
            log: None,
            warnings,
            runs: Vec::new(),
        }
    }

    #[test]
    fn each_code_is_reported_once_with_its_points() {
        let points = [
            point(0, 0, &[1.0, 1.0, 1.0]),
            point(1, 1, &[1.0, 2.0, 3.0]),
            point(2, 3, &[1.0, 5.0, 9.0]),
            point(3, 2, &[1.0, 1.0, 1.0]),
        ];
        let found = by_code(&points, &kinds(&[]));
        let codes: Vec<(&str, &[u32])> = found.iter().map(|one| (&*one.code, &*one.points)).collect();
        assert_eq!(
            codes,
            [("saturated", &[1, 2, 3][..]), ("few-replications", &[0, 1, 2, 3]), ("wide-interval", &[1, 2])]
        );
        // the points differ in how many runs, so only what they share is said
        assert!(found[0].text.starts_with("more work came"), "{}", found[0].text);
        assert!(found[1].text.starts_with("3 replications: 5 or more"), "{}", found[1].text);
        // half-widths t(0.975, 2) × 1/√3 of 2 and t × 4/√3 of 5: 124 % and 199 %
        assert!(found[2].text.ends_with("wait-time.mean at point 2: ±199 %"), "{}", found[2].text);
        let text = text(&found, 4);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["", "warnings"]);
        assert!(lines[2].starts_with("  saturated         points 1-3  more work"), "{text}");
        assert!(lines[3].starts_with("  few-replications  all points  3 replications"), "{text}");
        assert!(lines[4].starts_with("  wide-interval     points 1-2  95 %"), "{text}");
        assert_eq!(lines.len(), 5);
    }

    const SHARES: Shares = Shares {
        complete: "jobs.completed",
        others: &[Share {
            kind: WarningKind { code: "rejected-jobs", about: "", definition: "" },
            label: "rejected",
            counted: Counted::State("jobs.rejected"),
            least: 0.01,
        }],
    };

    /// A point of this many completed and rejected jobs.
    fn counted(number: u32, completed: f64, rejected: f64) -> Point {
        let figures = |count| Figures {
            summary: Summary::of(&[count]).expect("a value"),
            quantiles: None,
            values: vec![count.into()],
        };
        let mut point = point(number, 0, &[1.0, 1.0, 1.0]);
        point.metrics.insert("jobs.completed".to_owned(), figures(completed));
        point.metrics.insert("jobs.rejected".to_owned(), figures(rejected));
        point
    }

    #[test]
    fn points_that_leave_out_different_jobs_are_named() {
        let points = [counted(0, 1000.0, 0.0), counted(1, 995.0, 5.0), counted(2, 400.0, 600.0)];
        let of = |pairs: &[(u32, u32)]| different_jobs(&points, &SHARES, pairs.iter().copied().collect());
        assert_eq!(of(&[(0, 1)]), None, "half a percent");
        let found = of(&[(0, 1), (0, 2)]).expect("they differ");
        assert_eq!((found.code.as_str(), found.points.as_slice()), (DIFFERENT, &[0, 2][..]));
        assert!(
            found.text.starts_with("1 of 2 compared pairs leave out different jobs, by up to 60.0 %"),
            "{}",
            found.text
        );
        // the same share of other jobs is not seen here, but each point has its own warning
        assert_eq!(
            different_jobs(
                &[counted(0, 40.0, 60.0), counted(1, 40.0, 60.0)],
                &SHARES,
                OrderedSet::from([(0, 1)])
            ),
            None
        );
    }

    #[test]
    fn a_point_alone_says_how_many_of_its_runs_and_no_warning_is_no_text() {
        let found = by_code(&[point(0, 2, &[1.0, 1.0, 1.0])], &kinds(&[]));
        assert!(found[0].text.starts_with("in 2 of 3 runs more work came"), "{}", found[0].text);
        assert_eq!(text(&[], 3), "");
    }
}
