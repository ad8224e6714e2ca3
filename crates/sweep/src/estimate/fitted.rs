//! Fitted laws: of the last measured values of a resource the law that fits best, and its mean or a
//! quantile.
//!
//! Uniform, normal, lognormal and gamma laws get the mean and the variance of the values; the one
//! whose distribution function lies nearest to theirs, by the largest difference
//! (Kolmogorov-Smirnov), is taken; of equals the first of these.
//!
//! Source: section 5.2.2 of the report of the Parameter Sweep Template names techniques that
//! discover the law; the form is a choice of ours.

use crate::estimate::measured::{DELAY, Measurements, STEP};
use crate::estimate::predictions::{PredictedValue, Predictions};
use crate::estimate::{EstimateQuestion, Estimator, ProgressEstimate};
use crate::kernel::rng::distribution::{Gamma, normal_cdf, normal_quantile};
use crate::kernel::rng::math;
use crate::registry::{Bounds, Entry, Key, Kind, entry, keys};

const KEYS: &[Key] = &keys! {
    ..STEP;
    ..DELAY;
    "values" Kind::Count { least: 2, most: 100_000 }, or_count 100 => "how many of the last values are fitted";
    "quantile" Kind::Number(Bounds::Within(0.001, 0.999)), absent "the mean of the law is predicted" =>
        "the quantile of the law that is predicted";
};

pub(super) const ENTRY: Entry<dyn Estimator> = entry!(
    "fitted" => "each resource by the law that fits its last measured values best", keys KEYS,
    reads |params| Fitted {
        measured: Measurements::read(params)?,
        values: params.read("values")?,
        quantile: params.read("quantile")?,
    }
);

/// Laws that are fitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fitted {
    measured: Measurements,
    values: u32,
    quantile: Option<f64>,
}

impl Estimator for Fitted {
    fn predictions(&mut self, question: &EstimateQuestion<'_>) -> Predictions {
        let instants = self.measured.last(question.now, self.values.into());
        let predicted = |value: &dyn Fn(crate::kernel::SimTime) -> f64| {
            let mut values: Vec<f64> = instants.clone().map(value).collect();
            if values.is_empty() {
                values.push(value(question.now));
            }
            let fitted = FittedLaw::of(&mut values);
            PredictedValue::constant(
                self.quantile.map_or(fitted.mean, |share| fitted.quantile(share)).max(0.0),
            )
        };
        question.predicted(
            |link| {
                (
                    predicted(&|at| question.measured_link(link, at).0),
                    predicted(&|at| question.measured_link(link, at).1),
                )
            },
            |host| predicted(&|at| question.measured_host(host, at)),
        )
    }

    fn progress(&self) -> ProgressEstimate {
        ProgressEstimate::Measured
    }
}

/// The kinds of laws, in the order in which ties are broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LawKind {
    Constant,
    Uniform,
    Normal,
    LogNormal,
    Gamma,
}

/// A law with the mean and the variance of some values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct FittedLaw {
    kind: LawKind,
    /// Mean.
    pub mean: f64,
    deviation: f64,
}

impl FittedLaw {
    /// The law that fits these values best, which are sorted then; there is one at least.
    pub(crate) fn of(values: &mut [f64]) -> Self {
        values.sort_by(f64::total_cmp);
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
        let deviation = variance.sqrt();
        let constant = FittedLaw { kind: LawKind::Constant, mean, deviation: 0.0 };
        if deviation <= 1e-12 * mean.abs() {
            return constant;
        }
        let kinds = [LawKind::Uniform, LawKind::Normal, LawKind::LogNormal, LawKind::Gamma];
        let laws = kinds.map(|kind| FittedLaw { kind, mean, deviation });
        let distance = |law: &FittedLaw| {
            let places = values.iter().enumerate().map(|(place, value)| {
                let share = law.below(*value);
                (share - place as f64 / count).abs().max((share - (place + 1) as f64 / count).abs())
            });
            places.fold(0.0, f64::max)
        };
        laws.into_iter().min_by(|one, other| distance(one).total_cmp(&distance(other))).unwrap_or(constant)
    }

    /// The parameters of the logarithms of a lognormal law.
    fn logarithms(&self) -> (f64, f64) {
        let cv = self.deviation / self.mean;
        let variance = math::ln(1.0 + cv * cv);
        (math::ln(self.mean) - variance / 2.0, variance.sqrt())
    }

    fn gamma(&self) -> Option<Gamma> {
        Gamma::with_mean_cv(self.mean, self.deviation / self.mean).ok()
    }

    /// The share of values that are at most `value`.
    fn below(&self, value: f64) -> f64 {
        match self.kind {
            LawKind::Constant => f64::from(u8::from(value >= self.mean)),
            LawKind::Uniform => {
                let half = self.deviation * 3.0_f64.sqrt();
                ((value - self.mean + half) / (2.0 * half)).clamp(0.0, 1.0)
            }
            LawKind::Normal => normal_cdf((value - self.mean) / self.deviation),
            LawKind::LogNormal if value <= 0.0 => 0.0,
            LawKind::LogNormal => {
                let (mu, sigma) = self.logarithms();
                normal_cdf((math::ln(value) - mu) / sigma)
            }
            LawKind::Gamma => self.gamma().map_or(0.0, |gamma| gamma.cdf(value)),
        }
    }

    /// The value that this share of values does not exceed.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        match self.kind {
            LawKind::Constant => self.mean,
            LawKind::Uniform => self.mean + self.deviation * 3.0_f64.sqrt() * (2.0 * share - 1.0),
            LawKind::Normal => self.mean + self.deviation * normal_quantile(share),
            LawKind::LogNormal => {
                let (mu, sigma) = self.logarithms();
                math::exp(mu + sigma * normal_quantile(share))
            }
            LawKind::Gamma => {
                let (mut low, mut high) = (0.0, self.mean + 100.0 * self.deviation);
                for _ in 0..200 {
                    let middle = f64::midpoint(low, high);
                    if self.below(middle) < share { low = middle } else { high = middle }
                }
                high
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenly_spread_values_are_uniform_and_equal_ones_constant() {
        let mut even: Vec<f64> = (0..100).map(f64::from).collect();
        let law = FittedLaw::of(&mut even);
        assert_eq!((law.kind, law.mean.to_bits()), (LawKind::Uniform, 49.5_f64.to_bits()));
        assert!((law.quantile(0.5) - 49.5).abs() < 1e-9);
        assert_eq!(FittedLaw::of(&mut [0.25; 5]).kind, LawKind::Constant);
    }

    #[test]
    fn quantiles_and_shares_undo_each_other() {
        for kind in [LawKind::Uniform, LawKind::Normal, LawKind::LogNormal, LawKind::Gamma] {
            let law = FittedLaw { kind, mean: 3.0, deviation: 1.0 };
            for share in [0.05, 0.3, 0.5, 0.9] {
                assert!((law.below(law.quantile(share)) - share).abs() < 1e-6, "{kind:?} {share}");
            }
        }
    }
}
