//! The places of jobs among features of another crate: which one a job is at, which one holds it,
//! and which one wants it to start now.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::{SimTime, now};

/// Place of a job.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passage {
    /// Turn of the feature that is asked next; of one that holds it, if one does.
    pub(super) next: usize,
    /// True if the job was interrupted.
    pub(super) again: bool,
    /// The feature that holds it, and the place of that in the record.
    pub(super) held: Option<(usize, usize)>,
    /// The feature that took it over and wants it to start now; and the place in the record of its
    /// hold, if it held the job.
    pub(super) due: Option<(usize, Option<usize>)>,
    /// Instant at which the job was due last, and how many jobs had left by then.
    pub(super) tried: Option<(SimTime, u64)>,
}

impl Passage {
    /// Makes the job due now.
    fn becomes_due(&mut self, by: usize, held: Option<usize>, left: u64) {
        (self.due, self.tried) = (Some((by, held)), Some((now(), left)));
    }
}

/// Jobs that are on their way, or were interrupted.
#[derive(Debug, Default)]
pub(super) struct Passages {
    all: OrderedMap<JobId, Passage>,
    /// Number of the jobs that left.
    left: u64,
}

impl Passages {
    pub(super) fn of(&self, job: JobId) -> Passage {
        self.all.get(&job).copied().unwrap_or_default()
    }

    pub(super) fn put(&mut self, job: JobId, passage: Passage) {
        self.all.insert(job, passage);
    }

    pub(super) fn remove(&mut self, job: JobId) -> Passage {
        self.all.remove(&job).unwrap_or_default()
    }

    /// A job leaves: what it had is free for others at the same instant.
    pub(super) fn leaves(&mut self, job: JobId) -> Passage {
        self.left += 1;
        self.remove(job)
    }

    /// Takes a job out of the hands of the feature that holds it; the place of the hold in the
    /// record. `None` if that feature does not hold it.
    pub(super) fn let_go(&mut self, job: JobId, feature: usize) -> Option<usize> {
        let passage = self.all.get_mut(&job)?;
        let (_, place) = passage.held.take_if(|(by, _)| *by == feature)?;
        passage.next += 1;
        Some(place)
    }

    /// Makes a job due at its submission, or when it waits again.
    pub(super) fn takes_over(&self, passage: &mut Passage, feature: usize, held: Option<usize>) {
        passage.becomes_due(feature, held, self.left);
    }

    /// Makes a job due that a feature holds: false if it was due at this instant already and none
    /// left since, and it is held still. `None` if that feature does not hold it.
    pub(super) fn becomes_due(&mut self, job: JobId, feature: usize) -> Option<bool> {
        let left = self.left;
        let passage = self.all.get_mut(&job)?;
        let (_, place) = passage.held.filter(|(by, _)| *by == feature)?;
        if passage.tried == Some((now(), left)) {
            return Some(false);
        }
        (passage.held, passage.next) = (None, passage.next + 1);
        passage.becomes_due(feature, Some(place), left);
        Some(true)
    }
}
