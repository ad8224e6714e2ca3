//! The application: independent tasks, the files that they read and write, and what is known of
//! them beforehand.
//!
//! Source: section 3 of the report of the Parameter Sweep Template.

use std::sync::Arc;

use crate::kernel::SimTime;
use crate::sweep::model::grid::OriginNumber;
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
