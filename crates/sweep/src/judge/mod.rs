//! A finished run of a parameter sweep, judged by its files: what was computed and sent, where and
//! when.
//!
//! Nothing here knows how sweeps are planned or executed: the application comes from `works.csv`
//! and `sizes.csv`, what happened from `tasks.csv` and `transfers.csv` (`run`), and the caller
//! answers for clusters and hosts (`SweepFacts`). Values that were drawn come from `loads.csv`
//! (`facts`): without it nothing is judged that depends on them.
//!
//! - `tasks`: every task once, where it can run, with a processor to itself, for as long as its
//!   work takes; a second computation is cancelled as the first to end ends.
//! - `storages`: what is there, no more than storages hold.
//! - `transfers`: one at a time on a link, for as long as they take; inputs before computations,
//!   outputs after them.
//! - `instants`: things begin when something has happened, and plans are made when they should
//!   be.
//! - `sheets`, `metrics`: tables, costs and numbers that follow from others are what these come
//!   to, by `bounds`.
//!
//! Of a task that was started again the files have the last attempt.

mod bounds;
mod facts;
mod instants;
mod metrics;
mod run;
mod sheets;
mod storages;
mod tasks;
#[cfg(test)]
mod tests;
mod transfers;
mod verdict;

use crate::check::{Judgement, Violation};

pub(crate) use self::facts::{ScenarioFile, ScenarioSweep, ScenarioTask, SweepFacts, SweepFiles, SweepValue};
pub(crate) use self::verdict::judge_sweeps;
