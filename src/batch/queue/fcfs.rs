//! First come, first served: the queue is in order of submission.

use crate::registry::{Entry, entry};

use super::{Discipline, Keyed};

pub(super) const ENTRY: Entry<dyn Discipline> = entry! {
    "fcfs" => "first come, first served: jobs are considered in order of submission", builds FCFS
};

/// The key is the submission, which may be another one in a run than in the log.
pub(super) const FCFS: Keyed = Keyed { key: |job| job.submit_time.as_nanos(), overtakes: false };
