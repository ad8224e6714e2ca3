//! Crossovers: values of an axis of numbers from which on one setting is ahead of another, with
//! intervals.
//!
//! At each value of the axis the two settings are compared replication by replication, as verdicts
//! compare them. Between two values the difference of a replication is taken to be linear. The
//! crossover is where the mean difference is first 0 or changes its sign. Its interval is made of
//! all values at which the test of a mean difference of 0 would not reject it at 5 % (E. C.
//! Fieller, *Journal of the Royal Statistical Society B* 16(2), 1954): at the true crossover this
//! test rejects in one study of twenty. Of several stretches it is the one around the crossover.
//! Where it reaches the least or the greatest value of the axis, that end is open: the crossover
//! may lie beyond what was looked at.

use crate::collections::StableSort as _;
use crate::kernel::stats::{CONFIDENCE, student_quantile};
use crate::output::number::{plain, span};
use crate::scenario::{AxisUnit, Crossover, Study};
use crate::study::summary::{Axis, CrossoverFound, Point};
use crate::study::verdict::LEAST_REPLICATIONS;

/// The differences of two settings at one value of the axis, by replication.
type Differences = Vec<Option<f64>>;

/// The zero of a line of mean differences, and the stretches in which it may be.
#[derive(Clone, Debug, Default, PartialEq)]
struct Root {
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    n: u64,
    changes: usize,
}

/// The crossovers that a study looks for, in its order, each at every combination of the other
/// axes.
pub fn of(crossovers: &[Crossover], axes: &[Axis], points: &[Point]) -> Vec<CrossoverFound> {
    let all = crossovers.iter().flat_map(|asked| {
        let firsts = points.iter().filter(|point| point.at.get(asked.along) == Some(&0));
        let firsts = firsts.filter(|point| point.at.get(asked.of) == Some(&asked.from));
        firsts.map(move |first| found(asked, axes, points, first))
    });
    all.collect()
}

/// Every broken bound in words.
pub fn broken(study: &Study, found: &[CrossoverFound]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = found.iter();
    for asked in &study.crossovers {
        // of each combination of the other axes, as they were found
        let others =
            study.axes.iter().enumerate().filter(|(place, _)| ![asked.along, asked.of].contains(place));
        let count: usize = others.map(|(_, axis)| axis.labels.len()).product();
        for one in rest.by_ref().take(count) {
            let Some(expected) = &asked.expectation else { continue };
            if let Some(broken) = expected.broken_by_ends(one.low, one.high) {
                lines.push(format!("{}: {broken}; {}", one.heading, one.text));
            }
        }
    }
    lines
}

/// The text of a study's crossovers on a terminal, with its last line end; empty without any.
pub fn text(found: &[CrossoverFound]) -> String {
    let mut text = String::new();
    if !found.is_empty() {
        text += "\ncrossovers\n";
    }
    for one in found {
        text += &format!("  {}: {}\n", one.heading, one.text);
    }
    text
}

/// A crossover with the other axes as at the point `first`.
fn found(asked: &Crossover, axes: &[Axis], points: &[Point], first: &Point) -> CrossoverFound {
    let label = |axis: usize, step: usize| axes[axis].labels[step].clone();
    let at = |step: usize, setting: usize| {
        let mut at = first.at.clone();
        at[asked.along] = step;
        at[asked.of] = setting;
        points.iter().find(|point| point.at == at)
    };
    let differences = |step: usize| -> Differences {
        let (Some(from), Some(to)) = (at(step, asked.from), at(step, asked.to)) else { return Vec::new() };
        let pairs = from.values(&asked.metric).iter().zip(to.values(&asked.metric));
        pairs.map(|(from, to)| from.value().zip(to.value()).map(|(from, to)| to - from)).collect()
    };
    let all: Vec<Differences> = (0..asked.values.len()).map(differences).collect();
    let root = root(&asked.values, &all);
    let (from, to) = (label(asked.of, asked.from), label(asked.of, asked.to));
    let others = (0..axes.len()).filter(|axis| ![asked.along, asked.of].contains(axis));
    let others: Vec<String> = others
        .map(|axis| format!("{} = {}", axes[axis].keys.join(", "), label(axis, first.at[axis])))
        .collect();
    let others = if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) };
    CrossoverFound {
        metric: asked.metric.clone(),
        along: asked.key.clone(),
        heading: format!("{}, {from} -> {to}{others}", asked.metric),
        text: words(asked, &root, &all, (&from, &to)),
        value: root.value,
        low: root.low,
        high: root.high,
        n: root.n,
        changes: root.changes,
    }
}

