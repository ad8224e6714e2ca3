//! The scheduler `recorded`: it does what another did, as long as the grid says the same.

use std::path::PathBuf;
use std::rc::Rc;

use crate::dialogue::line::{DialogueLine, GridEntry, KnownTimes, SchedulerAction, SendingAction};
use crate::dialogue::read::read;
use crate::dialogue::write::Names;
use crate::estimate::predictions::{SubTask, SweepTransfer};
use crate::kernel::rng::Streams;
use crate::kernel::{SimTime, now};
use crate::model::application::Sweep;
use crate::model::grid::{ClusterNumber, HostNumber, SweepGrid};
use crate::registry::in_text;
use crate::registry::{Complaint, Entry, Key, Kind, Params, Span, code};
use crate::scheduler::interfaces::{Interfaces, SweepScheduler};
use crate::scheduler::kind::SweepSchedulerKind;
use crate::text::{LONGEST_TEXT, Unreadable, read_file};
use crate::workflow::{FileNumber, TaskNumber};
use clustersim_experiment::dialogue::recorded::{NumberedLine, Replay};

/// The scheduler by its name.
pub(crate) const ENTRY: Entry<dyn SweepSchedulerKind> = Entry::published(
    "recorded",
    "repeats the actions of a recorded dialogue, and ends the run where the grid says something else",
    "F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, LIP RR1999-46, 1999, section 7.3: entries and actions",
    &[Key::new("file", Kind::Path)
        .about("the dialogue, plain or gzip: `dialogue.jsonl` of a run with `record.dialogue`")],
    |params| Ok(Box::new(RecordedKind::read(params)?)),
);

/// A dialogue in a file.
#[derive(Debug)]
struct RecordedKind {
    written: String,
    file: PathBuf,
    span: Span,
    loaded: Option<(Names, Vec<NumberedLine<DialogueLine>>)>,
}

impl RecordedKind {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let (written, file) = (params.read("file")?, params.path("file")?);
        Ok(RecordedKind { written, file, span: params.span("file"), loaded: None })
    }
}

impl SweepSchedulerKind for RecordedKind {
    fn inputs(&self) -> Vec<(String, PathBuf)> {
        vec![(self.written.clone(), self.file.clone())]
    }

    fn load(&mut self, sweep: &Rc<Sweep>, grid: &Rc<SweepGrid>) -> Result<(), Vec<Complaint>> {
        let file = &self.written;
        let text = read_file(&self.file, LONGEST_TEXT).map_err(|why| {
            let code = if matches!(why, Unreadable::Damaged(_)) { code::COMPRESSED } else { code::FILE };
            vec![Complaint::new(code, format!("cannot read `{file}`: {why}"), self.span).label("named here")]
        })?;
        let lines = read(&text, sweep, grid).map_err(|mistakes| {
            let placed = in_text(mistakes, &text, file, code::SWEEP);
            let here = |complaint: Complaint| Complaint { span: Some(self.span), ..complaint };
            placed.into_iter().map(here).collect::<Vec<_>>()
        })?;
        self.loaded = Some((Names { sweep: Rc::clone(sweep), grid: Rc::clone(grid) }, lines));
        Ok(())
    }

    fn begin(self: Box<Self>, _: Streams) -> Box<dyn SweepScheduler> {
        let (names, lines) = self.loaded.expect("what it reads was read before it begins");
        Box::new(DialogueReplay::of(Replay::new(self.written, names, lines)))
    }
}

/// A scheduler that repeats a dialogue.
#[derive(Debug)]
pub(super) struct DialogueReplay {
    replay: Replay<Names>,
    times: KnownTimes,
    /// Planned starts of the transfers, in order of start.
    sent: Vec<Option<SimTime>>,
    steals: u64,
}

impl DialogueReplay {
    pub(super) fn of(replay: Replay<Names>) -> Self {
        DialogueReplay { replay, times: KnownTimes::default(), sent: Vec::new(), steals: 0 }
    }

    /// The grid calls: the next line is to say the same.
    fn entry(&mut self, entry: GridEntry) {
        if self.replay.says(now(), &DialogueLine::Entry(entry)) {
            self.read_notes();
        }
    }

    /// Reads the notes that come next: they are behind all that happens.
    fn read_notes(&mut self) {
        while let Some(line) = self.replay.next_line() {
            match line {
                DialogueLine::Planned(task, noted) => self.times.note(*task, *noted),
                DialogueLine::End(steals) => self.steals = *steals,
                DialogueLine::Entry(_) | DialogueLine::Action(_) => return,
            }
            self.replay.step();
        }
    }

