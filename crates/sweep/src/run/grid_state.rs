//! The state of the grid while a sweep runs, and the interfaces by which a scheduler sees and
//! changes it.

use std::rc::Rc;

use tracing::debug;

use crate::collections::{OrderedMap, OrderedSet};
use crate::estimate::known::KnownSweep;
use crate::estimate::predictions::{Predictions, SubTask, SweepTransfer};
use crate::estimate::{EstimateQuestion, Estimator, ProgressEstimate, RunningEstimate};
use crate::kernel::rng::KeyedStreams;
use crate::kernel::{Signal, SimDuration, SimTime, note_completion, note_over, now};
use crate::model::grid::{ClusterNumber, HostNumber, LinkNumber, SweepGrid};
use crate::model::storage::{FileRemoval, LimitedStorage, StoredFiles};
use crate::results::record::{DiscardedRun, ExecutedSweepTask, TransferRun};
use crate::run::running::SweepProblem;
use crate::scheduler::interfaces::{
    ApplicationInterface, Forecasts, GridActions, GridInformation, Interfaces, RunningComputation,
};
use crate::workflow::{FileNumber, TaskNumber};

/// A link or a processor: what it does, and the process that waits for it.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) work: Rc<Signal>,
    pub(crate) aborted: Rc<Signal>,
    pub(crate) has_process: bool,
    pub(crate) task: Option<Serving>,
}

/// Work of a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Serving {
    pub(crate) task: TaskNumber,
    /// Transfer that a link carries; `None` of a processor.
    pub(crate) transfer: Option<SweepTransfer>,
    pub(crate) start: SimTime,
    /// `None` if it never ends.
    pub(crate) end: Option<SimTime>,
    pub(crate) estimate: RunningEstimate,
    /// Place in the record of transfers.
    pub(crate) record: usize,
}

/// State of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum TaskState {
    #[default]
    Unknown,
    Waiting,
    Computing,
    /// Computed; this number of outputs is not at the origin.
    Computed(u32),
    Completed,
}

/// The state of the grid; what a scheduler sees of it.
#[derive(Debug)]
pub(crate) struct GridState {
    pub(crate) problem: Rc<SweepProblem>,
    pub(crate) estimator: Box<dyn Estimator>,
    pub(crate) predictions: Option<Rc<Predictions>>,
    pub(crate) stored: Rc<StoredFiles>,
    /// Storages that have a limit, by cluster.
    pub(crate) storages: Vec<Option<LimitedStorage>>,
    pub(crate) removals: Vec<FileRemoval>,
    /// Inputs of tasks on clusters without a storage.
    pub(crate) received: OrderedSet<(TaskNumber, FileNumber, ClusterNumber)>,
    pub(crate) returned: Vec<u64>,
    pub(crate) usage: Vec<u32>,
    pub(crate) present: Vec<bool>,
    pub(crate) linked: Vec<bool>,
    pub(crate) links: Vec<Server>,
    /// The processors of all hosts; where those of each begin.
    pub(crate) processors: Vec<Server>,
    pub(crate) firsts: Vec<u32>,
    pub(crate) tasks: Vec<TaskState>,
    pub(crate) records: Vec<ExecutedSweepTask>,
    pub(crate) transfers: Vec<TransferRun>,
    pub(crate) completed: usize,
    pub(crate) failed: u64,
    pub(crate) lost: SimDuration,
    pub(crate) lost_runs: Vec<DiscardedRun>,
    /// Of each task that two processors compute, where: the first and its second copy.
    pub(crate) copies: OrderedMap<TaskNumber, [ServerPlace; 2]>,
    /// Second copies that were started.
    pub(crate) duplicates: u64,
    pub(crate) discarded: Vec<DiscardedRun>,
    pub(crate) busy: Vec<SimDuration>,
    /// Processor time of computations that do not count, by host: broken off, or of tasks that had
    /// been computed elsewhere.
    pub(crate) broken_off: Vec<SimDuration>,
    pub(crate) queue_waits: KeyedStreams,
    /// Servers that have got something to do.
    pub(crate) started: Vec<ServerPlace>,
    /// Unlawful request of a scheduler.
    pub(crate) unlawful: Option<String>,
}

