//! Metrics of jobs: spreads of observations as figures.
//!
//! Quantiles are nearest-rank and exact. Means of times are quotients of whole numbers, rounded
//! once; means of ratios are compensated sums in the order of the observations.

use crate::kernel::SimDuration;
use crate::kernel::stats::ratio;
use crate::measure::metric::{Metric, Value, part_of, percentile};

use super::FAMILIES;

pub(super) const NANOS_PER_SEC: u128 = 1_000_000_000;

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
    for part in ["mean", "median", "p95", "max"] {
        metrics.push(real(&format!("{name}.{part}"), part_of(&mut values, part)));
    }
}
