//! Traces as stretches of time, in each of which a value holds, or values follow each other round
//! and round: what a file can hold of them.

use crate::kernel::{SimDuration, SimTime};

use super::trace::{Changes, Trace};

/// A trace from an instant on, until the next stretch begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Start of the stretch.
    pub from: SimTime,
    /// Course of the values from there on.
    pub course: Course,
}

/// Course of the values in a stretch.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// One value.
    Constant(f64),
    /// Values of a round, which begins again and again.
    Round(Round),
}

/// Values that follow each other round and round.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The values, each with when it begins in the round; the first begins with it.
    pub values: Vec<(SimDuration, f64)>,
    /// The length of the round.
    pub length: SimDuration,
    /// Offset in the round at which the stretch begins.
    pub phase: SimDuration,
}

impl Round {
    /// The same round from its phase on, so that it begins with the value that holds first.
    #[must_use]
    pub fn rotated(&self) -> Self {
        let phase = self.phase.as_nanos() % self.length.as_nanos().max(1);
        let begun = self.values.partition_point(|(at, _)| at.as_nanos() <= phase).max(1) - 1;
        let mut values = vec![(SimDuration::ZERO, self.values[begun].1)];
        let rest = self.values[begun + 1..].iter().map(|(at, value)| (at.as_nanos() - phase, *value));
        let again = self.values[..=begun]
            .iter()
            .map(|(at, value)| (at.as_nanos() + self.length.as_nanos() - phase, *value));
        let all = rest.chain(again).filter(|(at, _)| *at < self.length.as_nanos());
        values.extend(all.map(|(at, value)| (SimDuration::from_nanos(at), value)));
        Round { values, phase: SimDuration::ZERO, length: self.length }
    }
}

impl Trace {
    /// The stretches of this trace, at least one, and whether they are all: of values that are
    /// drawn, or were composed of such, `most` changes are listed.
    pub fn stretches(&self, most: usize) -> (Vec<Stretch>, bool) {
        if let Some((parts, offset)) = self.parts() {
            return composed(&parts, offset, most);
        }
        if let Some((first, round)) = self.round() {
            let mut stretches = Vec::new();
            if first > SimTime::ZERO {
                let course = Course::Constant(self.value_at(SimTime::ZERO));
                stretches.push(Stretch { from: SimTime::ZERO, course });
            }
            stretches.push(Stretch { from: first, course: Course::Round(round) });
            return (stretches, true);
        }
        let instants = std::iter::successors(Some(SimTime::ZERO), |at| self.next_change(*at));
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut is_whole = true;
        for from in instants {
            if stretches.len() > most {
                is_whole = false;
                break;
            }
            stretches.push(Stretch { from, course: Course::Constant(self.value_at(from)) });
        }
        (stretches, is_whole)
    }

    /// The traces that follow each other, each with when it begins, and what the clock of the first
    /// shows at the start of the run.
    fn parts(&self) -> Option<(Vec<(u64, &Trace)>, u64)> {
        let Changes::To(pieces) = &self.changes else { return None };
        Some((pieces.parts().collect(), self.offset))
    }

    /// Instant at which its points begin to repeat, from the start of the run on, and their round.
    fn round(&self) -> Option<(SimTime, Round)> {
        let points = self.at_points()?;
        let (length, _) = points.round?;
        let first = points.times[0];
        let values = self.points().map(|(at, value)| (SimDuration::from_nanos(at.as_nanos() - first), value));
        let phase = SimDuration::from_nanos(self.offset.saturating_sub(first) % length);
        let round = Round { values: values.collect(), length: SimDuration::from_nanos(length), phase };
        Some((SimTime::from_nanos(first.saturating_sub(self.offset)), round))
    }
}

/// The stretches of traces that follow each other; at the start of the run the clock of the first
/// shows `offset`.
fn composed(parts: &[(u64, &Trace)], offset: u64, most: usize) -> (Vec<Stretch>, bool) {
    let mut all: Vec<Stretch> = Vec::new();
    let mut is_whole = true;
    let first = parts.partition_point(|(from, _)| *from <= offset).max(1) - 1;
    for (place, (begun, trace)) in parts.iter().enumerate().skip(first) {
        let from = begun.saturating_sub(offset);
        let into = SimDuration::from_nanos(offset.saturating_sub(*begun));
        let (own, own_whole) = (*trace).clone().offset(into).stretches(most);
        let until = parts.get(place + 1).map_or(u64::MAX, |(next, _)| next - offset);
        let later = own.into_iter().map(|stretch| Stretch {
            from: SimTime::from_nanos(from.saturating_add(stretch.from.as_nanos())),
            ..stretch
        });
        let held: Vec<Stretch> = later.take_while(|stretch| stretch.from.as_nanos() < until).collect();
        is_whole &= own_whole || held.len() <= most;
        all.extend(held);
    }
    (all, is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: u64) -> SimTime {
        SimTime::from_nanos(secs * 1_000_000_000)
    }

    fn span(secs: u64) -> SimDuration {
        SimDuration::from_secs(secs)
    }

    /// The value at an instant, by stretches.
    fn value_at(stretches: &[Stretch], at: SimTime) -> f64 {
        let place = stretches.partition_point(|stretch| stretch.from <= at) - 1;
        let Stretch { from, course } = &stretches[place];
        match course {
            Course::Constant(value) => *value,
            Course::Round(round) => {
                let Round { values, length, phase } = round;
                let into = (at.since(*from).as_nanos() + phase.as_nanos()) % length.as_nanos();
                let turned = round.rotated();
                let again = at.since(*from).as_nanos() % length.as_nanos();
                let of = |values: &[(SimDuration, f64)], into: u64| {
                    values[values.partition_point(|(at, _)| at.as_nanos() <= into) - 1].1
                };
                assert_eq!(of(values, into).to_bits(), of(&turned.values, again).to_bits());
                of(values, into)
            }
        }
    }

    #[test]
    fn stretches_have_the_values_of_their_trace() {
        let points = [(secs(3), 0.5), (secs(4), 0.25), (secs(9), 1.0)];
        let once = Trace::new(&points, None).expect("a trace").before(0.75);
        let round = Trace::new(&points, Some(span(2))).expect("a trace").before(0.75);
        let series = Trace::series(&[1.0, 0.0, 0.5], span(5)).expect("a series").offset(span(5));
        let composed = once.clone().then(secs(20), series.clone()).then(secs(53), round.clone());
        for offset in [0, 1, 3, 8, 21, 60] {
            for trace in [&once, &round, &series, &composed] {
                let trace = trace.clone().offset(span(offset));
                let (stretches, is_whole) = trace.stretches(100);
                assert!(is_whole && stretches.len() < 20);
                for at in (0..200).map(|half| SimTime::from_nanos(half * 500_000_000)) {
                    let (expected, found) = (trace.value_at(at), value_at(&stretches, at));
                    assert_eq!(expected.to_bits(), found.to_bits(), "{trace:?} at {at:?}");
                }
            }
        }
        assert_eq!(series.stretches(100).0.len(), 1);
    }
}
