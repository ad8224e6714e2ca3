//! Reports of a finished run for people and programs: a table, a summary, a directory of files.
//!
//! Nothing here decides anything: figures come from the run and are only laid out.

pub mod compared_runs;
pub mod drawing;
pub mod fidelity;
pub mod figures;
pub mod files;
pub mod html;
pub mod lane;
mod lane_spans;
pub mod lane_time;
pub mod levels;
pub mod manifest;
pub mod side_by_side;
pub mod summary;
pub mod terminal;
mod words;
