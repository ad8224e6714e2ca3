//! Gaussian elimination of an n × n matrix, column by column.
//!
//! Step k has a task that finds the pivot and divides column k, and one that updates each column
//! behind it. The work of both is that of the n - k elements below the pivot, and as many numbers
//! are sent. There are (n² + n - 2) / 2 tasks.
//!
//! Source: M. Cosnard, M. Marrakchi, Y. Robert, D. Trystram, Parallel Computing 6, 1988; the graph
//! of the HEFT studies (H. Topcuoglu, S. Hariri, M.-Y. Wu, IEEE TPDS 13(3), 2002).

use crate::generate::sketch::{COSTS, Generated, Outline, Sketch};
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Key, Kind};
use crate::source::WorkflowSource;

const SIZE: Key = Key::new("size", Kind::Count { least: 2, most: 4_000 })
    .or_count(5)
    .about("rows and columns of the matrix");

pub(super) const ENTRY: Entry<dyn WorkflowSource> = Entry::published(
    "gaussian-elimination",
    "Gaussian elimination by columns: (n² + n - 2) / 2 tasks, lighter from step to step",
    "M. Cosnard et al., Parallel Computing 6, 1988",
    &Key::joined::<{ COSTS.len() + 1 }>(&[&[SIZE], COSTS]),
    |params| {
        Generated::build(params, "gaussian-elimination", "size", Elimination { size: params.read("size")? })
    },
);

#[derive(Debug)]
struct Elimination {
    size: u32,
}

impl Outline for Elimination {
    fn sketch(&self, _stream: &mut Stream) -> Sketch {
        let n = self.size;
        let mut sketch = Sketch::default();
        // the task that updated each column last
        let mut last: Vec<Option<u32>> = vec![None; n as usize + 1];
        for k in 1..n {
            let weight = f64::from(n - k) / f64::from(n - 1);
            let pivot = sketch.task(format!("pivot-{k}"), "pivot", weight);
            if let Some(before) = last[k as usize] {
                sketch.edge(before, pivot, weight);
            }
            for column in k + 1..=n {
                let update = sketch.task(format!("update-{k}-{column}"), "update", weight);
                sketch.edge(pivot, update, weight);
                if let Some(before) = last[column as usize].replace(update) {
                    sketch.edge(before, update, weight);
                }
            }
        }
        sketch
    }

    fn size(&self) -> [f64; 2] {
        let n = f64::from(self.size);
        [f64::midpoint(n * n, n), n * n]
    }
}
