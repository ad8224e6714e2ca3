//! Power and false alarms of families of tests, by simulation.
//!
//! A study of four policies at six loads compares three of them with the first: 18 tests of the
//! asked metric. Each replication draws a lognormal load (sigma 0.8) that all points share; noise
//! of sigma 0.3 is a point's own. The figures stand in `docs/warnings.md`.

use crate::kernel::rng::distribution::normal_quantile;
use crate::kernel::rng::{Streams, math};
use crate::measure::family::Aim;
use crate::study::summary::{Compared, Scale, Verdict};
use crate::study::verdict::{DETECT, Pair, compare};

/// Tests of the metric that is asked for.
const ASKED: usize = 18;
/// Tests of four metrics, of each pair of four policies at six loads, in one family.
const ALL: usize = 144;

/// The verdicts of one study in which every second value is `effect` times the first, but for load
/// and noise.
fn verdicts(study: u64, (scale, tests): (Scale, usize), replications: usize, effect: f64) -> Vec<Verdict> {
    let mut stream = Streams::new(43, study).stream("power");
    let mut lognormal = |sigma: f64| math::exp(sigma * normal_quantile(stream.open01()));
    let mut sides = vec![(Vec::new(), Vec::new()); tests];
    for _ in 0..replications {
        let load = lognormal(0.8);
        for (before, after) in &mut sides {
            before.push((load * lognormal(0.3)).into());
            after.push((effect * load * lognormal(0.3)).into());
        }
    }
    let pair = |(before, after)| Pair {
        from: 0,
        to: 1,
        metric: "wait-time.mean",
        aim: Aim::Lower,
        scale,
        saturated: false,
        before,
        after,
        recorded: None,
    };
    let pairs: Vec<Pair<'_>> = sides.iter().map(|(before, after)| pair((&**before, &**after))).collect();
    compare(&pairs, DETECT).iter().map(|one: &Compared| one.verdict).collect()
}

/// Share of the tests of `studies` studies in which a halved metric is found to be better.
fn found(family: (Scale, usize), replications: usize, studies: u64) -> f64 {
    let all: Vec<Verdict> =
        (0..studies).flat_map(|study| verdicts(study, family, replications, 0.5)).collect();
    all.iter().filter(|verdict| **verdict == Verdict::Better).count() as f64 / all.len() as f64
}

/// Share of 1,000 studies without any difference in which a verdict says better or worse.
fn false_alarms(family: (Scale, usize), replications: usize) -> f64 {
    let is_false = |study: &u64| {
        let verdicts = verdicts(*study, family, replications, 1.0);
        verdicts.iter().any(|verdict| matches!(verdict, Verdict::Better | Verdict::Worse))
    };
    (0..1000).filter(is_false).count() as f64 / 1000.0
}

/// Bounds are three standard errors about the shares that an independent program finds (in 400
/// studies 0.18 and 0.985 of ratios; at most 0.02 of differences).
#[test]
fn a_halved_metric_is_found_by_ratios_in_the_asked_family_and_hidden_by_differences_in_one_of_all() {
    let [few, many] = [5, 10].map(|n| found((Scale::Ratio, ASKED), n, 300));
    let [few_hidden, many_hidden] = [5, 10].map(|n| found((Scale::Difference, ALL), n, 40));
    assert!((0.13..0.23).contains(&few), "{few}");
    assert!((0.97..=1.0).contains(&many), "{many}");
    assert!(few_hidden < 0.01 && many_hidden < 0.05, "{few_hidden} {many_hidden}");
}

/// The rate is 5 % at most; with a rate of 5 % more than 71 of 1,000 come once in a thousand times.
#[test]
fn where_nothing_differs_one_study_in_twenty_at_most_has_a_verdict() {
    for replications in [5, 10] {
        let wrong = false_alarms((Scale::Ratio, ASKED), replications);
        assert!(wrong <= 0.071, "{wrong}");
    }
}
