//! A finished run of task graphs, judged by its files: computations and transfers, their hosts and
//! instants, and their plans.
//!
//! Nothing here knows how graphs are planned or executed: the graph comes from `graph.dot`
//! ([`graph`]), what happened from tables ([`run`]), and the caller answers for hosts and links
//! ([`PlatformFacts`]). Loads that were drawn come from `loads.csv` ([`loads`]): without it nothing
//! is judged that depends on them.
//!
//! - [`attempts`]: every start of a task, and where its data came from.
//! - [`tasks`], [`cores`]: every task once, where it can run, on as many cores as it asks for,
//!   alone on each, after its parents, for as long as its work takes.
//! - [`transfers`]: data are sent once their parent has ended and are there before their child
//!   starts, over routes that exist; files that begin at a home host likewise, and those that are
//!   to be there in the end are.
//! - [`instants`]: tasks and transfers are ready, and begin, as soon as they can.
//! - [`plans`], [`plan_file`]: each plan is made for a reason, is consistent by itself, is executed
//!   in its order, and moves nothing that has started; `plan.json` says the same.
//! - [`sheets`], [`metrics`]: tables and numbers that follow from others are what these come to, by
//!   [`bounds`] and [`path`].
//!
//! Of a task that was started again `tasks.csv` has the last attempt, and `attempts.csv` all of
//! them ([`attempts`]): each had what it needed, and what was lost a failure took. Where there were
//! several plans a task may have been moved before it started: what follows from one plan is judged
//! of runs with one. A transfer that a failure broke off has no end, and another row is that by
//! which it was sent again.

mod attempts;
mod bounds;
mod cores;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod fixture;
mod graph;
mod instants;
mod judge;
pub(in crate::check) mod loads;
mod metrics;
mod path;
mod plan_file;
mod plans;
mod platform_facts;
mod reasons;
mod run;
mod sheets;
mod tasks;
#[cfg(test)]
mod tests;
mod transfers;

use serde_json::Value as Json;

use super::{Judgement, Violation};
use crate::kernel::{SimDuration, SimTime};

use reasons::{
    AGAIN, ALONE, CONSERVING, DECISIONS, DRAWN, ENDED, FAILING, NO_GRAPH, NO_MAKESPAN, NO_PLAN_FILE,
    NO_PLANS, NO_TASKS, NO_TRANSFERS, OTHERS, PLACES, PREDICTED, SCHEDULER, SEARCH, SEVERAL, STOPPED,
    TOGETHER,
};

pub use judge::judge_plans;
pub use platform_facts::{
    ArrivedWorkflow, DrawnLoad, HostPrices, KnownPredictions, LinkUse, PartFailure, PartLeft, PlatformFacts,
    SentFile,
};

/// The texts of a run's files, `None` for those that the scenario did not ask for, and what else is
/// known of it.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of the run, independent of the others")]
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanFiles<'a> {
    /// `tasks.csv`.
    pub tasks: Option<&'a str>,
    /// `attempts.csv`.
    pub attempts: Option<&'a str>,
    /// `transfers.csv`.
    pub transfers: Option<&'a str>,
    /// `plans.csv`.
    pub plans: Option<&'a str>,
    /// `hosts.csv`.
    pub hosts: Option<&'a str>,
    /// `graph.dot`.
    pub graph: Option<&'a str>,
    /// `loads.csv`.
    pub loads: Option<&'a str>,
    /// `jobs.csv`.
    pub jobs: Option<&'a str>,
    /// `critical.csv`.
    pub critical: Option<&'a str>,
    /// `schedulers.csv`.
    pub schedulers: Option<&'a str>,
    /// `plan.json`.
    pub plan_file: Option<&'a str>,
    /// Contents of `summary.json`, if its numbers are to be judged.
    pub summary: Option<&'a Json>,
    /// Contents of `manifest.json`.
    pub manifest: Option<&'a Json>,
    /// Right contents of `graph.dot` by the scenario.
    pub graph_of_scenario: Option<&'a str>,
    /// Title and seed of the scenario.
    pub named: (&'a str, u64),
    /// The workflows of the scenario.
    pub workflows: &'a [ArrivedWorkflow],
    /// The name of the scheduler.
    pub scheduler: &'a str,
    /// Knowledge of durations that the scheduler has.
    pub foresight: KnownPredictions,
    /// True if each file is sent to a host once.
    pub cache: bool,
    /// Time that a workflow may take, if one is stated.
    pub deadline: Option<SimDuration>,
    /// Prices of hosts, if they cost something.
    pub prices: Option<&'a HostPrices>,
    /// Period after which a plan is made again, if one scheduler does so.
    pub period: Option<SimDuration>,
    /// The files that are sent under their names: between tasks, or from and to the home host.
    pub sent_files: &'a [SentFile],
    /// Instant at which the run was to be stopped, if one is stated.
    pub until: Option<SimTime>,
    /// The end of the last task in seconds, if the summary has it.
    pub makespan: Option<f64>,
    /// Below which no makespan can be, in seconds, if the summary has it.
    pub lower_bound: Option<f64>,
    /// True if the run was stopped before its last task had ended.
    pub stopped: bool,
    /// True if schedulers take over from one another.
    pub takes_over: bool,
    /// True if a host that fails keeps the data that it holds.
    pub keeps_data: bool,
    /// True if a core takes the first of its tasks that is ready, where the next one of its order
    /// is not.
    pub work_conserving: bool,
    /// The host at which files begin and end, if it is one.
    pub home: Option<&'a str>,
}
