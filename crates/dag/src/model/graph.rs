//! The tasks to be scheduled: those of one workflow, or of several that arrive one after another,
//! numbered as one graph.
//!
//! Data go over edges, each of which is sent by itself. By [`FileRules`] there is more to it:
//!
//! - Files that no task writes begin at a home host, and go over an *input* of each task that reads
//!   some; files that no task reads may have to go back over an *output* of each task that writes
//!   some. Inputs and outputs are numbered behind the edges.
//! - Each file is sent by itself, and once to a host, however many tasks there read it: then there
//!   is an edge for each file of a pair of tasks. Edges that carry the same file from the same task
//!   are [the same data](Graph::same_data). An edge that names no file carries data of its own.

use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::platform::HostId;
use crate::workflow::{EdgeNumber, External, FileNumber, TaskNumber, Workflow};

/// A workflow of a run, and when it arrives.
#[derive(Clone, Debug)]
pub struct ArrivingWorkflow {
    /// Name.
    pub name: String,
    /// Instant from which its tasks may be scheduled.
    pub arrival: SimTime,
    /// Tasks and what goes between them.
    pub workflow: Arc<Workflow>,
    first_task: u32,
}

impl ArrivingWorkflow {
    /// Tasks by their numbers in the graph.
    pub fn tasks(&self) -> impl Iterator<Item = TaskNumber> + Clone + use<> {
        let tasks = self.first_task..self.first_task + self.workflow.tasks().len() as u32;
        tasks.map(TaskNumber)
    }
}

/// Dependence of a task on another, which ends before it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dependence {
    /// The parent.
    pub from: TaskNumber,
    /// The child.
    pub to: TaskNumber,
    /// Bytes sent; `None` where the child only waits for the parent's end.
    pub bytes: Option<u64>,
}

/// Places of files that no task writes or reads, and the manner in which files are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FileRules {
    /// Host where files begin that no task writes; they are everywhere without it.
    pub home: Option<HostId>,
    /// True if files that no task reads are sent there.
    pub return_outputs: bool,
    /// True if each file is sent by itself, once to a host.
    pub cache: bool,
}

/// Data that are sent: from a task or the home host to a task or the home host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataTransfer {
    /// The task that writes the data; `None` if they begin at the home host.
    pub from: Option<TaskNumber>,
    /// The task that reads them; `None` if they go to the home host.
    pub to: Option<TaskNumber>,
    /// Bytes sent; `None` where the reader only waits for the writer's end.
    pub bytes: Option<u64>,
}

/// Edges by one of their ends.
#[derive(Clone, Debug, Default)]
struct Adjacency {
    first: Vec<u32>,
    edges: Vec<EdgeNumber>,
}

impl Adjacency {
    fn of(&self, task: TaskNumber) -> &[EdgeNumber] {
        let task = task.index();
        &self.edges[self.first[task] as usize..self.first[task + 1] as usize]
    }

    /// The edges of each of so many tasks; `owned` are pairs of them, in order of tasks.
    fn of_pairs(tasks: usize, owned: &[(TaskNumber, EdgeNumber)]) -> Self {
        let mut all = Adjacency::default();
        let mut owned = owned.iter().peekable();
        for task in (0..tasks as u32).map(TaskNumber) {
            all.push(std::iter::from_fn(|| {
                owned.next_if(|(owner, _)| *owner == task).map(|(_, edge)| *edge)
            }));
        }
        all
    }

    fn push(&mut self, edges: impl Iterator<Item = EdgeNumber>) {
        if self.first.is_empty() {
            self.first.push(0);
        }
        self.edges.extend(edges);
        self.first.push(self.edges.len() as u32);
    }
}

/// All tasks of a run.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    applications: Vec<ArrivingWorkflow>,
    /// The application of each task.
    owner: Vec<u32>,
    edges: Vec<Dependence>,
    incoming: Adjacency,
    outgoing: Adjacency,
    order: Vec<TaskNumber>,
    has_wide_tasks: bool,
    rules: FileRules,
    /// Transfers from the home host and to it, numbered behind the edges.
    at_home: Vec<DataTransfer>,
    inputs: Adjacency,
    outputs: Adjacency,
    /// Of each edge, input and output: its file, where one is sent by itself.
    file_of: Vec<Option<FileNumber>>,
    /// The same: where its data stand in `groups`; empty unless files are sent by themselves.
    group_of: Vec<u32>,
    /// The edges that carry the same data, in order.
    groups: Vec<Vec<EdgeNumber>>,
}

/// Transfer from the home host or to it, as it is gathered: task, bytes, file, and true if it comes
/// from there.
type AtHome = (TaskNumber, u64, Option<FileNumber>, bool);

