//! Student's law: quantiles and two-sided p-values.
//!
//! Both are computed here rather than taken from a statistics crate, because those compute them
//! with the host's logarithms whenever some other crate of the build asks for that, and an interval
//! printed with a result must be as portable as the result. The upper tail is I(v/(v+t²); v/2,
//! 1/2)/2 with the regularised incomplete beta function I (M. Abramowitz and I. A. Stegun,
//! *Handbook of Mathematical Functions*, 1964, 26.5.27), evaluated by its continued fraction
//! (26.5.8) in the modified form of W. J. Lentz (*Applied Optics* 15(3), 1976); the quantile
//! inverts it by bisection down to neighbouring numbers. Above 10,000 degrees of freedom Fisher's
//! expansion (26.7.5) of the quantile is exact to 12 digits.
//!
//! P-values are tested against the finite sums for whole degrees of freedom (26.7.3 and 26.7.4)
//! from 1 to 120 and against the published table of quantiles: they differ by less than 1e-12.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::rng::distribution::normal_quantile;
use crate::rng::math;

/// Quantiles that a thread keeps at most.
const MOST_KEPT: usize = 1024;

thread_local! {
    /// Quantiles by the bits of their tail and freedom: a study asks for the same few dozen in each
    /// of its runs, and one costs some 100,000 instructions.
    static KEPT: RefCell<BTreeMap<(u64, u64), f64>> = const { RefCell::new(BTreeMap::new()) };
}

/// The value below which Student's law with `freedom` degrees of freedom has probability `p`;
/// infinite at 0 and 1.
///
/// Precise to about 12 digits.
///
/// # Panics
/// If `freedom` is below 1 or `p` not from 0 to 1.
pub fn student_quantile(p: f64, freedom: f64) -> f64 {
    assert!((0.0..=1.0).contains(&p), "a probability is from 0 to 1, not {p}");
    if p < 0.5 { -student_upper(p, freedom) } else { student_upper(1.0 - p, freedom) }
}

/// The two-sided p-value of a statistic `t` under Student's law with `freedom` degrees of freedom:
/// the probability of a value at least as far from zero, on either side. 1 at zero, 0 at infinity,
/// not a number for one.
///
/// Precise to about 12 digits up to 10,000 degrees of freedom and to as many decimals above.
///
/// # Panics
/// If `freedom` is below 1.
pub fn student_two_sided(t: f64, freedom: f64) -> f64 {
    assert!(freedom >= 1.0, "Student's law needs a degree of freedom, not {freedom}");
    if t.is_nan() {
        return f64::NAN;
    }
    let t = t.abs();
    // squares must stay finite; so far out the tail is that of a power, and below 1e-150 for any
    // freedom
    if t > 1e150 { 0.0 } else { 2.0 * student_tail(t, freedom) }
}

/// The value above which Student's law has probability `tail`, at most one half.
pub(super) fn student_upper(tail: f64, freedom: f64) -> f64 {
    assert!(freedom >= 1.0, "Student's law needs a degree of freedom, not {freedom}");
    if tail <= 0.0 {
        return f64::INFINITY;
    }
    if tail >= 0.5 {
        return 0.0;
    }
    if freedom > 10_000.0 {
        return by_expansion(-normal_quantile(tail), freedom);
    }
    KEPT.with_borrow_mut(|kept| {
        let key = (tail.to_bits(), freedom.to_bits());
        if let Some(quantile) = kept.get(&key) {
            return *quantile;
        }
        if kept.len() == MOST_KEPT {
            kept.clear();
        }
        let quantile = by_bisection(tail, freedom);
        kept.insert(key, quantile);
        quantile
    })
}

/// The value above which the law has probability `tail`: the upper of two neighbouring numbers.
fn by_bisection(tail: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while student_tail(high, freedom) > tail && high < f64::MAX / 4.0 {
        low = high;
        high *= 2.0;
    }
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return high;
        }
        if student_tail(middle, freedom) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Fisher's expansion of Student's quantile about the normal one, `z`.
fn by_expansion(z: f64, freedom: f64) -> f64 {
    let square = z * z;
    let first = z * (square + 1.0) / 4.0;
    let second = z * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
    let third = z * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
    z + (first + (second + third / freedom) / freedom) / freedom
}

/// The probability of a value above `t`, for `t` not negative.
fn student_tail(t: f64, freedom: f64) -> f64 {
    let square = t * t;
    // the share of t² is given too: 1 - x would lose it for large t
    0.5 * incomplete_beta(freedom / (freedom + square), square / (freedom + square), freedom / 2.0)
}

