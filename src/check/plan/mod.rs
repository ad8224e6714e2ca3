//! A finished run of task graphs, judged by its files: what was computed and sent, where, when, and by which plans.
//!
//! Nothing here knows how graphs are planned or executed: the graph comes from `graph.dot` ([`graph`]), what happened from tables
//! ([`run`]), and the caller answers for hosts and links ([`PlatformFacts`]). Loads that were drawn come from `loads.csv` ([`loads`]):
//! without it nothing is judged that depends on them.
//!
//! - [`tasks`]: every task once, where it can run, alone on its core, after its parents, for as long as its work takes.
//! - [`transfers`]: data are sent once their parent has ended and are there before their child starts, over routes that exist; files
//!   that begin at a home host likewise, and those that are to be there in the end are.
//! - [`plans`]: each plan is consistent by itself, is executed in its order, and moves nothing that has started.
//!
//! Of a task that was started again the files have the last attempt; how earlier ones served its children is not judged. Where there
//! were several plans a task may have been moved before it started: what follows from one plan is judged of runs with one. A transfer that a
//! failure broke off has no end, and another row is that by which it was sent again.

#[cfg(test)]
mod faults;
#[cfg(test)]
mod fixture;
mod graph;
pub(in crate::check) mod loads;
mod plans;
mod platform_facts;
pub(in crate::check) mod rows;
mod run;
mod tasks;
#[cfg(test)]
mod tests;
mod transfers;

use self::run::Run;
use super::{Judgement, Violation};

pub use platform_facts::{LinkUse, PlatformFacts, TransferEnd};

/// The texts of a run's files, `None` for those that the scenario did not ask for, and what else is known of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanFiles<'a> {
    /// `tasks.csv`.
    pub tasks: Option<&'a str>,
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
    /// The end of the last task in seconds, if the summary has it.
    pub makespan: Option<f64>,
    /// Below which no makespan can be, in seconds, if the summary has it.
    pub lower_bound: Option<f64>,
    /// Whether the run was stopped before its last task had ended.
    pub stopped: bool,
    /// Whether a core takes the first of its tasks that is ready, where the next one of its order is not.
    pub work_conserving: bool,
    /// The host at which files begin and end, if it is one.
    pub home: Option<&'a str>,
}

const NO_TASKS: &str = "the run has no tasks.csv (record.tasks)";
const NO_GRAPH: &str = "the run has no graph.dot";
const NO_TRANSFERS: &str = "the run has no transfers.csv (record.transfers)";
const NO_PLANS: &str = "the run has no plans.csv";
const NO_HOSTS: &str = "the run has no hosts.csv";
const NO_MAKESPAN: &str = "the summary has no makespan";
const STOPPED: &str = "the run was stopped, and tasks had not ended";
const DRAWN: &str = "loads were drawn, and the run has no loads.csv (record.loads)";
const TOGETHER: &str = "links carry several transfers at once";
const NO_ORDER: &str = "the order of links is not in the files";
const AGAIN: &str = "tasks were started again, and the time of lost attempts is not in the files";
const SEVERAL: &str = "there were several plans";
const CONSERVING: &str = "cores take the first of their tasks that is ready";

/// What judges a promise.
type Judge = fn(&Run<'_>) -> Judgement;

/// The promises in words, each with what judges it.
const PROMISES: [(&str, Judge); 17] = [
    ("every task of the graph runs once, from its start to its end", |run| Ok(tasks::once(run))),
    ("tasks run on cores that exist, of hosts that can run them", |run| Ok(tasks::allowed(run))),
    ("no core computes two tasks at once", |run| Ok(tasks::apart(run))),
    ("no task starts before its parents have ended", |run| Ok(tasks::after_parents(run))),
    ("tasks compute for as long as their work takes at the availability of their hosts", tasks::computed),
    ("the makespan is the end of the last task, and not below the lower bound", tasks::makespan),
    ("hosts compute as many tasks, for as long, as tasks have them", tasks::hosts),
    ("no task starts before its data are on its host", transfers::arrived),
    ("files that are to be returned are on the home host at the end", transfers::returned),
    ("transfers carry the data of the graph, after the ends of their parents", transfers::sent),
    ("nothing is sent between hosts that no route joins", |run| Ok(transfers::joined(run))),
    ("transfers take as long as latency and bandwidth make them", transfers::carried),
    ("no link carries two transfers at once", transfers::apart),
    ("links carry transfers in the planned order", transfers::in_order),
    ("plans have places for tasks that have not started, and only these are moved", plans::not_started),
    (
        "a plan gives no core two tasks at once, and no child a start before its parents' ends",
        plans::consistent,
    ),
    ("cores compute their tasks in the planned order", plans::in_order),
];

/// Judges a run; each promise in words, and what came of it.
///
/// # Errors
/// A file that is not what it should be, with its line and column.
///
/// # Complexity
/// n log n in tasks, edges, and the links of all transfers.
pub fn judge_plans(
    files: &PlanFiles<'_>,
    platform: &dyn PlatformFacts,
) -> Result<Vec<(&'static str, Judgement)>, String> {
    let run = match (files.tasks, files.graph) {
        (None, _) => Err(NO_TASKS),
        (_, None) => Err(NO_GRAPH),
        (Some(tasks), Some(graph)) => Ok(Run::read(files, tasks, graph, platform)?),
    };
    let judged = |judge: Judge| run.as_ref().map_err(|why| *why).and_then(judge);
    Ok(PROMISES.iter().map(|(promise, judge)| (*promise, judged(*judge))).collect())
}
