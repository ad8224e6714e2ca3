//! The grid as it runs: what lies where, what is under way, and what has come of it.
//!
//! A link carries one transfer at a time: the latency that holds when it starts, then its bytes at the bandwidth that holds. A processor
//! computes one task at a time, by the availability that holds. Both are worked out when a sub-task starts.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::kernel::rng::{KeyedStreams, Streams};
use crate::kernel::{Outcome, Signal, SimDuration, SimTime, fail, now};
use crate::sweep::application::Sweep;
use crate::sweep::chart::StoredFiles;
use crate::sweep::error::SweepFailed;
use crate::sweep::estimate::{EstimateQuestion, Estimator, Progress, RunningEstimate};
use crate::sweep::grid::{ClusterNumber, HostNumber, SweepGrid};
use crate::sweep::interfaces::{
    ApplicationInterface, Forecasts, GridActions, GridInformation, Interfaces, RunningComputation,
    SweepScheduler, SweepTransfer,
};
use crate::sweep::known::KnownSweep;
use crate::sweep::predictions::{Predictions, SubTask};
use crate::sweep::record::{ExecutedSweepTask, SweepOutcomes, TransferRun};
use crate::workflow::{FileNumber, TaskNumber};

/// What is run.
#[derive(Debug)]
pub struct SweepProblem {
    /// The application.
    pub sweep: Rc<Sweep>,
    /// The grid.
    pub grid: Rc<SweepGrid>,
    /// What the scheduler knows of the application.
    pub known: Rc<KnownSweep>,
    /// Streams of the run.
    pub streams: Streams,
    /// After which time a sub-task that is overdue is estimated to end.
    pub overdue: SimDuration,
    /// How sub-tasks that run are estimated, if not as the estimator does.
    pub progress: Option<Progress>,
}

/// A link or a processor: what it does, and the process that waits for it.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) work: Rc<Signal>,
    pub(super) aborted: Rc<Signal>,
    has_process: bool,
    pub(super) task: Option<Serving>,
}

/// What a server does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Serving {
    task: TaskNumber,
    file: Option<SubTask>,
    start: SimTime,
    /// Nothing if it never ends.
    pub(super) end: Option<SimTime>,
    estimate: RunningEstimate,
    /// Its place in the record of transfers.
    record: usize,
}

/// Where a task stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum TaskState {
    #[default]
    Unknown,
    Waiting,
    Computing,
    /// Computed; so many outputs are not at the origin.
    Computed(u32),
    Completed,
}

/// The state of the grid; what a scheduler sees of it.
#[derive(Debug)]
pub(super) struct GridState {
    problem: Rc<SweepProblem>,
    estimator: Box<dyn Estimator>,
    predictions: Option<Rc<Predictions>>,
    stored: Rc<StoredFiles>,
    /// Inputs of tasks on clusters without a storage.
    received: BTreeSet<(TaskNumber, FileNumber, ClusterNumber)>,
    returned: Vec<u64>,
    usage: Vec<u32>,
    pub(super) present: Vec<bool>,
    pub(super) linked: Vec<bool>,
    links: Vec<Server>,
    /// The processors of all hosts; where those of each begin.
    processors: Vec<Server>,
    firsts: Vec<u32>,
    tasks: Vec<TaskState>,
    records: Vec<ExecutedSweepTask>,
    transfers: Vec<TransferRun>,
    pub(super) completed: usize,
    failed: u64,
    lost: SimDuration,
    busy: Vec<SimDuration>,
    queue_waits: KeyedStreams,
    /// Servers that have got something to do.
    started: Vec<ServerPlace>,
    /// What a scheduler asked for that cannot be.
    pub(super) unlawful: Option<String>,
}

/// Which server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ServerPlace {
    Link(ClusterNumber),
    Processor(HostNumber, u32),
}

/// A run.
#[derive(Debug)]
pub(super) struct SweepRun {
    pub(super) problem: Rc<SweepProblem>,
    pub(super) state: RefCell<GridState>,
    pub(super) scheduler: RefCell<Box<dyn SweepScheduler>>,
    pub(super) news: Signal,
    pub(super) over: Cell<bool>,
    /// Tasks that have arrived and are not reported to the scheduler.
    pub(super) arrived: RefCell<Vec<TaskNumber>>,
    /// Whether tasks are yet to arrive.
    pub(super) more_arrive: Cell<bool>,
    /// Hosts or clusters may have changed.
    pub(super) grid_changed: Cell<bool>,
    pub(super) more_changes: Cell<bool>,
}

