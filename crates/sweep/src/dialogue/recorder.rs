//! A scheduler and its interfaces within wrappers that write down what passes between them.

use std::cell::RefCell;
use std::rc::Rc;

use crate::dialogue::line::{
    DialogueLine, GridEntry, KnownTimes, PlannedTimes, SchedulerAction, SendingAction,
};
use crate::dialogue::write::Names;
use crate::estimate::known::KnownSweep;
use crate::estimate::predictions::{Predictions, SubTask, SweepTransfer};
use crate::kernel::{SimTime, now};
use crate::model::application::Sweep;
use crate::model::grid::{ClusterNumber, HostNumber, LinkNumber, SweepGrid};
use crate::model::storage::{LimitedStorage, StoredFiles};
use crate::results::record::{SlotChoice, SweepOutcomes, SweepPlanRecord, TakenTask};
use crate::scheduler::interfaces::{
    ApplicationInterface, Forecasts, GridActions, GridInformation, Interfaces, RunningComputation,
    SweepScheduler,
};
use crate::workflow::{FileNumber, TaskNumber};
use clustersim_experiment::dialogue::recorded::write_line;

/// Text and times recorded so far.
#[derive(Debug, Default)]
struct Recorded {
    text: String,
    times: KnownTimes,
}

/// A dialogue that is being recorded.
#[derive(Debug)]
pub struct DialogueRecord {
    recorded: Rc<RefCell<Recorded>>,
    names: Names,
}

/// Has the dialogue with a scheduler recorded: the scheduler within its wrapper, and the record.
pub fn recorded(
    scheduler: Box<dyn SweepScheduler>,
    sweep: &Rc<Sweep>,
    grid: &Rc<SweepGrid>,
) -> (Box<dyn SweepScheduler>, DialogueRecord) {
    let names = Names { sweep: Rc::clone(sweep), grid: Rc::clone(grid) };
    let recorded: Rc<RefCell<Recorded>> = Rc::default();
    let record = DialogueRecord { recorded: Rc::clone(&recorded), names: names.clone() };
    (Box::new(DialogueRecorder { scheduler, recorded, names, sent: 0 }), record)
}

impl DialogueRecord {
    /// The whole dialogue of a run that is over.
    pub fn finish(self, outcomes: &SweepOutcomes) -> String {
        let Recorded { mut text, times } = self.recorded.take();
        let at = outcomes.ended_at;
        let mut write = |line: &DialogueLine| write_line(&mut text, &self.names, at, line);
        for (task, outcome) in (0..).map(TaskNumber).zip(&outcomes.tasks) {
            let is_same = times.planned(task) == outcome.planned
                && outcome.host.is_none_or(|host| times.queued(task, host) == outcome.queued);
            if !is_same {
                let times = PlannedTimes { queued: outcome.queued, planned: outcome.planned };
                write(&DialogueLine::Planned(task, times));
            }
        }
        write(&DialogueLine::End(outcomes.steals));
        text
    }
}

/// A scheduler whose dialogue is recorded.
#[derive(Debug)]
struct DialogueRecorder {
    scheduler: Box<dyn SweepScheduler>,
    recorded: Rc<RefCell<Recorded>>,
    names: Names,
    /// Transfers that it has started.
    sent: usize,
}

impl DialogueRecorder {
    fn write(&self, line: &DialogueLine) {
        write_line(&mut self.recorded.borrow_mut().text, &self.names, now(), line);
    }

    fn entry(&self, entry: GridEntry) {
        self.write(&DialogueLine::Entry(entry));
    }

    /// Writes an action with what the scheduler knows of it afterwards.
    fn action(&mut self, mut action: SchedulerAction) {
        match &mut action {
            SchedulerAction::Send { planned, .. } => {
                *planned = self.scheduler.planned_transfers().get(self.sent).copied().flatten();
                self.sent += 1;
            }
            SchedulerAction::Compute { task, host, times } => {
                times.queued = self.scheduler.queued(*task, *host);
                times.planned = self.scheduler.planned(*task);
                self.recorded.borrow_mut().times.start(*task, *host, *times);
            }
            _ => {}
        }
        self.write(&DialogueLine::Action(action));
    }
}

