//! Lines of a dialogue as text.

use std::rc::Rc;

use crate::dialogue::line::{DialogueLine, GridEntry, PlannedTimes, SchedulerAction, SendingAction};
use crate::estimate::predictions::{SubTask, SweepTransfer};
use crate::kernel::SimTime;
use crate::model::application::Sweep;
use crate::model::grid::{ClusterNumber, HostNumber, LinkNumber, SweepGrid};
use crate::workflow::{FileNumber, TaskNumber};
use clustersim_experiment::dialogue::message::Message;
use clustersim_experiment::dialogue::recorded::Language;

/// Name of the things of a dialogue.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) sweep: Rc<Sweep>,
    pub(super) grid: Rc<SweepGrid>,
}

/// A line that is being written.
struct Writing<'a> {
    message: Message,
    names: &'a Names,
}

impl Language for Names {
    type Line = DialogueLine;

    fn write(&self, at: SimTime, line: &DialogueLine) -> Message {
        let writing = Writing { message: Message::at(at), names: self };
        let written = match line {
            DialogueLine::Entry(entry) => writing.entry(entry),
            DialogueLine::Action(action) => writing.action(action),
            DialogueLine::Planned(task, times) => writing.text("note", "planned").task(*task).times(*times),
            DialogueLine::End(steals) => writing.text("note", "end").with(|end| end.count("steals", *steals)),
        };
        written.message
    }
}

impl<'a> Writing<'a> {
    fn with(self, add: impl FnOnce(Message) -> Message) -> Self {
        Writing { message: add(self.message), ..self }
    }

    fn text(self, key: &str, text: &str) -> Self {
        self.with(|message| message.text(key, text))
    }

    fn named(self, key: &str, name: impl FnOnce(&'a Names) -> &'a str) -> Self {
        let name = name(self.names);
        self.text(key, name)
    }

    fn times(self, times: PlannedTimes) -> Self {
        self.with(|message| {
            let message = message.optional_time("queued", times.queued);
            match times.planned {
                Some((start, end)) => message.time("planned-start", start).time("planned-end", end),
                None => message,
            }
        })
    }

    fn host(self, host: HostNumber) -> Self {
        self.named("host", |names| &names.grid.host(host).name)
    }

    fn cluster(self, cluster: ClusterNumber) -> Self {
        self.named("cluster", |names| &names.grid.cluster(cluster).name)
    }

    fn link(self, link: LinkNumber) -> Self {
        self.named("link", |names| names.grid.link_name(link))
    }

    fn file(self, file: FileNumber) -> Self {
        self.named("file", |names| &names.sweep.file(file).name)
    }

    fn task(self, task: TaskNumber) -> Self {
        self.named("task", |names| &names.sweep.task(task).name)
    }

    fn file_of(self, transfer: SweepTransfer) -> Self {
        let with_file = match transfer.file {
            SubTask::Input(file) | SubTask::Output(file) => self.file(file),
            SubTask::Computation(_) => self,
        };
        with_file.task(transfer.task)
    }

    fn entry(self, entry: &GridEntry) -> Self {
        let with = |word| self.text("entry", word);
        match entry {
            GridEntry::NewHost(host) => with("new-host").host(*host),
            GridEntry::NewWork(tasks) => with("new-work").tasks(tasks),
            GridEntry::WorkDone(task, host) => with("work-done").task(*task).host(*host),
            GridEntry::HostFailed(host) => with("host-failed").host(*host),
            GridEntry::WorkFailed(task) => with("work-failed").task(*task),
            GridEntry::DiskFailed(cluster) => with("disk-failed").cluster(*cluster),
            GridEntry::TransferDone(transfer) => {
                let is_input = matches!(transfer.file, SubTask::Input(_));
                with("transfer-done")
                    .cluster(transfer.cluster)
                    .link(transfer.link)
                    .text("direction", if is_input { "input" } else { "output" })
                    .file_of(*transfer)
            }
            GridEntry::Decide => with("decide"),
        }
    }

    fn tasks(self, tasks: &[TaskNumber]) -> Self {
        let names = tasks.iter().map(|task| &*self.names.sweep.task(*task).name);
        Writing { message: self.message.texts("tasks", names), names: self.names }
    }

    fn action(self, action: &SchedulerAction) -> Self {
        let with = |word| self.text("action", word);
        match action {
            SchedulerAction::Send { how, transfer, planned } => {
                let cluster = transfer.cluster;
                let to = match how {
                    SendingAction::Store => with("store").cluster(cluster),
                    SendingAction::Copy => with("copy").cluster(cluster).link(transfer.link),
                    SendingAction::Retrieve => with("retrieve").cluster(cluster),
                };
                to.file_of(*transfer).with(|message| message.optional_time("planned", *planned))
            }
            SchedulerAction::Compute { task, host, times } => {
                with("compute").task(*task).host(*host).times(*times)
            }
            SchedulerAction::Cancel { task, host } => with("cancel").task(*task).host(*host),
            SchedulerAction::Remove { cluster, file } => with("remove").cluster(*cluster).file(*file),
            SchedulerAction::GiveRoom { cluster, task, answer } => with("give-room")
                .cluster(*cluster)
                .task(*task)
                .with(|message| message.flag("answer", *answer)),
            SchedulerAction::TakeRoom { cluster, task } => with("take-room").cluster(*cluster).task(*task),
        }
    }
}
