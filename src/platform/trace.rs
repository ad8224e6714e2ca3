//! Traces: values that change at given times, for the speed of a host, the bandwidth or latency of a link, or whether they work.
//!
//! A trace is a step function. Its points `(time, value)` have rising times, and each value holds from its time on; at
//! the very instant of a point the new value holds. Before the first point the fixed value of the host or link
//! holds ([`Trace::before`]). After the last point its value holds for ever, or, with a periodicity of `p`, for `p`;
//! then the sequence begins again with its first value, so that it takes (last time - first time + `p`) to repeat.
//! A trace may be begun in its middle ([`Trace::offset`]): many hosts can share one circular trace and differ all the same.
//!
//! Work under a trace is integrated exactly: it ends when the integral of the value has reached it, rounded up to a
//! nanosecond. While the value is 0 nothing moves, and nothing is divided by it.
//!
//! Source: the trace files of SimGrid (H. Casanova, "Simgrid: a toolkit for the simulation of application scheduling",
//! CCGrid 2001), whose `PERIODICITY` and `LOOPAFTER` lines are read by [`read_trace`](super::read_trace). What holds before the
//! first point is a choice of ours.

use crate::kernel::{SimDuration, SimTime};

/// A value that changes at given times; the module's documentation has the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    before: f64,
    /// Instants of the points, rising, on the trace's own clock.
    times: Vec<u64>,
    values: Vec<f64>,
    /// Value times seconds from the first point to each.
    gathered: Vec<f64>,
    /// After how long the points repeat, if they do, and value times seconds of that.
    round: Option<(u64, f64)>,
    /// What the trace's own clock shows at the start of the run.
    offset: u64,
}

/// Why points are no trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TraceError {
    /// The point of this index, from 0, is not later than the one before it.
    #[error("point {0} is not later than the one before it")]
    NotRising(usize),
    /// The value of the point of this index is negative, infinite or not a number.
    #[error("the value of point {0} is not a number of 0 or more")]
    Value(usize),
    /// The periodicity is zero, there is nothing to repeat, or a round is longer than time.
    #[error("a periodicity needs a point before it, is above zero, and its round ends within 584 years")]
    Periodicity,
}

/// Where the trace stands: the value, and when it ends on the trace's own clock.
struct Segment {
    value: f64,
    until: Option<u64>,
}

impl Trace {
    /// The value `value` for ever.
    pub fn constant(value: f64) -> Self {
        Trace {
            before: value,
            times: Vec::new(),
            values: Vec::new(),
            gathered: Vec::new(),
            round: None,
            offset: 0,
        }
    }

    /// The step function through `points`, which repeats `periodicity` after the last of them if that is given. Before the
    /// first the value is 1, unless [`Trace::before`] says otherwise.
    ///
    /// # Errors
    /// Times that do not rise, values that are negative or no numbers, and a periodicity of zero or without points.
    pub fn new(points: &[(SimTime, f64)], periodicity: Option<SimDuration>) -> Result<Self, TraceError> {
        let mut trace = Trace::constant(1.0);
        for (index, &(time, value)) in points.iter().enumerate() {
            let time = time.as_nanos();
            if !value.is_finite() || value < 0.0 {
                return Err(TraceError::Value(index));
            }
            if let (Some(&last), Some(&gathered)) = (trace.times.last(), trace.gathered.last()) {
                if time <= last {
                    return Err(TraceError::NotRising(index));
                }
                trace.gathered.push(gathered + trace.values[index - 1] * seconds(time - last));
            } else {
                trace.gathered.push(0.0);
            }
            trace.times.push(time);
            trace.values.push(value);
        }
        trace.repeated(periodicity)
    }

    /// The same trace, which repeats `periodicity` after its last point, or never.
    ///
    /// # Errors
    /// A periodicity of zero, or without points.
    pub fn repeated(self, periodicity: Option<SimDuration>) -> Result<Self, TraceError> {
        let round = match periodicity {
            Some(periodicity) => Some(self.round_of(periodicity).ok_or(TraceError::Periodicity)?),
            None => None,
        };
        Ok(Trace { round, ..self })
    }

    fn round_of(&self, periodicity: SimDuration) -> Option<(u64, f64)> {
        let (first, last) = (self.times.first()?, self.times.last()?);
        let length = (last - first).checked_add(periodicity.as_nanos())?;
        let gathered = self.gathered.last()? + self.values.last()? * periodicity.as_secs_f64();
        (periodicity > SimDuration::ZERO).then_some((length, gathered))
    }

