//! The Gantt chart: a column for each link and each processor, in which sub-tasks have slots.
//!
//! ```text
//!   time    link 1    host 1.1   host 1.2   link 2    host 2.1
//!    0      [file a]  [running]                       [running]
//!           [file b]             [        ]  [file a]
//!                     [task 0]   [task 1  ]           [task 2]
//!           [out  0]             [        ]  [out 2]
//! ```
//!
//! A transfer goes into the earliest gap of its link's column, a computation behind what its host
//! has. Transfers behind the last one of their column would make plans some six times longer: an
//! output that is planned far ahead keeps the link free until then.
//!
//! Source: section 5.5 of the report of the Parameter Sweep Template; the rule of gaps is a choice
//! of ours.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::collections::{BusySpans, OrderedMap};
use crate::estimate::known::KnownSweep;
use crate::estimate::predictions::{Predictions, SubTask, SweepResource, SweepTransfer};
use crate::kernel::SimTime;
use crate::model::grid::{ClusterNumber, HostNumber, LinkNumber, SweepGrid};
use crate::model::storage::StoredFiles;
use crate::plan::alike::AlikeHosts;
use crate::plan::inputs::PlannedStorage;
use crate::registry::choices;
use crate::workflow::{FileNumber, TaskNumber};

choices! {
    /// Instant at which a task counts as completed.
    #[derive(Default)]
    pub enum CompletedWhen {
        #[default]
        Returned = "returned", "when its last output has arrived at the origin";
        Computed = "computed", "when its computation has ended";
    }
}

/// A slot of a task in the chart, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChartSlot {
    /// Host.
    pub host: HostNumber,
    /// The processor of the host, from 0.
    pub processor: u32,
    /// Instant at which its computation starts.
    pub start: u64,
    /// Instant at which the computation ends.
    pub end: u64,
    /// Instant at which the task is completed.
    pub completion: u64,
}

/// The best that a task can have on a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClusterCompletion {
    /// The cluster.
    pub cluster: ClusterNumber,
    /// The host on which it completes first; of equals the lowest.
    pub host: HostNumber,
    /// Instant.
    pub completion: u64,
    /// The least completion on another host of the cluster, where it was asked for and there is
    /// one.
    pub second: Option<u64>,
}

/// The processors of a host.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostColumns {
    /// Instant at which each is free for ever.
    pub(crate) tails: SmallVec<[u64; 1]>,
    /// The place among the hosts of its cluster that are alike, and in these; `None` if it gets
    /// nothing done.
    alike: Option<(u32, u32)>,
}

impl HostColumns {
    /// The processor that is free first, and when.
    pub(crate) fn first_free(&self) -> (u32, u64) {
        let mut best = (0, self.tails[0]);
        for (processor, tail) in (1..).zip(&self.tails[1..]) {
            if *tail < best.1 {
                best = (processor, *tail);
            }
        }
        best
    }
}

/// Columns of a cluster in the chart.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterColumns {
    /// Arrivals of files that are not there yet.
    pub(crate) arrivals: OrderedMap<FileNumber, u64>,
    /// The hosts that are there and get something done.
    pub(crate) usable: Vec<HostNumber>,
    /// The same hosts, those together that are alike.
    pub(crate) alike: Vec<AlikeHosts>,
    /// True if what is predicted of its link and hosts stays as it is, and no slot on another
    /// cluster matters to it.
    pub(crate) is_constant: bool,
    pub(crate) has_storage: bool,
    /// True if it is there, and can send files to other clusters.
    pub(crate) is_linked: bool,
    /// Planned contents of the storage, if it has a limit.
    pub(crate) limit: Option<PlannedStorage>,
}

/// A transfer of a task that is being placed: its link, from when, until when.
pub(crate) type SentSpan = (LinkNumber, u64, u64);

