//! A chain: each task has one child, the next.

use crate::generate::sketch::{COSTS, Generated, Outline, Sketch};
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Key, Kind};
use crate::source::WorkflowSource;

const TASKS: Key =
    Key::new("tasks", Kind::Count { least: 1, most: 10_000_000 }).or_count(10).about("tasks of the chain");

pub(super) const ENTRY: Entry<dyn WorkflowSource> = Entry::new(
    "chain",
    "tasks one after another",
    &Key::joined::<{ COSTS.len() + 1 }>(&[&[TASKS], COSTS]),
    |params| Generated::build(params, "chain", "tasks", Chain { tasks: params.read("tasks")? }),
);

#[derive(Debug)]
struct Chain {
    tasks: u32,
}

impl Outline for Chain {
    fn sketch(&self, _stream: &mut Stream) -> Sketch {
        let mut sketch = Sketch::default();
        sketch.plain_tasks(self.tasks);
        (1..self.tasks).for_each(|task| sketch.edge(task - 1, task, 1.0));
        sketch
    }

    fn size(&self) -> [f64; 2] {
        [f64::from(self.tasks); 2]
    }
}
