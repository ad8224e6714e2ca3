//! Fork and join: stages of parallel tasks, each between two tasks that all of them wait for and
//! lead to.

use crate::generate::sketch::{COSTS, Generated, Outline, Sketch};
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Key, Kind};
use crate::source::WorkflowSource;

const STAGES: Key = Key::new("stages", Kind::Count { least: 1, most: 10_000_000 })
    .or_count(1)
    .about("stages, one after another");
const WIDTH: Key = Key::new("width", Kind::Count { least: 1, most: 10_000_000 })
    .or_count(4)
    .about("parallel tasks of a stage");

pub(super) const ENTRY: Entry<dyn WorkflowSource> = Entry::new(
    "fork-join",
    "stages of parallel tasks between a fork and a join; a join is the fork of the next stage",
    &Key::joined::<{ COSTS.len() + 2 }>(&[&[STAGES, WIDTH], COSTS]),
    |params| {
        let outline = ForkJoin { stages: params.read("stages")?, width: params.read("width")? };
        Generated::build(params, "fork-join", "width", outline)
    },
);

#[derive(Debug)]
struct ForkJoin {
    stages: u32,
    width: u32,
}

impl Outline for ForkJoin {
    fn sketch(&self, _stream: &mut Stream) -> Sketch {
        let mut sketch = Sketch::default();
        let mut fork = sketch.task("fork-1", "fork", 1.0);
        for stage in 1..=self.stages {
            let tasks: Vec<u32> = (1..=self.width)
                .map(|task| sketch.task(format!("task-{stage}-{task}"), "task", 1.0))
                .collect();
            let last = stage == self.stages;
            let join = sketch.task(
                if last { "join".to_owned() } else { format!("fork-{}", stage + 1) },
                "fork",
                1.0,
            );
            for task in tasks {
                sketch.edge(fork, task, 1.0);
                sketch.edge(task, join, 1.0);
            }
            fork = join;
        }
        sketch
    }

    fn size(&self) -> [f64; 2] {
        let parallel = f64::from(self.stages) * f64::from(self.width);
        [parallel + f64::from(self.stages) + 1.0, 2.0 * parallel]
    }
}
