//! Loads: what others take of a host or link, drawn again and again.
//!
//! A load is drawn from a distribution at the start of the run, and again after every interval of a fixed length. Available is what is
//! left: 1 less the load, and never less than a small share, so that nothing waits for ever. Each host or link draws from streams
//! of its own, one for each interval: its value is a pure function of (seed, replication, name, number of the interval). So
//! nothing is stored, any instant may be asked about in any order, and a scheduler that looks ahead moves no draw.
//!
//! Source: the grids of DAGSim (loads that change at random while an application runs; availability = 1 - load). The least
//! available share is a choice, as is drawing for intervals of equal length.

use crate::kernel::SimDuration;
use crate::kernel::rng::{KeyedStreams, Moments, Sampler, Streams};

use super::points::{Segment, seconds};
use super::trace::Trace;

/// How loaded hosts or links of one kind are.
#[derive(Clone, Debug)]
pub struct Load {
    law: Sampler,
    every: Option<SimDuration>,
    least: f64,
}

impl Load {
    /// The share that is available at least, unless something else is said.
    pub const LEAST: f64 = 0.02;

    /// The shortest interval between draws: a run would do little else if they were shorter.
    pub const SHORTEST: SimDuration = SimDuration::from_millis(1);

    /// A load of this distribution, drawn again after `every` such interval, or once for the whole run. What is drawn above 1 is 1.
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

    /// What it leaves available: to each `name` its own.
    pub fn availability(&self, streams: &Streams, name: &str) -> Trace {
        let streams = streams.keyed(&format!("load/{name}"));
        let load = self.clone();
        let drawn = Drawn { load, streams, every: u64::MAX, scale: 1.0, bounds: [self.least, 1.0] };
        match self.every {
            Some(every) => Trace::drawn(Drawn { every: every.as_nanos(), ..drawn }),
            None if drawn.varies() => Trace::drawn_once(drawn.value(0)),
            None => Trace::constant(drawn.value(0)),
        }
    }

    /// What a load leaves of 1.
    pub(super) fn left_by(load: f64) -> f64 {
        (1.0 - load).clamp(Load::LEAST, 1.0)
    }

    fn left(&self, load: f64) -> f64 {
        (1.0 - load).clamp(self.least, 1.0)
    }
}

/// Values that are drawn, one for each interval.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    load: Load,
    streams: KeyedStreams,
    /// The length of an interval.
    every: u64,
    scale: f64,
    /// The least and the greatest value that there may be.
    pub(super) bounds: [f64; 2],
}

impl PartialEq for Drawn {
    /// Distributions are equal if they are the same one.
    fn eq(&self, other: &Self) -> bool {
        let terms =
            |drawn: &Drawn| (drawn.streams, drawn.every, [drawn.scale, drawn.load.least].map(f64::to_bits));
        terms(self) == terms(other) && self.load.law.is(&other.load.law)
    }
}

impl Drawn {
    pub(super) fn times(&self, times: f64) -> Self {
        Drawn { scale: self.scale * times, bounds: self.bounds.map(|bound| bound * times), ..self.clone() }
    }

    /// Whether a draw may differ from another.
    pub(super) fn varies(&self) -> bool {
        self.load.law.variance().is_none_or(|variance| variance > 0.0)
    }

    /// The value in the interval of this number.
    fn value(&self, interval: u64) -> f64 {
        self.load.left(self.load.law.draw(&mut self.streams.of(&[interval]))) * self.scale
    }

    /// 1 less the mean of the distribution, where that leaves enough.
    pub(super) fn mean(&self) -> f64 {
        self.load.left(self.load.law.mean().unwrap_or(f64::INFINITY)) * self.scale
    }

    pub(super) fn segment(&self, at: u64) -> Segment {
        let interval = at / self.every;
        Segment { value: self.value(interval), until: self.end_of(interval) }
    }

    fn end_of(&self, interval: u64) -> Option<u64> {
        (interval + 1).checked_mul(self.every)
    }

    /// Value times seconds.
    pub(super) fn integral(&self, from: u64, to: u64) -> f64 {
        let mut gathered = 0.0;
        let mut at = from;
        while at < to {
            let Segment { value, until } = self.segment(at);
            let end = until.map_or(to, |until| until.min(to));
            gathered += value * seconds(end - at);
            at = end;
        }
        gathered
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::SimTime;
    use crate::kernel::rng::distribution::{Constant, Exponential, Uniform};

    fn secs(secs: f64) -> SimTime {
        SimTime::ZERO + SimDuration::ceil_secs(secs)
    }

    fn sampler(low: f64, high: f64) -> Sampler {
        Sampler::new(Uniform::new(low, high).expect("a law"))
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
}
