//! A finished run of task graphs, judged by its files: what was computed and sent, where, when, and by which plans.
//!
//! Nothing here knows how graphs are planned or executed: the graph comes from `graph.dot` ([`graph`]), what happened from tables
//! ([`run`]), and the caller answers for hosts and links ([`PlatformFacts`]). Loads that were drawn come from `loads.csv` ([`loads`]):
//! without it nothing is judged that depends on them.
//!
//! - [`tasks`]: every task once, where it can run, alone on its core, after its parents, for as long as its work takes.
//! - [`transfers`]: data are sent once their parent has ended and are there before their child starts, over routes that exist; files
//!   that begin at a home host likewise, and those that are to be there in the end are.
//! - [`instants`]: tasks and transfers are ready, and begin, as soon as they can.
//! - [`plans`], [`plan_file`]: each plan is made for a reason, is consistent by itself, is executed in its order, and moves nothing that has
//!   started; `plan.json` says the same.
//! - [`sheets`], [`metrics`]: tables and numbers that follow from others are what these come to, by [`bounds`], [`path`] and [`slack`].
//!
//! Of a task that was started again the files have the last attempt; how earlier ones served its children is not judged. Where there
//! were several plans a task may have been moved before it started: what follows from one plan is judged of runs with one. A transfer that a
//! failure broke off has no end, and another row is that by which it was sent again.

mod bounds;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod fixture;
mod graph;
mod instants;
pub(in crate::check) mod loads;
mod metrics;
mod path;
mod plan_file;
mod plans;
mod platform_facts;
pub(in crate::check) mod rows;
mod run;
mod sheets;
mod slack;
mod tasks;
#[cfg(test)]
mod tests;
mod transfers;

use serde_json::Value as Json;

use self::metrics::Basis;
use self::run::Run;
use super::sheet::{Right, Sheet};
use super::{Judged, Judgement, Violation};
use crate::kernel::{SimDuration, SimTime};

