//! Completions on each cluster of the tasks that are to be planned, kept while a chart is filled.
//!
//! Tasks that a chart cannot tell apart are a *class* (`class_key`), of which one is examined per
//! cluster. A slot changes the completions on its cluster alone, and on those that links join to
//! it: only these are looked at again, as far as they decide something. Where what is predicted of
//! a cluster stays as it is, they have bounds: that of the last look (`Chart::look`), and the first
//! host that is free with the least time that the task takes from then on. Completions beyond those
//! that a rank [depends on](Heuristic::clusters_compared) are not looked at. If a rank
//! [falls](Heuristic::falls) when completions grow, only the first of all needs to be right; for
//! the task that completes first bounds lie in `bound_queues`. Users of a file that was sent last
//! have lost the bound of their last look.
//!
//! All this leaves the choices as they would be if every task were looked at on every cluster for
//! every choice. What is counted as looks does not depend on bounds: each class on each host, and
//! after a slot each class that is left on each host of the clusters that it changes. Planning that
//! takes time by its looks takes the same time whatever is spared here.

mod seen;

use std::collections::VecDeque;
use std::rc::Rc;

use smallvec::SmallVec;

use crate::collections::OrderedMap;
use crate::estimate::known::KnownSweep;
use crate::heuristic::Heuristic;
use crate::heuristic::completion::{ChosenTask, Completions};
use crate::model::grid::ClusterNumber;
use crate::plan::bound_queues::BoundQueues;
use crate::plan::chart::{Chart, ClusterCompletion};
use crate::plan::class_key::{ClassKey, class_key};
use crate::plan::rank_tree::RankTree;
use crate::workflow::{FileNumber, TaskNumber};

#[derive(Debug)]
struct Class {
    /// In order; none if all have slots, or no host ends them.
    tasks: VecDeque<TaskNumber>,
    /// The inputs of the first task, in the order in which they are sent.
    inputs: SmallVec<[FileNumber; 4]>,
    /// True if its rank is right, where ranks are else worked out by bounds.
    is_exact: bool,
}

/// From which share of the classes on all nodes of their ranks are worked out together.
const MANY: usize = 8;
/// From which instant on ranks do not hold every nanosecond.
const INEXACT: u64 = 1 << 53;

/// Tasks to be planned, and when they would be completed.
#[derive(Debug)]
pub(crate) struct CompletionTable {
    known: Rc<KnownSweep>,
    classes: Vec<Class>,
    /// Clusters by their place in rows.
    clusters: Vec<ClusterNumber>,
    /// Of each class, the completions by cluster as they were when it was looked at; bounds where
    /// they are out of date.
    rows: Vec<Option<ClusterCompletion>>,
    /// Number of times that the cluster had changed when it was looked at, in the order of rows;
    /// and how often it has by now.
    looked_at: Vec<u32>,
    changes: Vec<u32>,
    /// Lower bounds of completions, in the order of rows, and again cluster by cluster.
    bounds: Vec<u64>,
    columns: Vec<u64>,
    /// Least span of a class from the instant at which a host is free, in the order of rows, and
    /// the instant at which the first host of a cluster is free; 0 where that is not known.
    spans: Vec<u64>,
    free: Vec<u64>,
    has_spans: bool,
    /// Of each class, the greatest of the completions that its rank depends on.
    limits: Vec<u64>,
    /// Ranks of classes; of a heuristic whose ranks fall, what they do not exceed.
    ranks: RankTree,
    /// The classes whose ranks are right, not by bounds.
    exact: Vec<usize>,
    /// The class of each task; `u32::MAX` of one that has none.
    class_of: Vec<u32>,
    /// Bounds of each cluster, where the least of all is the next task; else none.
    queues: BoundQueues,
    /// Classes that have tasks.
    open: u64,
    second: bool,
}

