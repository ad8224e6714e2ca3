//! Traces of parallel jobs: `[workload] kind = "task-trace"`, a file with a JSON object on each
//! line.
//!
//! A line is a job in one of three forms: iterations (`tasks`, `iterations`, computing and I/O of
//! all tasks or of each, a pattern or explicit peers, messages), a pipeline (it has `frames`), or
//! recorded steps of each task (it has `steps`). Values are written as in a scenario, with units.
//! Blank lines are skipped; lines need not be in order of arrival. The file may be compressed by
//! gzip.
//!
//! Every mistake of the file is reported, at its value, or counted. Lines are read one at a time
//! and are bounded in length, so that a small compressed file cannot fill the memory.
//!
//! Source: the trace that ClusterSchedSim reads holds, for each job, arrival, iterations, tasks,
//! their laws of computing and I/O, and a pattern (SIMULATION 80(4-5), 2004, section 2.2); its
//! syntax is not given, and this one is ours.

mod job;
mod json;
mod read;
#[cfg(test)]
mod tests;

use crate::registry::{Complaint, Excerpt};
use crate::text::Mistakes;
use crate::workload::Job;
use crate::workload::swf::ErrorKind;

use super::application::Applications;

pub use job::{ITERATING, PIPELINE, RECORDED};
pub use read::read;

/// The jobs of a trace.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The jobs, in order of submission; at equal times in the order of the file.
    pub jobs: Vec<Job>,
    /// The application of each.
    pub applications: Applications,
}

/// Reason that a trace cannot be read.
#[derive(Clone, Debug)]
pub enum Unreadable {
    /// The file as a whole.
    File(ErrorKind),
    /// No job is in it.
    NoJobs,
    /// Mistakes in its lines, in their order.
    Lines(Mistakes<Mistake>),
}

/// A mistake in a line; the places of the complaint are bytes of the line.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// The complaint.
    pub complaint: Complaint,
    /// The line at fault, as far as it is shown, and where.
    pub excerpt: Excerpt,
}
