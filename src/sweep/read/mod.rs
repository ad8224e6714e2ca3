//! The texts of the Parameter Sweep Template, one file each: the application.

pub mod application;
mod fields;
