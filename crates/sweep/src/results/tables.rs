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

use crate::collections::{Interval, OrderedMap, OrderedSet};
use crate::estimate::predictions::SubTask;
use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::ClusterNumber;
use crate::output::{Always, Cell, Row as _, RowSink, RowSource, Table, Word};
use crate::platform::Trace;
use crate::registry::definition::words;
use crate::results::host_time::{HostTimeAccount, ProcessorUse};
use crate::results::record::SweepOutcomes;
use crate::rows::{
    ClusterColumns, ClusterRow, DuplicateRow, FileColumns, FileRow, HostRow, LoadRow, PlanRow, SizeColumns,
    SizeRow, TaskRow, TransferColumns, TransferRow, WorkRow,
};
use crate::workflow::{FileNumber, TaskNumber};
use clustersim_experiment::rows::batsim::{BatsimJob, LastRun};
use clustersim_experiment::rows::jobs::JobRow;

/// A table of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweepRows<'a> {
    /// The run.
    pub outcomes: &'a SweepOutcomes,
    /// The table.
    pub kind: SweepTable,
}

/// The tables that a run may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SweepTable {
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
    pub(crate) const ALL: [SweepTable; 11] = [
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
    pub(crate) fn declared(self) -> Table {
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
    pub(crate) fn rows(self, outcomes: &SweepOutcomes) -> SweepRows<'_> {
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
            SweepTable::Tasks => tasks(outcomes, sink),
            SweepTable::Transfers => transfers(outcomes, sink),
            SweepTable::Plans => plans(outcomes, sink),
            SweepTable::Files => files(outcomes, sink),
            SweepTable::Hosts => hosts(outcomes, sink),
            SweepTable::Clusters => clusters(outcomes, sink),
            SweepTable::Works => works(outcomes, sink),
            SweepTable::Sizes => sizes(outcomes, sink),
            SweepTable::Loads => loads(outcomes, sink),
            SweepTable::Jobs => jobs(outcomes, sink),
            SweepTable::Duplicates => duplicates(outcomes, sink),
        }
    }
}

words! {
    /// Direction of a transfer.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Direction {
        Input = "input", "from its origin to a cluster";
        Copy = "copy", "to a cluster from another that has it, over a link between them";
        Output = "output", "from a cluster to its origin";
    }
}

words! {
    /// Kind of value in loads.csv.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum DrawnValue {
        Availability = "host", "the share of a host that is available";
        Bandwidth = "link", "the bandwidth of the link of a cluster, or of a further link, in bytes per second";
        Latency = "latency", "the latency of that link, in seconds";
        HostPresence = "host-presence", "above 0 while a host is there";
        ClusterPresence = "cluster-presence", "above 0 while a cluster is there";
    }
}

/// Share of a whole; `None` if there is none.
fn share(part: SimDuration, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part.as_secs_f64() / whole)
}

/// Columns that the tables of a run have.
impl SweepOutcomes {
    fn transfer_columns(&self) -> TransferColumns {
        TransferColumns { further_links: self.has_further_links() }
    }

    fn file_columns(&self) -> FileColumns {
        FileColumns { removals: self.has_removals() }
    }

    fn cluster_columns(&self) -> ClusterColumns {
        ClusterColumns { prices: self.has_prices() }
    }

    fn size_columns(&self) -> SizeColumns {
        SizeColumns { further_origins: self.has_further_origins() }
    }
}

fn tasks(outcomes: &SweepOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    let grid = &outcomes.grid;
    outcomes.sweep.tasks.iter().zip(&outcomes.tasks).try_for_each(|(task, record)| {
        let host = record.host.map(|host| grid.host(host));
        let row = TaskRow {
            task: (&*task.name).into(),
            cluster: host.map(|host| (&*grid.cluster(host.cluster).name).into()),
            host: host.map(|host| (&*host.name).into()),
            planned_start: record.planned.map(|(start, _)| start),
            planned_end: record.planned.map(|(_, end)| end),
            start: record.start,
            end: record.end,
            output_arrived: record.completed,
            attempts: record.attempts,
        };
        row.push(Always, sink)
    })
}

