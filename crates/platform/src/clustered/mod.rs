//! Platforms as grids: clusters behind one link each of the hosts that hold files, as parameter
//! sweeps see them, and the texts of such grids.
//!
//! - [`grid`]: clusters, hosts and links; [`clusters`]: the grid that a platform is, and
//!   `links_between` the links between its clusters.
//! - [`read`] and [`mod@write`]: grids and behaviours of the Parameter Sweep Template, and a grid
//!   as the tables of a scenario.
//!
//! Source: F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, "Using simulation to evaluate
//! scheduling heuristics for a class of applications in grid environments", LIP RR1999-46, 1999.

pub mod clusters;
pub mod grid;
mod links_between;
pub mod read;
pub mod write;
