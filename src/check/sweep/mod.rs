//! A finished run of a parameter sweep, judged by its files: what was computed and sent, where and when.
//!
//! Nothing here knows how sweeps are planned or executed: the application comes from `works.csv` and `sizes.csv`, what happened from
//! `tasks.csv` and `transfers.csv` ([`run`]), and the caller answers for clusters and hosts ([`SweepFacts`]). Values that were drawn come
//! from `loads.csv` ([`values`]): without it nothing is judged that depends on them.
//!
//! - [`tasks`]: every task once, where it can run, with a processor to itself, for as long as its work takes.
//! - [`duplicates`]: second computations of tasks, cancelled as the first to end ends.
//! - [`transfers`]: one at a time on a link, for as long as they take; inputs before computations, outputs after them.
//!
//! Of a task that was started again the files have the last attempt.

mod duplicates;
mod run;
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
    /// Whether the run was stopped before its last task was completed.
    pub stopped: bool,
    /// Whether links wait for the transfer that is next in the plan.
    pub links_in_order: bool,
    /// Whether hosts compute tasks in another order than that of their queues: they steal, or there are no queues.
    pub out_of_order: bool,
}

/// What changes of hosts and clusters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SweepValue {
    /// The share of a host that is available.
    Availability,
    /// Above 0 while a host is there.
    HostPresence,
    /// Bytes per second of the link of a cluster.
    Bandwidth,
    /// Seconds of that link.
    Latency,
    /// Above 0 while a cluster is there.
    ClusterPresence,
}

/// What is known of the grid that a run was on: hosts and clusters by number.
pub trait SweepFacts {
    /// The host of this name.
    fn host(&self, name: &str) -> Option<usize>;

    /// The cluster of this name.
    fn cluster(&self, name: &str) -> Option<usize>;

    /// The cluster of a host.
    fn cluster_of(&self, host: usize) -> usize;

    /// Tasks that a host computes at a time.
    fn processors(&self, host: usize) -> u32;

    /// Which of the times of a task holds on a host.
    fn architecture(&self, host: usize) -> usize;

    /// What times are divided by on a host.
    fn speed(&self, host: usize) -> f64;

    /// Whether tasks wait on a host before they compute.
    fn waits(&self, host: usize) -> bool;

    /// Whether files stay on a cluster.
    fn has_storage(&self, cluster: usize) -> bool;

    /// A value of a host or a cluster at an instant, and until when it holds; nothing if it was drawn.
    fn value(&self, of: SweepValue, number: usize, at: SimTime) -> Option<(f64, Option<SimTime>)>;
}

/// What judges a promise.
type Judge = fn(&Run<'_>) -> Judgement;

/// The promises in words, each with what judges it.
const PROMISES: [(&str, Judge); 17] = [
    ("every task of the application is computed once, from its start to its end", |run| Ok(tasks::once(run))),
    ("tasks run on hosts that exist and can run them, not before they arrive", |run| Ok(tasks::allowed(run))),
    ("no host computes more tasks at once than it has processors", |run| Ok(tasks::apart(run))),
    ("hosts that are not there compute nothing", tasks::present),
    ("tasks compute for as long as their work takes at the availability of their hosts", tasks::computed),
    ("hosts compute their tasks in the planned order", tasks::in_order),
    ("of two computations of a task the later one is cancelled as the other ends", duplicates::broken_off),
    ("hosts compute as many tasks, for as long, as tasks have them", tasks::hosts),
    ("the makespan is the last completion, and not below the lower bound", tasks::makespan),
    ("transfers carry files of the tasks that they are for, which have arrived", transfers::sent),
    ("no link carries two transfers at once", transfers::apart),
    ("links that wait for the next transfer of the plan carry them in its order", transfers::in_order),
    ("links that are not there carry nothing", transfers::present),
    ("transfers take as long as latency and bandwidth make them", transfers::carried),
    ("no file is sent to a cluster that has it", transfers::once),
    ("no task starts before its inputs are on its cluster", transfers::arrived),
    (
        "outputs are sent after the computation, and the last to arrive completes the task",
        transfers::returned,
    ),
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
