//! Loads: what others take of a host or link, drawn again and again.
//!
//! A load is drawn from a distribution at the start of the run, and again after every interval of a
//! fixed length. Available is what is left: 1 less the load, and never less than a small share, so
//! that nothing waits for ever. Each host or link draws from streams of its own, one for each
//! interval: its value is a pure function of (seed, replication, name, number of the interval). So
//! nothing is stored, any instant may be asked about in any order, and a scheduler that looks ahead
//! moves no draw.
//!
//! Source: the grids of DAGSim (loads that change at random while an application runs; availability
//! = 1 - load). The least available share is a choice, as is drawing for intervals of equal length.

use std::fmt;

use crate::kernel::SimDuration;
use crate::kernel::rng::{KeyedStreams, Sampler, Streams};

use super::drawn::{self, Drawn, Meaning};
use super::trace::Trace;

/// The load of hosts or links of one kind.
#[derive(Clone, Debug)]
pub struct Load {
    law: Sampler,
    every: Option<SimDuration>,
    least: f64,
}

impl Load {
    /// The share that is available at least, unless something else is said.
    pub const LEAST: f64 = drawn::LEAST_LEFT;

    /// The shortest interval between draws: a run would do little else if they were shorter.
    pub const SHORTEST: SimDuration = SimDuration::from_millis(1);

    /// A load of this distribution, drawn again after `every` such interval, or once for the whole
    /// run. What is drawn above 1 is 1.
    ///
    /// # Panics
    /// If the interval is shorter than [`Load::SHORTEST`].
    pub fn new(law: Sampler, every: Option<SimDuration>) -> Self {
        assert!(
            every.is_none_or(|every| every >= Load::SHORTEST),
            "a load is not drawn more often than that"
        );
        Load { law, every, least: Load::LEAST }
    }

    /// The same with another least available share.
    ///
    /// # Panics
    /// If it is not above 0 and at most 1.
    #[must_use]
    pub fn at_least(self, least: f64) -> Self {
        assert!(least > 0.0 && least <= 1.0, "a share, of which something is left");
        Load { least, ..self }
    }

    /// The availability that it leaves: to each `name` its own.
    pub fn availability(&self, streams: &Streams, name: impl fmt::Display) -> Trace {
        let streams = streams.keyed_as(format_args!("load/{name}"));
        Trace::of_draws(Drawn::new(&self.law, streams, self.every, Meaning::Load { least: self.least }))
    }

    /// The share of 1 that a load leaves.
    pub(super) fn left_by(load: f64) -> f64 {
        drawn::left_by(load)
    }
}

/// A quantity that is drawn itself, such as an availability or a bandwidth: once, or again after
/// every interval.
///
/// It is never below a small part of the greatest value that it may have, so that nothing waits for
/// ever.
#[derive(Clone, Debug)]
pub struct Varying {
    law: Sampler,
    every: Option<SimDuration>,
    bounds: [f64; 2],
}

/// The same law, interval and bounds; distributions are equal if they are the same one.
impl PartialEq for Varying {
    fn eq(&self, other: &Self) -> bool {
        self.law.is(&other.law) && self.every == other.every && self.bounds == other.bounds
    }
}

impl Varying {
    /// The least availability that is drawn, and the least bandwidth \[bytes/s\].
    pub const LEAST: [f64; 2] = [1e-3, 1.0];

    /// Values of this distribution, drawn again after `every` such interval, or once for the whole
    /// run. What is drawn beyond the bounds is on them.
    ///
    /// # Panics
    /// If the interval is shorter than [`Load::SHORTEST`], or the bounds are not above 0 and in
    /// order.
    pub fn new(law: Sampler, every: Option<SimDuration>, bounds: [f64; 2]) -> Self {
        assert!(
            every.is_none_or(|every| every >= Load::SHORTEST),
            "values are not drawn more often than that"
        );
        assert!(0.0 < bounds[0] && bounds[0] <= bounds[1], "something is left");
        Varying { law, every, bounds }
    }

    /// A share of a host, to each `name` its own.
    pub fn availability(&self, streams: &Streams, name: &str) -> Trace {
        self.trace(streams.keyed_as(format_args!("availability/{name}")))
    }

    /// A bandwidth, to each `name` its own.
    pub fn bandwidth(&self, streams: &Streams, name: impl fmt::Display) -> Trace {
        self.trace(streams.keyed_as(format_args!("bandwidth/{name}")))
    }

