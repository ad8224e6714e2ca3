//! Values that are drawn, one for each interval of a fixed length.
//!
//! The value of an interval is a pure function of its number and of the streams it draws from:
//! any instant may be asked about in any order. Kept are sums of what was drawn ([`BlockSums`]),
//! and no values.

use std::sync::Arc;

use crate::kernel::SimDuration;
use crate::kernel::rng::{KeyedStreams, Moments, Sampler};

use super::block_sums::BlockSums;
use super::points::Segment;

/// The share that a load leaves at least, unless something else is said.
pub(super) const LEAST_LEFT: f64 = 0.02;

/// The share of 1 that a load leaves.
pub(super) fn left_by(load: f64) -> f64 {
    (1.0 - load).clamp(LEAST_LEFT, 1.0)
}

/// The reading of a drawn value: as a load, or as the value itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Meaning {
    /// A load: the value is what it leaves of 1.
    Load { least: f64 },
    /// The value itself, within bounds.
    Itself { bounds: [f64; 2] },
}

/// Values that are drawn, one for each interval. Many hosts or links share one rule and differ in
/// their streams.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Drawn {
    pub(super) streams: KeyedStreams,
    rule: Arc<Rule>,
}

/// The rule by which values are drawn, and for how long each holds.
#[derive(Clone, Debug)]
struct Rule {
    law: Sampler,
    meaning: Meaning,
    /// The length of an interval; none if one value holds for ever.
    every: Option<u64>,
    /// By the streams that they were drawn from.
    sums: BlockSums<KeyedStreams>,
    scale: f64,
    /// The least and the greatest value that there may be.
    bounds: [f64; 2],
}

impl PartialEq for Rule {
    /// Distributions are equal if they are the same one.
    fn eq(&self, other: &Self) -> bool {
        let terms = |rule: &Rule| (rule.every, rule.scale.to_bits());
        terms(self) == terms(other) && self.meaning == other.meaning && self.law.is(&other.law)
    }
}

impl Drawn {
    pub(super) fn new(
        law: &Sampler,
        streams: KeyedStreams,
        every: Option<SimDuration>,
        meaning: Meaning,
    ) -> Self {
        let bounds = match meaning {
            Meaning::Load { least } => [least, 1.0],
            Meaning::Itself { bounds } => bounds,
        };
        let every = every.map(SimDuration::as_nanos);
        let (law, sums) = (law.clone(), BlockSums::of_changes(every.unwrap_or(u64::MAX)));
        Drawn { streams, rule: Arc::new(Rule { law, meaning, every, sums, scale: 1.0, bounds }) }
    }

    pub(super) fn times(&self, times: f64) -> Self {
        let rule = &*self.rule;
        let (scale, bounds) = (rule.scale * times, rule.bounds.map(|bound| bound * times));
        Drawn { streams: self.streams, rule: Arc::new(Rule { scale, bounds, ..rule.clone() }) }
    }

    /// The least and the greatest value that there may be.
    pub(super) fn bounds(&self) -> &[f64; 2] {
        &self.rule.bounds
    }

    /// Returns true if a draw may differ from another.
    pub(super) fn varies(&self) -> bool {
        self.rule.law.varies()
    }

    /// The value that holds for ever, if there is one.
    pub(super) fn only(&self) -> Option<f64> {
        match (self.rule.every, self.rule.meaning) {
            // as it is stated, and it may be 0
            (_, Meaning::Itself { bounds }) if !self.varies() => {
                Some(self.rule.law.mean().unwrap_or(0.0).min(bounds[1]) * self.rule.scale)
            }
            (None, _) => Some(self.value(0)),
            _ => None,
        }
    }

    fn meant(&self, drawn: f64) -> f64 {
        match self.rule.meaning {
            Meaning::Load { least } => (1.0 - drawn).clamp(least, 1.0),
            Meaning::Itself { bounds: [least, greatest] } => drawn.clamp(least, greatest),
        }
    }

    /// The value in the interval of this number.
    fn value(&self, interval: u64) -> f64 {
        self.meant(self.rule.law.draw(&mut self.streams.of(&[interval]))) * self.rule.scale
    }

    /// The value that the mean of the distribution stands for.
    pub(super) fn mean(&self) -> f64 {
        self.meant(self.rule.law.mean().unwrap_or(f64::INFINITY)) * self.rule.scale
    }

    pub(super) fn segment(&self, at: u64) -> Segment {
        let Some(every) = self.rule.every else { return Segment { value: self.value(0), until: None } };
        let interval = at / every;
        Segment { value: self.value(interval), until: (interval + 1).checked_mul(every) }
    }

    /// The length of an interval; `None` if one value holds for ever.
    pub(super) fn interval(&self) -> Option<u64> {
        self.rule.every
    }

    /// Value times seconds.
    pub(super) fn integral(&self, from: u64, to: u64) -> f64 {
        self.rule.sums.integral(self.streams, from, to, |at| self.segment(at))
    }

    /// As `Trace::finish`; `None` also for what is done after the last instant.
    pub(super) fn finish(&self, at: u64, left: f64) -> Option<u64> {
        self.rule.sums.finish(self.streams, at, left, |at| self.segment(at))
    }
}
