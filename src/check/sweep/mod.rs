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
//! - [`instants`]: things begin when something has happened, and plans are made when they should be.
//! - [`sheets`], [`metrics`]: tables and numbers that follow from others are what these come to, by [`bounds`] and [`prices`].
//!
//! Of a task that was started again the files have the last attempt.

mod bounds;
mod duplicates;
mod facts;
mod instants;
mod metrics;
mod prices;
mod run;
mod sheets;
mod storages;
mod tasks;
#[cfg(test)]
mod tests;
mod transfers;
mod unjudged;
mod values;

use serde_json::Value as Json;

use crate::kernel::SimTime;

use self::run::Run;
use self::unjudged::NO_TASKS;
use super::sheet::{Right, Sheet};
use super::{Judged, Judgement, Violation};

pub use self::facts::{ScenarioFile, ScenarioSweep, ScenarioTask, SweepFacts, SweepValue};

/// The texts of a run's files, `None` for those that the scenario did not ask for, and what else is known of it.
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
    /// What `summary.json` holds, if its numbers are to be judged.
    pub summary: Option<&'a Json>,
    /// What `manifest.json` holds.
    pub manifest: Option<&'a Json>,
    /// Title and seed of the scenario.
    pub named: (&'a str, u64),
    /// The application of the scenario.
    pub application: Option<&'a ScenarioSweep>,
    /// The last completion in seconds, if the summary has it.
    pub makespan: Option<f64>,
    /// Below which no makespan can be, in seconds, if the summary has it.
    pub lower_bound: Option<f64>,
    /// When its tasks are to be completed, if that is said.
    pub deadline: Option<SimTime>,
    /// What it may cost, if that is said.
    pub budget: Option<f64>,
    /// When it was to be stopped, if that is said.
    pub until: Option<SimTime>,
    /// Whether the optimum was searched for.
    pub searched: bool,
    /// Whether the run was stopped before its last task was completed.
    pub stopped: bool,
    /// Whether links wait for the transfer that is next in the plan.
    pub links_in_order: bool,
    /// Whether hosts may take tasks of others, out of the order of their queues.
    pub may_steal: bool,
    /// Whether the scheduler acts only when something happens: it is no program or rule of somebody's own.
    pub acts_on_events: bool,
}

/// What judges a promise.
type Judge = fn(&Run<'_>) -> Judgement;

/// The promises in words, each with what judges it.
const PROMISES: [(&str, Judge); 21] = [
    ("every task of the application is computed once, from its start to its end", |run| Ok(tasks::once(run))),
    ("tasks run on hosts that exist and can run them, not before they arrive", |run| Ok(tasks::allowed(run))),
    ("no host computes more tasks at once than it has processors", |run| Ok(tasks::apart(run))),
    ("hosts that are not there compute nothing", tasks::present),
    ("tasks compute for as long as their work takes at the availability of their hosts", tasks::computed),
    ("hosts compute their tasks in the planned order", tasks::in_order),
    ("of two computations of a task the later one is cancelled as the other ends", duplicates::broken_off),
    ("computations and transfers begin when something has happened that lets them", instants::begin),
    ("plans are made when they should be, and look as far as they say", instants::plans),
    ("the application is that of the scenario", |run| Ok(instants::application(run))),
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
        "output-arrived of tasks.csv: outputs are sent after the computation, and the last to arrive completes the task",
        transfers::returned,
    ),
    ("the counters of manifest.json are those of the rows", |run| Ok(metrics::counters(run))),
];

/// Judges a run; each promise in words, and what came of it.
///
/// # Errors
/// A file that is not what it should be, with its line and column.
///
/// # Complexity
/// n log n in tasks, files and transfers, and changes of values while they last.
pub fn judge_sweeps(files: &SweepFiles<'_>, grid: &dyn SweepFacts) -> Result<Vec<Judged>, String> {
    let run = match (files.tasks, files.works, files.sizes) {
        (Some(tasks), Some(works), Some(sizes)) => Ok(Run::read(files, [tasks, works, sizes], grid)?),
        _ => Err(NO_TASKS),
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
    let mut all = Vec::new();
    let mut judge = |promise: &str, text: Option<&str>, file, columns: &[&'static str], right: Rows| {
        let sheet = text.map(|text| Sheet::read(file, text, columns)).transpose()?;
        match (sheet, right) {
            (None, _) => {}
            (Some(_), Err(why)) => all.push((format!("{} of {file}", columns.join(", ")), Err(why))),
            (Some(sheet), Ok(right)) => {
                all.push((promise.to_owned(), Ok(sheet.against(&right))));
                all.extend(sheet.left_open(&right));
            }
        }
        Ok::<_, String>(())
    };
    let files = &run.files;
    judge(
        "hosts.csv has what hosts computed",
        files.hosts,
        "hosts.csv",
        sheets::HOSTS,
        Ok(sheets::hosts(run)),
    )?;
    let columns = sheets::cluster_columns(run);
    let right = Ok(sheets::clusters(run));
    judge(
        "clusters.csv has what clusters computed, received and returned",
        files.clusters,
        "clusters.csv",
        columns,
        right,
    )?;
    let columns = sheets::file_columns(run);
    judge(
        "files.csv has the inputs that arrived, and who used them",
        files.files,
        "files.csv",
        columns,
        sheets::files(run),
    )?;
    judge("jobs.csv has the tasks that ended", files.jobs, "jobs.csv", sheets::JOBS, Ok(sheets::jobs(run)))?;
    if let Some(summary) = files.summary {
        all.extend(metrics::summary(run, summary));
    }
    if files.loads.is_some() {
        all.push(("loads.csv has what the seed draws".to_owned(), Ok(run.values.against(run.grid))));
    }
    let choices =
        "planned-start, planned-end of tasks.csv, planned, for-task of transfers.csv, and all choices";
    all.push((choices.to_owned(), Err(unjudged::DECISIONS)));
    if run.plans.as_ref().is_some_and(|plans| !plans.is_empty()) {
        let of_plans = "tasks, looks, interval, correctness, delta, end of plans.csv one by one";
        all.push((of_plans.to_owned(), Err(unjudged::DECISIONS)));
    }
    if run.may_lose() {
        all.push(("attempts of tasks.csv".to_owned(), Err(unjudged::LOST)));
    }
    if run.transfers.is_none() {
        all.push(("transfers of manifest.json".to_owned(), Err(unjudged::NO_TRANSFERS)));
    }
    Ok(all)
}

/// The rows that a table should have, or why they are not known.
type Rows = Result<Vec<Vec<Right>>, &'static str>;
