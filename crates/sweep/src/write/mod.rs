//! The text of the Parameter Sweep Template for applications, written.

pub mod application;