    /// Takes an action. Returns true if it had an effect.
    fn play(&mut self, action: &SchedulerAction, grid: &mut dyn Interfaces) -> bool {
        match *action {
            SchedulerAction::Send { how, transfer, planned } => {
                let SweepTransfer { cluster, link, file, task } = transfer;
                self.sent.push(planned);
                let (SubTask::Input(number) | SubTask::Output(number)) = file else { return false };
                let was_idle = grid.carried(link).is_none();
                match how {
                    SendingAction::Store => grid.store(cluster, number, task),
                    SendingAction::Copy => grid.copy(link, cluster, number, task),
                    SendingAction::Retrieve => grid.retrieve(cluster, number, task),
                }
                was_idle && grid.carried(link).is_some_and(|(carried, _)| carried == transfer)
            }
            SchedulerAction::Compute { task, host, times } => {
                self.times.start(task, host, times);
                let idle = grid.idle_processors(host);
                grid.compute(task, host);
                grid.idle_processors(host) < idle
            }
            SchedulerAction::Cancel { task, host } => {
                let computes = |grid: &dyn Interfaces| {
                    grid.computing(host).iter().filter(|running| running.task == task).count()
                };
                let before = computes(grid);
                grid.cancel(task, host);
                computes(grid) < before
            }
            SchedulerAction::Remove { cluster, file } => {
                let is_stored =
                    |grid: &dyn Interfaces, file: FileNumber| grid.stored().is_stored(cluster, file);
                let was_stored = is_stored(grid, file);
                grid.remove(cluster, file);
                was_stored && !is_stored(grid, file)
            }
            SchedulerAction::GiveRoom { cluster, task, answer } => grid.give_room(cluster, task) == answer,
            SchedulerAction::TakeRoom { cluster, task } => {
                grid.take_room(cluster, task);
                true
            }
        }
    }
}

impl SweepScheduler for DialogueReplay {
    fn new_host(&mut self, host: HostNumber, _: &dyn Interfaces) {
        self.entry(GridEntry::NewHost(host));
    }

    fn new_work(&mut self, tasks: &[TaskNumber]) {
        self.entry(GridEntry::NewWork(tasks.to_vec()));
    }

    fn work_done(&mut self, task: TaskNumber, host: HostNumber, _: &dyn Interfaces) {
        self.entry(GridEntry::WorkDone(task, host));
    }

    fn host_failed(&mut self, host: HostNumber, _: &dyn Interfaces) {
        self.entry(GridEntry::HostFailed(host));
    }

    fn work_failed(&mut self, task: TaskNumber) {
        self.entry(GridEntry::WorkFailed(task));
    }

    fn disk_failed(&mut self, cluster: ClusterNumber) {
        self.entry(GridEntry::DiskFailed(cluster));
    }

    fn transfer_done(&mut self, transfer: SweepTransfer) {
        self.entry(GridEntry::TransferDone(transfer));
    }

    fn decide(&mut self, grid: &mut dyn Interfaces) {
        self.entry(GridEntry::Decide);
        while let Some(DialogueLine::Action(action)) = self.replay.next_line() {
            let action = action.clone();
            if self.play(&action, grid) {
                self.replay.step();
            } else {
                self.replay.part("which has no such effect here");
            }
        }
        self.read_notes();
    }

    fn ends(&mut self) {
        if self.replay.next_line().is_some() {
            self.replay.part("and all tasks are completed");
        }
    }

    fn fault(&self) -> Option<String> {
        self.replay.fault().map(str::to_owned)
    }

    fn wakes(&self) -> Option<SimTime> {
        let decides =
            |line: &&NumberedLine<DialogueLine>| line.line == DialogueLine::Entry(GridEntry::Decide);
        self.replay.rest().iter().find(decides).map(|line| line.at)
    }

    fn steals(&self) -> u64 {
        self.steals
    }

    fn planned_transfers(&self) -> &[Option<SimTime>] {
        &self.sent
    }

    fn queued(&self, task: TaskNumber, host: HostNumber) -> Option<SimTime> {
        self.times.queued(task, host)
    }

    fn planned(&self, task: TaskNumber) -> Option<(SimTime, SimTime)> {
        self.times.planned(task)
    }
}
