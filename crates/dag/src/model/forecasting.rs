//! Availability as forecasters expect it, by samples of what it was so far.
//!
//! A trace is sampled at the beginning of the run and then after each span of time. A battery takes
//! the last of the samples in, and answers with the forecaster that has erred least; one forecaster
//! by itself answers at once. What is expected is the next sample, or the mean of several ahead,
//! and is taken to stay. Where nothing can be said the present value counts.
//!
//! Plans are made, and pairs of hosts asked about, many times between one sample and the next. What
//! is expected of each host and link is worked out once for every sample.
//!
//! Source: R. Wolski, "Dynamically forecasting network performance using the Network Weather
//! Service", Cluster Computing 1(1), 1998.

use std::cell::RefCell;

use crate::collections::OrderedMap;
use crate::forecast::{Battery, Forecaster, Select, ahead};
use crate::kernel::{SimDuration, SimTime};
use crate::platform::sharing::LinkId;
use crate::platform::{HostId, Trace};

/// A value of a platform that changes over time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Measured {
    /// Share of a host's speed.
    Availability(HostId),
    /// Latency of a link.
    Latency(LinkId),
    /// Bandwidth of a link.
    Bandwidth(LinkId),
}

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
    /// The last sample that was taken in of each value, and what was expected then; `None` where
    /// forecasters had nothing to say.
    pub(crate) latest: RefCell<OrderedMap<Measured, (u64, Option<f64>)>>,
}

impl Default for Forecasting {
    fn default() -> Self {
        Forecasting {
            battery: Battery::standard(),
            select: Select::Mse,
            every: SimDuration::from_secs(60),
            samples: 100,
            horizon: 1,
            latest: RefCell::default(),
        }
    }
}

impl Forecasting {
    /// Expected value of a trace, that of `measured`, as far as it is known now.
    pub(crate) fn expected(&self, measured: Measured, trace: &Trace, now: SimTime) -> f64 {
        if trace.next_change(SimTime::ZERO).is_none() {
            return trace.value_at(now);
        }
        let last = now.as_nanos() / self.every.as_nanos().max(1);
        let known = self.latest.borrow().get(&measured).copied();
        let expected = match known {
            Some((sample, expected)) if sample == last => expected,
            _ => {
                let expected = self.after(trace, last);
                self.latest.borrow_mut().insert(measured, (last, expected));
                expected
            }
        };
        expected.unwrap_or_else(|| trace.value_at(now))
    }

    /// Value that is expected after the sample of this number; `None` if forecasters say nothing.
    fn after(&self, trace: &Trace, last: u64) -> Option<f64> {
        let every = self.every.as_nanos().max(1);
        let mut battery = self.battery.clone();
        for sample in (last + 1).saturating_sub(self.samples)..=last {
            battery.add(trace.value_at(SimTime::from_nanos(sample * every)));
        }
        let of = |forecaster: &dyn Forecaster| ahead(forecaster, self.horizon);
        let expected = battery.chosen(self.select).and_then(of).filter(|value| value.is_finite());
        expected.map(|value| value.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::forecast::{Last, Mean};

    const HOST: Measured = Measured::Availability(HostId::new(0));

    /// An availability of 1, then of 0.5 for a minute, then of 0.25.
    fn trace() -> Trace {
        times(1.0)
    }

    /// The same with each value so many times.
    fn times(factor: f64) -> Trace {
        let points = [1.0, 0.5, 0.25].into_iter().enumerate();
        let points: Vec<_> = points.map(|(minute, share)| (at(60 * minute as u64), share * factor)).collect();
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
        let expected: Vec<f64> = [0, 60, 120, 239].map(|now| mean.expected(HOST, &trace(), at(now))).into();
        assert_eq!(expected, [1.0, 0.75, 1.75 / 3.0, 0.5]);
    }

    #[test]
    fn the_forecaster_of_the_least_error_answers() {
        let battery = Battery::new().with("last", Last::default()).with("mean", Mean::default());
        // of 1, 0.5, 0.25: the last value errs by 0.5 and 0.25, the mean by 0.5 and 0.5
        assert_eq!(Some(of(battery.clone()).expected(HOST, &trace(), at(120))), Some(0.25));
        // nothing is known of their errors: the present value
        assert_eq!(Some(of(battery).expected(HOST, &trace(), at(10))), Some(1.0));
    }

    #[test]
    fn samples_and_their_spacing_are_as_asked_for() {
        let battery = || Battery::new().with("mean", Mean::default());
        let two = Forecasting { samples: 2, ..of(battery()) };
        assert_eq!(Some(two.expected(HOST, &trace(), at(120))), Some(0.375));
        let fast = Forecasting { every: SimDuration::from_secs(30), samples: 3, ..of(battery()) };
        // at 60, 90 and 120 seconds
        assert_eq!(Some(fast.expected(HOST, &trace(), at(120))), Some(1.25 / 3.0));
    }

    #[test]
    fn a_horizon_takes_forecasts_in() {
        let battery = Battery::new().with("mean", crate::forecast::SlidingMean::new(2));
        let far = Forecasting { horizon: 2, ..of(battery) };
        // of 0.5 and 0.25: 0.375, then the mean of 0.25 and 0.375
        assert_eq!(Some(far.expected(HOST, &trace(), at(120))), Some(0.34375));
    }

    /// Expects the last value, and counts those that it and its copies take in.
    #[derive(Clone, Debug, Default)]
    struct Counting {
        last: Option<f64>,
        taken: Arc<AtomicU64>,
    }

    impl Forecaster for Counting {
        fn add(&mut self, value: f64) {
            self.taken.fetch_add(1, Ordering::Relaxed);
            self.last = Some(value);
        }

        fn next(&self) -> Option<f64> {
            self.last
        }
    }

    #[test]
    fn samples_are_taken_in_once_for_each_value_until_the_next_sample() {
        let counting = Counting::default();
        let taken = Arc::clone(&counting.taken);
        let forecasting = of(Battery::new().with("counting", counting));
        let second = Measured::Availability(HostId::new(1));
        let other = times(2.0);
        let expected: Vec<f64> = (0..180)
            .map(|now| {
                let [host, twice] = [(HOST, trace()), (second, other.clone())]
                    .map(|(measured, trace)| forecasting.expected(measured, &trace, at(now)));
                assert_eq!(Some(twice), Some(2.0 * host));
                host
            })
            .collect();
        // after one, two and three samples, and each time what is expected next
        assert_eq!(taken.load(Ordering::Relaxed), 2 * (2 + 3 + 4));
        let afresh = (0..180).map(|now| of(forecasting.battery.clone()).expected(HOST, &trace(), at(now)));
        assert!(expected.into_iter().eq(afresh));
    }
}
