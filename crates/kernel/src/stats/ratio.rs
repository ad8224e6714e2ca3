//! The one way from integer sums to a real number.
//!
//! Sums of nanoseconds are exact integers here, up to 128 bits wide. A mean or a utilization is the
//! quotient of two of them, and rounding each to `f64` first would round three times. [`ratio`]
//! rounds once, so that a figure does not depend on how its sums were grouped, and equals what
//! another program computes with exact rationals.

/// Significant bits kept before the final rounding: 53 of an `f64`, one to round by, one more so
/// that the lowest can stand for everything below it.
const KEPT_BITS: u32 = 55;

/// `numerator / denominator`, rounded once: to the nearest `f64`, and to the even one of two
/// equally near.
///
/// A denominator of zero gives what IEEE 754 says: infinity, or not-a-number for 0 / 0.
///
/// # Complexity
/// One division if both are below 2^53; otherwise at most two, and up to 183 steps of a bit each.
pub fn ratio(numerator: u128, denominator: u128) -> f64 {
    const EXACT: u128 = 1 << f64::MANTISSA_DIGITS;
    // both exact as f64, and IEEE division rounds correctly
    if (numerator <= EXACT && denominator <= EXACT) || numerator == 0 || denominator == 0 {
        return numerator as f64 / denominator as f64;
    }
    let mut quotient = numerator / denominator;
    let mut rest = numerator % denominator;
    let mut halvings = 0;
    while u128::BITS - quotient.leading_zeros() < KEPT_BITS && rest > 0 {
        // rest × 2 / denominator, without the overflow of rest × 2
        let bit = rest >= denominator - rest;
        rest = if bit { rest - (denominator - rest) } else { rest * 2 };
        quotient = quotient * 2 + u128::from(bit);
        halvings += 1;
    }
    // the lowest bit stands for the rest, so that the conversion below, which rounds to even, sees
    // no false tie
    let significand = (quotient | u128::from(rest > 0)) as f64;
    significand * power_of_two(-halvings)
}

/// 2 to the power of `exponent`, exactly; only for exponents of normal numbers.
fn power_of_two(exponent: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent), "2^{exponent} is not a normal f64");
    f64::from_bits(((exponent + 1023) as u64) << (f64::MANTISSA_DIGITS - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    fn assert_ratio(numerator: u128, denominator: u128, expected: f64) {
        assert_eq!(
            ratio(numerator, denominator).to_bits(),
            expected.to_bits(),
            "{numerator} / {denominator}"
        );
    }

    #[test]
    fn small_quotients_are_those_of_f64() {
        assert_ratio(1, 3, 1.0 / 3.0);
        assert_ratio(0, 7, 0.0);
        assert_ratio(7, 1, 7.0);
    }

    #[test]
    fn exact_quotients_of_huge_numbers_are_exact() {
        assert_ratio(u128::MAX, u128::MAX, 1.0);
        assert_ratio(3 << 120, 1 << 121, 1.5);
        assert_ratio(10_u128.pow(38), 10_u128.pow(37), 10.0);
    }

    #[test]
    fn a_tie_goes_to_the_even_neighbour() {
        // 2^53 + 1 and 2^53 + 3 lie half way between two f64
        assert_ratio((1 << 53) + 1, 1, 9_007_199_254_740_992.0);
        assert_ratio((1 << 53) + 3, 1, 9_007_199_254_740_996.0);
        // the same ties, made of two huge numbers
        assert_ratio(((1 << 53) + 1) << 70, 1 << 70, 9_007_199_254_740_992.0);
        // and a hair above a tie is none
        assert_ratio((((1 << 53) + 1) << 70) + 1, 1 << 70, 9_007_199_254_740_994.0);
    }

    #[test]
    fn the_extremes_are_rounded_too() {
        assert_ratio(u128::MAX, 1, 340_282_366_920_938_463_463_374_607_431_768_211_456.0); // 2^128
        assert_ratio(1, u128::MAX, 2.938_735_877_055_719e-39); // 2^-128
        assert_ratio(1 << 127, u128::MAX, 0.5);
        assert_ratio(u128::MAX - 1, u128::MAX, 1.0);
    }

    #[test]
    fn a_value_worked_with_exact_rationals() {
        // 12345678901234567890123456789 / 987654321098765432109 = 12499999.886...
        assert_ratio(
            12_345_678_901_234_567_890_123_456_789,
            987_654_321_098_765_432_109,
            12_499_999.886_093_75,
        );
        // rounding both to f64 first gives a neighbour
        assert_ratio(1_000_000_037_037_036_737_038, 7_000_000_000_000_000_000_007, 0.142_857_148_148_148_1);
    }

    #[test]
    fn a_zero_denominator_is_what_ieee_says() {
        assert!(ratio(1, 0).is_infinite());
        assert!(ratio(u128::MAX, 0).is_infinite());
        assert!(ratio(0, 0).is_nan());
    }

    /// (significand, exponent) of a positive f64.
    fn parts(value: f64) -> (u128, i32) {
        let bits = value.to_bits();
        (u128::from((bits & ((1 << 52) - 1)) | (1 << 52)), ((bits >> 52) as i32) - 1075)
    }

    proptest! {
        /// No f64 is nearer: |n/d - m × 2^e| is at most half a unit, in integers as 2|n - m × 2^e ×
        /// d| <= 2^e × d.
        #[test]
        fn no_other_f64_is_nearer(n in 1_u128..1 << 110, d in 1_u128..1 << 60) {
            let (m, e) = parts(ratio(n, d));
            if e >= 0 {
                let unit = d << e;
                let product = m.checked_mul(unit);
                if let Some(product) = product {
                    prop_assert!(2 * n.abs_diff(product) <= unit);
                }
            } else if e > -15 {
                prop_assert!(2 * (n << -e).abs_diff(m * d) <= d);
            }
        }

        #[test]
        fn a_common_factor_changes_nothing(n in any::<u64>(), d in 1_u64.., k in 1_u64..) {
            let (n, d, k) = (u128::from(n), u128::from(d), u128::from(k));
            prop_assert_eq!(ratio(n, d).to_bits(), ratio(n * k, d * k).to_bits());
        }
    }
}
