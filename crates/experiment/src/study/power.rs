//! The replications with which a comparison would be settled.

use crate::kernel::stats::{CONFIDENCE, student_quantile};

/// Share of the studies that are to find a change.
const POWER: f64 = 0.8;
/// Replications that are stated at least: below these there is no verdict.
pub(super) const LEAST_NEEDED: u64 = 5;
/// Replications that are stated at most.
const MOST_NEEDED: u64 = 1_000_000;

/// The fewest replications with which a change of `size` is found in four studies of five, in a
/// family of so many tests of which it is the clearest, where paired values have this standard
/// deviation; `None` of nothing to be found, or above a million.
///
/// With n replications a test at level a finds it if size ≥ (t(1 - a/2) + t(0.8)) s/√n, with
/// quantiles of Student's law for n - 1 degrees of freedom (A. M. Law and W. D. Kelton, 3rd ed.,
/// section 10.2; the sum of quantiles stands for the quantile of the law that is not central).
pub fn needed(deviation: f64, size: f64, tests: usize) -> Option<u64> {
    if !(size > 0.0 && deviation.is_finite()) || tests == 0 {
        return None;
    }
    let tail = (1.0 - CONFIDENCE) / tests as f64 / 2.0;
    let suffices = |n: u64| {
        let freedom = (n - 1) as f64;
        let quantiles = student_quantile(1.0 - tail, freedom) + student_quantile(POWER, freedom);
        size >= quantiles * deviation / (n as f64).sqrt()
    };
    let mut most = LEAST_NEEDED;
    while !suffices(most) {
        most *= 2;
        if most > MOST_NEEDED {
            return None;
        }
    }
    let mut least = most / 2;
    while least + 1 < most {
        let middle = least.midpoint(most);
        if suffices(middle) { most = middle } else { least = middle }
    }
    Some(most.max(LEAST_NEEDED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_replications_needed_are_the_fewest() {
        // one test: t(0.975) + t(0.8) = 2.776 + 0.941 at n = 5: s/√5 × 3.717 ≤ size up to s =
        // 0.6015 of size 1; at n = 6 2.571 + 0.920: s ≤ 0.7017
        for (deviation, n) in [(0.1, 5), (0.601, 5), (0.603, 6), (0.701, 6), (0.703, 7)] {
            assert_eq!(needed(deviation, 1.0, 1), Some(n), "{deviation}");
        }
        assert_eq!((needed(1.0, 0.0, 1), needed(f64::NAN, 1.0, 1), needed(1e9, 1.0, 1)), (None, None, None));
        // a slow search finds the same
        for (deviation, tests) in [(0.3, 9), (1.7, 3), (6.0, 36)] {
            let suffices = |n: &u64| {
                let freedom = (n - 1) as f64;
                let quantiles =
                    student_quantile(1.0 - 0.025 / tests as f64, freedom) + student_quantile(0.8, freedom);
                deviation * quantiles / (*n as f64).sqrt() <= 1.0
            };
            assert_eq!(needed(deviation, 1.0, tests), (5..1000).find(suffices));
        }
    }
}
