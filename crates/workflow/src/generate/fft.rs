//! The fast Fourier transform: a tree of recursive calls, then butterflies.
//!
//! For m = 2^k points there are 2m - 1 tasks of recursive calls, from the whole to single points,
//! and k levels of m butterfly tasks, each of which takes what two tasks of the level before give.
//! All are of one weight.
//!
//! Source: T. Cormen, C. Leiserson, R. Rivest, Introduction to Algorithms, 1990; the graph of the
//! HEFT studies (H. Topcuoglu, S. Hariri, M.-Y. Wu, IEEE TPDS 13(3), 2002).

use crate::generate::sketch::{COSTS, Generated, Outline, Sketch};
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Key, Kind};
use crate::source::WorkflowSource;

const LEVELS: Key = Key::new("levels", Kind::Count { least: 1, most: 18 })
    .or_count(3)
    .about("levels of butterflies: 2^levels points");

pub(super) const ENTRY: Entry<dyn WorkflowSource> = Entry::published(
    "fft",
    "the fast Fourier transform of 2^levels points: recursive calls, then butterflies",
    "T. Cormen, C. Leiserson, R. Rivest, Introduction to Algorithms, 1990",
    &Key::joined::<{ COSTS.len() + 1 }>(&[&[LEVELS], COSTS]),
    |params| Generated::build(params, "fft", "levels", Transform { levels: params.read("levels")? }),
);

#[derive(Debug)]
struct Transform {
    levels: u32,
}

impl Outline for Transform {
    fn sketch(&self, _stream: &mut Stream) -> Sketch {
        let points = 1_u32 << self.levels;
        let mut sketch = Sketch::default();
        for call in 1..2 * points {
            let task = sketch.task(format!("call-{call}"), "call", 1.0);
            if call > 1 {
                sketch.edge(call / 2 - 1, task, 1.0);
            }
        }
        // the leaves of the tree, then the last level of butterflies
        let mut before = points - 1;
        for level in 0..self.levels {
            let start = 2 * points - 1 + level * points;
            for point in 0..points {
                let task = sketch.task(format!("butterfly-{}-{point}", level + 1), "butterfly", 1.0);
                sketch.edge(before + point, task, 1.0);
                sketch.edge(before + (point ^ (1 << level)), task, 1.0);
            }
            before = start;
        }
        sketch
    }

    fn size(&self) -> [f64; 2] {
        let points = f64::from(1_u32 << self.levels);
        [points * f64::from(self.levels + 2), 2.0 * points * f64::from(self.levels + 1)]
    }
}
