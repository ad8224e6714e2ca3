//! Orders of tasks on cores while a plan is made, and one order in which every task comes after all
//! that it waits for.
//!
//! A task waits for its parents and for the task before it on its core, one of several cores for
//! that on each. The common order takes a new sequence of two tasks by moving only what lies
//! between them, as in D. J. Pearce, P. H. J. Kelly, "A dynamic topological sort algorithm for
//! directed acyclic graphs", ACM JEA 11, 2006.

use smallvec::SmallVec;

use crate::model::graph::Graph;
use crate::model::grid::Core;
use crate::planning::view::View;
use crate::planning::window::OfTasks;
use crate::workflow::TaskNumber;

/// Tasks next to another: one on each of its cores.
type Neighbours = SmallVec<[TaskNumber; 1]>;

/// Orders of cores, and the common order; see the module's essay.
#[derive(Debug)]
pub(crate) struct Sequences<'v> {
    graph: &'v Graph,
    columns: Vec<Vec<TaskNumber>>,
    /// Of each task: those before and after it on its cores.
    neighbours: OfTasks<[Neighbours; 2]>,
    order: Vec<TaskNumber>,
    position: OfTasks<u32>,
    /// Of each task: the search that found it last, before and behind the task that was asked of.
    found: [OfTasks<u32>; 2],
    searches: u32,
}

/// A direction along edges and sequences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    Before,
    Behind,
}

impl<'v> Sequences<'v> {
    /// No task is on a core.
    pub(crate) fn new(view: &View<'v>) -> Self {
        let order = view.order().to_vec();
        let mut position = OfTasks::new(view, 0);
        for (place, task) in (0_u32..).zip(&order) {
            position[*task] = place;
        }
        Sequences {
            graph: view.graph(),
            columns: vec![Vec::new(); view.cores().len()],
            neighbours: OfTasks::new(view, [Neighbours::new(), Neighbours::new()]),
            found: [OfTasks::new(view, 0), OfTasks::new(view, 0)],
            searches: 0,
            order,
            position,
        }
    }

    /// The tasks of a core, in order.
    pub(crate) fn column(&self, core: Core) -> &[TaskNumber] {
        &self.columns[core.index()]
    }

    /// The tasks before this one, one on each of its cores.
    pub(crate) fn before(&self, task: TaskNumber) -> &[TaskNumber] {
        &self.neighbours[task][0]
    }

    /// The tasks after this one, one on each of its cores.
    pub(crate) fn after(&self, task: TaskNumber) -> &[TaskNumber] {
        &self.neighbours[task][1]
    }

    /// The place of a task in the common order.
    pub(crate) fn position(&self, task: TaskNumber) -> usize {
        self.position[task] as usize
    }

    /// The task at a place of the common order.
    pub(crate) fn at(&self, position: usize) -> TaskNumber {
        self.order[position]
    }

    /// Puts a task at a place of a core, which [`Sequences::places`] allows; one of several cores
    /// on each of them.
    pub(crate) fn insert(&mut self, task: TaskNumber, core: Core, place: usize) {
        let column = &mut self.columns[core.index()];
        column.insert(place, task);
        let before = place.checked_sub(1).map(|before| column[before]);
        let after = column.get(place + 1).copied();
        // one sequence after the other: the order holds for all but the one that is new
        if let Some(before) = before {
            self.neighbours[task][0].push(before);
            put_in_place(&mut self.neighbours[before][1], after, task);
            self.order_as(before, task);
        }
        if let Some(after) = after {
            self.neighbours[task][1].push(after);
            put_in_place(&mut self.neighbours[after][0], before, task);
            self.order_as(task, after);
        }
    }

    /// Lets `second` come after `first` in the common order.
    fn order_as(&mut self, first: TaskNumber, second: TaskNumber) {
        let (low, high) = (self.position[second], self.position[first]);
        if high < low {
            return;
        }
        let mut moved = self.reach(first, Direction::Before, low);
        let behind = self.reach(second, Direction::Behind, high);
        let by_position = |tasks: &mut [TaskNumber]| tasks.sort_unstable_by_key(|task| self.position[*task]);
        let before = moved.len();
        moved.extend(behind);
        let mut places: Vec<u32> = moved.iter().map(|task| self.position[*task]).collect();
        places.sort_unstable();
        by_position(&mut moved[..before]);
        by_position(&mut moved[before..]);
        debug_assert!(places.array_windows().all(|[one, next]| one < next), "no task waits for itself");
        for (task, place) in moved.into_iter().zip(places) {
            self.order[place as usize] = task;
            self.position[task] = place;
        }
    }

