//! From a checked scenario of task graphs to a run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use crate::dag::assumption::broken;
use crate::dag::execution::{Execution, LinkOrder, Merge, Replan, lawful};
use crate::dag::gap::GapRequest;
use crate::dag::graph::Graph;
use crate::dag::grid::{CoresUsed, Grid};
use crate::dag::prediction::Prediction;
use crate::dag::predictions::Predicting;
use crate::dag::scheduler::{NamedScheduler, Scheduler};
use crate::dag::view::{ExecutionState, View};
use crate::dag::{Contention, SchedulingProblem};
use crate::kernel::rng::Streams;
use crate::kernel::rng::distribution::Sampler;
use crate::kernel::{SimDuration, SimTime};
use crate::platform::network::Transport;
use crate::registry::{Complaint, Params, Registry, Value};
use crate::scenario::{Ready, Rejected, Scenario, keep, platform};
use crate::system::dag::compared;
use crate::workflow::source::{CopyRequest, WorkflowSource};
use crate::workflow::{MeanCosts, Workflow};

/// How transfers get on, as a scenario says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LinksSetting {
    Planned,
    Ready,
    ContentionFree,
}

/// What the system reads of a scenario.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
pub(super) struct Settings {
    links: Option<LinksSetting>,
    pub(super) cores: CoresUsed,
    pub(super) work_conserving: bool,
    keep_data: bool,
    replan: Replan,
    merge: Merge,
    strict: bool,
    copies: u64,
    /// Whether tasks.csv is written, and what goes with it.
    pub(super) record_tasks: bool,
    /// Whether transfers.csv is written.
    pub(super) record_transfers: bool,
}

/// A run of task graphs that is ready to begin.
#[derive(Debug)]
pub(super) struct Assembly {
    pub(super) problem: Rc<SchedulingProblem>,
    pub(super) rule: NamedScheduler,
    pub(super) execution: Execution,
    /// With what it is compared.
    pub(super) gap: Option<GapRequest>,
    pub(super) streams: Streams,
    pub(super) until: Option<SimTime>,
    pub(super) drew: bool,
}

impl Settings {
    /// Reads them; what is wrong is among the complaints.
    pub(super) fn read(params: &Params<'_>, complaints: &mut Vec<Complaint>) -> Option<Self> {
        let (run, record) = (params.section("run"), params.section("record"));
        let (scheduler, application) = (params.section("scheduler"), params.section("application"));
        let links = [
            ("planned", LinksSetting::Planned),
            ("ready", LinksSetting::Ready),
            ("contention-free", LinksSetting::ContentionFree),
        ];
        let links =
            if run.has("links") { keep(run.pick("links", &links), complaints).map(Some) } else { Some(None) };
        let cores = keep(run.pick("cores", &[("all", CoresUsed::All), ("one", CoresUsed::One)]), complaints);
        let merges = [("append", Merge::Append), ("interleave", Merge::Interleave)];
        let merge = keep(scheduler.pick("merge", &merges), complaints);
        let replan = keep(replan(&scheduler.section("replan")), complaints);
        let work_conserving = keep(run.read("work-conserving"), complaints);
        let keep_data = keep(run.read("keep-data"), complaints);
        let strict = keep(scheduler.read("strict"), complaints);
        let copies = keep(application.read("count"), complaints);
        let record_tasks = keep(record.read("tasks"), complaints);
        let record_transfers = keep(record.read("transfers"), complaints);
        Some(Settings {
            links: links?,
            cores: cores?,
            work_conserving: work_conserving?,
            keep_data: keep_data?,
            replan: replan?,
            merge: merge?,
            strict: strict?,
            copies: copies?,
            record_tasks: record_tasks?,
            record_transfers: record_transfers?,
        })
    }

    /// How transfers get on over the platform `section`.
    pub(super) fn links(&self, section: &Params<'_>) -> LinksSetting {
        let is_matrix = is_one_mesh(section) || platform::is_grid_text(section);
        let default = if is_matrix { LinksSetting::Planned } else { LinksSetting::Ready };
        self.links.unwrap_or(default)
    }
}

/// When a plan is made again.
fn replan(table: &Params<'_>) -> Result<Replan, Complaint> {
    let said: Vec<&str> =
        ["when", "every", "period", "on-deviation"].into_iter().filter(|key| table.has(key)).collect();
    if let [first, second, ..] = said[..] {
        let message = format!("`{first}` and `{second}` both say when a plan is made again");
        return Err(table.complaint(second, message).label("take one of them out"));
    }
    Ok(match said.first().copied() {
        Some("every") => Replan::Every(table.read("every")?),
        Some("period") => Replan::Period(table.read("period")?),
        Some("on-deviation") => Replan::OnDeviation(table.read("on-deviation")?),
        Some(_) => table.pick(
            "when",
            &[
                ("never", Replan::Never),
                ("on-completion", Replan::Every(1)),
                ("on-failure", Replan::OnFailure),
            ],
        )?,
        None => Replan::Never,
    })
}