/// A Gantt chart.
#[derive(Clone, Debug)]
pub struct Chart {
    pub(crate) known: Rc<KnownSweep>,
    pub(crate) predictions: Rc<Predictions>,
    pub(crate) stored: Rc<StoredFiles>,
    /// The order in which the inputs of tasks are sent: how many tasks that have not started use a
    /// file.
    pub(crate) usage: Rc<[u32]>,
    pub(crate) completed_when: CompletedWhen,
    pub(crate) grid: Rc<SweepGrid>,
    pub(crate) links: Vec<BusySpans<SubTask>>,
    pub(crate) clusters: Vec<ClusterColumns>,
    pub(crate) hosts: Vec<HostColumns>,
    pub(crate) cluster_of: Rc<[ClusterNumber]>,
    /// Nothing starts before.
    pub(crate) floor: u64,
    /// The tasks that have slots, in the order in which they got them.
    pub(crate) slots: Vec<(TaskNumber, ChartSlot)>,
    /// Transfers that are to be started, and when.
    pub(crate) transfers: Vec<(u64, SweepTransfer)>,
    /// Sub-tasks under way, each with its resource and its end.
    pub(crate) under_way: Vec<(SweepResource, SubTask, u64)>,
    /// Pairs of a task and a host that were looked at.
    pub(crate) looks: u64,
    pub(crate) scratch: Vec<SentSpan>,
}

/// Basis of a chart: application, predictions, and stored files.
#[derive(Clone, Debug)]
pub struct ChartBasis {
    /// The application.
    pub known: Rc<KnownSweep>,
    /// Predictions of links and hosts.
    pub predictions: Rc<Predictions>,
    /// Clusters that store each file.
    pub stored: Rc<StoredFiles>,
    /// Number of tasks that have not started use each file.
    pub usage: Rc<[u32]>,
    /// The cluster of each host.
    pub cluster_of: Rc<[ClusterNumber]>,
    /// Grid, with the links and the clusters that these lead to.
    pub grid: Rc<SweepGrid>,
    /// Instant at which a task counts as completed.
    pub completed_when: CompletedWhen,
}

impl Chart {
    /// An empty chart from an instant on: of each host its processors, none for one that is not
    /// there; of each cluster whether it has a storage.
    pub fn new(
        basis: &ChartBasis,
        floor: u64,
        processors: impl Iterator<Item = u32>,
        storages: impl Iterator<Item = bool>,
    ) -> Self {
        let mut hosts: Vec<HostColumns> = processors
            .map(|processors| HostColumns {
                tails: SmallVec::from_elem(floor, processors as usize),
                alike: None,
            })
            .collect();
        let columns_of = |(cluster, has_storage)| ClusterColumns {
            has_storage,
            is_linked: true,
            is_constant: basis.grid.neighbours(cluster).is_empty()
                && basis.grid.links_of(cluster).all(|link| basis.predictions.is_constant_link(link)),
            ..ClusterColumns::default()
        };
        let mut clusters: Vec<ClusterColumns> =
            (0..).map(ClusterNumber).zip(storages).map(columns_of).collect();
        let mut kinds = OrderedMap::new();
        for (host, columns) in (0..).map(HostNumber).zip(&mut hosts) {
            let gets_done = || basis.predictions.computation_end(host, TaskNumber(0), 1.0, floor).is_some();
            if !columns.tails.is_empty() && gets_done() {
                let cluster = &mut clusters[basis.cluster_of[host.index()].index()];
                cluster.usable.push(host);
                let next = cluster.alike.len();
                let place = match basis.predictions.kind_of_host(host) {
                    Some(kind) => *kinds.entry((basis.cluster_of[host.index()], kind)).or_insert(next),
                    None => next,
                };
                cluster.alike.resize_with(next.max(place + 1), AlikeHosts::default);
                columns.alike = Some((place as u32, cluster.alike[place].push(host, floor) as u32));
                cluster.is_constant &= basis.predictions.is_constant_host(host);
            }
        }
        let ChartBasis { known, predictions, stored, usage, cluster_of, grid, completed_when } =
            basis.clone();
        Chart {
            known,
            predictions,
            stored,
            usage,
            completed_when,
            links: vec![BusySpans::default(); grid.link_count()],
            grid,
            clusters,
            hosts,
            cluster_of,
            floor,
            slots: Vec::new(),
            transfers: Vec::new(),
            under_way: Vec::new(),
            looks: 0,
            scratch: Vec::new(),
        }
    }

