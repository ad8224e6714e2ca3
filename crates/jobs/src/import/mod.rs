//! Readers of others' job formats: accounting dumps of Slurm with the site's `slurm.conf`,
//! Batsim's workloads, and tables of jobs.
//!
//! Each is a [`Format`](crate::workload::log_source::Format) of logs, cut, scaled and made random
//! as any other, and what `clustersim convert` reads. What the simulator cannot represent is
//! counted by its cause, with the lines it stands in; it never goes in silence.

pub mod batsim;
mod names;
pub mod slurm;
pub mod table;

use crate::registry::Problem;
use crate::registry::code;
use crate::workload::swf::Report;

/// Mistakes of records of which none is a job that can be run.
fn nothing_kept(report: &Report) -> Problem {
    let causes: Vec<String> =
        report.tallies().map(|(cause, tally)| format!("{} {}", tally.count, cause.about())).collect();
    let message = format!("none of its {} records is a job that can be run", report.jobs);
    Problem::new(code::NO_JOBS, message).help(causes.join("; "))
}
