//! Graphs like those of Montage, which puts images of the sky together.
//!
//! The images form a grid that is as square as it can be. Each is projected; each two that overlap
//! (side by side, above each other, or at a corner) are compared; one task collects the differences
//! and one finds the background that fits all; each image is corrected; then the mosaic is added
//! up, shrunk and drawn. The weights are mean run times by kind of task, that of a projection being
//! 1.
//!
//! Source: G. Juve, A. Chervenak, E. Deelman, S. Bharathi, G. Mehta, K. Vahi, FGCS 29(3), 2013
//! (kinds of tasks, shape, proportions).

use crate::generate::sketch::{COSTS, Generated, Outline, Sketch};
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Key, Kind};
use crate::source::WorkflowSource;

const IMAGES: Key =
    Key::new("images", Kind::Count { least: 2, most: 1_000_000 }).or_count(9).about("images of the sky");

pub(super) const ENTRY: Entry<dyn WorkflowSource> = Entry::published(
    "montage-like",
    "a graph like those of Montage, which puts images of the sky together",
    "G. Juve et al., FGCS 29(3), 2013",
    &Key::joined::<{ COSTS.len() + 1 }>(&[&[IMAGES], COSTS]),
    |params| Generated::build(params, "montage-like", "images", Montage { images: params.read("images")? }),
);

#[derive(Debug)]
struct Montage {
    images: u32,
}

impl Outline for Montage {
    fn sketch(&self, _stream: &mut Stream) -> Sketch {
        let count = self.images;
        let images = f64::from(count);
        let columns = images.sqrt().ceil() as u32;
        let mut sketch = Sketch::default();
        for image in 0..count {
            sketch.task(format!("mProject-{image}"), "mProject", 1.0);
        }
        let mut differences = Vec::new();
        for image in 0..count {
            let column = image % columns;
            let right = column + 1 < columns;
            let near = [
                (image + 1, right),
                (image + columns, true),
                (image + columns + 1, right),
                (image + columns - 1, column > 0),
            ];
            for (other, _) in near.into_iter().filter(|(other, is_near)| *is_near && *other < count) {
                let task = sketch.task(format!("mDiffFit-{image}-{other}"), "mDiffFit", 0.4);
                sketch.edge(image, task, 1.0);
                sketch.edge(other, task, 1.0);
                differences.push(task);
            }
        }
        let concat = sketch.task("mConcatFit", "mConcatFit", 0.0134 * differences.len() as f64);
        differences.into_iter().for_each(|task| sketch.edge(task, concat, 0.01));
        let model = sketch.task("mBgModel", "mBgModel", 0.106 * images);
        sketch.edge(concat, model, 0.01);
        let first = model + 1;
        for image in 0..count {
            let task = sketch.task(format!("mBackground-{image}"), "mBackground", 1.0);
            sketch.edge(image, task, 1.0);
            sketch.edge(model, task, 0.01);
        }
        let table = sketch.task("mImgtbl", "mImgtbl", 0.013 * images);
        let add = sketch.task("mAdd", "mAdd", 1.32 * images);
        for image in 0..count {
            sketch.edge(first + image, table, 0.01);
            sketch.edge(first + image, add, 1.0);
        }
        sketch.edge(table, add, 0.01);
        let shrink = sketch.task("mShrink", "mShrink", 0.29 * images);
        sketch.edge(add, shrink, images);
        let draw = sketch.task("mJPEG", "mJPEG", 0.37);
        sketch.edge(shrink, draw, 1.0);
        sketch
    }

    fn size(&self) -> [f64; 2] {
        let images = f64::from(self.images);
        [6.0 * images + 6.0, 16.0 * images + 4.0]
    }
}
