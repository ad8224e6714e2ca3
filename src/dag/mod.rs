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
//! - [`graph`]: tasks and edges, of one workflow or of a stream of them.
//! - [`grid`]: hosts, cores, and what a transfer between two hosts takes.
//! - [`prediction`]: what is known beforehand, and how wrong; [`forecasting`]; [`predictions`]: by
//!   name.
//! - `standing`: how far a run has come; [`view`]: what a scheduler sees of it; [`schedule`]: the
//!   slots that a task could have; [`ranks`]; [`choice`]: why it has its slot.
//! - [`assumption`]: what a rule expects of its input; [`bounds`]: what no plan is shorter than.
//! - [`scheduler`]: the published rules, one file each.
//! - [`execution`]: a plan as it happens, and made again during the run; [`tables`] and
//!   [`FAMILIES`]: what comes out; [`billing`]: what it costs.
//! - `alone`: how long each workflow of a stream would take by itself; [`slack`]: by how much each
//!   task could have been later; [`gap`]: how far the run is from the best of other schedulers and
//!   from the optimum.
//!
//! A rule of your own needs `use clustersim::dag::{…}` and perhaps [`ranks`]: what it implements,
//! sees and answers with is here by name.
//!
//! Source: A. Jarry, H. Casanova, F. Berman, "DAGSim: a simulator for DAG scheduling algorithms",
//! 2000.

mod alone;
pub mod assumption;
pub mod billing;
pub mod bounds;
pub mod choice;
mod circle;
mod cohort;
mod core_groups;
mod critical_path;
mod each_offer;
mod error;
pub mod execution;
pub mod forecasting;
mod free_cores;
mod free_gaps;
pub mod gap;
pub mod graph;
pub mod grid;
mod metrics;
mod no_host;
mod offers;
mod pair_heaps;
pub mod plan;
pub mod plan_file;
pub mod prediction;
pub mod predictions;
mod problem;
mod queues;
pub mod ranks;
pub mod schedule;
pub mod scheduler;
mod sequences;
pub mod slack;
mod slots;
mod standing;
pub mod start_rows;
mod starts;
mod steady_board;
mod steady_tasks;
pub mod tables;
#[cfg(test)]
mod tests;
pub mod view;
#[cfg(test)]
mod wide_tests;
mod window;

pub use alone::responses_alone;
pub use bounds::LowerBounds;
pub use choice::{CandidateSlot, Choice, ChoiceFigure, FigureName};
pub use cohort::cohort;
pub use critical_path::{CriticalStep, StepKind, critical_path, steps_before};
pub use error::{CannotPlan, RunFailed, Unlawful};
pub use execution::Dispatcher;
pub use grid::Core;
pub use metrics::{Baselines, FAMILIES, Terms, by_kind, metrics};
pub use no_host::impossible_edges;
pub use plan::{PlannedTask, PlannedTransfer, TaskPlan};
pub use problem::{Contention, SchedulingProblem, noted_memory};
pub use schedule::{PartialSchedule, Search};
pub use scheduler::{Dynamic, DynamicScheduler, Scheduler, async_trait};

pub use view::{Progress, TimeSlot, View};
