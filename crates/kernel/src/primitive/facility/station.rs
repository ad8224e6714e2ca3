//! The statistics of a facility.

use crate::stats::{StationLog, TimeWeighted};
use crate::time::SimTime;

/// Exact statistics of a facility: how many processes are in it, how many queue, and how many
/// servers are busy.
///
/// Two of the three are logs of individual stays, for which Little's law is an identity of whole
/// numbers. A customer is *inside* from its request until it gives the server back or gives up, and
/// in the *queue* from its request until a server is handed to it. Under processor sharing no
/// process queues; under preemption the preempted queue again.
#[derive(Clone, Debug)]
pub struct Station {
    pub(super) inside: StationLog,
    pub(super) queue: StationLog,
    pub(super) busy: TimeWeighted,
}

impl Station {
    pub(super) fn new(now: SimTime) -> Self {
        Station { inside: StationLog::new(now), queue: StationLog::new(now), busy: TimeWeighted::new(now, 0) }
    }

    /// Stays in the facility, queueing and service together.
    pub fn inside(&self) -> &StationLog {
        &self.inside
    }

    /// Stays in the queue; a customer that is served at once has one of no length.
    pub fn queue(&self) -> &StationLog {
        &self.queue
    }

    /// Busy servers over time.
    pub fn busy(&self) -> &TimeWeighted {
        &self.busy
    }

    /// Begins a new window at `now`, for instance at the end of a warm-up.
    pub fn reset(&mut self, now: SimTime) {
        self.inside.reset(now);
        self.queue.reset(now);
        self.busy.reset(now);
    }
}
