//! The promises of a run of a parameter sweep, and what judges each.

use crate::check::each_promise::judge_each;
use crate::check::sheet::{Right, Sheet};
use crate::check::{JudgedPromise, Judgement};
use crate::output::{Always, Row};
use crate::rows::{ClusterRow, FileRow, HostRow};
use clustersim_experiment::rows::jobs::{JobColumns, JobRow};

use super::run::{DECISIONS, LOST, NO_TASKS, NO_TRANSFERS, Run};
use super::{SweepFacts, SweepFiles, instants, metrics, sheets, storages, tasks, transfers};

/// Function that judges a promise.
pub(super) type Judge = fn(&Run<'_>) -> Judgement;

/// The promises in words, each with what judges it.
pub(super) const PROMISES: [(&str, Judge); 21] = [
    ("every task of the application is computed once, from its start to its end", |run| Ok(tasks::once(run))),
    ("tasks run on hosts that exist and can run them, not before they arrive", |run| Ok(tasks::allowed(run))),
    ("no host computes more tasks at once than it has processors", |run| Ok(tasks::apart(run))),
    ("hosts that are not there compute nothing", tasks::present),
    ("tasks compute for as long as their work takes at the availability of their hosts", tasks::computed),
    ("hosts compute their tasks in the planned order", tasks::in_order),
    ("of two computations of a task the later one is cancelled as the other ends", tasks::second_broken_off),
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
pub(crate) fn judge_sweeps(
    files: &SweepFiles<'_>,
    grid: &dyn SweepFacts,
) -> Result<Vec<JudgedPromise>, String> {
    let run = match (files.tasks, files.works, files.sizes) {
        (Some(tasks), Some(works), Some(sizes)) => Ok(Run::read(files, [tasks, works, sizes], grid)?),
        _ => Err(NO_TASKS),
    };
    let mut all = judge_each(&PROMISES, &run, |judge, run| judge(run));
    if let Ok(run) = &run {
        all.extend(derived(run)?);
    }
    Ok(all)
}

/// Judges the tables and numbers that follow from other files.
fn derived(run: &Run<'_>) -> Result<Vec<JudgedPromise>, String> {
    let mut all = Vec::new();
    let files = &run.files;
    let hosts = Sheet::<HostRow<'_>>::of(files.hosts, Always)?;
    all.extend(judged("hosts.csv has what hosts computed", hosts, Ok(sheets::hosts(run))));
    let clusters = Sheet::<ClusterRow<'_>>::of(files.clusters, sheets::cluster_columns(run))?;
    let right = Ok(sheets::clusters(run));
    all.extend(judged("clusters.csv has what clusters computed, received and returned", clusters, right));
    let arrivals = Sheet::<FileRow<'_>>::of(files.files, sheets::file_columns(run))?;
    let right = sheets::files(run);
    all.extend(judged("files.csv has the inputs that arrived, and who used them", arrivals, right));
    let jobs = Sheet::<JobRow<'_>>::of(files.jobs, JobColumns::OF_TASKS)?;
    all.extend(judged("jobs.csv has the tasks that ended", jobs, Ok(sheets::jobs(run))));
    if let Some(summary) = files.summary {
        all.extend(metrics::summary(run, summary));
    }
    if files.loads.is_some() {
        all.push(("loads.csv has what the seed draws".to_owned(), Ok(run.values.against(run.grid))));
    }
    let choices =
        "planned-start, planned-end of tasks.csv, planned, for-task of transfers.csv, and all choices";
    all.push((choices.to_owned(), Err(DECISIONS)));
    if run.plans.as_ref().is_some_and(|plans| !plans.is_empty()) {
        let of_plans = "tasks, looks, interval, correctness, delta, end of plans.csv one by one";
        all.push((of_plans.to_owned(), Err(DECISIONS)));
    }
    if run.may_lose() {
        all.push(("attempts of tasks.csv".to_owned(), Err(LOST)));
    }
    if run.transfers.is_none() {
        all.push(("transfers of manifest.json".to_owned(), Err(NO_TRANSFERS)));
    }
    Ok(all)
}

/// Judges a table, if there is one, by the rows that it should have; without them says why.
fn judged<'a, R: Row<'a>>(
    promise: &str,
    sheet: Option<Sheet<'a, R>>,
    right: Result<Vec<Vec<Right>>, &'static str>,
) -> Vec<JudgedPromise> {
    match (sheet, right) {
        (None, _) => Vec::new(),
        (Some(sheet), Err(why)) => vec![sheet.unjudged(why)],
        (Some(sheet), Ok(right)) => sheet.judged(promise, &right),
    }
}
