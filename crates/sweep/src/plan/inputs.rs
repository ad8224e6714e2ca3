//! Inputs of tasks in a plan: where each comes from, over which link, and the planned contents of
//! storages with a limit.
//!
//! Tasks are taken to read their inputs one after the other, in the order in which they get slots.
//! Where the inputs of a task are too much with what is there, those files are taken out of the
//! chart that were used least recently, and a later task has them sent again. That tasks wait for
//! room is not planned: a run may be behind its plan for it.

use std::rc::Rc;

use crate::estimate::known::KnownSweep;
use crate::estimate::predictions::SubTask;
use crate::model::grid::ClusterNumber;
use crate::model::storage::{LimitedStorage, RecentFiles};
use crate::plan::chart::{Chart, SentSpan};
use crate::workflow::FileNumber;

impl Chart {
    /// The slot in which an input comes to a cluster, not before `from`, between those in `sent`:
    /// from its origin, or from another cluster that has it or gets it, wherever it comes from
    /// first; of equals from its origin, then over the lowest link.
    pub(crate) fn input_span(
        &self,
        file: FileNumber,
        cluster: ClusterNumber,
        from: u64,
        sent: &[SentSpan],
    ) -> Option<SentSpan> {
        let (input, bytes) = (SubTask::Input(file), self.known.bytes(file));
        let over = |link, from| {
            let (start, end) = self.gap(link, input, bytes, from, sent)?;
            Some((link, start, end))
        };
        let mut first: Option<SentSpan> = over(self.link_of(file, cluster), from);
        for &(link, source) in self.grid.neighbours(cluster) {
            let there = self.there_from(file, source);
            let Some(span) = there.and_then(|there| over(link, from.max(there))) else { continue };
            if first.is_none_or(|first| span.2 < first.2) {
                first = Some(span);
            }
        }
        first
    }

    /// Instant from which a cluster can send a file to others; `None` if it does not have it, or is
    /// not there.
    fn there_from(&self, file: FileNumber, cluster: ClusterNumber) -> Option<u64> {
        let columns = &self.clusters[cluster.index()];
        if !columns.has_storage || !columns.is_linked {
            return None;
        }
        let stored = self.stored.is_stored(cluster, file).then_some(self.floor);
        stored.or_else(|| columns.arrivals.get(&file).copied())
    }

    /// The clusters on which completions may change when a task gets a slot on one: that, and those
    /// that links join to it.
    pub(crate) fn changed_with(&self, cluster: ClusterNumber) -> impl Iterator<Item = ClusterNumber> + use<> {
        let mut others: Vec<ClusterNumber> =
            self.grid.neighbours(cluster).iter().map(|(_, other)| *other).collect();
        others.sort_unstable();
        others.dedup();
        std::iter::once(cluster).chain(others)
    }

    /// The clusters among which it matters where a file lies, if tasks can be planned on these.
    pub(crate) fn clusters_with_files(&self, planned: &[ClusterNumber]) -> Vec<ClusterNumber> {
        if self.grid.has_links_between() { self.grid.cluster_numbers().collect() } else { planned.to_vec() }
    }
}

/// A storage in a chart.
#[derive(Clone, Debug)]
pub(crate) struct PlannedStorage {
    pub(crate) capacity: u64,
    /// By the known sizes.
    used: u64,
    files: RecentFiles,
}

impl PlannedStorage {
    /// A storage as it is now.
    pub(crate) fn new(storage: &LimitedStorage, known: &KnownSweep) -> Self {
        let files = storage.files().clone();
        let used = files.oldest_first().map(|file| known.bytes(file)).sum();
        PlannedStorage { capacity: storage.capacity(), used, files }
    }

    /// Files are read; those that are removed for them.
    fn read(&mut self, files: &[FileNumber], known: &KnownSweep) -> Vec<FileNumber> {
        for &file in files {
            if self.files.touch(file) {
                self.used = self.used.saturating_add(known.bytes(file));
            }
        }
        let mut removed = Vec::new();
        for other in self.files.oldest_first().filter(|other| !files.contains(other)) {
            if self.used <= self.capacity {
                break;
            }
            self.used -= known.bytes(other);
            removed.push(other);
        }
        removed.retain(|other| self.files.forget(*other));
        removed
    }
}

impl Chart {
    /// These files are on a cluster or get there; what its storage cannot hold with them is not
    /// there for tasks that are planned later.
    pub(crate) fn keep_within_limit(&mut self, cluster: ClusterNumber, files: &[FileNumber]) {
        let columns = &mut self.clusters[cluster.index()];
        let Some(limit) = &mut columns.limit else { return };
        for file in limit.read(files, &self.known) {
            columns.arrivals.remove(&file);
            if self.stored.is_stored(cluster, file) {
                Rc::make_mut(&mut self.stored).remove(cluster, file);
            }
        }
    }
}