/// The regularised incomplete beta function at `x`, with parameters `a` and 1/2; `rest` is 1 - x.
fn incomplete_beta(x: f64, rest: f64, a: f64) -> f64 {
    const B: f64 = 0.5;
    if rest <= 0.0 {
        return 1.0;
    }
    if x <= 0.0 {
        return 0.0;
    }
    // ln(x) from whichever of the two keeps its digits
    let ln_x = if rest < 0.5 { math::ln_1p(-rest) } else { math::ln(x) };
    let factor = math::exp(a * ln_x + B * math::ln(rest) - ln_beta_half(a));
    // the fraction converges fast left of the mean; right of it, the mirror image does
    if x < (a + 1.0) / (a + B + 2.0) {
        factor * continued_fraction(x, a, B) / a
    } else {
        1.0 - factor * continued_fraction(rest, B, a) / B
    }
}

/// The logarithm of the beta function with parameters `a` and 1/2.
///
/// ln Γ(a + 1/2) - ln Γ(a) of large `a` is a small difference of large numbers; its expansion in
/// 1/a (F. G. Tricomi and A. Erdelyi, *Pacific Journal of Mathematics* 1(1), 1951) keeps the
/// digits, from 20 up all of them.
fn ln_beta_half(a: f64) -> f64 {
    const LN_PI_HALVES: f64 = 0.572_364_942_924_700_1;
    const EXPANSION_FROM: f64 = 20.0;
    let ln_ratio = if a < EXPANSION_FROM {
        math::ln_gamma(a + 0.5) - math::ln_gamma(a)
    } else {
        let inverse = 1.0 / a;
        let square = inverse * inverse;
        let series = square * (17.0 / 14_336.0) - 1.0 / 640.0;
        let series = square * (square * series + 1.0 / 192.0) - 1.0 / 8.0;
        0.5 * math::ln(a) + inverse * series
    };
    LN_PI_HALVES - ln_ratio
}