/// Whether a platform is one cluster in which each ordered pair of hosts has a link of its own.
fn is_one_mesh(section: &Params<'_>) -> bool {
    let Some(Value::Array(clusters)) = section.tree().get("cluster").map(|node| &node.value) else {
        return false;
    };
    let others = ["file", "random", "host", "router", "zone"];
    let [cluster] = &clusters[..] else { return false };
    let topology = cluster.as_table().and_then(|table| table.get("topology")).and_then(|node| node.as_text());
    topology == Some("mesh") && others.iter().all(|other| !section.has(other))
}

/// The files that a scenario of task graphs reads: as they are named, and from where the program runs.
pub(super) fn inputs(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let mut inputs = platform::inputs(&params.section("platform"));
    if let Ok(source) = params.component::<dyn WorkflowSource>("application", "application") {
        inputs.extend(source.inputs().into_iter().map(|(name, path)| (name.to_owned(), path.to_owned())));
    }
    let scheduler = params.section("scheduler");
    if scheduler.has("file")
        && let (Ok(name), Ok(path)) = (scheduler.read("file"), scheduler.path("file"))
    {
        inputs.push((name, path));
    }
    inputs.sort();
    inputs
}

/// Reads or draws platform and graphs, and makes the scheduler ready.
///
/// # Errors
/// What is wrong with the input, at its place.
pub(super) fn assemble(
    registry: &Registry,
    scenario: &Scenario,
    settings: &Settings,
) -> Result<Ready, Box<Rejected>> {
    let params = scenario.params(registry);
    let streams = Streams::new(scenario.seed, scenario.replication);
    let section = params.section("platform");
    let described =
        platform::read(&section, &streams).map_err(|complaints| scenario.reject_all(complaints))?;
    let reject = |complaint| scenario.reject(complaint);
    let network: Box<dyn Transport> = section.component("network", "network").map_err(reject)?;
    let scheduler: Box<dyn Scheduler> = params.component("scheduler", "scheduler").map_err(reject)?;
    let predicting: Box<Predicting> = params.component("prediction", "prediction").map_err(reject)?;
    let source: Box<dyn WorkflowSource> = params.component("application", "application").map_err(reject)?;
    let gap = compared::request(&params).map_err(reject)?;
    let grid = Grid::new(Arc::new(described.platform), settings.cores);
    let mut warnings = described.warnings;
    let graph = graph(&params, &*source, &grid, streams, settings, &mut warnings)
        .map_err(|complaints| scenario.reject_all(complaints))?;
    let links = settings.links(&section);
    let contention =
        if links == LinksSetting::ContentionFree { Contention::Free } else { Contention::Queued };
    let drew = source.draws()
        || params.section("application").has("arrivals")
        || ["random", "perturb"].iter().any(|key| section.has(key))
        || described.drawn
        || predicting.draws()
        || scheduler.draws()
        || gap.iter().flat_map(|gap| &gap.schedulers).any(|other| other.scheduler.draws());
    let unknown = predicting.unknown(&grid, &graph).into_iter().map(|(key, name)| {
        let what = if key == "hosts" { "the platform has no host" } else { "no task is of the category" };
        params.section("prediction").complaint(key, format!("{what} `{name}`"))
    });
    let unknown: Vec<Complaint> = unknown.collect();
    if !unknown.is_empty() {
        return Err(scenario.reject_all(unknown));
    }
    let prediction = predicting.prediction(&streams, &grid, &graph);
    let problem = SchedulingProblem::new(Arc::new(graph), grid, prediction, contention).with_streams(streams);
    warnings.extend(strangers(&params, &problem));
    runnable(&params, &problem).map_err(|complaints| scenario.reject_all(complaints))?;
    given(&params, &problem, &*scheduler).map_err(reject)?;
    assumptions(&params, &problem, &*scheduler, settings, &mut warnings).map_err(reject)?;
    let name: String = params.section("scheduler").read("kind").map_err(reject)?;
    let assembly = Assembly {
        problem: Rc::new(problem),
        rule: NamedScheduler { name, scheduler: scheduler.into() },
        execution: Execution {
            links: match links {
                LinksSetting::Planned => LinkOrder::Planned,
                LinksSetting::Ready => LinkOrder::Network(network.into()),
                LinksSetting::ContentionFree => LinkOrder::Free,
            },
            replan: settings.replan,
            merge: settings.merge,
            work_conserving: settings.work_conserving,
            keep_data: settings.keep_data,
            explained: None,
        },
        gap,
        streams,
        until: scenario.until,
        drew,
    };
    Ok(Ready { run: Box::new(assembly), inputs: inputs(&params), log: None, warnings })
}

/// Mean costs of a grid, as they are at the beginning.
pub(super) fn means(grid: &Grid) -> MeanCosts {
    let transfer = Prediction::default().mean_transfer(grid, SimTime::ZERO);
    MeanCosts { speed: grid.mean_speed(), latency: transfer.latency, seconds_per_byte: transfer.per_byte }
}

