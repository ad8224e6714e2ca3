//! Sums that do not drift: whole numbers of a tiny unit, added and taken away without rounding.
//!
//! What a link carries and what its flows weigh changes with every flow that comes or goes. A sum of floating-point numbers that
//! is kept up by adding and taking away keeps the rounding of each step for ever, and depends on their order. Here each
//! term is turned into a whole number of units of 2^-60 once (always the same for the same term), and from there on nothing is
//! rounded: a sum is that of the terms that are in it, whatever came and went before, and in whatever order.
//!
//! The price is a range. 128 bits hold sums up to 1.4e20, and terms below 1e-6 lose digits of their 15; [`LEAST`] and [`MOST`]
//! bound the terms so that neither is met.

/// The least term other than 0 that keeps at least 12 digits.
pub const LEAST: f64 = 1e-6;
/// The largest term: a hundred of them do not come near the end of the range.
pub const MOST: f64 = 1e18;

/// Units in 1.
const UNITS: f64 = (1_u64 << 60) as f64;

/// A sum without rounding, in units of 2^-60.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Exact(i128);

impl Exact {
    /// The term `value`, cut to whole units.
    #[inline]
    pub(crate) fn of(value: f64) -> Self {
        Exact((value * UNITS) as i128)
    }

    /// The sum, to the nearest `f64`.
    #[inline]
    pub(crate) fn value(self) -> f64 {
        self.0 as f64 / UNITS
    }

    /// Whether nothing is in it.
    #[inline]
    pub(crate) fn is_nothing(self) -> bool {
        self.0 == 0
    }
}

impl std::ops::AddAssign for Exact {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

impl std::ops::SubAssign for Exact {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_sub(other.0);
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
}
