//! Trees: a complete tree of tasks, from the root to its leaves or from the leaves to the root.

use crate::generate::sketch::{COSTS, Generated, Outline, Sketch};
use crate::kernel::rng::Stream;
use crate::registry::{Complaint, Entry, Key, Kind, Params};
use crate::source::WorkflowSource;

const LEVELS: Key =
    Key::new("levels", Kind::Count { least: 1, most: 10_000_000 }).or_count(4).about("levels of the tree");
const DEGREE: Key =
    Key::new("degree", Kind::Count { least: 1, most: 10_000_000 }).or_count(2).about("branches of a task");
const KEYS: &[Key] = &Key::joined::<{ COSTS.len() + 2 }>(&[&[LEVELS, DEGREE], COSTS]);

pub(super) const IN_TREE: Entry<dyn WorkflowSource> =
    Entry::new("in-tree", "a complete tree whose leaves come first: a reduction", KEYS, |params| {
        build(params, "in-tree", true)
    });

pub(super) const OUT_TREE: Entry<dyn WorkflowSource> =
    Entry::new("out-tree", "a complete tree whose root comes first: a distribution", KEYS, |params| {
        build(params, "out-tree", false)
    });

fn build(
    params: &Params<'_>,
    name: &'static str,
    inwards: bool,
) -> Result<Box<dyn WorkflowSource>, Complaint> {
    let tree = Tree { levels: params.read("levels")?, degree: params.read("degree")?, inwards };
    Generated::build(params, name, "levels", tree)
}

#[derive(Debug)]
struct Tree {
    levels: u32,
    degree: u32,
    inwards: bool,
}

impl Outline for Tree {
    fn sketch(&self, _stream: &mut Stream) -> Sketch {
        let count = self.size()[0] as u32;
        let mut sketch = Sketch::default();
        sketch.plain_tasks(count);
        // numbered level by level from the root, or back from it
        for task in 1..count {
            let nearer = (task - 1) / self.degree;
            if self.inwards {
                sketch.edge(count - 1 - task, count - 1 - nearer, 1.0);
            } else {
                sketch.edge(nearer, task, 1.0);
            }
        }
        sketch
    }

    fn size(&self) -> [f64; 2] {
        let (mut count, mut level) = (0.0, 1.0);
        for _ in 0..self.levels {
            count += level;
            level *= f64::from(self.degree);
            if count > 1e9 {
                break;
            }
        }
        [count, count - 1.0]
    }
}
