//! Cholesky factorisation of a matrix of n × n tiles.
//!
//! Step k factorises the tile on the diagonal, solves for the tiles of its column, and updates the
//! lower triangle behind. The weights are the operations of each on a tile, in units of b³: 1/3, 1,
//! 1 and 2.
//!
//! Source: A. Buttari, J. Langou, J. Kurzak, J. Dongarra, Parallel Computing 35(1), 2009.

use crate::generate::sketch::{COSTS, Generated, Outline, Sketch};
use crate::generate::tiles::Tiles;
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Key, Kind};
use crate::source::WorkflowSource;

const TILES: Key =
    Key::new("tiles", Kind::Count { least: 1, most: 380 }).or_count(5).about("rows and columns of tiles");

pub(super) const ENTRY: Entry<dyn WorkflowSource> = Entry::published(
    "cholesky",
    "Cholesky factorisation by tiles",
    "A. Buttari et al., Parallel Computing 35(1), 2009",
    &Key::joined::<{ COSTS.len() + 1 }>(&[&[TILES], COSTS]),
    |params| Generated::build(params, "cholesky", "tiles", Cholesky { tiles: params.read("tiles")? }),
);

#[derive(Debug)]
struct Cholesky {
    tiles: u32,
}

impl Outline for Cholesky {
    fn sketch(&self, _stream: &mut Stream) -> Sketch {
        let mut tiles = Tiles::new(self.tiles);
        for k in 0..self.tiles {
            tiles.task((format!("potrf-{k}"), "potrf"), 1.0 / 3.0, &[], [k, k]);
            for i in k + 1..self.tiles {
                tiles.task((format!("trsm-{i}-{k}"), "trsm"), 1.0, &[[k, k]], [i, k]);
            }
            for i in k + 1..self.tiles {
                tiles.task((format!("syrk-{i}-{k}"), "syrk"), 1.0, &[[i, k]], [i, i]);
                for j in k + 1..i {
                    tiles.task((format!("gemm-{i}-{j}-{k}"), "gemm"), 2.0, &[[i, k], [j, k]], [i, j]);
                }
            }
        }
        tiles.sketch
    }

    fn size(&self) -> [f64; 2] {
        let n = f64::from(self.tiles);
        let tasks = n * (n + 1.0) * (n + 2.0) / 6.0;
        [tasks, 3.0 * tasks]
    }
}
