//! LU factorisation of a matrix of n × n tiles, without pivoting.
//!
//! Step k factorises the tile on the diagonal, solves for the tiles of its row and column, and
//! updates those behind. The weights are the operations of each on a tile, in units of b³: 2/3, 1
//! and 2.
//!
//! Source: A. Buttari, J. Langou, J. Kurzak, J. Dongarra, Parallel Computing 35(1), 2009.

use crate::generate::sketch::{COSTS, Generated, Outline, Sketch};
use crate::generate::tiles::Tiles;
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Key, Kind};
use crate::source::WorkflowSource;

const TILES: Key =
    Key::new("tiles", Kind::Count { least: 1, most: 300 }).or_count(4).about("rows and columns of tiles");

pub(super) const ENTRY: Entry<dyn WorkflowSource> = Entry::published(
    "lu",
    "LU factorisation by tiles, without pivoting",
    "A. Buttari et al., Parallel Computing 35(1), 2009",
    &Key::joined::<{ COSTS.len() + 1 }>(&[&[TILES], COSTS]),
    |params| Generated::build(params, "lu", "tiles", Lu { tiles: params.read("tiles")? }),
);

#[derive(Debug)]
struct Lu {
    tiles: u32,
}

impl Outline for Lu {
    fn sketch(&self, _stream: &mut Stream) -> Sketch {
        let mut tiles = Tiles::new(self.tiles);
        for k in 0..self.tiles {
            tiles.task((format!("getrf-{k}"), "getrf"), 2.0 / 3.0, &[], [k, k]);
            for j in k + 1..self.tiles {
                tiles.task((format!("trsm-row-{k}-{j}"), "trsm"), 1.0, &[[k, k]], [k, j]);
                tiles.task((format!("trsm-column-{j}-{k}"), "trsm"), 1.0, &[[k, k]], [j, k]);
            }
            for i in k + 1..self.tiles {
                for j in k + 1..self.tiles {
                    tiles.task((format!("gemm-{i}-{j}-{k}"), "gemm"), 2.0, &[[i, k], [k, j]], [i, j]);
                }
            }
        }
        tiles.sketch
    }

    fn size(&self) -> [f64; 2] {
        let n = f64::from(self.tiles);
        let tasks = n * (n + 1.0) * (2.0 * n + 1.0) / 6.0;
        [tasks, 3.0 * tasks]
    }
}