fn server() -> Server {
    Server {
        work: Rc::new(Signal::new("a sub-task")),
        aborted: Rc::new(Signal::new("a failure")),
        has_process: false,
        task: None,
    }
}

impl SweepRun {
    pub(super) fn new(
        problem: Rc<SweepProblem>,
        scheduler: Box<dyn SweepScheduler>,
        estimator: Box<dyn Estimator>,
    ) -> Rc<Self> {
        let (grid, sweep) = (&problem.grid, &problem.sweep);
        let mut firsts = vec![0_u32];
        for host in &grid.hosts {
            firsts.push(firsts.last().copied().unwrap_or(0) + host.processors);
        }
        let mut usage = vec![0_u32; sweep.files.len()];
        for file in sweep.tasks.iter().flat_map(|task| &*task.inputs) {
            usage[file.index()] += 1;
        }
        let state = GridState {
            estimator,
            predictions: None,
            stored: Rc::new(StoredFiles::new(grid.clusters.len(), sweep.files.len())),
            received: BTreeSet::new(),
            returned: vec![0; sweep.files.len().div_ceil(64)],
            usage,
            present: vec![false; grid.hosts.len()],
            linked: vec![false; grid.clusters.len()],
            links: grid.clusters.iter().map(|_| server()).collect(),
            processors: (0..*firsts.last().expect("one more than hosts")).map(|_| server()).collect(),
            firsts,
            tasks: vec![TaskState::Unknown; sweep.tasks.len()],
            records: vec![ExecutedSweepTask::default(); sweep.tasks.len()],
            transfers: Vec::new(),
            completed: 0,
            failed: 0,
            lost: SimDuration::ZERO,
            busy: vec![SimDuration::ZERO; grid.hosts.len()],
            queue_waits: problem.streams.keyed("sweep/queue-wait"),
            started: Vec::new(),
            unlawful: None,
            problem: Rc::clone(&problem),
        };
        Rc::new(SweepRun {
            problem,
            state: RefCell::new(state),
            scheduler: RefCell::new(scheduler),
            news: Signal::new("something to decide"),
            over: Cell::new(false),
            arrived: RefCell::default(),
            more_arrive: Cell::new(true),
            grid_changed: Cell::new(true),
            more_changes: Cell::new(true),
        })
    }

    /// Ends the run with an error.
    pub(super) fn fail(&self, why: SweepFailed) {
        self.over.set(true);
        fail(why);
    }

    /// Whether every task is completed.
    pub(super) fn is_finished(&self) -> bool {
        let state = self.state.borrow();
        state.completed == state.tasks.len()
    }

    /// What a server does has ended.
    pub(super) fn finish(&self, place: ServerPlace) {
        let mut state = self.state.borrow_mut();
        let Some(serving) = state.server(place).task.take() else { return };
        match place {
            ServerPlace::Link(cluster) => {
                let transfer = SweepTransfer {
                    cluster,
                    file: serving.file.expect("links carry files"),
                    task: serving.task,
                };
                state.transfers[serving.record].end = Some(now());
                state.arrived(transfer);
                self.scheduler.borrow_mut().transfer_done(transfer);
            }
            ServerPlace::Processor(host, _) => {
                let outputs = state.problem.sweep.task(serving.task).outputs.len() as u32;
                state.busy[host.index()] =
                    state.busy[host.index()].saturating_add(now().since(serving.start));
                state.records[serving.task.index()].end = Some(now());
                state.tasks[serving.task.index()] = TaskState::Computed(outputs);
                if outputs == 0 {
                    state.complete(serving.task);
                }
                self.scheduler.borrow_mut().work_done(serving.task, host, &*state);
            }
        }
        drop(state);
        self.news.set();
    }

