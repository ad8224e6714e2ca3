//! Extraneous work: packets and tasks of others, which arrive at a station by a law.
//!
//! A station that serves `capacity` in a second is to leave `actual` of that to one sender who
//! keeps it busy. So others arrive at the rate (capacity - actual) / mean size, and take the share
//! 1 - actual / capacity of the station. The sender has one packet in the station at a time: its
//! next packet enters behind what has arrived since, so that in the long run it gets exactly
//! `actual`, whatever the law of sizes. A sender with all its packets in the station at once would
//! get almost `capacity`.
//!
//! The load of a server is the same with tasks in place of packets.
//!
//! What arrives is drawn when the station is brought up to date, not by events: a station without
//! traffic of ours costs nothing. The draws are those of the streams of the station, in order,
//! however late.
//!
//! Sources: A. Takefusa and others, HPDC 1999, section 3.1.2 (the family of models); that rate is
//! the simulator's own reading of it.

use crate::kernel::rng::distribution::{Moments, Sampler, normal_quantile};
use crate::kernel::rng::{Stream, Streams};
use crate::kernel::{SimDuration, SimTime};

/// Variation of `actual` over time.
#[derive(Clone, Debug)]
pub struct Spread {
    /// Standard deviation of what is left to a sender \[work/s\].
    pub deviation: f64,
    /// Time after which it is drawn again.
    pub every: SimDuration,
}

/// The law of extraneous work.
#[derive(Clone, Debug)]
pub struct ExtraneousLaw {
    /// Work that the station serves in a second.
    pub capacity: f64,
    /// Part of the capacity that it leaves to one sender, in the mean.
    pub actual: f64,
    /// The size of a packet or task \[work\]; its mean is finite and above 0.
    pub size: Sampler,
    /// Times between arrivals, scaled so that the rate is right: a law of finite mean above 0.
    pub gaps: Sampler,
    /// Variation of `actual`; `None` keeps it constant.
    pub spread: Option<Spread>,
}

/// The least share of the capacity that a drawn `actual` leaves.
const LEAST_SHARE: f64 = 0.01;

/// Extraneous work that arrives at a station. A copy gives what this one will give, for a look
/// ahead.
#[derive(Clone, Debug)]
pub struct Extraneous {
    law: ExtraneousLaw,
    gap_mean: f64,
    mean_size: f64,
    streams: ExtraneousStreams,
    /// Arrivals in a second, at present.
    rate: f64,
    /// Rate left to a sender at present.
    level: f64,
    /// Instant up to which both hold.
    level_ends: SimTime,
    /// Rest of the gap before the next arrival, at `from` and at rate 1.
    gap: f64,
    from: SimTime,
    /// Instant of the next arrival, if that is before the level ends.
    next: Option<SimTime>,
}

/// The streams of a station: times between arrivals, sizes, levels.
#[derive(Debug)]
pub struct ExtraneousStreams {
    /// Times between arrivals.
    pub arrivals: Stream,
    /// Sizes.
    pub sizes: Stream,
    /// Rates left to a sender, if they vary.
    pub levels: Stream,
}

impl ExtraneousStreams {
    /// Streams of the station of this name.
    pub fn new(streams: &Streams, station: &str) -> Self {
        let draws_for = |purpose: &str| streams.stream(&format!("extraneous/{station}/{purpose}"));
        ExtraneousStreams {
            arrivals: draws_for("arrivals"),
            sizes: draws_for("sizes"),
            levels: draws_for("levels"),
        }
    }
}

impl Clone for ExtraneousStreams {
    fn clone(&self) -> Self {
        let ExtraneousStreams { arrivals, sizes, levels } = self;
        ExtraneousStreams { arrivals: arrivals.ahead(), sizes: sizes.ahead(), levels: levels.ahead() }
    }
}

impl Extraneous {
    /// The first gap is drawn.
    ///
    /// # Panics
    /// If a mean is not a number above 0.
    pub fn new(law: ExtraneousLaw, streams: ExtraneousStreams) -> Self {
        let positive = |mean: Option<f64>| mean.filter(|mean| mean.is_finite() && *mean > 0.0);
        let gap_mean = positive(law.gaps.mean()).expect("gaps have a mean");
        let mean_size = positive(law.size.mean()).expect("sizes have a mean");
        let mut new = Extraneous {
            gap_mean,
            mean_size,
            streams,
            rate: 0.0,
            level: law.actual,
            level_ends: SimTime::MAX,
            gap: 0.0,
            from: SimTime::ZERO,
            next: None,
            law,
        };
        new.begin_level();
        new.draw_gap();
        new
    }

    /// Instant of the next arrival, if that is at `to` or before.
    #[inline]
    pub fn next_by(&mut self, to: SimTime) -> Option<SimTime> {
        while self.next.is_none() && self.level_ends <= to && self.level_ends < SimTime::MAX {
            self.gap = (self.gap - self.level_ends.since(self.from).as_secs_f64() * self.rate).max(0.0);
            self.from = self.level_ends;
            self.begin_level();
            self.find_next();
        }
        self.next.filter(|at| *at <= to)
    }

