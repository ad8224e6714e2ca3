//! When the tasks that are to be planned would be completed on each cluster, kept while a chart is filled.
//!
//! Tasks that a chart cannot tell apart are a *class*: the same shared inputs, own inputs and outputs of equal sizes, equal times. A class
//! is looked at once for each cluster. A slot that is given changes the completions on its cluster alone, so only these are looked at
//! again, and only as far as they decide something. Where what is predicted of a cluster stays as it is, they have
//! bounds (`Chart::look`): what has grown from beyond the completions that a rank [depends on](Heuristic::clusters_compared) stays
//! beyond them; and if a rank [falls](Heuristic::falls) when completions grow, only the first of all needs to be right. Users of a file
//! that was just sent are looked at in any case.
//!
//! All this leaves the choices as they would be if every task were looked at on every cluster for every choice. What is counted as looks
//! does not depend on bounds: each class on each host, and after a slot each class that is left on each host of that cluster. Planning
//! that takes time by its looks takes the same time whatever is spared here.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use smallvec::SmallVec;

use crate::sweep::chart::{Chart, ClusterCompletion};
use crate::sweep::grid::{ClusterNumber, HostNumber, OriginNumber};
use crate::sweep::heuristic::{Heuristic, Rank};
use crate::sweep::known::KnownSweep;
use crate::sweep::rank_tree::RankTree;
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
        let mut least = [u64::MAX; 2];
        for found in self.by_cluster() {
            if found.completion < least[0] {
                least = [found.completion, least[0]];
            } else {
                least[1] = least[1].min(found.completion);
            }
        }
        // a completion is less than the greatest number
        Some(least[1]).filter(|second| *second < u64::MAX)
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

/// What one input is to a class: a certain file, or one of some size and origin that no other task has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ClassInput {
    Shared(FileNumber),
    Own(u64, OriginNumber),
}

/// What the tasks of a class have in common: inputs in the order in which they are sent, sizes of outputs, times by architecture.
type ClassKey = (SmallVec<[ClassInput; 4]>, SmallVec<[(u64, OriginNumber); 2]>, SmallVec<[u64; 2]>);

#[derive(Debug)]
struct Class {
    /// In order; none if all have slots, or no host ends them.
    tasks: VecDeque<TaskNumber>,
    /// The inputs of the first task, in the order in which they are sent.
    inputs: SmallVec<[FileNumber; 4]>,
    /// The greatest of the completions that its rank depends on.
    limit: u64,
    /// Whether its rank is right, where ranks are else worked out by bounds.
    is_exact: bool,
}

