//! Studies: every point of a scenario's axes, run as often as asked, on as many threads as there
//! are.
//!
//! ```text
//!   scenario ──▶ Plan ──▶ runs, one a thread ──▶ Row a run ──▶ journal ──▶ results.csv, study.json
//!              (points x replications)      (append-only, survives any end)   manifest.json
//! ```
//!
//! A run is named by its point and its replication. Its random streams depend on the seed and the
//! replication, never on the point, so all points of a replication meet the same workload. What a
//! run gives is one [`Row`]; a journal line is written the moment the run is over, and a line that
//! is whole is never computed again. The final files are made from the rows in the order of (point,
//! replication) and from nothing else: neither threads nor interruptions nor the order of
//! completion leave a trace in them.
//!
//! What the rows say together is arithmetic on plain values, without a file or a clock: [`verdict`]
//! says whether one point is better than another, [`power`] with how many replications that would
//! be known, [`warnings`] what must be said with a figure, [`warnings_by_code`] says it once for
//! all points, [`build`] makes the whole ([`summary`]) of them, [`findings`] answers the
//! [`question`], and [`compare_table`] is how that is read on a terminal, [`compare_formats`] in a
//! paper. [`crossover`] finds where along an axis one setting begins to be ahead of another. Where
//! replications randomize a log, each point has a further run of the log as recorded, which is
//! compared with them ([`recorded`]).
//!
//! Where replications follow from a pilot, its spreads say how many ([`to_power`]).
//!
//! Before the first run every point is looked at ([`preflight`]). This is the only module with
//! threads; every run stays on one. Where one machine is not enough, the runs are divided into
//! [`shards`], each made by a process of its own, for example as tasks of a job array ([`slurm`]).

pub mod build;
pub mod compare_formats;
pub mod compare_table;
pub mod crossover;
pub mod directory;
pub mod execute;
pub mod expect;
pub mod findings;
mod findings_notes;
pub mod journal;
pub mod kept;
pub mod matrix;
pub mod plan;
pub mod power;
pub mod preflight;
pub mod question;
pub mod recorded;
pub mod results;
pub mod row;
pub mod run;
pub mod run_metrics;
pub mod shards;
pub mod slurm;
pub mod stopping;
pub mod summarise;
pub mod summary;
pub mod table;
pub mod threads;
pub mod to_power;
pub mod verdict;
pub mod warnings;
pub mod warnings_by_code;

pub use execute::{Execution, StudyStatus, execute};
pub use plan::Plan;
pub use row::{Row, State};
