//! The log as recorded, against the logs that were drawn from it.
//!
//! Where replications randomize a log (`randomize` of its workload), every
//! point has one further run, of the log itself. It enters no mean, interval or verdict. Its
//! difference between two points is compared with the paired differences of the draws, as one draw
//! more of the same kind. Too far from them the draws are not like the log: randomizing broke
//! something that the difference depends on, such as chains of events across weeks. Then the
//! verdict is about the draws.
//!
//! The distance of a further draw from the mean of n normal ones, over s sqrt(1 + 1/n), has
//! Student's law (A. M. Law and W. D. Kelton, *Simulation Modeling and Analysis*, 3rd ed., 2000,
//! section 4.5). Differences of waits are often skewed, and a further draw lies in the long tail
//! more often than that. So s is widened on the side of the tail, to s (1 + 1.5 g²) with the sample
//! skewness g, and one more degree of freedom is given up for g. No test by ranks alone can do it:
//! the most extreme of n + 1 draws is a given one with probability 2/(n + 1), above 5 % up to 38
//! draws. The factor was chosen by simulation (tests below): it leaves symmetric differences as
//! they are, and makes up for lognormal ones.
//!
//! - Below five common replications nothing is judged, as for verdicts.
//! - Where all differences of the draws are equal there is no spread to judge by: then the
//!   probability that the one that differs is the recorded one among all, 1/(n + 1), is the
//!   p-value.
//! - It is outside if it contradicts a clear verdict (p at most 1 %): it has the other sign, and
//!   lies too far on that side at 5 % (one-sided, by Holm's method over these verdicts); or if it
//!   lies too far on either side at 0.1 % (two-sided, by Holm's method over all tests). A verdict
//!   of skewed differences that barely holds is often none, and is not called contradicted.
//! - A log that is one draw more is so warned of in about one comparison of twenty at most, be the
//!   differences normal or lognormal (sigma 0.8); tests hold it. A log without chains across weeks
//!   is nearer to the mean of its draws of weeks than these are, and is warned of far less often.

use crate::collections::OrderedSet;
use crate::kernel::rng::math;
use crate::kernel::stats::{Table, holm, student_two_sided};
use crate::study::summary::{Compared, Comparison, RecordedDifference, Verdict, WarnedPoints};
use crate::study::verdict::LEAST_REPLICATIONS;

/// Probability that a draw is taken for one too far from the others, over all tests of a
/// comparison.
const FAR: f64 = 0.001;
/// The same of a draw that contradicts a verdict.
const AGAINST: f64 = 0.05;
/// Adjusted p-value of a verdict that is clear enough to be contradicted, at most.
const CLEAR: f64 = 0.01;
/// Factor of the square of the skewness by which the spread of the draws widens on the side of
/// their long tail.
const WIDENING: f64 = 1.5;
/// The code of the warning.
pub const CODE: &str = "recorded-log-differs";
/// The text of the warning.
pub const DIFFERS: &str = "the log as recorded lies outside the draws";

impl RecordedDifference {
    /// Of the values at two points with the log as recorded; `draws` are the paired differences.
    /// `None` if it is not finite.
    pub(super) fn of(before: f64, after: f64, draws: &[f64]) -> Option<Self> {
        let difference = after - before;
        let relative = Some(difference / before.abs()).filter(|relative| relative.is_finite());
        difference.is_finite().then(|| RecordedDifference {
            difference,
            relative,
            p: p_value(difference, draws),
            outside: false,
        })
    }
}

/// Of Student's two-sided test that a further draw lies so far from the mean, with the spread
/// widened by the skewness.
fn p_value(difference: f64, draws: &[f64]) -> Option<f64> {
    let mut table = Table::new();
    draws.iter().for_each(|&draw| table.record(draw));
    if table.count() < LEAST_REPLICATIONS {
        return None;
    }
    let n = table.count() as f64;
    let away = difference - table.mean()?;
    let spread = (table.variance()? * (1.0 + 1.0 / n)).sqrt();
    Some(match (away.abs() > 0.0, spread > 0.0) {
        (_, true) => {
            let skewness = (skewness(draws, &table)? * away.signum()).max(0.0);
            let widened = spread * (1.0 + WIDENING * skewness * skewness);
            student_two_sided(away / widened, n - 2.0)
        }
        (true, false) => 1.0 / (n + 1.0),
        (false, false) => 1.0,
    })
}

