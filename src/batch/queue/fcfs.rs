//! First come, first served: the queue is in order of submission.

use crate::registry::{Entry, entry};
use crate::workload::Job;

use super::Discipline;

pub(super) const ENTRY: Entry<dyn Discipline> = entry! {
    "fcfs" => "first come, first served: jobs are considered in order of submission", builds Fcfs
};

/// The key is the submission, which may be another one in a run than in the log.
#[derive(Debug)]
pub(super) struct Fcfs;

impl Discipline for Fcfs {
    fn key(&self, job: &Job) -> u64 {
        job.submit_time.as_nanos()
    }
}
