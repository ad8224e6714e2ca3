//! `slurm/jobs.json`: what was submitted, so that it can be asked for and submitted again; and what
//! `squeue` says of it.

use std::fs;
use std::path::Path;

use crate::collections::OrderedMap;

use serde::{Deserialize, Serialize};

/// The file's name in the directory of Slurm's files.
pub const JOBS: &str = "jobs.json";
/// The version of the file's shape.
const SCHEMA: &str = "clustersim/slurm-jobs/1";

/// The submitted arrays, and the options with which they are submitted again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jobs {
    /// The version of the file's shape.
    pub schema: String,
    /// Tasks that run at once at most.
    pub throttle: Option<u32>,
    /// Further options of `sbatch`.
    pub options: Vec<String>,
    /// The arrays, the oldest first.
    pub arrays: Vec<Array>,
}

/// One array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Array {
    /// Slurm's number of it.
    pub id: String,
    /// Shards, as `--array` takes them.
    pub shards: String,
    /// The number of the job that collects behind it.
    pub collector: Option<String>,
}

impl Jobs {
    /// Nothing submitted so far.
    pub fn new(throttle: Option<u32>, options: Vec<String>) -> Self {
        Jobs { schema: SCHEMA.to_owned(), throttle, options, arrays: Vec::new() }
    }

    /// The file in `folder`; `None` if there is none that can be read.
    pub fn read(folder: &Path) -> Option<Self> {
        let jobs: Jobs = serde_json::from_slice(&fs::read(folder.join(JOBS)).ok()?).ok()?;
        (jobs.schema == SCHEMA).then_some(jobs)
    }
}

/// The state of a task by Slurm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Running.
    Running,
    /// Waiting to be run, for the first time or again.
    Waiting,
    /// Over; Slurm's word for the outcome.
    Over(String),
}

/// Reads what `squeue -h -r -t all -o '%K %T %r'` prints: index, state and reason of each task.
pub fn parse(printed: &str) -> OrderedMap<u32, Seen> {
    let mut seen = OrderedMap::new();
    for line in printed.lines() {
        let mut words = line.split_whitespace();
        let (Some(index), Some(state)) = (words.next(), words.next()) else { continue };
        let Ok(index) = index.parse::<u32>() else { continue };
        let state = match state {
            "RUNNING" | "COMPLETING" | "CONFIGURING" | "RESIZING" | "SIGNALING" | "STAGE_OUT"
            | "SUSPENDED" | "STOPPED" => Seen::Running,
            "PENDING" | "REQUEUED" | "REQUEUE_FED" | "REQUEUE_HOLD" | "SPECIAL_EXIT" | "PREEMPTED" => {
                Seen::Waiting
            }
            other => Seen::Over(other.to_lowercase().replace('_', " ")),
        };
        seen.insert(index, state);
    }
    seen
}

/// Numbers in rising order as `--array` takes them: `0-2,5,7-9`.
pub fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let words = runs.map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        alone => alone.first().map_or_else(String::new, u32::to_string),
    });
    words.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_written_as_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
        assert_eq!(ranges(&[3]), "3");
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn what_squeue_prints_is_read_and_what_is_no_task_is_passed_over() {
        let seen = parse(
            "0 COMPLETED None\n1 RUNNING None\n2 PENDING (JobArrayTaskLimit)\n3 FAILED JobLaunchFailure\nN/A RUNNING None\n\n\
             4 NODE_FAIL None\n",
        );
        assert_eq!(seen.len(), 5);
        assert_eq!(seen[&1], Seen::Running);
        assert_eq!(seen[&2], Seen::Waiting);
        assert_eq!(seen[&3], Seen::Over("failed".to_owned()));
        assert_eq!(seen[&4], Seen::Over("node fail".to_owned()));
    }
}