/// Place of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ServerPlace {
    Link(LinkNumber),
    Processor(HostNumber, u32),
}

impl GridState {
    pub(crate) fn server(&mut self, place: ServerPlace) -> &mut Server {
        match place {
            ServerPlace::Link(link) => &mut self.links[link.index()],
            ServerPlace::Processor(host, processor) => {
                &mut self.processors[(self.firsts[host.index()] + processor) as usize]
            }
        }
    }

    pub(crate) fn processors_of(&self, host: HostNumber) -> &[Server] {
        &self.processors[self.firsts[host.index()] as usize..self.firsts[host.index() + 1] as usize]
    }

    pub(crate) fn complete(&mut self, task: TaskNumber) {
        self.tasks[task.index()] = TaskState::Completed;
        self.records[task.index()].completed = Some(now());
        self.completed += 1;
        note_completion();
        note_over(1);
        let name = &*self.problem.sweep.task(task).name;
        debug!(at = now().as_secs_f64(), task = name, "is completed");
    }

    /// The tasks that have computed on a cluster and whose outputs are not all at the origin.
    pub(crate) fn computed_on(&self, cluster: ClusterNumber) -> Vec<TaskNumber> {
        let on = |host: Option<HostNumber>| {
            host.is_some_and(|host| self.problem.grid.host(host).cluster == cluster)
        };
        let lost = (0..self.tasks.len()).filter(|task| {
            matches!(self.tasks[*task], TaskState::Computed(_)) && on(self.records[*task].host)
        });
        lost.map(|task| TaskNumber(task as u32)).collect()
    }

    /// A task has read its inputs on the cluster of a host, and needs them no more.
    pub(crate) fn give_back_room(&mut self, task: TaskNumber, host: HostNumber) {
        let cluster = self.problem.grid.host(host).cluster;
        if let Some(storage) = &mut self.storages[cluster.index()] {
            storage.read(task, &self.problem.sweep);
            storage.take_room(task, &self.problem.sweep);
        }
    }

    /// Makes room for an input that a task needs. Whether it could.
    fn make_room(&mut self, cluster: ClusterNumber, file: FileNumber, task: TaskNumber) -> bool {
        let Some(storage) = &mut self.storages[cluster.index()] else { return true };
        let sweep = &self.problem.sweep;
        if !storage.is_needed(file) && !storage.give_room(task, sweep) {
            return false;
        }
        for file in storage.transfer_begins(file, sweep) {
            Rc::make_mut(&mut self.stored).remove(cluster, file);
            self.removals.push(FileRemoval { at: now(), cluster, file });
        }
        true
    }

    fn refuse(&mut self, why: String) {
        self.unlawful.get_or_insert(why);
    }

