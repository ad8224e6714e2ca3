//! The grid as it runs.
//!
//! - [`execution`]: the processes; [`running`]: the run; `grid_state`: the state of the grid, as a
//!   scheduler sees and changes it.
//! - `arrivals`: ends of transfers; `copies`: computations that are lost or thrown away.
//! - `stuck` and [`error`]: runs that cannot go on.

pub(in crate::sweep) mod arrivals;
pub(in crate::sweep) mod copies;
pub mod error;
pub mod execution;
pub(in crate::sweep) mod grid_state;
pub mod running;
pub(in crate::sweep) mod stuck;
