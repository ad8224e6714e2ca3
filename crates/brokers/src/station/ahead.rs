//! Stations looked at ahead: when work will have been served that enters later, while nothing
//! happens yet.
//!
//! A station that is looked at is copied, and the copy goes on as the station itself would. It
//! knows all that is there at the instant, in line and served. Of the work of others that is to
//! come it knows nothing (there is none), what its law says in the mean (`expected`), or all of
//! it, as it is drawn from the same streams. Of work of ours there is only what is there, and what
//! is asked about.

use crate::kernel::SimTime;
use crate::outages::ServerOutages;
use crate::station::copy::{LookLimit, StationCopy};
use crate::station::expected::ExpectedStation;
use crate::station::order::{Discipline, StationDemand};
use crate::station::rate::Rate;
use crate::station::usage::ServiceSpan;

/// A station looked at ahead.
#[derive(Clone, Debug)]
pub(crate) enum StationAhead {
    /// An empty station to which nothing else comes: work is divided among this number of
    /// processors at most.
    Alone(Rate, u32),
    /// All that is there goes on, with all that its copy knows of others.
    Copied(Box<StationCopy>),
    /// Others come as their law says in the mean.
    Expected(Box<ExpectedStation>),
}

impl StationAhead {
    /// A station on which nothing is, of some processors.
    pub(crate) fn alone(rate: Rate, discipline: Discipline, processors: u32) -> Self {
        // what is shared gives each one processor at most
        StationAhead::Alone(rate, if discipline == Discipline::Ps { 1 } else { processors })
    }

    /// A station as it is now, with all that others are going to do on it.
    pub(crate) fn known(copy: StationCopy) -> Self {
        StationAhead::Copied(Box::new(copy))
    }

    /// A station as it is now, on which others do what their law says in the mean.
    pub(crate) fn expected(
        mut copy: StationCopy,
        now: SimTime,
        (discipline, processors): (Discipline, u32),
    ) -> Self {
        copy.advance(now);
        match copy.take_others().filter(|others| others.level() < others.law().capacity) {
            None => StationAhead::Copied(Box::new(copy)),
            Some(others) => {
                let station = ExpectedStation::new(copy, now, &others, (discipline, processors));
                StationAhead::Expected(Box::new(station))
            }
        }
    }

    /// Work enters at an instant that is not before the last one, and is served: when it begins and
    /// ends. The end of time, if that is past the limit of a station that is copied.
    pub(crate) fn serve(&mut self, entry: SimTime, demand: StationDemand, limit: LookLimit) -> ServiceSpan {
        match self {
            StationAhead::Alone(rate, most) => {
                let processors = demand.processors.min(*most).max(1);
                ServiceSpan { start: entry, end: rate.end(entry, demand.work / f64::from(processors)) }
            }
            StationAhead::Copied(copy) => copy.serve(entry, demand, limit),
            StationAhead::Expected(expected) => expected.serve(entry, demand),
        }
    }

    /// The same on a server that goes down and up, as in `StationCopy::serve_through`; only a
    /// station that is copied does.
    ///
    /// # Errors
    /// The instant at which the work is lost.
    pub(crate) fn serve_through(
        &mut self,
        outages: &ServerOutages,
        now: SimTime,
        (entry, demand, limit): (SimTime, StationDemand, LookLimit),
    ) -> Result<ServiceSpan, SimTime> {
        match self {
            StationAhead::Copied(copy) => copy.serve_through(outages, now, (entry, demand, limit)),
            other => Ok(other.serve(entry, demand, limit)),
        }
    }

    /// Returns true if whatever enters from an instant on is alone there, and always served as
    /// fast.
    pub(crate) fn is_lone(&mut self, at: SimTime) -> bool {
        match self {
            StationAhead::Alone(rate, _) => matches!(rate, Rate::Constant(_)),
            StationAhead::Expected(_) => false,
            StationAhead::Copied(copy) => {
                if copy.has_others() || !matches!(copy.rate(), Rate::Constant(_)) {
                    return false;
                }
                copy.advance(at);
                copy.number() == [0, 0]
            }
        }
    }

    /// The rate of a sender in the long run that has one packet of this size in the station at all
    /// times \[work/s\], by what is there at an instant.
    pub(crate) fn sustained(&self, at: SimTime, packet: f64) -> f64 {
        match self {
            StationAhead::Alone(rate, _) => rate.at(at),
            StationAhead::Copied(copy) => copy.rate().at(at),
            StationAhead::Expected(expected) => expected.sustained(at, packet),
        }
    }

    /// The same station at the rate of an instant, and as busy with others as it is in the long
    /// run: with nothing of ours.
    pub(crate) fn settled(&mut self, at: SimTime) {
        match self {
            StationAhead::Expected(expected) => expected.settle(at),
            StationAhead::Alone(rate, _) => *rate = Rate::Constant(rate.at(at)),
            StationAhead::Copied(copy) => {
                *self = StationAhead::Alone(Rate::Constant(copy.rate().at(at)), 1);
            }
        }
    }
}
