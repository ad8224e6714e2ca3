//! Availability as forecasters expect it, by samples of what it was so far.
//!
//! A trace is sampled at the beginning of the run and then after each span of time. A battery takes
//! the last of the samples in, and answers with the forecaster that has erred least; one forecaster
//! by itself answers at once. What is expected is the next sample, or the mean of several ahead,
//! and is taken to stay. Where nothing can be said the present value counts.
//!
//! Source: R. Wolski, "Dynamically forecasting network performance using the Network Weather
//! Service", Cluster Computing 1(1), 1998.

use crate::forecast::{Battery, Forecaster, Select, ahead};
use crate::kernel::{SimDuration, SimTime};
use crate::platform::Trace;

/// Forecasters that answer, and the samples that they see.
#[derive(Clone, Debug)]
pub struct Forecasting {
    /// Forecasters that answer, before any sample.
    pub battery: Battery,
    /// Error of the forecasters that is to be least.
    pub select: Select,
    /// From one sample to the next.
    pub every: SimDuration,
    /// Number of the last samples count.
    pub samples: u64,
    /// Number of samples ahead of which the mean is taken.
    pub horizon: u32,
}

impl Default for Forecasting {
    fn default() -> Self {
        Forecasting {
            battery: Battery::standard(),
            select: Select::Mse,
            every: SimDuration::from_secs(60),
            samples: 100,
            horizon: 1,
        }
    }
}

impl Forecasting {
    /// Expected value of a trace, as far as it is known now.
    pub(in crate::dag) fn expected(&self, trace: &Trace, now: SimTime) -> f64 {
        if trace.next_change(SimTime::ZERO).is_none() {
            return trace.value_at(now);
        }
        let every = self.every.as_nanos().max(1);
        let last = now.as_nanos() / every;
        let mut battery = self.battery.clone();
        for sample in (last + 1).saturating_sub(self.samples)..=last {
            battery.add(trace.value_at(SimTime::from_nanos(sample * every)));
        }
        let of = |forecaster: &dyn Forecaster| ahead(forecaster, self.horizon);
        let expected = battery.chosen(self.select).and_then(of).filter(|value| value.is_finite());
        expected.map_or_else(|| trace.value_at(now), |value| value.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::{Last, Mean};

    /// An availability of 1, then of 0.5 for a minute, then of 0.25.
    fn trace() -> Trace {
        let points = [1.0, 0.5, 0.25].into_iter().enumerate();
        let points: Vec<_> = points.map(|(minute, share)| (at(60 * minute as u64), share)).collect();
        Trace::new(&points, None).expect("a trace")
    }

    fn at(seconds: u64) -> SimTime {
        SimTime::from_nanos(seconds * 1_000_000_000)
    }

    fn of(battery: Battery) -> Forecasting {
        Forecasting { battery, ..Forecasting::default() }
    }

    #[test]
    fn one_forecaster_answers_from_the_first_sample_on() {
        let mean = of(Battery::new().with("mean", Mean::default()));
        let expected: Vec<f64> = [0, 60, 120, 239].map(|now| mean.expected(&trace(), at(now))).into();
        assert_eq!(expected, [1.0, 0.75, 1.75 / 3.0, 0.5]);
    }

    #[test]
    fn the_forecaster_of_the_least_error_answers() {
        let battery = Battery::new().with("last", Last::default()).with("mean", Mean::default());
        // of 1, 0.5, 0.25: the last value errs by 0.5 and 0.25, the mean by 0.5 and 0.5
        assert_eq!(Some(of(battery.clone()).expected(&trace(), at(120))), Some(0.25));
        // nothing is known of their errors: the present value
        assert_eq!(Some(of(battery).expected(&trace(), at(10))), Some(1.0));
    }

    #[test]
    fn samples_and_their_spacing_are_as_asked_for() {
        let battery = || Battery::new().with("mean", Mean::default());
        let two = Forecasting { samples: 2, ..of(battery()) };
        assert_eq!(Some(two.expected(&trace(), at(120))), Some(0.375));
        let fast = Forecasting { every: SimDuration::from_secs(30), samples: 3, ..of(battery()) };
        // at 60, 90 and 120 seconds
        assert_eq!(Some(fast.expected(&trace(), at(120))), Some(1.25 / 3.0));
    }

    #[test]
    fn a_horizon_takes_forecasts_in() {
        let battery = Battery::new().with("mean", crate::forecast::SlidingMean::new(2));
        let far = Forecasting { horizon: 2, ..of(battery) };
        // of 0.5 and 0.25: 0.375, then the mean of 0.25 and 0.375
        assert_eq!(Some(far.expected(&trace(), at(120))), Some(0.34375));
    }
}
