//! Results of a run.
//!
//! - [`tables`]; `metrics`, and the workflows as statistics of streams see them.
//! - [`mod@critical_path`] and slack; [`billing`]: what a run costs.
//! - [`bounds`] that no plan is below; `alone`: each workflow by itself; [`gap`]: the best of other
//!   schedulers, and the optimum.

pub(crate) mod alone;
pub mod billing;
pub mod bounds;
pub mod critical_path;
pub mod gap;
pub(crate) mod metrics;
pub mod tables;
