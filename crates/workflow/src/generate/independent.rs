//! Independent tasks: a graph without edges.

use crate::generate::sketch::{COSTS, Generated, Outline, Sketch};
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Key, Kind};
use crate::source::WorkflowSource;

const TASKS: Key =
    Key::new("tasks", Kind::Count { least: 1, most: 10_000_000 }).or_count(20).about("how many tasks");

pub(super) const ENTRY: Entry<dyn WorkflowSource> = Entry::new(
    "independent",
    "tasks that nothing joins",
    &Key::joined::<{ COSTS.len() + 1 }>(&[&[TASKS], COSTS]),
    |params| Generated::build(params, "independent", "tasks", Independent { tasks: params.read("tasks")? }),
);

#[derive(Debug)]
struct Independent {
    tasks: u32,
}

impl Outline for Independent {
    fn sketch(&self, _stream: &mut Stream) -> Sketch {
        let mut sketch = Sketch::default();
        sketch.plain_tasks(self.tasks);
        sketch
    }

    fn size(&self) -> [f64; 2] {
        [f64::from(self.tasks), 0.0]
    }
}
