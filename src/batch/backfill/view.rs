//! What a backfilling rule looks at.

use crate::batch::planned::{Outlook, Planned};
use crate::batch::profile::Profile;
use crate::batch::queue::Queue;
use crate::batch::running::Running;
use crate::kernel::{SimDuration, SimTime};

/// What a backfilling rule sees of an instant.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The instant.
    pub now: SimTime,
    /// Processors free now.
    pub free: u64,
    /// The jobs that wait. The head needs more than `free`, unless the rule leads.
    pub queue: &'a Queue,
    /// The jobs that run.
    pub running: &'a Running,
    /// The reservations of processors that are known and not over. Where there are some the head may need no more than `free`.
    pub planned: &'a [Planned],
}

impl View<'_> {
    /// The processors that there are: free, those of running jobs, and those that reservations have.
    pub(super) fn there(&self) -> u64 {
        self.free + self.running.held() + self.planned.iter().map(|one| one.taken).sum::<u64>()
    }

    /// The free processors from now on, where jobs past their estimates go on for `late`.
    pub(super) fn profile(&self, late: SimDuration) -> Profile {
        Outlook::new((self.now, self.free), self.running, self.planned).profile(late)
    }
}