/// The continued fraction of the incomplete beta function.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const STEPS: u32 = 10_000;
    let guard = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut upper, mut lower) = (1.0, 1.0 / guard(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = lower;
    for step in 1..STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            lower = 1.0 / guard(1.0 + term * lower);
            upper = guard(1.0 + term / upper);
            change = upper * lower;
            fraction *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Abramowitz and Stegun table 26.10 (two-sided 95 % and 99 %), with more digits from mpmath.
    const PUBLISHED: [(f64, f64, f64); 28] = [
        (0.975, 1.0, 12.706_204_736_174_694),
        (0.975, 2.0, 4.302_652_729_749_462),
        (0.975, 3.0, 3.182_446_305_283_708_6),
        (0.975, 4.0, 2.776_445_105_197_793_4),
        (0.975, 5.0, 2.570_581_835_636_314_6),
        (0.975, 9.0, 2.262_157_162_798_205),
        (0.975, 10.0, 2.228_138_851_986_274_4),
        (0.975, 19.0, 2.093_024_054_408_309),
        (0.975, 29.0, 2.045_229_642_132_704),
        (0.975, 39.0, 2.022_690_920_036_761),
        (0.975, 60.0, 2.000_297_822_014_26),
        (0.975, 120.0, 1.979_930_405_082_440_4),
        (0.975, 1_000.0, 1.962_339_080_826_408),
        (0.975, 100_000.0, 1.959_987_707_534_609_3),
        (0.995, 1.0, 63.656_741_162_871_526),
        (0.995, 2.0, 9.924_843_200_918_29),
        (0.995, 3.0, 5.840_909_309_733_355),
        (0.995, 4.0, 4.604_094_871_349_992),
        (0.995, 5.0, 4.032_142_983_555_227),
        (0.995, 9.0, 3.249_835_541_592_126),
        (0.995, 10.0, 3.169_272_672_616_951),
        (0.995, 19.0, 2.860_934_606_464_979),
        (0.995, 29.0, 2.756_385_903_670_605_3),
        (0.995, 39.0, 2.707_913_183_517_661_5),
        (0.995, 60.0, 2.660_283_028_855_036_8),
        (0.995, 120.0, 2.617_421_145_106_866),
        (0.995, 1_000.0, 2.580_754_698_065_950_6),
        (0.995, 100_000.0, 2.575_878_469_908_375),
    ];

    #[test]
    fn quantiles_agree_with_the_published_table() {
        for (p, freedom, t) in PUBLISHED {
            let ours = student_quantile(p, freedom);
            assert!((ours / t - 1.0).abs() < 1e-12, "t({p}, {freedom}) = {ours}, published {t}");
        }
    }

    #[test]
    fn one_and_two_degrees_of_freedom_have_closed_forms() {
        for percent in [51, 60, 75, 90, 99] {
            let p = f64::from(percent) / 100.0;
            let cauchy = math::tan(std::f64::consts::PI * (p - 0.5));
            assert!((student_quantile(p, 1.0) / cauchy - 1.0).abs() < 1e-11);
            let two = (2.0 * p - 1.0) / (2.0 * p * (1.0 - p)).sqrt();
            assert!((student_quantile(p, 2.0) / two - 1.0).abs() < 1e-11);
        }
    }

    #[test]
    fn bisection_and_expansion_meet() {
        for p in [0.6, 0.9, 0.975, 0.999_5] {
            let expanded = by_expansion(normal_quantile(p), 9_999.0);
            assert!((student_quantile(p, 9_999.0) / expanded - 1.0).abs() < 1e-11, "{p}");
        }
    }

    #[test]
    fn a_quantile_that_is_kept_is_the_same_to_the_last_bit() {
        for _ in 0..2 {
            for freedom in 1..=2 * MOST_KEPT {
                let freedom = freedom as f64;
                if freedom < 40.0 || freedom > (2 * MOST_KEPT - 40) as f64 {
                    let afresh = by_bisection(0.025, freedom);
                    assert_eq!(student_upper(0.025, freedom).to_bits(), afresh.to_bits(), "{freedom}");
                }
                student_upper(0.25, freedom);
                assert!(KEPT.with_borrow(BTreeMap::len) <= MOST_KEPT);
            }
        }
    }

    #[test]
    fn student_s_law_is_symmetric_with_infinite_ends() {
        assert_eq!(student_quantile(0.5, 4.0).to_bits(), 0.0_f64.to_bits());
        assert!((student_quantile(0.1, 4.0) + student_quantile(0.9, 4.0)).abs() < 1e-14);
        assert!(student_quantile(1.0, 4.0).is_infinite() && student_quantile(0.0, 4.0) < 0.0);
    }

    #[test]
    fn p_values_of_the_published_quantiles_are_their_levels() {
        for (p, freedom, t) in PUBLISHED {
            let (ours, level) = (student_two_sided(t, freedom), 2.0 * (1.0 - p));
            assert!((ours - level).abs() < 1e-12, "p({t}, {freedom}) = {ours}, published {level}");
            assert!((student_two_sided(-t, freedom) - level).abs() < 1e-12);
        }
    }

    /// The finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4, for whole degrees of freedom.
    fn by_finite_sum(t: f64, freedom: u32) -> f64 {
        let v = f64::from(freedom);
        let angle = math::atan2(t, v.sqrt());
        let (sine, cosine) = (t / (v + t * t).sqrt(), (v / (v + t * t)).sqrt());
        let (mut term, mut sum) = if freedom.is_multiple_of(2) { (1.0, 1.0) } else { (cosine, cosine) };
        let mut k = if freedom.is_multiple_of(2) { 2 } else { 3 };
        while k < freedom {
            term *= cosine * cosine * f64::from(k - 1) / f64::from(k);
            sum += term;
            k += 2;
        }
        match freedom {
            1 => 1.0 - angle * std::f64::consts::FRAC_2_PI,
            _ if freedom.is_multiple_of(2) => 1.0 - sine * sum,
            _ => 1.0 - (angle + sine * sum) * std::f64::consts::FRAC_2_PI,
        }
    }

    #[test]
    fn p_values_agree_with_the_finite_sums() {
        for freedom in 1..=120 {
            for t in [0.0, 1e-9, 0.01, 0.3, 0.7, 1.0, 1.5, 1.96, 2.5, 4.0, 8.0, 31.6, 1000.0] {
                let (ours, exact) = (student_two_sided(t, f64::from(freedom)), by_finite_sum(t, freedom));
                assert!((ours - exact).abs() < 1e-12, "p({t}, {freedom}) = {ours}, exact {exact}");
            }
        }
    }

    #[test]
    fn far_tails_keep_their_digits() {
        // with one degree 2 atan(1/t)/pi, with two 2/(t² + 2 + t sqrt(t² + 2)): no cancellation in
        // either
        for t in [1e3, 1e6, 1e12] {
            let one = math::atan2(1.0, t) * std::f64::consts::FRAC_2_PI;
            assert!((student_two_sided(t, 1.0) / one - 1.0).abs() < 1e-12, "{t}");
            let two = 2.0 / (t * t + 2.0 + t * (t * t + 2.0).sqrt());
            assert!((student_two_sided(t, 2.0) / two - 1.0).abs() < 1e-12, "{t}");
        }
    }

    #[test]
    fn p_values_are_one_at_zero_and_vanish_at_infinity() {
        assert_eq!(student_two_sided(0.0, 9.0).to_bits(), 1.0_f64.to_bits());
        assert_eq!(student_two_sided(f64::NEG_INFINITY, 9.0).to_bits(), 0);
        assert!(student_two_sided(f64::NAN, 9.0).is_nan());
    }
}
