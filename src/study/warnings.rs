//! Warnings: the reasons to doubt a figure.
//!
//! [`CODES`] lists them with their definitions. How often the statistical ones are wrong is
//! measured: `docs/warnings.md`.
//!
//! A point gets each warning once; it names the metrics it is about, worst first.

use std::borrow::Cow;

use crate::collections::StableSort as _;
use crate::instrument::job_shares::JOB_SHARES;
use crate::kernel::stats::Summary;
use crate::measure::input_counts::InputCounts;
use crate::measure::signs::{SATURATED, WARM_UP_NOT_OVER};
use crate::study::recorded;
use crate::study::row::BatchFacts;
use crate::study::summary::Warning;
use crate::study::verdict::LEAST_REPLICATIONS;

/// Widest half-width that goes without a warning, relative to the mean [no unit].
pub const WIDE: f64 = 0.10;

/// Every code in the order in which they are listed, the gravest first: what it says of several
/// points at once, and its meaning.
pub const CODES: [(&str, &str, &str); 19] = [
    (
        SATURATED,
        "more work came than was done: waits grow with the length of the run",
        "more work came than could be done, by the offered load or by a backlog that grew to the end, each at 5 %, and more \
         than a hundredth of it waits at the last arrival: a longer run gives a longer wait",
    ),
    (
        "no-progress",
        "tasks are moved by one plan after another and none of them starts",
        "in the last plans before the run was stopped all tasks that wait were moved ten times in the mean or more, and nothing was \
         computed: each move throws away what was sent before",
    ),
    (
        "idle-servers",
        "all tasks waited for one server while others were idle, as nothing is measured: add [monitor.server]",
        "a scheduler that goes by measurements had none and sent all tasks, twenty at least, to one server, where they took \
         5 % longer in the mean than alone, while no other server had any",
    ),
    (
        WARM_UP_NOT_OVER,
        "the warm-up was not over: cut off more, or run longer",
        "the waits at the beginning of what the warm-up leaves differ from the others, by Schruben's test for initialisation \
         bias at 0.5 %, corrected for correlation, or by a first twentieth five standard errors away, or the run is saturated; \
         never of a recorded workload",
    ),
    (
        "failed-runs",
        "runs failed and are not in these figures",
        "runs that failed are missing from the figures",
    ),
    of_share(0),
    of_share(1),
    of_share(2),
    of_share(3),
    of_share(4),
    of_share(5),
    of_share(6),
    (
        DIFFERENT,
        "points are compared that leave out different jobs",
        "compared points differ by 1 % of the jobs or more in how many are rejected, dropped, unfinished, cancelled or lost, or by \
         5 % in how many are killed or repaired: differences are between means over different jobs",
    ),
    (
        "few-replications",
        "too few replications for a verdict, or for a usable interval",
        "fewer than five random runs, but more than one",
    ),
    (
        "one-run",
        "one random run has no interval: ask for replications",
        "a single random run without an interval of its own",
    ),
    (
        "batches-correlate",
        "parts of the run are not independent, so the interval is too narrow; run longer, or replicate",
        "neighbouring batch means of a single run correlate, by von Neumann's ratio at 1 %, so that its intervals are too \
         narrow",
    ),
    (
        "short-run",
        "the run is too short for its interval to be believed; run longer, or replicate",
        "a single run that is worth fewer than 200 independent observations",
    ),
    (
        "wide-interval",
        "95 % intervals are wide",
        "the 95 % interval of a mean that was asked for (repeat.until, expect, --metric) is wider than +-10 % of it",
    ),
    (
        recorded::CODE,
        recorded::DIFFERS,
        "a comparison over randomized logs: the difference with the log as recorded contradicts a clear verdict (the other sign, \
         too far for one draw more at 5 %), or is too far on either side at 0.1 %, each by Holm's method; randomizing broke \
         something that the difference depends on",
    ),
];
/// Codes of warnings that are of single runs: of a point it is said in how many of them. All others
/// are of all runs together.
const OF_RUNS: [&str; 4] = [SATURATED, "no-progress", "idle-servers", WARM_UP_NOT_OVER];

/// The code of the warning about compared points that leave out different jobs.
pub const DIFFERENT: &str = "different-jobs";

/// Metrics named in one warning at most.
const NAMED: usize = 3;

const fn of_share(place: usize) -> (&'static str, &'static str, &'static str) {
    let share = &JOB_SHARES[place];
    (share.code, share.text, share.definition)
}

