//! The grid as it runs: what lies where, what is in progress, and what has come of it.
//!
//! A link carries one transfer at a time: the latency that holds when it starts, then its bytes at
//! the bandwidth that holds. A processor computes one task at a time, by the availability that
//! holds. Both are worked out when a sub-task starts.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::collections::{OrderedMap, OrderedSet};
use crate::estimate::known::KnownSweep;
use crate::estimate::predictions::{SubTask, SweepTransfer};
use crate::estimate::{Estimator, ProgressEstimate};
use crate::kernel::rng::Streams;
use crate::kernel::{Outcome, Signal, SimDuration, SimTime, fail, note_completion, now};
use crate::model::application::Sweep;
use crate::model::grid::SweepGrid;
use crate::model::storage::{LimitedStorage, StoredFiles};
use crate::platform::Trace;
use crate::results::record::{ExecutedSweepTask, SweepOutcomes};
use crate::run::error::SweepFailed;
use crate::run::grid_state::{GridState, Server, ServerPlace, Serving, TaskState};
use crate::scheduler::interfaces::SweepScheduler;
use crate::workflow::TaskNumber;

/// Problem that a run solves.
#[derive(Debug)]
pub struct SweepProblem {
    /// The application.
    pub sweep: Rc<Sweep>,
    /// The grid.
    pub grid: Rc<SweepGrid>,
    /// Knowledge of the scheduler about the application.
    pub known: Rc<KnownSweep>,
    /// Streams of the run.
    pub streams: Streams,
    /// After which time a sub-task that is overdue is estimated to end.
    pub overdue: SimDuration,
    /// Rule that estimates running sub-tasks, if not that of the estimator.
    pub progress: Option<ProgressEstimate>,
}

