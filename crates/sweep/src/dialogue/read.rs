//! A dialogue out of its text: actions come behind a `decide` of the same instant, and the last
//! line is the note `end`.

use crate::collections::OrderedMap;
use crate::dialogue::line::{DialogueLine, GridEntry, PlannedTimes, SchedulerAction, SendingAction};
use crate::estimate::predictions::{SubTask, SweepTransfer};
use crate::kernel::SimTime;
use crate::model::application::Sweep;
use crate::model::grid::{ClusterNumber, HostNumber, LinkNumber, SweepGrid};
use crate::text::{Mistake, Mistakes, Spot, suggestion};
use crate::workflow::{FileNumber, TaskNumber};
use clustersim_experiment::dialogue::fields::LineFields;
use clustersim_experiment::dialogue::recorded::{self, LineReader, NumberedLine};

const ENTRIES: [&str; 8] = [
    "new-host",
    "new-work",
    "work-done",
    "host-failed",
    "work-failed",
    "disk-failed",
    "transfer-done",
    "decide",
];
const ACTIONS: [&str; 8] =
    ["store", "copy", "retrieve", "compute", "cancel", "remove", "give-room", "take-room"];
const NOTES: [&str; 2] = ["planned", "end"];

/// Reads a dialogue about the tasks of an application on a grid.
///
/// # Errors
/// The mistakes of its lines.
pub fn read(
    text: &str,
    sweep: &Sweep,
    grid: &SweepGrid,
) -> Result<Vec<NumberedLine<DialogueLine>>, Mistakes<Mistake>> {
    recorded::read(text, KnownNames::new(sweep, grid))
}

/// Numbers by names.
struct KnownNames<'a> {
    /// True if the name that was meant is looked for.
    helps: bool,
    /// True if the last entry is `decide`.
    decides: bool,
    sweep: &'a Sweep,
    grid: &'a SweepGrid,
    tasks: OrderedMap<&'a str, TaskNumber>,
    files: OrderedMap<&'a str, FileNumber>,
    hosts: OrderedMap<&'a str, HostNumber>,
    clusters: OrderedMap<&'a str, ClusterNumber>,
    links: OrderedMap<&'a str, LinkNumber>,
}

fn find<T: Copy>(
    (known, helps): (&OrderedMap<&str, T>, bool),
    what: &str,
    (name, spot): (&str, Spot),
) -> Result<(T, Spot), Mistake> {
    known.get(name).map(|number| (*number, spot)).ok_or_else(|| Mistake {
        message: format!("there is no {what} `{name}`"),
        help: helps.then(|| suggestion(name, known.keys().copied())),
        spot,
    })
}

impl<'a> KnownNames<'a> {
    fn new(sweep: &'a Sweep, grid: &'a SweepGrid) -> Self {
        let clusters = grid.clusters.iter().map(|cluster| &*cluster.name);
        KnownNames {
            helps: true,
            decides: false,
            sweep,
            grid,
            tasks: sweep.tasks.iter().map(|task| &*task.name).zip((0..).map(TaskNumber)).collect(),
            files: sweep.files.iter().map(|file| &*file.name).zip((0..).map(FileNumber)).collect(),
            hosts: grid.hosts.iter().map(|host| &*host.name).zip((0..).map(HostNumber)).collect(),
            clusters: clusters.zip((0..).map(ClusterNumber)).collect(),
            links: grid.link_numbers().map(|link| (grid.link_name(link), link)).collect(),
        }
    }

    fn entry(&self, fields: &mut LineFields, word: &str) -> Result<GridEntry, Mistake> {
        Ok(match word {
            "new-host" => GridEntry::NewHost(self.host(fields)?),
            "new-work" => {
                let tasks = fields.texts("tasks")?;
                let tasks = tasks.iter().map(|(name, spot)| {
                    find((&self.tasks, self.helps), "task", (name, *spot)).map(|task| task.0)
                });
                GridEntry::NewWork(tasks.collect::<Result<_, Mistake>>()?)
            }
            "work-done" => GridEntry::WorkDone(self.task(fields)?, self.host(fields)?),
            "host-failed" => GridEntry::HostFailed(self.host(fields)?),
            "work-failed" => GridEntry::WorkFailed(self.task(fields)?),
            "disk-failed" => GridEntry::DiskFailed(self.cluster(fields)?.0),
            "transfer-done" => {
                let (cluster, _) = self.cluster(fields)?;
                let link = self.link(fields, cluster)?;
                let is_input = fields.one_of("direction", &["input", "output"])? == "input";
                let (file, task) = self.file_of_task(fields, is_input)?;
                GridEntry::TransferDone(SweepTransfer { cluster, link, file: sub_task(file, is_input), task })
            }
            _ => GridEntry::Decide,
        })
    }

