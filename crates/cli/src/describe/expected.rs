//! The extent of a run of so many jobs, before it is made.

use clustersim_experiment::output::number::{grouped, span};

/// Rows or jobs that are read in a second, on a slow core and on a fast one.
const READ: [f64; 2] = [2e5, 2e6];
/// Jobs that are run in a second by a policy that looks at a short queue.
const RUN: [f64; 2] = [2e4, 5e5];
/// Bytes of memory that a job takes while it is read, and in a run.
pub(super) const JOB_BYTES: [u64; 2] = [100, 250];

/// Time and memory to expect.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Expected {
    /// Seconds of reading, at best and at worst.
    pub(super) read: [f64; 2],
    /// Seconds of a run, at best and at worst.
    pub(super) run: [f64; 2],
    /// Bytes of memory of a run.
    pub(super) memory: u64,
}

impl Expected {
    /// Expectation for a file of so many records that hold so many jobs.
    pub(super) fn of(records: u64, jobs: u64) -> Expected {
        let seconds = |count: u64, [slow, fast]: [f64; 2]| [count as f64 / fast, count as f64 / slow];
        Expected { read: seconds(records, READ), run: seconds(jobs, RUN), memory: jobs * JOB_BYTES[1] }
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        let range = |[best, worst]: [f64; 2]| {
            if worst < 1.0 { "under 1 s".to_owned() } else { format!("{} to {}", span(best), span(worst)) }
        };
        let memory = match self.memory.div_ceil(1_000_000) {
            0 | 1 => "1 MB at most".to_owned(),
            megabytes => format!("{} MB", grouped(megabytes)),
        };
        format!(
            "reading {}, a run {} where queues are short, {memory} for its jobs",
            range(self.read),
            range(self.run)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_memory_grow_with_the_jobs() {
        assert_eq!(
            Expected::of(100, 90).words(),
            "reading under 1 s, a run under 1 s where queues are short, 1 MB at most for its jobs"
        );
        let large = Expected::of(44_000_000, 40_000_000);
        assert_eq!(large.memory, 10_000_000_000);
        assert!((large.read[1] - 220.0).abs() < 1e-9 && (large.run[0] - 80.0).abs() < 1e-9);
        assert!(large.words().contains("10,000 MB"), "{}", large.words());
    }
}
