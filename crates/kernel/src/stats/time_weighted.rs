//! Statistics of a level over virtual time: CSIM's `qtable`.
//!
//! The level is a whole number (customers in a station, busy processors) that holds from one change
//! to the next. What is kept is its integral, level × nanoseconds, as an exact integer; the mean is
//! that integral over the length of the observed window, rounded once. The window can be begun
//! again, at the end of a warm-up, with the level going on.
//!
//! At equal times: several changes at one instant add nothing to the integral, but each level
//! reached, however briefly, counts for the maximum.

use super::ratio::ratio;
use crate::{SimDuration, SimTime};

/// A whole-numbered level, integrated exactly over virtual time.
///
/// Instants must not fall from call to call; the kernel's clock does not, and a caller's mistake
/// here panics.
#[derive(Clone, Debug)]
pub struct TimeWeighted {
    level: u64,
    max: u64,
    min: u64,
    /// level × ns, up to `last`. Cannot overflow: less than 2^64 levels for less than 2^64 ns.
    area: u128,
    start: SimTime,
    last: SimTime,
}

impl TimeWeighted {
    /// Observes from `now`, at `level`.
    pub fn new(now: SimTime, level: u64) -> Self {
        TimeWeighted { level, max: level, min: level, area: 0, start: now, last: now }
    }

    /// From `now` on the level is `level`.
    ///
    /// # Panics
    /// If `now` is before the last change.
    pub fn set(&mut self, now: SimTime, level: u64) {
        self.area = self.area(now);
        self.last = now;
        self.level = level;
        self.max = self.max.max(level);
        self.min = self.min.min(level);
    }

    /// From `now` on the level is higher by `by`.
    ///
    /// # Panics
    /// If `now` is before the last change, or the level would pass `u64::MAX`.
    pub fn rise(&mut self, now: SimTime, by: u64) {
        self.set(now, self.level.checked_add(by).expect("a level stays below 2^64"));
    }

    /// From `now` on the level is lower by `by`.
    ///
    /// # Panics
    /// If `now` is before the last change, or the level would fall below zero.
    pub fn fall(&mut self, now: SimTime, by: u64) {
        self.set(now, self.level.checked_sub(by).expect("what leaves has entered: a level stays above zero"));
    }

    /// Begins a new window at `now`: integral zero, extremes at the present level, which goes on.
    pub fn reset(&mut self, now: SimTime) {
        *self = Self::new(now, self.level);
    }

    /// The present level.
    pub fn level(&self) -> u64 {
        self.level
    }

    /// The highest level of the window.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The lowest level of the window.
    pub fn min(&self) -> u64 {
        self.min
    }

    /// Start of the window.
    pub fn start(&self) -> SimTime {
        self.start
    }

    /// Length of the window up to `now`.
    pub fn window(&self, now: SimTime) -> SimDuration {
        now - self.start
    }

    /// The integral up to `now` [level × ns], exact.
    ///
    /// # Panics
    /// If `now` is before the last change.
    pub fn area(&self, now: SimTime) -> u128 {
        self.area + u128::from(self.level) * u128::from((now - self.last).as_nanos())
    }

    /// The mean level up to `now`; `None` in an empty window.
    pub fn mean(&self, now: SimTime) -> Option<f64> {
        let window = self.window(now);
        (!window.is_zero()).then(|| ratio(self.area(now), u128::from(window.as_nanos())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert_eq, proptest};

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    #[test]
    fn a_small_level_worked_by_hand() {
        // 0 for 2 ns, 1 for 3 ns, 3 for 1 ns, 2 for 4 ns: 0 + 3 + 3 + 8 = 14 over 10
        let mut level = TimeWeighted::new(at(10), 0);
        level.rise(at(12), 1);
        level.rise(at(15), 2);
        level.fall(at(16), 1);
        assert_eq!(level.area(at(20)), 14);
        assert_eq!(level.mean(at(20)), Some(1.4));
        assert_eq!((level.level(), level.max(), level.min()), (2, 3, 0));
    }

    #[test]
    fn a_new_window_keeps_the_level_and_forgets_the_past() {
        let mut level = TimeWeighted::new(at(0), 0);
        level.set(at(5), 7);
        level.set(at(8), 2);
        level.reset(at(10));
        assert_eq!((level.max(), level.start()), (2, at(10)));
        assert_eq!(level.area(at(13)), 6);
        assert_eq!(level.mean(at(13)), Some(2.0));
    }

    #[test]
    fn a_level_of_no_duration_counts_for_the_maximum_only() {
        let mut level = TimeWeighted::new(at(0), 1);
        level.set(at(5), 9);
        level.set(at(5), 1);
        assert_eq!(level.area(at(10)), 10);
        assert_eq!(level.max(), 9);
    }

    #[test]
    fn an_empty_window_has_no_mean() {
        assert_eq!(TimeWeighted::new(at(4), 3).mean(at(4)), None);
    }

    #[test]
    fn the_greatest_level_over_all_of_time_does_not_overflow() {
        let level = TimeWeighted::new(SimTime::ZERO, u64::MAX);
        assert_eq!(level.area(SimTime::MAX), u128::from(u64::MAX) * u128::from(u64::MAX));
        assert_eq!(level.mean(SimTime::MAX), Some(u64::MAX as f64));
    }

    #[test]
    #[should_panic(expected = "never negative")]
    fn time_does_not_run_backwards() {
        let mut level = TimeWeighted::new(at(4), 3);
        level.set(at(3), 1);
    }

    proptest! {
        #[test]
        fn the_area_is_the_sum_over_every_nanosecond(steps in vec((0_u64..20, 0_u64..9), 1..30)) {
            let mut level = TimeWeighted::new(at(0), 0);
            let (mut now, mut value, mut expected) = (0, 0, 0_u128);
            for (gap, next) in steps {
                for _ in 0..gap {
                    expected += u128::from(value);
                }
                now += gap;
                value = next;
                level.set(at(now), value);
                prop_assert_eq!(level.area(at(now)), expected);
            }
        }
    }
}
