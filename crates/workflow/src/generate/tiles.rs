//! Factorisations of matrices by tiles: a task reads tiles and writes one, and waits for whichever
//! task wrote each of them last.

use crate::generate::sketch::Sketch;

/// A matrix of tiles, and the tasks on it so far.
pub(super) struct Tiles {
    pub(super) sketch: Sketch,
    size: u32,
    last: Vec<Option<u32>>,
}

impl Tiles {
    pub(super) fn new(size: u32) -> Self {
        Tiles { sketch: Sketch::default(), size, last: vec![None; (size as usize).pow(2)] }
    }

    /// Adds a task that reads some tiles, and reads and writes one.
    pub(super) fn task(
        &mut self,
        name: (String, &'static str),
        weight: f64,
        reads: &[[u32; 2]],
        writes: [u32; 2],
    ) {
        let place = |[row, column]: [u32; 2]| row as usize * self.size as usize + column as usize;
        let task = self.sketch.task(name.0, name.1, weight);
        let mut parents: Vec<u32> =
            reads.iter().chain([&writes]).filter_map(|tile| self.last[place(*tile)]).collect();
        parents.sort_unstable();
        parents.dedup();
        parents.into_iter().for_each(|parent| self.sketch.edge(parent, task, 1.0));
        self.last[place(writes)] = Some(task);
    }
}