/// The graph of every copy of the application, and when it arrives.
fn graph(
    params: &Params<'_>,
    source: &dyn WorkflowSource,
    grid: &Grid,
    streams: Streams,
    settings: &Settings,
    warnings: &mut Vec<Complaint>,
) -> Result<Graph, Vec<Complaint>> {
    let application = params.section("application");
    let kind: String = application.read("kind")?;
    let arrivals: Option<Box<Sampler>> = application.component_if_any("arrivals", "distribution")?;
    let hosts: Vec<&str> = grid.platform().hosts().iter().map(|host| host.name.as_str()).collect();
    let means = means(grid);
    let mut between = streams.stream("dag/arrivals");
    let (mut at, mut graphs) = (SimTime::ZERO, Vec::new());
    let mut same: Option<Arc<Workflow>> = None;
    for copy in 0..settings.copies {
        if let (Some(arrivals), 1..) = (&arrivals, copy) {
            at = at.saturating_add(SimDuration::ceil_secs(arrivals.draw(&mut between)));
        }
        let workflow = match &same {
            Some(known) if !source.draws() => Arc::clone(known),
            _ => {
                let request = CopyRequest { streams, name: &kind, copy, hosts: &hosts, means };
                let loaded = source.load(&request)?;
                if copy == 0 {
                    let words = loaded.irregularities.iter().map(|one| {
                        format!("{}, the first of them `{}`", one.what.words(one.count), one.first)
                    });
                    warnings.extend(words.map(|words| params.complaint("application", words)));
                }
                Arc::new(loaded.workflow)
            }
        };
        same = Some(Arc::clone(&workflow));
        let name = if settings.copies == 1 {
            workflow.name().to_owned()
        } else {
            format!("{}-{copy}", workflow.name())
        };
        graphs.push((name, at, workflow));
    }
    Ok(Graph::new(graphs))
}

/// Most tasks of which it is reported that no host can run them.
const REPORTED: usize = 5;

/// Refuses tasks that no host can run.
fn runnable(params: &Params<'_>, problem: &SchedulingProblem) -> Result<(), Vec<Complaint>> {
    let none =
        |task: &crate::workflow::TaskNumber| problem.grid.hosts().all(|host| !problem.can_run(*task, host));
    let homeless: Vec<_> = problem.graph.tasks().filter(none).take(REPORTED).collect();
    let complaint = |task| {
        let name = &problem.graph.task(task).name;
        params.complaint("application", format!("no host of the platform can run task `{name}`"))
    };
    if homeless.is_empty() { Ok(()) } else { Err(homeless.into_iter().map(complaint).collect()) }
}

/// Refuses a plan that is given and does not fit graph and platform; where copies arrive later it is only known during the run.
fn given(
    params: &Params<'_>,
    problem: &SchedulingProblem,
    scheduler: &dyn Scheduler,
) -> Result<(), Complaint> {
    if !scheduler.is_given() || problem.graph.applications().len() > 1 {
        return Ok(());
    }
    let state = ExecutionState::all_open(&problem.graph);
    let view = View::new(problem, &state, SimTime::ZERO, 0);
    let plan = scheduler
        .plan(&view)
        .map_err(|why| params.section("scheduler").complaint("file", why.to_string()))?;
    lawful(problem, &state, &plan)
        .map_err(|why| params.section("scheduler").complaint("file", why.to_string()))
}

/// Warns of hosts by which tasks state their times and that the platform does not have.
fn strangers(params: &Params<'_>, problem: &SchedulingProblem) -> Option<Complaint> {
    let named = problem.graph.tasks().filter_map(|task| problem.graph.task(task).times.as_deref()).flatten();
    let platform = problem.grid.platform();
    let unknown: BTreeSet<&str> =
        named.map(|(host, _)| &**host).filter(|host| platform.host_named(host).is_none()).collect();
    let first = unknown.first()?;
    let message = format!(
        "{} hosts by which tasks state their times are not in the platform, the first `{first}`",
        unknown.len()
    );
    Some(params.complaint("application", message))
}

/// Warns of assumptions of the scheduler that graph or platform break; refuses them if the scenario is strict.
fn assumptions(
    params: &Params<'_>,
    problem: &SchedulingProblem,
    scheduler: &dyn Scheduler,
    settings: &Settings,
    warnings: &mut Vec<Complaint>,
) -> Result<(), Complaint> {
    for broken in broken(scheduler.assumptions(), problem) {
        let (assumption, why) = (broken.assumption.name(), broken.because);
        let complaint = params.complaint("scheduler", format!("it assumes `{assumption}`: {why}"));
        if settings.strict {
            return Err(complaint.help("scheduler.strict = false makes this a warning"));
        }
        warnings.push(complaint);
    }
    Ok(())
}
