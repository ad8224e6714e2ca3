//! From a checked scenario of task graphs to a run.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use crate::collections::StableSort as _;
use crate::execution::{Execution, LinkOrder, Merge, Outcomes, Replan};
use crate::kernel::rng::Streams;
use crate::kernel::rng::distribution::Sampler;
use crate::kernel::{SimDuration, SimTime};
use crate::model::graph::{FileRules, Graph};
use crate::model::grid::{CoresUsed, Grid};
use crate::model::prediction::Prediction;
use crate::model::predictions::PredictionKind;
use crate::planning::assumption::broken;
use crate::planning::view::{ExecutionState, View};
use crate::platform::Platform;
use crate::platform::described;
use crate::platform::described::host_patterns::hosts_of;
use crate::platform::network::Transport;
use crate::registry::{Complaint, Params, Registry, note_count, suggestion};
use crate::results::billing::{BilledTime, Billing};
use crate::results::gap::{GapReport, GapRequest};
use crate::scenario::{Figures, Ready, Rejected, Scenario, keep};
use crate::scheduler::{NamedScheduler, Scheduler};
use crate::system::schedulers::{plans_again, tables};
use crate::system::warnings::runnable;
use crate::system::{schedulers, warnings};
use crate::workflow::source::{CopyRequest, WorkflowSource};
use crate::workflow::{MeanCosts, TaskNumber, Workflow, bytes_of_task};
use crate::{Contention, CriticalStep, LowerBounds, SchedulingProblem, Terms};

const TASKS_OF_GRAPHS: &str = "tasks of graphs";

/// Model of the progress of transfers, as a scenario states it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LinksSetting {
    Planned,
    Ready,
    ContentionFree,
}

/// Settings that the system reads of a scenario.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
pub(super) struct Settings {
    links: Option<LinksSetting>,
    contention: Option<Contention>,
    pub(super) cores: CoresUsed,
    pub(super) work_conserving: bool,
    pub(super) keep_data: bool,
    pub(super) replan: Replan,
    merge: Merge,
    copies: u64,
    /// True if tasks.csv is written, and what goes with it.
    pub(super) record_tasks: bool,
    /// True if transfers.csv is written.
    pub(super) record_transfers: bool,
    /// True if loads.csv is written.
    pub(super) record_loads: bool,
    pub(super) deadline: Option<SimDuration>,
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
    pub(super) terms: Terms,
}

/// A run of task graphs that is over.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) outcomes: Outcomes,
    pub(super) bounds: LowerBounds,
    /// Gap to the runs it is compared with, if that was asked.
    pub(super) gap: Option<GapReport>,
    /// The figures of the run; its classes are the kinds of workflows.
    pub(super) figures: Figures,
    pub(super) scheduler: String,
    pub(super) terms: Terms,
    /// The critical path of the execution.
    pub(super) path: Vec<CriticalStep>,
    pub(super) explained: Option<TaskNumber>,
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
        let contentions = [("queued", Contention::Queued), ("free", Contention::Free)];
        let contention = if scheduler.has("contention") {
            keep(scheduler.pick("contention", &contentions), complaints).map(Some)
        } else {
            Some(None)
        };
        let cores = keep(run.pick("cores", &[("all", CoresUsed::All), ("one", CoresUsed::One)]), complaints);
        // those that take over from one another say so themselves
        let is_one = scheduler.has("replan");
        let again = if is_one { keep(plans_again(&scheduler), complaints) } else { Some(Default::default()) };
        let work_conserving = keep(run.read("work-conserving"), complaints);
        let keep_data = keep(run.read("keep-data"), complaints);
        let copies = keep(application.read("count"), complaints);
        let record_tasks = keep(record.read("tasks"), complaints);
        let record_transfers = keep(record.read("transfers"), complaints);
        let record_loads = keep(record.read("loads"), complaints);
        let deadline = keep(application.read("deadline"), complaints);
        let (replan, merge) = again?;
        Some(Settings {
            links: links?,
            contention: contention?,
            cores: cores?,
            work_conserving: work_conserving?,
            keep_data: keep_data?,
            replan,
            merge,
            copies: copies?,
            record_tasks: record_tasks?,
            record_transfers: record_transfers?,
            record_loads: record_loads?,
            deadline: deadline?,
        })
    }

    /// Progress of transfers over the platform `section`.
    pub(super) fn links(&self, section: &Params<'_>) -> LinksSetting {
        let is_matrix = is_one_mesh(section) || described::is_grid_text(section);
        let default = if is_matrix { LinksSetting::Planned } else { LinksSetting::Ready };
        self.links.unwrap_or(default)
    }
}

/// Returns true if a platform is one cluster in which each ordered pair of hosts has a link of its
/// own; hosts that are described lie in it.
fn is_one_mesh(section: &Params<'_>) -> bool {
    let others = ["file", "random", "router", "zone"];
    let [cluster] = section.items("cluster") else { return false };
    let name = cluster.text_at("name");
    cluster.text_at("topology") == Some("mesh")
        && section.items("host").iter().all(|host| host.text_at("zone") == name)
        && others.iter().all(|other| !section.has(other))
}

