//! Workloads: the jobs a cluster is asked to run.
//!
//! A workload is a list of rigid [`Job`]s in order of submission, read from a log in the Standard
//! Workload Format ([`swf`]), made random from one ([`randomization`]) or drawn from distributions
//! ([`synthetic`]). [`load`] computes the load it offers to a machine and scales it to another one.
//! Jobs may be [`moldable`]: then a law of [`speedup`] states how long they run on other numbers of
//! processors. Nothing here knows how a job is scheduled.

mod attributes;
pub mod cancellation;
mod checkpoint;
pub mod dependency;
pub mod estimate;
pub(crate) mod growth;
mod job;
pub mod load;
pub mod log_source;
mod marks;
pub mod moldable;
pub mod parallel;
pub mod randomization;
pub mod resources;
pub mod source;
pub mod speedup;
mod summary;
pub mod swf;
pub mod synthetic;
mod walltime;

use crate::registry::Table;

pub use attributes::{Attribute, Attributes, Labels, Stated};
pub use checkpoint::Checkpoint;
pub use job::{Job, UNKNOWN_ID};
pub use marks::{JobMarks, WaitMark};
pub use source::{Habits, Workload};
pub use summary::{LimitUse, LogSummary, LogWeek, MiddleRange, recorded_peak};
pub use walltime::{LimitOf, Walltime};

/// The sources of jobs by name.
pub fn sources() -> Table<dyn source::Source> {
    Table::new(
        "workload",
        "the jobs and when they are submitted",
        &[
            synthetic::DOWNEY,
            synthetic::LUBLIN_FEITELSON,
            synthetic::LUBLIN_FEITELSON_WHOLE,
            parallel::stream::PARALLEL,
            log_source::SWF,
            synthetic::SYNTHETIC,
            parallel::trace_source::TASK_TRACE,
        ],
    )
}
