//! `record.runs`: the runs of a study that leave directories of their own.

use crate::registry::{Key, choices, key};

choices! {
    /// Runs of each point of a study that are kept as complete directories.
    #[derive(Default)]
    pub enum KeptRuns {
        #[default]
        None = "none", "no run";
        First = "first", "the first replication of every point";
        All = "all", "every replication, and the log as recorded where replications randomize it";
    }
}

impl KeptRuns {
    /// Returns true if a replication is among them; `None` is the run of the log as recorded.
    pub fn has(self, replication: Option<u32>) -> bool {
        match self {
            KeptRuns::None => false,
            KeptRuns::First => replication == Some(0),
            KeptRuns::All => true,
        }
    }
}

/// Runs of a study that are kept.
pub const RUNS: Key = key! {
    "runs" KeptRuns::CHOICES, absent "none: a study keeps the figures of its runs" =>
        "of a study: the runs that are kept as complete directories in runs/, with the files that each would write \
         alone; one that fails is not kept"
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_replication_or_every_run_is_kept() {
        let kept = |runs: KeptRuns| [None, Some(0), Some(1)].map(|replication| runs.has(replication));
        assert_eq!(kept(KeptRuns::default()), [false; 3]);
        assert_eq!(kept(KeptRuns::First), [false, true, false]);
        assert_eq!(kept(KeptRuns::All), [true; 3]);
    }
}