impl Graph {
    /// The tasks of these workflows, each with its name and arrival, numbered in this order.
    pub fn new(applications: impl IntoIterator<Item = (String, SimTime, Arc<Workflow>)>) -> Self {
        Graph::with_files(applications, FileRules::default())
    }

    /// The same, with files as the rules say.
    pub fn with_files(
        applications: impl IntoIterator<Item = (String, SimTime, Arc<Workflow>)>,
        rules: FileRules,
    ) -> Self {
        let mut graph = Graph { rules, ..Graph::default() };
        let mut at_home: Vec<AtHome> = Vec::new();
        for (name, arrival, workflow) in applications {
            graph.add(name, arrival, workflow, &mut at_home);
        }
        graph.add_home(&at_home);
        if rules.cache {
            graph.group();
        }
        graph
    }

    /// The tasks of one workflow, which is there from the beginning.
    pub fn of(workflow: Workflow) -> Self {
        Graph::new([(workflow.name().to_owned(), SimTime::ZERO, Arc::new(workflow))])
    }

    fn add(&mut self, name: String, arrival: SimTime, workflow: Arc<Workflow>, at_home: &mut Vec<AtHome>) {
        let (tasks, edges) = (self.owner.len() as u32, self.edges.len() as u32);
        let moved = |task: TaskNumber| TaskNumber(task.0 + tasks);
        // by edge of the workflow, its first edge here
        let mut first: Vec<u32> = Vec::new();
        for (number, edge) in (0..).map(EdgeNumber).zip(workflow.edges()) {
            first.push(self.edges.len() as u32 - edges);
            let whole = Dependence { from: moved(edge.from), to: moved(edge.to), bytes: edge.bytes };
            let files = workflow.files_on(number);
            if self.rules.cache && !files.is_empty() {
                let size = |file: &FileNumber| workflow.files().bytes(*file);
                self.edges.extend(files.iter().map(|file| Dependence { bytes: Some(size(file)), ..whole }));
                self.file_of.extend(files.iter().map(|file| Some(*file)));
            } else {
                self.edges.push(whole);
                let only = if let [only] = files { Some(*only) } else { None };
                self.file_of.push(only);
            }
        }
        first.push(self.edges.len() as u32 - edges);
        for task in (0..workflow.tasks().len() as u32).map(TaskNumber) {
            let here = |edge: &EdgeNumber| {
                (first[edge.index()]..first[edge.index() + 1]).map(move |own| EdgeNumber(own + edges))
            };
            self.incoming.push(workflow.incoming(task).iter().flat_map(here));
            self.outgoing.push(workflow.outgoing(task).iter().flat_map(here));
        }
        if self.rules.home.is_some() {
            let outputs = if self.rules.return_outputs { workflow.outputs() } else { &[] };
            for (externals, comes) in [(workflow.inputs(), true), (outputs, false)] {
                for of_task in externals.chunk_by(|one, next| one.task == next.task) {
                    at_home.extend(
                        self.rules
                            .at_home(of_task)
                            .map(|(bytes, file)| (moved(of_task[0].task), bytes, file, comes)),
                    );
                }
            }
        }
        self.has_wide_tasks |= workflow.tasks().iter().any(|task| task.cores > 1);
        self.owner.resize(self.owner.len() + workflow.tasks().len(), self.applications.len() as u32);
        self.order.extend(workflow.order().iter().copied().map(moved));
        self.applications.push(ArrivingWorkflow { name, arrival, workflow, first_task: tasks });
    }

    /// Numbers what comes from the home host and goes there.
    fn add_home(&mut self, at_home: &[AtHome]) {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for &(task, bytes, file, comes) in at_home {
            let edge = EdgeNumber((self.edges.len() + self.at_home.len()) as u32);
            let (from, to) = if comes { (None, Some(task)) } else { (Some(task), None) };
            if comes { &mut inputs } else { &mut outputs }.push((task, edge));
            self.at_home.push(DataTransfer { from, to, bytes: Some(bytes) });
            self.file_of.push(file);
        }
        self.inputs = Adjacency::of_pairs(self.len(), &inputs);
        self.outputs = Adjacency::of_pairs(self.len(), &outputs);
    }

    /// Finds the edges that carry the same data.
    fn group(&mut self) {
        let mut known: OrderedMap<(usize, Option<TaskNumber>, FileNumber), u32> = OrderedMap::new();
        for edge in (0..self.data_count() as u32).map(EdgeNumber) {
            let DataTransfer { from, to, .. } = self.data(edge);
            let new = self.groups.len() as u32;
            let task = from.or(to).expect("a task reads or writes it");
            let group = match self.file_of[edge.index()] {
                Some(file) if to.is_some() => {
                    *known.entry((self.application_of(task), from, file)).or_insert(new)
                }
                _ => new,
            };
            if group == new {
                self.groups.push(Vec::new());
            }
            self.groups[group as usize].push(edge);
            self.group_of.push(group);
        }
    }

