//! The least of several values at each instant: the bandwidth of a route of several links.

use crate::kernel::SimTime;

use super::block_sums::BlockSums;
use super::points::{Segment, when};
use super::trace::Trace;

/// The least of several traces at each instant.
#[derive(Debug)]
pub struct LeastOf {
    /// Traces that may be the least, at least one.
    traces: Vec<Trace>,
    /// Greatest value that there may be.
    greatest: f64,
    blocks: BlockSums<()>,
}

impl LeastOf {
    /// The least of these.
    ///
    /// # Panics
    /// If there are none.
    pub fn new(mut traces: Vec<Trace>) -> Self {
        let bounds: Vec<[f64; 2]> = traces.iter().map(|trace| [trace.least(), greatest(trace)]).collect();
        let mut place = 0;
        traces.retain(|_| {
            place += 1;
            !is_never_alone(&bounds, place - 1)
        });
        assert!(!traces.is_empty(), "the least of nothing");
        let interval = traces.iter().filter_map(Trace::usual_interval).min();
        LeastOf {
            greatest: traces.iter().map(greatest).fold(f64::INFINITY, f64::min),
            traces,
            blocks: BlockSums::of_changes(interval.unwrap_or(u64::MAX)),
        }
    }

    /// As [`Trace::finish`]; `None` also for what is 0 for very many changes.
    ///
    /// # Complexity
    /// O(n) for n changes when they are met for the first time; then a step for every 256 of them.
    pub fn finish(&self, from: SimTime, work: f64) -> Option<SimTime> {
        if let [only] = &self.traces[..] {
            return only.finish(from, work);
        }
        if work <= 0.0 {
            return Some(from);
        }
        if self.greatest > 0.0 && when(from.as_nanos(), work, self.greatest).is_none_or(|end| end == u64::MAX)
        {
            return Some(SimTime::MAX);
        }
        self.blocks.finish((), from.as_nanos(), work, |at| self.segment(at)).map(SimTime::from_nanos)
    }

    fn segment(&self, at: u64) -> Segment {
        let at = SimTime::from_nanos(at);
        let until = self.traces.iter().filter_map(|trace| trace.next_change(at)).min();
        Segment {
            value: self.traces.iter().map(|trace| trace.value_at(at)).fold(f64::INFINITY, f64::min),
            until: until.map(SimTime::as_nanos),
        }
    }
}

fn greatest(trace: &Trace) -> f64 {
    trace.values().fold(0.0, f64::max)
}

/// Returns true if another trace is never above the one at this place; of two that are equal the
/// first counts. `bounds` has the least and the greatest value of each.
fn is_never_alone(bounds: &[[f64; 2]], place: usize) -> bool {
    let [least, greatest] = bounds[place];
    bounds.iter().enumerate().any(|(other, [other_least, other_greatest])| {
        let is_mutual = greatest <= *other_least;
        *other_greatest <= least && if is_mutual { other < place } else { other != place }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Varying;
    use crate::kernel::SimDuration;
    use crate::kernel::rng::Streams;
    use crate::kernel::rng::distribution::{Sampler, Uniform};

    fn secs(secs: f64) -> SimTime {
        SimTime::ZERO + SimDuration::ceil_secs(secs)
    }

    fn drawn(name: &str, every: f64) -> Trace {
        let law = Sampler::new(Uniform::new(0.5, 2.0).expect("a law"));
        Varying::new(law, Some(SimDuration::ceil_secs(every)), [0.1, 3.0])
            .bandwidth(&Streams::new(4, 0), name)
    }

    /// Every change one by one.
    fn walked(traces: &[Trace], from: SimTime, work: f64) -> SimTime {
        let (mut at, mut left) = (from, work);
        loop {
            let value = traces.iter().map(|trace| trace.value_at(at)).fold(f64::INFINITY, f64::min);
            let until = traces.iter().filter_map(|trace| trace.next_change(at)).min().expect("it changes");
            let end = at + SimDuration::ceil_ratio(left, value);
            if end <= until {
                return end;
            }
            left -= value * until.since(at).as_secs_f64();
            at = until;
        }
    }

    proptest! {
        #[test]
        fn work_ends_as_by_every_change_of_each(from in 0.0..9_000.0, work in 0.1..9_000.0, every in 1.0..9.0) {
            let traces = vec![drawn("a", every), Trace::constant(1.2), drawn("b", 3.0)];
            let least = LeastOf::new(traces.clone());
            let (from, work) = (secs(from), work);
            let (end, right) = (least.finish(from, work).expect("it ends"), walked(&traces, from, work));
            prop_assert!(end.max(right).since(end.min(right)).as_nanos() <= 1, "{end:?} {right:?}");
            prop_assert_eq!(least.finish(from, work), Some(end));
        }
    }

    #[test]
    fn what_is_never_the_least_does_not_count() {
        let of = |traces: &[f64]| LeastOf::new(traces.iter().map(|value| Trace::constant(*value)).collect());
        assert_eq!(
            [of(&[3.0, 2.0, 2.0]), of(&[2.0, 5.0])].map(|least| least.traces),
            [(); 2].map(|()| vec![Trace::constant(2.0)])
        );
        let with = |other: f64| LeastOf::new(vec![Trace::constant(other), drawn("a", 5.0)]).traces.len();
        assert_eq!([0.05, 0.1, 2.0, 3.0, 9.0].map(with), [1, 1, 2, 1, 1]);
        assert_eq!(of(&[0.0, 2.0]).finish(secs(1.0), 1.0), None);
        assert_eq!(of(&[1.0, 2.0]).finish(secs(1.0), 1e300), Some(SimTime::MAX));
    }

    #[test]
    fn values_that_are_0_in_turn_are_never_done() {
        let every = |state: [f64; 2]| Trace::series(&state, SimDuration::from_secs(1)).expect("a series");
        let least = LeastOf::new(vec![every([0.0, 1.0]), every([1.0, 0.0])]);
        assert_eq!(least.finish(SimTime::ZERO, 1.0), None);
    }
}
