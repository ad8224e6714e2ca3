//! The workqueue: a host that is idle takes a task, whose inputs are sent then; nothing is planned.

use std::cmp::Reverse;

use crate::collections::OrderedSet;
use crate::estimate::predictions::{SubTask, SweepTransfer};
use crate::heuristic::WorkqueueOrder;
use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::{ClusterNumber, HostNumber};
use crate::plan::chart::{Chart, CompletedWhen};
use crate::plan::fill::fill_as_workqueue;
use crate::results::record::{PlanTrigger, SweepPlanRecord, TakenTask};
use crate::scheduler::dispatch::Queues;
use crate::scheduler::duplicate::Duplicates;
use crate::scheduler::interfaces::{Interfaces, SweepScheduler};
use crate::scheduler::link_queue::LinkDiscipline;
use crate::workflow::{FileNumber, TaskNumber};

/// The scheduler that does not plan.
#[derive(Debug)]
pub struct WorkqueueScheduler {
    order: WorkqueueOrder,
    links: LinkDiscipline,
    pool: OrderedSet<TaskNumber>,
    queues: Queues,
    /// True if hosts that have nothing to do compute second copies of tasks, and those.
    is_duplicating: bool,
    duplicates: Duplicates,
    /// Of each cluster, the tasks of the pool of which bytes are there: the most bytes first.
    near: Vec<OrderedSet<(Reverse<u64>, TaskNumber)>>,
    /// Inputs that have arrived and are not counted yet.
    arrived: Vec<(ClusterNumber, FileNumber)>,
    /// Prediction made at the arrival of the first tasks.
    predicted: Vec<SweepPlanRecord>,
    /// The task that is explained, and when hosts took it.
    explained: Option<TaskNumber>,
    taken: Vec<TakenTask>,
}

impl WorkqueueScheduler {
    /// A workqueue in this order.
    pub fn new(order: WorkqueueOrder, links: LinkDiscipline) -> Self {
        WorkqueueScheduler {
            order,
            links,
            pool: OrderedSet::new(),
            queues: Queues::default(),
            is_duplicating: false,
            duplicates: Duplicates::default(),
            near: Vec::new(),
            arrived: Vec::new(),
            predicted: Vec::new(),
            explained: None,
            taken: Vec::new(),
        }
    }

    /// The same, where hosts that have nothing to do compute second copies of tasks, or do not.
    #[must_use]
    pub fn duplicating(self, is_duplicating: bool) -> Self {
        WorkqueueScheduler { is_duplicating, ..self }
    }

    /// Predicts when the tasks that are there will be completed, if each is taken by the host that
    /// is free first.
    fn predict(&mut self, grid: &mut dyn Interfaces) {
        let predictions = grid.predictions(0);
        let mut chart = Chart::of_grid(grid, predictions, CompletedWhen::Returned, SimDuration::ZERO);
        fill_as_workqueue(&mut chart, self.pool.iter().copied());
        self.predicted.push(SweepPlanRecord {
            at: grid.now(),
            trigger: PlanTrigger::Start,
            tasks: chart.slots().len() as u64,
            looks: 0,
            interval: None,
            correctness: None,
            delta: None,
            horizon: None,
            end: SimTime::from_nanos(chart.end()),
        });
    }

    /// Bytes of the inputs of a task on a cluster.
    fn bytes_there(task: TaskNumber, cluster: ClusterNumber, grid: &dyn Interfaces) -> u64 {
        let known = grid.known();
        let there = known.inputs(task).iter().filter(|file| grid.stored().is_stored(cluster, **file));
        there.map(|file| known.bytes(*file)).sum()
    }

    /// Counts the bytes of inputs that have arrived.
    fn count_arrived(&mut self, grid: &dyn Interfaces) {
        self.near.resize_with(grid.grid().clusters.len(), OrderedSet::new);
        for (cluster, file) in std::mem::take(&mut self.arrived) {
            let near = &mut self.near[cluster.index()];
            for &task in grid.known().users(file).iter().filter(|task| self.pool.contains(task)) {
                let bytes = Self::bytes_there(task, cluster, grid);
                near.remove(&(Reverse(bytes.saturating_sub(grid.known().bytes(file))), task));
                near.insert((Reverse(bytes), task));
            }
        }
    }

    /// The task that an idle host takes.
    fn next_for(
        &mut self,
        host: HostNumber,
        cluster: ClusterNumber,
        grid: &dyn Interfaces,
    ) -> Option<TaskNumber> {
        let architecture = grid.grid().host(host).architecture;
        let runs = |task: &TaskNumber| {
            grid.known().seconds(*task, architecture).is_some() && grid.fits(*task, cluster)
        };
        if self.order == WorkqueueOrder::MostBytes {
            // entries of tasks that were taken, or are counted again, go when they are met
            let near = &mut self.near[cluster.index()];
            let mut stale = Vec::new();
            let mut found = None;
            for &(Reverse(bytes), task) in near.iter() {
                if !self.pool.contains(&task) || Self::bytes_there(task, cluster, grid) != bytes {
                    stale.push((Reverse(bytes), task));
                } else if bytes > 0 && runs(&task) {
                    found = Some(task);
                    break;
                }
            }
            stale.iter().for_each(|entry| {
                near.remove(entry);
            });
            if found.is_some() {
                return found;
            }
        }
        self.pool.iter().copied().find(runs)
    }

