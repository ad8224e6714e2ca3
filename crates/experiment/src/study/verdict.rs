//! Verdicts: is a metric better at one point than at another, and is that more than chance?
//!
//! All points of a replication meet the same workload (common random numbers), so two points are
//! compared within each replication: what the workload does to both drops out. A positive metric (a
//! time, a slowdown) is compared by the logarithm of its ratio, since a heavy draw lengthens the
//! waits of both points alike; the mean of the logarithms is that of a ratio, the geometric mean. A
//! share, a metric that may be negative, and one that is 0 in some replication are compared by
//! their difference. The mean is judged by Student's two-sided test over the replications that both
//! points have (A. M. Law and W. D. Kelton, *Simulation Modeling and Analysis*, 3rd ed., 2000,
//! section 10.2.1), and the p-values of a family are adjusted together by Holm's method ([`holm`]),
//! so that the probability of even one false verdict in the family is at most 5 %.
//!
//! The first metric that is asked for is primary and a family of its own; the others that are asked
//! for are the second one, and all further ones with a better and a worse a third: each family is
//! larger than the one before, and judged harder.
//!
//! - Below five common replications there is no verdict: such an interval says little and misses
//!   often. The test is not made and does not count in the adjustment.
//! - Where a run of one of the two points is saturated there is no test either: its figures show
//!   how long the runs are.
//! - Where every difference is exactly 0 the verdict is `identical`. It counts in the adjustment
//!   with p = 1: leaving a test out because of its outcome would let the others through too easily.
//! - Where all differences are equal and not 0 there is no spread to judge them by; p is 0.
//! - Where nothing is settled, the replications are stated with which a change of the size that is
//!   asked for would be found in four studies of five ([`needed`]), from the spread of the pairs.

use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::rng::math;
use crate::kernel::stats::{CONFIDENCE, ConfidenceInterval, Table, holm, student_two_sided};
use crate::measure::family::Aim;
use crate::study::power::{LEAST_NEEDED, needed};
use crate::study::recorded;
use crate::study::run_metrics::Observation;
use crate::study::summary::{
    Compared, Comparison, MetricFacts, Point, RecordedDifference, Role, Scale, StudySummary, Verdict,
};

/// Fewest common replications for a verdict.
pub const LEAST_REPLICATIONS: u64 = LEAST_NEEDED;
/// Change that an unsettled comparison is to find, unless the question states another.
pub const DETECT: f64 = 0.1;

/// One metric at two points, a value a replication; what is missing or not finite on either side is
/// left out.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Number of the first point, which the other is compared with.
    pub from: u32,
    /// Number of the second point.
    pub to: u32,
    /// The metric's name.
    pub metric: &'a str,
    /// True if higher or lower is better.
    pub aim: Aim,
    /// The scale on which the two are compared.
    pub scale: Scale,
    /// True if a run of one of the two is saturated: then there is no test.
    pub saturated: bool,
    /// Values at the first point, by replication.
    pub before: &'a [Observation],
    /// Values at the second point, by replication.
    pub after: &'a [Observation],
    /// Values at both points with the log as recorded, where replications randomize it.
    pub recorded: Option<(f64, f64)>,
}

impl StudySummary {
    /// Compares pairs of points that differ on `axis` alone in these metrics, one family of tests:
    /// each point with that at the position `baseline`, or all pairs, the earlier position first.
    /// `detect` is the change that is to be found, as a share.
    pub fn compare(
        &self,
        axis: usize,
        baseline: Option<usize>,
        (role, metrics): (Role, &[&MetricFacts]),
        detect: f64,
    ) -> Comparison {
        let pairs = self.pairs_along(axis, baseline);
        let given = given(&pairs, metrics);
        Comparison {
            axis,
            baseline,
            role,
            afterwards: false,
            metrics: metrics.len(),
            pairs: pairs.len(),
            method: "paired t, Holm at 5 %".to_owned(),
            detect,
            pairs_list: compare(&given, detect),
        }
    }

    /// Pairs of points, and the replications that [`needs`] gives for one metric.
    pub fn needs(
        &self,
        axis: usize,
        baseline: Option<usize>,
        metric: &MetricFacts,
        detect: f64,
    ) -> Vec<(u32, u32, Option<u64>)> {
        let pairs = self.pairs_along(axis, baseline);
        let needs = needs(&given(&pairs, &[metric]), detect);
        pairs.iter().zip(needs).map(|((from, to), needed)| (from.point, to.point, needed)).collect()
    }

