//! The texts of the Parameter Sweep Template about grids, one file each: the grid, and behaviours
//! of hosts and links.

pub mod behaviour;
pub mod events;
pub mod fields;
pub mod grid;
mod presence;
#[cfg(test)]
mod tests;
