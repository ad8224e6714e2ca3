//! Report on a graph: its size, its shape, and its longest chain.

use crate::graph::{TaskNumber, Workflow};
use crate::means::MeanCosts;

/// Figures of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphReport {
    /// Tasks.
    pub tasks: u64,
    /// Edges, control edges included.
    pub edges: u64,
    /// Edges that carry nothing.
    pub control_edges: u64,
    /// The tasks of each level; the level of a task is the number of edges on the longest path to
    /// it.
    pub levels: Vec<u64>,
    /// Work of all tasks \[flop\]; mean times at the mean speed where costs are unrelated.
    pub work: f64,
    /// Bytes on all edges.
    pub bytes: u64,
    /// Bytes of files that no task writes, each once.
    pub input_bytes: u64,
    /// Bytes of files that no task reads, each once.
    pub output_bytes: u64,
    /// Sum of mean transfer times over sum of mean computation times, if anything computes.
    pub ccr: Option<f64>,
    /// The chain of tasks whose mean computation times sum to the most, without transfers; of equal
    /// ones that of lower numbers.
    pub path: Vec<TaskNumber>,
    /// The mean computation times on it \[s\].
    pub path_seconds: f64,
}

impl GraphReport {
    /// The figures of a graph, on a platform of these mean costs.
    ///
    /// # Complexity
    /// O(n + m) for n tasks and m edges.
    pub fn new(workflow: &Workflow, means: &MeanCosts) -> Self {
        let levels = levels(workflow);
        let mut widths = vec![0; levels.iter().max().map_or(0, |deepest| *deepest as usize + 1)];
        levels.iter().for_each(|level| widths[*level as usize] += 1);
        let (path, path_seconds) =
            longest_path(workflow, |task| workflow.task(task).mean_seconds(means.speed));
        let edges = workflow.edges();
        let bytes_of = |externals: &[crate::External]| {
            let mut files: Vec<_> = externals.iter().map(|one| (one.file, one.bytes)).collect();
            files.sort_unstable();
            files.dedup();
            files.iter().fold(0, |sum: u64, (_, bytes)| sum.saturating_add(*bytes))
        };
        GraphReport {
            tasks: workflow.tasks().len() as u64,
            edges: edges.len() as u64,
            control_edges: edges.iter().filter(|edge| edge.bytes.is_none()).count() as u64,
            levels: widths,
            work: means.computation(workflow) * means.speed,
            bytes: edges.iter().filter_map(|edge| edge.bytes).fold(0, u64::saturating_add),
            input_bytes: bytes_of(workflow.inputs()),
            output_bytes: bytes_of(workflow.outputs()),
            ccr: means.ccr(workflow),
            path,
            path_seconds,
        }
    }

    /// Levels of the graph.
    pub fn depth(&self) -> u64 {
        self.levels.len() as u64
    }

    /// Tasks of the level that has most.
    pub fn width(&self) -> u64 {
        self.levels.iter().copied().max().unwrap_or(0)
    }
}

/// The level of each task: the number of edges on the longest path to it.
pub fn levels(workflow: &Workflow) -> Vec<u32> {
    let mut levels = vec![0; workflow.tasks().len()];
    for &task in workflow.order() {
        for child in workflow.children(task) {
            levels[child.index()] = levels[child.index()].max(levels[task.index()] + 1);
        }
    }
    levels
}

/// The chain of tasks with the greatest sum of `seconds`, and that sum; of equal ones that of lower
/// numbers, from its end.
pub fn longest_path(workflow: &Workflow, seconds: impl Fn(TaskNumber) -> f64) -> (Vec<TaskNumber>, f64) {
    // the sum up to the end of each task, and the parent before it
    let mut sums = vec![(0.0_f64, None); workflow.tasks().len()];
    for &task in workflow.order() {
        let mut before: (f64, Option<TaskNumber>) = (0.0, None);
        for parent in workflow.parents(task) {
            let sum = sums[parent.index()].0;
            if before.1.is_none() || sum > before.0 {
                before = (sum, Some(parent));
            }
        }
        sums[task.index()] = (before.0 + seconds(task), before.1);
    }
    let last = workflow
        .numbers()
        .reduce(|best, task| if sums[task.index()].0 > sums[best.index()].0 { task } else { best });
    let mut path: Vec<TaskNumber> = std::iter::successors(last, |task| sums[task.index()].1).collect();
    path.reverse();
    (path, last.map_or(0.0, |last| sums[last.index()].0))
}
