//! Jobs of a replayed log with both their waits, and the facts of the replay.

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::definition::words;

words! {
    /// Cause for which a recorded wait may be another one than that of a simulation: something of
    /// the log that the simulation does not have.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum ErrorCause {
        Held = "held", "could not start when submitted: a dependency, a begin time, a hold, a limit";
        Reserved = "reserved", "ran in an advance reservation, of the log or of the scenario";
        LeftOut = "left-out", "asked for resources that the scenario leaves out";
        TriedAgain = "tried-again", "were requeued, preempted, or lost a node";
    }
}

/// The causes that a job has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ErrorCauses(u8);

impl ErrorCauses {
    /// No cause.
    pub const NONE: ErrorCauses = ErrorCauses(0);

    /// The same causes, and another one if it holds.
    #[must_use]
    pub fn with(self, cause: ErrorCause, holds: bool) -> Self {
        if holds { ErrorCauses(self.0 | 1 << cause as u8) } else { self }
    }

    /// Returns true if this cause is among them.
    pub fn has(self, cause: ErrorCause) -> bool {
        self.0 & 1 << cause as u8 != 0
    }

    /// Returns true if one of these causes is among them.
    pub fn has_any(self, causes: &[ErrorCause]) -> bool {
        causes.iter().any(|&cause| self.has(cause))
    }

    /// Returns true if there is no cause.
    pub fn are_none(self) -> bool {
        self.0 == 0
    }
}

/// A job that the log records and the simulation ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplayedJob {
    /// Instant from which its waits count.
    pub begin: SimTime,
    /// Recorded wait.
    pub recorded: SimDuration,
    /// Simulated wait.
    pub simulated: SimDuration,
    /// Processors that it had.
    pub procs: u32,
    /// Number of its queue, if it is known.
    pub queue: Option<u32>,
    /// Number of its partition.
    pub partition: Option<u32>,
    /// Number of its user group.
    pub group: Option<u32>,
    /// Causes of a recorded wait of its own.
    pub causes: ErrorCauses,
    /// True if it started as recorded, whatever the policy would have done.
    pub is_fixed: bool,
}

impl ReplayedJob {
    /// Absolute difference of its two waits.
    pub fn error(&self) -> SimDuration {
        SimDuration::from_nanos(self.recorded.as_nanos().abs_diff(self.simulated.as_nanos()))
    }

    /// Recorded and simulated start.
    pub fn starts(&self) -> (SimTime, SimTime) {
        (self.begin.saturating_add(self.recorded), self.begin.saturating_add(self.simulated))
    }
}

/// Names of the numbers of queues, partitions and user groups, as far as the log states them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReplayNames {
    /// Names of queues.
    pub queues: OrderedMap<u32, String>,
    /// Names of partitions.
    pub partitions: OrderedMap<u32, String>,
    /// Names of user groups.
    pub groups: OrderedMap<u32, String>,
}

/// The facts of a replay: its machine and its jobs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReplayFacts {
    /// Processors of the simulated machine.
    pub procs: u32,
    /// Processors of the machine that the scenario or the log states.
    pub stated: u32,
    /// Most processors that recorded jobs had at one instant.
    pub peak: u32,
    /// Jobs of the workload.
    pub jobs: u64,
    /// Jobs whose wait is not recorded.
    pub unrecorded: u64,
    /// Jobs that start as recorded.
    pub fixed: u64,
    /// Last instant at which a recorded wait begins.
    pub last: SimTime,
    /// Names of queues, partitions and groups.
    pub names: ReplayNames,
}
