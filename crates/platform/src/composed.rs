//! Composed traces: one trace until an instant, then another that begins there.
//!
//! Each piece has a clock of its own, which shows nothing at the instant at which the piece begins;
//! so a circular series begins with whatever [offset](Trace::offset) it has.

use crate::kernel::SimTime;

use super::points::Segment;
use super::trace::Trace;

/// Traces and the instants from which they hold; the first one holds from the beginning.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pieces(Vec<(u64, Trace)>);

impl Pieces {
    pub(super) fn one(trace: Trace) -> Self {
        Pieces(vec![(0, trace)])
    }

    /// With another one from `at` on, in place of all that would begin then or later.
    pub(super) fn then(mut self, at: u64, next: Trace) -> Self {
        self.0.retain(|(from, _)| *from < at);
        self.0.push((at, next));
        self
    }

    /// The traces, in order.
    pub(super) fn traces(&self) -> impl Iterator<Item = &Trace> {
        self.0.iter().map(|(_, trace)| trace)
    }

    /// The same, each with when it begins.
    pub(super) fn parts(&self) -> impl Iterator<Item = (u64, &Trace)> {
        self.0.iter().map(|(from, trace)| (*from, trace))
    }

    /// The trace that holds in the end.
    pub(super) fn last(&self) -> &Trace {
        &self.0[self.0.len() - 1].1
    }

    /// The trace that holds first.
    pub(super) fn first_mut(&mut self) -> &mut Trace {
        &mut self.0[0].1
    }

    pub(super) fn map(&self, change: impl Fn(&Trace) -> Trace) -> Self {
        Pieces(self.0.iter().map(|(from, trace)| (*from, change(trace))).collect())
    }

    /// The piece that holds: when it began, the trace, and when the next one begins.
    fn at(&self, at: u64) -> (u64, &Trace, Option<u64>) {
        let place = self.0.partition_point(|(from, _)| *from <= at).max(1) - 1;
        let (from, trace) = &self.0[place];
        (*from, trace, self.0.get(place + 1).map(|(next, _)| *next))
    }

    pub(super) fn segment(&self, at: u64) -> Segment {
        let (from, trace, next) = self.at(at);
        let own = SimTime::from_nanos(at - from);
        let changes = trace.next_change(own).and_then(|change| change.as_nanos().checked_add(from));
        let until = match (changes, next) {
            (Some(change), Some(next)) => Some(change.min(next)),
            (change, next) => change.or(next),
        };
        Segment { value: trace.value_at(own), until }
    }

    /// As `Trace::least_at`.
    pub(super) fn least_at(&self, at: u64) -> f64 {
        let (from, trace, _) = self.at(at);
        trace.least_at(SimTime::from_nanos(at - from))
    }

    /// As `Trace::integral`.
    pub(super) fn integral(&self, from: u64, to: u64) -> f64 {
        let (mut at, mut gathered) = (from, 0.0);
        while at < to {
            let (begun, trace, next) = self.at(at);
            let end = next.map_or(to, |next| next.min(to));
            let [own, until] = [at, end].map(|instant| SimTime::from_nanos(instant - begun));
            gathered += trace.integral(own, until);
            at = end;
        }
        gathered
    }