/// The sample skewness G1 [no unit]: the third central moment in standard deviations, corrected for
/// the number of draws (D. N. Joanes and C. A. Gill, *The Statistician* 47(1), 1998). `None` for
/// draws without spread.
fn skewness(draws: &[f64], table: &Table) -> Option<f64> {
    let (n, mean, deviation) = (draws.len() as f64, table.mean()?, table.standard_deviation()?);
    let cubes: f64 = draws.iter().map(|draw| math::powi((draw - mean) / deviation, 3)).sum();
    Some(cubes * n / ((n - 1.0) * (n - 2.0))).filter(|skewness| skewness.is_finite())
}

/// The p-value of a comparison's recorded difference; `None` where it is not judged.
type Test = fn(&Compared, RecordedDifference) -> Option<f64>;

/// Marks the recorded differences that lie outside the draws, among all comparisons of a family.
pub(super) fn judge(compared: &mut [Compared]) {
    let tests: [(Test, f64); 2] = [(far, FAR), (against, AGAINST)];
    for (p_value, most) in tests {
        let judged: Vec<(usize, f64)> = compared
            .iter()
            .enumerate()
            .filter_map(|(place, one)| Some((place, p_value(one, one.recorded?)?)))
            .collect();
        let p_values: Vec<f64> = judged.iter().map(|(_, p)| *p).collect();
        for ((place, _), p) in judged.iter().zip(holm(&p_values)) {
            if let Some(recorded) = &mut compared[*place].recorded {
                recorded.outside |= p <= most;
            }
        }
    }
}

/// Test of whether the recorded difference is too far from the draws, on either side.
fn far(_: &Compared, recorded: RecordedDifference) -> Option<f64> {
    recorded.p
}

/// Test of whether it contradicts a clear verdict of the draws: it has the other sign, and is too
/// far on that side.
fn against(one: &Compared, recorded: RecordedDifference) -> Option<f64> {
    let found = matches!(one.verdict, Verdict::Better | Verdict::Worse | Verdict::Different)
        && one.p_adjusted.is_some_and(|p| p <= CLEAR);
    let p = recorded.p.filter(|_| found)?;
    Some(if recorded.difference * one.difference? < 0.0 { p / 2.0 } else { 1.0 })
}

