//! A metric: a named figure with its unit.
//!
//! The unit is that of its [family](super::family), which every metric has.

use crate::kernel::stats::nearest_rank;

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

/// A part of a spread of values by its name: `mean`, `median`, `p95` or `max`; `None` of no values.
/// Quantiles are nearest-rank and exact; the mean is of a compensated sum in the order of the
/// values.
pub fn part_of(values: &mut [f64], part: &str) -> Option<f64> {
    let percent = match part {
        "median" => 50,
        "p95" => 95,
        "max" => 100,
        _ => return (!values.is_empty()).then(|| compensated_sum(values) / values.len() as f64),
    };
    percentile(values, percent, f64::total_cmp)
}

/// The least value that at least `percent` of a hundred values do not exceed.
pub fn percentile<T: Copy>(
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
