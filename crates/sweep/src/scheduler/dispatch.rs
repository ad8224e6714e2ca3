//! `do_schedule`: starts what can start now, from the queues that a plan has left.
//!
//! Each idle host takes the first task of its queue if all its inputs are there, else, where that
//! is allowed, a task that is ready from the queue of another host of its cluster. Each idle link
//! carries the next transfer of its queue, where outputs that are not ready are skipped.
//!
//! Where storages have a limit, the tasks in the queues of a cluster get room first, from the heads
//! of its queues on. Those with room are put before others in their queues; nothing starts and no
//! input is sent without room, and no link waits for what has none.
//!
//! Source: figure 10 of the report of the Parameter Sweep Template.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::rc::Rc;

use crate::collections::{OrderedMap, OrderedSet};
use crate::estimate::predictions::{SubTask, SweepTransfer};
use crate::kernel::SimTime;
use crate::model::grid::{ClusterNumber, HostNumber, SweepGrid};
use crate::scheduler::interfaces::Interfaces;
use crate::scheduler::link_queue::{LinkDiscipline, LinkQueue};
use crate::workflow::{FileNumber, TaskNumber};

/// The queues of hosts and links.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    pub(crate) hosts: Vec<VecDeque<TaskNumber>>,
    pub(crate) links: Vec<LinkQueue>,
    /// The grid, once it has been seen.
    pub(crate) grid: Rc<SweepGrid>,
    /// Clusters where something may start.
    pub(crate) touched: OrderedSet<ClusterNumber>,
    /// Clusters where tasks have left queues or processors.
    vacated: OrderedSet<ClusterNumber>,
    /// True if a storage has a limit.
    has_limits: bool,
    /// True if inputs may wait to be sent from clusters that have them no more, or may have been
    /// dropped with these.
    pub(crate) may_strand: bool,
    /// Number of tasks at the head of the queue of each host have room, where the storage has a
    /// limit.
    roomed: Vec<u32>,
    /// Of each cluster, what it was when its tasks last got room; `None` if its queues have
    /// changed.
    seen: Vec<Option<SeenStorage>>,
    /// Planned end of the computation of each task, for links that wait.
    pub(crate) computed: OrderedMap<TaskNumber, SimTime>,
    pub(crate) steals: u64,
    /// Planned starts of the transfers that were started, in order of start.
    pub(crate) sent: Vec<Option<SimTime>>,
    /// The host in whose queue each task is, or was last, and since when.
    queued: Vec<Option<(HostNumber, SimTime)>>,
}

/// A storage with a limit, as it was when tasks got room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SeenStorage {
    changes: u64,
    is_short: bool,
}

impl Queues {
    /// Something has happened on a cluster.
    pub(crate) fn touch(&mut self, cluster: ClusterNumber) {
        self.touched.insert(cluster);
    }

    /// Something may have happened everywhere.
    pub(crate) fn touch_all(&mut self) {
        self.touched.extend(self.grid.cluster_numbers());
        self.seen.fill(None);
        self.may_strand = true;
    }

    /// Drops what the links of a cluster were to carry.
    pub(crate) fn clear_links(&mut self, cluster: ClusterNumber) {
        let grid = Rc::clone(&self.grid);
        let is_seen = cluster.index() < grid.clusters.len();
        grid.links_of(cluster).filter(|_| is_seen).for_each(|link| self.links[link.index()].clear());
        self.may_strand = true;
    }

    /// Returns true if a file waits to be sent to a cluster.
    pub(crate) fn sends(&self, cluster: ClusterNumber, file: FileNumber, grid: &dyn Interfaces) -> bool {
        grid.grid().links_of(cluster).any(|link| self.links[link.index()].sends(cluster, file))
    }

    /// Appends a transfer to the queue of its link.
    pub(crate) fn send(&mut self, transfer: SweepTransfer, is_ready: bool) {
        self.links[transfer.link.index()].push(transfer, is_ready);
    }

    /// The outputs of a task that has computed can go now; those that no link was to carry are
    /// appended.
    pub(crate) fn send_outputs(&mut self, task: TaskNumber, cluster: ClusterNumber, grid: &dyn Interfaces) {
        let mut were_queued = false;
        for link in grid.grid().links_of(cluster) {
            were_queued |= self.links[link.index()].outputs_ready(task);
        }
        if were_queued {
            return;
        }
        for file in grid.known().outputs(task) {
            let link = grid.link_of(*file, cluster);
            self.send(SweepTransfer { cluster, link, file: SubTask::Output(*file), task }, true);
        }
    }

    /// The hosts of the clusters where something may start, in order.
    pub(crate) fn touched_hosts(&self, grid: &dyn Interfaces) -> Vec<HostNumber> {
        self.touched
            .iter()
            .flat_map(|cluster| grid.grid().cluster(*cluster).hosts.clone())
            .map(HostNumber)
            .collect()
    }