/// The finding in words, for people.
fn words(asked: &Crossover, root: &Root, all: &[Differences], (from, to): (&str, &str)) -> String {
    let shown = |value: f64| match asked.unit {
        AxisUnit::Number => plain(value),
        AxisUnit::Share => format!("{} %", plain(value * 100.0)),
        AxisUnit::Seconds => span(value),
    };
    let key = &asked.key;
    let Some(value) = root.value else {
        let mean = all.iter().find_map(|differences| mean(&known(differences)));
        return match mean {
            None => "no replication has a value on both sides".to_owned(),
            Some(mean) => {
                let less = if mean < 0.0 { to } else { from };
                format!("none: {less} has the lower mean at every {key}")
            }
        };
    };
    let interval = match (root.low, root.high) {
        (Some(low), Some(high)) => format!("95 %: {} to {}", shown(low), shown(high)),
        (Some(low), None) => format!("95 %: from {} on", shown(low)),
        (None, Some(high)) => format!("95 %: up to {}", shown(high)),
        (None, None) if root.n < LEAST_REPLICATIONS => {
            format!("no interval: fewer than {LEAST_REPLICATIONS} common replications")
        }
        (None, None) => "no bounds within what was looked at".to_owned(),
    };
    let more = match root.changes {
        0 | 1 => String::new(),
        changes => format!("; the first of {changes} changes of sign"),
    };
    let before = all.iter().find_map(|differences| mean(&known(differences)).filter(|mean| mean.abs() > 0.0));
    let below = before.map_or_else(String::new, |mean| {
        format!(", below it {} has the lower mean", if mean < 0.0 { to } else { from })
    });
    format!("at {key} = {} ({interval}){below}{more}", shown(value))
}

