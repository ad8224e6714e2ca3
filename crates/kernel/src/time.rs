//! Virtual time: whole nanoseconds since the start of the run.
//!
//! Times compare exactly and never with an epsilon. Rates, speeds and shares are `f64`; they become
//! time in one place, [`SimDuration::ceil_secs`], which rounds up so that no transfer ends before
//! its last byte.
//!
//! `u64` nanoseconds reach 584 years. The last instant and the longest span stand for *never*: sums
//! stop at them, so that a forecast of centuries is later than any other, and no simulated thing
//! happens then. A run in which a process would wait that long ends with an error
//! ([`SimError::TimeOverflow`](super::SimError::TimeOverflow)).

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// Nanoseconds in a second.
const NANOS_PER_SEC: u64 = 1_000_000_000;

/// An instant of virtual time, in whole nanoseconds since the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SimTime(u64);

/// Words of every system for what takes too long, or for ever: it would come later than
/// [`SimTime::MAX`].
pub const PAST_THE_END: &str = "past the end of virtual time (584 years)";

/// A span of virtual time, in whole nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SimDuration(u64);

impl SimTime {
    /// The start of the run.
    pub const ZERO: SimTime = SimTime(0);
    /// Never: the last representable instant, 584 years after the start.
    pub const MAX: SimTime = SimTime(u64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        SimTime(nanos)
    }

    /// The instant `secs` whole seconds after the start; `None` past [`SimTime::MAX`].
    pub const fn from_secs(secs: u64) -> Option<Self> {
        match secs.checked_mul(NANOS_PER_SEC) {
            Some(nanos) => Some(SimTime(nanos)),
            None => None,
        }
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start, to the nearest `f64`; for reports, not for comparing.
    pub fn as_secs_f64(self) -> f64 {
        SimDuration(self.0).as_secs_f64()
    }

    /// `self + span`, or `None` past [`SimTime::MAX`].
    #[inline]
    pub fn checked_add(self, span: SimDuration) -> Option<Self> {
        self.0.checked_add(span.0).map(SimTime)
    }

    /// `self + span`, where that has to be constant.
    #[must_use]
    pub const fn saturating_add(self, span: SimDuration) -> Self {
        SimTime(self.0.saturating_add(span.0))
    }

    /// The span from `earlier` to `self`; zero if `earlier` is later.
    pub const fn since(self, earlier: SimTime) -> SimDuration {
        SimDuration(self.0.saturating_sub(earlier.0))
    }
}

impl SimDuration {
    /// No time at all.
    pub const ZERO: SimDuration = SimDuration(0);
    /// Never: the longest span, 584 years.
    pub const MAX: SimDuration = SimDuration(u64::MAX);

    /// A span of whole nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        SimDuration(nanos)
    }

    /// A span of whole microseconds; saturates at [`SimDuration::MAX`].
    pub const fn from_micros(micros: u64) -> Self {
        SimDuration(micros.saturating_mul(1_000))
    }

    /// A span of whole milliseconds; saturates at [`SimDuration::MAX`].
    pub const fn from_millis(millis: u64) -> Self {
        SimDuration(millis.saturating_mul(1_000_000))
    }

    /// A span of whole seconds; saturates at [`SimDuration::MAX`].
    pub const fn from_secs(secs: u64) -> Self {
        SimDuration(secs.saturating_mul(NANOS_PER_SEC))
    }

    /// The least span that is not shorter than `secs` seconds.
    ///
    /// This is the only place where a real number becomes time; amounts and rates that are whole
    /// become time without one ([`SimDuration::ceil_ratio`]). Not-a-number and negative values give
    /// zero; values past [`SimDuration::MAX`] give that.
    pub fn ceil_secs(secs: f64) -> Self {
        let nanos = secs * NANOS_PER_SEC as f64;
        // `as` saturates, and turns not-a-number into zero
        SimDuration(nanos.ceil() as u64)
    }

    /// The least span in which `amount` is done at `rate` a second.
    ///
    /// Exact where both are whole numbers ([`SimDuration::exact_ratio`]); else their quotient as
    /// [`SimDuration::ceil_secs`] takes it.
    #[inline]
    pub fn ceil_ratio(amount: f64, rate: f64) -> Self {
        Self::exact_ratio(amount, rate).unwrap_or_else(|| Self::ceil_secs(amount / rate))
    }

