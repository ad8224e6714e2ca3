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

use crate::instrument::tables::jobs;
use crate::output::{CellType, RowSink, RowSource, Table, columns};
use crate::sweep::record::SweepOutcomes;
use crate::sweep::table_rows;

pub use crate::sweep::table_rows::{Direction, DrawnValue};

/// The column of files that only runs with removals have.
const REMOVED: &str = "removed";
/// The columns that only runs have in which several links lead to a cluster, or files have several
/// origins.
const LINK: &str = "link";
const ORIGIN: &str = "origin";
/// The column of clusters that only runs with prices have.
const COST: &str = "cost";

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

    /// The declaration.
    #[expect(clippy::too_many_lines, reason = "a line a column")]
    pub fn declared(self) -> Table {
        match self {
            SweepTable::Tasks => Table::new(
                "tasks",
                "of parameter sweeps: a row a task, in the order of the application. Key: record.tasks",
                &columns! {
                    "task" Text "", "the task";
                    "cluster" Text "", "the cluster of its host";
                    "host" Text "", "the host that computed it last";
                    "planned-start" Time "s", "when it was planned to start, in the plan by which it was on its host";
                    "planned-end" Time "s", "when its computation was planned to end";
                    "start" Time "s", "when its computation started the last time";
                    "end" Time "s", "when that ended";
                    "output-arrived" Time "s", "when its last output was at the origin; the end of its computation if it has none";
                    "attempts" Count "", "how often it started";
                },
            ),
            SweepTable::Transfers => Table::new(
                "transfers",
                "of parameter sweeps: a row a transfer, in order of start. Key: record.transfers",
                &columns! {
                    "file" Text "", "the file";
                    "cluster" Text "", "the cluster to or from which it is sent";
                    "direction" Text "", "to the cluster or to the origin";
                    "for-task" Text "", "the task that reads or has written it";
                    "bytes" Count "B", "how much";
                    "planned" Time "s", "when it was planned to start; empty if no plan had it, or none when it did";
                    "start" Time "s", "when it started";
                    "end" Time "s", "when it arrived; empty if it was broken off";
                    "link" Text "", "the link: that of the first origin is called as its cluster. Only where there are further origins, or links between clusters";
                },
            ),
            SweepTable::Plans => Table::new(
                "plans",
                "of parameter sweeps: a row a plan. Key: record.tasks",
                &columns! {
                    "time" Time "s", "when it was made";
                    "trigger" Text "", "why";
                    "tasks" Count "", "tasks that it gives a host";
                    "looks" Count "", "pairs of a task and a host that were looked at";
                    "interval" Time "s", "how long until the next scheduling event; empty if there is none";
                    "correctness" Real "", "share of the sub-tasks predicted to run now that do; empty if none was predicted";
                    "delta" Time "s", "how far beyond the next scheduling event hosts have work";
                    "horizon" Time "s", "up to when hosts got work, which is `delta` after the next scheduling event; empty without such a limit";
                    "end" Time "s", "when its last task is planned to be completed";
                },
            ),
            SweepTable::Files => Table::new(
                "files",
                "of parameter sweeps: a row for each arrival of an input on a cluster. Key: record.tasks",
                &columns! {
                    "file" Text "", "the file";
                    "cluster" Text "", "the cluster";
                    "arrived" Time "s", "when it was there";
                    "bytes" Count "B", "its size";
                    "uses" Count "", "tasks that read it there, up to its next arrival if there is one";
                    "removed" Time "s", "when it was removed from the storage; empty if it stayed. Only where a storage has a limit";
                },
            ),
            SweepTable::Hosts => Table::new(
                "hosts",
                "of parameter sweeps: a row a host, in the order of the platform. Key: record.tasks",
                &columns! {
                    "host" Text "", "the host";
                    "cluster" Text "", "its cluster";
                    "processors" Count "", "tasks that it computes at a time";
                    "tasks" Count "", "tasks that it computed to their ends";
                    "busy" Time "s", "time of its processors in use by computations that ended";
                    "utilization" Real "", "their share of processors x makespan";
                },
            ),
            SweepTable::Clusters => Table::new(
                "clusters",
                "of parameter sweeps: a row a cluster, in the order of the platform. Key: record.tasks",
                &columns! {
                    "cluster" Text "", "the cluster";
                    "hosts" Count "", "its hosts";
                    "tasks" Count "", "tasks that they computed to their ends";
                    "busy" Time "s", "time of their processors in use by computations that ended";
                    "received" Count "B", "bytes of inputs that arrived";
                    "returned" Count "B", "bytes of outputs that arrived at the origin";
                    "link-busy" Time "s", "time of its links with transfers that arrived";
                    "link-utilization" Real "", "their share of links x makespan";
                    "cost" Real "", "what its processors and its link cost. Only where a cluster has a price";
                },
            ),
            SweepTable::Works => Table::new(
                "works",
                "of parameter sweeps: a row a task of the application. Key: record.tasks",
                &columns! {
                    "task" Text "", "the task";
                    "arrival" Time "s", "when it becomes known";
                    "times" Text "s", "what it computes on hosts of speed 1, by architecture; one number if it is the same on all";
                    "inputs" Intervals "", "the files that it reads, by their rows in sizes.csv, from 0";
                    "outputs" Intervals "", "the files that it writes";
                },
            ),
            SweepTable::Sizes => Table::new(
                "sizes",
                "of parameter sweeps: a row a file of the application. Key: record.tasks",
                &columns! {
                    "file" Text "", "the file";
                    "bytes" Count "B", "its size";
                    "origin" Text "", "where it comes from or is returned to. Only where there are further origins";
                },
            ),
            SweepTable::Loads => Table::new(
                "loads",
                "of parameter sweeps: a row for each value that was drawn, up to the end of the run. Key: record.loads",
                &columns! {
                    "resource" Text "", "what the value is of";
                    "name" Text "", "the host, the cluster or the further link";
                    "from" Time "s", "from when on";
                    "available" Real "", "the value";
                },
            ),
            SweepTable::Duplicates => Table::new(
                "duplicates",
                "of parameter sweeps with `duplicate`: a row for each computation that was thrown away, as its task had ended on another host. Key: record.tasks",
                &columns! {
                    "task" Text "", "the task";
                    "cluster" Text "", "the cluster of the host";
                    "host" Text "", "the host that computed it, too";
                    "start" Time "s", "when its computation started there";
                    "end" Time "s", "when that was broken off";
                },
            ),
            SweepTable::Jobs => {
                let about = "of parameter sweeps: a row a task that ended, in order of end, with the columns of Batsim's file of that name. Key: record.tasks";
                let mut table = Table::new("jobs", about, &jobs::COLUMNS);
                // -1 in every row
                table.columns[jobs::ENERGY].kind = CellType::Integer;
                table
            }
        }
    }

    /// Declaration for a run.
    fn of_run(self, outcomes: &SweepOutcomes) -> Table {
        let mut table = self.declared();
        let left_out = match self {
            SweepTable::Files if !outcomes.has_removals() => REMOVED,
            SweepTable::Clusters if !outcomes.has_prices() => COST,
            SweepTable::Transfers if !outcomes.has_further_links() => LINK,
            SweepTable::Sizes if !outcomes.has_further_origins() => ORIGIN,
            _ => return table,
        };
        table.columns.retain(|column| column.name != left_out);
        table
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
            SweepTable::Plans => {
                outcomes.plans.iter().try_for_each(|plan| sink.row(&table_rows::plan_cells(plan)))
            }
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
