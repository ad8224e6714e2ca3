//! Jobs that depend on others, in the record: when they were considered, and which never are.

use crate::collections::{OrderedMap, OrderedSet};
use crate::ids::JobId;
use crate::kernel::SimTime;

use super::jobs::Record;

impl Record {
    /// Notes that a job which was held until others had left is considered from now on.
    pub fn released(&mut self, job: JobId, now: SimTime) {
        self.released.insert(job, now);
    }

    /// The jobs that were held, and from when on they were considered.
    pub fn releases(&self) -> &OrderedMap<JobId, SimTime> {
        &self.released
    }

    /// Notes that a job is submitted when another has left.
    pub fn follows(&mut self, job: JobId) {
        self.followers.insert(job);
    }

    /// The jobs that were submitted when others had left.
    pub fn followers(&self) -> &OrderedSet<JobId> {
        &self.followers
    }

    /// Sets the jobs that were never submitted, as others had to leave before and did not.
    #[must_use]
    pub fn without(mut self, never_submitted: OrderedSet<JobId>) -> Self {
        self.never_submitted = never_submitted;
        self
    }

    /// Jobs that were never submitted, as others had not left when the run was stopped.
    pub fn never_submitted(&self) -> &OrderedSet<JobId> {
        &self.never_submitted
    }

    /// Notes that a job waits for ever, and so do those that wait for it.
    pub fn holds_for_ever(&mut self, job: JobId) {
        self.held_for_ever.insert(job);
    }

    /// Jobs that wait for ever, submitted or not.
    pub fn held_for_ever(&self) -> &OrderedSet<JobId> {
        &self.held_for_ever
    }
}
