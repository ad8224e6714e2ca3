//! Ranks of tasks: how much lies before and behind each, by mean costs.
//!
//! All are in seconds. Means are over hosts, and over ordered pairs of different hosts that are
//! joined, as predicted at the instant of planning. Only tasks that are open count: nothing is
//! decided of what has started or ended.
//!
//! Sources: H. Topcuoglu, S. Hariri, M.-Y. Wu, IEEE TPDS 13(3), 2002 (upward and downward rank);
//! Y.-K. Kwok, I. Ahmad, ACM Computing Surveys 31(4), 1999 (static level, ALAP).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::collections::OrderedSet;
use crate::model::prediction::{MeanTransfer, Rate};
use crate::output::number::{grouped, plain};
use crate::planning::view::View;
use crate::platform::HostId;
use crate::workflow::TaskNumber;

/// Mean seconds of every task; zero of one that is not open.
pub fn mean_executions(view: &View<'_>) -> Vec<f64> {
    let mut seconds = vec![0.0; view.graph().len()];
    for task in view.tasks().filter(|task| view.is_open(*task)) {
        seconds[task.index()] = view.mean_execution(task);
    }
    seconds
}

/// The longest chain from the start of each task to the end of the last, by these seconds of tasks
/// and with `data` for edges.
pub fn upward(view: &View<'_>, seconds: &[f64], data: Data) -> Vec<f64> {
    let (graph, mean) = (view.graph(), view.mean_transfer());
    let mut rank = vec![0.0_f64; graph.len()];
    for &task in view.order().iter().rev().filter(|task| view.is_open(**task)) {
        let below = graph.outgoing(task).iter().map(|edge| {
            let edge = graph.edge(*edge);
            let sent = if data == Data::Counts { mean.seconds(edge.bytes) } else { 0.0 };
            sent + rank[edge.to.index()]
        });
        rank[task.index()] = seconds[task.index()] + below.fold(0.0, f64::max);
    }
    rank
}

/// Upward ranks for a rule that needs them at many instants, worked out again only when something
/// that they depend on has changed.
///
/// A task that is open has only open ones behind it, or such as failures leave there: so it keeps
/// its rank until a host fails, a workflow arrives, or mean costs change.
#[derive(Debug, Default)]
pub(crate) struct KeptRanks {
    conditions: Option<Conditions>,
    ranks: Vec<f64>,
}

/// Conditions that ranks depend on.
#[derive(PartialEq, Debug)]
struct Conditions {
    rates: Vec<Rate>,
    down: OrderedSet<HostId>,
    mean: MeanTransfer,
    /// The tasks of workflows that have arrived are below this number.
    arrived: u32,
}

impl KeptRanks {
    /// The upward rank of each task that is open.
    pub(crate) fn upward(&mut self, view: &View<'_>) -> &[f64] {
        // what changes on hosts by itself may do so at each instant
        let conditions = view.is_steady().then(|| Conditions {
            rates: view.rates.clone(),
            down: view.standing.down.clone(),
            mean: view.mean_transfer(),
            arrived: view.standing.current.end,
        });
        let fresh = || upward(view, &mean_executions(view), Data::Counts);
        if conditions.is_none() || conditions != self.conditions {
            (self.conditions, self.ranks) = (conditions, fresh());
        }
        #[cfg(test)]
        {
            let fresh = fresh();
            assert!(
                view.open().all(|task| self.ranks[task.index()].total_cmp(&fresh[task.index()]).is_eq()),
                "the ranks are right"
            );
        }
        &self.ranks
    }
}

/// The longest chain from the first start to the start of each task.
pub fn downward(view: &View<'_>, seconds: &[f64]) -> Vec<f64> {
    let (graph, mean) = (view.graph(), view.mean_transfer());
    let mut rank = vec![0.0_f64; graph.len()];
    for &task in view.order().iter().filter(|task| view.is_open(**task)) {
        let above =
            graph.incoming(task).iter().map(|edge| graph.edge(*edge)).filter(|edge| view.is_open(edge.from));
        let above =
            above.map(|edge| rank[edge.from.index()] + seconds[edge.from.index()] + mean.seconds(edge.bytes));
        let inputs = graph.inputs(task).iter().map(|edge| mean.seconds(graph.data(*edge).bytes));
        rank[task.index()] = above.chain(inputs).fold(0.0, f64::max);
    }
    rank
}

/// A rank in whole nanoseconds, to the nearest: ranks that differ by rounding only are equal.
pub fn nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// The longest chain of open tasks by upward ranks, from its first task on; of equal ones that of
/// the lower tasks.
pub fn critical_path(view: &View<'_>, upward: &[f64]) -> Vec<TaskNumber> {
    let (graph, mean) = (view.graph(), view.mean_transfer());
    let greatest = |tasks: &mut dyn Iterator<Item = (f64, TaskNumber)>| {
        tasks.map(|(rank, task)| (nanos(rank), Reverse(task))).max().map(|(_, Reverse(task))| task)
    };
    let mut path = Vec::new();
    let mut next = greatest(&mut view.open().map(|task| (upward[task.index()], task)));
    while let Some(task) = next {
        path.push(task);
        let children = graph.outgoing(task).iter().map(|edge| graph.edge(*edge));
        let children = children.filter(|edge| view.is_open(edge.to));
        let behind =
            |edge: crate::model::graph::Dependence| mean.seconds(edge.bytes) + upward[edge.to.index()];
        next = greatest(&mut children.map(|edge| (behind(edge), edge.to)));
    }
    path
}

