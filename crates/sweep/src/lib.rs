//! Parameter sweeps: thousands of independent tasks that share input files, on clusters behind one
//! link each.
//!
//! - [`model`]: tasks, files, hosts, links, storages; [`source`]: where an application comes from;
//!   [`read`] and [`mod@write`]: its text of the template.
//! - [`estimate`]: what a scheduler predicts and knows; [`heuristic`]: which task is next;
//!   [`plan`]: the Gantt chart that a heuristic fills, again at each scheduling event of an
//!   [`interval`].
//! - [`scheduler`]: queues become transfers and computations; [`run`]: the grid while it runs;
//!   [`dialogue`]: what the two say to each other, recorded and repeated.
//! - [`results`]: what comes of a run, in tables and figures, and how soon it could have ended.
//!
//! Source: F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, "Using simulation to evaluate
//! scheduling heuristics for a class of applications in grid environments", LIP RR1999-46, 1999.

pub mod dialogue;
pub mod estimate;
pub mod heuristic;
pub mod interval;
pub mod model;
pub mod plan;
pub mod read;
pub mod results;
pub mod run;
pub mod scheduler;
pub mod source;
#[cfg(test)]
mod tests;
pub mod write;

pub mod judge;
pub mod rows;
pub mod system;

pub use crate::platform::clustered::grid;
pub use estimate::predictions;
pub use heuristic::completion;
pub use results::bounds::SweepBounds;
pub use results::metrics::{FAMILIES, metrics};
pub(crate) use results::metrics::{OF_LINKS_BETWEEN, OF_STORAGES};
pub(crate) use results::optimum::{OF_GAPS, SweepGapRequest, metrics_of_gap};
pub(crate) use results::prices::{OF_BUDGETS, OF_DEADLINES, OF_PRICES, SweepTerms, metrics_of_terms};
pub use results::tables;
pub use scheduler::link_queue::LinkDiscipline;
pub use source::report;

pub(crate) use clustersim_experiment::{check, measure, output, scenario};
pub(crate) use clustersim_forecast as forecast;
pub(crate) use clustersim_kernel as kernel;
#[cfg(test)]
pub(crate) use clustersim_language::distribution;
pub(crate) use clustersim_language::{collections, registry, text};
pub(crate) use clustersim_platform as platform;
pub(crate) use clustersim_workflow as workflow;
