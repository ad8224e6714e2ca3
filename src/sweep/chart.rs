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
//! A transfer goes into the earliest gap of its link's column, a computation behind what its host has. Transfers behind the last one of
//! their column would make plans some six times longer: an output that is planned far ahead keeps the link free until then.
//!
//! Source: section 5.5 of the report of the Parameter Sweep Template; the rule of gaps is a choice of ours.

use std::collections::BTreeMap;
use std::rc::Rc;

use smallvec::SmallVec;

use crate::collections::BusySpans;
use crate::registry::choices;
use crate::sweep::grid::{ClusterNumber, HostNumber};
use crate::sweep::interfaces::SweepTransfer;
use crate::sweep::known::KnownSweep;
use crate::sweep::predictions::{Predictions, SubTask, SweepResource};
use crate::workflow::{FileNumber, TaskNumber};

choices! {
    /// When a task counts as completed.
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
    /// Its host.
    pub host: HostNumber,
    /// The processor of the host, from 0.
    pub processor: u32,
    /// When its computation starts.
    pub start: u64,
    /// When that ends.
    pub end: u64,
    /// When the task is completed.
    pub completion: u64,
}

/// The best that a task can have on a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClusterCompletion {
    /// The cluster.
    pub cluster: ClusterNumber,
    /// The host on which it completes first; of equals the lowest.
    pub host: HostNumber,
    /// When.
    pub completion: u64,
    /// The least completion on another host of the cluster, where it was asked for and there is one.
    pub second: Option<u64>,
}

/// The processors of a host.
#[derive(Clone, Debug, Default)]
struct HostColumns {
    /// When each is free for ever.
    tails: SmallVec<[u64; 1]>,
}

impl HostColumns {
    /// The processor that is free first, and when.
    fn first_free(&self) -> (u32, u64) {
        let mut best = (0, self.tails[0]);
        for (processor, tail) in (1..).zip(&self.tails[1..]) {
            if *tail < best.1 {
                best = (processor, *tail);
            }
        }
        best
    }
}

/// What a cluster has in the chart.
#[derive(Clone, Debug, Default)]
struct ClusterColumns {
    link: BusySpans<SubTask>,
    /// When files arrive that are not there yet.
    arrivals: BTreeMap<FileNumber, u64>,
    /// The hosts that are there and get something done.
    usable: Vec<HostNumber>,
    /// The same, those together that are alike.
    alike: Vec<Vec<HostNumber>>,
    has_storage: bool,
}

/// A Gantt chart.
#[derive(Clone, Debug)]
pub struct Chart {
    known: Rc<KnownSweep>,
    predictions: Rc<Predictions>,
    stored: Rc<StoredFiles>,
    /// The order in which the inputs of tasks are sent: how many tasks that have not started use a file.
    usage: Rc<[u32]>,
    completed_when: CompletedWhen,
    clusters: Vec<ClusterColumns>,
    hosts: Vec<HostColumns>,
    cluster_of: Rc<[ClusterNumber]>,
    /// Nothing starts before.
    floor: u64,
    /// The tasks that have slots, in the order in which they got them.
    slots: Vec<(TaskNumber, ChartSlot)>,
    /// Transfers that are to be started, and when.
    transfers: Vec<(u64, SweepTransfer)>,
    /// What is under way, where, and until when.
    under_way: Vec<(SweepResource, SubTask, u64)>,
    /// Pairs of a task and a host that were looked at.
    looks: u64,
    scratch: Vec<(u64, u64)>,
}

/// Which files lie on which clusters.
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

    /// Whether a file lies there.
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

/// What a chart is drawn on.
#[derive(Clone, Debug)]
pub struct ChartBasis {
    /// The application.
    pub known: Rc<KnownSweep>,
    /// What is predicted.
    pub predictions: Rc<Predictions>,
    /// Where files lie.
    pub stored: Rc<StoredFiles>,
    /// How many tasks that have not started use each file.
    pub usage: Rc<[u32]>,
    /// The cluster of each host.
    pub cluster_of: Rc<[ClusterNumber]>,
    /// When a task counts as completed.
    pub completed_when: CompletedWhen,
}