impl SweepScheduler for DialogueRecorder {
    fn new_host(&mut self, host: HostNumber, grid: &dyn Interfaces) {
        self.entry(GridEntry::NewHost(host));
        self.scheduler.new_host(host, grid);
    }

    fn new_work(&mut self, tasks: &[TaskNumber]) {
        self.entry(GridEntry::NewWork(tasks.to_vec()));
        self.scheduler.new_work(tasks);
    }

    fn work_done(&mut self, task: TaskNumber, host: HostNumber, grid: &dyn Interfaces) {
        self.entry(GridEntry::WorkDone(task, host));
        self.scheduler.work_done(task, host, grid);
    }

    fn host_failed(&mut self, host: HostNumber, grid: &dyn Interfaces) {
        self.entry(GridEntry::HostFailed(host));
        self.scheduler.host_failed(host, grid);
    }

    fn work_failed(&mut self, task: TaskNumber) {
        self.entry(GridEntry::WorkFailed(task));
        self.scheduler.work_failed(task);
    }

    fn disk_failed(&mut self, cluster: ClusterNumber) {
        self.entry(GridEntry::DiskFailed(cluster));
        self.scheduler.disk_failed(cluster);
    }

    fn transfer_done(&mut self, transfer: SweepTransfer) {
        self.entry(GridEntry::TransferDone(transfer));
        self.scheduler.transfer_done(transfer);
    }

    fn decide(&mut self, grid: &mut dyn Interfaces) {
        self.entry(GridEntry::Decide);
        let mut recording = RecordedGrid { grid, actions: Vec::new() };
        self.scheduler.decide(&mut recording);
        for action in recording.actions {
            self.action(action);
        }
    }

    fn ends(&mut self) {
        self.scheduler.ends();
    }

    fn fault(&self) -> Option<String> {
        self.scheduler.fault()
    }

    fn wakes(&self) -> Option<SimTime> {
        self.scheduler.wakes()
    }

    fn plans(&self) -> &[SweepPlanRecord] {
        self.scheduler.plans()
    }

    fn explain(&mut self, task: TaskNumber) {
        self.scheduler.explain(task);
    }

    fn choices(&self) -> &[SlotChoice] {
        self.scheduler.choices()
    }

    fn taken(&self) -> &[TakenTask] {
        self.scheduler.taken()
    }

    fn steals(&self) -> u64 {
        self.scheduler.steals()
    }

    fn planned_transfers(&self) -> &[Option<SimTime>] {
        self.scheduler.planned_transfers()
    }

    fn queued(&self, task: TaskNumber, host: HostNumber) -> Option<SimTime> {
        self.scheduler.queued(task, host)
    }

    fn is_planning(&self) -> bool {
        self.scheduler.is_planning()
    }

    fn planned(&self, task: TaskNumber) -> Option<(SimTime, SimTime)> {
        self.scheduler.planned(task)
    }
}

/// The interfaces of a grid, and the actions that were taken by them.
struct RecordedGrid<'a> {
    grid: &'a mut dyn Interfaces,
    actions: Vec<SchedulerAction>,
}

impl RecordedGrid<'_> {
    fn sends(&mut self, how: SendingAction, transfer: SweepTransfer) {
        self.actions.push(SchedulerAction::Send { how, transfer, planned: None });
    }
}