/// The warning about comparisons in which the log as recorded lies outside the draws.
pub(super) fn warning(comparisons: &[&Comparison]) -> Option<WarnedPoints> {
    let all = || comparisons.iter().flat_map(|comparison| &comparison.pairs_list);
    let outside: Vec<(&Compared, RecordedDifference)> =
        all().filter_map(|one| Some((one, one.recorded.filter(|recorded| recorded.outside)?))).collect();
    let (first, recorded) = outside.first()?;
    let judged = all().filter(|one| one.recorded.is_some_and(|of| of.p.is_some())).count();
    let percent =
        |share: Option<f64>| share.map_or_else(|| "?".to_owned(), |share| format!("{:+.1} %", share * 100.0));
    let text = format!(
        "{DIFFERS}: {} of {judged} differences ({} {} as recorded, {} in the draws)",
        outside.len(),
        first.metric,
        percent(recorded.relative),
        percent(first.relative),
    );
    let points: OrderedSet<u32> = outside.iter().flat_map(|(one, _)| [one.from, one.to]).collect();
    Some(WarnedPoints { code: CODE.to_owned(), text, points: points.into_iter().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::distribution::normal_quantile;
    use crate::kernel::rng::{Stream, Streams};
    use crate::measure::family::Aim;
    use crate::study::run_metrics::Observation;
    use crate::study::summary::{Role, Scale};
    use crate::study::verdict::{DETECT, Pair, compare};

    /// The comparison of draws with these differences, and of a log with that one.
    fn compared(draws: &[&[f64]], recorded: &[f64]) -> Vec<Compared> {
        let zeros = vec![Observation::from(0.0); draws[0].len()];
        let after: Vec<Vec<Observation>> =
            draws.iter().map(|draws| draws.iter().copied().map(Observation::from).collect()).collect();
        let pairs = after.iter().zip(recorded).map(|(after, recorded)| Pair {
            from: 0,
            to: 1,
            metric: "m",
            aim: Aim::Lower,
            scale: Scale::Difference,
            saturated: false,
            before: &zeros,
            after,
            recorded: Some((0.0, *recorded)),
        });
        compare(&pairs.collect::<Vec<_>>(), DETECT)
    }

    fn outside(draws: &[&[f64]], recorded: &[f64]) -> Vec<bool> {
        let of = |one: &Compared| one.recorded.expect("there").outside;
        compared(draws, recorded).iter().map(of).collect()
    }

    /// CEA-Curie, EASY with requested times and with `last-two`, ten draws of weeks: waits [s],
    /// bounded slowdowns, utilization, makespan [s].
    const CURIE: [&[f64]; 4] = [
        &[-963.4, -867.8, -841.1, -759.4, -561.9, -483.2, -464.2, -318.3, -318.3, -142.7],
        &[-15.19, -13.34, -13.20, -12.30, -10.79, -8.0, -5.86, -5.34, -2.24, -1.89],
        &[-0.0014, -0.0005, -0.0001, -0.0001, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        &[0.0, 0.0, 0.0, 0.0, 0.0, 579.0, 2590.0, 4535.5, 18_277.5, 52_030.0],
    ];

    #[test]
    fn a_log_that_contradicts_all_its_draws_is_outside_and_one_among_them_is_not() {
        assert_eq!(outside(&CURIE, &[109.8, 1.61, -0.001, 30_000.0]), [true, true, false, false]);
        assert_eq!(outside(&CURIE[1..2], &[1.61]), [true]);
        assert_eq!(outside(&CURIE, &[-400.0, -9.0, 0.0, 0.0]), [false; 4]);
        // the same verdict, but far more of it
        assert_eq!(outside(&CURIE[1..2], &[-40.0]), [true]);
        // the draws do not know, the log is far off
        let unsure: &[f64] = &[-2.0, -1.0, 0.0, 1.0, 2.0, -1.5, 1.5, 0.5, -0.5, 0.0];
        assert_eq!((outside(&[unsure], &[2.5]), outside(&[unsure], &[9.0])), (vec![false], vec![true]));
    }

    #[test]
    fn the_recorded_difference_changes_no_figure_and_few_draws_judge_nothing() {
        let (with, other) = (compared(&CURIE, &[1.0; 4]), compared(&CURIE, &[-1e9; 4]));
        for (one, other) in with.iter().zip(&other) {
            let figures =
                |one: &Compared| (one.difference, one.half_width, one.p_adjusted, one.verdict, one.n);
            assert_eq!(figures(one), figures(other));
        }
        let few = compared(&[&[1.0, 2.0, 3.0, 4.0]], &[-100.0]);
        assert_eq!(few[0].recorded.map(|one| (one.p, one.outside)), Some((None, false)));
        // draws without spread: one of eleven differs, and chance may have picked it
        assert_eq!(outside(&[&[0.0; 10]], &[5.0]), [false]);
        let p = compared(&[&[0.0; 10]], &[5.0])[0].recorded.and_then(|one| one.p);
        assert_eq!(p.map(f64::to_bits), Some((1.0_f64 / 11.0).to_bits()));
    }

    #[test]
    fn the_warning_names_the_first_difference_and_the_points() {
        let comparison = |recorded: [f64; 4]| Comparison {
            axis: 0,
            baseline: None,
            role: Role::Primary,
            afterwards: false,
            detect: DETECT,
            metrics: 4,
            pairs: 1,
            method: String::new(),
            pairs_list: compared(&CURIE, &recorded),
        };
        assert_eq!(warning(&[&comparison([-400.0, -9.0, 0.0, 0.0])]), None);
        let warned = warning(&[&comparison([109.8, 1.61, 0.0, 0.0])]).expect("outside");
        assert_eq!((warned.code.as_str(), warned.points), (CODE, vec![0, 1]));
        assert!(warned.text.starts_with("the log as recorded lies outside the draws: 2 of 4 differences (m"));
    }

    /// A law's shape: it turns a standard normal number into a difference of mean 0 and standard
    /// deviation 1.
    type Shape = fn(f64) -> f64;

    fn lognormal(normal: f64) -> f64 {
        let (mean, square) = (math::exp(0.32), math::exp(0.64));
        (math::exp(0.8 * normal) - mean) / (mean * (square - 1.0).sqrt())
    }

    /// Of 1,000 comparisons over `draws` draws in which the log is one draw more, those that warn;
    /// `shift` is the difference of the first two of four metrics, in standard deviations.
    fn false_alarms(shift: f64, draws: usize, shape: Shape) -> usize {
        let normal = |stream: &mut Stream| normal_quantile(stream.open01());
        let warns = |experiment: &u64| {
            let mut stream = Streams::new(2026, *experiment).stream("draws");
            let mut all = vec![Vec::new(); 4];
            for _ in 0..=draws {
                let (wait, makespan) = (normal(&mut stream), normal(&mut stream));
                all[0].push(shift + shape(wait));
                all[1].push(shift + shape(0.8 * wait + 0.6 * normal(&mut stream)));
                all[2].push(shape(makespan));
                all[3].push(shape(0.43 * normal(&mut stream) - 0.9 * makespan));
            }
            let recorded: Vec<f64> = all.iter_mut().filter_map(Vec::pop).collect();
            let draws: Vec<&[f64]> = all.iter().map(Vec::as_slice).collect();
            outside(&draws, &recorded).contains(&true)
        };
        (0..1000).filter(warns).count()
    }

    #[test]
    fn a_log_that_is_one_draw_more_warns_in_about_one_case_of_twenty_at_most() {
        let found = [0.0, 0.7, 1.0, 2.0, 4.0].map(|shift| false_alarms(shift, 10, |normal| normal));
        println!("{found:?} of 1000");
        assert!(found.iter().all(|count| *count <= 65) && found.iter().sum::<usize>() <= 250, "{found:?}");
    }

    #[test]
    fn skewed_differences_warn_hardly_more_often() {
        for draws in [5, 10, 30] {
            for shape in [lognormal as Shape, |normal| -lognormal(normal)] {
                let found = [0.0, 0.7, 1.0, 2.0, 4.0].map(|shift| false_alarms(shift, draws, shape));
                println!("{draws} draws: {found:?} of 1000");
                let sum: usize = found.iter().sum();
                assert!(found.iter().all(|count| *count <= 65) && sum <= 250, "{draws}: {found:?}");
            }
        }
    }

    #[test]
    fn a_recorded_difference_far_from_the_draws_is_found() {
        // of 200 comparisons over ten normal draws of mean -2, with a recorded difference of 2 or
        // of -10
        let found = |recorded: f64| {
            let warns = |experiment: &u64| {
                let mut stream = Streams::new(2026, *experiment).stream("draws");
                let draws: Vec<f64> = (0..10).map(|_| normal_quantile(stream.open01()) - 2.0).collect();
                outside(&[&draws], &[recorded]) == [true]
            };
            (0..200).filter(warns).count()
        };
        let found = [2.0, -10.0].map(found);
        assert!(found[0] >= 180 && found[1] >= 140, "{found:?} of 200");
    }

    #[test]
    fn the_skewness_widens_the_spread_on_the_side_of_the_tail_alone() {
        // of 0 0 0 0 5: mean 1, s² = 5, G1 = sqrt(5) = 2.236: t = ±9 / sqrt(6), on the right
        // over 1 + 1.5 · 5
        let draws = [0.0, 0.0, 0.0, 0.0, 5.0];
        let t = 9.0 / 6.0_f64.sqrt();
        for (recorded, t) in [(-8.0, t), (10.0, t / 8.5)] {
            let p = p_value(recorded, &draws).expect("five");
            assert!((p - student_two_sided(t, 3.0)).abs() < 1e-9, "{recorded}: {p}");
        }
    }
}