impl Warning {
    fn new(code: &'static str, text: String) -> Self {
        debug_assert!(is_known(code), "the warning `{code}` has no definition: declare it in `CODES`");
        Warning { code: Cow::Borrowed(code), metric: None, text }
    }

    /// The text that [`CODES`] has of it, with something before and behind.
    fn with(code: &'static str, before: &str, behind: &str) -> Self {
        let text = CODES.iter().find(|&&(known, ..)| known == code).map_or("", |&(_, text, _)| text);
        Warning::new(code, format!("{before}{text}{behind}"))
    }
}

/// Returns true if a warning is one of [`CODES`].
pub fn is_known(code: &str) -> bool {
    CODES.iter().any(|&(known, ..)| known == code)
}

/// Warnings about the runs of a point.
pub fn of_runs(runs: &[&[String]], failed: u64) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let count = |code: &str| runs.iter().filter(|run| run.iter().any(|warned| warned == code)).count();
    let share = |count: usize| match (count, runs.len()) {
        (_, 1) => String::new(),
        (count, runs) => format!("in {count} of {runs} runs "),
    };
    let counts = OF_RUNS.map(|code| (code, count(code))).into_iter().filter(|(_, count)| *count > 0);
    warnings.extend(counts.map(|(code, count)| Warning::with(code, &share(count), "")));
    if failed > 0 {
        let runs = if failed == 1 { "run" } else { "runs" };
        let text = format!("{failed} {runs} failed and are not in these figures");
        warnings.push(Warning::new("failed-runs", text));
    }
    warnings
}

/// Warnings about the jobs that are missing from the means of a point, or not as they were
/// recorded; `state` gives the mean of a count over its runs.
pub fn of_jobs(state: impl Fn(&str) -> f64, log: Option<InputCounts>) -> Vec<Warning> {
    let found = JOB_SHARES.iter().filter_map(|share| share.warning(&state, log));
    found.map(|found| Warning::new(found.code, found.text)).collect()
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

    #[test]
    fn every_code_is_declared_once_with_what_it_means() {
        for (place, (code, about, meaning)) in CODES.into_iter().enumerate() {
            assert!(!about.is_empty() && !meaning.is_empty(), "{code}");
            assert!(CODES[..place].iter().all(|&(other, ..)| other != code), "{code}");
        }
        assert!(is_known("saturated") && !is_known("no-such-warning"));
        assert!(JOB_SHARES.iter().all(|share| is_known(share.code)));
    }

    fn codes(warnings: &[Warning]) -> Vec<&str> {
        warnings.iter().map(|warning| &*warning.code).collect()
    }

    fn summary(values: &[f64]) -> Summary {
        Summary::of(values).expect("values")
    }

    #[test]
    fn good_runs_are_left_in_peace() {
        let none: &[String] = &[];
        assert_eq!(of_runs(&[none; 10], 0), []);
        let narrow = summary(&[100.0, 101.0, 99.0, 100.0, 100.5, 99.5]);
        assert_eq!(of_replications(6, &[("wait-time.mean", narrow)]), []);
    }

    #[test]
    fn saturation_an_open_warm_up_and_failures_are_said_with_their_share() {
        // of what is counted over all runs together, nothing is said here
        let bad = ["saturated", "warm-up-not-over", "rejected-jobs"].map(str::to_owned);
        let bad = &bad[..];
        let warnings = of_runs(&[bad, &[][..], bad], 1);
        assert_eq!(codes(&warnings), ["saturated", "warm-up-not-over", "failed-runs"]);
        assert!(warnings[0].text.starts_with("in 2 of 3 runs more work came"), "{}", warnings[0].text);
        assert!(of_runs(&[bad], 0)[0].text.starts_with("more work came"));
    }

    #[test]
    fn jobs_that_are_missing_are_said_with_their_share() {
        let two_thirds = |name: &str| match name {
            "jobs.completed" => 6579.0,
            "jobs.rejected" => 11_319.0,
            _ => 0.0,
        };
        let warnings = of_jobs(two_thirds, Some(InputCounts { records: 100, dropped: 3, repaired: 4 }));
        assert_eq!(codes(&warnings), ["rejected-jobs", "dropped-jobs"]);
        assert!(
            warnings[0].text.starts_with("63.2 % of the observed jobs were rejected"),
            "{}",
            warnings[0].text
        );
        assert_eq!(of_jobs(|_| 0.0, None), []);
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