    /// Starts a transfer of a file.
    fn send(&mut self, transfer: SweepTransfer, file: FileNumber) {
        let SweepTransfer { cluster, link, file: sub_task, task } = transfer;
        let sweep = Rc::clone(&self.problem.sweep);
        let of_task = sweep.task(task);
        let files = if matches!(sub_task, SubTask::Input(_)) { &of_task.inputs } else { &of_task.outputs };
        if self.tasks[task.index()] == TaskState::Unknown || !files.contains(&file) {
            let (file, task) = (&sweep.file(file).name, &of_task.name);
            return self.refuse(format!(
                "file `{file}` is sent for task `{task}`, which has not arrived, or has no such file"
            ));
        }
        let is_input = matches!(sub_task, SubTask::Input(_));
        if is_input && !(self.is_at_source(link, cluster, file) && self.can_spare(link, cluster, file)) {
            let file = &sweep.file(file).name;
            return self.refuse(format!("file `{file}` is sent from a cluster that does not have it"));
        }
        if !self.linked[cluster.index()] || self.links[link.index()].task.is_some() {
            let cluster = self.problem.grid.link_name(link);
            let file = &sweep.file(file).name;
            return self.refuse(format!(
                "file `{file}` is sent over the link of `{cluster}`, which is busy or gone"
            ));
        }
        if is_input && !self.make_room(cluster, file, task) {
            let (cluster, file) = (&self.problem.grid.cluster(cluster).name, &sweep.file(file).name);
            return self.refuse(format!("file `{file}` is sent to `{cluster}`, whose storage has no room"));
        }
        if let Some(storage) = self.storage_of_source(transfer) {
            storage.sending_begins(file, &sweep);
        }
        let (bytes, known) = (sweep.file(file).bytes, self.problem.known.bytes(file));
        let grid = Rc::clone(&self.problem.grid);
        let (latency, bandwidth) = grid.link_traces(link);
        let begins = now() + SimDuration::ceil_secs(latency.value_at(now()));
        let end = bandwidth.finish(begins, bytes as f64).filter(|end| *end < SimTime::MAX);
        let start = now().as_nanos();
        let predicted =
            self.predictions.as_ref().and_then(|all| all.transfer_end(link, sub_task, known, start));
        let estimate =
            RunningEstimate { end: predicted.map(SimTime::from_nanos), begins, work: known as f64 };
        let record = self.transfers.len();
        self.transfers.push(TransferRun { transfer, bytes, planned: None, start: now(), end: None });
        self.links[link.index()].task =
            Some(Serving { task, transfer: Some(transfer), start: now(), end, estimate, record });
        self.started.push(ServerPlace::Link(link));
    }

    /// Estimated end of running work; `rate` is the progress predicted per second, `done` the
    /// progress since it began.
    fn remaining(&self, serving: &Serving, done: f64, rate: f64) -> SimTime {
        let overdue = self.problem.overdue;
        match self.problem.progress.unwrap_or_else(|| self.estimator.progress()) {
            ProgressEstimate::Simple => serving.estimate.simple(now(), overdue),
            ProgressEstimate::Measured => serving.estimate.measured(now(), done, rate, overdue),
        }
    }
}

impl ApplicationInterface for GridState {
    fn known(&self) -> &Rc<KnownSweep> {
        &self.problem.known
    }
}

impl GridActions for GridState {
    fn store(&mut self, cluster: ClusterNumber, file: FileNumber, task: TaskNumber) {
        let link = self.link_of(file, cluster);
        self.send(SweepTransfer { cluster, link, file: SubTask::Input(file), task }, file);
    }

    fn copy(&mut self, link: LinkNumber, cluster: ClusterNumber, file: FileNumber, task: TaskNumber) {
        self.send(SweepTransfer { cluster, link, file: SubTask::Input(file), task }, file);
    }

    fn retrieve(&mut self, cluster: ClusterNumber, file: FileNumber, task: TaskNumber) {
        if !self.has_computed(task) {
            let name = &self.problem.sweep.task(task).name;
            return self.refuse(format!("an output of task `{name}` is sent, which has not computed"));
        }
        let link = self.link_of(file, cluster);
        self.send(SweepTransfer { cluster, link, file: SubTask::Output(file), task }, file);
    }