impl GridActions for RecordedGrid<'_> {
    fn store(&mut self, cluster: ClusterNumber, file: FileNumber, task: TaskNumber) {
        let link = self.link_of(file, cluster);
        let transfer = SweepTransfer { cluster, link, file: SubTask::Input(file), task };
        self.sends(SendingAction::Store, transfer);
        self.grid.store(cluster, file, task);
    }

    fn copy(&mut self, link: LinkNumber, cluster: ClusterNumber, file: FileNumber, task: TaskNumber) {
        let transfer = SweepTransfer { cluster, link, file: SubTask::Input(file), task };
        self.sends(SendingAction::Copy, transfer);
        self.grid.copy(link, cluster, file, task);
    }

    fn retrieve(&mut self, cluster: ClusterNumber, file: FileNumber, task: TaskNumber) {
        let link = self.link_of(file, cluster);
        let transfer = SweepTransfer { cluster, link, file: SubTask::Output(file), task };
        self.sends(SendingAction::Retrieve, transfer);
        self.grid.retrieve(cluster, file, task);
    }

    fn compute(&mut self, task: TaskNumber, host: HostNumber) {
        self.actions.push(SchedulerAction::Compute { task, host, times: PlannedTimes::default() });
        self.grid.compute(task, host);
    }

    fn cancel(&mut self, task: TaskNumber, host: HostNumber) {
        // a host that is gone has cancelled it
        if self.grid.computing(host).iter().any(|running| running.task == task) {
            self.actions.push(SchedulerAction::Cancel { task, host });
        }
        self.grid.cancel(task, host);
    }

    fn remove(&mut self, cluster: ClusterNumber, file: FileNumber) {
        if self.grid.stored().is_stored(cluster, file) {
            self.actions.push(SchedulerAction::Remove { cluster, file });
        }
        self.grid.remove(cluster, file);
    }

    fn give_room(&mut self, cluster: ClusterNumber, task: TaskNumber) -> bool {
        let had_room = self.grid.storage(cluster).is_none_or(|storage| storage.has_room(task));
        let answer = self.grid.give_room(cluster, task);
        if !had_room {
            self.actions.push(SchedulerAction::GiveRoom { cluster, task, answer });
        }
        answer
    }

    fn take_room(&mut self, cluster: ClusterNumber, task: TaskNumber) {
        if self.grid.storage(cluster).is_some_and(|storage| storage.has_room(task)) {
            self.actions.push(SchedulerAction::TakeRoom { cluster, task });
        }
        self.grid.take_room(cluster, task);
    }
}

impl ApplicationInterface for RecordedGrid<'_> {
    fn known(&self) -> &Rc<KnownSweep> {
        self.grid.known()
    }
}

impl GridInformation for RecordedGrid<'_> {
    fn now(&self) -> SimTime {
        self.grid.now()
    }

    fn grid(&self) -> &Rc<SweepGrid> {
        self.grid.grid()
    }

    fn is_present(&self, host: HostNumber) -> bool {
        self.grid.is_present(host)
    }

    fn is_linked(&self, cluster: ClusterNumber) -> bool {
        self.grid.is_linked(cluster)
    }

    fn idle_processors(&self, host: HostNumber) -> u32 {
        self.grid.idle_processors(host)
    }

    fn stored(&self) -> &Rc<StoredFiles> {
        self.grid.stored()
    }

    fn storage(&self, cluster: ClusterNumber) -> Option<&LimitedStorage> {
        self.grid.storage(cluster)
    }

    fn fits(&self, task: TaskNumber, cluster: ClusterNumber) -> bool {
        self.grid.fits(task, cluster)
    }

    fn has_input(&self, task: TaskNumber, file: FileNumber, cluster: ClusterNumber) -> bool {
        self.grid.has_input(task, file, cluster)
    }

    fn can_spare(&self, link: LinkNumber, cluster: ClusterNumber, file: FileNumber) -> bool {
        self.grid.can_spare(link, cluster, file)
    }

    fn usage(&self) -> &[u32] {
        self.grid.usage()
    }

    fn has_started(&self, task: TaskNumber) -> bool {
        self.grid.has_started(task)
    }

    fn has_computed(&self, task: TaskNumber) -> bool {
        self.grid.has_computed(task)
    }

    fn is_returned(&self, file: FileNumber) -> bool {
        self.grid.is_returned(file)
    }

    fn computing(&self, host: HostNumber) -> Vec<RunningComputation> {
        self.grid.computing(host)
    }

    fn carried(&self, link: LinkNumber) -> Option<(SweepTransfer, SimTime)> {
        self.grid.carried(link)
    }
}

impl Forecasts for RecordedGrid<'_> {
    fn predictions(&mut self, planning: u64) -> Rc<Predictions> {
        self.grid.predictions(planning)
    }

    fn last_predictions(&self) -> Option<&Rc<Predictions>> {
        self.grid.last_predictions()
    }
}

impl Interfaces for RecordedGrid<'_> {}
