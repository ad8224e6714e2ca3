//! When the tasks that are to be planned would be completed on each cluster, kept while a chart is filled.
//!
//! Tasks that a chart cannot tell apart are a *class*: the same shared inputs, own inputs and outputs of equal sizes, equal times. A class
//! is looked at once for each cluster. A slot that is given changes the completions on its cluster alone, so only these are looked at
//! again. Both leave the choices as they would be if every task were looked at on every cluster for every choice.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use smallvec::SmallVec;

use crate::sweep::chart::{Chart, ClusterCompletion};
use crate::sweep::grid::{ClusterNumber, HostNumber};
use crate::sweep::heuristic::{Heuristic, Rank};
use crate::sweep::known::KnownSweep;
use crate::workflow::{FileNumber, TaskNumber};

/// The best that a task can have on each cluster, and what is known of the application.
///
/// Tasks of a class get their rank together. So a rank follows from completions, times, shared inputs, and sizes of other files, not
/// from the name or the number of a task.
#[derive(Clone, Copy, Debug)]
pub struct Completions<'a> {
    /// The task.
    pub task: TaskNumber,
    row: &'a [Option<ClusterCompletion>],
    known: &'a KnownSweep,
}

impl<'a> Completions<'a> {
    /// The completions of a task by cluster; there is one at least.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(known: &'a KnownSweep, task: TaskNumber, row: &'a [Option<ClusterCompletion>]) -> Self {
        assert!(row.iter().any(Option::is_some), "the task can run somewhere");
        Completions { task, row, known }
    }

    /// Tasks, their files, and estimates of sizes and times.
    pub fn known(&self) -> &'a KnownSweep {
        self.known
    }

    /// On each cluster that can have it, in order.
    pub fn by_cluster(&self) -> impl Iterator<Item = &'a ClusterCompletion> + use<'a> {
        self.row.iter().flatten()
    }

    /// The least; of equals that of the lowest cluster.
    pub fn best(&self) -> &'a ClusterCompletion {
        self.by_cluster().min_by_key(|found| found.completion).expect("there is one")
    }

    /// The least on another cluster than that of the best.
    pub fn second_cluster(&self) -> Option<u64> {
        let best = self.best().cluster;
        self.by_cluster().filter(|found| found.cluster != best).map(|found| found.completion).min()
    }

    /// The least on another host than the best one; known to heuristics that [look at hosts](Heuristic::looks_at_hosts).
    pub fn second_host(&self) -> Option<u64> {
        self.second_cluster().into_iter().chain(self.best().second).min()
    }

    /// All, from the least on.
    pub fn in_order(&self) -> SmallVec<[u64; 8]> {
        let mut all: SmallVec<[u64; 8]> = self.by_cluster().map(|found| found.completion).collect();
        all.sort_unstable();
        all
    }
}

/// What one input is to a class: a certain file, or one of some size that no other task has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ClassInput {
    Shared(FileNumber),
    Own(u64),
}

/// What the tasks of a class have in common: inputs in the order in which they are sent, sizes of outputs, times by architecture.
type ClassKey = (SmallVec<[ClassInput; 4]>, SmallVec<[u64; 2]>, SmallVec<[u64; 2]>);

#[derive(Debug)]
struct Class {
    /// In order.
    tasks: VecDeque<TaskNumber>,
    /// The inputs of the first task, in the order in which they are sent.
    inputs: SmallVec<[FileNumber; 4]>,
    row: Vec<Option<ClusterCompletion>>,
    rank: Rank,
}

/// Tasks to be planned, and when they would be completed.
#[derive(Debug)]
pub struct CompletionTable {
    known: Rc<KnownSweep>,
    classes: Vec<Class>,
    /// Clusters by their place in rows.
    clusters: Vec<ClusterNumber>,
    second: bool,
}

/// A choice of a heuristic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChosenTask {
    /// The task.
    pub task: TaskNumber,
    /// Its host.
    pub host: HostNumber,
    /// The place of its class.
    class: usize,
}

impl CompletionTable {
    /// Looks at these tasks on every cluster; those that no host can run are left out. In `individually` each is a class of its own.
    pub fn new(
        chart: &mut Chart,
        tasks: impl Iterator<Item = TaskNumber>,
        heuristic: &dyn Heuristic,
        individually: bool,
    ) -> Self {
        let clusters: Vec<ClusterNumber> = chart.clusters().collect();
        let mut classes: Vec<Class> = Vec::new();
        let mut places: BTreeMap<ClassKey, usize> = BTreeMap::new();
        for task in tasks {
            let place = if individually {
                classes.len()
            } else {
                *places.entry(class_key(chart, &clusters, task)).or_insert(classes.len())
            };
            match classes.get_mut(place) {
                Some(class) => class.tasks.push_back(task),
                None => classes.push(Class {
                    tasks: VecDeque::from([task]),
                    inputs: chart.in_order(task),
                    row: Vec::new(),
                    rank: Rank::default(),
                }),
            }
        }
        let mut table = CompletionTable {
            known: Rc::clone(chart.known()),
            classes,
            clusters,
            second: heuristic.looks_at_hosts(),
        };
        for class in &mut table.classes {
            let task = class.tasks[0];
            let look = |cluster: &ClusterNumber| chart.look(task, &class.inputs, *cluster, table.second);
            class.row = table.clusters.iter().map(look).collect();
        }
        table.classes.retain(|class| class.row.iter().any(Option::is_some));
        for class in &mut table.classes {
            class.rank = heuristic.rank(&Completions::new(&table.known, class.tasks[0], &class.row));
        }
        table
    }