    /// The work of the one that arrives next; the gap behind it is drawn.
    #[inline]
    pub fn arrive(&mut self) -> f64 {
        let size = self.law.size.draw(&mut self.streams.sizes);
        if let Some(at) = self.next.take() {
            self.from = at;
            self.draw_gap();
        }
        size
    }

    /// Rate left to a sender at the last instant that was asked for \[work/s\].
    pub fn level(&self) -> f64 {
        self.level
    }

    /// Until when that is so.
    pub fn level_ends(&self) -> SimTime {
        self.level_ends
    }

    /// Law of the extraneous work.
    pub fn law(&self) -> &ExtraneousLaw {
        &self.law
    }

    /// Draws what is left to a sender from `from` on.
    fn begin_level(&mut self) {
        let ExtraneousLaw { capacity, actual, spread, .. } = &self.law;
        if let Some(Spread { deviation, every }) = spread {
            self.level = (actual + deviation * normal_quantile(self.streams.levels.open01()))
                .clamp(LEAST_SHARE * capacity, *capacity);
            self.level_ends = self.from.saturating_add(*every);
        }
        self.rate = ((capacity - self.level) / self.mean_size).max(0.0);
    }

    #[inline]
    fn draw_gap(&mut self) {
        self.gap = self.law.gaps.draw(&mut self.streams.arrivals) / self.gap_mean;
        self.find_next();
    }

    /// A gap passes as fast as the rate of the moment is high.
    #[inline]
    fn find_next(&mut self) {
        self.next = None;
        if self.rate > 0.0 {
            let at = self.from.checked_add(SimDuration::ceil_secs(self.gap / self.rate));
            self.next = at.filter(|at| *at < self.level_ends);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::Streams;
    use crate::kernel::rng::distribution::Exponential;

    fn of(actual: f64, spread: Option<Spread>) -> Extraneous {
        let size = Sampler::new(Exponential::new(10.0).expect("positive"));
        let gaps = Sampler::new(Exponential::new(3.0).expect("positive"));
        let law = ExtraneousLaw { capacity: 100.0, actual, size, gaps, spread };
        Extraneous::new(law, ExtraneousStreams::new(&Streams::new(7, 0), "q"))
    }

    /// Arrivals in 10^4 seconds, and their work.
    fn by_the_end(extraneous: &mut Extraneous) -> (f64, f64) {
        let end = SimTime::from_secs(10_000).expect("in range");
        let (mut count, mut work) = (0.0, 0.0);
        while extraneous.next_by(end).is_some() {
            count += 1.0;
            work += extraneous.arrive();
        }
        (count, work)
    }

    #[test]
    fn others_take_what_is_not_left_to_a_sender() {
        // 6 a second of 10 each: 60 of 100, whatever the mean of the gaps is written as
        let (count, work) = by_the_end(&mut of(40.0, None));
        assert!(
            (count / 60_000.0 - 1.0).abs() < 0.01 && (work / 600_000.0 - 1.0).abs() < 0.02,
            "{count} {work}"
        );
        // levels whose mean is 40
        let spread = Spread { deviation: 10.0, every: SimDuration::from_secs(1) };
        let (count, _) = by_the_end(&mut of(40.0, Some(spread)));
        assert!((count / 60_000.0 - 1.0).abs() < 0.01, "{count}");
    }

    #[test]
    fn all_is_left_to_a_sender_without_others() {
        let mut none = of(100.0, None);
        assert_eq!(none.next_by(SimTime::MAX), None);
        let spread = Spread { deviation: 0.0, every: SimDuration::from_secs(60) };
        let mut none = of(130.0, Some(spread));
        assert_eq!(none.next_by(SimTime::from_nanos(1 << 45)), None);
        assert!((none.level() - 100.0).abs() < 1e-9);
    }

    #[test]
    fn when_one_is_asked_changes_no_draw() {
        let spread = Spread { deviation: 30.0, every: SimDuration::from_millis(700) };
        let (mut often, mut once) = (of(40.0, Some(spread.clone())), of(40.0, Some(spread)));
        let end = SimTime::from_nanos(20_000_000_000);
        let mut seen = Vec::new();
        for nanos in (0..20_000_000_000).step_by(10_000_000) {
            while let Some(at) = often.next_by(SimTime::from_nanos(nanos)) {
                seen.push((at, often.arrive().to_bits()));
            }
        }
        while let Some(at) = often.next_by(end) {
            seen.push((at, often.arrive().to_bits()));
        }
        for (at, size) in seen {
            assert_eq!((once.next_by(end), once.arrive().to_bits()), (Some(at), size));
        }
        assert_eq!(once.next_by(end), None);
    }
}