    fn compute(&mut self, task: TaskNumber, host: HostNumber) {
        let (grid, sweep) = (Rc::clone(&self.problem.grid), Rc::clone(&self.problem.sweep));
        let (described, name) = (grid.host(host), &sweep.task(task).name);
        let cluster = described.cluster;
        let idle = self.processors_of(host).iter().position(|server| server.task.is_none());
        let time = sweep.task(task).time_on(described.architecture);
        let has_inputs = sweep.task(task).inputs.iter().all(|file| self.has_input(task, *file, cluster));
        let (Some(processor), Some(time), true) = (idle, time, self.present[host.index()]) else {
            let host = &described.name;
            return self.refuse(format!(
                "task `{name}` starts on host `{host}`, which is busy, gone, or cannot run it"
            ));
        };
        let first = self.first_of(task, host);
        if (self.tasks[task.index()] != TaskState::Waiting && first.is_none()) || !has_inputs {
            return self
                .refuse(format!("task `{name}` starts, which is not to start, or without its inputs"));
        }
        if !self.give_room(cluster, task) {
            let cluster = &grid.cluster(cluster).name;
            return self.refuse(format!("task `{name}` starts on `{cluster}`, whose storage has no room"));
        }
        if let Some(storage) = &mut self.storages[cluster.index()] {
            storage.read(task, &sweep);
        }
        let record = &mut self.records[task.index()];
        record.attempts += u32::from(first.is_none());
        let attempt: [u64; 3] = [task.0.into(), record.attempts.into(), 1];
        let attempt = if first.is_some() { &attempt[..] } else { &attempt[..2] };
        let waited = match &described.queue_wait {
            Some(law) => law.draw(&mut self.queue_waits.of(attempt)).max(0.0),
            None => 0.0,
        };
        let begins = now() + SimDuration::ceil_secs(waited);
        let end = described.availability.finish_at(begins, time.real, described.speed);
        let end = end.filter(|end| *end < SimTime::MAX);
        let seconds = self.problem.known.seconds(task, described.architecture).unwrap_or(0.0);
        let start = now().as_nanos();
        let predicted =
            self.predictions.as_ref().and_then(|all| all.computation_end(host, task, seconds, start));
        let estimate = RunningEstimate {
            end: predicted.map(SimTime::from_nanos),
            begins,
            work: seconds / described.speed,
        };
        debug!(at = now().as_secs_f64(), task = &*sweep.task(task).name, host = host.index(), "starts");
        let place = ServerPlace::Processor(host, processor as u32);
        self.server(place).task =
            Some(Serving { task, transfer: None, start: now(), end, estimate, record: 0 });
        self.started.push(place);
        if let Some(first) = first {
            self.duplicates += 1;
            self.copies.insert(task, [first, place]);
            return;
        }
        let record = &mut self.records[task.index()];
        (record.host, record.start, record.end) = (Some(host), Some(now()), None);
        self.tasks[task.index()] = TaskState::Computing;
        for file in &*sweep.task(task).inputs {
            self.usage[file.index()] -= 1;
        }
    }

    fn cancel(&mut self, task: TaskNumber, host: HostNumber) {
        let computes = |server: &Server| server.task.is_some_and(|serving| serving.task == task);
        let Some(processor) = self.processors_of(host).iter().position(computes) else { return };
        let place = ServerPlace::Processor(host, processor as u32);
        if let Some(serving) = self.break_off(place) {
            self.cancelled(place, host, &serving);
        }
    }

    fn remove(&mut self, cluster: ClusterNumber, file: FileNumber) {
        if !self.stored.is_stored(cluster, file) {
            return;
        }
        if let Some(storage) = &mut self.storages[cluster.index()] {
            if storage.is_needed(file) {
                let name = &self.problem.sweep.file(file).name;
                return self.refuse(format!("file `{name}` is removed, which a task needs"));
            }
            storage.remove(file, &self.problem.sweep);
        }
        Rc::make_mut(&mut self.stored).remove(cluster, file);
        self.removals.push(FileRemoval { at: now(), cluster, file });
    }

    fn give_room(&mut self, cluster: ClusterNumber, task: TaskNumber) -> bool {
        let storage = &mut self.storages[cluster.index()];
        storage.as_mut().is_none_or(|storage| storage.give_room(task, &self.problem.sweep))
    }

    fn take_room(&mut self, cluster: ClusterNumber, task: TaskNumber) {
        let host = self.records[task.index()].host;
        let is_here = host.is_some_and(|host| self.problem.grid.host(host).cluster == cluster);
        if self.tasks[task.index()] == TaskState::Computing && is_here {
            return;
        }
        if let Some(storage) = &mut self.storages[cluster.index()] {
            storage.take_room(task, &self.problem.sweep);
        }
    }
}

impl GridInformation for GridState {
    fn now(&self) -> SimTime {
        now()
    }

    fn grid(&self) -> &Rc<SweepGrid> {
        &self.problem.grid
    }