impl Chart {
    /// An empty chart from an instant on: of each host its processors, none for one that is not there; of each cluster whether it has a
    /// storage.
    pub fn new(
        basis: &ChartBasis,
        floor: u64,
        processors: impl Iterator<Item = u32>,
        storages: impl Iterator<Item = bool>,
    ) -> Self {
        let hosts: Vec<HostColumns> = processors
            .map(|processors| HostColumns { tails: SmallVec::from_elem(floor, processors as usize) })
            .collect();
        let mut clusters: Vec<ClusterColumns> =
            storages.map(|has_storage| ClusterColumns { has_storage, ..ClusterColumns::default() }).collect();
        let mut kinds = BTreeMap::new();
        for (host, columns) in (0..).map(HostNumber).zip(&hosts) {
            let gets_done = || basis.predictions.computation_end(host, TaskNumber(0), 1.0, floor).is_some();
            if !columns.tails.is_empty() && gets_done() {
                let cluster = &mut clusters[basis.cluster_of[host.index()].index()];
                cluster.usable.push(host);
                let next = cluster.alike.len();
                let place = match basis.predictions.kind_of_host(host) {
                    Some(kind) => *kinds.entry((basis.cluster_of[host.index()], kind)).or_insert(next),
                    None => next,
                };
                cluster.alike.resize(next.max(place + 1), Vec::new());
                cluster.alike[place].push(host);
            }
        }
        let ChartBasis { known, predictions, stored, usage, cluster_of, completed_when } = basis.clone();
        Chart {
            known,
            predictions,
            stored,
            usage,
            completed_when,
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

    /// When the last of the planned tasks is completed.
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

    /// When a host has a processor free for ever.
    pub fn free_from(&self, host: HostNumber) -> u64 {
        self.hosts[host.index()].first_free().1
    }

    /// What the column of a link holds.
    pub fn link(&self, cluster: ClusterNumber) -> &BusySpans<SubTask> {
        &self.clusters[cluster.index()].link
    }

    /// Nothing starts before this instant.
    pub fn floor(&self) -> u64 {
        self.floor
    }

    /// The cluster of a host.
    pub fn cluster_of(&self, host: HostNumber) -> ClusterNumber {
        self.cluster_of[host.index()]
    }

    /// Whether equal tasks may have different estimates.
    pub fn is_individual(&self) -> bool {
        self.predictions.are_individual()
    }

    /// Whether a host can run a task.
    pub fn runs(&self, task: TaskNumber, host: HostNumber) -> bool {
        self.known.seconds(task, self.predictions.hosts[host.index()].architecture).is_some()
    }

    /// Counts looks at other charts.
    pub fn set_looks(&mut self, looks: u64) {
        self.looks = looks;
    }

    /// The transfers that are to be started, by cluster, in the order of their slots.
    pub fn transfers_in_order(&self) -> impl Iterator<Item = SweepTransfer> {
        let mut transfers = self.transfers.clone();
        transfers.sort_by_key(|(start, transfer)| (transfer.cluster, *start));
        transfers.into_iter().map(|(_, transfer)| transfer)
    }

    /// Every sub-task of the chart: where, from when, until when.
    pub fn spans(&self) -> Vec<(SweepResource, SubTask, u64, u64)> {
        let links = (0..).map(ClusterNumber).zip(&self.clusters).flat_map(|(cluster, columns)| {
            let spans = columns.link.iter();
            spans.map(move |span| (SweepResource::Link(cluster), span.item, span.start, span.end))
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
        let Some(tail) = self.hosts[host.index()].tails.get_mut(processor as usize) else { return };
        *tail = end.max(*tail);
        self.under_way.push((SweepResource::Host(host), SubTask::Computation(task), end));
    }

    /// Blocks a link for what is under way there, until `end`; an input then is there.
    pub fn occupy_link(&mut self, cluster: ClusterNumber, sub_task: SubTask, end: u64) {
        let (floor, columns) = (self.floor, &mut self.clusters[cluster.index()]);
        columns.link.insert(floor, end.max(floor), sub_task);
        if let SubTask::Input(file) = sub_task {
            columns.arrivals.insert(file, end);
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
        if let Some((start, end)) = self.gap(cluster, sub_task, bytes, ready, &mut Vec::new()) {
            self.clusters[cluster.index()].link.insert(start, end, sub_task);
            self.transfers.push((start, SweepTransfer { cluster, file: sub_task, task }));
        }
    }

    /// The inputs of a task in the order in which they are sent: those that more tasks use first, of equals the lower.
    pub fn in_order(&self, task: TaskNumber) -> SmallVec<[FileNumber; 4]> {
        let mut files: SmallVec<[FileNumber; 4]> = SmallVec::from_slice(self.known.inputs(task));
        files.sort_by_key(|file| (std::cmp::Reverse(self.usage[file.index()]), *file));
        files
    }

    /// How many tasks that have not started use a file.
    pub fn usage(&self, file: FileNumber) -> u32 {
        self.usage[file.index()]
    }

    /// Whether a file lies on a cluster, or will by the chart.
    pub fn has(&self, cluster: ClusterNumber, file: FileNumber) -> bool {
        let columns = &self.clusters[cluster.index()];
        columns.has_storage && (self.stored.is_stored(cluster, file) || columns.arrivals.contains_key(&file))
    }

    /// The best that a task can have on a cluster, its inputs in the order of [`in_order`](Chart::in_order); nothing if no host there can
    /// run it. `second` asks for the second-best host, too.
    pub fn look(
        &mut self,
        task: TaskNumber,
        inputs: &[FileNumber],
        cluster: ClusterNumber,
        second: bool,
    ) -> Option<ClusterCompletion> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let found = self.look_with(task, inputs, cluster, second, &mut scratch);
        self.scratch = scratch;
        self.looks += self.clusters[cluster.index()].usable.len() as u64;
        found
    }

    fn look_with(
        &self,
        task: TaskNumber,
        inputs: &[FileNumber],
        cluster: ClusterNumber,
        second: bool,
        sent: &mut Vec<(u64, u64)>,
    ) -> Option<ClusterCompletion> {
        let ready = self.place_inputs(inputs, cluster, sent, |_, _| {})?;
        // the least end, of equal ones that of the lowest host, and the next
        let (mut best, mut runner_up) = ((u64::MAX, HostNumber(u32::MAX)), u64::MAX);
        self.each_end(task, cluster, ready, |host, end| {
            if (end, host) < best {
                runner_up = best.0;
                best = (end, host);
            } else {
                runner_up = runner_up.min(end);
            }
        });
        let (end, mut host) = best;
        if end == u64::MAX {
            return None;
        }
        let runner_up = Some(runner_up).filter(|end| *end < u64::MAX);
        let sent_inputs = sent.len();
        let completion = self.place_outputs(task, cluster, end, sent, |_, _| {})?;
        if self.returns(task) && runner_up.is_some() {
            // a host that computes later may have its outputs sent at the same time: then the lower one has it
            let first_sent = sent[sent_inputs..].iter().map(|span| span.0).min().unwrap_or(end);
            let has_several = self.known.outputs(task).len() > 1;
            self.each_end(task, cluster, ready, |other, later| {
                let is_same = other < host
                    && (later <= first_sent || {
                        has_several && later < completion && {
                            sent.truncate(sent_inputs);
                            self.place_outputs(task, cluster, later, sent, |_, _| {}) == Some(completion)
                        }
                    });
                if is_same {
                    host = other;
                }
            });
        }
        let second = match runner_up.filter(|_| second) {
            Some(end) => {
                sent.truncate(sent_inputs);
                self.place_outputs(task, cluster, end, sent, |_, _| {})
            }
            None => None,
        };
        Some(ClusterCompletion { cluster, host, completion, second })
    }

    /// Gives a task its slots on a host; nothing, and the chart as it was, if it cannot run there.
    pub fn assign(&mut self, task: TaskNumber, host: HostNumber) -> Option<ChartSlot> {
        let cluster = self.cluster_of[host.index()];
        let (inputs, mut sent) = (self.in_order(task), Vec::new());
        let mut files: SmallVec<[(SubTask, (u64, u64)); 4]> = SmallVec::new();
        let ready = self.place_inputs(&inputs, cluster, &mut sent, |file, span| {
            files.push((SubTask::Input(file), span));
        })?;
        let end = self.computed(task, host, ready)?;
        let completion = self.place_outputs(task, cluster, end, &mut sent, |file, span| {
            files.push((SubTask::Output(file), span));
        })?;
        let (processor, tail) = self.hosts[host.index()].first_free();
        let start = ready.max(tail);
        self.hosts[host.index()].tails[processor as usize] = end;
        let columns = &mut self.clusters[cluster.index()];
        for (sub_task, (start, end)) in files {
            columns.link.insert(start, end, sub_task);
            if let (SubTask::Input(file), true) = (sub_task, columns.has_storage) {
                columns.arrivals.insert(file, end);
            }
            self.transfers.push((start, SweepTransfer { cluster, file: sub_task, task }));
        }
        let slot = ChartSlot { host, processor, start, end, completion };
        self.slots.push((task, slot));
        Some(slot)
    }

    /// The end of a computation on each host of a cluster that can have it.
    fn each_end(
        &self,
        task: TaskNumber,
        cluster: ClusterNumber,
        ready: u64,
        mut each: impl FnMut(HostNumber, u64),
    ) {
        for alike in &self.clusters[cluster.index()].alike {
            let architecture = self.predictions.hosts[alike[0].index()].architecture;
            let Some(seconds) = self.known.seconds(task, architecture) else { continue };
            match self.predictions.fixed_computation(alike[0], seconds) {
                Some(Some(length)) => {
                    for &host in alike {
                        each(host, ready.max(self.free_from(host)).saturating_add(length));
                    }
                }
                Some(None) => {}
                None => {
                    let ends =
                        alike.iter().filter_map(|host| Some((*host, self.computed(task, *host, ready)?)));
                    ends.for_each(|(host, end)| each(host, end));
                }
            }
        }
    }

    /// When the computation of a task would end on a host.
    fn computed(&self, task: TaskNumber, host: HostNumber, ready: u64) -> Option<u64> {
        let architecture = self.predictions.hosts[host.index()].architecture;
        let seconds = self.known.seconds(task, architecture)?;
        let start = ready.max(self.free_from(host));
        self.predictions.computation_end(host, task, seconds, start)
    }

    fn returns(&self, task: TaskNumber) -> bool {
        self.completed_when == CompletedWhen::Returned && !self.known.outputs(task).is_empty()
    }

    /// When all inputs of a task are on a cluster; those that must be sent go into `sent`.
    fn place_inputs(
        &self,
        inputs: &[FileNumber],
        cluster: ClusterNumber,
        sent: &mut Vec<(u64, u64)>,
        mut placed: impl FnMut(FileNumber, (u64, u64)),
    ) -> Option<u64> {
        sent.clear();
        let columns = &self.clusters[cluster.index()];
        let mut ready = self.floor;
        for &file in inputs {
            if columns.has_storage {
                if self.stored.is_stored(cluster, file) {
                    continue;
                }
                if let Some(&arrival) = columns.arrivals.get(&file) {
                    ready = ready.max(arrival);
                    continue;
                }
            }
            let span = self.gap(cluster, SubTask::Input(file), self.known.bytes(file), self.floor, sent)?;
            placed(file, span);
            ready = ready.max(span.1);
        }
        Some(ready)
    }

    /// When a task is completed whose computation ends at `end`; its outputs go into `sent`.
    fn place_outputs(
        &self,
        task: TaskNumber,
        cluster: ClusterNumber,
        end: u64,
        sent: &mut Vec<(u64, u64)>,
        mut placed: impl FnMut(FileNumber, (u64, u64)),
    ) -> Option<u64> {
        let mut returned = end;
        for &file in self.known.outputs(task) {
            let span = self.gap(cluster, SubTask::Output(file), self.known.bytes(file), end, sent)?;
            placed(file, span);
            returned = returned.max(span.1);
        }
        Some(if self.completed_when == CompletedWhen::Returned { returned } else { end })
    }

    /// The earliest gap of a link for a transfer from `ready` on, beside those in `sent`, which it joins.
    fn gap(
        &self,
        cluster: ClusterNumber,
        sub_task: SubTask,
        bytes: u64,
        ready: u64,
        sent: &mut Vec<(u64, u64)>,
    ) -> Option<(u64, u64)> {
        let column = &self.clusters[cluster.index()].link;
        let overlapped = |start: u64, end: u64, sent: &[(u64, u64)]| {
            sent.iter().find(|span| start < span.1 && span.0 < end).map(|span| span.1)
        };
        let mut start = ready;
        let span = match self.predictions.fixed_transfer(cluster, sub_task, bytes) {
            Some(length) => {
                let length = length?;
                loop {
                    start = column.earliest(start, length);
                    match overlapped(start, start.checked_add(length)?, sent) {
                        Some(later) => start = later,
                        None => break (start, start + length),
                    }
                }
            }
            None => loop {
                start = column.earliest(start, 0);
                let end = self.predictions.transfer_end(cluster, sub_task, bytes, start)?;
                if !column.is_free(start, end) {
                    start = column.next_busy(start)?.end;
                } else if let Some(later) = overlapped(start, end, sent) {
                    start = later;
                } else {
                    break (start, end);
                }
            },
        };
        sent.push(span);
        Some(span)
    }
}