fn duplicates(outcomes: &SweepOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.discarded.iter().try_for_each(|run| {
        let host = outcomes.grid.host(run.host);
        let row = DuplicateRow {
            task: (&*outcomes.sweep.task(run.task).name).into(),
            cluster: (&*outcomes.grid.cluster(host.cluster).name).into(),
            host: (&*host.name).into(),
            start: run.start,
            end: run.end,
        };
        row.push(Always, sink)
    })
}

fn transfers(outcomes: &SweepOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    let sweep = &outcomes.sweep;
    let columns = outcomes.transfer_columns();
    outcomes.transfers.iter().try_for_each(|run| {
        let (file, direction) = match run.transfer.file {
            SubTask::Input(file) if outcomes.source_of(run).is_some() => (file, Direction::Copy),
            SubTask::Input(file) => (file, Direction::Input),
            SubTask::Output(file) => (file, Direction::Output),
            SubTask::Computation(_) => return Ok(()),
        };
        let row = TransferRow {
            file: (&*sweep.file(file).name).into(),
            cluster: (&*outcomes.grid.cluster(run.transfer.cluster).name).into(),
            direction: Word(direction.name()),
            task: (&*sweep.task(run.transfer.task).name).into(),
            bytes: run.bytes,
            planned: run.planned,
            start: run.start,
            end: run.end,
            link: Some(outcomes.grid.link_name(run.transfer.link).into()),
        };
        row.push(columns, sink)
    })
}

fn plans(outcomes: &SweepOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.plans.iter().try_for_each(|plan| {
        let row = PlanRow {
            at: plan.at,
            trigger: Word(plan.trigger.name()),
            tasks: plan.tasks,
            looks: plan.looks,
            interval: plan.interval,
            correctness: plan.correctness,
            delta: plan.delta,
            horizon: plan.horizon,
            end: plan.end,
        };
        row.push(Always, sink)
    })
}

/// Instant at which a file that arrived on a cluster was removed; `next` is its next arrival there.
fn removed(
    removals: &OrderedSet<(ClusterNumber, FileNumber, SimTime)>,
    (cluster, file, at): (ClusterNumber, FileNumber, SimTime),
    next: Option<SimTime>,
) -> Option<SimTime> {
    let until = next.unwrap_or(SimTime::MAX);
    removals.range((cluster, file, at)..=(cluster, file, until)).next().map(|(.., removed)| *removed)
}