    /// The least span in which a whole `amount` is done at a whole `rate` a second, by integer
    /// arithmetic: a quotient of floating point may lie a nanosecond above it. `None` if one of
    /// them is not a whole number of 64 bits, or the rate is 0.
    #[inline]
    pub fn exact_ratio(amount: f64, rate: f64) -> Option<Self> {
        let (amount, rate) = (whole(amount)?, whole(rate).filter(|&rate| rate > 0)?);
        let nanos = match amount.checked_mul(NANOS_PER_SEC) {
            Some(nanos) => nanos.div_ceil(rate),
            None => {
                let nanos = u128::from(amount) * u128::from(NANOS_PER_SEC);
                u64::try_from(nanos.div_ceil(u128::from(rate))).unwrap_or(u64::MAX)
            }
        };
        Some(SimDuration(nanos))
    }

    /// Nanoseconds in the span.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds in the span, to the nearest `f64`; for reports and rates, not for comparing.
    pub fn as_secs_f64(self) -> f64 {
        let whole = self.0 / NANOS_PER_SEC;
        let rest = self.0 % NANOS_PER_SEC;
        if rest == 0 { whole as f64 } else { self.0 as f64 / NANOS_PER_SEC as f64 }
    }

    /// Returns true if the span is empty.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self - other`, or zero if `other` is longer.
    #[must_use]
    pub const fn saturating_sub(self, other: SimDuration) -> Self {
        SimDuration(self.0.saturating_sub(other.0))
    }

    /// `self + other`, where that has to be constant.
    #[must_use]
    pub const fn saturating_add(self, other: SimDuration) -> Self {
        SimDuration(self.0.saturating_add(other.0))
    }

    /// `self + other`, or `None` past [`SimDuration::MAX`].
    #[inline]
    pub fn checked_add(self, other: SimDuration) -> Option<Self> {
        self.0.checked_add(other.0).map(SimDuration)
    }

    /// `self × factor`, or `None` past [`SimDuration::MAX`].
    #[inline]
    pub fn checked_mul(self, factor: u64) -> Option<Self> {
        self.0.checked_mul(factor).map(SimDuration)
    }
}

/// The whole number of 64 bits that a real number is, if it is one.
#[inline]
fn whole(value: f64) -> Option<u64> {
    // `as` saturates, and takes 2^64 for the number below it
    let integer = value as u64;
    (integer < u64::MAX && (integer as f64).total_cmp(&value).is_eq()).then_some(integer)
}

impl Add<SimDuration> for SimTime {
    type Output = SimTime;
    /// At most [`SimTime::MAX`], which is never.
    #[inline]
    fn add(self, span: SimDuration) -> SimTime {
        self.saturating_add(span)
    }
}

impl AddAssign<SimDuration> for SimTime {
    fn add_assign(&mut self, span: SimDuration) {
        *self = *self + span;
    }
}

impl Sub for SimTime {
    type Output = SimDuration;
    /// # Panics
    /// If `earlier` is later than `self`; [`SimTime::since`] gives zero there.
    fn sub(self, earlier: SimTime) -> SimDuration {
        SimDuration(self.0.checked_sub(earlier.0).expect("a span of virtual time is never negative"))
    }
}

impl Add for SimDuration {
    type Output = SimDuration;
    /// At most [`SimDuration::MAX`]: sums over many lanes are taken in `u128` or `f64`.
    #[inline]
    fn add(self, other: SimDuration) -> SimDuration {
        self.saturating_add(other)
    }
}

impl AddAssign for SimDuration {
    fn add_assign(&mut self, other: SimDuration) {
        *self = *self + other;
    }
}

impl Sub for SimDuration {
    type Output = SimDuration;
    /// # Panics
    /// If `other` is longer than `self`; [`SimDuration::saturating_sub`] gives zero there.
    fn sub(self, other: SimDuration) -> SimDuration {
        SimDuration(self.0.checked_sub(other.0).expect("a span of virtual time is never negative"))
    }
}

impl SubAssign for SimDuration {
    fn sub_assign(&mut self, other: SimDuration) {
        *self = *self - other;
    }
}

impl Sum for SimDuration {
    fn sum<I: Iterator<Item = SimDuration>>(iter: I) -> SimDuration {
        iter.fold(SimDuration::ZERO, |total, span| total + span)
    }
}

impl fmt::Display for SimDuration {
    /// Seconds with as many decimals as the value needs, for example `1.5 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / NANOS_PER_SEC, self.0 % NANOS_PER_SEC);
        if rest == 0 {
            return write!(f, "{whole} s");
        }
        let decimals = format!("{rest:09}");
        write!(f, "{whole}.{} s", decimals.trim_end_matches('0'))
    }
}

