//! Work and times of a station, by kind of traffic: in the window from the end of the warm-up to
//! the end of the run.

use crate::kernel::{SimDuration, SimTime};
use crate::registry::definition::words;

words! {
    /// The owner of what a station serves.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum StationTraffic {
        Own = "own", "tasks of clients";
        Probe = "probe", "probes of monitors";
        Extraneous = "extraneous", "packets and tasks of others";
    }
}

/// The time that a station served each kind of traffic, and how much.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Usage {
    /// Service by kind of traffic, in the order of `StationTraffic::ALL`.
    pub busy: [SimDuration; 3],
    /// Work that was served or is on its way through the station.
    pub work: [f64; 3],
}

/// A service that begins and ends at known instants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServiceSpan {
    /// Instant at which it begins.
    pub start: SimTime,
    /// Instant at which it ends.
    pub end: SimTime,
}

impl ServiceSpan {
    /// The part of it between two instants.
    pub fn clipped(&self, from: SimTime, to: SimTime) -> SimDuration {
        self.end.min(to).since(self.start.max(from))
    }
}

impl Usage {
    /// Counts what of a service lies in a window that begins at `from`.
    #[inline]
    pub fn add(&mut self, traffic: StationTraffic, service: ServiceSpan, work: f64, from: SimTime) {
        if service.end > from {
            self.busy[traffic as usize] += service.clipped(from, SimTime::MAX);
            self.work[traffic as usize] += work;
        }
    }

    /// All of the time that the station served.
    pub fn total(&self) -> SimDuration {
        self.busy.iter().copied().sum()
    }
}
