//! Traces: values that change at given times, for the speed of a host, the bandwidth or latency of
//! a link, or whether they work.
//!
//! A trace is a step function. Its points `(time, value)` have rising times, and each value holds
//! from its time on; at the very instant of a point the new value holds. Before the first point the
//! fixed value of the host or link holds ([`Trace::before`]). After the last point its value holds
//! for ever, or, with a periodicity of `p`, for `p`; then the sequence begins again with its first
//! value, so that it takes (last time - first time + `p`) to repeat. A trace may be begun in its
//! middle ([`Trace::offset`]): many hosts can share one circular trace and differ all the same.
//! Instead of points a trace may have values that are drawn, one for each interval of a fixed
//! length ([`Load`](super::Load)), and one trace may be followed by another from an instant on
//! ([`Trace::then`]).
//!
//! Work under a trace is integrated exactly: it ends when the integral of the value has reached it,
//! rounded up to a nanosecond. While the value is 0 nothing moves, and nothing is divided by it.
//!
//! Source: the trace files of SimGrid (H. Casanova, "Simgrid: a toolkit for the simulation of
//! application scheduling", CCGrid 2001), whose `PERIODICITY` and `LOOPAFTER` lines are read by
//! [`read_trace`](super::read_trace). What holds before the first point is a choice of ours.

use std::sync::Arc;

use crate::kernel::rng::KeyedStreams;
use crate::kernel::{SimDuration, SimTime};

use super::composed::Pieces;
use super::drawn::{Drawn, left_by};
use super::points::{Points, Segment, seconds, when};

/// A value that changes at given times; the module's documentation has the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The value before the first point, and for ever if there is none.
    before: f64,
    /// The time on the trace's own clock at the start of the run.
    pub(super) offset: u64,
    /// Shared between copies, of which a large platform has many.
    pub(super) changes: Changes,
    /// True if it is constant and its value was drawn.
    is_drawn_once: bool,
}

/// The changes of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Changes {
    Never,
    At(Arc<Points>),
    Drawn(Drawn),
    To(Arc<Pieces>),
}

/// Reason that points are no trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TraceError {
    /// The point of this index, from 0, is not later than the one before it, nor up where that is
    /// down.
    #[error("point {0} is not later than the one before it")]
    NotRising(usize),
    /// The value of the point of this index is negative, infinite or not a number.
    #[error("the value of point {0} is not a number of 0 or more")]
    Value(usize),
    /// The periodicity is zero, there is nothing to repeat, or a round is longer than time.
    #[error("a periodicity needs a point before it, is above zero, and its round ends within 584 years")]
    Periodicity,
}

impl Trace {
    /// The value `value` for ever.
    pub fn constant(value: f64) -> Self {
        Trace { before: value, offset: 0, changes: Changes::Never, is_drawn_once: false }
    }

    /// Values that are drawn, from the start of the run on.
    pub(super) fn of_draws(drawn: Drawn) -> Self {
        match drawn.only() {
            Some(value) => Trace { is_drawn_once: drawn.varies(), ..Trace::constant(value) },
            None => Trace { changes: Changes::Drawn(drawn), ..Trace::constant(1.0) },
        }
    }

    /// The streams that its values are drawn from, if they change.
    pub(super) fn streams(&self) -> Option<KeyedStreams> {
        if let Changes::Drawn(drawn) = &self.changes { Some(drawn.streams) } else { None }
    }

    /// The same trace with values that are drawn from these streams, if it has such.
    pub(super) fn with_streams(mut self, streams: KeyedStreams) -> Self {
        if let Changes::Drawn(drawn) = &mut self.changes {
            drawn.streams = streams;
        }
        self
    }

    /// The same trace with another value where it never changes; else multiplied by the value.
    pub(super) fn with(self, value: f64) -> Self {
        match self.changes {
            Changes::Never => Trace { before: value, ..self },
            _ => self.times(value),
        }
    }

    /// A circular series of values, each of which holds for a `step`.
    ///
    /// # Errors
    /// As [`Trace::new`]; a step of nothing.
    pub fn series(values: &[f64], step: SimDuration) -> Result<Self, TraceError> {
        if let [value] = values {
            return Trace::new(&[(SimTime::ZERO, *value)], None).map(|_| Trace::constant(*value));
        }
        let at = |index: usize| SimTime::from_nanos(step.as_nanos().saturating_mul(index as u64));
        let points: Vec<(SimTime, f64)> =
            values.iter().enumerate().map(|(index, value)| (at(index), *value)).collect();
        Trace::new(&points, Some(step))
    }

