//! The model: tasks and edges, hosts and links, and what is known of both beforehand.
//!
//! - [`graph`]: tasks and edges; `circle`: tasks that wait for each other.
//! - [`grid`]: hosts, cores, and what a transfer takes; `core_groups`: several cores of a host.
//! - [`prediction`], [`predictions`] by name, [`forecasting`]; `problem`: all of it together.

pub(crate) mod circle;
pub(crate) mod core_groups;
pub mod forecasting;
pub mod graph;
pub mod grid;
pub mod prediction;
pub mod predictions;
pub(crate) mod problem;