pub use platform_facts::{
    ArrivedWorkflow, DrawnLoad, Foresight, HostPrices, LinkUse, PlatformFacts, SentFile,
};

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
    /// `jobs.csv`.
    pub jobs: Option<&'a str>,
    /// `critical.csv`.
    pub critical: Option<&'a str>,
    /// `schedulers.csv`.
    pub schedulers: Option<&'a str>,
    /// `plan.json`.
    pub plan_file: Option<&'a str>,
    /// What `summary.json` holds, if its numbers are to be judged.
    pub summary: Option<&'a Json>,
    /// What `manifest.json` holds.
    pub manifest: Option<&'a Json>,
    /// What `graph.dot` should hold by the scenario.
    pub graph_of_scenario: Option<&'a str>,
    /// Title and seed of the scenario.
    pub named: (&'a str, u64),
    /// The workflows of the scenario.
    pub workflows: &'a [ArrivedWorkflow],
    /// The name of the scheduler.
    pub scheduler: &'a str,
    /// What the scheduler knows of durations.
    pub foresight: Foresight,
    /// Whether each file is sent to a host once.
    pub cache: bool,
    /// How long a workflow may take, if that is said.
    pub deadline: Option<SimDuration>,
    /// What hosts cost, if they cost something.
    pub prices: Option<&'a HostPrices>,
    /// How often a plan is made again, if one scheduler does so.
    pub period: Option<SimDuration>,
    /// The files that are sent under their names: between tasks, or from and to the home host.
    pub sent_files: &'a [SentFile],
    /// When the run was to be stopped, if that is said.
    pub until: Option<SimTime>,
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
const NO_PLANS: &str = "the run has no plans.csv, or made no plan";
const NO_PLAN_FILE: &str = "the run has no plans.csv";
const NO_MAKESPAN: &str = "the summary has no makespan";
const STOPPED: &str = "the run was stopped, and tasks had not ended";
const DRAWN: &str = "loads were drawn, and the run has no loads.csv (record.loads)";
const TOGETHER: &str = "links carry several transfers at once";
const FAILING: &str = "hosts or links fail, and when they let something wait is not in the files";
const PREDICTED: &str = "the predictions are not in the files";
const ENDED: &str = "the run was stopped, and when is not in the files";
const OTHERS: &str = "the other schedulers are not run again";
const ALONE: &str = "no workflow is run alone again";
const SEARCH: &str = "the search for the optimum is not made again";
const SCHEDULER: &str = "the scheduler says so of itself";
const PLACES: &str = "the places that tasks had in earlier plans are not in the files";
const AGAIN: &str = "hosts or links fail, and lost attempts are not in the files";
const DECISIONS: &str = "no rule of a scheduler is followed here";
const SEVERAL: &str = "there were several plans";
const CONSERVING: &str = "cores take the first of their tasks that is ready";

/// What judges a promise.
type Judge = fn(&Run<'_>) -> Judgement;

/// The promises in words, each with what judges it.
const PROMISES: [(&str, Judge); 23] = [
    ("every task of the graph runs once, from its start to its end", |run| Ok(tasks::once(run))),
    ("tasks run on cores that exist, of hosts that can run them", |run| Ok(tasks::allowed(run))),
    ("no core computes two tasks at once", |run| Ok(tasks::apart(run))),
    ("no task starts before its parents have ended", |run| Ok(tasks::after_parents(run))),
    ("tasks compute for as long as their work takes at the availability of their hosts", tasks::computed),
    ("the makespan is the end of the last task, and not below the lower bound", tasks::makespan),
    (
        "predicted, planned-start, planned-end of tasks.csv: they are as what schedulers know makes them",
        tasks::predicted,
    ),
    (
        "ready of tasks.csv: tasks are ready once their data are there, and start when their cores are free",
        instants::of_tasks,
    ),
    ("no task starts before its data are on its host", transfers::arrived),
    ("files that are to be returned are on the home host at the end", transfers::returned),
    ("transfers carry the data of the graph, after the ends of their parents", transfers::sent),
    ("nothing is sent between hosts that no route joins", |run| Ok(transfers::joined(run))),
    ("transfers take as long as latency and bandwidth make them", transfers::carried),
    (
        "ready of transfers.csv: data are ready once they are written, and are sent when their links are free",
        instants::of_transfers,
    ),
    ("no link carries two transfers at once", transfers::apart),
    ("links carry transfers in the planned order", transfers::in_order),
    ("plans are made for a reason", plans::caused),
    ("plans have places for tasks that have not started, and only these are moved", plans::not_started),
    (
        "a plan gives no core two tasks at once, and no child a start before its parents' ends",
        plans::consistent,
    ),
    ("cores compute their tasks in the planned order", plans::in_order),
    ("plan.json has the places of tasks and transfers", plan_file::agrees),
    ("the places of transfers in plan.json are known", plan_file::transfers),
    ("the counters of manifest.json are those of the rows", |run| Ok(metrics::counters(run))),
];

/// Judges a run; each promise in words, and what came of it.
///
/// # Errors
/// A file that is not what it should be, with its line and column.
///
/// # Complexity
/// n log n in tasks, edges, and the links of all transfers.
pub fn judge_plans(files: &PlanFiles<'_>, platform: &dyn PlatformFacts) -> Result<Vec<Judged>, String> {
    let run = match (files.tasks, files.graph) {
        (None, _) => Err(NO_TASKS),
        (_, None) => Err(NO_GRAPH),
        (Some(tasks), Some(graph)) => Ok(Run::read(files, tasks, graph, platform)?),
    };
    let judged = |judge: Judge| run.as_ref().map_err(|why| *why).and_then(judge);
    let mut all: Vec<Judged> =
        PROMISES.iter().map(|(promise, judge)| ((*promise).to_owned(), judged(*judge))).collect();
    if let Ok(run) = &run {
        all.extend(derived(run)?);
    }
    Ok(all)
}

/// What follows from other files: tables and numbers.
fn derived(run: &Run<'_>) -> Result<Vec<Judged>, String> {
    let files = &run.files;
    let basis = Basis::of(run);
    let sheet = |text: Option<&str>, file, columns: &[&'static str]| {
        text.map(|text| Sheet::read(file, text, columns)).transpose()
    };
    let hosts = sheet(files.hosts, "hosts.csv", sheets::host_columns(run))?;
    let jobs = sheet(files.jobs, "jobs.csv", sheets::JOBS)?;
    let critical = sheet(files.critical, "critical.csv", sheets::CRITICAL)?;
    let compared = sheet(files.schedulers, "schedulers.csv", sheets::SCHEDULERS)?;
    let whole = files.tasks.filter(|_| files.summary.is_some());
    let slack = sheet(whole, "tasks.csv", &["slack", "planned-slack"])?;
    let mut all = Vec::new();
    let mut judge = |promise: &str, sheet: &Option<Sheet>, right: &dyn Fn(&Sheet) -> Vec<Vec<Right>>| {
        if let Some(sheet) = sheet {
            let right = right(sheet);
            all.push((promise.to_owned(), Ok(sheet.against(&right))));
            all.extend(sheet.left_open(&right));
        }
    };
    judge("hosts.csv has what hosts computed", &hosts, &|_| sheets::hosts(run));
    judge("jobs.csv has the tasks that ended", &jobs, &|_| sheets::jobs(run));
    judge("critical.csv is the chain that ends at the makespan", &critical, &|sheet| {
        sheets::critical(run).unwrap_or_else(|_| sheets::critical_by_itself(run, sheet))
    });
    judge("schedulers.csv fits this run and the bounds", &compared, &|sheet| {
        sheets::schedulers(run, basis.bounds, metrics::proven(run), sheet)
    });
    judge("the slack of tasks is what their followers leave", &slack, &|_| sheets::slacks(run));
    if let Some(summary) = files.summary {
        all.extend(metrics::summary(run, &basis, summary, (compared.as_ref(), critical.as_ref())));
    }
    if let Some(loads) = &run.loads {
        all.push(("loads.csv has what the seed draws".to_owned(), Ok(loads.against(run.platform))));
    }
    if let (Some(right), Some(graph)) = (files.graph_of_scenario, files.graph) {
        all.push(("graph.dot is the graph of the scenario".to_owned(), Ok(graph::against(graph, right))));
    }
    if run.plans.as_ref().is_some_and(|plans| plans.len() > 1) {
        all.push(("tasks, moved, end of plans.csv after the first".to_owned(), Err(PLACES)));
    }
    if run.has_failures() {
        all.push(("attempts of tasks.csv".to_owned(), Err(AGAIN)));
    }
    all.push(("the choice of cores and orders".to_owned(), Err(DECISIONS)));
    Ok(all)
}