/// A row for each arrival; where files may be removed, when that was, too.
fn files(outcomes: &SweepOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    let (sweep, grid) = (&outcomes.sweep, &outcomes.grid);
    let mut arrivals: Vec<(SimTime, ClusterNumber, FileNumber, TaskNumber)> = Vec::new();
    for run in &outcomes.transfers {
        if let (SubTask::Input(file), Some(end)) = (run.transfer.file, run.end) {
            arrivals.push((end, run.transfer.cluster, file, run.transfer.task));
        }
    }
    arrivals.sort_unstable();
    // of each file on each cluster, the starts of the tasks that read it there
    let mut starts: OrderedMap<(ClusterNumber, FileNumber), Vec<SimTime>> = OrderedMap::new();
    for task in sweep.task_numbers() {
        if let (Some(cluster), Some(start)) = (outcomes.cluster_of(task), outcomes.tasks[task.index()].start)
        {
            for file in &*sweep.task(task).inputs {
                starts.entry((cluster, *file)).or_default().push(start);
            }
        }
    }
    starts.values_mut().for_each(|starts| starts.sort_unstable());
    // how many of these are at an arrival or later
    let mut left: OrderedMap<(ClusterNumber, FileNumber), usize> = OrderedMap::new();
    let mut uses = vec![0; arrivals.len()];
    let removals = outcomes.removals.iter().map(|removal| (removal.cluster, removal.file, removal.at));
    let removals: OrderedSet<_> = removals.collect();
    let mut next: OrderedMap<(ClusterNumber, FileNumber), SimTime> = OrderedMap::new();
    let mut removed_at = vec![None; if outcomes.has_removals() { arrivals.len() } else { 0 }];
    for (place, (at, cluster, file, task)) in arrivals.iter().enumerate().rev() {
        if let Some(removed_at) = removed_at.get_mut(place) {
            let later = next.insert((*cluster, *file), *at);
            *removed_at = removed(&removals, (*cluster, *file, *at), later);
        }
        uses[place] = if grid.cluster(*cluster).has_storage {
            let starts = starts.get(&(*cluster, *file)).map_or(&[][..], |starts| starts);
            let since = starts.len() - starts.partition_point(|start| start < at);
            since - left.insert((*cluster, *file), since).unwrap_or(0)
        } else {
            usize::from(outcomes.cluster_of(*task) == Some(*cluster))
        };
    }
    let columns = outcomes.file_columns();
    arrivals.iter().zip(uses).enumerate().try_for_each(|(place, ((at, cluster, file, _), uses))| {
        let row = FileRow {
            file: (&*sweep.file(*file).name).into(),
            cluster: (&*grid.cluster(*cluster).name).into(),
            arrived: *at,
            bytes: sweep.file(*file).bytes,
            uses: uses as u64,
            removed: removed_at.get(place).copied().flatten(),
        };
        row.push(columns, sink)
    })
}

fn hosts(outcomes: &SweepOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    let makespan = outcomes.makespan().unwrap_or(outcomes.ended_at).as_secs_f64();
    outcomes.grid.hosts.iter().zip(outcomes.by_host()).try_for_each(|(host, (tasks, busy))| {
        let row = HostRow {
            host: (&*host.name).into(),
            cluster: (&*outcomes.grid.cluster(host.cluster).name).into(),
            processors: host.processors,
            tasks,
            busy,
            utilization: share(busy, makespan * f64::from(host.processors)),
        };
        row.push(Always, sink)
    })
}

fn clusters(outcomes: &SweepOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    let makespan = outcomes.makespan().unwrap_or(outcomes.ended_at).as_secs_f64();
    let by_host = outcomes.by_host();
    let mut links = vec![(0_u64, 0_u64, SimDuration::ZERO); outcomes.grid.clusters.len()];
    for run in &outcomes.transfers {
        let (received, returned, busy) = &mut links[run.transfer.cluster.index()];
        let Some(end) = run.end else { continue };
        let sum = if matches!(run.transfer.file, SubTask::Input(_)) { received } else { returned };
        *sum = sum.saturating_add(run.bytes);
        *busy = busy.saturating_add(end.since(run.start));
        if let Some(source) = outcomes.source_of(run) {
            let (.., busy) = &mut links[source.index()];
            *busy = busy.saturating_add(end.since(run.start));
        }
    }
    let costs = if outcomes.has_prices() { outcomes.costs() } else { Vec::new() };
    let columns = outcomes.cluster_columns();
    let clusters = outcomes.grid.clusters.iter().zip(links).enumerate();
    clusters.into_iter().try_for_each(|(place, (cluster, (received, returned, link_busy)))| {
        let hosts = &by_host[cluster.hosts.start as usize..cluster.hosts.end as usize];
        let busy = hosts.iter().fold(SimDuration::ZERO, |sum, (_, busy)| sum.saturating_add(*busy));
        let links = outcomes.grid.links_of(ClusterNumber(place as u32)).count();
        let row = ClusterRow {
            cluster: (&*cluster.name).into(),
            hosts: hosts.len() as u64,
            tasks: hosts.iter().map(|(tasks, _)| tasks).sum(),
            busy,
            received,
            returned,
            link_busy,
            link_utilization: share(link_busy, makespan * links as f64),
            cost: costs.get(place).map(|(computing, sending)| computing + sending),
        };
        row.push(columns, sink)
    })
}

