//! `do_schedule`: starts what can start now, from the queues that a plan has left.
//!
//! Each idle host takes the first task of its queue if all its inputs are there, else, where that is allowed, a task that is ready from the queue of
//! another host of its cluster. Each idle link carries the next transfer of its queue, where outputs that are not ready are skipped.
//!
//! Source: figure 10 of the report of the Parameter Sweep Template.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::kernel::SimTime;
use crate::sweep::grid::{ClusterNumber, HostNumber};
use crate::sweep::interfaces::Interfaces;
use crate::sweep::link_queue::{LinkDiscipline, LinkQueue};
use crate::sweep::predictions::{SubTask, SweepTransfer};
use crate::workflow::TaskNumber;

/// The queues of hosts and links.
#[derive(Debug, Default)]
pub(in crate::sweep) struct Queues {
    pub(in crate::sweep) hosts: Vec<VecDeque<TaskNumber>>,
    pub(in crate::sweep) links: Vec<LinkQueue>,
    /// Clusters where something may start.
    touched: BTreeSet<ClusterNumber>,
    /// When the computation of a task was planned to end, for links that wait.
    pub(in crate::sweep) computed: BTreeMap<TaskNumber, SimTime>,
    pub(in crate::sweep) steals: u64,
    /// When the transfers that were started were planned to, in order of start.
    pub(in crate::sweep) sent: Vec<Option<SimTime>>,
    /// The host in whose queue each task is, or was last, and since when.
    queued: Vec<Option<(HostNumber, SimTime)>>,
}

impl Queues {
    /// Something has happened on a cluster.
    pub(in crate::sweep) fn touch(&mut self, cluster: ClusterNumber) {
        self.touched.insert(cluster);
    }

    /// Something may have happened everywhere.
    pub(in crate::sweep) fn touch_all(&mut self) {
        self.touched.extend((0..self.links.len() as u32).map(ClusterNumber));
    }

    /// The hosts of the clusters where something may start, in order.
    pub(in crate::sweep) fn touched_hosts(&self, grid: &dyn Interfaces) -> Vec<HostNumber> {
        self.touched
            .iter()
            .flat_map(|cluster| grid.grid().cluster(*cluster).hosts.clone())
            .map(HostNumber)
            .collect()
    }

    /// Appends a task to the queue of a host.
    pub(in crate::sweep) fn append(&mut self, task: TaskNumber, host: HostNumber, now: SimTime) {
        self.hosts[host.index()].push_back(task);
        self.is_queued(task, host, now);
    }

    /// A task is in the queue of a host; what it was in before counts if that is the same.
    fn is_queued(&mut self, task: TaskNumber, host: HostNumber, now: SimTime) {
        if self.queued.len() <= task.index() {
            self.queued.resize(task.index() + 1, None);
        }
        let queued = &mut self.queued[task.index()];
        if queued.is_none_or(|(other, _)| other != host) {
            *queued = Some((host, now));
        }
    }

    /// A task is in no queue any more.
    pub(in crate::sweep) fn forget(&mut self, task: TaskNumber) {
        if let Some(queued) = self.queued.get_mut(task.index()) {
            *queued = None;
        }
    }

    /// When a task came into the queue of a host.
    pub(in crate::sweep) fn queued(&self, task: TaskNumber, host: HostNumber) -> Option<SimTime> {
        let (on, since) = self.queued.get(task.index()).copied().flatten()?;
        (on == host).then_some(since)
    }

    /// Makes room for the resources of a grid.
    pub(in crate::sweep) fn fit(&mut self, grid: &dyn Interfaces) {
        let (hosts, links) = (grid.grid().hosts.len(), grid.grid().clusters.len());
        self.hosts.resize_with(hosts, VecDeque::new);
        self.links.resize_with(links, LinkQueue::default);
    }

    /// The tasks of the queue of a host, which is empty then; what links were to send for them alone is dropped.
    pub(in crate::sweep) fn empty_host(
        &mut self,
        host: HostNumber,
        cluster: ClusterNumber,
        grid: &dyn Interfaces,
    ) -> Vec<TaskNumber> {
        let tasks: Vec<TaskNumber> =
            self.hosts.get_mut(host.index()).map(|queue| queue.drain(..).collect()).unwrap_or_default();
        if !tasks.is_empty() {
            self.prune_link(cluster, grid);
        }
        tasks
    }

    /// Drops what the link of a cluster is to carry for tasks that are in no queue of the cluster any more.
    pub(in crate::sweep) fn prune_link(&mut self, cluster: ClusterNumber, grid: &dyn Interfaces) {
        let hosts = grid.grid().cluster(cluster).hosts.clone();
        let queued: BTreeSet<TaskNumber> =
            hosts.flat_map(|host| self.hosts[host as usize].iter().copied()).collect();
        let known = grid.known();
        let has_storage = grid.grid().cluster(cluster).has_storage;
        self.links[cluster.index()].retain(|transfer| match transfer.file {
            SubTask::Input(file) if has_storage => known.users(file).iter().any(|task| queued.contains(task)),
            SubTask::Input(_) => queued.contains(&transfer.task),
            _ => queued.contains(&transfer.task) || grid.has_started(transfer.task),
        });
    }

