//! The places of jobs among features of another crate: which one a job is at, and which one holds
//! it.

use crate::collections::OrderedMap;
use crate::ids::JobId;

/// Place of a job.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passage {
    /// The feature that is asked next.
    pub(super) next: usize,
    /// True if the job was interrupted.
    pub(super) again: bool,
    /// The feature that holds it, and the place of that in the record.
    pub(super) held: Option<(usize, usize)>,
}

/// Jobs that are on their way, or were interrupted.
#[derive(Debug, Default)]
pub(super) struct Passages(OrderedMap<JobId, Passage>);

impl Passages {
    pub(super) fn of(&self, job: JobId) -> Passage {
        self.0.get(&job).copied().unwrap_or_default()
    }

    pub(super) fn put(&mut self, job: JobId, passage: Passage) {
        self.0.insert(job, passage);
    }

    pub(super) fn remove(&mut self, job: JobId) -> Passage {
        self.0.remove(&job).unwrap_or_default()
    }

    /// Takes a job out of the hands of the feature that holds it; the place of the hold in the
    /// record. `None` if that feature does not hold it.
    pub(super) fn let_go(&mut self, job: JobId, feature: usize) -> Option<usize> {
        let passage = self.0.get_mut(&job)?;
        let (_, place) = passage.held.take_if(|(by, _)| *by == feature)?;
        passage.next = feature + 1;
        Some(place)
    }
}
