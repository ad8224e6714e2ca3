//! Warnings: the reasons to doubt a figure.
//!
//! [`kinds`] lists them with their definitions: those of every study, and those that systems
//! declare. How often the statistical ones are wrong is
//! measured: `docs/warnings.md`.
//!
//! A point gets each warning once; it names the metrics it is about, worst first.

use std::borrow::Cow;

use crate::collections::StableSort as _;
use crate::kernel::stats::Summary;
use crate::measure::own_warnings::{OwnWarnings, WarningKind};
use crate::measure::signs::{self, SATURATED, WARM_UP_NOT_OVER};
use crate::study::recorded;
use crate::study::row::BatchFacts;
use crate::study::summary::Warning;
use crate::study::verdict::LEAST_REPLICATIONS;

/// Widest half-width that goes without a warning, relative to the mean [no unit].
pub const WIDE: f64 = 0.10;

/// More work than can be done, which is the gravest of all.
const OVERLOAD: [WarningKind; 1] = [kind(
    SATURATED,
    "more work came than was done: waits grow with the length of the run",
    "more work came than could be done, by the offered load or by a backlog that grew to the end, each at 5 %, and more \
         than a hundredth of it waits at the last arrival: a longer run gives a longer wait",
)];

/// Further warnings about runs, behind those of the system about its runs.
const OF_RUNS: [WarningKind; 2] = [
    kind(
        WARM_UP_NOT_OVER,
        "the warm-up was not over: cut off more, or run longer",
        "the waits at the beginning of what the warm-up leaves differ from the others, by Schruben's test for initialisation \
         bias at 0.5 %, corrected for correlation, or by a first twentieth five standard errors away, or the run is saturated; \
         never of a recorded workload",
    ),
    kind(
        "failed-runs",
        "runs failed and are not in these figures",
        "runs that failed are missing from the figures",
    ),
];

/// Warnings about points and intervals, behind those of the system about shares of its subjects.
const OF_POINTS: [WarningKind; 7] = [
    kind(
        DIFFERENT,
        "points are compared that leave out different jobs",
        "compared points differ by 1 % of the jobs or more in how many are rejected, dropped, unfinished, cancelled or lost, or by \
         5 % in how many are killed or repaired: differences are between means over different jobs",
    ),
    kind(
        "few-replications",
        "too few replications for a verdict, or for a usable interval",
        "fewer than five random runs, but more than one",
    ),
    kind(
        "one-run",
        "one random run has no interval: ask for replications",
        "a single random run without an interval of its own",
    ),
    kind(
        "batches-correlate",
        "parts of the run are not independent, so the interval is too narrow; run longer, or replicate",
        "neighbouring batch means of a single run correlate, by von Neumann's ratio at 1 %, so that its intervals are too \
         narrow",
    ),
    kind(
        "short-run",
        "the run is too short for its interval to be believed; run longer, or replicate",
        "a single run that is worth fewer than 200 independent observations",
    ),
    kind(
        "wide-interval",
        "95 % intervals are wide",
        "the 95 % interval of a mean that was asked for (repeat.until, expect, --metric) is wider than +-10 % of it",
    ),
    kind(
        recorded::CODE,
        recorded::DIFFERS,
        "a comparison over randomized logs: the difference with the log as recorded contradicts a clear verdict (the other sign, \
         too far for one draw more at 5 %), or is too far on either side at 0.1 %, each by Holm's method; randomizing broke \
         something that the difference depends on",
    ),
];

/// Every warning in the order in which they are listed, the gravest first, with those of systems.
pub fn kinds(systems: &[OwnWarnings]) -> Vec<WarningKind> {
    let of_runs = systems.iter().flat_map(|own| own.of_runs);
    let of_shares = systems.iter().flat_map(|own| own.shares.others).map(|share| &share.kind);
    let all = OVERLOAD.iter().chain(of_runs).chain(&OF_RUNS).chain(of_shares).chain(&OF_POINTS);
    all.copied().collect()
}

/// The warnings of a system that others do not have, the gravest first.
pub fn own(of: &OwnWarnings) -> Vec<WarningKind> {
    of.of_runs.iter().chain(of.shares.others.iter().map(|share| &share.kind)).copied().collect()
}

/// The code of the warning about compared points that leave out different jobs.
pub const DIFFERENT: &str = "different-jobs";

/// Metrics named in one warning at most.
const NAMED: usize = 3;

const fn kind(code: &'static str, about: &'static str, definition: &'static str) -> WarningKind {
    WarningKind { code, about, definition }
}