impl CompletionTable {
    /// Looks at these tasks on every cluster; those that no host can run are left out. In
    /// `individually` each is a class of its own.
    pub(crate) fn new(
        chart: &mut Chart,
        tasks: impl Iterator<Item = TaskNumber>,
        heuristic: &dyn Heuristic,
        individually: bool,
    ) -> Self {
        let clusters: Vec<ClusterNumber> = chart.clusters().collect();
        let mut classes: Vec<Class> = Vec::new();
        let mut places: OrderedMap<ClassKey, usize> = OrderedMap::new();
        let mut class_of = vec![u32::MAX; chart.known().len()];
        let with_files = chart.clusters_with_files(&clusters);
        for task in tasks {
            let place = if individually {
                classes.len()
            } else {
                *places.entry(class_key(chart, &with_files, task)).or_insert(classes.len())
            };
            class_of[task.index()] = place as u32;
            match classes.get_mut(place) {
                Some(class) => class.tasks.push_back(task),
                None => classes.push(Class {
                    tasks: VecDeque::from([task]),
                    inputs: chart.in_order(task),
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
            spans: vec![0; cells],
            free: vec![0; clusters.len()],
            has_spans: heuristic.clusters_compared() < usize::MAX,
            limits: vec![u64::MAX; classes.len()],
            ranks: RankTree::new(classes.len()),
            exact: Vec::new(),
            class_of,
            queues: BoundQueues::default(),
            open: classes.len() as u64,
            second: heuristic.looks_at_hosts(),
            clusters,
            classes,
        };
        for place in 0..table.clusters.len() {
            chart.count_looks(table.open, table.clusters[place]);
            (0..table.classes.len()).for_each(|class| table.look(chart, class, place));
            // where all completions are compared no bound spares a look
            if table.has_spans {
                table.measure(chart, place);
            }
        }
        table.ranks.defer();
        (0..table.classes.len()).for_each(|class| table.rank(chart, class, heuristic));
        table.ranks.work_out();
        table.fill_queues(chart, heuristic);
        table
    }

    /// Puts all bounds into queues, if the heuristic asks for the least and they change by slots
    /// alone.
    fn fill_queues(&mut self, chart: &Chart, heuristic: &dyn Heuristic) {
        let is_constant = self.clusters.iter().all(|cluster| chart.is_constant(*cluster));
        if !(heuristic.takes_first_completed() && is_constant && self.has_spans) {
            return;
        }
        self.queues = BoundQueues::new(&self.free, &self.spans);
        let width = self.clusters.len();
        (0..self.bounds.len()).for_each(|cell| self.set_bound(cell / width, cell % width, self.bounds[cell]));
    }

    /// Goes on without queues, by ranks.
    fn leave_queues(&mut self, chart: &mut Chart, heuristic: &dyn Heuristic) {
        self.queues = BoundQueues::default();
        for class in 0..self.classes.len() {
            if !self.classes[class].tasks.is_empty() && !self.classes[class].is_exact {
                self.rank(chart, class, heuristic);
            }
        }
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

    /// Works out what each class takes at least on a cluster.
    fn measure(&mut self, chart: &Chart, place: usize) {
        let (cluster, width) = (self.clusters[place], self.clusters.len());
        let Some(free) = chart.first_free(cluster) else { return };
        self.free[place] = free;
        for (class, of_class) in self.classes.iter().enumerate() {
            self.spans[class * width + place] = chart.least_span(of_class.tasks[0], cluster);
        }
    }

    /// Raises the bound of a class on a cluster by when a host is free there. What it is then.
    fn raise(&mut self, class: usize, place: usize) -> u64 {
        let cell = class * self.clusters.len() + place;
        let raised = self.free[place].saturating_add(self.spans[cell]);
        if raised > self.bounds[cell] {
            self.set_bound(class, place, raised);
        }
        self.bounds[cell]
    }

    /// Returns true if the rank of a class depends on a completion on the cluster that has changed
    /// last.
    fn was_decisive(&self, class: usize, place: usize) -> bool {
        let cell = class * self.clusters.len() + place;
        let found = self.rows[cell].filter(|_| self.looked_at[cell] + 1 == self.changes[place]);
        found.is_some_and(|found| found.completion <= self.limits[class])
    }

    fn set_bound(&mut self, class: usize, place: usize, bound: u64) {
        self.bounds[class * self.clusters.len() + place] = bound;
        self.columns[place * self.classes.len() + class] = bound;
        self.queues.set(place, class, self.classes[class].tasks.front(), bound);
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
        if !self.queues.is_empty() {
            // they have its bounds
            return;
        }
        let first = class * self.clusters.len();
        let bounded = |place: usize, bound: u64, table: &Self| {
            table.rows[first + place].map(|found| ClusterCompletion { completion: bound, ..found })
        };
        if heuristic.clusters_compared() == 1 {
            let mut least = (u64::MAX, None);
            for place in 0..self.clusters.len() {
                let bound = self.raise(class, place);
                if bound < least.0 {
                    least = (bound, bounded(place, bound, self));
                }
            }
            return self.set_rank(class, &[least.1], heuristic);
        }
        let mut row: SmallVec<[Option<ClusterCompletion>; 32]> = SmallVec::new();
        for place in 0..self.clusters.len() {
            let bound = self.raise(class, place);
            row.push(bounded(place, bound, self));
        }
        self.set_rank(class, &row, heuristic);
    }

    /// Looks again at a class where its rank and its host depend on that, and ranks it. A class
    /// that no host would end is left out.
    fn rank_exactly(&mut self, chart: &mut Chart, class: usize, heuristic: &dyn Heuristic) {
        let (width, first) = (self.clusters.len(), class * self.clusters.len());
        let decisive = heuristic.clusters_compared().max(1);
        // the least of what is up to date, and the bounds of what is not
        let mut least: SmallVec<[u64; 4]> = SmallVec::new();
        let mut count = |completion: u64| {
            if least.len() < decisive || least.last().is_some_and(|last| completion < *last) {
                least.truncate(decisive - 1);
                least.insert(least.partition_point(|other| *other <= completion), completion);
            }
            least.get(decisive - 1).copied().unwrap_or(u64::MAX)
        };
        let mut limit = u64::MAX;
        let mut stale: SmallVec<[(u64, usize); 32]> = SmallVec::new();
        for place in 0..width {
            if self.looked_at[first + place] != self.changes[place] {
                stale.push((self.raise(class, place), place));
            } else if let Some(found) = &self.rows[first + place] {
                limit = count(found.completion);
            }
        }
        while let Some(next) = (0..stale.len()).min_by_key(|at| stale[*at])
            && stale[next].0 <= limit
        {
            let (_, place) = stale.swap_remove(next);
            self.look(chart, class, place);
            if let Some(found) = &self.rows[first + place] {
                limit = count(found.completion);
            }
        }
        self.limits[class] = limit;
        for (bound, place) in stale {
            if let Some(found) = &mut self.rows[first + place] {
                found.completion = bound;
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
        self.limits[class] = 0;
        self.ranks.set(class, None);
    }

    /// The class of the greatest rank, of equals that of the first task.
    fn first(&mut self, chart: &mut Chart, heuristic: &dyn Heuristic) -> Option<usize> {
        while !self.queues.is_empty() {
            let first = |class: usize| self.classes[class].tasks.front().copied();
            match self.queues.least(first) {
                Some((bound, _, class)) if bound < INEXACT && self.classes[class].is_exact => {
                    return Some(class);
                }
                Some((bound, _, class)) if bound < INEXACT => self.settle(chart, class, heuristic),
                _ => self.leave_queues(chart, heuristic),
            }
        }
        loop {
            let class = self.ranks.first()?;
            if !heuristic.falls() || self.classes[class].is_exact {
                return Some(class);
            }
            // by what its bounds are now, before it is looked at
            self.rank(chart, class, heuristic);
            if self.ranks.first() == Some(class) {
                self.settle(chart, class, heuristic);
            }
        }
    }

    /// Makes the rank of a class right.
    fn settle(&mut self, chart: &mut Chart, class: usize, heuristic: &dyn Heuristic) {
        self.rank_exactly(chart, class, heuristic);
        if heuristic.falls() && !std::mem::replace(&mut self.classes[class].is_exact, true) {
            self.exact.push(class);
        }
        if let Some(task) = self.classes[class].tasks.front() {
            self.queues.raise(class, *task, self.limits[class]);
        }
    }

    /// The task of the greatest rank, of equals the first in order, and its host; if the heuristic
    /// has a tolerance, any task whose rank is so near to that, as `pick` chooses out of so many.
    pub(crate) fn choose(
        &mut self,
        chart: &mut Chart,
        heuristic: &dyn Heuristic,
        pick: impl FnOnce(u64) -> u64,
    ) -> Option<ChosenTask> {
        let class = self.first(chart, heuristic)?;
        let Some(tolerance) = heuristic.tolerance() else {
            let row = self.row(class);
            return Some(ChosenTask { task: row.task, host: heuristic.host(&row), class, drawn_from: None });
        };
        let best = self.ranks.rank(class)?;
        let is_near =
            |class: &usize| self.ranks.rank(*class).is_some_and(|rank| rank.is_near(best, tolerance));
        // in the order of the application, however tasks are put together
        let mut near: Vec<(TaskNumber, usize)> = (0..self.classes.len())
            .filter(is_near)
            .flat_map(|place| self.classes[place].tasks.iter().map(move |task| (*task, place)))
            .collect();
        let drawn_from = near.len() as u64;
        let place = pick(drawn_from) as usize;
        let (task, class) = *near.select_nth_unstable(place).1;
        let host = heuristic.host(&self.row(class));
        Some(ChosenTask { task, host, class, drawn_from: Some(drawn_from) })
    }

    /// Number of tasks that are to be planned.
    pub(crate) fn tasks(&self) -> u64 {
        self.classes.iter().map(|class| class.tasks.len() as u64).sum()
    }

    /// Takes a task out that has a slot on a cluster now, and looks at the others again there if
    /// that may change their ranks.
    pub(crate) fn assigned(
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
            Some(task) => {
                class.inputs = chart.in_order(*task);
                self.queues.set_first(assignment.class, *task);
            }
            None => self.close(assignment.class),
        }
        let changed: SmallVec<[usize; 4]> = chart
            .changed_with(cluster)
            .filter_map(|changed| self.clusters.iter().position(|known| *known == changed))
            .collect();
        for &place in &changed {
            let cluster = self.clusters[place];
            self.changes[place] += 1;
            chart.count_looks(self.open, cluster);
            if let Some(free) = chart.first_free(cluster).filter(|_| self.has_spans) {
                self.free[place] = free;
                self.queues.set_free(place, free);
            }
        }
        for place in changed {
            self.look_again(chart, assignment, place, heuristic);
        }
        self.ranks.work_out();
    }

    /// Looks again on a cluster that has changed, where that may change ranks.
    fn look_again(
        &mut self,
        chart: &mut Chart,
        assignment: ChosenTask,
        place: usize,
        heuristic: &dyn Heuristic,
    ) {
        let height = self.classes.len();
        let is_constant = chart.is_constant(self.clusters[place]);
        for class in self.queues.take_raised(place) {
            self.set_bound(class, place, self.bounds[class * self.clusters.len() + place]);
        }
        let mut sooner: Vec<usize> = Vec::new();
        if is_constant {
            // users of a file that was sent last complete sooner
            let users = chart.last_sent(assignment.task).flat_map(|file| chart.known().users(file));
            sooner.extend(
                users.map(|user| self.class_of[user.index()] as usize).filter(|class| *class < height),
            );
            sooner.sort_unstable();
            sooner.dedup();
            sooner.iter().for_each(|class| self.set_bound(*class, place, 0));
        } else {
            (0..height).for_each(|class| self.set_bound(class, place, 0));
        }
        let exact = std::mem::take(&mut self.exact);
        if !(heuristic.falls() && is_constant) {
            sooner.clear();
            let limit = |class: usize| if heuristic.falls() { 0 } else { self.limits[class] };
            sooner.extend((0..height).filter(|class| self.columns[place * height + class] <= limit(*class)));
        }
        if self.queues.is_empty() && sooner.len() > height / MANY {
            self.ranks.defer();
        }
        for class in sooner {
            if self.classes[class].tasks.is_empty() {
                continue;
            }
            if heuristic.falls() {
                self.look(chart, class, place);
                self.rank(chart, class, heuristic);
            } else if self.was_decisive(class, place) || self.raise(class, place) <= self.limits[class] {
                self.rank_exactly(chart, class, heuristic);
            }
        }
        for class in exact {
            let Class { tasks, is_exact, .. } = &self.classes[class];
            if tasks.is_empty() || !*is_exact {
                continue;
            }
            // another cluster changes nothing
            if self.columns[place * height + class] > self.limits[class] && class != assignment.class {
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
