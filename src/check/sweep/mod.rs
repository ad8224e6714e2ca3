//! A finished run of a parameter sweep, judged by its files: what was computed and sent, where and
//! when.
//!
//! Nothing here knows how sweeps are planned or executed: the application comes from `works.csv`
//! and `sizes.csv`, what happened from `tasks.csv` and `transfers.csv` ([`run`]), and the caller
//! answers for clusters and hosts ([`SweepFacts`]). Values that were drawn come from `loads.csv`
//! ([`facts`]): without it nothing is judged that depends on them.
//!
//! - [`tasks`]: every task once, where it can run, with a processor to itself, for as long as its
//!   work takes; a second computation is cancelled as the first to end ends.
//! - [`storages`]: what is there, no more than storages hold.
//! - [`transfers`]: one at a time on a link, for as long as they take; inputs before computations,
//!   outputs after them.
//! - [`instants`]: things begin when something has happened, and plans are made when they should
//!   be.
//! - [`sheets`], [`metrics`]: tables, costs and numbers that follow from others are what these come
//!   to, by [`bounds`].
//!
//! Of a task that was started again the files have the last attempt.

mod bounds;
mod facts;
mod instants;
mod judge;
mod metrics;
mod run;
mod sheets;
mod storages;
mod tasks;
#[cfg(test)]
mod tests;
mod transfers;

use serde_json::Value as Json;

use crate::kernel::{SimDuration, SimTime};

use super::{Judgement, Violation};

pub use self::facts::{ScenarioFile, ScenarioSweep, ScenarioTask, SweepFacts, SweepValue};
pub use self::judge::judge_sweeps;

/// The texts of a run's files, `None` for those that the scenario did not ask for, and what else is
/// known of it.
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepFiles<'a> {
    /// `tasks.csv`.
    pub tasks: Option<&'a str>,
    /// `works.csv`.
    pub works: Option<&'a str>,
    /// `sizes.csv`.
    pub sizes: Option<&'a str>,
    /// `transfers.csv`.
    pub transfers: Option<&'a str>,
    /// `hosts.csv`.
    pub hosts: Option<&'a str>,
    /// `plans.csv`.
    pub plans: Option<&'a str>,
    /// `files.csv`.
    pub files: Option<&'a str>,
    /// `loads.csv`.
    pub loads: Option<&'a str>,
    /// `duplicates.csv`.
    pub duplicates: Option<&'a str>,
    /// `clusters.csv`.
    pub clusters: Option<&'a str>,
    /// `jobs.csv`.
    pub jobs: Option<&'a str>,
    /// Contents of `summary.json`, if its numbers are to be judged.
    pub summary: Option<&'a Json>,
    /// Contents of `manifest.json`.
    pub manifest: Option<&'a Json>,
    /// Title and seed of the scenario.
    pub named: (&'a str, u64),
    /// The application of the scenario.
    pub application: Option<&'a ScenarioSweep>,
    /// The last completion in seconds, if the summary has it.
    pub makespan: Option<f64>,
    /// Below which no makespan can be, in seconds, if the summary has it.
    pub lower_bound: Option<f64>,
    /// Instant by which the tasks are to be completed, if one is stated.
    pub deadline: Option<SimTime>,
    /// Greatest cost that the run may have, if one is stated.
    pub budget: Option<f64>,
    /// Instant at which the run was to be stopped, if one is stated.
    pub until: Option<SimTime>,
    /// True if the optimum was searched for.
    pub searched: bool,
    /// True if the run was stopped before its last task was completed.
    pub stopped: bool,
    /// True if links wait for the transfer that is next in the plan.
    pub links_in_order: bool,
    /// True if hosts may take tasks of others, out of the order of their queues.
    pub may_steal: bool,
    /// Time that each plan takes before it is taken up.
    pub planning_time: SimDuration,
    /// Time that a plan takes for each look instead, if one is stated.
    pub per_look: Option<SimDuration>,
    /// True if the scheduler acts only when something happens: it is no program and no
    /// rule of another crate.
    pub acts_on_events: bool,
}
