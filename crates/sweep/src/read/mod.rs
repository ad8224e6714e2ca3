//! The text of the Parameter Sweep Template for applications; those of grids and behaviours are
//! formats of platforms ([`crate::platform::clustered`]).

pub mod application;