    /// Pairs of points that differ on `axis` alone, by the rest of their settings; those with the
    /// point at `baseline`, if it is given.
    fn pairs_along(&self, axis: usize, baseline: Option<usize>) -> Vec<(&Point, &Point)> {
        let mut groups: OrderedMap<Vec<usize>, Vec<&Point>> = OrderedMap::new();
        for point in self.points.iter().filter(|point| axis < point.at.len()) {
            let mut rest = point.at.clone();
            rest.remove(axis);
            groups.entry(rest).or_default().push(point);
        }
        let mut pairs = Vec::new();
        for group in groups.values_mut() {
            group.stable_sort_by_key(|point| point.at[axis]);
            for (place, from) in group.iter().enumerate() {
                match baseline {
                    None => pairs.extend(group[place + 1..].iter().map(|to| (*from, *to))),
                    Some(at) if from.at[axis] == at => {
                        let others = group.iter().filter(|to| to.at[axis] != at);
                        pairs.extend(others.map(|to| (*from, *to)));
                    }
                    Some(_) => {}
                }
            }
        }
        pairs
    }
}

/// The values of these metrics at each pair of points.
fn given<'a>(pairs: &[(&'a Point, &'a Point)], metrics: &[&'a MetricFacts]) -> Vec<Pair<'a>> {
    let mut given = Vec::new();
    for &(from, to) in pairs {
        for metric in metrics {
            given.push(Pair {
                from: from.point,
                to: to.point,
                metric: &metric.name,
                aim: metric.aim,
                scale: scale(metric, pairs),
                saturated: from.is_saturated() || to.is_saturated(),
                before: from.values(&metric.name),
                after: to.values(&metric.name),
                recorded: from.recorded(&metric.name).zip(to.recorded(&metric.name)),
            });
        }
    }
    given
}

/// The scale on which a metric is compared between these points.
fn scale(metric: &MetricFacts, pairs: &[(&Point, &Point)]) -> Scale {
    let values =
        |point: &&Point| point.values(&metric.name).iter().filter_map(|one| one.value()).collect::<Vec<_>>();
    let is_positive =
        |(from, to): &(&Point, &Point)| [from, to].into_iter().flat_map(values).all(|value| value > 0.0);
    if !metric.share && !metric.signed && pairs.iter().all(is_positive) {
        Scale::Ratio
    } else {
        Scale::Difference
    }
}