    /// A task, and those before or behind it that do not lie beyond this place of the common order.
    fn reach(&mut self, task: TaskNumber, direction: Direction, bound: u32) -> Vec<TaskNumber> {
        self.searches += 1;
        let Sequences { graph, neighbours, position, found, searches, .. } = self;
        let found = &mut found[direction as usize];
        let mut reached = vec![task];
        found[task] = *searches;
        let mut next = 0;
        while let Some(&task) = reached.get(next) {
            next += 1;
            let mut reach = |other: TaskNumber| {
                let place = position[other];
                let is_within = if direction == Direction::Before { place >= bound } else { place <= bound };
                if is_within && std::mem::replace(&mut found[other], *searches) != *searches {
                    reached.push(other);
                }
            };
            if direction == Direction::Before {
                graph.incoming(task).iter().for_each(|edge| reach(graph.edge(*edge).from));
            } else {
                graph.outgoing(task).iter().for_each(|edge| reach(graph.edge(*edge).to));
            }
            neighbours[task][direction as usize].iter().for_each(|neighbour| reach(*neighbour));
        }
        reached
    }

    /// Looks for the tasks before and behind one that has no place, for [`Sequences::places`] of
    /// these cores.
    pub(crate) fn look_around(&mut self, task: TaskNumber, cores: &[Core]) {
        let positions = |task: Option<&TaskNumber>| task.map(|task| self.position[*task]);
        let first = cores.iter().filter_map(|core| positions(self.column(*core).first())).min();
        let last = cores.iter().filter_map(|core| positions(self.column(*core).last())).max();
        let (first, last) = (first.unwrap_or(u32::MAX), last.unwrap_or(0));
        self.reach(task, Direction::Before, first);
        self.reach(task, Direction::Behind, last);
    }

    /// The places of a core at which the task that was looked around would be behind all before it
    /// and before all behind it: from the first to the second.
    pub(crate) fn places(&self, core: Core) -> (usize, usize) {
        let column = self.column(core);
        let [before, behind] = [self.searches - 1, self.searches];
        // what is before a task on its core is before all that it is before
        let first = column.partition_point(|task| self.found[0][*task] == before);
        let last = column.partition_point(|task| self.found[1][*task] != behind);
        (first, last)
    }
}

/// A task becomes the neighbour on a core, in the place of the one that was it.
fn put_in_place(neighbours: &mut Neighbours, old: Option<TaskNumber>, new: TaskNumber) {
    match neighbours.iter_mut().find(|neighbour| Some(**neighbour) == old) {
        Some(neighbour) => *neighbour = new,
        None => neighbours.push(new),
    }
}

/// Places of the common order that are marked.
#[derive(Debug)]
pub(crate) struct Marks {
    words: Vec<u64>,
}

impl Marks {
    /// So many places, all marked.
    pub(crate) fn all(places: usize) -> Self {
        let mut marks = Marks { words: vec![0; places.div_ceil(64)] };
        (0..places).for_each(|place| marks.set(place));
        marks
    }

    pub(crate) fn set(&mut self, place: usize) {
        self.words[place / 64] |= 1 << (place % 64);
    }

    /// The first mark at `from` or later, which is taken away.
    pub(crate) fn take_next(&mut self, from: usize) -> Option<usize> {
        let word = (from / 64..self.words.len()).find(|word| self.words[*word] != 0)?;
        let place = self.words[word].trailing_zeros();
        self.words[word] &= !(1 << place);
        Some(word * 64 + place as usize)
    }

    /// The last mark before `until`, which is taken away.
    pub(crate) fn take_previous(&mut self, until: usize) -> Option<usize> {
        let word = (0..until.div_ceil(64).min(self.words.len())).rev().find(|word| self.words[*word] != 0)?;
        let place = self.words[word].ilog2();
        self.words[word] &= !(1 << place);
        Some(word * 64 + place as usize)
    }
}
