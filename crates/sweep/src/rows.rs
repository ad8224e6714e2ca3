//! Rows of a run of a parameter sweep.

use crate::kernel::{SimDuration, SimTime};
use crate::output::{Category, List, Text, Word, row};

row! {
    /// Outcome of a task.
    pub struct TaskRow<'a> = "tasks", "of parameter sweeps: a row a task, in the order of the application. Key: record.tasks" {
        task: Text<'a> = "task" "", "the task";
        cluster: Option<Category<'a>> = "cluster" "", "the cluster of its host";
        host: Option<Category<'a>> = "host" "", "the host that computed it last";
        planned_start: Option<SimTime> = "planned-start" "s", "when it was planned to start, in the plan by which it was on its host";
        planned_end: Option<SimTime> = "planned-end" "s", "when its computation was planned to end";
        start: Option<SimTime> = "start" "s", "when its computation started the last time";
        end: Option<SimTime> = "end" "s", "when that ended";
        output_arrived: Option<SimTime> = "output-arrived" "s", "when its last output was at the origin; the end of its computation if it has none";
        attempts: u32 = "attempts" "", "how often it started";
    }
}

row! {
    /// A transfer over a link.
    pub struct TransferRow<'a> = "transfers", "of parameter sweeps: a row a transfer, in order of start. Key: record.transfers" {
        file: Text<'a> = "file" "", "the file";
        cluster: Category<'a> = "cluster" "", "the cluster to or from which it is sent";
        direction: Word<'a> = "direction" "", "to the cluster or to the origin";
        task: Text<'a> = "for-task" "", "the task that reads or has written it";
        bytes: u64 = "bytes" "B", "how much";
        planned: Option<SimTime> = "planned" "s", "when it was planned to start; empty if no plan had it, or none when it did";
        start: SimTime = "start" "s", "when it started";
        end: Option<SimTime> = "end" "s", "when it arrived; empty if it was broken off";
        link: Option<Category<'a>> = "link" "", "the link: that of the first origin is called as its cluster. Only where there are further origins, or links between clusters" if further_links;
    }
    conditions TransferColumns {
        further_links: "Several links lead to a cluster, or files have several origins.",
    }
}

row! {
    /// A plan.
    pub struct PlanRow<'a> = "plans", "of parameter sweeps: a row a plan. Key: record.tasks" {
        at: SimTime = "time" "s", "when it was made";
        trigger: Word<'a> = "trigger" "", "why";
        tasks: u64 = "tasks" "", "tasks that it gives a host";
        looks: u64 = "looks" "", "pairs of a task and a host that were looked at";
        interval: Option<SimDuration> = "interval" "s", "how long until the next scheduling event; empty if there is none";
        correctness: Option<f64> = "correctness" "", "share of the sub-tasks predicted to run now that do; empty if none was predicted";
        delta: Option<SimDuration> = "delta" "s", "how far beyond the next scheduling event hosts have work";
        horizon: Option<SimTime> = "horizon" "s", "up to when hosts got work, which is `delta` after the next scheduling event; empty without such a limit";
        end: SimTime = "end" "s", "when its last task is planned to be completed";
    }
}

row! {
    /// An arrival of an input on a cluster.
    pub(crate) struct FileRow<'a> = "files", "of parameter sweeps: a row for each arrival of an input on a cluster. Key: record.tasks" {
        file: Text<'a> = "file" "", "the file";
        cluster: Category<'a> = "cluster" "", "the cluster";
        arrived: SimTime = "arrived" "s", "when it was there";
        bytes: u64 = "bytes" "B", "its size";
        uses: u64 = "uses" "", "tasks that read it there, up to its next arrival if there is one";
        removed: Option<SimTime> = "removed" "s", "when it was removed from the storage; empty if it stayed. Only where a storage has a limit" if removals;
    }
    conditions FileColumns { removals: "A storage has a limit." }
    each FileCells
}

