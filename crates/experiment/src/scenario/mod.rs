//! The scenario language: one TOML file says everything about a run.
//!
//! ```text
//!   files, --set ──load──▶ Written ──check──▶ Scenario ──assemble──▶ Run ──run──▶ Results
//!                  (as written, with places)  (valid, every default)  (owns its inputs)  (figures, files, page)
//! ```
//!
//! [`schema`] declares the keys that all scenarios have; those of a system are declared where it is
//! ([`System`]), what a component's own table holds where the component is ([`crate::registry`]).
//! `check` reports every mistake of every text at once, each at its place; what it lets through is
//! valid, and is written next to the results with every default filled in. `[[vary]]` and
//! `[repeat]` make a [`Study`] of it: every point of the product of the axes is a scenario of its
//! own. Which system a scenario is of follows from its tables; those of systems that cannot be run
//! yet are part of the language and refused by name.

mod additions;
mod asked;
mod axis;
mod check;
mod crossover;
pub mod expect;
mod file_kind;
mod judging;
mod kept_runs;
mod load;
pub mod manual;
pub mod metrics;
pub mod named_files;
mod outside;
mod overridden;
mod overrides;
pub mod recognition;
mod record_all;
pub mod renamed;
mod repeat;
mod run;
mod run_directory;
pub mod schema;
#[cfg(test)]
pub(crate) mod served;
mod session;
mod study;
mod system;
mod system_data;
mod systems;
mod table_results;
mod valid;

pub use additions::{Addition, added_families, declare, own_columns, own_name, with_additions};
pub use asked::{ALL, AskedQuestion, all_among_others, default_axis};
pub use axis::Axis;
pub use check::{keep, keep_all};
pub use crossover::{AxisUnit, Crossover};
pub use file_kind::{FileContent, FileFormat, FileKind, NamedFile, ScenarioOfFile};
pub use judging::Judging;
pub use kept_runs::{KeptRuns, RUNS};
pub use load::{Written, from_text, load};
pub use overrides::Override;
pub use renamed::unknown_metric;
pub use repeat::Repeat;
pub use run::{Figures, InputNote, Loading, Ready, ReplayRequest, Results, Run, ScheduleReplay, WarmUpCut};
pub use run_directory::{Checked, RunDirectory};
pub use schema::whole_keys;
pub use session::{LeftFiles, RunStatus, Session, Subjects, Watch};
pub use study::{Point, Study, check, check_again, study};
pub use system::all_metrics;
pub use system::{AsWritten, Preflight, System};
pub use system_data::{BareFile, ScheduleColumns, StartedProgram, SystemData};
pub use systems::{file_kinds, register, root_keys, systems, tables};
pub use table_results::TableResults;
pub use valid::{Rejected, Scenario};