    /// The same trace with `value` before its first point.
    #[must_use]
    pub fn before(self, value: f64) -> Self {
        Trace { before: value, ..self }
    }

    /// The same trace with so many times each value.
    #[must_use]
    pub(super) fn times(&self, times: f64) -> Self {
        let scaled = |values: &[f64]| values.iter().map(|value| value * times).collect();
        Trace {
            before: self.before * times,
            values: scaled(&self.values),
            gathered: scaled(&self.gathered),
            round: self.round.map(|(length, gathered)| (length, gathered * times)),
            times: self.times.clone(),
            offset: self.offset,
        }
    }

    /// The same trace, begun `offset` later: at the start of the run it stands where it would have stood at `offset`.
    #[must_use]
    pub fn offset(self, offset: SimDuration) -> Self {
        Trace { offset: self.offset.saturating_add(offset.as_nanos()), ..self }
    }

    /// The same trace, moved so that its first point is at the start of the run: for measured series with absolute times.
    #[must_use]
    pub fn from_first(mut self) -> Self {
        let first = self.times.first().copied().unwrap_or(0);
        for time in &mut self.times {
            *time -= first;
        }
        self
    }

    /// Its points, on its own clock.
    pub fn points(&self) -> impl Iterator<Item = (SimTime, f64)> {
        self.times.iter().copied().map(SimTime::from_nanos).zip(self.values.iter().copied())
    }

    /// The instants of its first and last points on its own clock, if it has any.
    pub(super) fn first_and_last(&self) -> Option<(SimTime, SimTime)> {
        let (first, last) = (self.times.first()?, self.times.last()?);
        Some((SimTime::from_nanos(*first), SimTime::from_nanos(*last)))
    }