    fn trace(&self, streams: KeyedStreams) -> Trace {
        Trace::of_draws(Drawn::new(&self.law, streams, self.every, Meaning::Itself { bounds: self.bounds }))
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "worked out by hand, and exact")]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use proptest::prelude::*;

    use super::*;
    use crate::kernel::SimTime;
    use crate::kernel::rng::Stream;
    use crate::kernel::rng::distribution::{Constant, Exponential, Law, Moments, Uniform};

    fn secs(secs: f64) -> SimTime {
        SimTime::ZERO + SimDuration::ceil_secs(secs)
    }

    fn sampler(low: f64, high: f64) -> Sampler {
        Sampler::new(Uniform::new(low, high).expect("a law"))
    }

    #[test]
    fn a_quantity_may_be_drawn_itself() {
        let streams = Streams::new(5, 0);
        let every = Some(SimDuration::from_secs(5));
        let share = Varying::new(sampler(0.4, 1.0), every, [0.5, 1.0]).availability(&streams, "host");
        let values: Vec<f64> = (0..1000).map(|step| share.value_at(secs(f64::from(step) * 5.0))).collect();
        assert!(values.iter().all(|value| (0.5..=1.0).contains(value)) && values[0] != values[1]);
        assert_eq!(share.next_change(secs(7.0)), Some(secs(10.0)));
        let on_bound = values.iter().filter(|value| value.to_bits() == 0.5_f64.to_bits()).count();
        assert!((100..250).contains(&on_bound), "a sixth of them: {on_bound}");
        let constant = Sampler::new(Constant::new(0.0).expect("a law"));
        let never = Varying::new(constant, every, [1e-3, 1.0]).availability(&streams, "host");
        assert_eq!((never.value_at(secs(9.0)), never.next_change(secs(9.0))), (0.0, None));
        let rate = Varying::new(sampler(1e4, 2e4), None, [1.0, 1e9]).bandwidth(&streams, "link");
        assert!(rate.is_drawn() && rate.next_change(secs(0.0)).is_none() && rate.value_at(secs(3.0)) >= 1e4);
    }

    fn half_loaded(every: f64) -> Load {
        Load::new(sampler(0.0, 0.5), Some(SimDuration::ceil_secs(every)))
    }

    /// The same values as points of a trace from a file.
    fn points_of(drawn: &Trace, every: f64, intervals: u32) -> Trace {
        let points: Vec<(SimTime, f64)> = (0..intervals)
            .map(|interval| secs(f64::from(interval) * every))
            .map(|at| (at, drawn.value_at(at)))
            .collect();
        Trace::new(&points, None).expect("a trace")
    }

    proptest! {
        #[test]
        fn a_drawn_load_is_integrated_as_the_same_points_are(
            seed in any::<u64>(),
            every in 1_u32..50,
            from in 0.0..2_000.0,
            work in 0.001..3_000.0,
            scale in 0.1..1e6,
        ) {
            let every = f64::from(every);
            let drawn = half_loaded(every).availability(&Streams::new(seed, 0), "host").times(scale);
            let points = points_of(&drawn, every, (8_000.0 / every) as u32 + 1);
            let from = secs(from);
            let [end, same] = [&drawn, &points].map(|trace| trace.finish(from, work * scale).expect("it ends"));
            prop_assert!(end.max(same).since(end.min(same)).as_nanos() <= 1, "{end:?} {same:?}");
            let [one, other]: [f64; 2] = [&drawn, &points].map(|trace| trace.integral(from, end));
            prop_assert!((one - other).abs() <= 1e-9 * other && f64::abs(one / scale - work) < 1e-6);
            prop_assert_eq!(drawn.next_change(from), points.next_change(from));
            prop_assert_eq!(drawn.value_at(end).to_bits(), points.value_at(end).to_bits());
        }
    }

    #[test]
    fn values_do_not_depend_on_the_order_of_questions_and_differ_between_names_and_replications() {
        let load = half_loaded(100.0);
        let values = |replication, name: &str, order: &[u32]| -> Vec<u64> {
            let trace = load.availability(&Streams::new(3, replication), name);
            let mut asked: Vec<(u32, u64)> =
                order.iter().map(|&n| (n, trace.value_at(secs(f64::from(n) * 100.0)).to_bits())).collect();
            asked.sort_unstable();
            asked.into_iter().map(|(_, value)| value).collect()
        };
        let forth = values(0, "a", &[0, 1, 2, 3]);
        assert_eq!(forth, values(0, "a", &[3, 0, 2, 1]));
        assert_ne!(forth, values(0, "b", &[0, 1, 2, 3]));
        assert_ne!(forth, values(1, "a", &[0, 1, 2, 3]));
        let trace = load.availability(&Streams::new(3, 0), "a");
        assert_eq!(trace.value_at(secs(99.999)).to_bits(), forth[0]);
        assert_eq!(trace.next_change(secs(100.0)), Some(secs(200.0)));
        assert_eq!(trace.next_change(SimTime::MAX), None);
        let later = trace.clone().offset(SimDuration::from_secs(150));
        assert_eq!(later.value_at(SimTime::ZERO).to_bits(), forth[1]);
        assert_eq!(later.next_change(SimTime::ZERO), Some(secs(50.0)));
    }

    #[test]
    fn something_is_always_left_and_the_mean_is_that_of_the_law() {
        let streams = Streams::new(1, 0);
        let full =
            Load::new(Sampler::new(Constant::new(3.0).expect("a law")), Some(SimDuration::from_secs(1)));
        let trace = full.clone().availability(&streams, "host");
        assert_eq!(trace.value_at(secs(7.0)).to_bits(), 0.02_f64.to_bits());
        assert_eq!(trace.finish(SimTime::ZERO, 1.0), Some(secs(50.0)));
        assert_eq!(
            full.at_least(0.5).availability(&streams, "host").finish(SimTime::ZERO, 1.0),
            Some(secs(2.0))
        );
        assert_eq!(trace.finish(SimTime::ZERO, 1e300), Some(SimTime::MAX));
        let half = half_loaded(100.0).availability(&streams, "host").times(8.0);
        assert_eq!((half.mean().to_bits(), half.least().to_bits()), (6.0_f64.to_bits(), 0.16_f64.to_bits()));
        let average = half.integral(SimTime::ZERO, secs(1e6)) / 1e6;
        assert!((average - 6.0).abs() < 0.05, "{average}");
        let heavy = Load::new(Sampler::new(Exponential::new(2.0).expect("a law")), None);
        let once = heavy.availability(&streams, "host");
        assert_eq!(once.next_change(SimTime::ZERO), None);
        assert!(once == heavy.availability(&streams, "host") && half != trace);
        // what is the same in every draw is known beforehand
        let always = Load::new(Sampler::new(Constant::new(0.3).expect("a law")), None);
        let always = always.availability(&streams, "host");
        assert!(once.is_drawn() && half.is_drawn() && !always.is_drawn() && !trace.is_drawn());
    }

    /// Draws shares from 0.4 on, and counts them.
    #[derive(Debug, Default)]
    struct Counting(Arc<AtomicU64>);

    impl Moments for Counting {
        fn moments(&self) -> (Option<f64>, Option<f64>) {
            (Some(0.7), Some(0.03))
        }
    }

    impl Law for Counting {
        fn draw(&self, stream: &mut Stream) -> f64 {
            self.0.fetch_add(1, Ordering::Relaxed);
            0.4 + 0.6 * stream.uniform01()
        }
    }

    #[test]
    fn work_of_many_intervals_is_not_drawn_again_whenever_it_is_asked_about() {
        let law = Counting::default();
        let drawn = Arc::clone(&law.0);
        let every = Some(SimDuration::from_secs(5));
        let share =
            Varying::new(Sampler::new(law), every, [0.1, 1.0]).availability(&Streams::new(2, 0), "host");
        let first = share.finish(secs(7.0), 1e5).expect("it ends");
        let of_first = drawn.load(Ordering::Relaxed);
        let intervals = first.as_nanos() / 5_000_000_000;
        assert!(intervals > 25_000 && of_first < intervals + 1_000, "{of_first} of {intervals}");
        for second in 8..108 {
            let end = share.finish(secs(f64::from(second)), 1e5).expect("it ends");
            assert!((share.integral(secs(f64::from(second)), end) - 1e5).abs() < 1e-3);
        }
        let of_others = drawn.load(Ordering::Relaxed) - of_first;
        assert!(of_others < 100 * 2 * 1_000, "{of_others}");
    }
}