impl Warning {
    fn new(code: &'static str, text: String) -> Self {
        Warning { code: Cow::Borrowed(code), metric: None, text }
    }

    /// The text that is declared of it, with something before and behind.
    fn with(code: &'static str, before: &str, behind: &str) -> Self {
        let all = OVERLOAD.iter().chain(&OF_RUNS).chain(&OF_POINTS);
        let about = all.copied().find(|kind| kind.code == code).map_or("", |kind| kind.about);
        Warning::new(code, format!("{before}{about}{behind}"))
    }
}

impl From<signs::Warning> for Warning {
    fn from(warning: signs::Warning) -> Self {
        Warning::new(warning.code, warning.text)
    }
}

/// Warnings about the runs of a point, of which the system declares these.
pub fn of_runs(own: &OwnWarnings, runs: &[&[String]], failed: u64) -> Vec<Warning> {
    let count = |code: &str| runs.iter().filter(|run| run.iter().any(|warned| warned == code)).count();
    let share = |count: usize| match (count, runs.len()) {
        (_, 1) => String::new(),
        (count, runs) => format!("in {count} of {runs} runs "),
    };
    let kinds = OVERLOAD.iter().chain(own.of_runs).chain(&OF_RUNS);
    let counts = kinds.map(|kind| (kind, count(kind.code))).filter(|(_, count)| *count > 0);
    let mut warnings: Vec<Warning> =
        counts.map(|(kind, count)| Warning::new(kind.code, share(count) + kind.about)).collect();
    if failed > 0 {
        let runs = if failed == 1 { "run" } else { "runs" };
        let text = format!("{failed} {runs} failed and are not in these figures");
        warnings.push(Warning::new("failed-runs", text));
    }
    warnings
}

/// Warnings about the intervals over the replications of a point that drew random numbers; `means`
/// are the metrics whose width is judged, those that were asked for.
pub fn of_replications(replications: u64, means: &[(&str, Summary)]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if replications < LEAST_REPLICATIONS {
        let text = format!(
            "{replications} replications: {LEAST_REPLICATIONS} or more give a verdict, 10 a usable interval"
        );
        warnings.push(Warning::new("few-replications", text));
    }
    let widths = means.iter().filter_map(|(metric, summary)| Some((*metric, summary.relative()?)));
    warnings.extend(wide(widths.collect()));
    warnings
}

/// Warnings about the intervals of a single random run; `means` are those of the metrics whose
/// width is judged.
pub fn of_batches(batches: &[BatchFacts], means: &[(&str, Summary)]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if batches.iter().all(|one| one.half_width.is_none()) {
        return vec![Warning::with("one-run", "", "")];
    }
    let names = |wanted: &dyn Fn(&BatchFacts) -> bool| -> Vec<&str> {
        let wanted = batches.iter().filter(|one| one.half_width.is_some() && wanted(one));
        wanted.map(|one| one.metric.as_str()).collect()
    };
    let correlate = names(&|sign| sign.correlate);
    if !correlate.is_empty() {
        warnings.push(Warning::with("batches-correlate", "", &format!(": {}", listed(&correlate))));
    }
    let short = names(&|sign| !sign.correlate && !sign.long_enough);
    if !short.is_empty() {
        warnings.push(Warning::with("short-run", "", &format!(": {}", listed(&short))));
    }
    let width = |sign: &BatchFacts| {
        let mean = means.iter().find(|(metric, _)| *metric == sign.metric)?.1.mean;
        let half_width = sign.half_width?;
        Some(if half_width > 0.0 { half_width / mean.abs() } else { 0.0 })
    };
    let widths = batches.iter().filter_map(|one| Some((one.metric.as_str(), width(one)?)));
    warnings.extend(wide(widths.collect()));
    warnings
}

