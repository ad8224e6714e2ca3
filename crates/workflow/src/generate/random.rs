//! Random graphs: each task has a few parents among those shortly before it.
//!
//! The number of parents is drawn first, from 1 to `parents`, then as many different tasks among
//! the `reach` previous ones; the first tasks have as many as there are. Costs and data are
//! independent.
//!
//! Source: the simulator's own choice for the comparison of DCP and DLS of DAGSim, which leaves its
//! graphs open.

use crate::generate::sketch::{COSTS, Generated, Outline, Sketch};
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Key, Kind};
use crate::source::WorkflowSource;

const KEYS: &[Key] = &[
    Key::new("tasks", Kind::Count { least: 1, most: 10_000_000 }).or_count(20).about("how many tasks"),
    Key::new("parents", Kind::Count { least: 1, most: 1_000 }).or_count(3).about("most parents of a task"),
    Key::new("reach", Kind::Count { least: 1, most: 1_000_000 })
        .or_count(6)
        .about("how many of the previous tasks may be parents"),
];

pub(super) const ENTRY: Entry<dyn WorkflowSource> = Entry::new(
    "random",
    "each task has a few parents among those shortly before it",
    &Key::joined::<{ COSTS.len() + KEYS.len() }>(&[KEYS, COSTS]),
    |params| {
        let (tasks, parents, reach) = (params.read("tasks")?, params.read("parents")?, params.read("reach")?);
        Generated::build(params, "random", "tasks", Random { tasks, parents, reach })
    },
);

#[derive(Debug)]
struct Random {
    tasks: u32,
    parents: u32,
    reach: u32,
}

impl Outline for Random {
    fn sketch(&self, stream: &mut Stream) -> Sketch {
        let mut sketch = Sketch::default();
        sketch.plain_tasks(self.tasks);
        let mut parents = Vec::new();
        for task in 1..self.tasks {
            let near = task.min(self.reach);
            let count = (1 + stream.below(self.parents.into()) as u32).min(near);
            choose(stream, near, count, &mut parents);
            parents.iter().for_each(|back| sketch.edge(task - 1 - back, task, 1.0));
        }
        sketch
    }

    fn draws(&self) -> bool {
        true
    }

    fn size(&self) -> [f64; 2] {
        let tasks = f64::from(self.tasks);
        [tasks, tasks * f64::from(self.parents.min(self.reach))]
    }
}

/// Draws `count` different numbers below `bound`, each set equally likely; in order.
///
/// Source: R. Floyd, in J. Bentley, Programming Pearls, CACM 30(9), 1987.
pub fn choose(stream: &mut Stream, bound: u32, count: u32, chosen: &mut Vec<u32>) {
    chosen.clear();
    for most in bound - count..bound {
        let drawn = stream.below(u64::from(most) + 1) as u32;
        match chosen.binary_search(&drawn) {
            Ok(_) => chosen.push(most),
            Err(place) => chosen.insert(place, drawn),
        }
    }
}