/// The files that a scenario of task graphs reads: as they are named, and from where the program
/// runs.
pub(super) fn inputs(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let mut inputs = described::inputs(&params.section("platform"));
    if let Ok(source) = params.component::<dyn WorkflowSource>("application", "application") {
        inputs.extend(source.inputs().into_iter().map(|(name, path)| (name.to_owned(), path.to_owned())));
    }
    for scheduler in tables(&params.section("scheduler")) {
        if scheduler.has("file")
            && let (Ok(name), Ok(path)) = (scheduler.read("file"), scheduler.path("file"))
        {
            inputs.push((name, path));
        }
    }
    inputs.stable_sort();
    inputs.dedup();
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
    let streams = scenario.streams();
    let section = params.section("platform");
    let described =
        described::read(&section, &streams).map_err(|complaints| scenario.reject_all(complaints))?;
    let reject = |complaint| scenario.reject(complaint);
    let network: Box<dyn Transport> = section.component("network", "network").map_err(reject)?;
    let scheduler: Rc<dyn Scheduler> =
        params.component::<dyn Scheduler>("scheduler", "scheduler").map_err(reject)?.into();
    let predicting: Box<dyn PredictionKind> = params.component("prediction", "prediction").map_err(reject)?;
    let source: Box<dyn WorkflowSource> = params.component("application", "application").map_err(reject)?;
    let gap = schedulers::comparison(&params).map_err(reject)?;
    let grid = Grid::new(Arc::new(described.platform), settings.cores);
    let mut warnings = described.warnings;
    let rules = file_rules(&params, &grid).map_err(reject)?;
    let graph = graph(&params, &*source, &grid, (streams, rules), settings, &mut warnings)
        .map_err(|complaints| scenario.reject_all(complaints))?;
    note_count(graph.len() as u64, TASKS_OF_GRAPHS);
    warnings.extend(warnings::without_effect(&params, &graph));
    warnings.extend(warnings::local_links(&params, &grid));
    let links = settings.links(&section);
    let usual = if links == LinksSetting::ContentionFree { Contention::Free } else { Contention::Queued };
    let contention = settings.contention.unwrap_or(usual);
    let drew = source.draws()
        || params.section("application").has("arrivals")
        || ["random", "perturb"].iter().any(|key| section.has(key))
        || described.drawn
        || predicting.draws()
        || scheduler.draws()
        || gap.iter().flat_map(|gap| &gap.schedulers).any(|other| other.scheduler.draws());
    let misfits = predicting.misfits(&grid, &graph).into_iter();
    let misfits = misfits.map(|(key, what)| params.section("prediction").complaint(key, what));
    let misfits: Vec<Complaint> = misfits.collect();
    if !misfits.is_empty() {
        return Err(scenario.reject_all(misfits));
    }
    let prediction = predicting.prediction(&streams, &grid, &graph);
    let problem = SchedulingProblem::new(Arc::new(graph), grid, prediction, contention).with_streams(streams);
    warnings.extend(warnings::strangers(&params, &problem));
    runnable(&params, &problem).map_err(|complaints| scenario.reject_all(complaints))?;
    let schedulers: Vec<Rc<dyn Scheduler>> = match scheduler.succession() {
        Some(all) => all.phases.iter().map(|phase| Rc::clone(&phase.rule.scheduler)).collect(),
        None => vec![Rc::clone(&scheduler)],
    };
    let tables = tables(&params.section("scheduler"));
    let others = gap.iter().flat_map(|gap| &gap.schedulers).map(|other| &other.scheduler);
    let others = others.map(|other| (params.section("record"), other));
    let mistakes = given(tables.iter().copied().zip(&schedulers).chain(others), &problem);
    if !mistakes.is_empty() {
        return Err(scenario.reject_all(mistakes));
    }
    for (table, scheduler) in tables.iter().zip(&schedulers) {
        assumptions(&params, table, &problem, &**scheduler, &mut warnings).map_err(reject)?;
        warnings.extend(without_plans(table, &**scheduler).map_err(reject)?);
    }
    let billing = billing(&params.section("run"), problem.grid.platform())
        .map_err(|complaints| scenario.reject_all(complaints))?;
    let name: String = params.section("scheduler").read("kind").map_err(reject)?;
    let assembly = Assembly {
        problem: Rc::new(problem),
        rule: NamedScheduler { name, scheduler },
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
        terms: Terms { billing, deadline: settings.deadline },
    };
    Ok(Ready { run: Box::new(assembly), inputs: inputs(&params), notes: Vec::new(), warnings })
}

/// The graph of every copy of the application, read or drawn once more.
///
/// # Errors
/// Complaints about the input, if something is wrong with it.
pub(super) fn graph_again(
    params: &Params<'_>,
    platform: &Arc<Platform>,
    settings: &Settings,
    streams: Streams,
) -> Result<Graph, Vec<Complaint>> {
    let source: Box<dyn WorkflowSource> = params.component("application", "application")?;
    let grid = Grid::new(Arc::clone(platform), settings.cores);
    let rules = file_rules(params, &grid)?;
    graph(params, &*source, &grid, (streams, rules), settings, &mut Vec::new())
}