    /// Lets idle hosts take tasks.
    fn take(&mut self, grid: &dyn Interfaces) {
        for host in self.queues.touched_hosts(grid) {
            if self.pool.is_empty() {
                return;
            }
            let cluster = grid.grid().host(host).cluster;
            let queued = self.queues.hosts[host.index()].len();
            for _ in queued..grid.idle_processors(host) as usize {
                let Some(task) = self.next_for(host, cluster, grid) else { break };
                if self.explained == Some(task) {
                    let decides = self.order == WorkqueueOrder::MostBytes;
                    let bytes = decides.then(|| Self::bytes_there(task, cluster, grid));
                    let among = self.pool.len() as u64;
                    self.taken.push(TakenTask { at: grid.now(), task, host, among, bytes });
                }
                self.pool.remove(&task);
                self.queues.append(task, host, grid);
                self.request(task, cluster, grid);
                self.queues.touch(cluster);
            }
        }
    }

    /// Has the inputs of a task sent that are neither there nor in progress.
    fn request(&mut self, task: TaskNumber, cluster: ClusterNumber, grid: &dyn Interfaces) {
        let mut inputs = grid.known().inputs(task).to_vec();
        inputs.sort_by_key(|file| (Reverse(grid.usage()[file.index()]), *file));
        let has_storage = grid.grid().cluster(cluster).has_storage;
        for file in inputs {
            let input = SubTask::Input(file);
            let is_requested =
                has_storage && (self.queues.sends(cluster, file, grid) || grid.is_carried(cluster, input));
            if !is_requested && !grid.has_input(task, file, cluster) {
                let link = self.queues.soonest(file, cluster, grid);
                self.queues.send(SweepTransfer { cluster, link, file: input, task }, true);
            }
        }
    }
}

impl SweepScheduler for WorkqueueScheduler {
    fn new_host(&mut self, host: HostNumber, grid: &dyn Interfaces) {
        self.queues.fit(grid);
        self.queues.touch(grid.grid().host(host).cluster);
    }

    fn new_work(&mut self, tasks: &[TaskNumber]) {
        self.pool.extend(tasks);
        self.queues.touch_all();
    }

    fn work_done(&mut self, task: TaskNumber, host: HostNumber, grid: &dyn Interfaces) {
        self.duplicates.work_done(task, host, &mut self.queues, grid);
        let cluster = grid.grid().host(host).cluster;
        self.queues.send_outputs(task, cluster, grid);
        self.queues.touch(cluster);
    }

    fn host_failed(&mut self, host: HostNumber, grid: &dyn Interfaces) {
        self.queues.fit(grid);
        self.duplicates.host_failed(host, &mut self.queues, grid);
        let tasks = self.queues.empty_host(host, grid.grid().host(host).cluster, grid);
        self.pool.extend(tasks);
        self.queues.touch_all();
    }

    fn work_failed(&mut self, task: TaskNumber) {
        self.pool.insert(task);
        self.queues.forget(task);
        self.queues.touch_all();
    }

    fn disk_failed(&mut self, cluster: ClusterNumber) {
        self.queues.clear_links(cluster);
    }

    fn transfer_done(&mut self, transfer: SweepTransfer) {
        self.queues.transfer_done(transfer);
        if let (SubTask::Input(file), WorkqueueOrder::MostBytes) = (transfer.file, self.order) {
            self.arrived.push((transfer.cluster, file));
        }
    }

    fn decide(&mut self, grid: &mut dyn Interfaces) {
        self.queues.fit(grid);
        self.duplicates.cancel_late(&mut self.queues, grid);
        if self.predicted.is_empty() && !self.pool.is_empty() {
            self.predict(grid);
        }
        self.count_arrived(grid);
        self.take(grid);
        self.queues.schedule(grid, self.links, false);
        if self.is_duplicating && self.pool.is_empty() && self.duplicates.begin(&mut self.queues, grid) {
            self.queues.schedule(grid, self.links, false);
        }
    }

    fn queued(&self, task: TaskNumber, host: HostNumber) -> Option<SimTime> {
        self.queues.queued(task, host)
    }

    fn plans(&self) -> &[SweepPlanRecord] {
        &self.predicted
    }

    fn explain(&mut self, task: TaskNumber) {
        self.explained = Some(task);
    }

    fn taken(&self) -> &[TakenTask] {
        &self.taken
    }
}