    /// As `Trace::finish`; the last instant stands for what ends after it.
    pub(super) fn finish(&self, mut at: u64, mut left: f64) -> Option<u64> {
        loop {
            let (begun, trace, next) = self.at(at);
            let own = SimTime::from_nanos(at - begun);
            let end = trace.finish(own, left).map(|end| end.as_nanos().saturating_add(begun));
            let Some(next) = next else { return end };
            if let Some(end) = end.filter(|end| *end <= next) {
                return Some(end);
            }
            left -= trace.integral(own, SimTime::from_nanos(next - begun));
            // what rounding leaves of work that is done when the piece ends
            if left <= 0.0 {
                return Some(next);
            }
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::SimDuration;

    fn secs(secs: f64) -> SimTime {
        SimTime::ZERO + SimDuration::ceil_secs(secs)
    }

    fn series(values: &[f64], start: u64) -> Trace {
        let series = Trace::series(values, SimDuration::from_secs(5)).expect("a series");
        series.offset(SimDuration::from_secs(5 * start))
    }

    /// 5 s at 0.5, 5 s at 0, 5 s at 1, and again: 2.5, 2.5, 7.5, 10, 10, and 2 s at 1 make 12.
    #[test]
    fn work_under_a_circular_series_ends_exactly() {
        let host = series(&[1.0, 0.5, 0.0], 1);
        assert_eq!(host.finish(SimTime::ZERO, 12.0), Some(secs(27.0)));
        assert_eq!(series(&[1.0, 0.5, 0.0], 4).finish(SimTime::ZERO, 12.0), Some(secs(27.0)));
        assert_eq!(series(&[0.25], 7).next_change(SimTime::ZERO), None);
    }

    #[test]
    fn a_trace_is_followed_by_another_that_begins_with_its_own_offset() {
        let host = Trace::constant(0.5).then(secs(100.0), series(&[1.0, 0.5, 0.0], 1));
        let values = [99.0, 100.0, 104.0, 105.0, 110.0, 115.0].map(|at| host.value_at(secs(at)));
        assert_eq!(format!("{values:?}"), "[0.5, 0.5, 0.5, 0.0, 1.0, 0.5]");
        assert_eq!(host.finish(secs(90.0), 5.0 + 12.0), Some(secs(127.0)));
        assert_eq!(host.finish(secs(90.0), 5.0), Some(secs(100.0)));
        assert_eq!(host.integral(secs(90.0), secs(127.0)).to_bits(), 17.0_f64.to_bits());
        let changes = std::iter::successors(Some(secs(3.0)), |at| host.next_change(*at));
        let changes: Vec<u64> = changes.map(|at| at.as_nanos() / 1_000_000_000).take(5).collect();
        assert_eq!(changes, [3, 100, 105, 110, 115]);
        // absent from 120 s to 200 s
        let away = host.then(secs(120.0), Trace::constant(0.0)).then(secs(200.0), Trace::constant(1.0));
        assert_eq!(away.finish(secs(115.0), 3.5), Some(secs(201.0)));
        assert_eq!(away.clone().then(secs(130.0), Trace::constant(0.0)).finish(secs(125.0), 1.0), None);
        assert_eq!((away.least(), away.times(4.0).value_at(secs(300.0))), (0.0, 4.0));
        let later = away.offset(SimDuration::from_secs(100));
        assert_eq!(later.next_change(SimTime::ZERO), Some(secs(5.0)));
    }

    proptest! {
        #[test]
        fn a_composed_trace_is_integrated_as_the_same_points_are(
            first in prop::collection::vec(0_u32..4, 1..5),
            second in prop::collection::vec(0_u32..4, 1..5),
            [start, cut] in [0_u64..9, 1_u64..100],
            [from, work] in [0.0_f64..150.0, 0.001..60.0],
        ) {
            let [first, second] = [first, second].map(|values| values.into_iter().map(|v| f64::from(v) / 4.0).collect::<Vec<_>>());
            let cut_at = secs(cut as f64);
            let composed = series(&first, start).then(cut_at, series(&second, start + 1));
            // the same values, second by second
            let value = |second_of: u64| match second_of.checked_sub(cut) {
                None => first[((second_of / 5 + start) as usize) % first.len()],
                Some(since) => second[((since / 5 + start + 1) as usize) % second.len()],
            };
            let points: Vec<(SimTime, f64)> = (0..4_000).map(|at| (secs(at as f64), value(at))).collect();
            let plain = Trace::new(&points, None).expect("a trace");
            let from = secs(from);
            let until = secs(170.0);
            prop_assert!((composed.integral(from, until) - plain.integral(from, until)).abs() < 1e-9);
            prop_assert_eq!(composed.value_at(from).to_bits(), plain.value_at(from).to_bits());
            match plain.finish(from, work).filter(|end| *end < secs(3_900.0)) {
                None => {}
                Some(end) => {
                    let found = composed.finish(from, work).expect("it ends");
                    prop_assert!(found.max(end).since(found.min(end)).as_nanos() <= 1, "{:?} {:?}", found, end);
                }
            }
        }
    }
}