impl fmt::Display for SimTime {
    /// Seconds since the start, as [`SimDuration`] prints them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SimDuration(self.0).fmt(f)
    }
}

impl fmt::Debug for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t={self}")
    }
}

impl fmt::Debug for SimDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn real_seconds_round_up_to_the_next_nanosecond() {
        assert_eq!(SimDuration::ceil_secs(1e-10).as_nanos(), 1);
        assert_eq!(SimDuration::ceil_secs(1.5).as_nanos(), 1_500_000_000);
        assert_eq!(SimDuration::ceil_secs(0.0), SimDuration::ZERO);
    }

    #[test]
    fn whole_amounts_at_whole_rates_take_exactly_as_long_as_they_do() {
        let nanos = |amount, rate| SimDuration::ceil_ratio(amount, rate).as_nanos();
        assert_eq!(SimDuration::ceil_secs(16_749_766.0 / 1e6).as_nanos(), 16_749_766_001, "by a quotient");
        assert_eq!(nanos(16_749_766.0, 1e6), 16_749_766_000);
        assert_eq!(nanos(1.0, 3.0), 333_333_334);
        assert_eq!((nanos(0.0, 5.0), nanos(-0.0, 5.0)), (0, 0));
        assert_eq!((nanos(1e19, 1.0), nanos(1e19, 1e10)), (u64::MAX, 1_000_000_000_000_000_000));
        assert_eq!((nanos(1.0, 0.0), nanos(0.0, 0.0)), (u64::MAX, 0));
    }

    #[test]
    fn what_is_not_whole_is_a_quotient_rounded_up() {
        for (amount, rate) in
            [(1.5, 3.0), (3.0, 1.5), (-3.0, 2.0), (1e20, 3.0), (7.0, f64::INFINITY), (f64::NAN, 1.0)]
        {
            assert_eq!(SimDuration::exact_ratio(amount, rate), None, "{amount} at {rate}");
            let quotient = SimDuration::ceil_secs(amount / rate);
            assert_eq!(SimDuration::ceil_ratio(amount, rate), quotient, "{amount} at {rate}");
        }
    }

    proptest! {
        #[test]
        fn ratios_of_whole_numbers_are_those_of_integers(amount in 0_u64..=1 << 53, rate in 1_u64..=1 << 53) {
            let nanos = (u128::from(amount) * 1_000_000_000).div_ceil(u128::from(rate));
            let expected = u64::try_from(nanos).unwrap_or(u64::MAX);
            prop_assert_eq!(SimDuration::ceil_ratio(amount as f64, rate as f64).as_nanos(), expected);
        }

        #[test]
        fn bytes_over_links_are_exact(bytes in 0_u64..1 << 36, megabytes_per_sec in 1_u64..100_000) {
            let rate = megabytes_per_sec * 1_000_000;
            let expected = (u128::from(bytes) * 1_000_000_000).div_ceil(u128::from(rate)) as u64;
            prop_assert_eq!(SimDuration::ceil_ratio(bytes as f64, rate as f64).as_nanos(), expected);
        }
    }

    #[test]
    fn values_out_of_range_saturate_and_nonsense_is_zero() {
        assert_eq!(SimDuration::ceil_secs(f64::INFINITY), SimDuration::MAX);
        assert_eq!(SimDuration::ceil_secs(f64::NAN), SimDuration::ZERO);
        assert_eq!(SimDuration::ceil_secs(-3.0), SimDuration::ZERO);
    }

    #[test]
    fn an_instant_past_the_end_of_time_is_reported_not_wrapped() {
        assert_eq!(SimTime::MAX.checked_add(SimDuration::from_nanos(1)), None);
        assert_eq!(SimTime::from_secs(u64::MAX), None);
    }

    #[test]
    fn sums_stop_at_never() {
        let (late, span) = (SimTime::from_nanos(u64::MAX - 1), SimDuration::from_nanos(u64::MAX - 1));
        assert_eq!(late + SimDuration::from_secs(1), SimTime::MAX);
        assert_eq!([span, span].into_iter().sum::<SimDuration>(), SimDuration::MAX);
        assert_eq!(SimTime::MAX + SimDuration::MAX, SimTime::MAX);
    }

    #[test]
    fn times_print_as_seconds_without_idle_zeros() {
        assert_eq!(SimTime::from_nanos(1_500_000_000).to_string(), "1.5 s");
        assert_eq!(SimDuration::from_secs(3600).to_string(), "3600 s");
        assert_eq!(SimDuration::from_nanos(1).to_string(), "0.000000001 s");
    }
}
