//! Layered graphs: levels of tasks, and edges from a level to those behind it.
//!
//! The mean width of a level is n^fat for n tasks. Each level has from `regular` to 2 - `regular`
//! times as many. A task has parents in the level before its own, from one up to a share `density`
//! of that level; with `jump` above 1 each parent lies up to so many levels back. `levels` and
//! `parents` fix the number of levels, and of parents, in place of `fat` and `density`.
//!
//! Source: the parameters of DAGGEN (F. Suter, S. Hunold); the algorithm is written from their
//! description. Deviation: every task but those of the first level has at least one parent in the
//! level before its own, so that the depth is the number of levels.

use crate::generate::random::choose;
use crate::generate::sketch::{COSTS, Generated, Outline, Sketch};
use crate::kernel::rng::{Stream, math};
use crate::registry::{Bounds, Entry, Key, Kind};
use crate::source::WorkflowSource;

const SOURCE: &str = "F. Suter and S. Hunold, DAGGEN, 2013";

const KEYS: &[Key] = &[
    Key::new("tasks", Kind::Count { least: 1, most: 10_000_000 }).or_count(100).about("how many tasks"),
    Key::new("fat", Kind::Number(Bounds::Within(0.0, 1.0)))
        .or_number(0.5)
        .about("width: the mean width of a level is tasks^fat; 0 is a chain, 1 is one level")
        .source(SOURCE),
    Key::new("density", Kind::Number(Bounds::Within(0.0, 1.0)))
        .or_number(0.5)
        .about("share of the level before that may be parents of a task")
        .source(SOURCE),
    Key::new("regular", Kind::Number(Bounds::Within(0.0, 1.0)))
        .or_number(0.9)
        .about("how equally wide the levels are; at 1 all are")
        .source(SOURCE),
    Key::new("jump", Kind::Count { least: 1, most: 1_000_000 })
        .or_count(1)
        .about("how many levels back further parents may lie")
        .source(SOURCE),
    Key::new("levels", Kind::Count { least: 1, most: 10_000_000 })
        .absent("as many as `fat` gives")
        .about("how many levels, all equally wide as far as that goes"),
    Key::new("parents", Kind::Count { least: 1, most: 100_000 })
        .absent("as many as `density` gives")
        .about("parents of each task, as far as there are so many"),
];

pub(super) const ENTRY: Entry<dyn WorkflowSource> = Entry::published(
    "layered",
    "levels of tasks with edges from level to level, by the parameters of DAGGEN",
    SOURCE,
    &Key::joined::<{ COSTS.len() + KEYS.len() }>(&[KEYS, COSTS]),
    |params| {
        let outline = Layered {
            tasks: params.read("tasks")?,
            fat: params.read("fat")?,
            density: params.read("density")?,
            regular: params.read("regular")?,
            jump: params.read("jump")?,
            levels: params.read("levels")?,
            parents: params.read("parents")?,
        };
        if outline.levels.is_some_and(|levels| levels > outline.tasks) {
            return Err(params.complaint("levels", "there are more levels than tasks"));
        }
        Generated::build(params, "layered", "tasks", outline)
    },
);

#[derive(Debug)]
struct Layered {
    tasks: u32,
    fat: f64,
    density: f64,
    regular: f64,
    jump: u32,
    levels: Option<u32>,
    parents: Option<u32>,
}

impl Layered {
    fn mean_width(&self) -> f64 {
        math::exp(self.fat * math::ln(f64::from(self.tasks))).max(1.0)
    }

    /// Beginning of each level, and end of the last.
    fn starts(&self, stream: &mut Stream) -> Vec<u32> {
        let mut starts = vec![0];
        if let Some(levels) = self.levels {
            let start = |level: u32| (u64::from(level) * u64::from(self.tasks) / u64::from(levels)) as u32;
            starts.extend((1..=levels).map(start));
            return starts;
        }
        let (mean, mut start) = (self.mean_width(), 0);
        while start < self.tasks {
            let share = self.regular + 2.0 * (1.0 - self.regular) * stream.uniform01();
            let width = (mean * share).round().max(1.0) as u32;
            start = start.saturating_add(width).min(self.tasks);
            starts.push(start);
        }
        starts
    }
}

impl Outline for Layered {
    fn sketch(&self, stream: &mut Stream) -> Sketch {
        let mut sketch = Sketch::default();
        sketch.plain_tasks(self.tasks);
        let starts = self.starts(stream);
        let mut chosen = Vec::new();
        for level in 1..starts.len() - 1 {
            let (start, width) = (starts[level - 1], starts[level] - starts[level - 1]);
            for task in starts[level]..starts[level + 1] {
                let most = (self.density * f64::from(width)) as u64;
                let count = self.parents.unwrap_or_else(|| 1 + stream.below(most + 1) as u32).min(width);
                choose(stream, width, count, &mut chosen);
                let mut parents: Vec<u32> = chosen.iter().map(|place| start + place).collect();
                for parent in parents.iter_mut().skip(1) {
                    let back = stream.below(self.jump.into()).min(level as u64 - 1) as usize;
                    if back > 0 {
                        let from = starts[level - 1 - back];
                        *parent = from + stream.below((starts[level - back] - from).into()) as u32;
                    }
                }
                parents.sort_unstable();
                parents.dedup();
                parents.into_iter().for_each(|parent| sketch.edge(parent, task, 1.0));
            }
        }
        sketch
    }

    fn draws(&self) -> bool {
        true
    }

    fn size(&self) -> [f64; 2] {
        let tasks = f64::from(self.tasks);
        let parents = match (self.parents, self.levels) {
            (Some(parents), _) => f64::from(parents),
            (None, Some(levels)) => 1.0 + self.density * tasks / f64::from(levels) / 2.0,
            (None, None) => 1.0 + self.density * self.mean_width() / 2.0,
        };
        [tasks, tasks * parents]
    }
}
