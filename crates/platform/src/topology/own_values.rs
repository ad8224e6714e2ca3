//! Values that many links of one kind have each for itself.
//!
//! The links of a mesh are some million, and only values differ between them: a bandwidth or a
//! latency that is drawn or stated, or the streams from which a load is drawn again and again. That
//! is 8 bytes a link and property.

use std::borrow::Cow;

use crate::Trace;
use crate::kernel::SimTime;
use crate::kernel::rng::KeyedStreams;
use crate::links::Link;
use crate::topology::links::Factors;

/// Values of links that are otherwise like one; a property in which none differs takes no room.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnValues {
    count: usize,
    /// The bandwidth; of one that changes, its factor.
    bandwidths: Vec<f64>,
    /// The latency; of one that changes, its factor.
    latencies: Vec<f64>,
    /// Streams of a bandwidth that is drawn again and again.
    streams: Vec<KeyedStreams>,
}

impl OwnValues {
    /// Values of so many links, which are all alike.
    pub(super) fn of_many(count: usize) -> Self {
        OwnValues { count, ..OwnValues::default() }
    }

    /// The link at this place, where all are otherwise like `like`.
    pub(super) fn of<'a>(&self, like: &'a Link, at: usize) -> Cow<'a, Link> {
        let (bandwidth, latency) = (self.bandwidths.get(at), self.latencies.get(at));
        let streams = self.streams.get(at);
        if bandwidth.is_none() && latency.is_none() && streams.is_none() {
            return Cow::Borrowed(like);
        }
        let mut link = like.clone();
        if let Some(&streams) = streams {
            link.bandwidth = link.bandwidth.with_streams(streams);
        }
        if let Some(&bandwidth) = bandwidth {
            link.bandwidth = link.bandwidth.with(bandwidth);
        }
        if let Some(&latency) = latency {
            link.latency = link.latency.with(latency);
        }
        Cow::Owned(link)
    }

    /// Leaves to a link what is available of its bandwidth, which no longer changes otherwise.
    pub(super) fn leave(&mut self, like: &mut Link, at: usize, available: &Trace) {
        let Some(streams) = available.streams() else { return self.draw(like, at, available) };
        if self.streams.is_empty() {
            let bandwidth = like.bandwidth.value_at(SimTime::ZERO);
            let are_equal = self.bandwidths.is_empty();
            like.bandwidth = if are_equal { available.times(bandwidth) } else { available.clone() };
            self.streams = vec![streams; self.count];
        }
        self.streams[at] = streams;
    }

    /// Multiplies the bandwidth of a link by the value of a constant.
    pub(super) fn draw(&mut self, like: &mut Link, at: usize, drawn: &Trace) {
        let bandwidth = like.bandwidth.value_at(SimTime::ZERO);
        filled(&mut self.bandwidths, self.count, bandwidth)[at] *= drawn.value_at(SimTime::ZERO);
        like.bandwidth = drawn.clone().with(bandwidth);
    }

    /// Multiplies the properties of a link.
    pub(super) fn scale(&mut self, like: &Link, at: usize, factors: Factors) {
        let scaled = |values: &mut Vec<f64>, like: &Trace, factor: Option<f64>| {
            let Some(factor) = factor else { return };
            let changes = like.next_change(SimTime::ZERO).is_some();
            let value = if changes { 1.0 } else { like.value_at(SimTime::ZERO) };
            filled(values, self.count, value)[at] *= factor;
        };
        scaled(&mut self.bandwidths, &like.bandwidth, factors.bandwidth);
        scaled(&mut self.latencies, &like.latency, factors.latency);
    }
}

/// The values; one of `count` that are equal if there were none.
fn filled(values: &mut Vec<f64>, count: usize, value: f64) -> &mut [f64] {
    if values.is_empty() {
        *values = vec![value; count];
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimDuration;
    use crate::kernel::rng::distribution::Uniform;
    use crate::kernel::rng::{Sampler, Streams};
    use crate::sharing::LinkId;
    use crate::topology::Links;
    use crate::{Load, Varying};

    /// Five hosts: a link for each ordered pair, kept as pairs or one by one under the same names.
    fn both() -> [Links; 2] {
        let (mut pairs, mut single) = (Links::default(), Links::default());
        pairs.add_pairs("m", 5, 2, Link::new(2e6, 0.1)).expect("free names");
        for number in 0..20 {
            single.add(pairs.name(LinkId::new(number)).into_owned(), Link::new(2e6, 0.1));
        }
        [pairs, single]
    }

    fn uniform(low: f64, high: f64) -> Sampler {
        Sampler::new(Uniform::new(low, high).expect("a law"))
    }

    #[test]
    fn links_made_when_asked_for_are_those_that_are_kept() {
        let streams = Streams::new(3, 1);
        let bandwidths = Varying::new(uniform(1.0, 2.0), None, [1.0, 2.0]);
        for (every, drawn, scaled) in (0..8).map(|bits| (bits & 1 > 0, bits & 2 > 0, bits & 4 > 0)) {
            let every = every.then(|| SimDuration::from_secs(10));
            let load = Load::new(uniform(0.0, 0.5), every);
            let made = both().map(|mut links| {
                let ids = || (0..20).map(LinkId::new);
                for id in ids().filter(|_| drawn) {
                    let own = bandwidths.bandwidth(&streams, links.written(id));
                    links.draw(id, &own);
                }
                for id in ids() {
                    let left = load.availability(&streams, links.written(id));
                    links.leave(id, &left);
                }
                if scaled {
                    let factors = |name: &str, _: &Link| -> Result<Factors, ()> {
                        let factor = streams.stream(name).uniform01() + 0.5;
                        Ok(Factors { bandwidth: Some(factor), latency: Some(1.0 / factor) })
                    };
                    links.scale(factors).expect("factors");
                }
                links
            });
            let [pairs, single] = &made;
            assert!(pairs == single, "{every:?} {drawn} {scaled}");
            assert!(pairs.iter().all(|link| link.bandwidth.is_drawn()));
            assert!(pairs.get(3) != pairs.get(4));
            assert_eq!((pairs.kinds().count(), single.kinds().count()), (1, 20));
        }
    }

    #[test]
    fn a_link_takes_eight_bytes_for_each_property_of_its_own() {
        let mut values = OwnValues::of_many(1_000);
        let mut like = Link::new(1e6, 0.1);
        let room = |values: &OwnValues| {
            [values.bandwidths.capacity(), values.latencies.capacity(), values.streams.capacity()]
        };
        assert_eq!(room(&values), [0; 3]);
        let load = |every| Load::new(uniform(0.0, 0.5), every).availability(&Streams::new(1, 0), "link");
        values.draw(&mut like, 999, &load(None));
        assert_eq!(room(&values), [1_000, 0, 0]);
        values.leave(&mut like, 0, &load(Some(SimDuration::from_secs(1))));
        assert_eq!(room(&values), [1_000, 0, 1_000]);
        assert_eq!((size_of::<f64>(), size_of::<KeyedStreams>()), (8, 8));
    }
}
