//! Files stored on clusters.

use crate::sweep::model::grid::ClusterNumber;
use crate::workflow::FileNumber;

/// Files stored on each cluster.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoredFiles {
    /// Of each cluster, a bit a file.
    bits: Vec<Vec<u64>>,
}

impl StoredFiles {
    /// None yet.
    pub fn new(clusters: usize, files: usize) -> Self {
        StoredFiles { bits: vec![vec![0; files.div_ceil(64)]; clusters] }
    }

    /// Returns true if a file lies there.
    #[inline]
    pub fn is_stored(&self, cluster: ClusterNumber, file: FileNumber) -> bool {
        self.bits[cluster.index()][file.index() / 64] >> (file.index() % 64) & 1 == 1
    }

    /// Stores a file.
    pub fn store(&mut self, cluster: ClusterNumber, file: FileNumber) {
        self.bits[cluster.index()][file.index() / 64] |= 1 << (file.index() % 64);
    }

    /// Removes a file.
    pub fn remove(&mut self, cluster: ClusterNumber, file: FileNumber) {
        self.bits[cluster.index()][file.index() / 64] &= !(1 << (file.index() % 64));
    }
}
