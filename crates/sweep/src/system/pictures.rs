//! Pictures of the report of a run of a parameter sweep: plans above their execution, links, files,
//! and where the time went.

use crate::output::number::counted;
use crate::output::{Drawn, Figure, On, Pictures, RowSource, Rows, Series, Spans};
use crate::results::tables::SweepTable;
use crate::scenario::{Rejected, RunDirectory};
use crate::system::assembly::Ended;

const HEADLINE: &str = "makespan gap lower-bound plan-makespan plan-error utilization link-utilization bytes.sent bytes.saved copies.mean \
    transfers plans correctness.mean failed-works lost-time tasks.completed";

const PLANNED: Spans = Spans {
    table: "tasks",
    span: ["planned-start", "planned-end"],
    on: On::Listed("{host}", "hosts"),
    name: "{task}",
    unless: None,
    facts: &[],
    behind: None,
};

/// The plans, each up to its horizon.
const HORIZONS: Spans = Spans {
    table: "plans",
    span: ["time", "horizon"],
    on: On::Named("plans", None),
    name: "{trigger}",
    ..PLANNED
};

const EXECUTED: Spans = Spans { span: ["start", "end"], ..PLANNED };

const SENT: Spans = Spans {
    table: "transfers",
    on: On::Listed("link of {link|cluster}", "clusters"),
    name: "{file}",
    ..EXECUTED
};

/// Title of the figure that shows which task was where when.
pub(super) const SCHEDULE: &str = "Execution";

/// Figures of the tables.
pub(super) fn figures() -> Vec<Figure> {
    let lanes = |spans: Vec<Spans>, words| Drawn::Lanes { spans, numbered: None, words };
    let listing = |table, what, columns, most| Drawn::Listing { of: Rows::of(table, what), columns, most };
    let bytes =
        Series { unit: "B", weight: &["bytes"], ..Series::between("bytes", "files", "arrived", "removed") };
    let removed = Series { name: "bytes removed from storages", from: "removed", to: None, ..bytes };
    let by_cluster = |series| Drawn::SeriesBy { series, by: "cluster" };
    vec![
        Figure::new(
            "Plan",
            "A lane for each host: what was to be computed when, in the plan by which each task was on its host. Below them each plan, called by its trigger: from the instant when it was made to its horizon, up to which hosts got work. Without a horizon it lasts to the end.",
            lanes(vec![PLANNED, HORIZONS], ("task", "hosts")),
        ),
        Figure::new(
            SCHEDULE,
            "A lane for each host: what was computed when.",
            lanes(vec![EXECUTED], ("task", "hosts")),
        ),
        Figure::new(
            "Links",
            "A lane for each link: inputs that are sent to clusters, outputs to the origin, and copies from one cluster to another.",
            lanes(vec![SENT], ("transfer", "links")),
        ),
        Figure::new(
            "Where the time went",
            "Shares of the time of all processors up to the makespan: computing, waiting for the inputs of the next task, idle for lack of a task, lost by failures, and not there.",
            Drawn::Shares { family: "processor-time", whole: None, label: "share of the time of processors" },
        ),
        Figure::new(
            "Tasks that run",
            "How many tasks were computed at each time.",
            Series::between("tasks that run", "tasks", "start", "end"),
        ),
        Figure::new(
            "Files on each cluster",
            "How many inputs were there. Of a cluster without storage: how many had arrived.",
            by_cluster(Series::between("files", "files", "arrived", "removed")),
        ),
        Figure::new("Bytes on each cluster", "The sizes of these files.", by_cluster(bytes)),
        Figure::new("Removed files", "What was removed from storages with a limit, all together.", removed),
        Figure::new(
            "Plans",
            "",
            listing(
                "plans",
                "plans",
                "time:s trigger tasks looks interval:s correctness:% delta:s horizon:s end:s",
                (100, None),
            ),
        ),
        Figure::new(
            "Clusters",
            "",
            listing(
                "clusters",
                "clusters",
                "cluster hosts tasks busy:s received:B returned:B link-busy:s link-utilization:%",
                (60, None),
            ),
        ),
        Figure::new(
            "Hosts",
            "",
            listing(
                "hosts",
                "hosts",
                "host cluster processors tasks busy:s utilization:%",
                (60, Some("busy")),
            ),
        ),
        Figure::new(
            "Files that were read most",
            "",
            listing("files", "files", "file cluster arrived:s bytes:B uses", (60, Some("uses"))),
        ),
    ]
}

/// The tables that these figures are of.
const DRAWN: [SweepTable; 6] = [
    SweepTable::Tasks,
    SweepTable::Transfers,
    SweepTable::Files,
    SweepTable::Plans,
    SweepTable::Clusters,
    SweepTable::Hosts,
];

/// Pictures of the report of a run.
pub(super) fn of_run(ended: &Ended) -> Pictures<'_> {
    let outcomes = &ended.outcomes;
    let rows = |table: SweepTable| Box::new(table.rows(outcomes)) as Box<dyn RowSource + '_>;
    let mut pictures = Pictures::new(figures(), DRAWN.into_iter().map(rows).collect());
    let grid = &outcomes.grid;
    let counts = [outcomes.tasks.len(), grid.hosts.len(), grid.clusters.len()].map(|count| count as u64);
    pictures.about = about(counts, &ended.scheduler);
    pictures.headline = HEADLINE;
    pictures
}

/// Pictures of the report of a finished run, from its files.
pub(super) fn of_files(run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
    let mut pictures = Pictures::new(figures(), run.tables()?);
    for (what, file, key) in
        [("plans, their execution and files", "tasks.csv", "tasks"), ("links", "transfers.csv", "transfers")]
    {
        if !run.has(file) {
            pictures.missing.push(format!("{what}: there is no {file} (record.{key})"));
        }
    }
    let count = |group: &str, name: &str| run.manifest[group][name].as_u64().unwrap_or(0);
    let counts = [count("counters", "tasks"), count("platform", "hosts"), count("platform", "clusters")];
    pictures.about = about(counts, run.manifest["scheduler"].as_str().unwrap_or_default());
    pictures.headline = HEADLINE;
    Ok(pictures)
}

fn about([tasks, hosts, clusters]: [u64; 3], scheduler: &str) -> String {
    format!(
        "{} on {} in {} by {scheduler}",
        counted(tasks, "task"),
        counted(hosts, "host"),
        counted(clusters, "cluster")
    )
}