    fn is_present(&self, host: HostNumber) -> bool {
        self.present[host.index()]
    }

    fn is_linked(&self, cluster: ClusterNumber) -> bool {
        self.linked[cluster.index()]
    }

    fn idle_processors(&self, host: HostNumber) -> u32 {
        if !self.present[host.index()] {
            return 0;
        }
        self.processors_of(host).iter().filter(|server| server.task.is_none()).count() as u32
    }

    fn stored(&self) -> &Rc<StoredFiles> {
        &self.stored
    }

    fn storage(&self, cluster: ClusterNumber) -> Option<&LimitedStorage> {
        self.storages[cluster.index()].as_ref()
    }

    fn fits(&self, task: TaskNumber, cluster: ClusterNumber) -> bool {
        let storage = self.storage(cluster);
        storage.is_none_or(|storage| self.problem.sweep.fits(task, storage.capacity()))
    }

    fn has_input(&self, task: TaskNumber, file: FileNumber, cluster: ClusterNumber) -> bool {
        if self.problem.grid.cluster(cluster).has_storage {
            self.stored.is_stored(cluster, file)
        } else {
            self.received.contains(&(task, file, cluster))
        }
    }

    fn can_spare(&self, link: LinkNumber, cluster: ClusterNumber, file: FileNumber) -> bool {
        let source = self.problem.grid.source_of(link, cluster);
        let storage = source.and_then(|source| self.storage(source));
        storage.is_none_or(|storage| storage.can_keep(file, &self.problem.sweep))
    }

    fn usage(&self) -> &[u32] {
        &self.usage
    }

    fn has_started(&self, task: TaskNumber) -> bool {
        !matches!(self.tasks[task.index()], TaskState::Unknown | TaskState::Waiting)
    }

    fn has_computed(&self, task: TaskNumber) -> bool {
        matches!(self.tasks[task.index()], TaskState::Computed(_) | TaskState::Completed)
    }

    fn is_returned(&self, file: FileNumber) -> bool {
        self.returned[file.index() / 64] >> (file.index() % 64) & 1 == 1
    }

    fn computing(&self, host: HostNumber) -> Vec<RunningComputation> {
        let numbered = (0..).zip(self.processors_of(host));
        let running = numbered.filter_map(|(processor, server)| Some((processor, server.task?)));
        let availability = &self.problem.grid.host(host).availability;
        running
            .map(|(processor, serving)| {
                let done = availability.integral(serving.estimate.begins, now());
                let end = self.remaining(&serving, done, self.rate_of_host(host));
                RunningComputation { task: serving.task, processor, end }
            })
            .collect()
    }

    fn carried(&self, link: LinkNumber) -> Option<(SweepTransfer, SimTime)> {
        let serving = self.links[link.index()].task.as_ref()?;
        let transfer = serving.transfer?;
        let (_, bandwidth) = self.problem.grid.link_traces(link);
        let done = bandwidth.integral(serving.estimate.begins, now());
        let end = self.remaining(serving, done, self.rate_of_link(link));
        Some((transfer, end))
    }
}

impl GridState {
    fn rate_of_host(&self, host: HostNumber) -> f64 {
        self.predictions
            .as_ref()
            .map_or(0.0, |predictions| predictions.hosts[host.index()].availability.at(now()))
    }

    fn rate_of_link(&self, link: LinkNumber) -> f64 {
        self.predictions
            .as_ref()
            .map_or(0.0, |predictions| predictions.links[link.index()].bandwidth.at(now()))
    }
}

impl Forecasts for GridState {
    fn last_predictions(&self) -> Option<&Rc<Predictions>> {
        self.predictions.as_ref()
    }

    fn predictions(&mut self, planning: u64) -> Rc<Predictions> {
        let problem = Rc::clone(&self.problem);
        let question =
            EstimateQuestion { planning, now: now(), grid: &problem.grid, streams: &problem.streams };
        let predictions = Rc::new(self.estimator.predictions(&question));
        self.predictions = Some(Rc::clone(&predictions));
        predictions
    }
}

impl Interfaces for GridState {}