    /// Pairs of a task and a host that were looked at so far.
    pub fn looks(&self) -> u64 {
        self.looks
    }

    /// The tasks that have slots, in the order in which they got them.
    pub fn slots(&self) -> &[(TaskNumber, ChartSlot)] {
        &self.slots
    }

    /// The application.
    pub fn known(&self) -> &Rc<KnownSweep> {
        &self.known
    }

    /// Instant at which the last of the planned tasks is completed.
    pub fn end(&self) -> u64 {
        self.slots.iter().map(|(_, slot)| slot.completion).max().unwrap_or(self.floor)
    }

    /// The clusters that have a host to be used.
    pub fn clusters(&self) -> impl Iterator<Item = ClusterNumber> + '_ {
        let numbered = (0..).map(ClusterNumber).zip(&self.clusters);
        numbered.filter(|(_, columns)| !columns.usable.is_empty()).map(|(cluster, _)| cluster)
    }

    /// The hosts of a cluster to be used.
    pub fn hosts(&self, cluster: ClusterNumber) -> &[HostNumber] {
        &self.clusters[cluster.index()].usable
    }

    /// Instant at which a host has a processor free for ever.
    pub fn free_from(&self, host: HostNumber) -> u64 {
        self.hosts[host.index()].first_free().1
    }

    /// Busy spans of a link.
    pub fn link(&self, link: LinkNumber) -> &BusySpans<SubTask> {
        &self.links[link.index()]
    }

    /// Nothing starts before this instant.
    pub fn floor(&self) -> u64 {
        self.floor
    }

    /// The cluster of a host.
    pub fn cluster_of(&self, host: HostNumber) -> ClusterNumber {
        self.cluster_of[host.index()]
    }

    /// Returns true if equal tasks may have different estimates, or storages for one of them alone.
    pub fn is_individual(&self) -> bool {
        let has_limits = || self.clusters.iter().any(|columns| columns.limit.is_some());
        self.predictions.are_individual() || has_limits() && !self.known.has_real_sizes()
    }

    /// Returns true if a host can run a task.
    pub fn runs(&self, task: TaskNumber, host: HostNumber) -> bool {
        self.known.seconds(task, self.predictions.hosts[host.index()].architecture).is_some()
            && self.fits(task, self.cluster_of(host))
    }

    /// Returns true if the storage of a cluster can hold all inputs of a task.
    pub fn fits(&self, task: TaskNumber, cluster: ClusterNumber) -> bool {
        let limit = &self.clusters[cluster.index()].limit;
        limit.as_ref().is_none_or(|limit| self.known.fits(task, limit.capacity))
    }

    /// Returns true if what is predicted of a cluster stays as it is: its link and its hosts, and
    /// what lies in its storage.
    pub(crate) fn is_constant(&self, cluster: ClusterNumber) -> bool {
        let columns = &self.clusters[cluster.index()];
        columns.is_constant && columns.limit.is_none()
    }

    /// The inputs that are sent for the task that was assigned last.
    pub(crate) fn last_sent(&self, task: TaskNumber) -> impl Iterator<Item = FileNumber> {
        let last = self.transfers.iter().rev().take_while(move |(_, transfer)| transfer.task == task);
        last.filter_map(|(_, transfer)| match transfer.file {
            SubTask::Input(file) => Some(file),
            _ => None,
        })
    }

    /// Counts looks at other charts.
    pub fn set_looks(&mut self, looks: u64) {
        self.looks = looks;
    }

    /// The transfers that are to be started and when, by link, in the order of their slots.
    pub fn transfers_in_order(&self) -> impl Iterator<Item = (SimTime, SweepTransfer)> {
        let mut transfers = self.transfers.clone();
        transfers.sort_by_key(|(start, transfer)| (transfer.link, *start));
        transfers.into_iter().map(|(start, transfer)| (SimTime::from_nanos(start), transfer))
    }

    /// Every sub-task of the chart: where, from when, until when.
    pub fn spans(&self) -> Vec<(SweepResource, SubTask, u64, u64)> {
        let links = (0..).map(LinkNumber).zip(&self.links).flat_map(|(link, column)| {
            let spans = column.iter();
            spans.map(move |span| (SweepResource::Link(link), span.item, span.start, span.end))
        });
        let is_computed =
            |(resource, ..): &&(SweepResource, SubTask, u64)| matches!(resource, SweepResource::Host(_));
        let running = self.under_way.iter().filter(is_computed);
        let running = running.map(|&(resource, sub_task, end)| (resource, sub_task, self.floor, end));
        let planned = self.slots.iter().map(|(task, slot)| {
            (SweepResource::Host(slot.host), SubTask::Computation(*task), slot.start, slot.end)
        });
        links.chain(running).chain(planned).collect()
    }

    /// Blocks a processor for what runs there, until `end`.
    pub fn occupy_host(&mut self, host: HostNumber, processor: u32, task: TaskNumber, end: u64) {
        let Some(tail) = self.hosts[host.index()].tails.get(processor as usize) else { return };
        self.set_tail(host, processor, end.max(*tail));
        self.under_way.push((SweepResource::Host(host), SubTask::Computation(task), end));
    }

    /// A processor is free for ever from an instant on.
    pub(crate) fn set_tail(&mut self, host: HostNumber, processor: u32, end: u64) {
        let columns = &mut self.hosts[host.index()];
        columns.tails[processor as usize] = end;
        if let Some((kind, place)) = columns.alike {
            let cluster = &mut self.clusters[self.cluster_of[host.index()].index()];
            cluster.alike[kind as usize].set_free(place as usize, columns.first_free().1);
        }
    }

    /// Blocks a link for the transfer that it carries, until `end`; an input then is there.
    pub fn occupy_link(&mut self, transfer: SweepTransfer, end: u64) {
        let SweepTransfer { cluster, link, file, .. } = transfer;
        self.links[link.index()].insert(self.floor, end.max(self.floor), file);
        if let SubTask::Input(file) = file {
            self.clusters[cluster.index()].arrivals.insert(file, end);
            self.keep_within_limit(cluster, &[file]);
        }
    }

    /// Gives the outputs of a task that computes until `end` their slots.
    pub fn send_outputs(&mut self, task: TaskNumber, cluster: ClusterNumber, end: u64) {
        for file in self.known.clone().outputs(task) {
            self.send_output(task, *file, cluster, end);
        }
    }

    /// Gives an output its slot, at `ready` or later.
    pub fn send_output(&mut self, task: TaskNumber, file: FileNumber, cluster: ClusterNumber, ready: u64) {
        let sub_task = SubTask::Output(file);
        let (ready, bytes) = (ready.max(self.floor), self.known.bytes(file));
        let link = self.link_of(file, cluster);
        if let Some((start, end)) = self.gap(link, sub_task, bytes, ready, &[]) {
            self.links[link.index()].insert(start, end, sub_task);
            self.transfers.push((start, SweepTransfer { cluster, link, file: sub_task, task }));
        }
    }

    /// The inputs of a task in the order in which they are sent: those that more tasks use first,
    /// of equals the lower.
    pub fn in_order(&self, task: TaskNumber) -> SmallVec<[FileNumber; 4]> {
        let mut files: SmallVec<[FileNumber; 4]> = SmallVec::from_slice(self.known.inputs(task));
        files.sort_by_key(|file| (std::cmp::Reverse(self.usage[file.index()]), *file));
        files
    }

    /// The link that carries a file to or from a cluster.
    #[inline]
    pub(crate) fn link_of(&self, file: FileNumber, cluster: ClusterNumber) -> LinkNumber {
        self.grid.link_of(self.known.origin(file), cluster)
    }

    /// Returns true if a file lies on a cluster, or will by the chart.
    pub fn has(&self, cluster: ClusterNumber, file: FileNumber) -> bool {
        let columns = &self.clusters[cluster.index()];
        columns.has_storage && (self.stored.is_stored(cluster, file) || columns.arrivals.contains_key(&file))
    }

    /// Returns true if a file is stored on a cluster, and stays there whatever else gets slots.
    pub(crate) fn keeps(&self, cluster: ClusterNumber, file: FileNumber) -> bool {
        let columns = &self.clusters[cluster.index()];
        columns.has_storage && columns.limit.is_none() && self.stored.is_stored(cluster, file)
    }
}