    /// Every value that it may have: that before the first point, and those of the points.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        std::iter::once(self.before).chain(self.values.iter().copied())
    }

    /// The value at `at`, that of a point at this very instant included.
    pub fn value_at(&self, at: SimTime) -> f64 {
        self.segment(self.own(at)).value
    }

    /// The instant of the first point after `at`, not at it; `None` if there is none. The value there may be the same.
    pub fn next_change(&self, at: SimTime) -> Option<SimTime> {
        let until = self.segment(self.own(at)).until?;
        until.checked_sub(self.offset).map(SimTime::from_nanos)
    }

    /// Value times seconds between two instants; 0 if `to` is not later than `from`.
    ///
    /// # Complexity
    /// O(log n) for n points, however many rounds lie between.
    pub fn integral(&self, from: SimTime, to: SimTime) -> f64 {
        let (from, to) = (self.own(from), self.own(to));
        if to <= from {
            return 0.0;
        }
        let Some(&first) = self.times.first() else { return self.before * seconds(to - from) };
        if from < first {
            let early = self.before * seconds(to.min(first) - from);
            return if to <= first { early } else { early + self.gathered_between(first, to) };
        }
        self.gathered_between(from, to)
    }

    /// As `integral`, from the first point on and on the trace's own clock.
    fn gathered_between(&self, from: u64, to: u64) -> f64 {
        let Segment { value, until } = self.segment(from);
        if until.is_none_or(|until| to <= until) {
            return value * seconds(to - from);
        }
        let (rounds_from, gathered_from) = self.gathered_at(from);
        let (rounds_to, gathered_to) = self.gathered_at(to);
        let of_round = self.round.map_or(0.0, |(_, gathered)| gathered);
        (rounds_to - rounds_from) as f64 * of_round + (gathered_to - gathered_from)
    }

    /// Whole rounds from the first point to `at`, and what was gathered in the round that is not yet whole.
    fn gathered_at(&self, at: u64) -> (u64, f64) {
        let (rounds, into, index) = self.place(at);
        let since = into - (self.times[index] - self.times[0]);
        (rounds, self.gathered[index] + self.values[index] * seconds(since))
    }

    /// The least instant by which `work` is done if it begins at `from`: the integral of the value from then on has reached it.
    /// `work` is in seconds at value 1: divide flops by the host's speed first. Rounded up to a nanosecond; `from` for no work;
    /// `None` if it is never done; the last instant if it is done after that.
    ///
    /// # Complexity
    /// O(log n) for n points, however many rounds it takes.
    pub fn finish(&self, from: SimTime, work: f64) -> Option<SimTime> {
        if work <= 0.0 {
            return Some(from);
        }
        self.finish_in_time(from, work).or_else(|| self.goes_on().then_some(SimTime::MAX))
    }

    /// As `finish`; `None` also for what is done after the last instant.
    fn finish_in_time(&self, from: SimTime, work: f64) -> Option<SimTime> {
        let mut at = self.own(from);
        let mut left = work;
        // what is under way: before the first point, and then the value that holds
        loop {
            let Segment { value, until } = self.segment(at);
            let Some(until) = until else { return self.when(at, left, value) };
            let gathered = value * seconds(until - at);
            if left <= gathered {
                return self.when(at, left, value);
            }
            left -= gathered;
            at = until;
            if self.times.first().is_some_and(|&first| at >= first) {
                break;
            }
        }
        self.finish_from_point(at, left)
    }

    /// Whether there is no last instant at which the value is above 0.
    fn goes_on(&self) -> bool {
        match (self.round, self.values.last()) {
            (Some((_, of_round)), _) => of_round > 0.0,
            (None, Some(&last)) => last > 0.0,
            (None, None) => self.before > 0.0,
        }
    }

    /// As `finish`, from an instant on the trace's own clock at which a point is.
    fn finish_from_point(&self, mut at: u64, mut left: f64) -> Option<SimTime> {
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
                // work that ends with a round ends in it, and not after the zeros at the head of the next
                let rounds = ((left / of_round).ceil() - 1.0).max(0.0);
                left -= rounds * of_round;
                at = at.checked_add((rounds as u64).checked_mul(length)?)?;
            }
        }
        let begun = self.gathered[index];
        let ahead = self.gathered[index..].partition_point(|gathered| gathered - begun < left);
        let last = index + ahead.saturating_sub(1);
        at = at.checked_add(self.times[last] - self.times[index])?;
        self.when(at, left - (self.gathered[last] - begun), self.values[last])
    }

    /// When `left` is done at `value` from `at` on, on the run's clock.
    fn when(&self, at: u64, left: f64, value: f64) -> Option<SimTime> {
        if value <= 0.0 {
            return None;
        }
        let span = SimDuration::ceil_secs(left / value);
        let end = at.checked_add(span.as_nanos()).filter(|&end| end < u64::MAX)?;
        Some(SimTime::from_nanos(end.saturating_sub(self.offset)))
    }

    /// The trace's own clock.
    fn own(&self, at: SimTime) -> u64 {
        at.as_nanos().saturating_add(self.offset)
    }

    /// Whole rounds before `at`, time into the round, and the point that holds; `at` is not before the first point.
    fn place(&self, at: u64) -> (u64, u64, usize) {
        let first = self.times[0];
        let since = at - first;
        let (rounds, into) = match self.round {
            Some((length, _)) => (since / length, since % length),
            None => (0, since),
        };
        (rounds, into, self.times.partition_point(|time| time - first <= into) - 1)
    }

    fn segment(&self, at: u64) -> Segment {
        let Some(&first) = self.times.first() else { return Segment { value: self.before, until: None } };
        if at < first {
            return Segment { value: self.before, until: Some(first) };
        }
        let (_, into, index) = self.place(at);
        let end = match self.times.get(index + 1) {
            Some(next) => Some(next - first),
            None => self.round.map(|(length, _)| length),
        };
        Segment { value: self.values[index], until: end.and_then(|end| at.checked_add(end - into)) }
    }
}

