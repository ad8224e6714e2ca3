//! Pictures of the report of a run of agents: the platform, tasks over time, what agents and flows
//! did when, hosts, flows, failures.

use crate::Outcomes;
use crate::kernel::SimTime;
use crate::output::number::counted;
use crate::output::{Drawing, Drawn, Figure, On, Pictures, RowSource, Rows, Series, Spans, Text, row, rows};
use crate::platform::described;
use crate::platform::picture::drawing;
use crate::scenario::{Rejected, RunDirectory};
use crate::system::assembly::Ended;
use crate::tables::{FlowRows, HostRows, OperationRows, TaskRows};

const HEADLINE: &str = "makespan tasks.completed throughput host-utilization.mean flows.completed flow-time.mean flow-time.max \
    flows.failed flows.unfinished transfers.completed bytes.transferred steady-state.throughput steady-state.share \
    steady-state.overlap transfers.failed agents.failed";

const AGENTS: Spans = Spans {
    table: "operations",
    span: ["start", "end"],
    on: On::Named("{name} {agent} on {host}", Some("agent")),
    name: "{operation} {task}",
    unless: Some(("outcome", "done")),
    facts: &[],
    behind: None,
};

const FLOWS: Spans = Spans {
    table: "flows",
    on: On::Named("flow {flow}", None),
    name: "{flow}",
    unless: Some(("state", "completed")),
    ..AGENTS
};

/// The figures behind that of the platform.
pub(super) fn figures() -> Vec<Figure> {
    let tasks = Series::count("tasks computed", "tasks", "end");
    let lanes =
        Drawn::Lanes { spans: vec![AGENTS, FLOWS], numbered: None, words: ("span", "agents and flows") };
    let listing = |table, columns, most| Drawn::Listing { of: Rows::of(table, table), columns, most };
    let hosts = listing("hosts", "host cores busy:s utilization:%", (60, Some("busy")));
    let flows = listing("flows", "flow from to size:B start:s end:s state reason", (100, None));
    let failures = listing("failures", "agent host at:s why", (100, None));
    let about = "A lane for each agent and flow; a bar is what was done, from its start to its end. What overlaps on a lane stands on \
                 further lanes of it.";
    vec![
        Figure::new("Tasks over time", "How many tasks had been computed.", tasks)
            .of_metric("tasks.completed"),
        Figure::new("Agents and flows over time", about, lanes),
        Figure::new(
            "Hosts",
            "The hosts that computed: seconds of their cores, and the share of these.",
            hosts,
        ),
        Figure::new("Flows", "", flows),
        Figure::new("Agents that failed", "", failures),
    ]
}

fn pictures<'a>(
    counts: [u64; 3],
    platform: Option<Drawing>,
    tables: Vec<Box<dyn RowSource + 'a>>,
) -> Pictures<'a> {
    let [hosts, links, agents] = counts;
    let parts = [counted(hosts, "host"), counted(links, "link")];
    let drawn = platform.map(|drawing| {
        let alt = format!("The platform: {}.", parts.join(" and "));
        Figure::new("Platform", "As it is at the start of the run.", Drawn::Picture { drawing, alt })
    });
    let mut pictures = Pictures::new(drawn.into_iter().chain(figures()).collect(), tables);
    pictures.about = format!("{}, {}", parts.join(", "), counted(agents, "agent"));
    pictures.headline = HEADLINE;
    pictures
}

/// Pictures of the report of a run.
pub(super) fn of_run(ended: &Ended) -> Pictures<'_> {
    let outcomes = &ended.outcomes;
    let platform = outcomes.platform();
    let counts = [platform.hosts().len(), platform.links().len(), outcomes.agents.len()];
    let tables: Vec<Box<dyn RowSource + '_>> = vec![
        Box::new(TaskRows(outcomes)),
        Box::new(HostRows(outcomes)),
        Box::new(OperationRows::of(outcomes)),
        Box::new(FlowRows(outcomes)),
        Box::new(FailureRows(outcomes)),
    ];
    pictures(counts.map(|count| count as u64), Some(drawing(platform)), tables)
}

/// Pictures of the report of a finished run: from its tables, its summary and the platform of its
/// scenario, as far as they are there.
pub(super) fn of_files(run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
    let summary = run.json("summary.json")?;
    let mut missing = Vec::new();
    let platform = picture(run).map_err(|why| missing.push(format!("the platform: {why}"))).ok();
    let metric = |name: &str| summary["metrics"][name]["value"].as_u64().unwrap_or(0);
    for (what, of, file, key) in [
        ("when tasks were computed", "tasks.completed", "tasks.csv", "tasks"),
        ("what each host did", "tasks.completed", "hosts.csv", "tasks"),
        ("what agents did when", "agents.created", "operations.csv", "operations"),
    ] {
        if metric(of) > 0 && !run.has(file) {
            missing.push(format!("{what}: there is no {file} (record.{key})"));
        }
    }
    if metric("agents.failed") > 0 {
        missing.push("which agents failed: no file holds it".to_owned());
    }
    let count = |part: &str| run.manifest["platform"][part].as_u64().unwrap_or(0);
    let counts = [count("hosts"), count("links"), run.manifest["agents"].as_u64().unwrap_or(0)];
    Ok(Pictures { missing, ..pictures(counts, platform, run.tables()?) })
}

/// The picture of the platform, if it is what it was.
fn picture(run: &RunDirectory<'_>) -> Result<Drawing, String> {
    let params = run.scenario.params(run.registry);
    run.has_its_inputs()?;
    let streams = run.scenario.streams();
    let described = described::read(&params.section("platform"), &streams)
        .map_err(|complaints| complaints.first().map_or_else(String::new, |first| first.message.clone()))?;
    Ok(drawing(&described.platform))
}

row! {
    /// An agent that failed, which no file has.
    struct FailureRow<'a> = "failures", "a row an agent that failed" {
        agent: Text<'a> = "agent" "", "the agent";
        host: Text<'a> = "host" "", "its host";
        at: SimTime = "at" "s", "when it failed";
        why: Text<'a> = "why" "", "why";
    }
}

rows! {
    /// The agents that failed.
    struct FailureRows<'a>(&'a Outcomes) of FailureRow;
    from run, &run.failures;
    failure => {
        agent: (&*failure.agent).into(),
        host: (&*run.platform().host(failure.host).name).into(),
        at: failure.at,
        why: failure.error.as_ref().map_or("killed".into(), |error| error.to_string().into()),
    }
}
