//! Outages of a server: as a trace says, or as times to failures and of repairs are drawn.
//!
//! The instants follow from their sources alone, whatever happens on the server: all who ask,
//! sooner or later, get the same answer. The process that takes the server down follows them, and
//! who knows what will happen may look ahead.

use std::cell::RefCell;

use crate::kernel::rng::Stream;
use crate::kernel::rng::distribution::Sampler;
use crate::kernel::{SimDuration, SimTime};
use crate::platform::Trace;

/// The failures of a server, as they are described.
#[derive(Clone, Debug)]
pub enum ServerFailures {
    /// After times that are drawn.
    Drawn {
        /// From its repair to the next failure \[s\].
        after: Sampler,
        /// The time of its repair \[s\].
        repair: Sampler,
    },
    /// Failures at the instants at which a trace falls to 0; the server works while the trace is
    /// above.
    Traced(Trace),
}

/// An instant at which the state of a server may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutageChange {
    /// The instant.
    pub at: SimTime,
    /// True if the server is down at the instant, and be it only to return at the same instant.
    pub fails: bool,
    /// True if the server works from the instant on.
    pub works: bool,
}

/// The outages of a server, to be asked about any instant.
#[derive(Debug)]
pub struct ServerOutages(Source);

#[derive(Debug)]
enum Source {
    Traced(Trace),
    Drawn(RefCell<Drawn>),
}

#[derive(Debug)]
struct Drawn {
    laws: [Sampler; 2],
    stream: Stream,
    /// The instants so far: it goes down at the first, and up at the second.
    changes: Vec<SimTime>,
}

impl ServerOutages {
    /// The outages of a server, drawn from `stream` if they are.
    pub fn new(failures: ServerFailures, stream: Stream) -> Self {
        ServerOutages(match failures {
            ServerFailures::Traced(trace) => Source::Traced(trace),
            ServerFailures::Drawn { after, repair } => {
                Source::Drawn(RefCell::new(Drawn { laws: [after, repair], stream, changes: Vec::new() }))
            }
        })
    }

    /// Returns true if the server works at an instant, what changes at it included.
    pub fn is_up(&self, at: SimTime) -> bool {
        match &self.0 {
            Source::Traced(trace) => trace.value_at(at) > 0.0,
            Source::Drawn(drawn) => drawn.borrow_mut().until(at).is_multiple_of(2),
        }
    }

    /// Returns true if the server is down at an instant, and be it only to return at the same
    /// instant.
    pub fn fails_at(&self, at: SimTime) -> bool {
        match &self.0 {
            Source::Traced(trace) => trace.least_at(at) <= 0.0,
            Source::Drawn(_) => !self.is_up(at),
        }
    }

    /// The first instant after this one at which the state may change; `None` if it never changes
    /// again.
    pub fn next_change(&self, at: SimTime) -> Option<OutageChange> {
        let next = match &self.0 {
            Source::Traced(trace) => trace.next_change(at)?,
            Source::Drawn(drawn) => {
                let drawn = &mut *drawn.borrow_mut();
                let place = drawn.until(at);
                drawn.changes[place]
            }
        };
        let change = |at| OutageChange { at, fails: self.fails_at(at), works: self.is_up(at) };
        (next < SimTime::MAX).then(|| change(next))
    }

    /// The first instant after this one at which the server is down, though it may work again from
    /// that instant on; `None` if it never is.
    pub fn next_failure(&self, at: SimTime) -> Option<SimTime> {
        // a trace that does not fall to 0 in a round never does, however often it repeats
        let most = match &self.0 {
            Source::Traced(trace) if trace.repeats() => trace.points().count() + 1,
            _ => usize::MAX,
        };
        let changes = std::iter::successors(self.next_change(at), |change| self.next_change(change.at));
        changes.take(most).find(|change| change.fails).map(|change| change.at)
    }
}

impl Drawn {
    /// The number of changes up to an instant; the one after them is drawn too.
    fn until(&mut self, at: SimTime) -> usize {
        while self.changes.last().is_none_or(|last| *last <= at && *last < SimTime::MAX) {
            let law = &self.laws[self.changes.len() % 2];
            let span = SimDuration::ceil_secs(law.draw(&mut self.stream));
            // failures without any time between them would be without end at one instant
            let span = span.max(SimDuration::from_nanos(1));
            let last = self.changes.last().copied().unwrap_or(SimTime::ZERO);
            self.changes.push(last.saturating_add(span));
        }
        self.changes.partition_point(|change| *change <= at).min(self.changes.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::Streams;
    use crate::kernel::rng::distribution::{Constant, Exponential};

    fn secs(secs: u64) -> SimTime {
        SimTime::from_secs(secs).expect("in range")
    }

    #[test]
    fn outages_are_the_same_for_every_reader() {
        let law = |mean| Sampler::new(Exponential::new(mean).expect("positive"));
        let of = || {
            let failures = ServerFailures::Drawn { after: law(50.0), repair: law(10.0) };
            ServerOutages::new(failures, Streams::new(3, 0).stream("failures/s"))
        };
        let (one, other) = (of(), of());
        let far = other.next_change(secs(5000));
        let mut at = SimTime::ZERO;
        while at <= secs(5000) {
            assert_eq!(one.is_up(at), other.is_up(at));
            let next = one.next_change(at).expect("it goes on");
            assert_eq!((Some(next), one.is_up(at)), (other.next_change(at), next.fails));
            at = next.at;
        }
        assert_eq!(far, one.next_change(secs(5000)));
    }

    #[test]
    fn a_server_is_down_from_its_failure_until_it_is_repaired() {
        let constant = |value| Sampler::new(Constant::new(value).expect("finite"));
        let failures = ServerFailures::Drawn { after: constant(30.0), repair: constant(5.0) };
        let outages = ServerOutages::new(failures, Streams::new(1, 0).stream("s"));
        assert_eq!(
            [29, 30, 34, 35, 64, 65].map(|at| outages.is_up(secs(at))),
            [true, false, false, true, true, false]
        );
        assert_eq!(
            outages.next_change(secs(30)),
            Some(OutageChange { at: secs(35), fails: false, works: true })
        );
        let trace = Trace::new(&[(SimTime::ZERO, 1.0), (secs(10), 0.0), (secs(1000), 1.0)], None);
        let outages = ServerOutages::new(
            ServerFailures::Traced(trace.expect("in order")),
            Streams::new(1, 0).stream("s"),
        );
        assert_eq!([9, 10, 999, 1000].map(|at| outages.is_up(secs(at))), [true, false, false, true]);
        assert_eq!(outages.next_change(secs(1000)), None);
        assert_eq!([0, 10].map(|at| outages.next_failure(secs(at))), [Some(secs(10)), None]);
    }

    #[test]
    fn a_trace_that_repeats_is_searched_for_a_failure_in_one_round() {
        let of = |points: &[(SimTime, f64)]| {
            let trace = Trace::states(points, Some(SimDuration::from_secs(2))).expect("in order");
            ServerOutages::new(ServerFailures::Traced(trace), Streams::new(1, 0).stream("s"))
        };
        // down before its first point only
        let mut points = vec![(SimTime::ZERO, 0.5), (secs(4), 1.0)];
        assert_eq!(of(&points).next_failure(SimTime::ZERO), None);
        points.push((secs(5), 0.0));
        let outages = of(&points);
        assert_eq!(
            [0, 4, 5, 11, 12].map(|at| outages.next_failure(secs(at))),
            [5, 5, 12, 12, 19].map(|at| Some(secs(at)))
        );
    }
}