    /// Tells the scheduler what has changed of the grid, hosts that are gone first.
    pub(super) fn apply_grid_changes(&self) {
        let (grid, at) = (&self.problem.grid, now());
        let is_there = |trace: &crate::platform::Trace| trace.value_at(at) > 0.0;
        let mut state = self.state.borrow_mut();
        let mut scheduler = self.scheduler.borrow_mut();
        for cluster in grid.cluster_numbers() {
            let linked = is_there(&grid.cluster(cluster).present);
            let was = std::mem::replace(&mut state.linked[cluster.index()], linked);
            if was && !linked {
                state.break_off(ServerPlace::Link(cluster));
                scheduler.disk_failed(cluster);
                for task in state.computed_on(cluster) {
                    state.lose(task, None);
                    scheduler.work_failed(task);
                }
            }
        }
        let mut added = Vec::new();
        for host in grid.host_numbers() {
            let described = grid.host(host);
            let present = is_there(&described.present) && state.linked[described.cluster.index()];
            let was = std::mem::replace(&mut state.present[host.index()], present);
            if was && !present {
                scheduler.host_failed(host, &*state);
                for processor in 0..described.processors {
                    if let Some(serving) = state.break_off(ServerPlace::Processor(host, processor)) {
                        state.lose(serving.task, Some(serving.start));
                        scheduler.work_failed(serving.task);
                    }
                }
            } else if present && !was {
                added.push(host);
            }
        }
        for host in added {
            scheduler.new_host(host, &*state);
        }
    }

    /// Tells the scheduler of tasks that have arrived.
    pub(super) fn apply_arrivals(&self) {
        let arrived = self.arrived.take();
        if !arrived.is_empty() {
            let mut state = self.state.borrow_mut();
            for task in &arrived {
                state.tasks[task.index()] = TaskState::Waiting;
            }
            self.scheduler.borrow_mut().new_work(&arrived);
        }
    }

    /// Lets the scheduler decide; gives the servers that have something to do, and those among them without a process.
    pub(super) fn decide(&self) -> Vec<(ServerPlace, bool)> {
        let mut state = self.state.borrow_mut();
        self.scheduler.borrow_mut().decide(&mut *state);
        let started = std::mem::take(&mut state.started);
        let begin = |place: ServerPlace| {
            let server = state.server(place);
            (place, !std::mem::replace(&mut server.has_process, true))
        };
        started.into_iter().map(begin).collect()
    }

    /// Whether something is under way that ends.
    pub(super) fn is_busy(&self) -> bool {
        let state = self.state.borrow();
        let ends = |server: &Server| server.task.is_some_and(|serving| serving.end.is_some());
        state.links.iter().chain(&state.processors).any(ends)
    }

    /// Why nothing goes on: tasks that are not completed, and what is missing.
    pub(super) fn stuck(&self) -> SweepFailed {
        let state = self.state.borrow();
        let open = |(_, standing): &(usize, &TaskState)| **standing != TaskState::Completed;
        let waiting: Vec<String> = state
            .tasks
            .iter()
            .enumerate()
            .filter(open)
            .take(5)
            .map(|(task, standing)| {
                let record = &state.records[task];
                let name = &self.problem.sweep.tasks[task].name;
                let host = record.host.map_or("", |host| &self.problem.grid.host(host).name);
                match standing {
                    TaskState::Computing => format!(
                        "task `{name}` never ends on host `{host}`, where it started at {}",
                        record.start.unwrap_or_default()
                    ),
                    TaskState::Computed(_) => {
                        format!("the outputs of task `{name}` are on the cluster of host `{host}`")
                    }
                    _ => format!("task `{name}` has no host that can run it"),
                }
            })
            .collect();
        let open = state.tasks.len() - state.completed;
        SweepFailed::Stuck { at: now(), open, waiting: waiting.join("; ") }
    }

    /// What came out of it.
    pub(super) fn outcomes(self: Rc<Self>, outcome: &Outcome) -> SweepOutcomes {
        let mut state = self.state.borrow_mut();
        let scheduler = self.scheduler.borrow();
        let mut tasks = std::mem::take(&mut state.records);
        for (task, record) in (0..).map(TaskNumber).zip(&mut tasks) {
            record.planned = scheduler.planned(task);
        }
        SweepOutcomes {
            sweep: Rc::clone(&self.problem.sweep),
            grid: Rc::clone(&self.problem.grid),
            tasks,
            transfers: std::mem::take(&mut state.transfers),
            plans: scheduler.plans().to_vec(),
            steals: scheduler.steals(),
            failed: state.failed,
            lost: state.lost,
            busy: std::mem::take(&mut state.busy),
            ended_at: outcome.ended_at,
            events: outcome.events,
            digest: outcome.digest,
        }
    }
}

