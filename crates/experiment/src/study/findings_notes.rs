//! Notes below the answer of a study: the origin of its figures, and their limits.

use crate::collections::OrderedSet;
use crate::study::summary::{Compared, Comparison, MetricFacts, Point, Scale, StudySummary, Verdict};
use crate::study::verdict::LEAST_REPLICATIONS;

/// Notes on the origin of the figures, and on their limits.
pub(super) fn of(summary: &StudySummary, comparisons: &[&Comparison], random: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let all = || comparisons.iter().flat_map(|comparison| &comparison.pairs_list);
    let shown = || all().filter(|one| one.difference.is_some());
    if shown().next().is_none() {
        notes.push("no replication with a value on both sides of any pair".to_owned());
    } else if random {
        notes.extend(closing(shown().any(|one| one.scale == Scale::Ratio), all().any(|one| one.p.is_some())));
    }
    notes.extend(by_difference(summary, comparisons));
    if !random {
        let words =
            "no interval and no test: nothing random was drawn, so each difference is of this one workload";
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
    notes.extend(other_jobs(summary, comparisons));
    notes
}

/// The meaning of the figures and tests, in words.
fn closing(has_ratios: bool, has_tests: bool) -> Vec<String> {
    let mut notes =
        vec!["± is the half-width of a change's own 95 % interval, over common replications".to_owned()];
    if has_ratios {
        notes.push(
            "changes in percent are of the geometric mean: the mean of the logarithms of the paired ratios"
                .to_owned(),
        );
    }
    if has_tests {
        notes.push(
            "verdicts by the paired t test on that scale, adjusted by Holm's method: those of a family hold together at 5 %; the \
             primary metric is a family of its own, all secondary ones are another"
                .to_owned(),
        );
    }
    notes
}

/// Metrics that are named at most.
const NAMED: usize = 3;

/// Finding that metrics without a sign are compared by their differences, as they are 0 somewhere.
fn by_difference(summary: &StudySummary, comparisons: &[&Comparison]) -> Option<String> {
    let list = || comparisons.iter().flat_map(|comparison| &comparison.pairs_list);
    let zero = |metric: &MetricFacts| {
        let of_it = |one: &&Compared| one.metric == metric.name && one.scale == Scale::Difference;
        let numbers: OrderedSet<u32> = list().filter(of_it).flat_map(|one| [one.from, one.to]).collect();
        let is_zero = |point: &&Point| {
            numbers.contains(&point.point)
                && point.values(&metric.name).iter().filter_map(|one| one.value()).any(|value| value <= 0.0)
        };
        let point = summary.points.iter().find(is_zero)?.point;
        Some(format!("{} (point {point})", metric.name))
    };
    let found: Vec<String> =
        summary.metrics.iter().filter(|metric| !metric.share && !metric.signed).filter_map(zero).collect();
    if found.is_empty() {
        return None;
    }
    let more = found.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let names = found.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    Some(format!(
        "compared by differences, as no ratio is formed with 0, which is a value of some replication: {names}{more}"
    ))
}

/// Finding that the figures of a pair are over other jobs, which no mean shows.
fn other_jobs(summary: &StudySummary, comparisons: &[&Comparison]) -> Option<String> {
    const COMPLETED: &str = "jobs.completed";
    let find = |number: u32| summary.points.iter().find(|point| point.point == number);
    let list = comparisons.iter().flat_map(|comparison| &comparison.pairs_list);
    let pairs: OrderedSet<(u32, u32)> = list.map(|one| (one.from, one.to)).collect();
    let differ = |&&(from, to): &&(u32, u32)| {
        let (Some(from), Some(to)) = (find(from), find(to)) else { return false };
        let mut both = from.values(COMPLETED).iter().zip(to.values(COMPLETED));
        both.any(|(from, to)| from.value().zip(to.value()).is_some_and(|(from, to)| (from - to).abs() > 0.0))
    };
    match (pairs.iter().filter(differ).count(), pairs.len()) {
        (0, _) => None,
        (count, all) => Some(format!(
            "in {count} of {all} pairs not as many jobs were completed on both sides ({COMPLETED}): the means are over other jobs"
        )),
    }
}
