//! A study as a job array of Slurm: one task a shard, and a collector behind it.
//!
//! What Slurm does and does not do decides how this is built:
//!
//! - a task that is killed or fails stays failed: `resume` submits what has no seal, with the same
//!   script;
//! - the tasks of a lost node are begun again by Slurm itself: a shard finds its journals and goes
//!   on;
//! - a task that ends with 75 asks for another try itself, a limited number of times;
//! - a time limit sends TERM first: the shard's journal holds what is done, and the task asks for
//!   another try;
//! - a job that waits for `afterok` of an array with one failed task waits for ever: the collector
//!   waits for `afterany`;
//! - what became of a task is known by its seal first and by `squeue` second; accounting need not
//!   exist.
//!
//! Source: Slurm's manual pages of `sbatch`, `squeue` and `scontrol`; tried with 22.05.

mod call;
mod jobs;
mod script;

pub use call::{Submission, queue, submit};
pub use jobs::{Array, JOBS, Jobs, Seen, parse, ranges};
pub use script::text as script;

/// The directory of script and job numbers.
pub const FOLDER: &str = "slurm";
/// The script's name in it.
pub const SCRIPT: &str = "job.sh";
/// The directory of what tasks print.
pub const LOGS: &str = "logs";