    /// The task of the greatest rank, of equals the first in order, and its host; if the heuristic has a tolerance, any task whose rank is
    /// so near to that, as `pick` chooses out of so many.
    pub fn choose(&self, heuristic: &dyn Heuristic, pick: impl FnOnce(u64) -> u64) -> Option<ChosenTask> {
        let ahead = |(_, class): &(usize, &Class)| (class.rank, Reverse(class.tasks[0]));
        let (class, best) = self.classes.iter().enumerate().max_by_key(ahead)?;
        let assigned = |class: usize, task: TaskNumber| {
            let host = heuristic.host(&Completions::new(&self.known, task, &self.classes[class].row));
            Some(ChosenTask { task, host, class })
        };
        let Some(tolerance) = heuristic.tolerance() else { return assigned(class, best.tasks[0]) };
        let near = self.classes.iter().enumerate();
        let near = near.filter(|(_, class)| class.rank.is_near(best.rank, tolerance));
        // in the order of the application, however tasks are put together
        let mut near: Vec<(TaskNumber, usize)> =
            near.flat_map(|(place, class)| class.tasks.iter().map(move |task| (*task, place))).collect();
        let place = pick(near.len() as u64) as usize;
        let (task, class) = *near.select_nth_unstable(place).1;
        assigned(class, task)
    }

    /// How many tasks are to be planned.
    pub fn tasks(&self) -> u64 {
        self.classes.iter().map(|class| class.tasks.len() as u64).sum()
    }

    /// The completions of a chosen task, its rank, and the task that would be next.
    pub fn seen(&self, chosen: ChosenTask) -> (Vec<ClusterCompletion>, Rank, Option<(TaskNumber, Rank)>) {
        let class = &self.classes[chosen.class];
        let firsts = self.classes.iter().filter_map(|class| {
            let first = class.tasks.iter().copied().find(|task| *task != chosen.task)?;
            Some((first, class.rank))
        });
        let next = firsts.max_by_key(|(task, rank)| (*rank, Reverse(*task)));
        (class.row.iter().flatten().copied().collect(), class.rank, next)
    }

    /// Takes a task out that has a slot on a cluster now, and looks at the others again there; those that no host would end are left out.
    pub fn assigned(
        &mut self,
        chart: &mut Chart,
        assignment: ChosenTask,
        cluster: ClusterNumber,
        heuristic: &dyn Heuristic,
    ) {
        let class = &mut self.classes[assignment.class];
        if class.tasks.front() == Some(&assignment.task) {
            class.tasks.pop_front();
        } else {
            class.tasks.retain(|task| *task != assignment.task);
        }
        match class.tasks.front() {
            Some(task) => class.inputs = chart.in_order(*task),
            None => drop(self.classes.swap_remove(assignment.class)),
        }
        let place = self.clusters.iter().position(|known| *known == cluster).expect("a cluster of the chart");
        self.classes.retain_mut(|class| {
            let task = class.tasks[0];
            class.row[place] = chart.look(task, &class.inputs, cluster, self.second);
            // where nothing is available for ever from some time on, tasks that start later never end
            let can_end = class.row.iter().any(Option::is_some);
            if can_end {
                class.rank = heuristic.rank(&Completions::new(&self.known, task, &class.row));
            }
            can_end
        });
    }
}

/// What a task has in common with its class.
fn class_key(chart: &Chart, clusters: &[ClusterNumber], task: TaskNumber) -> ClassKey {
    let known = chart.known();
    let is_own = |file: FileNumber| {
        known.users(file).len() == 1 && !clusters.iter().any(|cluster| chart.has(*cluster, file))
    };
    let input = |file: &FileNumber| {
        if is_own(*file) { ClassInput::Own(known.bytes(*file)) } else { ClassInput::Shared(*file) }
    };
    let times = (0..).map_while(|architecture| {
        (architecture < known.architectures()).then(|| known.seconds(task, architecture))
    });
    (
        chart.in_order(task).iter().map(input).collect(),
        known.outputs(task).iter().map(|file| known.bytes(*file)).collect(),
        times.map(|time| time.map_or(u64::MAX, f64::to_bits)).collect(),
    )
}