/// Role of the time of transfers in a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Data {
    /// Counts.
    Counts,
    /// Does not count: a static level.
    Ignored,
}

/// Open tasks whose open parents have all been taken, by their ranks: the one of the greatest next,
/// of equal ones that of the lowest number.
#[derive(Debug)]
pub struct ByRank<'v> {
    view: &'v View<'v>,
    turn: Turn,
    rank: Vec<f64>,
    missing: Vec<u32>,
    ready: BinaryHeap<(Ordered, Reverse<TaskNumber>)>,
}

/// Reason that it is a task's turn, for explanations.
#[derive(Clone, Copy, Debug)]
enum Turn {
    /// By a rank of this name.
    Rank(&'static str),
    /// By its place in a list.
    Listed,
    /// By its number.
    Number,
}

/// A number that is one, in the order of numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ordered(pub f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl<'v> ByRank<'v> {
    /// All open tasks by these ranks.
    pub fn new(view: &'v View<'v>, rank: Vec<f64>) -> Self {
        let missing = open_parents(view);
        let first = view.open().filter(|task| missing[task.index()] == 0);
        let ready = first.map(|task| (Ordered(rank[task.index()]), Reverse(task))).collect();
        ByRank { view, turn: Turn::Rank("rank"), rank, missing, ready }
    }

    /// The same; explanations call the rank so.
    #[must_use]
    pub fn named(self, rank: &'static str) -> Self {
        ByRank { turn: Turn::Rank(rank), ..self }
    }

    /// All open tasks by their places in a list, as far as parents are before their children in it.
    pub fn listed(view: &'v View<'v>, list: &[TaskNumber]) -> Self {
        let mut rank = vec![0.0; view.graph().len()];
        for (place, task) in list.iter().enumerate() {
            rank[task.index()] = -(place as f64);
        }
        ByRank { turn: Turn::Listed, ..ByRank::new(view, rank) }
    }

    /// All open tasks, of those that are ready the one of the lowest number first.
    pub fn by_number(view: &'v View<'v>) -> Self {
        ByRank { turn: Turn::Number, ..ByRank::new(view, vec![0.0; view.graph().len()]) }
    }

    /// Reason that it is the turn of this task, which has been taken out.
    fn turn(&self, task: TaskNumber) -> String {
        let (others, rank) = (self.ready.len() as u64, self.rank[task.index()]);
        let of_all = |what: &str| match others {
            0 => "no other task is ready".to_owned(),
            _ => format!("{what} of {} ready tasks", grouped(others + 1)),
        };
        match self.turn {
            Turn::Rank(name) => {
                let alike = self.ready.iter().any(|(other, _)| other.0.total_cmp(&rank).is_eq());
                let tie = if alike { "; of equal ones the lower task is first" } else { "" };
                format!("Its {name} is {}; {}{tie}", plain(rank), of_all("it is the greatest"))
            }
            Turn::Listed => format!("It is number {} in the list by which the rule goes", plain(1.0 - rank)),
            Turn::Number => format!("In the order of tasks: {}", of_all("it is the first")),
        }
    }
}

impl Iterator for ByRank<'_> {
    type Item = TaskNumber;

    fn next(&mut self) -> Option<TaskNumber> {
        let (_, Reverse(task)) = self.ready.pop()?;
        self.view.explain(task, || self.turn(task));
        for child in children_now_ready(self.view, &mut self.missing, task) {
            self.ready.push((Ordered(self.rank[child.index()]), Reverse(child)));
        }
        Some(task)
    }
}

/// Number of parents of each task are open.
pub fn open_parents(view: &View<'_>) -> Vec<u32> {
    missing_parents(view, |task| view.is_open(task))
}

/// Number of parents of each task are missing.
pub fn missing_parents(view: &View<'_>, is_missing: impl Fn(TaskNumber) -> bool) -> Vec<u32> {
    let graph = view.graph();
    let is_missing = |edge: &&crate::workflow::EdgeNumber| is_missing(graph.edge(**edge).from);
    let mut missing = vec![0; graph.len()];
    for task in view.tasks() {
        missing[task.index()] = graph.incoming(task).iter().filter(is_missing).count() as u32;
    }
    missing
}

/// The open children of a task that has been taken whose last missing parent it was.
pub fn children_now_ready(view: &View<'_>, missing: &mut [u32], task: TaskNumber) -> Vec<TaskNumber> {
    let graph = view.graph();
    let children = graph.outgoing(task).iter().map(|edge| graph.edge(*edge).to);
    let now_ready = |child: &TaskNumber| {
        missing[child.index()] -= 1;
        missing[child.index()] == 0 && view.is_open(*child)
    };
    children.filter(now_ready).collect()
}
