//! The texts of the Parameter Sweep Template, written, and a grid as the tables of a scenario.

pub mod application;
pub mod grid;
pub mod toml;
