//! Pictures of the report of a run of task graphs: the plan above its execution, the critical path,
//! transfers, hosts and plans.

use std::io::Cursor;

use crate::output::number::{counted, grouped};
use crate::output::{Drawn, Figure, On, Pictures, RowSource, Rows, Series, Spans};
use crate::results::tables::{ComparedRows, CriticalRows, HostRows, PlanRows, TaskRows, TransferRows};
use crate::scenario::{Rejected, RunDirectory};
use crate::system::assembly::Ended;
use crate::system::drawing::drawing;
use crate::workflow::Workflow;
use crate::workflow::read::{GraphFormat, REFERENCE_SPEED, ReadOptions, read};

const HEADLINE: &str = "makespan gap gap.best gap.optimal schedule-length-ratio speedup utilization plan-makespan plan-error tasks.completed \
    transfers reschedules response-time.mean slowdown.mean fairness";

/// The place of the graph among the figures: behind the plan, its execution and the critical path.
const GRAPH: usize = 4;

const PLANNED: Spans = Spans {
    table: "tasks",
    span: ["planned-start", "planned-end"],
    on: On::Each("{host}", &["core", "further-cores"]),
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

/// Tasks that are drawn one by one on a page.
const DRAWN: usize = 150;

/// The graph, the first one if there are several.
fn graph(workflow: &Workflow, count: usize) -> Figure {
    let drawing = drawing(workflow, REFERENCE_SPEED, DRAWN);
    let alt = format!("The graph: {}.", drawing.about);
    let first = match count {
        0 | 1 => String::new(),
        count => format!("The first of {} graphs. ", grouped(count as u64)),
    };
    let note = format!(
        "{first}Tasks lie on levels by the longest path to them. Lines carry data, dotted ones none. Of a large graph there is a box a level."
    );
    Figure::new("Graph", note, Drawn::Picture { drawing, alt })
}

/// The first graph in `graph.dot`, and how many there are.
fn recorded(text: &str) -> Result<(Workflow, usize), String> {
    let of = |line: &str| line.strip_prefix("  \"")?.split_once('/').map(|(name, _)| name.to_owned());
    let mut names = text.lines().take_while(|line| !line.contains("\" -> \"")).filter_map(of);
    let first = names.next().unwrap_or_default();
    let mut last = first.clone();
    let others = names.filter(|name| std::mem::replace(&mut last, name.clone()) != *name).count();
    let name = format!("\"{first}/");
    let lines = text.lines().filter(|line| line.trim_start().starts_with(&name));
    let lines: Vec<String> = lines.map(|line| line.replace(&name, "\"")).collect();
    let text = format!("digraph {name}\" {{\n{}\n}}\n", lines.join("\n"));
    let options = ReadOptions { cores: true, ..ReadOptions::default() };
    let loaded = read(Cursor::new(text), "graph.dot", Some(GraphFormat::Dot), &options);
    let loaded = loaded
        .map_err(|complaints| complaints.first().map_or_else(String::new, |first| first.message.clone()));
    Ok((loaded?.workflow, others + 1))
}

const CRITICAL: Spans =
    Spans { table: "critical", on: On::Named("{step}", None), name: "{task} on {host}", ..EXECUTED };

/// Title of the figure that shows which task was where when.
pub(super) const SCHEDULE: &str = "Execution";

/// Figures of the tables.
pub(super) fn figures() -> Vec<Figure> {
    let lanes = |spans: Spans, words| Drawn::Lanes { spans: vec![spans], numbered: None, words };
    let listing = |table, what, columns, most| Drawn::Listing { of: Rows::of(table, what), columns, most };
    vec![
        Figure::new(
            "Plan",
            "A lane for each core: what was to be computed when, in the plan by which each task started.",
            lanes(PLANNED, ("task", "cores")),
        ),
        Figure::new(
            SCHEDULE,
            "A lane for each core: what was computed when.",
            lanes(EXECUTED, ("task", "cores")),
        ),
        Figure::new(
            "Critical path of the run over time",
            "The chain of tasks, transfers and waits that ends at the makespan: a lane for what takes the time, a bar for each step.",
            lanes(CRITICAL, ("step", "what takes the time")),
        ),
        Figure::new(
            "What the makespan is made of",
            "The shares of the critical path of the run that its tasks, its transfers and its waits take.",
            Drawn::Shares { family: "critical-path", whole: None, label: "share of the makespan" },
        ),
        Figure::new(
            "Transfers",
            "A lane for each pair of hosts between which something was sent.",
            lanes(SENT, ("transfer", "pairs of hosts")),
        ),
        Figure::new(
            "Critical path of the run",
            "Its steps, in order of time.",
            listing("critical", "steps", "task step host start:s end:s share:%", (100, None)),
        ),
        Figure::new(
            "Tasks that run",
            "How many tasks were computed at each time.",
            Series::between("tasks that run", "tasks", "start", "end"),
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

/// Pictures of the report of a run.
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
        tables.push(Box::new(ComparedRows { report, bounds: &ended.bounds }));
    }
    let mut pictures = Pictures::new(figures(), tables);
    let applications = outcomes.graph().applications();
    let graph = applications.first().map(|first| graph(&first.workflow, applications.len()));
    pictures.figures.splice(GRAPH..GRAPH, graph);
    pictures.about =
        about(outcomes.tasks.len() as u64, outcomes.problem.grid.hosts().len() as u64, &ended.scheduler);
    pictures.headline = HEADLINE;
    pictures
}

/// Pictures of the report of a finished run, from its files.
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
    if run.has("graph.dot") {
        match recorded(&run.text("graph.dot")?) {
            Ok((workflow, count)) => pictures.figures.insert(GRAPH, graph(&workflow, count)),
            Err(why) => pictures.missing.push(format!("the graph: {why}")),
        }
    } else {
        pictures.missing.push("the graph: there is no graph.dot (record.tasks)".to_owned());
    }
    let count = |group: &str, name: &str| run.manifest[group][name].as_u64().unwrap_or(0);
    let scheduler = run.manifest["scheduler"].as_str().unwrap_or_default();
    pictures.about = about(count("counters", "tasks"), count("platform", "hosts"), scheduler);
    pictures.headline = HEADLINE;
    Ok(pictures)
}

fn about(tasks: u64, hosts: u64, scheduler: &str) -> String {
    format!("{} on {} by {scheduler}", counted(tasks, "task"), counted(hosts, "host"))
}
