//! A metric: a named figure with its unit, and how spreads of observations become figures.
//!
//! The unit is that of its [family](super::family), which every metric has. Quantiles are
//! nearest-rank and exact. Means of times are quotients of whole numbers, rounded once; means of
//! ratios are compensated sums in the order of the observations.

use crate::kernel::SimDuration;
use crate::kernel::stats::{nearest_rank, ratio};

use super::FAMILIES;

pub(super) const NANOS_PER_SEC: u128 = 1_000_000_000;

/// Value of a metric; in JSON a number, or null.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number of things.
    Count(u64),
    /// A measured figure.
    Real(#[serde(serialize_with = "unsigned_zero")] f64),
    /// Nothing was observed.
    Nothing,
}

/// A figure whose zero has no sign: an empty sum is a negative zero.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn unsigned_zero<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(value + 0.0)
}

/// A named figure with its unit; in JSON `{"value": …, "unit": …}`, to stand under its name.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Metric {
    /// Name, such as `wait-time.mean`.
    #[serde(skip)]
    pub name: String,
    /// Value.
    pub value: Value,
    /// Unit; empty for ratios and counts.
    pub unit: &'static str,
}

impl Metric {
    /// The value as a number, if there is one.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Value::Count(count) => Some(count as f64),
            Value::Real(value) => Some(value + 0.0),
            Value::Nothing => None,
        }
    }
}

pub(super) fn counted(name: &str, count: u64) -> Metric {
    Metric { name: name.to_owned(), value: Value::Count(count), unit: unit(name) }
}

pub(super) fn real(name: &str, value: Option<f64>) -> Metric {
    Metric { name: name.to_owned(), value: value.map_or(Value::Nothing, Value::Real), unit: unit(name) }
}

/// The unit that the family of a metric declares.
fn unit(metric: &str) -> &'static str {
    let family = FAMILIES.iter().copied().flatten().find(|family| family.has(metric));
    debug_assert!(family.is_some(), "`{metric}` has no definition: declare it in `FAMILIES` of its module");
    family.map_or("", |family| family.unit)
}

/// The values, which are at most so `many`, in a list that does not grow: one that does takes twice
/// as much for a while.
fn listed<T>(many: usize, values: impl Iterator<Item = T>) -> Vec<T> {
    let mut list = Vec::with_capacity(many);
    list.extend(values);
    list
}

/// Mean, median, 95th percentile and maximum of at most so `many` times [s].
pub(super) fn times(
    name: &str,
    many: usize,
    values: impl Iterator<Item = SimDuration>,
    metrics: &mut Vec<Metric>,
) {
    let mut nanos = listed(many, values.map(SimDuration::as_nanos));
    let sum: u128 = nanos.iter().map(|&nanos| u128::from(nanos)).sum();
    let mean = (!nanos.is_empty()).then(|| ratio(sum, nanos.len() as u128 * NANOS_PER_SEC));
    metrics.push(real(&format!("{name}.mean"), mean));
    for (part, percent) in [("median", 50), ("p95", 95), ("max", 100)] {
        let value =
            percentile(&mut nanos, percent, u64::cmp).map(|nanos| ratio(u128::from(nanos), NANOS_PER_SEC));
        metrics.push(real(&format!("{name}.{part}"), value));
    }
}

/// Mean, median, 95th percentile and maximum of at most so `many` ratios.
pub(super) fn ratios(name: &str, many: usize, values: impl Iterator<Item = f64>, metrics: &mut Vec<Metric>) {
    let mut values = listed(many, values);
    let mean = (!values.is_empty()).then(|| compensated_sum(&values) / values.len() as f64);
    metrics.push(real(&format!("{name}.mean"), mean));
    for (part, percent) in [("median", 50), ("p95", 95), ("max", 100)] {
        metrics.push(real(&format!("{name}.{part}"), percentile(&mut values, percent, f64::total_cmp)));
    }
}

/// The least value that at least `percent` of a hundred values do not exceed.
fn percentile<T: Copy>(
    values: &mut [T],
    percent: u64,
    order: impl FnMut(&T, &T) -> std::cmp::Ordering,
) -> Option<T> {
    let rank = nearest_rank(values.len() as u64, percent, 100)?;
    Some(*values.select_nth_unstable_by(rank as usize - 1, order).1)
}

/// Neumaier's sum: as if added with twice the digits.
fn compensated_sum(values: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for &value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    sum + lost
}