/// The warning about intervals wider than [`WIDE`], widest first.
fn wide(mut widths: Vec<(&str, f64)>) -> Option<Warning> {
    widths.retain(|(_, width)| *width > WIDE);
    widths.stable_sort_by(|a, b| b.1.total_cmp(&a.1));
    if widths.is_empty() {
        return None;
    }
    let name = |(metric, width): &(&str, f64)| match width {
        width if width.is_finite() => format!("{metric} ±{:.0} %", width * 100.0),
        _ => format!("{metric} about 0"),
    };
    let names: Vec<String> = widths.iter().map(name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let text = format!("95 % intervals wider than ±{:.0} %: {}", WIDE * 100.0, listed(&names));
    Some(Warning { metric: Some(widths[0].0.to_owned()), ..Warning::new("wide-interval", text) })
}

/// The first few names, and how many more there are.
fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::own_warnings::{Counted, Share, Shares};

    #[test]
    fn every_code_is_declared_once_with_what_it_means() {
        let kinds = kinds(&[OWN, OwnWarnings::NONE]);
        for (place, WarningKind { code, about, definition }) in kinds.iter().enumerate() {
            assert!(!about.is_empty() && !definition.is_empty(), "{code}");
            assert!(kinds[..place].iter().all(|other| other.code != *code), "{code}");
        }
        let place = |code: &str| kinds.iter().position(|kind| kind.code == code).expect("declared");
        let order = ["saturated", "closed", "warm-up-not-over", "lost-customers", DIFFERENT].map(place);
        assert!(order.is_sorted(), "{order:?}");
    }

    const OWN: OwnWarnings = OwnWarnings {
        of_runs: &[kind("closed", "the counter was closed", "no window was open")],
        shares: Shares {
            complete: "served",
            others: &[Share {
                kind: kind("lost-customers", "of the customers were lost", "1 % or more were lost"),
                label: "lost",
                counted: Counted::State("lost"),
                least: 0.01,
            }],
        },
    };

    fn codes(warnings: &[Warning]) -> Vec<&str> {
        warnings.iter().map(|warning| &*warning.code).collect()
    }

    fn summary(values: &[f64]) -> Summary {
        Summary::of(values).expect("values")
    }

    #[test]
    fn good_runs_are_left_in_peace() {
        let none: &[String] = &[];
        assert_eq!(of_runs(&OWN, &[none; 10], 0), []);
        let narrow = summary(&[100.0, 101.0, 99.0, 100.0, 100.5, 99.5]);
        assert_eq!(of_replications(6, &[("wait-time.mean", narrow)]), []);
    }

    #[test]
    fn saturation_an_open_warm_up_and_failures_are_said_with_their_share() {
        // of what is counted over all runs together, nothing is said here
        let bad = ["warm-up-not-over", "saturated", "lost-customers", "closed"].map(str::to_owned);
        let bad = &bad[..];
        let warnings = of_runs(&OWN, &[bad, &[][..], bad], 1);
        assert_eq!(codes(&warnings), ["saturated", "closed", "warm-up-not-over", "failed-runs"]);
        assert_eq!(warnings[1].text, "in 2 of 3 runs the counter was closed");
        assert!(warnings[0].text.starts_with("in 2 of 3 runs more work came"), "{}", warnings[0].text);
        assert!(of_runs(&OWN, &[bad], 0)[0].text.starts_with("more work came"));
    }

    #[test]
    fn few_replications_and_wide_intervals_are_said() {
        let (wide, wider, zero) = (summary(&[1.0, 2.0]), summary(&[1.0, 9.0]), summary(&[-1.0, 1.0]));
        let means = [("a", wide), ("b", wider), ("c", wide), ("d", wide), ("e", zero)];
        let warnings = of_replications(2, &means);
        assert_eq!(codes(&warnings), ["few-replications", "wide-interval"]);
        // half-widths t(0.975, 1) × 0.5 = 6.353 of 1.5 and 50.8 of 5
        let text = "95 % intervals wider than ±10 %: e about 0, b ±1016 %, a ±424 % and 2 more";
        assert_eq!(warnings[1].text, text);
        assert_eq!(codes(&of_replications(4, &[])), ["few-replications"]);
        assert_eq!(of_replications(5, &[]), []);
    }

    #[test]
    fn a_single_run_says_whether_its_batches_can_be_believed() {
        let good = BatchFacts {
            metric: "wait-time.mean".to_owned(),
            half_width: Some(0.1),
            correlate: false,
            worth: Some(900.0),
            long_enough: true,
        };
        let mean = [("wait-time.mean", summary(&[4.0]))];
        assert_eq!(of_batches(std::slice::from_ref(&good), &mean), []);
        let short = BatchFacts { long_enough: false, half_width: Some(0.9), ..good.clone() };
        assert_eq!(codes(&of_batches(&[short], &mean)), ["short-run", "wide-interval"]);
        let correlated = BatchFacts { correlate: true, long_enough: false, ..good.clone() };
        assert_eq!(codes(&of_batches(&[correlated], &mean)), ["batches-correlate"]);
        let none = BatchFacts { half_width: None, ..good };
        assert_eq!(codes(&of_batches(&[none], &mean)), ["one-run"]);
        assert_eq!(codes(&of_batches(&[], &[])), ["one-run"]);
    }
}