/// Tasks to be planned, and when they would be completed.
#[derive(Debug)]
pub struct CompletionTable {
    known: Rc<KnownSweep>,
    classes: Vec<Class>,
    /// Clusters by their place in rows.
    clusters: Vec<ClusterNumber>,
    /// Of each class, the completions by cluster as they were when it was looked at; bounds where they are out of date.
    rows: Vec<Option<ClusterCompletion>>,
    /// How often the cluster had changed when it was looked at, in the order of rows; and how often it has by now.
    looked_at: Vec<u32>,
    changes: Vec<u32>,
    /// What each completion is not less than, in the order of rows, and again cluster by cluster.
    bounds: Vec<u64>,
    columns: Vec<u64>,
    /// Ranks of classes; of a heuristic whose ranks fall, what they do not exceed.
    ranks: RankTree,
    /// The classes whose ranks are right, not by bounds.
    exact: Vec<usize>,
    /// The class of each task; `u32::MAX` of one that has none.
    class_of: Vec<u32>,
    /// Classes that have tasks.
    open: u64,
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
        let mut class_of = vec![u32::MAX; chart.known().len()];
        for task in tasks {
            let place = if individually {
                classes.len()
            } else {
                *places.entry(class_key(chart, &clusters, task)).or_insert(classes.len())
            };
            class_of[task.index()] = place as u32;
            match classes.get_mut(place) {
                Some(class) => class.tasks.push_back(task),
                None => classes.push(Class {
                    tasks: VecDeque::from([task]),
                    inputs: chart.in_order(task),
                    limit: u64::MAX,
                    is_exact: false,
                }),
            }
        }
        let cells = classes.len() * clusters.len();
        let mut table = CompletionTable {
            known: Rc::clone(chart.known()),
            rows: vec![None; cells],
            looked_at: vec![0; cells],
            changes: vec![0; clusters.len()],
            bounds: vec![0; cells],
            columns: vec![0; cells],
            ranks: RankTree::new(classes.len()),
            exact: Vec::new(),
            class_of,
            open: classes.len() as u64,
            second: heuristic.looks_at_hosts(),
            clusters,
            classes,
        };
        for place in 0..table.clusters.len() {
            chart.count_looks(table.open, table.clusters[place]);
            (0..table.classes.len()).for_each(|class| table.look(chart, class, place));
        }
        (0..table.classes.len()).for_each(|class| table.rank(chart, class, heuristic));
        table
    }

    /// Looks at a class on a cluster.
    fn look(&mut self, chart: &mut Chart, class: usize, place: usize) {
        let Class { tasks, inputs, .. } = &self.classes[class];
        let (found, bound) = chart.look(tasks[0], inputs, self.clusters[place], self.second);
        let cell = class * self.clusters.len() + place;
        self.rows[cell] = found;
        self.looked_at[cell] = self.changes[place];
        self.set_bound(class, place, bound);
    }

    fn set_bound(&mut self, class: usize, place: usize, bound: u64) {
        self.bounds[class * self.clusters.len() + place] = bound;
        self.columns[place * self.classes.len() + class] = bound;
    }

    /// The completions of a class.
    fn row(&self, class: usize) -> Completions<'_> {
        let row = class * self.clusters.len()..(class + 1) * self.clusters.len();
        Completions::new(&self.known, self.classes[class].tasks[0], &self.rows[row])
    }

    /// Ranks a class after a change: by bounds, if its rank only falls when they grow.
    fn rank(&mut self, chart: &mut Chart, class: usize, heuristic: &dyn Heuristic) {
        if !heuristic.falls() {
            return self.rank_exactly(chart, class, heuristic);
        }
        self.classes[class].is_exact = false;
        let cells = class * self.clusters.len()..(class + 1) * self.clusters.len();
        let bounds = self.rows[cells.clone()].iter().zip(&self.bounds[cells]);
        let row: SmallVec<[Option<ClusterCompletion>; 32]> = bounds
            .map(|(found, bound)| found.map(|found| ClusterCompletion { completion: *bound, ..found }))
            .collect();
        self.set_rank(class, &row, heuristic);
    }

    /// Looks again at a class where its rank and its host depend on that, and ranks it. A class that no host would end is left out.
    fn rank_exactly(&mut self, chart: &mut Chart, class: usize, heuristic: &dyn Heuristic) {
        let (width, first) = (self.clusters.len(), class * self.clusters.len());
        let decisive = heuristic.clusters_compared();
        loop {
            // the least of what is up to date, and the least bound of what is not
            let mut least: SmallVec<[u64; 4]> = SmallVec::new();
            let mut next = (u64::MAX, None);
            for (place, changes) in self.changes.iter().enumerate() {
                if self.looked_at[first + place] != *changes {
                    if next.1.is_none() || self.bounds[first + place] < next.0 {
                        next = (self.bounds[first + place], Some(place));
                    }
                } else if let Some(found) = &self.rows[first + place]
                    && (least.len() < decisive || least.last().is_some_and(|last| found.completion < *last))
                {
                    least.truncate(decisive - 1);
                    least.insert(least.partition_point(|other| *other <= found.completion), found.completion);
                }
            }
            let limit = least.get(decisive - 1).copied().unwrap_or(u64::MAX);
            self.classes[class].limit = limit;
            match next {
                (bound, Some(place)) if bound <= limit => self.look(chart, class, place),
                _ => break,
            }
        }
        for (place, changes) in self.changes.iter().enumerate() {
            if self.looked_at[first + place] != *changes
                && let Some(found) = &mut self.rows[first + place]
            {
                found.completion = self.bounds[first + place];
            }
        }
        let row = std::mem::take(&mut self.rows);
        self.set_rank(class, &row[first..first + width], heuristic);
        self.rows = row;
    }

    fn set_rank(&mut self, class: usize, row: &[Option<ClusterCompletion>], heuristic: &dyn Heuristic) {
        let first = self.classes[class].tasks[0];
        // where nothing is available for ever from some time on, tasks that start later never end
        if row.iter().all(Option::is_none) {
            self.classes[class].tasks.clear();
            return self.close(class);
        }
        let rank = heuristic.rank(&Completions::new(&self.known, first, row));
        self.ranks.set(class, Some((rank, first)));
    }

    fn close(&mut self, class: usize) {
        self.open -= 1;
        self.ranks.set(class, None);
    }

    /// The class of the greatest rank, of equals that of the first task.
    fn first(&mut self, chart: &mut Chart, heuristic: &dyn Heuristic) -> Option<usize> {
        loop {
            let class = self.ranks.first()?;
            if !heuristic.falls() || self.classes[class].is_exact {
                return Some(class);
            }
            self.settle(chart, class, heuristic);
        }
    }

    /// Makes the rank of a class right.
    fn settle(&mut self, chart: &mut Chart, class: usize, heuristic: &dyn Heuristic) {
        self.rank_exactly(chart, class, heuristic);
        if heuristic.falls() && !std::mem::replace(&mut self.classes[class].is_exact, true) {
            self.exact.push(class);
        }
    }

    /// The task of the greatest rank, of equals the first in order, and its host; if the heuristic has a tolerance, any task whose rank is
    /// so near to that, as `pick` chooses out of so many.
    pub fn choose(
        &mut self,
        chart: &mut Chart,
        heuristic: &dyn Heuristic,
        pick: impl FnOnce(u64) -> u64,
    ) -> Option<ChosenTask> {
        let class = self.first(chart, heuristic)?;
        let Some(tolerance) = heuristic.tolerance() else {
            let row = self.row(class);
            return Some(ChosenTask { task: row.task, host: heuristic.host(&row), class });
        };
        let best = self.ranks.rank(class)?;
        let is_near =
            |class: &usize| self.ranks.rank(*class).is_some_and(|rank| rank.is_near(best, tolerance));
        // in the order of the application, however tasks are put together
        let mut near: Vec<(TaskNumber, usize)> = (0..self.classes.len())
            .filter(is_near)
            .flat_map(|place| self.classes[place].tasks.iter().map(move |task| (*task, place)))
            .collect();
        let place = pick(near.len() as u64) as usize;
        let (task, class) = *near.select_nth_unstable(place).1;
        Some(ChosenTask { task, host: heuristic.host(&self.row(class)), class })
    }

    /// How many tasks are to be planned.
    pub fn tasks(&self) -> u64 {
        self.classes.iter().map(|class| class.tasks.len() as u64).sum()
    }

    /// The completions of a chosen task, its rank, and the task that would be next.
    pub fn seen(
        &mut self,
        chart: &mut Chart,
        chosen: ChosenTask,
        heuristic: &dyn Heuristic,
    ) -> (Vec<ClusterCompletion>, Rank, Option<(TaskNumber, Rank)>) {
        for class in 0..self.classes.len() {
            if !self.classes[class].tasks.is_empty() {
                self.settle(chart, class, heuristic);
            }
        }
        for place in 0..self.clusters.len() {
            self.look(chart, chosen.class, place);
        }
        let firsts = self.classes.iter().enumerate().filter_map(|(place, class)| {
            let first = class.tasks.iter().copied().find(|task| *task != chosen.task)?;
            Some((first, self.ranks.rank(place)?))
        });
        let next = firsts.max_by_key(|(task, rank)| (*rank, Reverse(*task)));
        let rank = self.ranks.rank(chosen.class).unwrap_or_default();
        (self.row(chosen.class).by_cluster().copied().collect(), rank, next)
    }

    /// Takes a task out that has a slot on a cluster now, and looks at the others again there if that may change their ranks.
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
            None => self.close(assignment.class),
        }
        let place = self.clusters.iter().position(|known| *known == cluster).expect("a cluster of the chart");
        self.changes[place] += 1;
        chart.count_looks(self.open, cluster);
        let height = self.classes.len();
        if chart.is_constant(cluster) {
            // users of a file that was just sent complete sooner
            for user in chart.last_sent(assignment.task).flat_map(|file| chart.known().users(file)) {
                let class = self.class_of[user.index()] as usize;
                if class < height {
                    self.set_bound(class, place, 0);
                }
            }
        } else {
            (0..height).for_each(|class| self.set_bound(class, place, 0));
        }
        let exact = std::mem::take(&mut self.exact);
        for class in 0..height {
            let limit = if heuristic.falls() { 0 } else { self.classes[class].limit };
            if self.columns[place * height + class] <= limit && !self.classes[class].tasks.is_empty() {
                self.look(chart, class, place);
                self.rank(chart, class, heuristic);
            }
        }
        for class in exact {
            let Class { tasks, limit, is_exact, .. } = &self.classes[class];
            if tasks.is_empty() || !*is_exact {
                continue;
            }
            // another cluster changes nothing
            if self.columns[place * height + class] > *limit && class != assignment.class {
                self.exact.push(class);
            } else {
                self.rank(chart, class, heuristic);
            }
        }
        if !heuristic.falls() && !self.classes[assignment.class].tasks.is_empty() {
            self.rank(chart, assignment.class, heuristic);
        }
    }
}

/// What a task has in common with its class.
fn class_key(chart: &Chart, clusters: &[ClusterNumber], task: TaskNumber) -> ClassKey {
    let known = chart.known();
    let is_own = |file: FileNumber| {
        known.users(file).len() == 1 && !clusters.iter().any(|cluster| chart.has(*cluster, file))
    };
    let input = |file: &FileNumber| {
        if is_own(*file) {
            ClassInput::Own(known.bytes(*file), known.origin(*file))
        } else {
            ClassInput::Shared(*file)
        }
    };
    let times = (0..).map_while(|architecture| {
        (architecture < known.architectures()).then(|| known.seconds(task, architecture))
    });
    (
        chart.in_order(task).iter().map(input).collect(),
        known.outputs(task).iter().map(|file| (known.bytes(*file), known.origin(*file))).collect(),
        times.map(|time| time.map_or(u64::MAX, f64::to_bits)).collect(),
    )
}
