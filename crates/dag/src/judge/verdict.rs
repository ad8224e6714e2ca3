//! The promises of a run of task graphs, and what judges each.

use super::metrics::Basis;
use super::run::Run;
use super::{DECISIONS, NO_GRAPH, NO_TASKS, PLACES, PlanFiles, PlatformFacts};
use super::{attempts, graph, instants, metrics, plan_file, plans, sheets, tasks, transfers};
use crate::check::each_promise::judge_each;
use crate::check::sheet::Sheet;
use crate::check::{JudgedPromise, Judgement};
use crate::output::Always;
use crate::rows::{CriticalRow, HostRow, SchedulerRow, TaskRow};
use clustersim_experiment::rows::jobs::{JobColumns, JobRow};

/// Function that judges a promise.
pub(super) type Judge = fn(&Run<'_>) -> Judgement;

/// The promises in words, each with what judges it.
pub(super) const PROMISES: [(&str, Judge); 24] = [
    ("every task of the graph runs once, from its start to its end", |run| Ok(tasks::once(run))),
    ("attempts.csv has every start of a task, and failures took what was lost", attempts::recorded),
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
pub(crate) fn judge_plans(
    files: &PlanFiles<'_>,
    platform: &dyn PlatformFacts,
) -> Result<Vec<JudgedPromise>, String> {
    let run = match (files.tasks, files.graph) {
        (None, _) => Err(NO_TASKS),
        (_, None) => Err(NO_GRAPH),
        (Some(tasks), Some(graph)) => Ok(Run::read(files, tasks, graph, platform)?),
    };
    let mut all = judge_each(&PROMISES, &run, |judge, run| judge(run));
    if let Ok(run) = &run {
        all.extend(derived(run)?);
    }
    Ok(all)
}

/// Judges the tables and numbers that follow from other files.
fn derived(run: &Run<'_>) -> Result<Vec<JudgedPromise>, String> {
    let files = &run.files;
    let basis = Basis::of(run);
    let hosts = Sheet::<HostRow<'_>>::of(files.hosts, sheets::host_columns(run))?;
    let jobs = Sheet::<JobRow<'_>>::of(files.jobs, JobColumns::OF_TASKS)?;
    let critical = Sheet::<CriticalRow<'_>>::of(files.critical, Always)?;
    let compared = Sheet::<SchedulerRow<'_>>::of(files.schedulers, Always)?;
    let whole = files.tasks.filter(|_| files.summary.is_some());
    let tasks = Sheet::<TaskRow<'_>>::of(whole, sheets::task_columns(run))?;
    let mut all = Vec::new();
    if let Some(sheet) = &hosts {
        all.extend(sheet.judged("hosts.csv has what hosts computed", &sheets::hosts(run)));
    }
    if let Some(sheet) = &jobs {
        all.extend(sheet.judged("jobs.csv has the tasks that ended", &sheets::jobs(run)));
    }
    if let Some(sheet) = &critical {
        let right = sheets::critical(run).unwrap_or_else(|_| sheets::critical_by_itself(run, sheet));
        all.extend(sheet.judged("critical.csv is the chain that ends at the makespan", &right));
    }
    if let Some(sheet) = &compared {
        let right = sheets::schedulers(run, basis.bounds, metrics::proven(run), sheet);
        all.extend(sheet.judged("schedulers.csv fits this run and the bounds", &right));
    }
    if let Some(sheet) = &tasks {
        all.extend(sheet.judged("the slack of tasks is what their followers leave", &sheets::slacks(run)));
    }
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
    all.push(("the choice of cores and orders".to_owned(), Err(DECISIONS)));
    Ok(all)
}