fn known(differences: &Differences) -> Vec<f64> {
    differences.iter().copied().flatten().filter(|value| value.is_finite()).collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The zero of the mean difference.
fn root(values: &[f64], all: &[Differences]) -> Root {
    let mut stretches: Vec<(f64, f64)> = Vec::new();
    let mut root = Root { n: u64::MAX, ..Root::default() };
    for (place, pair) in all.windows(2).enumerate() {
        let both = pair[0].iter().zip(&pair[1]).filter_map(|(one, next)| one.zip(*next));
        let both: Vec<(f64, f64)> = both.filter(|(one, next)| one.is_finite() && next.is_finite()).collect();
        root.n = root.n.min(both.len() as u64);
        let (from, to) = (values[place], values[place + 1]);
        let at = |share: f64| from + share * (to - from);
        let segment = Segment::of(&both);
        if let Some(zero) = segment.as_ref().and_then(|segment| segment.zero(place == 0)) {
            root.changes += 1;
            root.value = root.value.or(Some(at(zero)));
        }
        let accepted = segment.map(|segment| segment.accepted()).unwrap_or_default();
        for (low, high) in accepted.into_iter().map(|(low, high)| (at(low), at(high))) {
            match stretches.last_mut() {
                Some(last) if last.1 >= low => last.1 = high,
                _ => stretches.push((low, high)),
            }
        }
    }
    if root.n == u64::MAX {
        root.n = 0;
    }
    if let (Some(value), Some((first, last))) = (root.value, values.first().zip(values.last())) {
        let around = stretches.iter().find(|(low, high)| (*low..=*high).contains(&value));
        root.low = around.map(|(low, _)| *low).filter(|low| low > first);
        root.high = around.map(|(_, high)| *high).filter(|high| high < last);
    }
    root
}

/// Means, variances and covariance of differences at two neighbouring values, over common
/// replications.
struct Segment {
    means: [f64; 2],
    variances: [f64; 2],
    covariance: f64,
    n: f64,
}

impl Segment {
    fn of(both: &[(f64, f64)]) -> Option<Self> {
        let n = both.len() as f64;
        let means = [
            mean(&both.iter().map(|one| one.0).collect::<Vec<_>>())?,
            mean(&both.iter().map(|one| one.1).collect::<Vec<_>>())?,
        ];
        let sum = |product: &dyn Fn(f64, f64) -> f64| -> f64 {
            let sum: f64 = both.iter().map(|(one, next)| product(one - means[0], next - means[1])).sum();
            if n > 1.0 { sum / (n - 1.0) } else { 0.0 }
        };
        let variances = [sum(&|one, _| one * one), sum(&|_, next| next * next)];
        Some(Segment { means, variances, covariance: sum(&|one, next| one * next), n })
    }

    /// The share of the segment at which the mean is 0: at its beginning only in the first segment,
    /// so that it counts once.
    fn zero(&self, is_first: bool) -> Option<f64> {
        let [one, next] = self.means;
        let is_zero = |value: f64| value.abs() <= 0.0;
        match (is_zero(one), is_zero(next)) {
            (true, _) => is_first.then_some(0.0),
            (_, true) => Some(1.0),
            _ => (one.signum() * next.signum() < 0.0).then(|| one / (one - next)),
        }
    }

    /// The shares of the segment at which the test does not reject a mean of 0.
    fn accepted(&self) -> Vec<(f64, f64)> {
        if (self.n as u64) < LEAST_REPLICATIONS {
            return Vec::new();
        }
        let t = student_quantile(0.5 + CONFIDENCE / 2.0, self.n - 1.0);
        let q = t * t / self.n;
        let ([one, next], [first, second]) = (self.means, self.variances);
        // mean² - q variance of (1 - x) one + x next: a x² + b x + c <= 0
        let slope = next - one;
        let a = slope * slope - q * (first + second - 2.0 * self.covariance);
        let b = 2.0 * one * slope - q * 2.0 * (self.covariance - first);
        let c = one * one - q * first;
        let mut ends = vec![0.0];
        let under = b * b - 4.0 * a * c;
        if a.abs() > 0.0 && under >= 0.0 {
            let mut roots = [(-b - under.sqrt()) / (2.0 * a), (-b + under.sqrt()) / (2.0 * a)];
            roots.stable_sort_by(f64::total_cmp);
            ends.extend(roots.into_iter().filter(|root| (0.0..=1.0).contains(root)));
        } else if b.abs() > 0.0 && a.abs() <= 0.0 {
            ends.extend(Some(-c / b).filter(|root| (0.0..=1.0).contains(root)));
        }
        ends.push(1.0);
        let is_within = |x: f64| a * x * x + b * x + c <= 0.0;
        let stretch = |pair: &[f64]| is_within(f64::midpoint(pair[0], pair[1])).then_some((pair[0], pair[1]));
        ends.windows(2).filter_map(stretch).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::Streams;
    use crate::kernel::rng::distribution::normal_quantile;

    fn some(values: &[f64]) -> Differences {
        values.iter().copied().map(Some).collect()
    }

    #[test]
    fn a_crossover_worked_by_hand() {
        // means 2, -2, -6 at 0, 10, 20; every replication is the mean plus the same deviation -1
        // -0.5 0 0.5 1: it crosses at 5, and the test of 0 accepts means within t(0.975, 4)
        // sqrt(0.625 / 5) = 2.776445 x 0.353553 = 0.981621, a slope of -0.4: 5 -+ 2.454
        let deviations = [-1.0, -0.5, 0.0, 0.5, 1.0];
        let all: Vec<Differences> =
            [2.0, -2.0, -6.0].map(|mean| some(&deviations.map(|deviation| mean + deviation))).into();
        let found = root(&[0.0, 10.0, 20.0], &all);
        assert!((found.value.expect("it crosses") - 5.0).abs() < 1e-12);
        assert!((found.low.expect("five") - (5.0 - 2.454_05)).abs() < 1e-4, "{found:?}");
        assert!((found.high.expect("five") - (5.0 + 2.454_05)).abs() < 1e-4, "{found:?}");
        assert_eq!((found.n, found.changes), (5, 1));
        // the interval reaches across a value, and is open where it reaches the end
        let near = root(&[0.0, 10.0, 20.0], &[all[0].clone(), some(&deviations), all[2].clone()]);
        assert!(near.value == Some(10.0) && near.low > Some(0.0) && near.high < Some(20.0), "{near:?}");
        let open = root(&[0.0, 10.0], &[some(&deviations.map(|one| one + 0.2)), all[1].clone()]);
        assert!(open.low.is_none() && open.high < Some(10.0) && open.value > Some(0.0), "{open:?}");
    }

    #[test]
    fn where_one_is_ahead_everywhere_there_is_none_and_few_replications_have_no_interval() {
        let ahead = root(&[0.0, 1.0], &[some(&[1.0; 5]), some(&[2.0; 5])]);
        assert_eq!(ahead, Root { n: 5, ..Root::default() });
        let few = root(&[0.0, 1.0], &[some(&[1.0, 1.5]), some(&[-1.0, -1.5])]);
        assert_eq!((few.value, few.low, few.high, few.n), (Some(0.5), None, None, 2));
        assert_eq!(root(&[0.0, 1.0], &[Vec::new(), Vec::new()]), Root::default());
        // without spread the interval is the value itself
        let exact = root(&[0.0, 1.0], &[some(&[1.0; 5]), some(&[-1.0; 5])]);
        assert_eq!((exact.low, exact.high), (Some(0.5), Some(0.5)));
        let twice = root(&[0.0, 1.0, 2.0], &[some(&[1.0; 5]), some(&[-1.0; 5]), some(&[1.0; 5])]);
        assert_eq!((twice.value, twice.changes), (Some(0.5), 2));
    }

    #[test]
    fn the_interval_holds_the_crossover_in_nineteen_studies_of_twenty() {
        let studies = 1_000;
        let holds = |study: &u64| {
            let mut stream = Streams::new(7, *study).stream("differences");
            let mut normal = || normal_quantile(stream.open01());
            let shared: Vec<f64> = (0..20).map(|_| normal()).collect();
            // crosses at 0.3
            let mut at = |x: f64| -> Differences {
                shared.iter().map(|shared| Some(x - 0.3 + 0.5 * shared + 0.5 * normal())).collect()
            };
            let found = root(&[-1.0, 0.0, 1.0, 2.0], &[at(-1.0), at(0.0), at(1.0), at(2.0)]);
            found.low.is_none_or(|low| low <= 0.3) && found.high.is_none_or(|high| high >= 0.3)
        };
        let held = (0..studies).filter(holds).count();
        println!("{held} of {studies}");
        assert!((930..=970).contains(&held), "{held} of {studies}");
    }
}
