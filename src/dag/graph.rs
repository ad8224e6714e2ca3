//! The tasks to be scheduled: those of one workflow, or of several that arrive one after another, numbered as one graph.

use std::sync::Arc;

use crate::kernel::SimTime;
use crate::workflow::{EdgeNumber, TaskNumber, Workflow};

/// A workflow of a run, and when it arrives.
#[derive(Clone, Debug)]
pub struct ArrivingWorkflow {
    /// What it is called.
    pub name: String,
    /// From when on its tasks may be scheduled.
    pub arrival: SimTime,
    /// Its tasks and what goes between them.
    pub workflow: Arc<Workflow>,
    first_task: u32,
}

impl ArrivingWorkflow {
    /// Its tasks by their numbers in the graph.
    pub fn tasks(&self) -> impl Iterator<Item = TaskNumber> + Clone + use<> {
        let tasks = self.first_task..self.first_task + self.workflow.tasks().len() as u32;
        tasks.map(TaskNumber)
    }
}

/// What one task has to get from another before it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dependence {
    /// The parent.
    pub from: TaskNumber,
    /// The child.
    pub to: TaskNumber,
    /// How much is sent; nothing where the child only waits for the parent's end.
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
}

impl Graph {
    /// The tasks of these workflows, each with its name and arrival, numbered in this order.
    pub fn new(applications: impl IntoIterator<Item = (String, SimTime, Arc<Workflow>)>) -> Self {
        let mut graph = Graph::default();
        for (name, arrival, workflow) in applications {
            graph.add(name, arrival, workflow);
        }
        graph
    }

    /// The tasks of one workflow, which is there from the beginning.
    pub fn of(workflow: Workflow) -> Self {
        Graph::new([(workflow.name().to_owned(), SimTime::ZERO, Arc::new(workflow))])
    }

    fn add(&mut self, name: String, arrival: SimTime, workflow: Arc<Workflow>) {
        let (tasks, edges) = (self.owner.len() as u32, self.edges.len() as u32);
        let moved = |task: TaskNumber| TaskNumber(task.0 + tasks);
        self.edges.extend(workflow.edges().iter().map(|edge| Dependence {
            from: moved(edge.from),
            to: moved(edge.to),
            bytes: edge.bytes,
        }));
        for task in (0..workflow.tasks().len() as u32).map(TaskNumber) {
            let here = |edge: &EdgeNumber| EdgeNumber(edge.0 + edges);
            self.incoming.push(workflow.incoming(task).iter().map(here));
            self.outgoing.push(workflow.outgoing(task).iter().map(here));
        }
        self.owner.resize(self.owner.len() + workflow.tasks().len(), self.applications.len() as u32);
        self.order.extend(workflow.order().iter().copied().map(moved));
        self.applications.push(ArrivingWorkflow { name, arrival, workflow, first_task: tasks });
    }

    /// How many tasks there are.
    pub fn len(&self) -> usize {
        self.owner.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.owner.is_empty()
    }

    /// Every task, by number.
    pub fn tasks(&self) -> impl DoubleEndedIterator<Item = TaskNumber> + ExactSizeIterator + Clone + use<> {
        (0..self.owner.len() as u32).map(TaskNumber)
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

    /// Every task after its parents; workflow by workflow, of those that are ready the one of the lowest number first.
    pub fn order(&self) -> &[TaskNumber] {
        &self.order
    }
}
