//! First come, first served: the queue is in order of submission.

use crate::registry::Entry;
use crate::workload::Job;

use super::Discipline;

pub(super) const ENTRY: Entry<dyn Discipline> = Entry {
    name: "fcfs",
    about: "first come, first served: jobs are considered in order of submission",
    source: "",
    keys: &[],
    build: |_| Ok(Box::new(Fcfs)),
};

/// Every job has the same key.
#[derive(Debug)]
pub(super) struct Fcfs;

impl Discipline for Fcfs {
    fn key(&self, _: &Job) -> u64 {
        0
    }
}
