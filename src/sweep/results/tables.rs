//! Tables of a run of a parameter sweep.
//!
//! - `tasks`, a row a task in the order of the application; `jobs`, those that ended in the columns
//!   of Batsim.
//! - `transfers`, a row a transfer in order of start; `files`, a row for each arrival of an input
//!   on a cluster.
//! - `duplicates`, a row for each computation that was thrown away.
//! - `plans`, a row a plan; `hosts` and `clusters`, in the order of the platform.
//! - `works` and `sizes`, the application itself, from which a run is judged; `loads`, what was
//!   drawn of hosts and links.

use std::io;

use crate::output::{Row as _, RowSink, RowSource, Table};
use crate::rows::jobs::JobRow;
use crate::rows::sweep::{
    ClusterRow, DuplicateRow, FileRow, HostRow, LoadRow, PlanRow, SizeRow, TaskRow, TransferRow, WorkRow,
};
use crate::sweep::results::record::SweepOutcomes;
use crate::sweep::results::table_rows;

pub use crate::sweep::results::table_rows::{Direction, DrawnValue};

/// A table of a run.
#[derive(Clone, Copy, Debug)]
pub struct SweepRows<'a> {
    /// The run.
    pub outcomes: &'a SweepOutcomes,
    /// The table.
    pub kind: SweepTable,
}

/// The tables that a run may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SweepTable {
    /// Outcome of each task.
    Tasks,
    /// Transfers of links.
    Transfers,
    /// The plans that were made.
    Plans,
    /// Arrivals of inputs.
    Files,
    /// Use of each host.
    Hosts,
    /// Use of each cluster.
    Clusters,
    /// The tasks of the application.
    Works,
    /// The files of the application.
    Sizes,
    /// The loads that were drawn.
    Loads,
    /// The tasks that ended, as Batsim has jobs.
    Jobs,
    /// The computations that were thrown away.
    Duplicates,
}

impl SweepTable {
    /// All tables, in the order of the manual.
    pub const ALL: [SweepTable; 11] = [
        SweepTable::Tasks,
        SweepTable::Transfers,
        SweepTable::Plans,
        SweepTable::Files,
        SweepTable::Hosts,
        SweepTable::Clusters,
        SweepTable::Works,
        SweepTable::Sizes,
        SweepTable::Loads,
        SweepTable::Jobs,
        SweepTable::Duplicates,
    ];

    /// The declaration, with every column that some run has.
    pub fn declared(self) -> Table {
        match self {
            SweepTable::Tasks => TaskRow::declared(),
            SweepTable::Transfers => TransferRow::declared(),
            SweepTable::Plans => PlanRow::declared(),
            SweepTable::Files => FileRow::declared(),
            SweepTable::Hosts => HostRow::declared(),
            SweepTable::Clusters => ClusterRow::declared(),
            SweepTable::Works => WorkRow::declared(),
            SweepTable::Sizes => SizeRow::declared(),
            SweepTable::Loads => LoadRow::declared(),
            SweepTable::Duplicates => DuplicateRow::declared(),
            SweepTable::Jobs => {
                let about = "of parameter sweeps: a row a task that ended, in order of end, with the columns of Batsim's file of that name. Key: record.tasks";
                JobRow::of_tasks(about)
            }
        }
    }

    /// Declaration for a run.
    fn of_run(self, outcomes: &SweepOutcomes) -> Table {
        match self {
            SweepTable::Transfers => TransferRow::table(outcomes.transfer_columns()),
            SweepTable::Files => FileRow::table(outcomes.file_columns()),
            SweepTable::Clusters => ClusterRow::table(outcomes.cluster_columns()),
            SweepTable::Sizes => SizeRow::table(outcomes.size_columns()),
            _ => self.declared(),
        }
    }

    /// Rows of a run.
    pub fn rows(self, outcomes: &SweepOutcomes) -> SweepRows<'_> {
        SweepRows { outcomes, kind: self }
    }
}

/// Every table that a run may have.
pub fn declared() -> Vec<Table> {
    SweepTable::ALL.into_iter().map(SweepTable::declared).collect()
}

impl RowSource for SweepRows<'_> {
    fn table(&self) -> Table {
        self.kind.of_run(self.outcomes)
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let outcomes = self.outcomes;
        match self.kind {
            SweepTable::Tasks => table_rows::tasks(outcomes, sink),
            SweepTable::Transfers => table_rows::transfers(outcomes, sink),
            SweepTable::Plans => table_rows::plans(outcomes, sink),
            SweepTable::Files => table_rows::files(outcomes, sink),
            SweepTable::Hosts => table_rows::hosts(outcomes, sink),
            SweepTable::Clusters => table_rows::clusters(outcomes, sink),
            SweepTable::Works => table_rows::works(outcomes, sink),
            SweepTable::Sizes => table_rows::sizes(outcomes, sink),
            SweepTable::Loads => table_rows::loads(outcomes, sink),
            SweepTable::Jobs => table_rows::jobs(outcomes, sink),
            SweepTable::Duplicates => table_rows::duplicates(outcomes, sink),
        }
    }
}
