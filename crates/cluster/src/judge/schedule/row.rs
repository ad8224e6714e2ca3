//! A job of a schedule, as its file has it.

use crate::collections::Interval;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::{DemandId, GpuShare};

/// The request of a job that may have been given something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Requested {
    /// Processors.
    pub procs: u32,
    /// Time for which its user said it runs on them.
    pub estimate: SimDuration,
    /// Time for which it runs on them, as the schedule has it.
    pub dedicated: Option<SimDuration>,
}

/// Instant from which on limits let a waiting job through, or hold it back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LimitTurn {
    /// The instant.
    pub at: SimTime,
    /// True if they let it through.
    pub through: bool,
    /// True if they may do otherwise, which is not in the files: one that they let through may be
    /// passed over when it is due, and of another nothing is known.
    pub in_doubt: bool,
    /// Place in the workload of the job whose start at this instant makes it so, if one does.
    pub by_start: Option<JobId>,
}

/// A completed job of a schedule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing that befell the job")]
pub struct Row {
    /// Number in messages.
    pub number: u64,
    /// Instant at which it was submitted.
    pub submit_time: SimTime,
    /// From when on it could be considered: its submission, or later if it waited for others to
    /// leave.
    pub considered: SimTime,
    /// True if one that it waited for left at that instant: others may have come before it then.
    pub follows: bool,
    /// Instant at which it started.
    pub start: SimTime,
    /// Instant at which it ended.
    pub end: SimTime,
    /// Time for which it had to run.
    pub run_time: SimDuration,
    /// Work of all its runs, as far as the workload is known.
    pub work: Option<SimDuration>,
    /// Time for which it runs by its estimate.
    pub estimate: SimDuration,
    /// True if it was killed, and did not end by itself.
    pub killed: bool,
    /// True if the job had to be killed at a walltime of its own, as far as the workload is known.
    pub own_limit: bool,
    /// True if its user cancelled it: while it ran, or before it started, if it had no processors.
    pub cancelled: bool,
    /// True if it is over because a node failed that it ran on.
    pub lost: bool,
    /// Processors it needed.
    pub procs: u32,
    /// The request, where jobs may be given other sizes.
    pub requested: Option<Requested>,
    /// The demand beyond processors, as far as the workload is known.
    pub demand: DemandId,
    /// Queue with nodes of its own to which it belongs, by its place, as far as the workload is
    /// known.
    pub queue: Option<u16>,
    /// Place of its job in the workload, as far as that is known.
    pub job: Option<JobId>,
    /// Instants at which limits of its queues turned while it waited: without any, they have let it
    /// through.
    pub turns: Vec<LimitTurn>,
    /// Number of the list of amounts of pools that it asks for, if it does.
    pub pools: Option<u32>,
    /// Processors it had.
    pub on: Vec<Interval>,
    /// GPUs that it had, where they are distinguished.
    pub gpus: Vec<GpuShare>,
}

/// Number, submission and size: what identifies a job in a schedule and in a workload, unless
/// others have the same.
pub(super) type Key = (u64, SimTime, u32);

impl Row {
    pub(super) fn key(&self) -> Key {
        (self.number, self.submit_time, self.procs)
    }

    /// The turn of an instant from which on it is in doubt whether limits let it through.
    pub(super) fn doubt_from(&self, at: SimTime) -> Option<&LimitTurn> {
        self.turns.iter().find(|turn| turn.at == at && turn.in_doubt)
    }

    /// Number of processors it had.
    pub(super) fn held(&self) -> u64 {
        self.on.iter().map(|on| on.count()).sum()
    }
}
