//! The texts of the Parameter Sweep Template, one file each: the application, the grid, and behaviours of hosts and links.

pub mod application;
pub mod behaviour;
mod fields;
pub mod grid;