fn seconds(nanos: u64) -> f64 {
    SimDuration::from_nanos(nanos).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: f64) -> SimTime {
        SimTime::ZERO + SimDuration::ceil_secs(secs)
    }

    fn trace(points: &[(f64, f64)], periodicity: Option<f64>) -> Trace {
        let points: Vec<(SimTime, f64)> = points.iter().map(|&(time, value)| (secs(time), value)).collect();
        Trace::new(&points, periodicity.map(SimDuration::ceil_secs)).expect("points of a test")
    }

    /// A host of speed 10 and work of 100: 50 by 5 s, 15 by 8, none by 10, 20 by 12, where it begins again, and 15 at full speed.
    #[test]
    fn work_waits_while_nothing_is_available_and_goes_on_when_the_trace_comes_round() {
        let host = trace(&[(0.0, 1.0), (5.0, 0.5), (8.0, 0.0), (10.0, 1.0)], Some(2.0));
        assert_eq!(host.finish(SimTime::ZERO, 100.0 / 10.0), Some(secs(13.5)));
        assert_eq!(host.integral(SimTime::ZERO, secs(13.5)).to_bits(), 10.0_f64.to_bits());
        // from the middle of the standstill, and 100 rounds of 8.5 later
        assert_eq!(host.finish(secs(9.0), 2.0), Some(secs(12.0)));
        assert_eq!(host.finish(secs(9.0), 2.0 + 850.0), Some(secs(1_212.0)));
        assert_eq!(host.finish(secs(9.0), 2.0 + 850.0 + 0.25), Some(secs(1_212.25)));
        let changes: Vec<Option<SimTime>> =
            [0.0, 7.9, 8.0, 11.0, 12.0].map(|at| host.next_change(secs(at))).into();
        assert_eq!(changes, [5.0, 8.0, 10.0, 12.0, 17.0].map(|at| Some(secs(at))));
        let values = [0.0, 4.9, 5.0, 8.0, 10.0, 12.0, 17.0].map(|at| host.value_at(secs(at)));
        assert_eq!(format!("{values:?}"), "[1.0, 1.0, 0.5, 0.0, 1.0, 1.0, 0.5]");
    }

    #[test]
    fn work_that_ends_with_a_round_ends_before_the_zeros_of_the_next() {
        let host = trace(&[(0.0, 0.0), (3.0, 1.0)], Some(1.0));
        assert_eq!(host.finish(SimTime::ZERO, 1.0), Some(secs(4.0)));
        assert_eq!(host.finish(SimTime::ZERO, 3.0), Some(secs(12.0)));
        assert_eq!(host.finish(secs(3.0), 2.0), Some(secs(8.0)));
        assert_eq!(trace(&[(0.0, 0.0), (3.0, 0.0)], Some(1.0)).finish(secs(1.0), 1.0), None);
        assert_eq!(trace(&[(0.0, 1.0), (3.0, 0.0)], None).finish(secs(1.0), 2.5), None);
        assert_eq!(trace(&[(0.0, 1.0), (3.0, 0.0)], None).finish(secs(1.0), 2.0), Some(secs(3.0)));
    }

    #[test]
    fn before_the_first_point_the_fixed_value_holds_and_after_the_last_its_own() {
        let link = trace(&[(2.0, 5.0), (4.0, 20.0)], None).before(10.0);
        assert_eq!(link.integral(secs(1.0), secs(5.0)).to_bits(), 40.0_f64.to_bits());
        assert_eq!(link.finish(SimTime::ZERO, 30.0), Some(secs(4.0)));
        assert_eq!(link.finish(SimTime::ZERO, 50.0), Some(secs(5.0)));
        assert_eq!(link.finish(secs(10.0), 50.0), Some(secs(12.5)));
        assert_eq!(link.next_change(secs(4.0)), None);
        // the first point comes back 6 s after the last: a round takes 8 s, and begins at 2 s
        let round = trace(&[(2.0, 5.0), (4.0, 20.0)], Some(6.0)).before(10.0);
        assert_eq!(round.next_change(secs(4.0)), Some(secs(10.0)));
        assert_eq!(round.value_at(secs(10.0)).to_bits(), 5.0_f64.to_bits());
    }

    #[test]
    fn a_circular_trace_may_begin_in_its_middle() {
        let host = trace(&[(0.0, 1.0), (5.0, 0.5), (8.0, 0.0), (10.0, 1.0)], Some(2.0));
        let later = host.clone().offset(SimDuration::from_secs(9));
        assert_eq!(later.finish(SimTime::ZERO, 2.0), Some(secs(3.0)));
        assert_eq!(later.next_change(SimTime::ZERO), Some(secs(1.0)));
        assert_eq!(later.integral(secs(1.0), secs(5.0)).to_bits(), 4.0_f64.to_bits());
        let measured = trace(&[(1000.0, 3.0), (1001.0, 4.0)], None).from_first();
        assert_eq!(measured.value_at(SimTime::ZERO).to_bits(), 3.0_f64.to_bits());
    }

    #[test]
    fn points_that_are_no_trace_are_refused() {
        let at = SimTime::from_nanos;
        assert_eq!(Trace::new(&[(at(5), 1.0), (at(5), 2.0)], None), Err(TraceError::NotRising(1)));
        assert_eq!(Trace::new(&[(at(5), f64::NAN)], None), Err(TraceError::Value(0)));
        assert_eq!(Trace::new(&[(at(5), -0.5)], None), Err(TraceError::Value(0)));
        assert_eq!(Trace::new(&[], Some(SimDuration::from_secs(1))), Err(TraceError::Periodicity));
        assert_eq!(Trace::new(&[(at(5), 1.0)], Some(SimDuration::ZERO)), Err(TraceError::Periodicity));
        let far = Trace::new(&[(at(0), 1e-300)], None).expect("a slow trace");
        assert_eq!(far.finish(SimTime::ZERO, 1.0), Some(SimTime::MAX));
    }
}