    /// Whether all inputs of a task are on a cluster.
    fn is_ready(task: TaskNumber, cluster: ClusterNumber, grid: &dyn Interfaces) -> bool {
        grid.known().inputs(task).iter().all(|file| grid.has_input(task, *file, cluster))
    }

    /// Starts what can start. Whether some host has nothing to do and an empty queue.
    pub(in crate::sweep) fn schedule(
        &mut self,
        grid: &mut dyn Interfaces,
        discipline: LinkDiscipline,
        steal: bool,
    ) -> bool {
        let touched = std::mem::take(&mut self.touched);
        let mut is_idle = false;
        for &cluster in &touched {
            let hosts = grid.grid().cluster(cluster).hosts.clone();
            for host in hosts.map(HostNumber) {
                is_idle |= self.start_on(host, cluster, grid, steal);
            }
        }
        for cluster in touched {
            self.carry(cluster, grid, discipline);
        }
        is_idle
    }

    /// Starts tasks on the idle processors of a host. Whether one stays idle and the queue is empty.
    fn start_on(
        &mut self,
        host: HostNumber,
        cluster: ClusterNumber,
        grid: &mut dyn Interfaces,
        steal: bool,
    ) -> bool {
        for _ in 0..grid.idle_processors(host) {
            let own = self.hosts[host.index()].front().copied();
            if let Some(task) = own.filter(|task| Self::is_ready(*task, cluster, grid)) {
                self.hosts[host.index()].pop_front();
                grid.compute(task, host);
            } else if let Some((other, task)) = steal.then(|| self.to_steal(host, cluster, grid)).flatten() {
                self.hosts[other.index()].retain(|queued| *queued != task);
                self.steals += 1;
                self.is_queued(task, host, grid.now());
                grid.compute(task, host);
            } else {
                return own.is_none();
            }
        }
        false
    }

    /// The first task that is ready in the queue of another host of the cluster, and that this one can run.
    fn to_steal(
        &self,
        host: HostNumber,
        cluster: ClusterNumber,
        grid: &dyn Interfaces,
    ) -> Option<(HostNumber, TaskNumber)> {
        let architecture = grid.grid().host(host).architecture;
        let others = grid.grid().cluster(cluster).hosts.clone().map(HostNumber);
        others.filter(|other| *other != host).find_map(|other| {
            let mut queue = self.hosts[other.index()].iter();
            let task = queue.find(|task| {
                grid.known().seconds(**task, architecture).is_some() && Self::is_ready(**task, cluster, grid)
            })?;
            Some((other, *task))
        })
    }

    /// Lets an idle link carry the next transfer.
    fn carry(&mut self, cluster: ClusterNumber, grid: &mut dyn Interfaces, discipline: LinkDiscipline) {
        if !grid.is_linked(cluster) || grid.carried(cluster).is_some() {
            return;
        }
        while let Some((place, transfer)) = self.next_of(cluster, grid, discipline) {
            let planned = self.links[cluster.index()].take(place);
            match transfer.file {
                SubTask::Input(file) if grid.has_input(transfer.task, file, cluster) => {}
                SubTask::Input(file) => {
                    self.sent.push(planned);
                    return grid.store(cluster, file, transfer.task);
                }
                SubTask::Output(file) => {
                    self.sent.push(planned);
                    return grid.retrieve(cluster, file, transfer.task);
                }
                SubTask::Computation(_) => {}
            }
        }
    }

    fn next_of(
        &self,
        cluster: ClusterNumber,
        grid: &mut dyn Interfaces,
        discipline: LinkDiscipline,
    ) -> Option<(u64, SweepTransfer)> {
        let queue = &self.links[cluster.index()];
        let (place, transfer, is_ready) = queue.head()?;
        if is_ready {
            return Some((place, transfer));
        }
        match discipline {
            LinkDiscipline::InOrder => None,
            LinkDiscipline::Greedy => queue.first_ready(),
            LinkDiscipline::Hybrid => {
                let (instead, other) = queue.first_ready()?;
                let ready = self.computed.get(&transfer.task).copied().unwrap_or(SimTime::MAX);
                let (SubTask::Input(file) | SubTask::Output(file)) = other.file else { return None };
                let (now, bytes) = (grid.now().as_nanos(), grid.known().bytes(file));
                let predictions = grid.last_predictions()?;
                let end = predictions.transfer_end(cluster, other.file, bytes, now);
                (end.is_none_or(|end| ready.as_nanos() > end)).then_some((instead, other))
            }
        }
    }
}
