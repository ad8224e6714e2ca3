//! The Ousterhout matrix of gang scheduling: rows are slices of time, columns are nodes.
//!
//! The tasks of a job occupy cells of one row, so that they all run in the same slice; the jobs of
//! a row run side by side, the rows in turn. Source: J. K. Ousterhout, "Scheduling techniques for
//! concurrent systems", ICDCS 1982; in the form of ClusterSchedSim, SIMULATION 80(4-5), 2004
//! (figure 5). Each instant that brought news takes four steps (MODELS 2.1):
//!
//! 1. clean: jobs that ended leave their cells ([`Matrix::remove`]);
//! 2. compact: a job moves to the first of the earlier rows that have jobs in which its own columns
//!    are vacant, rows from the second on, jobs of a row in order of submission; rows left without
//!    jobs are deleted ([`Matrix::compact`]). No job moves to other columns, nor to a row that is
//!    empty or that compaction has emptied;
//! 3. schedule: a waiting job gets the leftmost vacant columns of the row that [`RowChoice`] names,
//!    or of a new row while there are fewer than the multiprogramming level ([`Matrix::insert`]);
//! 4. fill: a job gets replicas, on the very same columns, in the rows where these are free, rows
//!    in order and jobs in order of submission ([`Matrix::fill`]). A replica gives way to a job
//!    that needs any of its cells.
//!
//! Columns may be out of service: no job gets cells in them, in any row, until they are back. A
//! block of buddy packing with such a column is given to no job; one that a job has when a column
//! of it fails that the job does not use stays its own.
//!
//! The steps are the caller's to take. Each costs by what changed since it was taken last:
//! compacting and filling look at the jobs that overlap the cells freed since, and at the jobs that
//! came since, not at cells that are as they were. Rows keep their identity and their order, so a
//! slice may run on while rows around it come and go.
//!
//! Deviations: a replica that is there stays when a job earlier in order could have its cells,
//! until they are needed. The buddy packing is that of D. G. Feitelson and L. Rudolph, "Distributed
//! hierarchical control for parallel processing", IEEE Computer 23(5), 1990, as a choice of columns
//! only, with the leftmost block in place of the least loaded one.

mod backfill;
mod freed;
mod matrix;
mod migration;
mod out_of_service;
mod packing;
mod reserved;
mod row;
mod service;
#[cfg(test)]
mod tests;

use crate::collections::Interval;
use crate::ids::JobId;
use crate::registry::choices;

pub use backfill::{HeadPromise, Overtaking, PoolsAndEnds};
pub use matrix::Matrix;
pub use packing::Packing;
pub use reserved::{Frame, Reserved, ReservedRowId, side_by_side};
pub use row::Row;
pub use service::{Service, Slice};

/// A row. Rows that are opened later have greater keys and stand further down; no key is used
/// twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RowId(u64);

choices! {
    /// In which row a job is put.
    #[derive(Default)]
    pub enum RowChoice {
        #[default]
        First = "first", "the first row with enough free columns";
        /// In the first of equals.
        Best = "best", "the row with the fewest free columns that are enough";
    }
}

choices! {
    /// Outcome of rows without jobs.
    #[derive(Default)]
    pub enum EmptyRows {
        /// Compaction deletes them, and the cycle of slices skips them until then.
        #[default]
        Deleted = "skipped", "they have no slices and are deleted";
        Kept = "kept", "they have their slices, in which only replicas run, until the machine is idle";
    }
}

/// Cells of a job in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Own cells.
    Own,
    /// Cells that are free otherwise.
    Replica,
}

/// The size of a matrix and its rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatrixShape {
    /// Columns.
    pub nodes: u32,
    /// Rows at most: the multiprogramming level.
    pub rows: u32,
    /// In which row a job is put.
    pub choice: RowChoice,
    /// In which columns.
    pub packing: Packing,
    /// Outcome of rows without jobs.
    pub empty_rows: EmptyRows,
}

impl MatrixShape {
    /// `nodes` columns and at most `rows` rows, under the default rules.
    pub fn new(nodes: u32, rows: u32) -> Self {
        let (choice, packing) = (RowChoice::default(), Packing::default());
        MatrixShape { nodes, rows, choice, packing, empty_rows: EmptyRows::default() }
    }
}

/// Position of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatrixPosition<'a> {
    /// The row of its own cells.
    pub row: RowId,
    /// The columns that its tasks are on, one each, as intervals in rising order; the same in all
    /// of its rows.
    pub columns: &'a [Interval],
}

/// One of the jobs that run in a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowMember<'a> {
    /// The job.
    pub job: JobId,
    /// True if the row is its own.
    pub role: Role,
    /// As in [`MatrixPosition`].
    pub columns: &'a [Interval],
}
