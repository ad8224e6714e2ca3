//! The grid as it runs.
//!
//! - [`execution`]: the processes; [`running`]: the run, and ends of what is in progress;
//!   `grid_state`: the state of the grid, as a scheduler sees and changes it.
//! - `copies`: computations that are lost or thrown away.
//! - `stuck` and [`error`]: runs that cannot go on.

pub(crate) mod copies;
pub mod error;
pub mod execution;
pub(crate) mod grid_state;
pub mod running;
pub(crate) mod stuck;
