//! Sums that do not drift: whole numbers of a tiny unit, added and taken away without rounding.
//!
//! What a link carries and what its flows weigh changes with every flow that comes or goes. A sum
//! of floating-point numbers that is kept up by adding and taking away keeps the rounding of each
//! step for ever, and depends on their order. Here each term is turned into a whole number of units
//! of 2^-60 once (always the same for the same term), and from there on nothing is rounded: a sum
//! is that of the terms that are in it, whatever came and went before, and in whatever order.
//!
//! The price is a range. 128 bits hold sums up to 1.4e20, and terms below 1e-6 lose digits of their
//! 15; [`LEAST`] and [`MOST`] bound the terms so that neither is met. A sum that left the range in
//! between and came back would be right all the same: it wraps.

/// The least term other than 0 that keeps at least 12 digits.
pub const LEAST: f64 = 1e-6;
/// The largest term: a hundred of them do not come near the end of the range.
pub const MOST: f64 = 1e18;

/// Units in 1.
const UNITS: f64 = (1_u64 << 60) as f64;

/// Digits of an `f64` behind its first.
const DIGITS: u32 = 52;
/// The exponent, as an `f64` has it, of numbers whose last digit is a unit: 1023 + 52 - 60.
const BIAS: i32 = 1015;

/// A sum without rounding, in units of 2^-60.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Exact(i128);

impl Exact {
    /// The term `value`, which is not negative, cut to whole units.
    #[inline]
    pub(crate) fn of(value: f64) -> Self {
        // as `(value * UNITS) as i128`, which is a call for each of many
        let bits = value.to_bits();
        let digits = bits & ((1 << DIGITS) - 1) | (1 << DIGITS);
        let left = (bits >> DIGITS) as i32 - BIAS;
        match left {
            0..=73 => Exact(i128::from(digits) << left),
            -63..0 => Exact(i128::from(digits >> -left)),
            ..0 => Exact(0),
            _ => Exact((value * UNITS) as i128),
        }
    }

    /// The sum, to the nearest `f64`.
    #[inline]
    pub(crate) fn value(self) -> f64 {
        // as `self.0 as f64 / UNITS`: the first 63 digits, of which the last is 1 if anything is
        // behind it, are rounded once
        let size = self.0.unsigned_abs();
        let zeros = size.leading_zeros();
        let shifted = size.unbounded_shl(zeros);
        let digits = (shifted >> 65) as i64 | i64::from(shifted << 63 != 0);
        let scale = f64::from_bits(u64::from(1023 + 5 - zeros) << DIGITS);
        let value = digits as f64 * scale;
        if self.0 < 0 { -value } else { value }
    }

    /// Returns true if nothing is in it.
    #[inline]
    pub(crate) fn is_nothing(self) -> bool {
        self.0 == 0
    }
}

impl std::ops::AddAssign for Exact {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

impl std::ops::SubAssign for Exact {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.0 = self.0.wrapping_sub(other.0);
    }
}

impl std::ops::Sub for Exact {
    type Output = Self;

    #[inline]
    fn sub(mut self, other: Self) -> Self {
        self -= other;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_can_be_taken_away_without_a_trace() {
        let mut sum = Exact::of(0.1);
        let terms = [1e18, 0.3, 1e-6, 7e11, 1.0 / 3.0];
        for term in terms {
            sum += Exact::of(term);
        }
        assert!(sum.value() > 1e18);
        for term in terms.iter().rev() {
            sum -= Exact::of(*term);
        }
        assert_eq!(sum, Exact::of(0.1));
        assert!((sum.value() - 0.1).abs() < 1e-17);
        sum -= Exact::of(0.1);
        assert!(sum.is_nothing());
    }

    #[test]
    fn turning_to_units_and_back_is_what_the_machine_does_with_numbers_of_128_bits() {
        let ladder = std::iter::successors(Some(1e-23_f64), |value| Some(value * 1.5)).take(260);
        for value in ladder.chain([
            0.0,
            1.0,
            1.0 / UNITS,
            (1_u128 << 67) as f64,
            1e30,
            f64::INFINITY,
            f64::MIN_POSITIVE,
        ]) {
            assert_eq!(Exact::of(value).0, (value * UNITS) as i128, "{value}");
        }
        let mut units = 1_i128;
        for step in 0..2_000_i128 {
            // digits of all kinds behind those that fit, halves among them
            for units in [units, -units, units & !0xFFF, (units >> 11 << 11) | 1 << 10, (units >> 70) << 70] {
                assert_eq!(Exact(units).value().to_bits(), (units as f64 / UNITS).to_bits(), "{units}");
            }
            units = units.wrapping_mul(0x2545_F491_4F6C_DD1D).wrapping_add(step) >> (step % 5 * 12);
            if units == 0 {
                units = step + 1;
            }
        }
        for units in [0, 1, -1, i128::MAX, i128::MIN] {
            assert_eq!(Exact(units).value().to_bits(), (units as f64 / UNITS).to_bits(), "{units}");
        }
    }
}
