//! Values of the tasks that a plan is made from, and of their data: of the workflows that have
//! arrived and not ended.
//!
//! Tasks of a workflow have numbers that follow each other, and so have its edges, and its inputs
//! and outputs behind all edges. So a plan in a long stream of workflows keeps no more than one in
//! a short stream.

use std::ops::{Index, IndexMut, Range};

use crate::planning::view::View;
use crate::workflow::{EdgeNumber, TaskNumber};

/// A value of each task that has arrived and whose workflow has not ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OfTasks<T> {
    first: usize,
    values: Vec<T>,
}

impl<T: Clone> OfTasks<T> {
    /// The same of all.
    pub(crate) fn new(view: &View<'_>, value: T) -> Self {
        let first = view.tasks().next().map_or(0, TaskNumber::index);
        OfTasks { first, values: vec![value; view.tasks().len()] }
    }
}

impl<T> OfTasks<T> {
    /// All values, in order of tasks.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }
}

impl<T> Index<TaskNumber> for OfTasks<T> {
    type Output = T;

    fn index(&self, task: TaskNumber) -> &T {
        &self.values[task.index() - self.first]
    }
}

impl<T> IndexMut<TaskNumber> for OfTasks<T> {
    fn index_mut(&mut self, task: TaskNumber) -> &mut T {
        &mut self.values[task.index() - self.first]
    }
}

/// The edges, inputs and outputs of these tasks.
#[derive(Clone, Debug)]
pub(crate) struct DataWindow {
    edges: Range<u32>,
    at_home: Range<u32>,
}

impl DataWindow {
    pub(crate) fn new(view: &View<'_>) -> Self {
        let graph = view.graph();
        let range = |of_task: &dyn Fn(TaskNumber) -> Option<(u32, u32)>| {
            let all = view.tasks().filter_map(of_task);
            all.reduce(|one, next| (one.0.min(next.0), one.1.max(next.1)))
                .map_or(0..0, |(one, last)| one..last + 1)
        };
        let ends = |edges: &[EdgeNumber]| Some((edges.first()?.0, edges.last()?.0));
        let sides = |task| [graph.inputs(task), graph.outputs(task)].into_iter().filter_map(ends);
        DataWindow {
            edges: range(&|task| {
                let edges = graph.incoming(task).iter().map(|edge| edge.0);
                edges.clone().min().zip(edges.max())
            }),
            at_home: range(&|task| sides(task).reduce(|one, next| (one.0.min(next.0), one.1.max(next.1)))),
        }
    }

    /// All of them: edges, then inputs and outputs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = EdgeNumber> + use<> {
        self.edges.clone().chain(self.at_home.clone()).map(EdgeNumber)
    }

    fn place(&self, edge: EdgeNumber) -> usize {
        let place = if edge.0 < self.edges.end {
            edge.0 - self.edges.start
        } else {
            edge.0 - self.at_home.start + self.edges.len() as u32
        };
        place as usize
    }
}

/// A value of each edge, input and output of these tasks.
#[derive(Clone, Debug)]
pub(crate) struct OfData<T> {
    window: DataWindow,
    values: Vec<T>,
}

impl<T> OfData<T> {
    /// Value of each edge, input and output.
    pub(crate) fn of(window: &DataWindow, value: impl Fn(EdgeNumber) -> T) -> Self {
        OfData { window: window.clone(), values: window.iter().map(value).collect() }
    }
}

impl<T> Index<EdgeNumber> for OfData<T> {
    type Output = T;

    fn index(&self, edge: EdgeNumber) -> &T {
        &self.values[self.window.place(edge)]
    }
}

impl<T> IndexMut<EdgeNumber> for OfData<T> {
    fn index_mut(&mut self, edge: EdgeNumber) -> &mut T {
        &mut self.values[self.window.place(edge)]
    }
}
