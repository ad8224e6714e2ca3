//! Tasks that wait for each other: by the edges of the graph, and by the orders of cores.

use std::fmt;

use smallvec::SmallVec;

use crate::model::graph::Graph;
use crate::model::grid::{Core, Grid};
use crate::workflow::TaskNumber;

/// A task and one that it waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Wait {
    task: TaskNumber,
    before: TaskNumber,
    /// True if it waits as a child waits for its parent, and not for its turn on a core.
    for_data: bool,
}

/// A circle of tasks each of which waits for the next.
#[derive(Clone, Debug)]
pub(crate) struct Circle<'a> {
    graph: &'a Graph,
    waits: Vec<Wait>,
}

/// Waits that a message names.
const MOST_NAMED: usize = 6;

/// Tasks before or after another, one on each of its cores.
type Neighbours = Vec<SmallVec<[TaskNumber; 1]>>;

impl<'a> Circle<'a> {
    /// One of tasks that are placed on cores, those of a core in its order, one that holds several
    /// once; `None` if there is none.
    pub(crate) fn of(
        graph: &'a Graph,
        grid: &Grid,
        placed: impl IntoIterator<Item = (TaskNumber, Core)>,
    ) -> Option<Self> {
        let mut is_placed = vec![false; graph.len()];
        let mut before: Neighbours = vec![SmallVec::new(); graph.len()];
        let mut next: Neighbours = vec![SmallVec::new(); graph.len()];
        let on_each = |(task, core): (TaskNumber, Core)| grid.members(core).map(move |core| (core, task));
        let mut last: Vec<(Core, TaskNumber)> = placed.into_iter().flat_map(on_each).collect();
        last.sort_by_key(|(core, _)| *core);
        for (_, task) in &last {
            is_placed[task.index()] = true;
        }
        for pair in last.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            before[pair[1].1.index()].push(pair[0].1);
            next[pair[0].1.index()].push(pair[1].1);
        }
        let parents = |task: TaskNumber| graph.incoming(task).iter().map(|edge| graph.edge(*edge).from);
        let mut missing: Vec<usize> = graph
            .tasks()
            .map(|task| {
                let known = parents(task).filter(|parent| is_placed[parent.index()]).count();
                known + before[task.index()].len()
            })
            .collect();
        let free = |task: &TaskNumber| is_placed[task.index()] && missing[task.index()] == 0;
        let mut ready: Vec<TaskNumber> = graph.tasks().filter(free).collect();
        let mut is_done = vec![false; graph.len()];
        while let Some(task) = ready.pop() {
            is_done[task.index()] = true;
            let children = graph.outgoing(task).iter().map(|edge| graph.edge(*edge).to);
            let after = next[task.index()].iter().copied();
            for after in children.filter(|child| is_placed[child.index()]).chain(after) {
                missing[after.index()] -= 1;
                if missing[after.index()] == 0 {
                    ready.push(after);
                }
            }
        }
        let waits = |task: &TaskNumber| is_placed[task.index()] && !is_done[task.index()];
        // each that is left waits for another that is left: going back from any of them leads to a
        // cycle
        let wait = |task: TaskNumber| {
            let on_core = before[task.index()].iter().copied().find(waits).map(|before| (before, false));
            let (before, for_data) = on_core.or_else(|| Some((parents(task).find(waits)?, true)))?;
            Some(Wait { task, before, for_data })
        };
        let mut at = graph.tasks().find(waits)?;
        let mut met = vec![false; graph.len()];
        while !std::mem::replace(&mut met[at.index()], true) {
            at = wait(at)?.before;
        }
        let first = at;
        let mut circle = vec![wait(first)?];
        while let Some(last) = circle.last().filter(|last| last.before != first) {
            circle.push(wait(last.before)?);
        }
        Some(Circle { graph, waits: circle })
    }

    /// A task of it that waits for its turn on a core.
    pub(crate) fn out_of_turn(&self) -> TaskNumber {
        let waits = self.waits.iter().find(|wait| !wait.for_data);
        waits.unwrap_or(&self.waits[0]).task
    }
}

impl fmt::Display for Circle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |task: TaskNumber| &self.graph.task(task).name;
        for (place, wait) in self.waits.iter().take(MOST_NAMED).enumerate() {
            let between = if place > 0 { ", " } else { "" };
            let why = if wait.for_data { "its parent " } else { "" };
            let then = if wait.for_data { "" } else { " before it on its core" };
            write!(f, "{between}`{}` for {why}`{}`{then}", name(wait.task), name(wait.before))?;
        }
        match self.waits.len().saturating_sub(MOST_NAMED) {
            0 => Ok(()),
            more => write!(f, ", and {more} more"),
        }
    }
}
