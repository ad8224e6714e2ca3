//! Directed acyclic graphs of tasks.
//!
//! A [`Workflow`] is right by construction: [`Draft::finish`](crate::Draft::finish)
//! reports everything that is wrong with a graph and gives one only if nothing is. It holds what
//! runs. A root or an end without cost runs nowhere and takes no time, so it is no task: its name
//! is kept for writers, and the bytes on its edges are inputs and outputs of the tasks. A root or
//! an end with a cost is a task as any other. A transfer of a file is an edge with bytes and the
//! name of the transfer.
//!
//! Everything has one order, whatever the format was: tasks are numbered by their places in the
//! file, edges by parent, then child.
//!
//! Model: the data model of DAGSim (A. Jarry, H. Casanova, F. Berman, 2000).

use std::sync::Arc;

use crate::names::Names;

/// A task by its place in the file, from 0; ties go to the lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskNumber(pub u32);

/// An edge by its place among all, in order of parent and child, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeNumber(pub u32);

/// A file by the place where it was first named, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileNumber(pub u32);

impl TaskNumber {
    /// The number as the place in an array of tasks.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl EdgeNumber {
    /// The number as the place in an array of edges.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl FileNumber {
    /// The number as the place in an array of files.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Names and values that a file gives and that mean nothing here.
pub type Properties = Box<[(Box<str>, Box<str>)]>;

/// Execution times by host \[s\].
pub type HostTimes = Box<[(Arc<str>, f64)]>;

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Name, which no other task has.
    pub name: Box<str>,
    /// Computation, on all cores that it asks for, over the speed of one \[flop\].
    pub work: f64,
    /// Execution times by host \[s\], where costs are unrelated: speeds are not used then, and
    /// other hosts cannot run it.
    pub times: Option<HostTimes>,
    /// Category, for example the program.
    pub category: Option<Box<str>>,
    /// Cores of one host that it asks for, and holds together.
    pub cores: u32,
    /// Memory that it asks for \[bytes\].
    pub memory: Option<u64>,
    /// Further properties in the file.
    pub properties: Option<Box<Properties>>,
}

impl Task {
    /// A task of one core, of which nothing more is known.
    pub fn new(name: impl Into<Box<str>>, work: f64) -> Self {
        let name = name.into();
        Task { name, work, times: None, category: None, cores: 1, memory: None, properties: None }
    }

    /// Execution time on a host of this name and speed \[flop/s\], in seconds; `None` if that host
    /// cannot run it.
    pub fn seconds_on(&self, host: &str, speed: f64) -> Option<f64> {
        match &self.times {
            None => Some(self.work / speed),
            Some(times) => times.iter().find(|(name, _)| **name == *host).map(|(_, seconds)| *seconds),
        }
    }

    /// Execution time on a host of this speed \[flop/s\], in seconds; the mean over its hosts where
    /// costs are unrelated.
    pub fn mean_seconds(&self, speed: f64) -> f64 {
        match &self.times {
            Some(times) if !times.is_empty() => {
                times.iter().map(|(_, seconds)| seconds).sum::<f64>() / times.len() as f64
            }
            _ => self.work / speed,
        }
    }
}

/// Precedence of one task over another.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The parent.
    pub from: TaskNumber,
    /// The child.
    pub to: TaskNumber,
    /// Bytes that the parent sends to the child; `None` where it sends nothing (a control edge).
    pub bytes: Option<u64>,
    /// Marks that only few files give.
    pub(super) marks: Option<Box<EdgeMarks>>,
}

/// The name of the transfer of an edge, and what else its file gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EdgeMarks {
    pub(super) name: Option<Box<str>>,
    pub(super) properties: Option<Properties>,
}

impl Edge {
    /// The name of the transfer, if it has one of its own.
    pub fn name(&self) -> Option<&str> {
        self.marks.as_ref()?.name.as_deref()
    }

    /// Further properties in the file.
    pub fn properties(&self) -> Option<&Properties> {
        self.marks.as_ref()?.properties.as_ref()
    }
}

/// The files that tasks read or write: their names and sizes, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataFiles {
    pub(super) names: Names,
    pub(super) bytes: Vec<u64>,
}

impl DataFiles {
    /// Number of files.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The name of a file.
    pub fn name(&self, file: FileNumber) -> &str {
        self.names.name(file.0)
    }

    /// The size of a file.
    pub fn bytes(&self, file: FileNumber) -> u64 {
        self.bytes[file.index()]
    }
}

/// A file that comes from outside or is left at the end, and a task that reads or writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct External {
    /// The task.
    pub task: TaskNumber,
    /// The file.
    pub file: FileNumber,
    /// Size.
    pub bytes: u64,
}

/// Lists of numbers, one for each task or edge, in one array.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Lists<T> {
    pub(super) starts: Vec<u32>,
    pub(super) items: Vec<T>,
}

impl<T: Copy> Lists<T> {
    /// The items of `pairs`, which are sorted by the first, for each of `count` owners.
    pub(super) fn of(count: usize, pairs: &[(u32, T)]) -> Self {
        let mut starts = vec![0; count + 1];
        for (owner, _) in pairs {
            starts[*owner as usize + 1] += 1;
        }
        for place in 1..=count {
            starts[place] += starts[place - 1];
        }
        Lists { starts, items: pairs.iter().map(|(_, item)| *item).collect() }
    }

    pub(super) fn get(&self, owner: usize) -> &[T] {
        &self.items[self.starts[owner] as usize..self.starts[owner + 1] as usize]
    }
}

