//! The free slots of nodes that run tasks of several jobs in turn.
//!
//! On a time-shared machine a node holds up to so many tasks, its capacity: the multiprogramming
//! level for each of its processors. A job of n tasks needs n distinct nodes with a free slot
//! (MODELS 1.7). The nodes with free slots are kept as intervals, all together and by the tasks
//! they hold, so a choice costs by the intervals it takes, and starts and ends cost by the tasks
//! they concern: how many other nodes there are does not matter. Which of the nodes with free slots
//! a job gets is a [`Selection`](super::node_selection::Selection). Space sharing is the case of
//! capacity 1 everywhere.

use crate::collections::{Interval, IntervalSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Node {
    tasks: u32,
    capacity: u32,
}

impl Node {
    fn has_room(self) -> bool {
        self.tasks < self.capacity
    }
}

/// True if tasks come or go.
#[derive(Clone, Copy, Debug)]
enum Change {
    Occupied,
    Released,
}

impl Change {
    /// The node after it; `None` if it has no free slot, or no task to lose.
    fn of(self, node: Node) -> Option<Node> {
        match self {
            Change::Occupied => node.has_room().then(|| Node { tasks: node.tasks + 1, ..node }),
            Change::Released => node.tasks.checked_sub(1).map(|tasks| Node { tasks, ..node }),
        }
    }
}

/// Number of tasks each node holds, and which nodes have free slots.
///
/// Nodes are numbered from 0. Starts and ends name them as intervals in rising order that do not
/// overlap, one task on each node; a job with two tasks on one node is none that this front end
/// starts.
#[derive(Clone, Debug)]
pub struct Slots {
    nodes: Vec<Node>,
    available: IntervalSet,
    /// The nodes with free slots, by the tasks they hold; as long as the highest such load so far.
    by_load: Vec<IntervalSet>,
    /// Capacities less loads, over all nodes.
    free: u64,
}

impl Slots {
    /// Nodes without tasks, each with its capacity.
    ///
    /// # Panics
    /// If there are more nodes than can be numbered.
    pub fn new(capacities: impl IntoIterator<Item = u32>) -> Self {
        let nodes: Vec<Node> = capacities.into_iter().map(|capacity| Node { tasks: 0, capacity }).collect();
        let count = u32::try_from(nodes.len()).expect("a cluster has fewer than 2^32 nodes");
        let free = nodes.iter().map(|node| u64::from(node.capacity)).sum();
        let mut slots =
            Slots { nodes, available: IntervalSet::default(), by_load: vec![IntervalSet::default()], free };
        for number in (0..count).filter(|&number| slots.nodes[number as usize].has_room()) {
            slots.available.insert(Interval::new(number, number));
        }
        slots.by_load[0] = slots.available.clone();
        slots
    }

    /// The same tasks on the same nodes, of which only those that `may` allows have free slots.
    ///
    /// # Complexity
    /// A step for each node.
    #[must_use]
    pub fn among(&self, may: impl Fn(u32) -> bool) -> Slots {
        let mut slots = Slots {
            nodes: self.nodes.clone(),
            available: IntervalSet::default(),
            by_load: vec![IntervalSet::default(); self.by_load.len()],
            free: 0,
        };
        for (number, node) in (0..).zip(&mut slots.nodes) {
            if node.has_room() && may(number) {
                slots.available.insert(Interval::new(number, number));
                slots.by_load[node.tasks as usize].insert(Interval::new(number, number));
                slots.free += u64::from(node.capacity - node.tasks);
            } else {
                node.capacity = node.tasks;
            }
        }
        slots
    }

    /// Number of nodes there are.
    pub fn nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Number of nodes with free slots: the tasks of the largest job that can start now.
    pub fn free_nodes(&self) -> u64 {
        self.available.count()
    }

    /// Number of tasks that could be added in all: capacities less loads, over all nodes.
    pub fn free_slots(&self) -> u64 {
        self.free
    }

    /// The tasks on a node.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn load(&self, node: u32) -> u32 {
        self.nodes[node as usize].tasks
    }

    /// The tasks on each node.
    pub fn loads(&self) -> impl ExactSizeIterator<Item = u32> {
        self.nodes.iter().map(|node| node.tasks)
    }

    /// The nodes with free slots.
    pub fn available(&self) -> &IntervalSet {
        &self.available
    }

    /// The nodes with free slots by the tasks they hold, fewest first; loads that no such node has
    /// are left out.
    pub fn by_load(&self) -> impl Iterator<Item = (u32, &IntervalSet)> {
        (0..).zip(&self.by_load).filter(|(_, nodes)| nodes.count() > 0)
    }

    /// Puts a task on each of these nodes. Returns false, and changes nothing, unless all of them
    /// have free slots.
    ///
    /// # Complexity
    /// A step for each node, and a binary search for each run of nodes alike among them.
    pub fn occupy(&mut self, on: &[Interval]) -> bool {
        self.change(on, Change::Occupied)
    }

    /// Takes a task off each of these nodes. Returns false, and changes nothing, unless all of them
    /// hold one.
    ///
    /// # Complexity
    /// As [`Slots::occupy`].
    pub fn release(&mut self, on: &[Interval]) -> bool {
        self.change(on, Change::Released)
    }

    /// Takes a task off one node; as [`Slots::release`].
    pub fn release_node(&mut self, node: u32) -> bool {
        self.release(&[Interval::new(node, node)])
    }

    fn change(&mut self, on: &[Interval], change: Change) -> bool {
        let rising = on.is_sorted_by(|before, after| before.last < after.first);
        let lawful = |part: &Interval| {
            let nodes = self.nodes.get(part.first as usize..=part.last as usize);
            nodes.is_some_and(|nodes| nodes.iter().all(|&node| change.of(node).is_some()))
        };
        if !rising || !on.iter().all(lawful) {
            return false;
        }
        for part in on {
            let mut first = part.first;
            while first <= part.last {
                let old = self.nodes[first as usize];
                let rest = &self.nodes[first as usize..=part.last as usize];
                let alike = rest.iter().take_while(|&&node| node == old).count() as u32;
                let run = Interval::new(first, first + (alike - 1));
                if let Some(new) = change.of(old) {
                    self.move_run(run, old, new);
                }
                first += alike;
            }
        }
        true
    }

    /// Moves a run of nodes that are alike from one load to another.
    fn move_run(&mut self, run: Interval, old: Node, new: Node) {
        self.nodes[run.first as usize..=run.last as usize].fill(new);
        if old.tasks < new.tasks {
            self.free -= run.count();
        } else {
            self.free += run.count();
        }
        if old.has_room() {
            self.by_load[old.tasks as usize].remove(run);
        }
        if new.has_room() {
            let load = new.tasks as usize;
            if self.by_load.len() <= load {
                self.by_load.resize_with(load + 1, IntervalSet::default);
            }
            self.by_load[load].insert(run);
        }
        match (old.has_room(), new.has_room()) {
            (true, false) => self.available.remove(run),
            (false, true) => self.available.insert(run),
            _ => true,
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::node_selection::{self, Selection};
    use super::*;

    /// One step: a job of so many tasks starts under a rule, or one task of a node goes, or the
    /// first job ends.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Start(u32, bool),
        TaskEnds(u32),
        JobEnds,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            3 => (1_u32..12, any::<bool>()).prop_map(|(tasks, by_load)| Step::Start(tasks, by_load)),
            1 => (0_u32..25).prop_map(Step::TaskEnds),
            2 => Just(Step::JobEnds),
        ];
        prop::collection::vec(step, 0..120)
    }

    fn named(name: &str) -> Box<dyn Selection> {
        node_selection::tests::named(name)
    }

    fn members(on: &[Interval]) -> Vec<u32> {
        on.iter().flat_map(|part| part.first..=part.last).collect()
    }

    fn check(slots: &Slots, plain: &[(u32, u32)]) {
        assert!(slots.loads().eq(plain.iter().map(|node| node.0)));
        let open: Vec<u32> = (0..).zip(plain).filter(|(_, node)| node.0 < node.1).map(|(at, _)| at).collect();
        assert_eq!(members(&slots.available().iter().collect::<Vec<_>>()), open);
        assert_eq!(slots.free_nodes(), open.len() as u64);
        assert_eq!(slots.free_slots(), plain.iter().map(|node| u64::from(node.1 - node.0)).sum::<u64>());
        let mut levels = 0;
        for (load, nodes) in slots.by_load() {
            let nodes = members(&nodes.iter().collect::<Vec<_>>());
            assert!(nodes.iter().all(|&node| slots.load(node) == load && open.contains(&node)));
            levels += nodes.len();
        }
        assert_eq!(levels, open.len());
    }

    proptest! {
        #[test]
        fn nodes_are_chosen_and_filled_as_by_a_scan_of_all(
            capacities in prop::collection::vec(0_u32..5, 1..25),
            steps in steps(),
        ) {
            let mut slots = Slots::new(capacities.iter().copied());
            let mut plain: Vec<(u32, u32)> = capacities.iter().map(|&capacity| (0, capacity)).collect();
            let mut jobs: Vec<Vec<Interval>> = Vec::new();
            for step in steps {
                match step {
                    Step::Start(tasks, by_load) if u64::from(tasks) <= slots.free_nodes() => {
                        let mut wanted: Vec<u32> =
                            (0..plain.len() as u32).filter(|&at| plain[at as usize].0 < plain[at as usize].1).collect();
                        if by_load {
                            wanted.sort_by_key(|&at| (plain[at as usize].0, at));
                        }
                        wanted.truncate(tasks as usize);
                        wanted.sort_unstable();
                        let mut chosen = Vec::new();
                        named(if by_load { "least-loaded" } else { "lowest-first" }).choose(&slots, tasks, &mut chosen);
                        prop_assert_eq!(members(&chosen), &wanted[..]);
                        prop_assert!(chosen.is_sorted_by(|a, b| a.last + 1 < b.first), "{:?}", chosen);
                        prop_assert!(slots.occupy(&chosen));
                        wanted.iter().for_each(|&at| plain[at as usize].0 += 1);
                        jobs.push(chosen);
                    }
                    Step::Start(..) => prop_assert!(!slots.occupy(&[Interval::new(0, slots.nodes())])),
                    Step::TaskEnds(node) => {
                        // the job that has it keeps its other tasks
                        let whose = jobs.iter().position(|on| members(on).contains(&node));
                        if let Some(job) = whose {
                            let left = members(&jobs[job]).into_iter().filter(|&at| at != node);
                            jobs[job] = left.map(|at| Interval::new(at, at)).collect();
                            prop_assert!(slots.release_node(node));
                            plain[node as usize].0 -= 1;
                        } else {
                            prop_assert!(!slots.release_node(node));
                        }
                    }
                    Step::JobEnds if jobs.is_empty() => {}
                    Step::JobEnds => {
                        let on = jobs.remove(0);
                        prop_assert!(slots.release(&on));
                        members(&on).iter().for_each(|&at| plain[at as usize].0 -= 1);
                    }
                }
                check(&slots, &plain);
            }
        }
    }

    #[test]
    fn what_cannot_be_occupied_or_released_changes_nothing() {
        let mut slots = Slots::new([1, 0, 2, 2]);
        let part = Interval::new;
        assert!(slots.occupy(&[part(2, 3)]));
        for wrong in [&[part(0, 1)][..], &[part(3, 4)], &[part(2, 2), part(2, 3)], &[part(3, 3), part(0, 0)]]
        {
            assert!(!slots.occupy(wrong), "{wrong:?}");
        }
        for wrong in [&[part(0, 0)][..], &[part(1, 2)], &[part(2, 3), part(3, 3)], &[part(2, 9)]] {
            assert!(!slots.release(wrong), "{wrong:?}");
        }
        check(&slots, &[(0, 1), (0, 0), (1, 2), (1, 2)]);
    }

    #[test]
    fn some_nodes_alone_have_room() {
        let mut slots = Slots::new([2, 2, 2, 1, 2]);
        assert!(slots.occupy(&[Interval::new(0, 1), Interval::new(3, 3)]));
        let even = slots.among(|node| node % 2 == 0);
        check(&even, &[(1, 2), (1, 1), (0, 2), (1, 1), (0, 2)]);
        let mut chosen = Vec::new();
        named("least-loaded").choose(&even, 3, &mut chosen);
        assert_eq!(members(&chosen), [0, 2, 4]);
        assert!(!even.clone().occupy(&[Interval::new(1, 1)]));
    }

    #[test]
    fn a_large_multiprogramming_level_costs_nothing_until_it_is_reached() {
        let mut slots = Slots::new([u32::MAX; 3]);
        assert_eq!(slots.free_slots(), 3 * u64::from(u32::MAX));
        assert!(slots.occupy(&[Interval::new(0, 1)]));
        assert_eq!(
            slots.by_load().map(|(load, nodes)| (load, nodes.count())).collect::<Vec<_>>(),
            [(0, 1), (1, 2)]
        );
    }
}
