//! Planned contents of a storage with a limit: as if tasks read their inputs one after the other,
//! in the order in which they get slots.
//!
//! Where the inputs of a task are too much with what is there, those files are taken out of the
//! chart that were used least recently, and a later task has them sent again. That tasks wait for
//! room is not planned: a run may be behind its plan for it.

use std::rc::Rc;

use crate::sweep::estimate::known::KnownSweep;
use crate::sweep::model::grid::ClusterNumber;
use crate::sweep::model::storage::{LimitedStorage, RecentFiles};
use crate::sweep::plan::chart::Chart;
use crate::workflow::FileNumber;

/// A storage in a chart.
#[derive(Clone, Debug)]
pub(in crate::sweep) struct PlannedStorage {
    pub(in crate::sweep) capacity: u64,
    /// By the known sizes.
    used: u64,
    files: RecentFiles,
}

impl PlannedStorage {
    /// A storage as it is now.
    pub(in crate::sweep) fn new(storage: &LimitedStorage, known: &KnownSweep) -> Self {
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
    pub(in crate::sweep) fn keep_within_limit(&mut self, cluster: ClusterNumber, files: &[FileNumber]) {
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