    fn action(&self, fields: &mut LineFields, word: &str) -> Result<SchedulerAction, Mistake> {
        Ok(match word {
            "compute" => SchedulerAction::Compute {
                task: self.task(fields)?,
                host: self.host(fields)?,
                times: times(fields)?,
            },
            "cancel" => SchedulerAction::Cancel { task: self.task(fields)?, host: self.host(fields)? },
            "remove" => {
                let (cluster, _) = self.cluster(fields)?;
                let (file, _) = find((&self.files, self.helps), "file", fields.text("file")?)?;
                SchedulerAction::Remove { cluster, file }
            }
            "give-room" => {
                let (cluster, task) = (self.cluster(fields)?.0, self.task(fields)?);
                SchedulerAction::GiveRoom { cluster, task, answer: fields.flag("answer")? }
            }
            "take-room" => {
                SchedulerAction::TakeRoom { cluster: self.cluster(fields)?.0, task: self.task(fields)? }
            }
            _ => {
                let how = match word {
                    "store" => SendingAction::Store,
                    "copy" => SendingAction::Copy,
                    _ => SendingAction::Retrieve,
                };
                let (cluster, _) = self.cluster(fields)?;
                let is_input = how != SendingAction::Retrieve;
                let copied = how == SendingAction::Copy;
                let over = copied.then(|| self.link(fields, cluster)).transpose()?;
                let (file, task) = self.file_of_task(fields, is_input)?;
                let of_origin = || self.grid.link_of(self.sweep.file(file).origin, cluster);
                let link = over.unwrap_or_else(of_origin);
                let transfer = SweepTransfer { cluster, link, file: sub_task(file, is_input), task };
                SchedulerAction::Send { how, transfer, planned: fields.optional_time("planned")? }
            }
        })
    }

    fn task(&self, fields: &mut LineFields) -> Result<TaskNumber, Mistake> {
        Ok(find((&self.tasks, self.helps), "task", fields.text("task")?)?.0)
    }

    fn host(&self, fields: &mut LineFields) -> Result<HostNumber, Mistake> {
        Ok(find((&self.hosts, self.helps), "host", fields.text("host")?)?.0)
    }

    fn cluster(&self, fields: &mut LineFields) -> Result<(ClusterNumber, Spot), Mistake> {
        find((&self.clusters, self.helps), "cluster", fields.text("cluster")?)
    }

    /// The link of a line, which leads to this cluster.
    fn link(&self, fields: &mut LineFields, cluster: ClusterNumber) -> Result<LinkNumber, Mistake> {
        let (link, spot) = find((&self.links, self.helps), "link", fields.text("link")?)?;
        if self.grid.links_of(cluster).any(|other| other == link) {
            return Ok(link);
        }
        let names = (self.grid.link_name(link), &self.grid.cluster(cluster).name);
        let message = format!("the link `{}` does not lead to the cluster `{}`", names.0, names.1);
        Err(Mistake::new(message, spot))
    }

    /// The file of a line and its task, which has such an input or output.
    fn file_of_task(
        &self,
        fields: &mut LineFields,
        is_input: bool,
    ) -> Result<(FileNumber, TaskNumber), Mistake> {
        let (name, spot) = fields.text("file")?;
        let name = name.to_owned();
        find((&self.files, self.helps), "file", (&name, spot))?;
        let task = self.task(fields)?;
        let described = self.sweep.task(task);
        let mut files = if is_input { &described.inputs } else { &described.outputs }.iter().copied();
        let file = files.find(|file| *self.sweep.file(*file).name == *name);
        file.map(|file| (file, task)).ok_or_else(|| {
            let what = if is_input { "input" } else { "output" };
            Mistake::new(format!("task `{}` has no {what} `{name}`", described.name), spot)
        })
    }
}

impl LineReader for KnownNames<'_> {
    type Line = DialogueLine;
    const END: &'static str = "the note `end`";

    fn line(&mut self, fields: &mut LineFields, helps: bool) -> Result<DialogueLine, Mistake> {
        self.helps = helps;
        let kinds: [(&str, &[&str]); 3] = [("entry", &ENTRIES), ("action", &ACTIONS), ("note", &NOTES)];
        let (kind, word) = fields.kind(&kinds)?;
        match kind {
            "entry" => self.entry(fields, word).map(DialogueLine::Entry),
            "action" => self.action(fields, word).map(DialogueLine::Action),
            _ if word == "planned" => Ok(DialogueLine::Planned(self.task(fields)?, times(fields)?)),
            _ => Ok(DialogueLine::End(fields.count("steals")?)),
        }
    }

    fn follow(&mut self, line: &DialogueLine, at: SimTime, last: SimTime) -> Result<(), &'static str> {
        match line {
            DialogueLine::Action(_) if !(self.decides && at == last) => {
                return Err("an action without `decide` before it at this instant");
            }
            DialogueLine::Entry(entry) => self.decides = *entry == GridEntry::Decide,
            _ => {}
        }
        Ok(())
    }

    fn is_end(&self, line: &DialogueLine) -> bool {
        matches!(line, DialogueLine::End(_))
    }
}

fn sub_task(file: FileNumber, is_input: bool) -> SubTask {
    if is_input { SubTask::Input(file) } else { SubTask::Output(file) }
}

/// Instant at which a task was queued and planned.
fn times(fields: &mut LineFields) -> Result<PlannedTimes, Mistake> {
    let queued = fields.optional_time("queued")?;
    let start = fields.optional_time("planned-start")?;
    let planned = match start {
        Some(start) => Some((start, fields.time("planned-end")?.0)),
        None => None,
    };
    Ok(PlannedTimes { queued, planned })
}
