//! The application: independent tasks, the files that they read and write, what is known of them
//! beforehand, and the origins of files: `[application] origins`.
//!
//! An origin is that of a named file, or of all files whose names begin alike (`"shared-*"`). The
//! name of a file comes before all beginnings, and of these the longest holds. What no entry names
//! is on the first origin.
//!
//! Source: section 3 of the report of the Parameter Sweep Template.

use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::model::grid::{OriginNumber, SweepGrid};
use crate::registry::{Complaint, Key, Kind, Node, Params, Tree, code, suggestion};
use crate::workflow::{FileNumber, TaskNumber};

/// A file: the input of any number of tasks, or the output of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SweepFile {
    /// Name.
    pub name: Arc<str>,
    /// Size in bytes.
    pub bytes: u64,
    /// The size that is known beforehand.
    pub estimated: u64,
    /// Origin that it comes from, or is returned to.
    pub origin: OriginNumber,
}

impl SweepFile {
    /// A file of a known size, of the first origin.
    pub fn new(name: Arc<str>, bytes: u64) -> Self {
        SweepFile { name, bytes, estimated: bytes, origin: OriginNumber(0) }
    }
}

/// Computing time of a task on a fully available host of one architecture, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TaskTime {
    /// Real time.
    pub real: f64,
    /// Estimated time, known beforehand.
    pub estimated: f64,
}

/// An independent task.
#[derive(Clone, PartialEq, Debug)]
pub struct SweepTask {
    /// Name.
    pub name: Arc<str>,
    /// The files that it reads, without repetition.
    pub inputs: Box<[FileNumber]>,
    /// The files that it writes; no other task writes or reads them.
    pub outputs: Box<[FileNumber]>,
    /// By architecture; one for all if there is only one. On architectures beyond the list it
    /// cannot run.
    pub times: Box<[TaskTime]>,
    /// Instant at which the scheduler gets to know it.
    pub arrival: SimTime,
}

/// The tasks of a parameter sweep, in the order of the application, and their files.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sweep {
    /// The files.
    pub files: Vec<SweepFile>,
    /// The tasks.
    pub tasks: Vec<SweepTask>,
}

impl SweepTask {
    /// Returns the computing time on an architecture; `None` if the task cannot run on it.
    pub fn time_on(&self, architecture: usize) -> Option<TaskTime> {
        match &*self.times {
            [all] => Some(*all),
            times => times.get(architecture).copied(),
        }
    }
}

impl Sweep {
    /// A file.
    pub fn file(&self, file: FileNumber) -> &SweepFile {
        &self.files[file.index()]
    }

    /// A task.
    pub fn task(&self, task: TaskNumber) -> &SweepTask {
        &self.tasks[task.index()]
    }

    /// Returns true if all inputs of a task fit in a storage of so many bytes.
    pub fn fits(&self, task: TaskNumber, capacity: u64) -> bool {
        let sizes = self.task(task).inputs.iter().map(|file| self.file(*file).bytes);
        sizes.fold(0, u64::saturating_add) <= capacity
    }

    /// All tasks, in order.
    pub fn task_numbers(&self) -> impl Iterator<Item = TaskNumber> + use<> {
        (0..self.tasks.len() as u32).map(TaskNumber)
    }
}

/// The origins of files that are not on the first.
pub(crate) const ORIGINS: Key =
    Key::new("origins", Kind::Map(&Kind::Text)).absent("all files are on the first origin").about(
        "for names of files, or beginnings of names followed by `*`: the origin that they come from or are returned to, one of \
         `platform.origins`",
    );

/// Says of each file where it is, by the key `origins` of a checked `[application]`.
///
/// # Errors
/// Origins that the platform does not have, and entries that name no file.
///
/// # Complexity
/// O(files x (log entries + entries with `*`)).
pub(crate) fn place_files(
    sweep: &mut Sweep,
    grid: &SweepGrid,
    application: &Params<'_>,
) -> Result<(), Vec<Complaint>> {
    let Some(entries) = application.tree().get("origins").and_then(Node::as_table) else { return Ok(()) };
    let names: Vec<&str> = grid.origin_names().collect();
    let mut complaints = Vec::new();
    let mut exact: OrderedMap<&str, (usize, OriginNumber)> = OrderedMap::new();
    let mut beginnings: Vec<(&str, usize, OriginNumber)> = Vec::new();
    let slots = Tree::slots(entries);
    for (place, slot) in slots.iter().enumerate() {
        let node = entries.get(&slot.name);
        let written = node.and_then(Node::as_text).unwrap_or_default();
        let Some(origin) = names.iter().position(|name| *name == written) else {
            let message = format!("there is no origin `{written}`");
            let at = node.map_or(slot.span, |node| node.span);
            let complaint = Complaint::new(code::UNKNOWN_NAME, message, at);
            complaints.push(complaint.help(suggestion(written, names.iter().copied())));
            continue;
        };
        let origin = OriginNumber(origin as u32);
        match slot.name.strip_suffix('*') {
            Some(beginning) => beginnings.push((beginning, place, origin)),
            None => _ = exact.insert(&slot.name, (place, origin)),
        }
    }
    beginnings.sort_by_key(|(beginning, ..)| std::cmp::Reverse(beginning.len()));
    let mut is_used = vec![false; slots.len()];
    for file in &mut sweep.files {
        let mut is_first = true;
        let mut named = |(place, origin): (usize, OriginNumber)| {
            is_used[place] = true;
            if std::mem::take(&mut is_first) {
                file.origin = origin;
            }
        };
        exact.get(&*file.name).copied().into_iter().for_each(&mut named);
        let begin = beginnings.iter().filter(|(beginning, ..)| file.name.starts_with(beginning));
        begin.for_each(|(_, place, origin)| named((*place, *origin)));
    }
    for (slot, is_used) in slots.iter().zip(is_used) {
        let is_known =
            entries.get(&slot.name).and_then(Node::as_text).is_some_and(|name| names.contains(&name));
        if is_known && !is_used {
            let message = format!("no file is called `{}`", slot.name);
            let complaint = Complaint::new(code::UNKNOWN_NAME, message, slot.span);
            complaints.push(complaint.help("names of files, or beginnings of names followed by `*`"));
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints) }
}