/// Rules for the origin of files and their transfers.
pub(super) fn file_rules(params: &Params<'_>, grid: &Grid) -> Result<FileRules, Complaint> {
    let application = params.section("application");
    let return_outputs = application.read("return-outputs")?;
    let mut home = None;
    if application.has("home") {
        let name: String = application.read("home")?;
        home = grid.platform().host_named(&name);
        if home.is_none() {
            let known = grid.platform().hosts().iter().map(|host| &*host.name);
            let complaint = application.complaint("home", format!("the platform has no host `{name}`"));
            return Err(complaint.help(suggestion(&name, known)));
        }
    } else if return_outputs {
        let complaint =
            application.complaint("return-outputs", "files are to be returned, and there is no `home`");
        return Err(complaint.help("home = \"HOST\" says where files begin and end"));
    }
    Ok(FileRules { home, return_outputs, cache: application.read("file-cache")? })
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
    (streams, rules): (Streams, FileRules),
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
                let request = CopyRequest { streams, name: &kind, copy, hosts: &hosts, means, is_run: true };
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
        if copy == 0 && settings.copies > 1 {
            // a single graph is as large as its file, or was counted where it was generated
            let (tasks, edges) = (workflow.tasks().len() as u64, workflow.edges().len() as u64);
            let all = tasks.saturating_mul(settings.copies);
            application.fits("count", TASKS_OF_GRAPHS, all, bytes_of_task(tasks, edges))?;
        }
        same = Some(Arc::clone(&workflow));
        let name = if settings.copies == 1 {
            workflow.name().to_owned()
        } else {
            format!("{}-{copy}", workflow.name())
        };
        graphs.push((name, at, workflow));
    }
    Ok(Graph::with_files(graphs, rules))
}

/// Costs of hosts, if they have any.
pub(super) fn billing(run: &Params<'_>, platform: &Platform) -> Result<Option<Billing>, Vec<Complaint>> {
    if !run.has("cost") {
        return Ok(None);
    }
    let table = run.section("cost");
    let time = table.pick("billed", &[("rented", BilledTime::Rented), ("busy", BilledTime::Busy)])?;
    let mut prices = vec![table.read("price")?; platform.hosts().len()];
    let (mut seen, mut complaints) = (vec![false; prices.len()], Vec::new());
    for node in table.items("host") {
        let of_these = table.with(node);
        let price: f64 = of_these.read("price")?;
        for host in hosts_of(of_these.items("named"), platform, &mut seen, &mut complaints) {
            prices[host.index()] = price;
        }
    }
    let quantum = table.read("quantum")?;
    if complaints.is_empty() { Ok(Some(Billing { prices, time, quantum })) } else { Err(complaints) }
}

/// Complaints about plans that are given; one with no place in a file of its own is at the key that
/// names the file.
fn given<'a>(
    schedulers: impl Iterator<Item = (Params<'a>, &'a Rc<dyn Scheduler>)>,
    problem: &SchedulingProblem,
) -> Vec<Complaint> {
    let state = ExecutionState::all_open(&problem.graph);
    let view = View::new(problem, &state, SimTime::ZERO, 0);
    let of_one = |(table, scheduler): (Params<'_>, &Rc<dyn Scheduler>)| {
        let span = table.span(if table.has("file") { "file" } else { "gap" });
        let placed = move |complaint: Complaint| match (complaint.span, &complaint.excerpt) {
            (None, None) => Complaint { span: Some(span), ..complaint },
            _ => complaint,
        };
        scheduler.mistakes(&view).into_iter().map(placed).collect::<Vec<_>>()
    };
    schedulers.flat_map(of_one).collect()
}

/// Warns of a scheduler that makes no plans, and is to make them again.
fn without_plans(table: &Params<'_>, scheduler: &dyn Scheduler) -> Result<Option<Complaint>, Complaint> {
    if scheduler.dynamic().is_none() {
        return Ok(None);
    }
    let (replan, merge) = plans_again(table)?;
    let key = match (replan, merge) {
        (Replan::Never, Merge::Append) => return Ok(None),
        (Replan::Never, _) => "merge",
        _ => "replan",
    };
    let message =
        format!("`{key}` has no effect: the scheduler makes no plans, it places tasks as the run goes on");
    Ok(Some(table.complaint(key, message)))
}

/// Warns of assumptions of the scheduler that graph or platform break; refuses them if the scenario
/// is strict.
fn assumptions(
    params: &Params<'_>,
    table: &Params<'_>,
    problem: &SchedulingProblem,
    scheduler: &dyn Scheduler,
    warnings: &mut Vec<Complaint>,
) -> Result<(), Complaint> {
    for broken in broken(scheduler.assumptions(), problem) {
        let (assumption, why) = (broken.assumption.name(), broken.because);
        let complaint = params.complaint("scheduler", format!("it assumes `{assumption}`: {why}"));
        if table.read("strict")? {
            return Err(complaint.help("scheduler.strict = false makes this a warning"));
        }
        warnings.push(complaint);
    }
    Ok(())
}