/// A run.
#[derive(Debug)]
pub(crate) struct SweepRun {
    pub(crate) problem: Rc<SweepProblem>,
    pub(crate) state: RefCell<GridState>,
    pub(crate) scheduler: RefCell<Box<dyn SweepScheduler>>,
    pub(crate) news: Signal,
    pub(crate) over: Cell<bool>,
    /// Tasks that have arrived and are not reported to the scheduler.
    pub(crate) arrived: RefCell<Vec<TaskNumber>>,
    /// True if tasks are yet to arrive.
    pub(crate) more_arrive: Cell<bool>,
    /// Hosts or clusters may have changed.
    pub(crate) grid_changed: Cell<bool>,
    pub(crate) more_changes: Cell<bool>,
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
    pub(crate) fn new(
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
            storages: grid.clusters.iter().map(|cluster| cluster.limit().map(LimitedStorage::new)).collect(),
            removals: Vec::new(),
            received: OrderedSet::new(),
            returned: vec![0; sweep.files.len().div_ceil(64)],
            usage,
            present: vec![false; grid.hosts.len()],
            linked: vec![false; grid.clusters.len()],
            links: grid.link_numbers().map(|_| server()).collect(),
            processors: (0..*firsts.last().expect("one more than hosts")).map(|_| server()).collect(),
            firsts,
            tasks: vec![TaskState::Unknown; sweep.tasks.len()],
            records: vec![ExecutedSweepTask::default(); sweep.tasks.len()],
            transfers: Vec::new(),
            completed: 0,
            failed: 0,
            lost: SimDuration::ZERO,
            lost_runs: Vec::new(),
            copies: OrderedMap::new(),
            duplicates: 0,
            discarded: Vec::new(),
            busy: vec![SimDuration::ZERO; grid.hosts.len()],
            broken_off: vec![SimDuration::ZERO; grid.hosts.len()],
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
    pub(crate) fn fail(&self, why: SweepFailed) {
        self.over.set(true);
        fail(why);
    }

    /// Returns true if every task is completed.
    pub(crate) fn is_finished(&self) -> bool {
        let state = self.state.borrow();
        state.completed == state.tasks.len()
    }

    /// Ends the work of a server.
    pub(crate) fn finish(&self, place: ServerPlace) {
        let mut state = self.state.borrow_mut();
        let Some(serving) = state.server(place).task.take() else { return };
        match place {
            ServerPlace::Link(_) => {
                let transfer = serving.transfer.expect("links carry files");
                state.transfers[serving.record].end = Some(now());
                state.arrived(transfer);
                note_completion();
                self.scheduler.borrow_mut().transfer_done(transfer);
            }
            ServerPlace::Processor(host, _) if state.tasks[serving.task.index()] != TaskState::Computing => {
                let spent = &mut state.broken_off[host.index()];
                *spent = spent.saturating_add(now().since(serving.start));
                state.discard(host, &serving);
            }
            ServerPlace::Processor(host, _) => {
                state.copies.remove(&serving.task);
                let outputs = state.problem.sweep.task(serving.task).outputs.len() as u32;
                state.busy[host.index()] =
                    state.busy[host.index()].saturating_add(now().since(serving.start));
                let record = &mut state.records[serving.task.index()];
                (record.host, record.start, record.end) = (Some(host), Some(serving.start), Some(now()));
                state.tasks[serving.task.index()] = TaskState::Computed(outputs);
                self.problem.known.learn(serving.task);
                state.give_back_room(serving.task, host);
                if outputs == 0 {
                    state.complete(serving.task);
                }
                self.scheduler.borrow_mut().work_done(serving.task, host, &*state);
            }
        }
        drop(state);
        self.news.set();
    }

    /// Reports to the scheduler what has changed of the grid, hosts that are gone first. What has
    /// left and returned at this instant has left: what it did is lost, and it comes as new.
    pub(crate) fn apply_grid_changes(&self) {
        let (grid, at) = (&self.problem.grid, now());
        let is_there = |trace: &Trace| trace.value_at(at) > 0.0;
        let stays = |trace: &Trace| trace.least_at(at) > 0.0;
        let mut state = self.state.borrow_mut();
        let mut scheduler = self.scheduler.borrow_mut();
        let mut clusters_stay = Vec::new();
        for cluster in grid.cluster_numbers() {
            let present = &grid.cluster(cluster).present;
            let was = std::mem::replace(&mut state.linked[cluster.index()], is_there(present));
            if was && !stays(present) {
                for link in grid.links_of(cluster) {
                    state.break_off(ServerPlace::Link(link));
                }
                scheduler.disk_failed(cluster);
                for task in state.computed_on(cluster) {
                    state.lose(task, None);
                    scheduler.work_failed(task);
                }
            }
            clusters_stay.push(stays(present));
        }
        let mut added = Vec::new();
        for host in grid.host_numbers() {
            let described = grid.host(host);
            let cluster = described.cluster.index();
            let present = is_there(&described.present) && state.linked[cluster];
            let stays = stays(&described.present) && clusters_stay[cluster];
            let was = std::mem::replace(&mut state.present[host.index()], present && stays);
            if was && !stays {
                scheduler.host_failed(host, &*state);
                for processor in 0..described.processors {
                    let place = ServerPlace::Processor(host, processor);
                    if let Some(serving) = state.break_off(place)
                        && state.lose_computation(place, host, &serving)
                    {
                        scheduler.work_failed(serving.task);
                    }
                }
            }
            if present && !(was && stays) {
                added.push(host);
            }
        }
        added.iter().for_each(|host| state.present[host.index()] = true);
        for host in added {
            scheduler.new_host(host, &*state);
        }
    }

    /// Reports to the scheduler tasks that have arrived.
    pub(crate) fn apply_arrivals(&self) {
        let arrived = self.arrived.take();
        if !arrived.is_empty() {
            let mut state = self.state.borrow_mut();
            for task in &arrived {
                state.tasks[task.index()] = TaskState::Waiting;
            }
            self.scheduler.borrow_mut().new_work(&arrived);
        }
    }

    /// Lets the scheduler decide; gives the servers that have something to do, and those among them
    /// without a process.
    pub(crate) fn decide(&self) -> Vec<(ServerPlace, bool)> {
        let mut state = self.state.borrow_mut();
        self.scheduler.borrow_mut().decide(&mut *state);
        let started = std::mem::take(&mut state.started);
        let begin = |place: ServerPlace| {
            let server = state.server(place);
            (place, !std::mem::replace(&mut server.has_process, true))
        };
        started.into_iter().map(begin).collect()
    }

    /// Unlawful request of the scheduler, or the reason why it cannot go on.
    pub(crate) fn wrong(&self) -> Option<SweepFailed> {
        let (at, fault) = (now(), self.scheduler.borrow().fault());
        let unlawful = self.state.borrow_mut().unlawful.take();
        match (fault, unlawful) {
            (None, why) => why.map(|why| SweepFailed::Unlawful { at, why }),
            (Some(fault), None) => Some(SweepFailed::Scheduler { at, why: fault }),
            (Some(fault), Some(why)) => Some(SweepFailed::Scheduler { at, why: format!("{fault}: {why}") }),
        }
    }

    /// Returns true if something is in progress that ends.
    pub(crate) fn is_busy(&self) -> bool {
        let state = self.state.borrow();
        let ends = |server: &Server| server.task.is_some_and(|serving| serving.end.is_some());
        state.links.iter().chain(&state.processors).any(ends)
    }

    /// The first end of what is in progress, if something of it that ends began at this instant or
    /// before.
    pub(crate) fn next_end(&self, from: SimTime) -> Option<SimTime> {
        let state = self.state.borrow();
        let servers = || state.links.iter().chain(&state.processors).filter_map(|server| server.task);
        let began = servers().any(|serving| serving.end.is_some() && serving.start <= from);
        servers().filter_map(|serving| serving.end).min().filter(|_| began)
    }

    /// Outcomes of the run.
    pub(crate) fn outcomes(self: Rc<Self>, outcome: &Outcome) -> SweepOutcomes {
        let mut state = self.state.borrow_mut();
        state.discard_late(outcome.ended_at);
        let scheduler = self.scheduler.borrow();
        let mut tasks = std::mem::take(&mut state.records);
        for (task, record) in (0..).map(TaskNumber).zip(&mut tasks) {
            record.planned = scheduler.planned(task);
            record.queued = record.host.and_then(|host| scheduler.queued(task, host));
        }
        for (run, planned) in state.transfers.iter_mut().zip(scheduler.planned_transfers()) {
            run.planned = *planned;
        }
        let mut used = std::mem::take(&mut state.broken_off);
        for (host, used) in self.problem.grid.host_numbers().zip(&mut used) {
            *used = used.saturating_add(state.busy[host.index()]);
            // what the end of the run has left
            let left = state.processors_of(host).iter().filter_map(|server| server.task);
            let spans = left.map(|serving| outcome.ended_at.since(serving.start));
            *used = spans.fold(*used, SimDuration::saturating_add);
        }
        SweepOutcomes {
            used,
            sweep: Rc::clone(&self.problem.sweep),
            grid: Rc::clone(&self.problem.grid),
            tasks,
            transfers: std::mem::take(&mut state.transfers),
            removals: std::mem::take(&mut state.removals),
            plans: scheduler.plans().to_vec(),
            choices: scheduler.choices().to_vec(),
            taken: scheduler.taken().to_vec(),
            steals: scheduler.steals(),
            failed: state.failed,
            lost: state.lost,
            lost_runs: std::mem::take(&mut state.lost_runs),
            duplicates: state.duplicates,
            discarded: std::mem::take(&mut state.discarded),
            busy: std::mem::take(&mut state.busy),
            ended_at: outcome.ended_at,
            events: outcome.events,
            digest: outcome.digest,
        }
    }
}

impl GridState {
    /// A transfer has arrived.
    pub(crate) fn arrived(&mut self, transfer: SweepTransfer) {
        let SweepTransfer { cluster, file, task, .. } = transfer;
        self.is_over(transfer, true);
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

    /// The storage that a transfer reads from, if that has a limit.
    pub(crate) fn storage_of_source(&mut self, transfer: SweepTransfer) -> Option<&mut LimitedStorage> {
        let source = self.problem.grid.source_of(transfer.link, transfer.cluster)?;
        self.storages[source.index()].as_mut()
    }

    /// Releases the promises that storages made to a transfer.
    fn is_over(&mut self, transfer: SweepTransfer, has_arrived: bool) {
        let SubTask::Input(file) = transfer.file else { return };
        let sweep = Rc::clone(&self.problem.sweep);
        if let Some(storage) = &mut self.storages[transfer.cluster.index()] {
            storage.transfer_ends(file, has_arrived, &sweep);
        }
        if let Some(storage) = self.storage_of_source(transfer) {
            storage.sending_ends(file, &sweep);
        }
    }

    /// Breaks off what a server does.
    pub(crate) fn break_off(&mut self, place: ServerPlace) -> Option<Serving> {
        let server = self.server(place);
        let serving = server.task.take()?;
        server.aborted.set();
        if let Some(transfer) = serving.transfer {
            self.is_over(transfer, false);
        }
        if let ServerPlace::Processor(host, _) = place {
            let spent = &mut self.broken_off[host.index()];
            *spent = spent.saturating_add(now().since(serving.start));
        }
        Some(serving)
    }
}