impl GridState {
    pub(super) fn server(&mut self, place: ServerPlace) -> &mut Server {
        match place {
            ServerPlace::Link(cluster) => &mut self.links[cluster.index()],
            ServerPlace::Processor(host, processor) => {
                &mut self.processors[(self.firsts[host.index()] + processor) as usize]
            }
        }
    }

    fn processors_of(&self, host: HostNumber) -> &[Server] {
        &self.processors[self.firsts[host.index()] as usize..self.firsts[host.index() + 1] as usize]
    }

    /// A transfer has arrived.
    fn arrived(&mut self, transfer: SweepTransfer) {
        let SweepTransfer { cluster, file, task } = transfer;
        match file {
            SubTask::Input(file) if self.problem.grid.cluster(cluster).has_storage => {
                Rc::make_mut(&mut self.stored).store(cluster, file);
            }
            SubTask::Input(file) => {
                self.received.insert((task, file, cluster));
            }
            SubTask::Output(file) => {
                self.returned[file.index() / 64] |= 1 << (file.index() % 64);
                if let TaskState::Computed(left) = &mut self.tasks[task.index()] {
                    *left -= 1;
                    if *left == 0 {
                        self.complete(task);
                    }
                }
            }
            SubTask::Computation(_) => {}
        }
    }

    fn complete(&mut self, task: TaskNumber) {
        self.tasks[task.index()] = TaskState::Completed;
        self.records[task.index()].completed = Some(now());
        self.completed += 1;
    }

    /// Breaks off what a server does.
    fn break_off(&mut self, place: ServerPlace) -> Option<Serving> {
        let server = self.server(place);
        let serving = server.task.take()?;
        server.aborted.set();
        Some(serving)
    }

    /// The tasks that have computed on a cluster and whose outputs are not all at the origin.
    fn computed_on(&self, cluster: ClusterNumber) -> Vec<TaskNumber> {
        let on = |host: Option<HostNumber>| {
            host.is_some_and(|host| self.problem.grid.host(host).cluster == cluster)
        };
        let lost = (0..self.tasks.len()).filter(|task| {
            matches!(self.tasks[*task], TaskState::Computed(_)) && on(self.records[*task].host)
        });
        lost.map(|task| TaskNumber(task as u32)).collect()
    }

    /// A task has to be done again that ran from `started` on, or whose outputs are lost.
    fn lose(&mut self, task: TaskNumber, started: Option<SimTime>) {
        self.tasks[task.index()] = TaskState::Waiting;
        self.failed += 1;
        let record = &mut self.records[task.index()];
        let spent = match (started, record.start, record.end) {
            (Some(start), ..) => now().since(start),
            (None, Some(start), Some(end)) => end.since(start),
            _ => SimDuration::ZERO,
        };
        record.end = None;
        self.lost = self.lost.saturating_add(spent);
        let sweep = Rc::clone(&self.problem.sweep);
        for file in &*sweep.task(task).inputs {
            self.usage[file.index()] += 1;
        }
        for file in &*sweep.task(task).outputs {
            self.returned[file.index() / 64] &= !(1 << (file.index() % 64));
        }
    }

    fn refuse(&mut self, why: String) {
        self.unlawful.get_or_insert(why);
    }

    /// Starts a transfer.
    fn send(&mut self, transfer: SweepTransfer, file: FileNumber) {
        let SweepTransfer { cluster, file: sub_task, task } = transfer;
        let sweep = Rc::clone(&self.problem.sweep);
        let of_task = sweep.task(task);
        let files = if matches!(sub_task, SubTask::Input(_)) { &of_task.inputs } else { &of_task.outputs };
        if self.tasks[task.index()] == TaskState::Unknown || !files.contains(&file) {
            let (file, task) = (&sweep.file(file).name, &of_task.name);
            return self.refuse(format!(
                "file `{file}` is sent for task `{task}`, which has not arrived, or has no such file"
            ));
        }
        if !self.linked[cluster.index()] || self.links[cluster.index()].task.is_some() {
            let cluster = &self.problem.grid.cluster(cluster).name;
            let file = &sweep.file(file).name;
            return self.refuse(format!(
                "file `{file}` is sent over the link of `{cluster}`, which is busy or gone"
            ));
        }
        let (bytes, known) = (sweep.file(file).bytes, self.problem.known.bytes(file));
        let grid = Rc::clone(&self.problem.grid);
        let link = grid.cluster(cluster);
        let begins = now() + SimDuration::ceil_secs(link.latency.value_at(now()));
        let end = link.bandwidth.finish(begins, bytes as f64).filter(|end| *end < SimTime::MAX);
        let start = now().as_nanos();
        let predicted =
            self.predictions.as_ref().and_then(|all| all.transfer_end(cluster, sub_task, known, start));
        let estimate =
            RunningEstimate { end: predicted.map(SimTime::from_nanos), begins, work: known as f64 };
        let record = self.transfers.len();
        self.transfers.push(TransferRun { transfer, bytes, start: now(), end: None });
        self.links[cluster.index()].task =
            Some(Serving { task, file: Some(sub_task), start: now(), end, estimate, record });
        self.started.push(ServerPlace::Link(cluster));
    }