    /// The same trace until `at`, and from then on another, which stands at `at` as it would stand
    /// at the start of the run.
    #[must_use]
    pub fn then(self, at: SimTime, next: Trace) -> Self {
        let at = self.own(at);
        let (offset, pieces) = match self {
            Trace { changes: Changes::To(pieces), offset, .. } => (offset, Arc::unwrap_or_clone(pieces)),
            whole => (whole.offset, Pieces::one(Trace { offset: 0, ..whole })),
        };
        Trace { changes: Changes::To(Arc::new(pieces.then(at, next))), offset, ..Trace::constant(1.0) }
    }

    /// The step function through `points`, which repeats `periodicity` after the last of them if
    /// that is given. Before the first the value is 1, unless [`Trace::before`] says otherwise.
    ///
    /// # Errors
    /// Times that do not rise, values that are negative or no numbers, and a periodicity of zero or
    /// without points.
    pub fn new(points: &[(SimTime, f64)], periodicity: Option<SimDuration>) -> Result<Self, TraceError> {
        Trace::through(points, periodicity, false)
    }

    /// As [`Trace::new`], of a state: what works may leave and return at one instant, by a point of
    /// 0 and one above 0 behind it.
    ///
    /// # Errors
    /// As there, but for such points.
    pub fn states(points: &[(SimTime, f64)], periodicity: Option<SimDuration>) -> Result<Self, TraceError> {
        Trace::through(points, periodicity, true)
    }

    fn through(
        points: &[(SimTime, f64)],
        periodicity: Option<SimDuration>,
        is_state: bool,
    ) -> Result<Self, TraceError> {
        let mut all = Points::default();
        for (index, &(time, value)) in points.iter().enumerate() {
            let time = time.as_nanos();
            if !value.is_finite() || value < 0.0 {
                return Err(TraceError::Value(index));
            }
            if let (Some(&last), Some(&gathered)) = (all.times.last(), all.gathered.last()) {
                let returns = is_state && time == last && returns(all.values[index - 1], value);
                if time <= last && !returns {
                    return Err(TraceError::NotRising(index));
                }
                all.gathered.push(gathered + all.values[index - 1] * seconds(time - last));
            } else {
                all.gathered.push(0.0);
            }
            all.times.push(time);
            all.values.push(value);
        }
        let changes = if points.is_empty() { Changes::Never } else { Changes::At(Arc::new(all)) };
        Trace { changes, ..Trace::constant(1.0) }.repeated(periodicity)
    }

    /// The same trace, which repeats `periodicity` after its last point, or never.
    ///
    /// # Errors
    /// A periodicity of zero, or without points.
    pub fn repeated(self, periodicity: Option<SimDuration>) -> Result<Self, TraceError> {
        let Some(points) = self.at_points() else {
            return if periodicity.is_none() { Ok(self) } else { Err(TraceError::Periodicity) };
        };
        let round = match periodicity {
            Some(periodicity) => Some(points.round_of(periodicity).ok_or(TraceError::Periodicity)?),
            None => None,
        };
        let points = Points { round, ..points.clone() };
        Ok(Trace { changes: Changes::At(Arc::new(points)), ..self })
    }

    /// The same trace with `value` before its first point.
    #[must_use]
    pub fn before(mut self, value: f64) -> Self {
        if let Changes::To(pieces) = &mut self.changes {
            let first = Arc::make_mut(pieces).first_mut();
            *first = first.clone().before(value);
        }
        Trace { before: value, ..self }
    }

    /// The same trace with each value multiplied by `times`.
    #[must_use]
    pub(crate) fn times(&self, times: f64) -> Self {
        let scaled = |values: &[f64]| values.iter().map(|value| value * times).collect();
        let changes = match &self.changes {
            Changes::Never => Changes::Never,
            Changes::At(points) => Changes::At(Arc::new(Points {
                values: scaled(&points.values),
                gathered: scaled(&points.gathered),
                round: points.round.map(|(length, gathered)| (length, gathered * times)),
                times: points.times.clone(),
            })),
            Changes::Drawn(drawn) => Changes::Drawn(drawn.times(times)),
            Changes::To(pieces) => Changes::To(Arc::new(pieces.map(|trace| trace.times(times)))),
        };
        Trace { before: self.before * times, changes, ..*self }
    }

    /// Rest of 1 by the loads that this trace states: less 1 by each value, and 1 before its first
    /// point.
    pub(crate) fn left_by_loads(&self) -> Self {
        let Some(points) = self.at_points() else { return Trace::constant(1.0) };
        let left: Vec<_> = self.points().map(|(at, load)| (at, left_by(load))).collect();
        let length = points.times[points.times.len() - 1] - points.times[0];
        let periodicity = points.round.map(|(round, _)| SimDuration::from_nanos(round - length));
        Trace::new(&left, periodicity).expect("instants and periodicity are those of a trace")
    }

