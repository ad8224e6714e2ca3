//! Compaction by migration: jobs move to other columns of earlier rows, at a cost that is not the
//! matrix's to charge.
//!
//! First every job moves that can in its own columns, as compaction does. Then, rows from the
//! second on and jobs of a row in order of submission, a job that still finds no earlier row for
//! its columns goes to the first earlier row with enough free columns for it at all, on the columns
//! that the packing chooses there. Its replicas go, since its columns are others now. A job
//! migrates at most once in a compaction, and only to an earlier row, so no job is sent to and fro.
//!
//! Source: Y. Zhang, H. Franke, J. E. Moreira, A. Sivasubramaniam, "An integrated approach to
//! parallel scheduling using gang-scheduling, backfilling, and migration", JSSPP 2001 and IEEE TPDS
//! 14(3), 2003: that gangs migrate when the matrix is compacted, for a cost in time. Which job goes
//! where is decided here.

use crate::ids::JobId;

use super::Matrix;

impl Matrix {
    /// Compacts as [`Matrix::compact`] does, and lets jobs migrate: those that did, in the order in
    /// which they moved. Each is then where [`Matrix::place`] says.
    ///
    /// # Complexity
    /// Nothing if no job came and no cell was vacated since the last compaction; else that of
    /// [`Matrix::compact`] and, for each job below the first row, a search for each interval of its
    /// columns in each earlier row.
    pub fn compact_migrating(&mut self) -> Vec<JobId> {
        if self.is_compact() {
            return Vec::new();
        }
        self.move_up();
        let moved = self.migrate_up();
        self.prune();
        moved
    }
}
