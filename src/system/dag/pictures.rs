//! What the report of a run of task graphs draws: the plan above its execution, the critical path, transfers, hosts and plans.

use crate::dag::tables::{ComparedRows, CriticalRows, HostRows, PlanRows, TaskRows, TransferRows};
use crate::output::{Drawn, Figure, On, Pictures, RowSource, Rows, Series, Spans};
use crate::scenario::{Rejected, RunDirectory};
use crate::system::dag::ended::Ended;

const HEADLINE: &str = "makespan gap gap.best gap.optimal schedule-length-ratio speedup utilization plan-makespan plan-error tasks.completed \
    transfers reschedules response-time.mean slowdown.mean fairness";

const PLANNED: Spans = Spans {
    table: "tasks",
    span: ["planned-start", "planned-end"],
    on: On::Named("{host} {core}", None),
    name: "{task}",
    unless: None,
    facts: &[],
    behind: None,
};

const EXECUTED: Spans = Spans { span: ["start", "end"], ..PLANNED };

const SENT: Spans = Spans {
    table: "transfers",
    on: On::Named("{from-host} to {to-host}", None),
    name: "{from-task} to {to-task}",
    ..EXECUTED
};

const CRITICAL: Spans =
    Spans { table: "critical", on: On::Named("{step}", None), name: "{task} on {host}", ..EXECUTED };

/// What is drawn of the tables.
pub(super) fn figures() -> Vec<Figure> {
    let lanes = |spans: Spans, words| Drawn::Lanes { spans: vec![spans], numbered: None, words };
    let listing = |table, what, columns, most| Drawn::Listing { of: Rows::of(table, what), columns, most };
    vec![
        Figure::new(
            "Plan",
            "A lane for each core: what was to be computed when, in the plan by which each task started.",
            lanes(PLANNED, ("task", "cores")),
        ),
        Figure::new("Execution", "The same as it happened.", lanes(EXECUTED, ("task", "cores"))),
        Figure::new(
            "Critical path over time",
            "The chain of tasks, transfers and waits that ends at the makespan: a lane for what takes the time, a bar for each step.",
            lanes(CRITICAL, ("step", "what takes the time")),
        ),
        Figure::new(
            "What the makespan is made of",
            "The shares of the critical path that its tasks, its transfers and its waits take.",
            Drawn::Shares { family: "critical-path", label: "share of the makespan" },
        ),
        Figure::new(
            "Transfers",
            "A lane for each pair of hosts between which something was sent.",
            lanes(SENT, ("transfer", "pairs of hosts")),
        ),
        Figure::new(
            "Critical path",
            "Its steps, in order of time.",
            listing("critical", "steps", "task step host start:s end:s share:%", (100, None)),
        ),
        Figure::new(
            "Tasks that run",
            "How many tasks were computed at each time.",
            Drawn::Series(Series::between("tasks that run", "tasks", "start", "end")),
        ),
        Figure::new(
            "Schedulers",
            "The scheduler of the run and those that it is compared with: what each made of the same graph, loads and predictions.",
            listing(
                "schedulers",
                "schedulers",
                "scheduler makespan:s plan-makespan:s gap:% above-best:% above-optimum:% reason",
                (100, None),
            ),
        ),
        Figure::new(
            "Hosts",
            "",
            listing("hosts", "hosts", "host cores tasks busy:s utilization:% cost", (60, Some("busy"))),
        ),
        Figure::new(
            "Plans",
            "",
            listing("plans", "plans", "at:s cause tasks moved end:s questions looked-at", (100, None)),
        ),
    ]
}

/// What the report of a run draws.
pub(super) fn of_run(ended: &Ended) -> Pictures<'_> {
    let outcomes = &ended.outcomes;
    let mut tables: Vec<Box<dyn RowSource + '_>> = vec![
        Box::new(TaskRows(outcomes)),
        Box::new(TransferRows(outcomes)),
        Box::new(CriticalRows(outcomes, &ended.path)),
        Box::new(HostRows(outcomes, ended.terms.billing.as_ref())),
        Box::new(PlanRows(outcomes)),
    ];
    if let Some(report) = &ended.gap {
        tables.push(Box::new(ComparedRows { report, lower: ended.bounds.lower() }));
    }
    let mut pictures = Pictures::new(figures(), tables);
    pictures.about =
        about(outcomes.tasks.len() as u64, outcomes.problem.grid.hosts().len() as u64, &ended.scheduler);
    pictures.headline = HEADLINE;
    pictures
}

/// What the report of a finished run draws, from its files.
pub(super) fn of_files(run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
    let mut pictures = Pictures::new(figures(), run.tables()?);
    for (what, file, key) in [
        ("the plan, its execution and the critical path", "tasks.csv", "tasks"),
        ("transfers", "transfers.csv", "transfers"),
    ] {
        if !run.has(file) {
            pictures.missing.push(format!("{what}: there is no {file} (record.{key})"));
        }
    }
    let count = |group: &str, name: &str| run.manifest[group][name].as_u64().unwrap_or(0);
    let scheduler = run.manifest["scheduler"].as_str().unwrap_or_default();
    pictures.about = about(count("counters", "tasks"), count("platform", "hosts"), scheduler);
    pictures.headline = HEADLINE;
    Ok(pictures)
}

fn about(tasks: u64, hosts: u64, scheduler: &str) -> String {
    let counted = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    format!("{} on {} by {scheduler}", counted(tasks, "task"), counted(hosts, "host"))
}