/// Numbers in ascending order, as intervals.
fn intervals(files: &[FileNumber]) -> Vec<Interval> {
    let mut numbers: Vec<u32> = files.iter().map(|file| file.0).collect();
    numbers.sort_unstable();
    let next = |one: &u32, other: &u32| *other == one + 1;
    numbers.chunk_by(next).map(|run| Interval::new(run[0], run[run.len() - 1])).collect()
}

fn works(outcomes: &SweepOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.sweep.tasks.iter().try_for_each(|task| {
        let times: Vec<String> = task.times.iter().map(|time| time.real.to_string()).collect();
        let row = WorkRow {
            task: (&*task.name).into(),
            arrival: task.arrival,
            times: times.join(" ").into(),
            inputs: intervals(&task.inputs).into(),
            outputs: intervals(&task.outputs).into(),
        };
        row.push(Always, sink)
    })
}

fn sizes(outcomes: &SweepOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    let origins: Vec<&str> = outcomes.grid.origin_names().collect();
    let columns = outcomes.size_columns();
    outcomes.sweep.files.iter().try_for_each(|file| {
        let origin = Some(origins[file.origin.index()].into());
        let row = SizeRow { file: (&*file.name).into(), bytes: file.bytes, origin };
        row.push(columns, sink)
    })
}

fn loads(outcomes: &SweepOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    let mut put = |of: DrawnValue, name: &str, trace: &Trace| {
        let mut next = Some(SimTime::ZERO).filter(|_| trace.is_drawn());
        while let Some(at) = next {
            let resource = Word(of.name());
            let row = LoadRow { resource, name: name.into(), from: at, available: trace.value_at(at) };
            row.push(Always, sink)?;
            next = trace.next_change(at).filter(|at| *at < outcomes.ended_at);
        }
        Ok::<_, io::Error>(())
    };
    for host in &outcomes.grid.hosts {
        put(DrawnValue::Availability, &host.name, &host.availability)?;
        put(DrawnValue::HostPresence, &host.name, &host.present)?;
    }
    for cluster in &outcomes.grid.clusters {
        put(DrawnValue::Bandwidth, &cluster.name, &cluster.bandwidth)?;
        put(DrawnValue::Latency, &cluster.name, &cluster.latency)?;
        put(DrawnValue::ClusterPresence, &cluster.name, &cluster.present)?;
    }
    for link in &outcomes.grid.further_links {
        put(DrawnValue::Bandwidth, &link.name, &link.bandwidth)?;
        put(DrawnValue::Latency, &link.name, &link.latency)?;
    }
    Ok(())
}

fn jobs(outcomes: &SweepOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    let mut ended: Vec<(SimTime, TaskNumber, u32)> = Vec::new();
    for (processor, (_, spans)) in (0..).zip(HostTimeAccount::of(outcomes).computed()) {
        let counted = spans.into_iter().filter(|span| span.used == ProcessorUse::Computes);
        ended.extend(counted.filter_map(|span| {
            let task = span.task?;
            outcomes.tasks[task.index()].end.map(|end| (end, task, processor))
        }));
    }
    ended.sort_unstable();
    for (end, task, processor) in ended {
        let of_task = outcomes.sweep.task(task);
        let Some(start) = outcomes.tasks[task.index()].start else { continue };
        let on = [Interval::new(processor, processor)];
        let job = BatsimJob {
            number: task.0.into(),
            workload: "sweep",
            profile: Cell::Text(&of_task.name),
            submitted: of_task.arrival,
            procs: 1,
            requested_time: None,
            success: true,
            final_state: "COMPLETED_SUCCESSFULLY",
            finished: Some(end),
            waited: Some(start.since(of_task.arrival)),
            run: Some(LastRun { start, alone: end.since(start), on: &on, picojoules: None }),
        };
        job.push(sink)?;
    }
    Ok(())
}
