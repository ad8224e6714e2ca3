//! Work that a station does between two instants, by its speed as it is described.

use crate::kernel::{SimDuration, SimTime};

use super::facts::{BrokerFacts, JudgedStation};

/// Speed of a station over time \[work/s\].
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StationSpeed {
    /// Polynomials in the order of time: the instant from which each holds, and its coefficients of
    /// 1, x, x² and x³, `x` seconds later. The last one holds for ever, and is constant.
    pub pieces: Vec<(SimTime, [f64; 4])>,
    /// A factor of all of them.
    pub times: f64,
}

impl StationSpeed {
    /// The same speed at all times.
    pub(crate) fn always(speed: f64) -> Self {
        StationSpeed { pieces: vec![(SimTime::ZERO, [speed, 0.0, 0.0, 0.0])], times: 1.0 }
    }

    /// The speed, if it is the same at all times.
    pub(super) fn constant(&self) -> Option<f64> {
        match self.pieces[..] {
            [(_, [speed, ..])] => Some(speed * self.times),
            _ => None,
        }
    }

    fn piece(&self, at: SimTime) -> usize {
        self.pieces.partition_point(|(from, _)| *from <= at).saturating_sub(1)
    }

    /// The speed at an instant.
    pub(super) fn at(&self, at: SimTime) -> f64 {
        let value = self.pieces.get(self.piece(at)).map_or(0.0, |piece| value(piece, at.as_nanos() as f64));
        value * self.times
    }

    /// Work between two instants.
    pub(super) fn work(&self, from: SimTime, to: SimTime) -> f64 {
        let (mut work, mut at) = (0.0, from);
        if let Some((first, [speed, ..])) = self.pieces.first().filter(|(first, _)| from < *first) {
            at = to.min(*first);
            work += speed * at.since(from).as_nanos() as f64 / 1e9;
        }
        for place in self.piece(from)..self.pieces.len() {
            let until = self.pieces.get(place + 1).map_or(to, |(next, _)| (*next).min(to));
            if until > at {
                work += area(&self.pieces[place], at, until);
                at = until;
            }
        }
        work * self.times
    }
}

/// The value of a polynomial, which holds before it begins too if it is the first \[ns\].
fn value((from, [one, x, squared, cubed]): &(SimTime, [f64; 4]), at: f64) -> f64 {
    let span = ((at - from.as_nanos() as f64) / 1e9).max(0.0);
    one + span * (x + span * (squared + span * cubed))
}

/// The area below a polynomial by Simpson's rule, which errs for none of degree 3.
fn area(piece: &(SimTime, [f64; 4]), from: SimTime, to: SimTime) -> f64 {
    let (first, last) = (from.as_nanos() as f64, to.as_nanos() as f64);
    let middle = value(piece, f64::midpoint(first, last));
    let seconds = to.since(from).as_nanos() as f64 / 1e9;
    (value(piece, first) + 4.0 * middle + value(piece, last)) * seconds / 6.0
}

/// Work of a station between two instants for one who has it alone: none while it is down.
fn done(facts: &dyn BrokerFacts, of: JudgedStation, (from, to): (SimTime, SimTime)) -> f64 {
    let speed = facts.speed(of);
    let down = facts.down(of, (from, to));
    let lost = down.into_iter().map(|(begin, end)| speed.work(begin.max(from), end.min(to)));
    speed.work(from, to) - lost.sum::<f64>()
}

/// Returns true if work is done between two instants, the later one rounded up to a nanosecond.
pub(super) fn is_done(
    facts: &dyn BrokerFacts,
    of: JudgedStation,
    (start, end): (SimTime, SimTime),
    work: f64,
) -> bool {
    // an instant before the end not all may be done; sums of floating point numbers err a little
    let before = SimTime::from_nanos(end.as_nanos().saturating_sub(2)).max(start);
    let slack = 1e-9 * work;
    end >= start
        && done(facts, of, (start, end)) >= work - slack
        && done(facts, of, (start, before)) <= work + slack
}

/// The span in which `work` is done at a constant speed, rounded up to a nanosecond.
pub(super) fn takes(work: f64, speed: f64) -> Option<SimDuration> {
    let is_whole = |value: f64| value.fract() == 0.0 && (0.0..1e18).contains(&value);
    let nanos = if is_whole(work) && is_whole(speed) && speed > 0.0 {
        (work as u128 * 1_000_000_000).div_ceil(speed as u128)
    } else {
        (work / speed * 1e9).ceil() as u128
    };
    u64::try_from(nanos).ok().map(SimDuration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SimTime {
        SimTime::from_nanos(seconds * 1_000_000_000)
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-12 * other.abs()
    }

    #[test]
    fn work_along_polynomials_is_the_area_below_them() {
        // 3 until 10 s, then 3 + x - x³ / 1000 until 20 s, then 12
        let pieces = vec![(at(10), [3.0, 1.0, 0.0, -0.001]), (at(20), [12.0, 0.0, 0.0, 0.0])];
        let speed = StationSpeed { pieces, times: 2.0 };
        assert_eq!(speed.constant(), None);
        assert!(
            [(at(4), 6.0), (at(10), 6.0), (at(12), 9.984), (at(20), 24.0), (at(99), 24.0)]
                .into_iter()
                .all(|(instant, value)| near(speed.at(instant), value))
        );
        // 2 × (3 × 5 + (30 + 50 - 10000 / 4000) + 12 × 5)
        assert!(near(speed.work(at(5), at(25)), 2.0 * (15.0 + 77.5 + 60.0)));
        assert!(near(speed.work(at(12), at(14)), 2.0 * (6.0 + 6.0 - (256.0 - 16.0) / 4000.0)));
        assert!(speed.work(at(9), at(9)).abs() < 1e-12);
    }

    #[test]
    fn spans_are_rounded_up_and_exact_for_whole_numbers() {
        let nanos = |work: f64, speed: f64| takes(work, speed).map(SimDuration::as_nanos);
        assert_eq!(nanos(16_749_766.0, 1e6), Some(16_749_766_000));
        assert_eq!((nanos(1.0, 3.0), nanos(0.5, 2.0)), (Some(333_333_334), Some(250_000_000)));
        assert_eq!((nanos(1e17, 1.0), nanos(0.0, 7.0)), (None, Some(0)));
        assert_eq!(StationSpeed::always(4.0).constant(), Some(4.0));
    }
}
