//! Task graphs on hosts and links: planned by schedulers that see predictions, executed on the
//! platform as it really behaves.
//!
//! ```text
//!   workflow ─▶ Graph ┐
//!   platform ─▶ Grid ─┼─▶ Problem ─▶ View ─▶ Scheduler ─▶ Plan ─▶ execution ─▶ Outcomes
//!   prediction ───────┘      ▲                                       │
//!                            └────────── what has happened ──────────┘
//! ```
//!
//! - [`model`]: tasks and edges, of one workflow or of a stream of them ([`graph`]); hosts, cores,
//!   and the time of a transfer between two hosts ([`grid`]); predictions and their errors
//!   ([`prediction`], by name in [`predictions`]).
//! - [`planning`]: the view of a scheduler ([`view`]) and its answer ([`plan`]), [`ranks`], and
//!   the input that a rule expects ([`assumption`]).
//! - [`schedule`]: the slots that a task could have; [`scheduler`]: the published rules, one file
//!   each.
//! - [`execution`]: a plan as it happens, and made again during the run.
//! - [`results`]: what comes out, in tables and figures, and how far that is from the best.
//!
//! A rule of your own needs `use clustersim_dag::{…}` and perhaps [`ranks`]: what it implements,
//! sees and answers with is here by name.
//!
//! Source: A. Jarry, H. Casanova, F. Berman, "DAGSim: a simulator for DAG scheduling algorithms",
//! 2000.

mod error;
pub mod execution;
pub mod model;
pub mod planning;
pub mod results;
pub mod schedule;
pub mod scheduler;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod wide_tests;

pub mod judge;
pub mod rows;
pub mod system;

pub use error::{CannotPlan, Unlawful};

pub use execution::Dispatcher;
pub use model::grid::Core;
pub(crate) use model::problem::noted_memory;
pub use model::problem::{Contention, SchedulingProblem};
pub use model::{graph, grid, prediction, predictions};
pub(crate) use planning::no_host::impossible_edges;
pub use planning::plan::{CandidateSlot, Choice, ChoiceFigure, FigureName, PlannedTask, TaskPlan};
pub use planning::view::{Progress, TimeSlot, View};
pub use planning::{assumption, plan, ranks, view};
pub(crate) use results::alone::responses_alone;
pub use results::bounds::LowerBounds;
pub(crate) use results::critical_path::steps_before;
pub use results::critical_path::{CriticalStep, StepKind, critical_path};
pub(crate) use results::metrics::by_kind;
pub use results::metrics::{Baselines, FAMILIES, Terms, cohort, metrics};
pub use results::tables;
pub use schedule::partial::{PartialSchedule, Search};
pub use scheduler::{Dynamic, DynamicScheduler, Scheduler, async_trait};

pub(crate) use clustersim_experiment::{check, measure, output, report, scenario};
pub(crate) use clustersim_forecast as forecast;
pub(crate) use clustersim_kernel as kernel;
pub(crate) use clustersim_language::{collections, registry, text, units};
pub(crate) use clustersim_platform as platform;
pub(crate) use clustersim_workflow as workflow;