    /// The same trace, begun `offset` later: at the start of the run it stands where it would have
    /// stood at `offset`.
    #[must_use]
    pub fn offset(self, offset: SimDuration) -> Self {
        Trace { offset: self.offset.saturating_add(offset.as_nanos()), ..self }
    }

    /// The same trace, moved so that its first point is at the start of the run: for measured
    /// series with absolute times.
    #[must_use]
    pub fn from_first(mut self) -> Self {
        if let Changes::At(points) = &mut self.changes {
            let points = Arc::make_mut(points);
            let first = points.times[0];
            points.times.iter_mut().for_each(|time| *time -= first);
        }
        self
    }

    /// Returns true if its points repeat.
    pub fn repeats(&self) -> bool {
        self.at_points().is_some_and(|points| points.round.is_some())
    }

    pub(super) fn at_points(&self) -> Option<&Points> {
        if let Changes::At(points) = &self.changes { Some(points) } else { None }
    }

    /// Points, on its own clock; none of a trace whose values are drawn.
    pub fn points(&self) -> impl Iterator<Item = (SimTime, f64)> {
        let (times, values): (&[u64], &[f64]) =
            self.at_points().map_or((&[], &[]), |points| (&points.times, &points.values));
        times.iter().copied().map(SimTime::from_nanos).zip(values.iter().copied())
    }

    /// Returns true if its values were drawn, and might have been others.
    pub fn is_drawn(&self) -> bool {
        match &self.changes {
            Changes::Drawn(drawn) => drawn.varies(),
            Changes::To(pieces) => pieces.traces().any(Trace::is_drawn),
            Changes::Never | Changes::At(_) => self.is_drawn_once,
        }
    }

    /// The instants of its first and last points on its own clock, if it has any.
    pub(super) fn first_and_last(&self) -> Option<(SimTime, SimTime)> {
        let points = self.at_points()?;
        let (first, last) = (points.times.first()?, points.times.last()?);
        Some((SimTime::from_nanos(*first), SimTime::from_nanos(*last)))
    }

    /// Every value that it may have: that before the first point, and those of the points. Of
    /// values that are drawn, the least and the greatest that may be.
    pub fn values(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        let (first, others): (f64, &[f64]) = match &self.changes {
            Changes::Never => (self.before, &[]),
            Changes::At(points) => (self.before, &points.values),
            Changes::Drawn(drawn) => (drawn.bounds()[0], &drawn.bounds()[1..]),
            Changes::To(pieces) => return Box::new(pieces.traces().flat_map(Trace::values)),
        };
        Box::new(std::iter::once(first).chain(others.iter().copied()))
    }

    /// The least value that it has from the start of the run on; of values that are drawn, the
    /// least that may be.
    pub fn least(&self) -> f64 {
        let begins = self.at_points().is_some_and(|points| points.times[0] <= self.offset);
        self.values().skip(usize::from(begins)).fold(f64::INFINITY, f64::min)
    }

    /// The mean value: of one round if it repeats, else from its first point to its last; of values
    /// that are drawn, that of what they are drawn from. A constant, or the value of its only
    /// point, is its own mean. Of a trace that others follow it is that of the last.
    pub fn mean(&self) -> f64 {
        match &self.changes {
            Changes::Never => self.before,
            Changes::At(points) => points.mean(),
            Changes::Drawn(drawn) => drawn.mean(),
            Changes::To(pieces) => pieces.last().mean(),
        }
    }

    /// The value at `at`, that of a point at this very instant included.
    pub fn value_at(&self, at: SimTime) -> f64 {
        self.segment(self.own(at)).value
    }

    /// The least value at the very instant `at`: 0 where a state [leaves and
    /// returns](Trace::states) then.
    pub fn least_at(&self, at: SimTime) -> f64 {
        let own = self.own(at);
        match &self.changes {
            Changes::At(points) if own >= points.times[0] => points.least_at(own),
            Changes::To(pieces) => pieces.least_at(own),
            _ => self.value_at(at),
        }
    }

    /// The instant of the first point after `at`, not at it; `None` if there is none. The value
    /// there may be the same.
    pub fn next_change(&self, at: SimTime) -> Option<SimTime> {
        let until = self.segment(self.own(at)).until?;
        until.checked_sub(self.offset).map(SimTime::from_nanos)
    }

    /// Value times seconds between two instants; 0 if `to` is not later than `from`.
    ///
    /// # Complexity
    /// O(log n) for n points, however many rounds lie between; of values that are drawn, O(n) for n
    /// intervals that are met for the first time, then a step for every 256 of them.
    pub fn integral(&self, from: SimTime, to: SimTime) -> f64 {
        let (from, to) = (self.own(from), self.own(to));
        if to <= from {
            return 0.0;
        }
        match &self.changes {
            Changes::Never => self.before * seconds(to - from),
            Changes::Drawn(drawn) => drawn.integral(from, to),
            Changes::To(pieces) => pieces.integral(from, to),
            Changes::At(points) => {
                let first = points.times[0];
                if from >= first {
                    return points.gathered_between(from, to);
                }
                let early = self.before * seconds(to.min(first) - from);
                if to <= first { early } else { early + points.gathered_between(first, to) }
            }
        }
    }

