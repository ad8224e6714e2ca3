//! Values that are measured, and when they are known.

use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Bounds, Complaint, Key, Kind, Params};

/// The values of a resource that are measured: one a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measurements {
    /// The time from one to the next.
    pub step: SimDuration,
    /// Time for which after it was measured a value is known.
    pub delay: SimDuration,
}

/// The key `step`, which [`Measurements::read`] reads.
pub const STEP: Key = Key::new("step", Kind::Duration(Bounds::Within(0.001, 1e9)))
    .or("5s")
    .about("the time from one measured value to the next");

/// The key `delay`, which [`Measurements::read`] reads.
pub const DELAY: Key = Key::new("delay", Kind::Duration(Bounds::NotNegative))
    .or("0s")
    .about("how long after it was measured a value is known");

impl Measurements {
    /// By the keys [`STEP`] and [`DELAY`].
    ///
    /// # Errors
    /// A value is wrong.
    pub fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        Ok(Measurements { step: params.read("step")?, delay: params.read("delay")? })
    }

    /// Number of values known at an instant.
    pub fn count(&self, now: SimTime) -> u64 {
        match now.as_nanos().checked_sub(self.delay.as_nanos()) {
            Some(known) => known / self.step.as_nanos().max(1) + 1,
            None => 0,
        }
    }

    /// Instants of the last `most` known measurements, from the oldest on.
    pub fn last(&self, now: SimTime, most: u64) -> impl Iterator<Item = SimTime> + Clone + use<> {
        let (own, count) = (*self, self.count(now));
        (count.saturating_sub(most)..count).map(move |place| own.instant(place))
    }

    /// Instant at which the value of this place was measured.
    pub fn instant(&self, place: u64) -> SimTime {
        SimTime::from_nanos(place.saturating_mul(self.step.as_nanos()))
    }
}