/// Compares all pairs as one family, in the order given.
pub fn compare(pairs: &[Pair<'_>], detect: f64) -> Vec<Compared> {
    let (mut compared, spreads): (Vec<Compared>, Vec<Option<Spread>>) = pairs.iter().map(by_itself).unzip();
    let p_values: Vec<f64> = compared.iter().filter_map(|one| one.p).collect();
    let mut adjusted = holm(&p_values).into_iter();
    for ((one, pair), spread) in compared.iter_mut().zip(pairs).zip(spreads) {
        if one.p.is_some() {
            one.p_adjusted = adjusted.next();
        }
        if let (Verdict::NoEvidence, Some(p), Some(difference)) =
            (one.verdict, one.p_adjusted, spread.as_ref().map(|spread| spread.mean))
            && p <= 1.0 - CONFIDENCE
        {
            one.verdict = match (pair.aim, difference < 0.0) {
                (Aim::None, _) => Verdict::Different,
                (Aim::Lower, true) | (Aim::Higher, false) => Verdict::Better,
                (Aim::Lower, false) | (Aim::Higher, true) => Verdict::Worse,
            };
        }
        if one.verdict == Verdict::NoEvidence {
            one.needed = spread.and_then(|spread| spread.needed(detect, p_values.len()));
        }
    }
    recorded::judge(&mut compared);
    compared
}

/// The replications with which a change of `detect` would be found at each pair of a family, from
/// its spread alone, whatever its verdict; `None` of pairs that are not tested or never differ.
pub fn needs(pairs: &[Pair<'_>], detect: f64) -> Vec<Option<u64>> {
    let spreads: Vec<(Compared, Option<Spread>)> = pairs.iter().map(by_itself).collect();
    let tests = spreads.iter().filter(|(one, _)| one.p.is_some()).count();
    let needed = |(one, spread): (Compared, Option<Spread>)| {
        spread.filter(|_| one.verdict == Verdict::NoEvidence)?.needed(detect, tests)
    };
    spreads.into_iter().map(needed).collect()
}

/// The paired values on the scale on which they are compared.
struct Spread {
    mean: f64,
    deviation: f64,
    /// The mean at the first point, where it measures a difference; `None` of ratios.
    base: Option<f64>,
}

impl Spread {
    /// The size of a change by this share.
    fn size(&self, share: f64) -> f64 {
        self.base.map_or_else(|| math::ln_1p(share), |base| share * base.abs())
    }

    /// The replications that a change by this share needs in a family of so many tests.
    fn needed(&self, share: f64, tests: usize) -> Option<u64> {
        needed(self.deviation, self.size(share), tests)
    }
}

/// One comparison before the adjustment.
fn by_itself(pair: &Pair<'_>) -> (Compared, Option<Spread>) {
    let (mut differences, mut base, mut ratios, mut moved) =
        (Table::new(), Table::new(), Table::new(), false);
    let mut draws = Vec::new();
    for (before, after) in pair.before.iter().zip(pair.after) {
        if let (Some(before), Some(after)) = (before.value(), after.value())
            && (after - before).is_finite()
        {
            differences.record(after - before);
            draws.push(after - before);
            base.record(before);
            if pair.scale == Scale::Ratio {
                ratios.record(math::ln(after / before));
            }
            moved |= (after - before).abs() > 0.0;
        }
    }
    let n = differences.count();
    let difference = differences.mean();
    let half_width =
        ConfidenceInterval::of_table(&differences, CONFIDENCE).map(|interval| interval.half_width);
    let tested = if pair.scale == Scale::Ratio { &ratios } else { &differences };
    let change = Change::of(tested, pair.scale, base.mean());
    let (p, verdict) = match (n < LEAST_REPLICATIONS, pair.saturated, moved) {
        (true, ..) => (None, Verdict::NoVerdict),
        (_, true, _) => (None, Verdict::Saturated),
        (.., true) => (p_value(tested), Verdict::NoEvidence),
        (.., false) => (Some(1.0), Verdict::Identical),
    };
    let spread = tested.mean().zip(tested.standard_deviation()).map(|(mean, deviation)| Spread {
        mean,
        deviation,
        base: base.mean().filter(|_| pair.scale == Scale::Difference),
    });
    let compared = Compared {
        from: pair.from,
        to: pair.to,
        metric: pair.metric.to_owned(),
        n,
        difference,
        half_width,
        scale: pair.scale,
        relative: change.map(|change| change.value),
        relative_low: change.and_then(|change| change.ends).map(|(low, _)| low),
        relative_high: change.and_then(|change| change.ends).map(|(_, high)| high),
        p,
        p_adjusted: None,
        verdict,
        needed: None,
        saturated: pair.saturated,
        recorded: pair.recorded.and_then(|(before, after)| RecordedDifference::of(before, after, &draws)),
    };
    (compared, spread)
}

/// A change as a share of the first point, with the ends of its 95 % interval from two replications
/// on.
#[derive(Clone, Copy)]
struct Change {
    value: f64,
    ends: Option<(f64, f64)>,
}

impl Change {
    /// Of paired values on a scale; `None` without any, and of differences from 0.
    fn of(tested: &Table, scale: Scale, base: Option<f64>) -> Option<Self> {
        let (mean, base) = (tested.mean()?, base?.abs());
        let share = |value: f64| match scale {
            Scale::Ratio => math::exp_m1(value),
            Scale::Difference => value / base,
        };
        let interval = ConfidenceInterval::of_table(tested, CONFIDENCE);
        let ends = interval.map(|interval| (share(interval.low()), share(interval.high())));
        let value = share(mean);
        value.is_finite().then_some(Change { value, ends })
    }
}

/// Of Student's two-sided test that the mean is 0.
fn p_value(tested: &Table) -> Option<f64> {
    let n = tested.count() as f64;
    let error = (tested.variance()? / n).sqrt();
    let mean = tested.mean()?;
    let t = if error > 0.0 { mean / error } else { f64::INFINITY };
    Some(student_two_sided(t, n - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::distribution::normal_quantile;
    use crate::kernel::rng::{Stream, Streams, math};

    fn some(values: &[f64]) -> Vec<Observation> {
        values.iter().copied().map(Observation::from).collect()
    }

    /// Two points without values, compared by differences.
    const PAIR: Pair<'_> = Pair {
        from: 0,
        to: 1,
        metric: "m",
        aim: Aim::Lower,
        scale: Scale::Difference,
        saturated: false,
        before: &[],
        after: &[],
        recorded: None,
    };

    fn one(aim: Aim, before: &[Observation], after: &[Observation]) -> Compared {
        compare(&[Pair { aim, before, after, ..PAIR }], DETECT).remove(0)
    }

    #[test]
    fn a_comparison_worked_by_hand() {
        // differences -1 -2 -3 -4 -5: mean -3, variance 2.5, t = -3/sqrt(0.5) = -4.242641, 4
        // degrees: p = 0.013236
        let before = some(&[11.0, 12.0, 13.0, 14.0, 10.0]);
        let after = some(&[10.0, 10.0, 10.0, 10.0, 5.0]);
        let compared = one(Aim::Lower, &before, &after);
        assert_eq!((compared.n, compared.verdict), (5, Verdict::Better));
        assert_eq!(compared.difference.map(f64::to_bits), Some((-3.0_f64).to_bits()));
        assert!((compared.half_width.expect("five") - 1.963_243_1).abs() < 1e-6);
        assert_eq!(compared.relative.map(f64::to_bits), Some((-0.25_f64).to_bits()));
        // by the finite sum for four degrees: 1 - s(3 - s²)/2 with s² = 18/22
        let sine = (18.0_f64 / 22.0).sqrt();
        let p = 1.0 - sine * (3.0 - sine * sine) / 2.0;
        assert!((compared.p.expect("five") - p).abs() < 1e-12);
        assert_eq!(compared.p, compared.p_adjusted);
        assert_eq!(one(Aim::Higher, &before, &after).verdict, Verdict::Worse);
        assert_eq!(one(Aim::Lower, &after, &before).verdict, Verdict::Worse);
        assert_eq!(one(Aim::Higher, &after, &before).verdict, Verdict::Better);
        assert_eq!(one(Aim::None, &after, &before).verdict, Verdict::Different);
    }

    #[test]
    fn four_common_replications_give_figures_and_no_verdict() {
        let before = [Some(1.0), None, Some(2.0), Some(3.0), Some(4.0), Some(9.0)].map(Observation::from);
        let after =
            [Some(0.0), Some(7.0), Some(1.0), Some(2.0), Some(3.0), Some(f64::NAN)].map(Observation::from);
        let compared = one(Aim::Lower, &before, &after);
        assert_eq!((compared.n, compared.verdict, compared.p), (4, Verdict::NoVerdict, None));
        assert_eq!(compared.difference.map(f64::to_bits), Some((-1.0_f64).to_bits()));
        assert_eq!(one(Aim::Lower, &[], &before).difference, None);
        // a longer side is cut to the common replications
        assert_eq!(one(Aim::Lower, &some(&[1.0; 9]), &some(&[1.0; 5])).n, 5);
    }

    #[test]
    fn identical_means_to_the_last_bit_in_every_replication() {
        let values = some(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let same = one(Aim::Lower, &values, &values);
        assert_eq!((same.verdict, same.p, same.half_width), (Verdict::Identical, Some(1.0), Some(0.0)));
        let nearly = some(&[1.0, 2.0, 3.0, 4.0, 5.0 + 1e-15]);
        assert_eq!(one(Aim::Lower, &values, &nearly).verdict, Verdict::NoEvidence);
    }

    #[test]
    fn a_difference_without_spread_is_beyond_chance() {
        let compared = one(Aim::Higher, &some(&[0.0; 5]), &some(&[1.0; 5]));
        assert_eq!((compared.verdict, compared.p), (Verdict::Better, Some(0.0)));
        assert_eq!(compared.relative, None, "nothing is relative to zero");
    }

    #[test]
    fn more_comparisons_ask_for_more_evidence() {
        let (before, after) = (some(&[11.0, 12.0, 13.0, 14.0, 10.0]), some(&[10.0, 10.0, 10.0, 10.0, 5.0]));
        let found = Pair { before: &before, after: &after, ..PAIR };
        let same = Pair { after: &before, ..found };
        // p = 0.0132: alone, with two and with three it is found (0.0397), with four not (0.0529)
        let verdicts =
            |others: usize| compare(&[&[found][..], &vec![same; others]].concat(), DETECT)[0].verdict;
        assert_eq!(
            (verdicts(0), verdicts(2), verdicts(3)),
            (Verdict::Better, Verdict::Better, Verdict::NoEvidence)
        );
        // what has no verdict does not count
        let few = Pair { before: &before[..4], ..found };
        assert_eq!(compare(&[found, few, few, few], DETECT)[0].verdict, Verdict::Better);
    }

    /// Ten replications of a skewed metric: lognormal of sigma 0.5, its median at `median`.
    fn skewed(stream: &mut Stream, median: f64) -> Vec<Observation> {
        (0..10).map(|_| (median * math::exp(0.5 * normal_quantile(stream.open01()))).into()).collect()
    }

    /// Of 200 experiments of 8 metrics at 3 points, those with any verdict of better or worse;
    /// `shift` moves the last point.
    fn experiments_with_a_finding(shift: f64) -> usize {
        let finds = |experiment: &u64| {
            let mut stream = Streams::new(2024, *experiment).stream("policies");
            let points: Vec<Vec<Vec<Observation>>> = (0..3)
                .map(|point| {
                    (0..8).map(|_| skewed(&mut stream, if point == 2 { shift } else { 1.0 })).collect()
                })
                .collect();
            let mut pairs = Vec::new();
            for (from, to) in [(0, 1), (0, 2), (1, 2)] {
                for (before, after) in points[from].iter().zip(&points[to]) {
                    let (from, to) = (from as u32, to as u32);
                    pairs.push(Pair { from, to, before, after, scale: Scale::Ratio, ..PAIR });
                }
            }
            compare(&pairs, DETECT).iter().any(|one| matches!(one.verdict, Verdict::Better | Verdict::Worse))
        };
        (0..200).filter(finds).count()
    }

    #[test]
    fn ratios_are_compared_by_their_logarithms() {
        // each replication is halved, be its draw light or heavy: no spread of the logarithms
        let before = some(&[1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        let after = some(&[0.5, 5.0, 50.0, 500.0, 5000.0]);
        let ratio = Pair { scale: Scale::Ratio, before: &before, after: &after, ..PAIR };
        let compared = compare(&[ratio], DETECT).remove(0);
        assert_eq!((compared.verdict, compared.p), (Verdict::Better, Some(0.0)));
        assert!((compared.relative.expect("positive") + 0.5).abs() < 1e-12);
        // by the difference the heaviest draw hides it
        let compared = compare(&[Pair { scale: Scale::Difference, ..ratio }], DETECT).remove(0);
        assert_eq!(compared.verdict, Verdict::NoEvidence);
        // logarithms of ratios ln 2 × (-1, -1, -1, -1, -2): mean -1.2 ln 2, variance 0.2 ln² 2;
        // t(0.975, 4) sqrt(0.2/5) = 0.555289: the mean ± that in powers of two
        let last = some(&[0.5, 5.0, 50.0, 500.0, 2500.0]);
        let compared = compare(&[Pair { after: &last, ..ratio }], DETECT).remove(0);
        let power = |exponent: f64| math::exp2(exponent) - 1.0;
        for (found, expected) in [
            (compared.relative, power(-1.2)),
            (compared.relative_low, power(-1.755_289)),
            (compared.relative_high, power(-0.644_711)),
        ] {
            assert!((found.expect("an interval") - expected).abs() < 1e-6, "{found:?} {expected}");
        }
    }

    #[test]
    fn saturated_points_take_part_in_no_family() {
        let (before, after) = (some(&[11.0, 12.0, 13.0, 14.0, 10.0]), some(&[10.0, 10.0, 10.0, 10.0, 5.0]));
        let found = Pair { before: &before, after: &after, ..PAIR };
        let full = Pair { saturated: true, ..found };
        let compared = compare(&[found, full, full, full, full], DETECT);
        assert_eq!((compared[0].verdict, compared[0].p_adjusted), (Verdict::Better, compared[0].p));
        assert_eq!(
            (compared[1].verdict, compared[1].p, compared[1].needed),
            (Verdict::Saturated, None, None)
        );
    }

    #[test]
    fn a_comparison_that_is_not_settled_states_the_replications_that_would_settle_it() {
        let before = some(&[100.0, 110.0, 90.0, 105.0, 95.0]);
        let after = some(&[98.0, 112.0, 89.0, 106.0, 94.0]);
        let compared = one(Aim::Lower, &before, &after);
        assert_eq!(compared.verdict, Verdict::NoEvidence);
        // differences -2 2 -1 1 -1: deviation 1.643168, a change of 10 % is 10
        assert_eq!(compared.needed, needed(1.643_168, 10.0, 1));
        assert_eq!(compared.needed, Some(5));
    }

    #[test]
    fn equal_policies_are_distinguished_in_at_most_one_study_of_twenty() {
        let false_findings = experiments_with_a_finding(1.0);
        println!("{false_findings} of 200");
        assert!(false_findings <= 10, "{false_findings} of 200");
    }

    #[test]
    fn unequal_policies_are_distinguished() {
        assert!(experiments_with_a_finding(0.4) >= 195);
    }
}
