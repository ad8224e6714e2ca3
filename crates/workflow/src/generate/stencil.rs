//! A wave front over a grid of cells: each cell waits for the one above it and the one to its left.
//!
//! Source: the graph of the Laplace equation solver in studies of list scheduling (Y.-K. Kwok and
//! I. Ahmad, ACM Computing Surveys 31(4), 1999).

use crate::generate::sketch::{COSTS, Generated, Outline, Sketch};
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Key, Kind};
use crate::source::WorkflowSource;

const KEYS: &[Key] = &[
    Key::new("rows", Kind::Count { least: 1, most: 10_000_000 }).or_count(4).about("rows of cells"),
    Key::new("columns", Kind::Count { least: 1, most: 10_000_000 }).or_count(4).about("columns of cells"),
];

pub(super) const ENTRY: Entry<dyn WorkflowSource> = Entry::published(
    "stencil",
    "a wave front: each cell of a grid waits for the one above and the one to its left",
    "Y.-K. Kwok and I. Ahmad, ACM Computing Surveys 31(4), 1999",
    &Key::joined::<{ COSTS.len() + KEYS.len() }>(&[KEYS, COSTS]),
    |params| {
        let outline = Stencil { rows: params.read("rows")?, columns: params.read("columns")? };
        Generated::build(params, "stencil", "rows", outline)
    },
);

#[derive(Debug)]
struct Stencil {
    rows: u32,
    columns: u32,
}

impl Outline for Stencil {
    fn sketch(&self, _stream: &mut Stream) -> Sketch {
        let mut sketch = Sketch::default();
        for row in 0..self.rows {
            for column in 0..self.columns {
                let task = sketch.task(format!("cell-{row}-{column}"), "cell", 1.0);
                if row > 0 {
                    sketch.edge(task - self.columns, task, 1.0);
                }
                if column > 0 {
                    sketch.edge(task - 1, task, 1.0);
                }
            }
        }
        sketch
    }

    fn size(&self) -> [f64; 2] {
        let cells = f64::from(self.rows) * f64::from(self.columns);
        [cells, 2.0 * cells]
    }
}
