//! Lines of a dialogue as text.

use std::rc::Rc;

use serde_json::Value;

use crate::kernel::SimTime;
use crate::sweep::application::Sweep;
use crate::sweep::dialogue::line::{DialogueLine, GridEntry, PlannedTimes, SchedulerAction, SendingAction};
use crate::sweep::grid::{ClusterNumber, HostNumber, LinkNumber, SweepGrid};
use crate::sweep::predictions::{SubTask, SweepTransfer};
use crate::workflow::{FileNumber, TaskNumber};

/// Bytes of a line that a message shows.
const SHOWN: usize = 200;

/// Name of the things of a dialogue.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) sweep: Rc<Sweep>,
    pub(super) grid: Rc<SweepGrid>,
}

/// A line that is being written.
struct Writing<'a> {
    into: &'a mut String,
    names: &'a Names,
}

impl Names {
    /// Writes a line, with its end.
    pub(super) fn write(&self, into: &mut String, at: SimTime, line: &DialogueLine) {
        into.push('{');
        let mut writing = Writing { into, names: self };
        writing.time("at", at);
        match line {
            DialogueLine::Entry(entry) => writing.entry(entry),
            DialogueLine::Action(action) => writing.action(action),
            DialogueLine::Planned(task, times) => {
                writing.text("note", "planned");
                writing.task(*task);
                writing.times(*times);
            }
            DialogueLine::End(steals) => {
                writing.text("note", "end");
                writing.key("steals");
                writing.into.push_str(&steals.to_string());
            }
        }
        into.push_str("}\n");
    }

    /// A line for a message, cut where it is long.
    pub(super) fn shown(&self, at: SimTime, line: &DialogueLine) -> String {
        let mut text = String::new();
        self.write(&mut text, at, line);
        text.pop();
        if text.len() > SHOWN {
            text.truncate(text.floor_char_boundary(SHOWN));
            text.push('…');
        }
        text
    }
}

impl Writing<'_> {
    fn key(&mut self, key: &str) {
        if !self.into.ends_with('{') {
            self.into.push(',');
        }
        self.into.push('"');
        self.into.push_str(key);
        self.into.push_str("\":");
    }

    fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        self.into.push_str(&Value::from(text).to_string());
    }

    fn time(&mut self, key: &str, at: SimTime) {
        self.key(key);
        self.into.push_str(at.to_string().trim_end_matches(" s"));
    }

    fn times(&mut self, times: PlannedTimes) {
        if let Some(queued) = times.queued {
            self.time("queued", queued);
        }
        if let Some((start, end)) = times.planned {
            self.time("planned-start", start);
            self.time("planned-end", end);
        }
    }

    fn host(&mut self, host: HostNumber) {
        self.text("host", &self.names.grid.host(host).name);
    }

    fn cluster(&mut self, cluster: ClusterNumber) {
        self.text("cluster", &self.names.grid.cluster(cluster).name);
    }

    fn link(&mut self, link: LinkNumber) {
        self.text("link", self.names.grid.link_name(link));
    }

    fn file(&mut self, file: FileNumber) {
        self.text("file", &self.names.sweep.file(file).name);
    }

    fn task(&mut self, task: TaskNumber) {
        self.text("task", &self.names.sweep.task(task).name);
    }

    fn file_of(&mut self, transfer: SweepTransfer) {
        if let SubTask::Input(file) | SubTask::Output(file) = transfer.file {
            self.file(file);
        }
        self.task(transfer.task);
    }

    fn entry(&mut self, entry: &GridEntry) {
        let word = match entry {
            GridEntry::NewHost(_) => "new-host",
            GridEntry::NewWork(_) => "new-work",
            GridEntry::WorkDone(..) => "work-done",
            GridEntry::HostFailed(_) => "host-failed",
            GridEntry::WorkFailed(_) => "work-failed",
            GridEntry::DiskFailed(_) => "disk-failed",
            GridEntry::TransferDone(_) => "transfer-done",
            GridEntry::Decide => "decide",
        };
        self.text("entry", word);
        match entry {
            GridEntry::NewHost(host) | GridEntry::HostFailed(host) => self.host(*host),
            GridEntry::WorkFailed(task) => self.task(*task),
            GridEntry::DiskFailed(cluster) => self.cluster(*cluster),
            GridEntry::WorkDone(task, host) => {
                self.task(*task);
                self.host(*host);
            }
            GridEntry::NewWork(tasks) => {
                let names = tasks.iter().map(|task| Value::from(&*self.names.sweep.task(*task).name));
                let names = names.collect::<Value>().to_string();
                self.key("tasks");
                self.into.push_str(&names);
            }
            GridEntry::TransferDone(transfer) => {
                self.cluster(transfer.cluster);
                self.link(transfer.link);
                let is_input = matches!(transfer.file, SubTask::Input(_));
                self.text("direction", if is_input { "input" } else { "output" });
                self.file_of(*transfer);
            }
            GridEntry::Decide => {}
        }
    }

    fn action(&mut self, action: &SchedulerAction) {
        let word = match action {
            SchedulerAction::Send { how: SendingAction::Store, .. } => "store",
            SchedulerAction::Send { how: SendingAction::Copy, .. } => "copy",
            SchedulerAction::Send { how: SendingAction::Retrieve, .. } => "retrieve",
            SchedulerAction::Compute { .. } => "compute",
            SchedulerAction::Cancel { .. } => "cancel",
            SchedulerAction::Remove { .. } => "remove",
            SchedulerAction::GiveRoom { .. } => "give-room",
            SchedulerAction::TakeRoom { .. } => "take-room",
        };
        self.text("action", word);
        match action {
            SchedulerAction::Send { how, transfer, planned } => {
                self.cluster(transfer.cluster);
                if *how == SendingAction::Copy {
                    self.link(transfer.link);
                }
                self.file_of(*transfer);
                if let Some(planned) = planned {
                    self.time("planned", *planned);
                }
            }
            SchedulerAction::Compute { task, host, times } => {
                self.task(*task);
                self.host(*host);
                self.times(*times);
            }
            SchedulerAction::Cancel { task, host } => {
                self.task(*task);
                self.host(*host);
            }
            SchedulerAction::Remove { cluster, file } => {
                self.cluster(*cluster);
                self.file(*file);
            }
            SchedulerAction::GiveRoom { cluster, task, answer } => {
                self.cluster(*cluster);
                self.task(*task);
                self.key("answer");
                self.into.push_str(if *answer { "true" } else { "false" });
            }
            SchedulerAction::TakeRoom { cluster, task } => {
                self.cluster(*cluster);
                self.task(*task);
            }
        }
    }
}