    /// Appends a task to the queue of a host.
    pub(crate) fn append(&mut self, task: TaskNumber, host: HostNumber, grid: &dyn Interfaces) {
        self.hosts[host.index()].push_back(task);
        self.seen[grid.grid().host(host).cluster.index()] = None;
        self.is_queued(task, host, grid.now());
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
    pub(crate) fn forget(&mut self, task: TaskNumber) {
        if let Some(queued) = self.queued.get_mut(task.index()) {
            *queued = None;
        }
    }

    /// Instant at which a task came into the queue of a host.
    pub(crate) fn queued(&self, task: TaskNumber, host: HostNumber) -> Option<SimTime> {
        let (on, since) = self.queued.get(task.index()).copied().flatten()?;
        (on == host).then_some(since)
    }

    /// Makes room for the resources of a grid.
    pub(crate) fn fit(&mut self, grid: &dyn Interfaces) {
        let (hosts, links) = (grid.grid().hosts.len(), grid.grid().link_count());
        if self.links.len() < links {
            self.grid = Rc::clone(grid.grid());
            self.has_limits = grid.grid().clusters.iter().any(|cluster| cluster.limit().is_some());
        }
        self.hosts.resize_with(hosts, VecDeque::new);
        self.links.resize_with(links, LinkQueue::default);
        self.roomed.resize(hosts, 0);
        self.seen.resize(grid.grid().clusters.len(), None);
    }

    /// The tasks of the queue of a host, which is empty then; what links were to send for them
    /// alone is dropped.
    pub(crate) fn empty_host(
        &mut self,
        host: HostNumber,
        cluster: ClusterNumber,
        grid: &dyn Interfaces,
    ) -> Vec<TaskNumber> {
        if self.has_limits {
            self.vacated.insert(cluster);
            self.seen[cluster.index()] = None;
        }
        let tasks: Vec<TaskNumber> =
            self.hosts.get_mut(host.index()).map(|queue| queue.drain(..).collect()).unwrap_or_default();
        if !tasks.is_empty() {
            self.prune_link(cluster, grid);
        }
        tasks
    }

    /// Drops what the links of a cluster are to carry for tasks that are in no queue of the cluster
    /// any more.
    pub(crate) fn prune_link(&mut self, cluster: ClusterNumber, grid: &dyn Interfaces) {
        let hosts = grid.grid().cluster(cluster).hosts.clone();
        let queued: OrderedSet<TaskNumber> =
            hosts.flat_map(|host| self.hosts[host as usize].iter().copied()).collect();
        let known = grid.known();
        let has_storage = grid.grid().cluster(cluster).has_storage;
        self.seen[cluster.index()] = None;
        self.may_strand = true;
        for link in grid.grid().links_of(cluster) {
            self.links[link.index()].retain(|transfer| match transfer.file {
                _ if transfer.cluster != cluster => true,
                SubTask::Input(file) if has_storage => {
                    known.users(file).iter().any(|task| queued.contains(task))
                }
                SubTask::Input(_) => queued.contains(&transfer.task),
                _ => queued.contains(&transfer.task) || grid.has_started(transfer.task),
            });
        }
    }

    /// Returns true if all inputs of a task are on a cluster, and have room there.
    fn is_ready(task: TaskNumber, cluster: ClusterNumber, grid: &dyn Interfaces) -> bool {
        grid.known().inputs(task).iter().all(|file| grid.has_input(task, *file, cluster))
            && grid.storage(cluster).is_none_or(|storage| storage.has_room(task))
    }

    /// Gives the tasks in the queues of a cluster room in its storage, if that has a limit, and has
    /// those of their inputs sent that have been removed since they were planned. Whether anything
    /// has changed.
    ///
    /// While the queues and what tasks with room need are the same, no task can get room that had
    /// none. Where only tasks have started and ended, those with room are still the first of their
    /// queues, so that the others alone are looked at.
    fn give_room(&mut self, cluster: ClusterNumber, grid: &mut dyn Interfaces) -> bool {
        let Some(storage) = grid.storage(cluster) else { return false };
        let now = SeenStorage { changes: storage.changes(), is_short: storage.is_short() };
        let seen = self.seen[cluster.index()].replace(now);
        if seen == Some(now) {
            return false;
        }
        let mut hosts: Vec<HostNumber> = grid.grid().cluster(cluster).hosts.clone().map(HostNumber).collect();
        let is_same = seen.is_some_and(|seen| seen.is_short == now.is_short);
        if is_same {
            hosts.retain(|host| (self.roomed[host.index()] as usize) < self.hosts[host.index()].len());
        } else {
            self.take_back_room(cluster, &hosts, grid);
        }
        hosts.sort_by_key(|host| self.hosts[host.index()].front().map(|task| self.computed.get(task)));
        let mut has_changed = false;
        // by place in the queue, then by host; a host whose task has no room goes on with it later
        let mut next: BinaryHeap<Reverse<(u32, usize)>> = hosts
            .iter()
            .enumerate()
            .map(|(rank, host)| Reverse((if is_same { self.roomed[host.index()] } else { 0 }, rank)))
            .collect();
        while let Some(Reverse((place, rank))) = next.pop() {
            let host = hosts[rank];
            let Some(&task) = self.hosts[host.index()].get(place as usize) else { continue };
            let storage = grid.storage(cluster).expect("it has a limit");
            let (had_room, is_short) = (storage.has_room(task), storage.is_short());
            if !grid.give_room(cluster, task) {
                continue;
            }
            if !had_room {
                has_changed = true;
                for &file in grid.known().inputs(task) {
                    self.has_room(cluster, file, grid);
                }
            }
            if is_short {
                has_changed |= self.send_removed(task, cluster, grid);
            }
            self.roomed[host.index()] = place + 1;
            next.push(Reverse((place + 1, rank)));
        }
        if !is_same {
            self.put_roomed_first(cluster, &hosts, grid);
        }
        has_changed
    }

    /// An input has got room on a cluster.
    fn has_room(&mut self, cluster: ClusterNumber, file: FileNumber, grid: &dyn Interfaces) {
        for link in grid.grid().links_of(cluster) {
            self.links[link.index()].has_room(cluster, file);
        }
    }

    /// Takes the room of tasks back that are in no queue of a cluster, but for those that compute
    /// there.
    fn take_back_room(&self, cluster: ClusterNumber, hosts: &[HostNumber], grid: &mut dyn Interfaces) {
        let Some(storage) = grid.storage(cluster) else { return };
        let queues = hosts.iter().flat_map(|host| &self.hosts[host.index()]);
        let queued: OrderedSet<TaskNumber> = queues.copied().collect();
        let others: Vec<TaskNumber> = storage.tasks().filter(|task| !queued.contains(task)).collect();
        others.into_iter().for_each(|task| grid.take_room(cluster, task));
    }

    /// Puts tasks with room before others in the queues of a cluster.
    fn put_roomed_first(&mut self, cluster: ClusterNumber, hosts: &[HostNumber], grid: &dyn Interfaces) {
        let Some(storage) = grid.storage(cluster) else { return };
        for host in hosts.iter().map(|host| host.index()) {
            let (with, without): (Vec<_>, Vec<_>) =
                self.hosts[host].drain(..).partition(|task| storage.has_room(*task));
            self.roomed[host] = with.len() as u32;
            self.hosts[host].extend(with.into_iter().chain(without));
        }
    }

    /// Has the inputs of a task sent that are neither there nor to be sent. Whether there are any.
    fn send_removed(&mut self, task: TaskNumber, cluster: ClusterNumber, grid: &dyn Interfaces) -> bool {
        let mut any = false;
        for &file in grid.known().inputs(task) {
            let (is_there, input) = (grid.has_input(task, file, cluster), SubTask::Input(file));
            let link = grid.link_of(file, cluster);
            if !is_there && !self.sends(cluster, file, grid) && !grid.is_carried(cluster, input) {
                self.send(SweepTransfer { cluster, link, file: input, task }, true);
                any = true;
            }
        }
        any
    }

    /// Starts what can start. Whether some host has nothing to do and an empty queue.
    pub(crate) fn schedule(
        &mut self,
        grid: &mut dyn Interfaces,
        discipline: LinkDiscipline,
        steal: bool,
    ) -> bool {
        if self.has_limits {
            let mut clusters = std::mem::take(&mut self.vacated);
            clusters.extend(&self.touched);
            clusters.retain(|cluster| self.give_room(*cluster, grid));
            self.touched.extend(clusters);
        }
        self.reroute(grid);
        let touched = std::mem::take(&mut self.touched);
        let mut is_idle = false;
        for &cluster in &touched {
            let hosts = grid.grid().cluster(cluster).hosts.clone();
            for host in hosts.map(HostNumber) {
                is_idle |= self.start_on(host, cluster, grid, steal);
            }
        }
        let described = Rc::clone(grid.grid());
        for link in touched.iter().flat_map(|cluster| described.links_of(*cluster)) {
            self.carry(link, grid, discipline);
        }
        // of what was to be sent on some has been removed by what is sent now
        while self.reroute(grid) {
            let touched = std::mem::take(&mut self.touched);
            for link in touched.iter().flat_map(|cluster| described.links_of(*cluster)) {
                self.carry(link, grid, discipline);
            }
        }
        is_idle
    }

    /// Starts tasks on the idle processors of a host. Whether one stays idle and the queue is
    /// empty.
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
                self.leaves_queue(task, host, cluster);
                grid.compute(task, host);
            } else if let Some((other, task)) = steal.then(|| self.to_steal(host, cluster, grid)).flatten() {
                self.hosts[other.index()].retain(|queued| *queued != task);
                self.leaves_queue(task, other, cluster);
                self.steals += 1;
                self.is_queued(task, host, grid.now());
                grid.compute(task, host);
            } else {
                return own.is_none();
            }
        }
        false
    }

    /// A task with room has left the queue of a host and starts.
    fn leaves_queue(&mut self, task: TaskNumber, host: HostNumber, cluster: ClusterNumber) {
        if self.has_limits {
            let roomed = &mut self.roomed[host.index()];
            *roomed = roomed.saturating_sub(1);
            self.links[cluster.index()].starts(task);
        }
    }

    /// The first task that is ready in the queue of another host of the cluster, and that this one
    /// can run.
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
}