    /// The least instant by which `work` is done if it begins at `from`: the integral of the value
    /// from then on has reached it. `work` is in seconds at value 1: divide flops by the host's
    /// speed first. Rounded up to a nanosecond; `from` for no work; `None` if it is never done; the
    /// last instant if it is done after that.
    ///
    /// # Complexity
    /// O(log n) for n points, however many rounds it takes; of values that are drawn, O(n) for n
    /// intervals that are met for the first time, then a step for every 256 of them.
    pub fn finish(&self, from: SimTime, work: f64) -> Option<SimTime> {
        if work <= 0.0 {
            return Some(from);
        }
        let end = self.finish_in_time(self.own(from), work).filter(|&end| end < u64::MAX);
        match end {
            Some(end) => Some(SimTime::from_nanos(end.saturating_sub(self.offset))),
            None => self.goes_on().then_some(SimTime::MAX),
        }
    }

    /// As [`Trace::finish`], for `work` at a resource that does `speed` of it a second at value 1:
    /// exact where work and rate are whole numbers and the value holds until the end.
    pub fn finish_at(&self, from: SimTime, work: f64, speed: f64) -> Option<SimTime> {
        let exact = self.finish_exactly(from, work, speed);
        exact.or_else(|| self.finish(from, work / speed))
    }

    /// As `finish_at`; `None` unless the end is exact.
    fn finish_exactly(&self, from: SimTime, work: f64, speed: f64) -> Option<SimTime> {
        let end = from.checked_add(SimDuration::exact_ratio(work, speed * self.value_at(from))?)?;
        let holds = self.next_change(from).is_none_or(|change| end <= change);
        (holds && end < SimTime::MAX).then_some(end)
    }

    /// As `finish`, on the trace's own clock; `None` also for what is done after the last instant.
    fn finish_in_time(&self, mut at: u64, mut left: f64) -> Option<u64> {
        if let Changes::To(pieces) = &self.changes {
            return pieces.finish(at, left);
        }
        if let Changes::Drawn(drawn) = &self.changes {
            // it takes at least as long as where nothing is loaded
            when(at, left, drawn.bounds()[1]).filter(|&end| end < u64::MAX)?;
            return drawn.finish(at, left);
        }
        // what is in progress: before the first point, and then the value that holds
        loop {
            let Segment { value, until } = self.segment(at);
            let Some(until) = until else { return when(at, left, value) };
            let gathered = value * seconds(until - at);
            if left <= gathered {
                return when(at, left, value);
            }
            left -= gathered;
            at = until;
            if let Some(points) = self.at_points()
                && at >= points.times[0]
            {
                return points.finish(at, left);
            }
        }
    }

    /// Nanoseconds from one change to the next, on the whole; `None` if it does not change.
    pub(super) fn usual_interval(&self) -> Option<u64> {
        match &self.changes {
            Changes::Never => None,
            Changes::At(points) => points.usual_interval(),
            Changes::Drawn(drawn) => drawn.interval(),
            Changes::To(pieces) => pieces.last().usual_interval(),
        }
    }

    /// Returns true if there is no last instant at which the value is above 0.
    fn goes_on(&self) -> bool {
        match &self.changes {
            Changes::Never => self.before > 0.0,
            Changes::At(points) => match points.round {
                Some((_, of_round)) => of_round > 0.0,
                None => points.values.last().is_some_and(|&last| last > 0.0),
            },
            Changes::Drawn(drawn) => drawn.bounds()[0] > 0.0,
            Changes::To(pieces) => pieces.last().goes_on(),
        }
    }

    /// The trace's own clock.
    fn own(&self, at: SimTime) -> u64 {
        at.as_nanos().saturating_add(self.offset)
    }

    fn segment(&self, at: u64) -> Segment {
        match &self.changes {
            Changes::Never => Segment { value: self.before, until: None },
            Changes::Drawn(drawn) => drawn.segment(at),
            Changes::To(pieces) => pieces.segment(at),
            Changes::At(points) if at < points.times[0] => {
                Segment { value: self.before, until: Some(points.times[0]) }
            }
            Changes::At(points) => points.segment(at),
        }
    }
}

/// Returns true if the first of two points of one instant is down, and the second is up.
pub(super) fn returns(first: f64, second: f64) -> bool {
    first <= 0.0 && second > 0.0
}

#[cfg(test)]
mod tests;