    /// When something that runs is estimated to end; `rate` is what is predicted to be done in a second, `done` since it began.
    fn remaining(&self, serving: &Serving, done: f64, rate: f64) -> SimTime {
        let overdue = self.problem.overdue;
        match self.problem.progress.unwrap_or_else(|| self.estimator.progress()) {
            Progress::Simple => serving.estimate.simple(now(), overdue),
            Progress::Measured => serving.estimate.measured(now(), done, rate, overdue),
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
        self.send(SweepTransfer { cluster, file: SubTask::Input(file), task }, file);
    }

    fn retrieve(&mut self, cluster: ClusterNumber, file: FileNumber, task: TaskNumber) {
        if !self.has_computed(task) {
            let name = &self.problem.sweep.task(task).name;
            return self.refuse(format!("an output of task `{name}` is sent, which has not computed"));
        }
        self.send(SweepTransfer { cluster, file: SubTask::Output(file), task }, file);
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
        if self.tasks[task.index()] != TaskState::Waiting || !has_inputs {
            return self
                .refuse(format!("task `{name}` starts, which is not to start, or without its inputs"));
        }
        let record = &mut self.records[task.index()];
        record.attempts += 1;
        let attempts = record.attempts;
        (record.host, record.start, record.end) = (Some(host), Some(now()), None);
        let waited = match &described.queue_wait {
            Some(law) => law.draw(&mut self.queue_waits.of(&[task.0.into(), attempts.into()])).max(0.0),
            None => 0.0,
        };
        let begins = now() + SimDuration::ceil_secs(waited);
        let end = described.availability.finish(begins, time.real / described.speed);
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
        let place = ServerPlace::Processor(host, processor as u32);
        self.server(place).task = Some(Serving { task, file: None, start: now(), end, estimate, record: 0 });
        self.tasks[task.index()] = TaskState::Computing;
        for file in &*sweep.task(task).inputs {
            self.usage[file.index()] -= 1;
        }
        self.started.push(place);
    }

    fn cancel(&mut self, task: TaskNumber, host: HostNumber) {
        let computes = |server: &Server| server.task.is_some_and(|serving| serving.task == task);
        let Some(processor) = self.processors_of(host).iter().position(computes) else { return };
        if let Some(serving) = self.break_off(ServerPlace::Processor(host, processor as u32)) {
            self.lose(task, Some(serving.start));
        }
    }

    fn remove(&mut self, cluster: ClusterNumber, file: FileNumber) {
        Rc::make_mut(&mut self.stored).remove(cluster, file);
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

    fn has_input(&self, task: TaskNumber, file: FileNumber, cluster: ClusterNumber) -> bool {
        if self.problem.grid.cluster(cluster).has_storage {
            self.stored.is_stored(cluster, file)
        } else {
            self.received.contains(&(task, file, cluster))
        }
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

    fn carried(&self, cluster: ClusterNumber) -> Option<(SweepTransfer, SimTime)> {
        let serving = self.links[cluster.index()].task.as_ref()?;
        let file = serving.file?;
        let done = self.problem.grid.cluster(cluster).bandwidth.integral(serving.estimate.begins, now());
        let end = self.remaining(serving, done, self.rate_of_link(cluster));
        Some((SweepTransfer { cluster, file, task: serving.task }, end))
    }
}

impl GridState {
    fn rate_of_host(&self, host: HostNumber) -> f64 {
        self.predictions
            .as_ref()
            .map_or(0.0, |predictions| predictions.hosts[host.index()].availability.at(now()))
    }

    fn rate_of_link(&self, cluster: ClusterNumber) -> f64 {
        self.predictions
            .as_ref()
            .map_or(0.0, |predictions| predictions.links[cluster.index()].bandwidth.at(now()))
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
