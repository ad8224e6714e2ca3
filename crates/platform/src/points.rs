//! The points of a trace: a step function that ends with its last value or repeats, integrated and
//! inverted in O(log n).
//!
//! All instants are on the trace's own clock, and none of those that are asked about is before the
//! first point.

use crate::kernel::SimDuration;

/// The points of a trace, at least one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Points {
    /// Instants of the points, rising, on the trace's own clock; a state may have two at one
    /// instant.
    pub(super) times: Vec<u64>,
    pub(super) values: Vec<f64>,
    /// Value times seconds from the first point to each.
    pub(super) gathered: Vec<f64>,
    /// After how long the points repeat, if they do, and value times seconds of that.
    pub(super) round: Option<(u64, f64)>,
}

/// The present segment of the trace: the value, and its end on the trace's own clock.
pub(super) struct Segment {
    pub(super) value: f64,
    pub(super) until: Option<u64>,
}

impl Points {
    pub(super) fn round_of(&self, periodicity: SimDuration) -> Option<(u64, f64)> {
        let (first, last) = (self.times.first()?, self.times.last()?);
        let length = (last - first).checked_add(periodicity.as_nanos())?;
        let gathered = self.gathered.last()? + self.values.last()? * periodicity.as_secs_f64();
        (periodicity > SimDuration::ZERO).then_some((length, gathered))
    }

    pub(super) fn mean(&self) -> f64 {
        let last = self.times.len() - 1;
        let (length, gathered) =
            self.round.unwrap_or((self.times[last] - self.times[0], self.gathered[last]));
        if length == 0 { self.values[last] } else { gathered / seconds(length) }
    }

    /// Nanoseconds from one point to the next, on the whole.
    pub(super) fn usual_interval(&self) -> Option<u64> {
        let count = self.times.len() as u64;
        let once = || self.times[self.times.len() - 1] - self.times[0];
        let length = self.round.map_or_else(once, |(length, _)| length);
        (length > 0).then_some(length / count)
    }

    /// As `Trace::integral`, from the first point on and on the trace's own clock.
    pub(super) fn gathered_between(&self, from: u64, to: u64) -> f64 {
        let Segment { value, until } = self.segment(from);
        if until.is_none_or(|until| to <= until) {
            return value * seconds(to - from);
        }
        let (rounds_from, gathered_from) = self.gathered_at(from);
        let (rounds_to, gathered_to) = self.gathered_at(to);
        let of_round = self.round.map_or(0.0, |(_, gathered)| gathered);
        (rounds_to - rounds_from) as f64 * of_round + (gathered_to - gathered_from)
    }

    /// Whole rounds from the first point to `at`, and what was gathered in the round that is not
    /// yet whole.
    fn gathered_at(&self, at: u64) -> (u64, f64) {
        let (rounds, into, index) = self.place(at);
        let since = into - (self.times[index] - self.times[0]);
        (rounds, self.gathered[index] + self.values[index] * seconds(since))
    }

    /// As `Trace::finish`, on the trace's own clock, from an instant at which a point is.
    pub(super) fn finish(&self, mut at: u64, mut left: f64) -> Option<u64> {
        let (_, into, mut index) = self.place(at);
        if let Some((length, of_round)) = self.round {
            let rest = of_round - self.gathered[index];
            if left > rest {
                left -= rest;
                at = at.checked_add(length - into)?;
                index = 0;
                if of_round <= 0.0 {
                    return None;
                }
                // work that ends with a round ends in it, and not after the zeros at the head of
                // the next
                let rounds = ((left / of_round).ceil() - 1.0).max(0.0);
                left -= rounds * of_round;
                at = at.checked_add((rounds as u64).checked_mul(length)?)?;
            }
        }
        let begun = self.gathered[index];
        let ahead = self.gathered[index..].partition_point(|gathered| gathered - begun < left);
        let last = index + ahead.saturating_sub(1);
        at = at.checked_add(self.times[last] - self.times[index])?;
        when(at, left - (self.gathered[last] - begun), self.values[last])
    }

    /// Whole rounds before `at`, time into the round, and the point that holds; `at` is not before
    /// the first point.
    fn place(&self, at: u64) -> (u64, u64, usize) {
        let first = self.times[0];
        let since = at - first;
        let (rounds, into) = match self.round {
            Some((length, _)) => (since / length, since % length),
            None => (0, since),
        };
        (rounds, into, self.times.partition_point(|time| time - first <= into) - 1)
    }

    /// The least value of the points at `at`, or that which holds then; `at` is not before the
    /// first point.
    pub(super) fn least_at(&self, at: u64) -> f64 {
        let (_, into, index) = self.place(at);
        let holds = self.values[index];
        match index.checked_sub(1) {
            Some(before)
                if self.times[before] == self.times[index] && self.times[index] - self.times[0] == into =>
            {
                holds.min(self.values[before])
            }
            _ => holds,
        }
    }

    /// The segment of the trace at `at`, which is not before the first point.
    pub(super) fn segment(&self, at: u64) -> Segment {
        let (_, into, index) = self.place(at);
        let end = match self.times.get(index + 1) {
            Some(next) => Some(next - self.times[0]),
            None => self.round.map(|(length, _)| length),
        };
        Segment { value: self.values[index], until: end.and_then(|end| at.checked_add(end - into)) }
    }
}

/// The instant at which `left` is done at `value` from `at` on; `None` if never.
pub(super) fn when(at: u64, left: f64, value: f64) -> Option<u64> {
    if value <= 0.0 {
        return None;
    }
    at.checked_add(SimDuration::ceil_ratio(left, value).as_nanos())
}

pub(super) fn seconds(nanos: u64) -> f64 {
    SimDuration::from_nanos(nanos).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use crate::kernel::{SimDuration, SimTime};
    use crate::{Trace, TraceError};

    fn secs(secs: f64) -> SimTime {
        SimTime::ZERO + SimDuration::ceil_secs(secs)
    }

    /// Up from the start, down from 2 s to 3 s, down and up at 5 s; again after 10 s.
    #[test]
    fn a_state_that_leaves_and_returns_at_one_instant_is_down_for_no_time() {
        let points = [(0.0, 1.0), (2.0, 0.0), (3.0, 1.0), (5.0, 0.0), (5.0, 1.0)];
        let points = points.map(|(at, state)| (secs(at), state));
        assert_eq!(Trace::new(&points, None), Err(TraceError::NotRising(4)));
        let state = Trace::states(&points, Some(SimDuration::from_secs(5))).expect("a state");
        let seen = [0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 12.0, 15.0, 16.0].map(|at| {
            let at = secs(at);
            (state.value_at(at) > 0.0, state.least_at(at) > 0.0)
        });
        let (up, down, returns) = ((true, true), (false, false), (true, false));
        assert_eq!(seen, [up, down, up, up, returns, up, down, returns, up]);
        assert_eq!(state.next_change(secs(3.0)), Some(secs(5.0)));
        assert_eq!(state.integral(secs(0.0), secs(20.0)).to_bits(), 18.0_f64.to_bits());
        assert_eq!(state.finish(secs(4.0), 2.0), Some(secs(6.0)));
        let later = Trace::constant(1.0).then(secs(100.0), state.offset(SimDuration::from_secs(1)));
        assert_eq!([103.0, 104.0, 105.0].map(|at| later.least_at(secs(at)) > 0.0), [true, false, true]);
        let ends = [(secs(5.0), 1.0), (secs(5.0), 0.0)];
        assert_eq!(Trace::states(&ends, None), Err(TraceError::NotRising(1)));
    }
}
