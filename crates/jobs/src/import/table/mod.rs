//! Tables of jobs as workloads: `[workload] kind = "table"`.
//!
//! A table has a row a job, in CSV or TSV, JSON lines or a JSON array, or Parquet; the accounting
//! logs of Torque and PBS are read as one (`accounting`). Which column states what, and in which
//! unit, is written in `[workload.columns]`, or is that of a public source (`like`); nothing is
//! guessed.
//!
//! | of a row | becomes |
//! |---|---|
//! | place among the rows, from 1 | the number of its job: numbers of tables repeat |
//! | end minus start, else `run-time` | run time; where both are there, differences are counted |
//! | a start before the submission | the submission |
//! | processors, else nodes, else GPUs | processors; the last two are counted |
//! | a state that says so, no submission, start, end, run time or size | dropped, by that order |
//!
//! A row is read as a stream in which the columns that are named have slots (`row`); times
//! (`moment`), sizes (`size`) and states (`states`) are read from these. Rows that repeat
//! others are jobs as well.
//!
//! Memory, GPUs and their kind are asked for where `resources = "allocated"` says so, as for dumps
//! of Slurm.

mod accounting;
mod archive;
mod bounds;
mod cell;
#[cfg(feature = "parquet")]
mod columnar;
mod delimited;
mod describe;
mod foreign;
mod input;
mod keys;
mod machine;
mod mapping;
mod moment;
mod names;
mod objects;
mod open;
mod path;
mod preset;
mod read;
mod row;
mod size;
mod source;
mod split;
mod states;
#[cfg(test)]
mod tests;

pub use accounting::ACCOUNTING;
pub use archive::is_archive;
pub use describe::{ColumnSurvey, ColumnType, Guess, GuessedKey, SHOWN_VALUES, TableSurvey, date, survey};
pub use input::Input;
pub use machine::{NodeGroup, read_nodes, sum_of};
pub use mapping::Mapping;
pub use preset::{SourceMachine, source_machine};
pub use read::{TableTotals, read};
pub use source::{TABLE, mapping_of, needs};
