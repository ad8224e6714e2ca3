//! View of a task for a heuristic: its best completion on each cluster.

use smallvec::SmallVec;

use crate::estimate::known::KnownSweep;
use crate::model::grid::HostNumber;
use crate::plan::chart::ClusterCompletion;
use crate::workflow::TaskNumber;

/// A choice of a heuristic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ChosenTask {
    /// The task.
    pub task: TaskNumber,
    /// Host.
    pub host: HostNumber,
    /// The place of its class.
    pub(crate) class: usize,
    /// Tasks as urgent as it, out of which it was drawn, if it was.
    pub(crate) drawn_from: Option<u64>,
}

/// The best that a task can have on each cluster, and what is known of the application.
///
/// Tasks of a class get their rank together. So a rank follows from completions, times, shared
/// inputs, and sizes of other files, not from the name or the number of a task.
#[derive(Clone, Copy, Debug)]
pub struct Completions<'a> {
    /// The task.
    pub task: TaskNumber,
    row: &'a [Option<ClusterCompletion>],
    known: &'a KnownSweep,
}

impl<'a> Completions<'a> {
    /// The completions of a task by cluster; there is one at least.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(known: &'a KnownSweep, task: TaskNumber, row: &'a [Option<ClusterCompletion>]) -> Self {
        assert!(row.iter().any(Option::is_some), "the task can run somewhere");
        Completions { task, row, known }
    }

    /// Tasks, their files, and estimates of sizes and times.
    pub fn known(&self) -> &'a KnownSweep {
        self.known
    }

    /// On each cluster that can have it, in order.
    pub fn by_cluster(&self) -> impl Iterator<Item = &'a ClusterCompletion> + use<'a> {
        self.row.iter().flatten()
    }

    /// Clusters that are compared, with those that cannot have the task.
    pub fn clusters(&self) -> usize {
        self.row.len()
    }

    /// The least; of equals that of the lowest cluster.
    pub fn best(&self) -> &'a ClusterCompletion {
        self.by_cluster().min_by_key(|found| found.completion).expect("there is one")
    }

    /// The least on another cluster than that of the best.
    pub fn second_cluster(&self) -> Option<u64> {
        let mut least = [u64::MAX; 2];
        for found in self.by_cluster() {
            if found.completion < least[0] {
                least = [found.completion, least[0]];
            } else {
                least[1] = least[1].min(found.completion);
            }
        }
        // a completion is less than the greatest number
        Some(least[1]).filter(|second| *second < u64::MAX)
    }

    /// The least on another host than the best one; known to heuristics that look at hosts.
    pub fn second_host(&self) -> Option<u64> {
        self.second_cluster().into_iter().chain(self.best().second).min()
    }

    /// All, from the least on.
    pub fn in_order(&self) -> SmallVec<[u64; 8]> {
        let mut all: SmallVec<[u64; 8]> = self.by_cluster().map(|found| found.completion).collect();
        all.sort_unstable();
        all
    }
}
