//! The texts of the Parameter Sweep Template, one file each: the application, the grid, and
//! behaviours of hosts and links.

pub mod application;
pub mod behaviour;
pub mod events;
mod fields;
pub mod grid;
mod presence;
#[cfg(test)]
mod tests;