/// A directed acyclic graph of tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct Workflow {
    pub(super) name: Box<str>,
    pub(super) tasks: Vec<Task>,
    /// Sorted by parent, then child.
    pub(super) edges: Vec<Edge>,
    pub(super) incoming: Lists<EdgeNumber>,
    pub(super) outgoing: Lists<EdgeNumber>,
    pub(super) order: Vec<TaskNumber>,
    /// The tasks by name.
    pub(super) by_name: Vec<TaskNumber>,
    pub(super) files: DataFiles,
    pub(super) files_of_edges: Lists<FileNumber>,
    pub(super) inputs: Vec<External>,
    pub(super) outputs: Vec<External>,
    pub(super) root: Option<Box<str>>,
    pub(super) end: Option<Box<str>>,
}

impl Workflow {
    /// Name in outputs.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tasks, in the order of the file.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Gives a task its work.
    pub(super) fn set_work(&mut self, number: TaskNumber, work: f64) {
        self.tasks[number.index()].work = work;
    }

    /// Gives tasks of several cores another work: so many times what they have, by their cores.
    pub(super) fn scale_multicore_work(&mut self, factor: impl Fn(u32) -> f64) {
        for task in self.tasks.iter_mut().filter(|task| task.cores > 1) {
            task.work = (task.work * factor(task.cores)).min(f64::MAX);
        }
    }

    /// The task of this number.
    pub fn task(&self, number: TaskNumber) -> &Task {
        &self.tasks[number.index()]
    }

    /// The edges, sorted by parent, then child; no two join the same tasks.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edge of this number.
    pub fn edge(&self, number: EdgeNumber) -> &Edge {
        &self.edges[number.index()]
    }

    /// The edges that lead to a task, by the number of the parent.
    pub fn incoming(&self, task: TaskNumber) -> &[EdgeNumber] {
        self.incoming.get(task.index())
    }

    /// The edges that leave a task, by the number of the child.
    pub fn outgoing(&self, task: TaskNumber) -> &[EdgeNumber] {
        self.outgoing.get(task.index())
    }

    /// The parents of a task, by number.
    pub fn parents(&self, task: TaskNumber) -> impl DoubleEndedIterator<Item = TaskNumber> + '_ {
        self.incoming(task).iter().map(|edge| self.edge(*edge).from)
    }

    /// The children of a task, by number.
    pub fn children(&self, task: TaskNumber) -> impl DoubleEndedIterator<Item = TaskNumber> + '_ {
        self.outgoing(task).iter().map(|edge| self.edge(*edge).to)
    }

    /// The tasks in topological order; of those that may come next, the one of the lowest number
    /// comes first.
    pub fn order(&self) -> &[TaskNumber] {
        &self.order
    }

    /// The numbers of all tasks.
    pub fn numbers(&self) -> impl DoubleEndedIterator<Item = TaskNumber> + use<> {
        (0..self.tasks.len() as u32).map(TaskNumber)
    }

    /// The task of this name.
    pub fn find(&self, name: &str) -> Option<TaskNumber> {
        let place = self.by_name.binary_search_by(|task| (*self.task(*task).name).cmp(name));
        place.ok().map(|place| self.by_name[place])
    }

    /// The edge between two tasks.
    pub fn edge_between(&self, from: TaskNumber, to: TaskNumber) -> Option<EdgeNumber> {
        let edges = self.outgoing(from);
        let place = edges.binary_search_by_key(&to, |edge| self.edge(*edge).to);
        place.ok().map(|place| edges[place])
    }

    /// The files that tasks read or write.
    pub fn files(&self) -> &DataFiles {
        &self.files
    }

    /// The files that an edge carries, by number; none where only their bytes are known.
    pub fn files_on(&self, edge: EdgeNumber) -> &[FileNumber] {
        self.files_of_edges.get(edge.index())
    }

    /// The files that no task writes, one entry for each task that reads one, by task.
    pub fn inputs(&self) -> &[External] {
        &self.inputs
    }

    /// The files that no task reads, one entry for each task that writes one, by task.
    pub fn outputs(&self) -> &[External] {
        &self.outputs
    }

    /// The name of the root without cost that the file declares, if it does.
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// The name of the end without cost that the file declares, if it does.
    pub fn end(&self) -> Option<&str> {
        self.end.as_deref()
    }

    /// Lets every task fit into any memory.
    pub(super) fn forget_memory(&mut self) {
        self.tasks.iter_mut().for_each(|task| task.memory = None);
    }

    /// The same graph with other bytes on its edges: `bytes` is given each edge and answers what it
    /// carries.
    #[must_use]
    pub fn with_bytes(mut self, mut bytes: impl FnMut(&Edge) -> Option<u64>) -> Self {
        for edge in &mut self.edges {
            edge.bytes = bytes(edge);
        }
        self
    }

    /// The same graph with all of its data times `factor`, rounded to bytes: those of edges and of
    /// files.
    #[must_use]
    pub(super) fn with_scaled_data(self, factor: f64) -> Self {
        // beyond 2^64 the cast saturates
        let scaled = |bytes: u64| (bytes as f64 * factor).round() as u64;
        let mut all = self.with_bytes(|edge| edge.bytes.map(scaled));
        all.files.bytes.iter_mut().for_each(|bytes| *bytes = scaled(*bytes));
        all.inputs
            .iter_mut()
            .chain(&mut all.outputs)
            .for_each(|external| external.bytes = scaled(external.bytes));
        all
    }

    /// Name of an edge in messages: that of its transfer, or its two tasks.
    pub fn edge_name(&self, number: EdgeNumber) -> String {
        let edge = self.edge(number);
        match edge.name() {
            Some(name) => name.to_string(),
            None => format!("{}->{}", self.task(edge.from).name, self.task(edge.to).name),
        }
    }
}
