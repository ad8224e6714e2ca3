//! Arrivals: gaps of busy hours, stretched where the half hour of the day weighs less.
//!
//! Source: Lublin and Feitelson, section 6. A half hour weighs what the gamma law of the daily
//! cycle has in it, over the mean of all; the cycle begins at five in the morning. A gap is paid
//! out of the weights of the half hours that pass, so arrivals are those of a process whose clock
//! runs at the weight of the hour. A gap never loses its remainder.

use crate::kernel::rng::distribution::Gamma;

/// Half hours of a day.
pub(super) const HALF_HOURS: usize = 48;
/// Length of one [s].
pub(super) const HALF_HOUR: f64 = 1800.0;
/// The first half hour of the cycle, as the law of the cycle counts them: from 1 at midnight.
const CYCLE_BEGINS: usize = 11;

/// The weight of every half hour of the day, from midnight on; their mean is 1.
pub(super) type Weights = [f64; HALF_HOURS];

/// The weights that the law of the daily cycle gives, and the share of the law that lies in one
/// cycle.
pub(super) fn weights(cycle: &Gamma) -> (Weights, f64) {
    let mut weights = [0.0; HALF_HOURS];
    for place in CYCLE_BEGINS..CYCLE_BEGINS + HALF_HOURS {
        let middle = place as f64;
        weights[(place - 1) % HALF_HOURS] = cycle.cdf(middle + 0.5) - cycle.cdf(middle - 0.5);
    }
    let whole: f64 = weights.iter().sum();
    (weights.map(|weight| weight * HALF_HOURS as f64 / whole), whole)
}

/// The clock of the arrivals of a class.
#[derive(Clone, Debug)]
pub(super) struct Arrivals {
    weights: Weights,
    /// The sum of the weights.
    day: f64,
    /// The half hour of the day.
    place: usize,
    /// Half hours passed since midnight of the first day.
    passed: f64,
    /// The part of the present half hour's weight that is used up.
    paid: f64,
    /// Time of day at the start [s].
    start: f64,
}

impl Arrivals {
    /// Arrivals from `start` on, a time of the day [s].
    pub(super) fn new(weights: &Weights, start: f64) -> Self {
        let passed = (start / HALF_HOUR).floor();
        let place = passed as usize % HALF_HOURS;
        let paid = (start / HALF_HOUR - passed) * weights[place];
        Arrivals { weights: *weights, day: weights.iter().sum(), place, passed, paid, start }
    }

    /// The time [s] of the next arrival, `gap` seconds of weight 1 after the last one.
    pub(super) fn after(&mut self, gap: f64) -> f64 {
        self.paid += gap / HALF_HOUR;
        let days = (self.paid / self.day).floor();
        self.paid = (self.paid - days * self.day).max(0.0);
        self.passed += days * HALF_HOURS as f64;
        while self.paid >= self.weights[self.place] {
            self.paid -= self.weights[self.place];
            self.place = (self.place + 1) % HALF_HOURS;
            self.passed += 1.0;
        }
        // below the weight of the half hour, which is therefore above zero
        HALF_HOUR * (self.passed + self.paid / self.weights[self.place]) - self.start
    }
}