row! {
    /// Use of a host.
    pub struct HostRow<'a> = "hosts", "of parameter sweeps: a row a host, in the order of the platform. Key: record.tasks" {
        host: Category<'a> = "host" "", "the host";
        cluster: Category<'a> = "cluster" "", "its cluster";
        processors: u32 = "processors" "", "tasks that it computes at a time";
        tasks: u64 = "tasks" "", "tasks that it computed to their ends";
        busy: SimDuration = "busy" "s", "time of its processors in use by computations that ended";
        utilization: Option<f64> = "utilization" "", "their share of processors x makespan";
    }
    each HostCells
}

row! {
    /// Use of a cluster.
    pub(crate) struct ClusterRow<'a> = "clusters", "of parameter sweeps: a row a cluster, in the order of the platform. Key: record.tasks" {
        cluster: Category<'a> = "cluster" "", "the cluster";
        hosts: u64 = "hosts" "", "its hosts";
        tasks: u64 = "tasks" "", "tasks that they computed to their ends";
        busy: SimDuration = "busy" "s", "time of their processors in use by computations that ended";
        received: u64 = "received" "B", "bytes of inputs that arrived";
        returned: u64 = "returned" "B", "bytes of outputs that arrived at the origin";
        link_busy: SimDuration = "link-busy" "s", "time of its links with transfers that arrived";
        link_utilization: Option<f64> = "link-utilization" "", "their share of links x makespan";
        cost: Option<f64> = "cost" "", "what its processors and its link cost. Only where a cluster has a price" if prices;
    }
    conditions ClusterColumns { prices: "A cluster has a price." }
    each ClusterCells
}

row! {
    /// A task of the application.
    pub(crate) struct WorkRow<'a> = "works", "of parameter sweeps: a row a task of the application. Key: record.tasks" {
        task: Text<'a> = "task" "", "the task";
        arrival: SimTime = "arrival" "s", "when it becomes known";
        times: Text<'a> = "times" "s", "what it computes on hosts of speed 1, by architecture; one number if it is the same on all";
        inputs: List<'a> = "inputs" "", "the files that it reads, by their rows in sizes.csv, from 0";
        outputs: List<'a> = "outputs" "", "the files that it writes";
    }
}

row! {
    /// A file of the application.
    pub(crate) struct SizeRow<'a> = "sizes", "of parameter sweeps: a row a file of the application. Key: record.tasks" {
        file: Text<'a> = "file" "", "the file";
        bytes: u64 = "bytes" "B", "its size";
        origin: Option<Category<'a>> = "origin" "", "where it comes from or is returned to. Only where there are further origins" if further_origins;
    }
    conditions SizeColumns { further_origins: "Files have several origins." }
}

row! {
    /// A value that was drawn.
    pub struct LoadRow<'a> = "loads", "of parameter sweeps: a row for each value that was drawn, up to the end of the run. Key: record.loads" {
        resource: Word<'a> = "resource" "", "what the value is of";
        name: Category<'a> = "name" "", "the host, the cluster or the further link";
        from: SimTime = "from" "s", "from when on";
        available: f64 = "available" "", "the value";
    }
}

row! {
    /// A computation that was thrown away.
    pub(crate) struct DuplicateRow<'a> = "duplicates", "of parameter sweeps with `duplicate`: a row for each computation that was thrown away, as its task had ended on another host. Key: record.tasks" {
        task: Text<'a> = "task" "", "the task";
        cluster: Category<'a> = "cluster" "", "the cluster of the host";
        host: Category<'a> = "host" "", "the host that computed it, too";
        start: SimTime = "start" "s", "when its computation started there";
        end: SimTime = "end" "s", "when that was broken off";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::drawn_rows::RowDraw;

    #[test]
    fn a_row_that_is_written_and_read_back_is_the_same() {
        for seed in 0..60 {
            let draw = &mut RowDraw::new(seed);
            TaskRow::goes_there_and_back(draw);
            TransferRow::goes_there_and_back(draw);
            PlanRow::goes_there_and_back(draw);
            FileRow::goes_there_and_back(draw);
            HostRow::goes_there_and_back(draw);
            ClusterRow::goes_there_and_back(draw);
            WorkRow::goes_there_and_back(draw);
            SizeRow::goes_there_and_back(draw);
            LoadRow::goes_there_and_back(draw);
            DuplicateRow::goes_there_and_back(draw);
        }
    }
}
