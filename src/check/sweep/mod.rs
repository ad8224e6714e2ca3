//! A finished run of a parameter sweep, judged by its files: what was computed and sent, where and when.
//!
//! Nothing here knows how sweeps are planned or executed: the application comes from `works.csv` and `sizes.csv`, what happened from
//! `tasks.csv` and `transfers.csv` ([`run`]), and the caller answers for clusters and hosts ([`SweepFacts`]). Values that were drawn come
//! from `loads.csv` ([`values`]): without it nothing is judged that depends on them.
//!
//! - [`tasks`]: every task once, where it can run, with a processor to itself, for as long as its work takes.
//! - [`duplicates`]: second computations of tasks, cancelled as the first to end ends.
//! - [`storages`]: what is there, no more than storages hold.
//! - [`transfers`]: one at a time on a link, for as long as they take; inputs before computations, outputs after them.
//!
//! Of a task that was started again the files have the last attempt.

mod duplicates;
mod facts;
mod prices;
mod run;
mod storages;
mod tasks;
#[cfg(test)]
mod tests;
mod transfers;
mod unjudged;
mod values;

use crate::kernel::SimTime;

use self::run::Run;
use self::unjudged::NO_TASKS;
use super::{Judgement, Violation};

pub use self::facts::{SweepFacts, SweepValue};

/// The texts of a run's files, `None` for those that the scenario did not ask for, and what else is known of it.
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
    /// The last completion in seconds, if the summary has it.
    pub makespan: Option<f64>,
    /// Below which no makespan can be, in seconds, if the summary has it.
    pub lower_bound: Option<f64>,
    /// The time of computations that were thrown away, in seconds, if the summary has it.
    pub discarded: Option<f64>,
    /// The time of computations that were lost, in seconds, if the summary has it.
    pub lost: Option<f64>,
    /// What the run costs, if the summary has it.
    pub cost: Option<f64>,
    /// When its tasks are to be completed, and how many were not, if the summary has that.
    pub deadline: Option<(SimTime, u64)>,
    /// Whether the run was stopped before its last task was completed.
    pub stopped: bool,
    /// Whether links wait for the transfer that is next in the plan.
    pub links_in_order: bool,
    /// Whether hosts compute tasks in another order than that of their queues: they steal, or there are no queues.
    pub out_of_order: bool,
}

/// What judges a promise.
type Judge = fn(&Run<'_>) -> Judgement;

/// The promises in words, each with what judges it.
const PROMISES: [(&str, Judge); 20] = [
    ("every task of the application is computed once, from its start to its end", |run| Ok(tasks::once(run))),
    ("tasks run on hosts that exist and can run them, not before they arrive", |run| Ok(tasks::allowed(run))),
    ("no host computes more tasks at once than it has processors", |run| Ok(tasks::apart(run))),
    ("hosts that are not there compute nothing", tasks::present),
    ("tasks compute for as long as their work takes at the availability of their hosts", tasks::computed),
    ("hosts compute their tasks in the planned order", tasks::in_order),
    ("of two computations of a task the later one is cancelled as the other ends", duplicates::broken_off),
    ("hosts compute as many tasks, for as long, as tasks have them", tasks::hosts),
    ("the makespan is the last completion, and not below the lower bound", tasks::makespan),
    (
        "transfers carry files of the tasks that they are for, which have arrived, between their origins and clusters",
        transfers::sent,
    ),
    ("no link carries two transfers at once", transfers::apart),
    ("links that wait for the next transfer of the plan carry them in its order", transfers::in_order),
    ("links that are not there carry nothing", transfers::present),
    ("transfers take as long as latency and bandwidth make them", transfers::carried),
    ("no file is sent to a cluster that has it", transfers::once),
    (
        "no task starts before its inputs are on its cluster, and none is removed before it ends",
        transfers::arrived,
    ),
    ("no storage holds more than it can, and what is there has arrived", storages::within),
    (
        "outputs are sent after the computation, and the last to arrive completes the task",
        transfers::returned,
    ),
    ("the cost is that of computations and transfers at their prices", prices::cost),
    ("as many tasks miss the deadline as is reported", |run| Ok(prices::deadline(run))),
];

/// Judges a run; each promise in words, and what came of it.
///
/// # Errors
/// A file that is not what it should be, with its line and column.
///
/// # Complexity
/// n log n in tasks, files and transfers, and changes of values while they last.
pub fn judge_sweeps(
    files: &SweepFiles<'_>,
    grid: &dyn SweepFacts,
) -> Result<Vec<(&'static str, Judgement)>, String> {
    let run = match (files.tasks, files.works, files.sizes) {
        (Some(tasks), Some(works), Some(sizes)) => Ok(Run::read(files, [tasks, works, sizes], grid)?),
        _ => Err(NO_TASKS),
    };
    let judged = |judge: Judge| run.as_ref().map_err(|why| *why).and_then(judge);
    Ok(PROMISES.iter().map(|(promise, judge)| (*promise, judged(*judge))).collect())
}
