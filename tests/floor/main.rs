//! The floor of all systems: command line, studies, reports, diagnostics, manual, and systems
//! side by side.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod axes;
#[cfg(unix)]
mod bounds;
mod browser;
mod check_command;
mod checkable;
mod ci;
mod cli;
mod compared_runs;
mod conformance;
mod convert;
mod crossovers;
mod dags;
mod definitions;
mod diagnostics;
mod endless;
mod exact_times;
mod explained_lanes;
#[cfg(unix)]
mod failing_runs;
mod false_alarms;
mod figures;
mod first_rows;
#[cfg(unix)]
mod full_disk;
mod fuzz_corpus;
mod gres_conf;
#[cfg(unix)]
mod interrupted;
mod judged_runs;
#[cfg(unix)]
mod kept_runs;
mod lane_totals;
mod limits;
mod manual;
mod many_mistakes;
mod mistakes;
mod one_at_a_time;
mod own_file_kind;
mod own_system;
mod parquet;
mod power_of_families;
mod questions;
mod readme;
mod recognition;
mod rejections;
mod result_table;
mod show;
mod strangers;
mod streams;
#[cfg(unix)]
mod study;
#[cfg(unix)]
mod sweep;
mod sweep_as_graph;
mod task_detail;
mod telling;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod to_power;
mod trace;
mod trust;
mod tutorial;
mod verdicts;
mod warnings;
mod words;
mod wrong_input;