    /// Number of tasks there are.
    pub fn len(&self) -> usize {
        self.owner.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.owner.is_empty()
    }

    /// Every task, by number.
    pub fn tasks(&self) -> impl DoubleEndedIterator<Item = TaskNumber> + ExactSizeIterator + Clone + use<> {
        (0..self.owner.len() as u32).map(TaskNumber)
    }

    /// Returns true if some task asks for several cores.
    pub fn has_wide_tasks(&self) -> bool {
        self.has_wide_tasks
    }

    /// The workflows, in the order of their tasks.
    pub fn applications(&self) -> &[ArrivingWorkflow] {
        &self.applications
    }

    /// The place of a task's workflow among [`Graph::applications`].
    pub fn application_of(&self, task: TaskNumber) -> usize {
        self.owner[task.index()] as usize
    }

    /// The task as its workflow describes it.
    pub fn task(&self, task: TaskNumber) -> &crate::workflow::Task {
        let application = &self.applications[self.application_of(task)];
        &application.workflow.tasks()[(task.0 - application.first_task) as usize]
    }

    /// Rules by which files are sent.
    pub fn file_rules(&self) -> FileRules {
        self.rules
    }

    /// Number of edges, inputs and outputs there are.
    pub fn data_count(&self) -> usize {
        self.edges.len() + self.at_home.len()
    }

    /// Data of an edge, an input or an output.
    pub fn data(&self, edge: EdgeNumber) -> DataTransfer {
        match self.edges.get(edge.index()) {
            Some(&Dependence { from, to, bytes }) => DataTransfer { from: Some(from), to: Some(to), bytes },
            None => self.at_home[edge.index() - self.edges.len()],
        }
    }

    /// The name of the file that goes over an edge, an input or an output, if it is one.
    pub fn file_name(&self, edge: EdgeNumber) -> Option<&str> {
        let file = self.file_of[edge.index()]?;
        let DataTransfer { from, to, .. } = self.data(edge);
        let application = self.application_of(from.or(to)?);
        Some(self.applications[application].workflow.files().name(file))
    }

    /// The inputs of a task: what it reads from the home host.
    pub fn inputs(&self, task: TaskNumber) -> &[EdgeNumber] {
        self.inputs.of(task)
    }

    /// The outputs of a task: what it writes that goes to the home host.
    pub fn outputs(&self, task: TaskNumber) -> &[EdgeNumber] {
        self.outputs.of(task)
    }

    /// The edges that carry the same data as one does, itself among them, in order.
    pub fn same_data(&self, edge: EdgeNumber) -> impl Iterator<Item = EdgeNumber> + Clone + '_ {
        let group = self.group_of.get(edge.index()).map(|group| &self.groups[*group as usize][..]);
        let alone = if group.is_none() { Some(edge) } else { None };
        group.unwrap_or_default().iter().copied().chain(alone)
    }

    /// The first edge that carries the same data as this one.
    pub fn first_of(&self, edge: EdgeNumber) -> EdgeNumber {
        self.group_of.get(edge.index()).map_or(edge, |group| self.groups[*group as usize][0])
    }

    /// The edges, by number.
    pub fn edges(&self) -> &[Dependence] {
        &self.edges
    }

    /// An edge.
    pub fn edge(&self, edge: EdgeNumber) -> Dependence {
        self.edges[edge.index()]
    }

    /// The edges that end at a task, by parent.
    pub fn incoming(&self, task: TaskNumber) -> &[EdgeNumber] {
        self.incoming.of(task)
    }

    /// The edges that begin at a task, by child.
    pub fn outgoing(&self, task: TaskNumber) -> &[EdgeNumber] {
        self.outgoing.of(task)
    }

    /// Every task after its parents; workflow by workflow, of those that are ready the one of the
    /// lowest number first.
    pub fn order(&self) -> &[TaskNumber] {
        &self.order
    }
}

impl FileRules {
    /// Files of a task as they are sent from the home host or to it: each by itself, or all at
    /// once.
    fn at_home(self, externals: &[External]) -> impl Iterator<Item = (u64, Option<FileNumber>)> + '_ {
        let each = if self.cache { externals } else { &[] };
        let all = externals.iter().fold(0_u64, |sum, external| sum.saturating_add(external.bytes));
        let only = if let [only] = externals { Some(only.file) } else { None };
        let together = if self.cache { None } else { Some((all, only)) };
        each.iter().map(|external| (external.bytes, Some(external.file))).chain(together)
    }
}
