//! From a checked scenario of a parameter sweep to a run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;

use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};
use crate::output::number::grouped;
use crate::registry::{Complaint, Node, Params, Registry};
use crate::scenario::{Ready, Rejected, Scenario, keep, platform};
use crate::sweep::SweepTerms;
use crate::sweep::application::{Sweep, SweepTask};
use crate::sweep::estimate::{Estimator, OutputSizes, ProgressEstimate};
use crate::sweep::grid::SweepGrid;
use crate::sweep::interfaces::SweepScheduler;
use crate::sweep::known::{EstimateBasis, KnownSweep};
use crate::sweep::origins::place_files;
use crate::sweep::run::SweepProblem;
use crate::sweep::scheduler::SweepSchedulerKind;
use crate::sweep::source::{SweepRequest, SweepSource};
use crate::system::sweep::ended::Explained;
use crate::workflow::TaskNumber;

/// What the system reads of a scenario.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
pub(super) struct Settings {
    estimates: EstimateBasis,
    outputs: OutputSizes,
    progress: Option<ProgressEstimate>,
    overdue: SimDuration,
    /// Whether storages may have limits: one is written, or the platform is read.
    pub(super) has_limits: bool,
    /// The same of prices.
    pub(super) has_prices: bool,
    /// What runs are to keep.
    pub(super) terms: SweepTerms,
    /// Whether tasks.csv is written, and what goes with it.
    pub(super) record_tasks: bool,
    /// Whether transfers.csv is written.
    pub(super) record_transfers: bool,
    /// Whether loads.csv is written.
    pub(super) record_loads: bool,
}

/// A run of a parameter sweep that is ready to begin.
#[derive(Debug)]
pub(super) struct Assembly {
    pub(super) problem: Rc<SweepProblem>,
    pub(super) scheduler: Box<dyn SweepScheduler>,
    pub(super) estimator: Box<dyn Estimator>,
    pub(super) streams: Streams,
    pub(super) until: Option<SimTime>,
    pub(super) drew: bool,
    pub(super) terms: SweepTerms,
    /// What the scheduler is called.
    pub(super) name: String,
    /// What is to be explained.
    pub(super) explained: Option<Explained>,
}

impl Settings {
    /// Reads them; what is wrong is among the complaints.
    pub(super) fn read(params: &Params<'_>, complaints: &mut Vec<Complaint>) -> Option<Self> {
        let (record, prediction) = (params.section("record"), params.section("prediction"));
        let (run, platform) = (params.section("run"), params.section("platform"));
        let has_prices = may_have(&platform, &["price", "price-per-byte"]);
        let deadline = keep(run.read::<Option<SimDuration>>("deadline"), complaints);
        let budget = keep(run.read("budget"), complaints);
        if !has_prices && run.has("budget") {
            let complaint = run.complaint("budget", "a budget, and nothing has a price");
            complaints.push(complaint.help("`price` or `price-per-byte` of a cluster"));
        }
        let estimates = keep(prediction.read("estimates"), complaints);
        let outputs = keep(prediction.read("output-size"), complaints);
        let progress = if prediction.has("progress") {
            keep(prediction.read("progress"), complaints).map(Some)
        } else {
            Some(None)
        };
        let overdue = keep(prediction.read("overdue"), complaints);
        let record_tasks = keep(record.read("tasks"), complaints);
        let record_transfers = keep(record.read("transfers"), complaints);
        let record_loads = keep(record.read("loads"), complaints);
        Some(Settings {
            estimates: estimates?,
            outputs: outputs?,
            progress: progress?,
            overdue: overdue?,
            has_limits: may_have(&platform, &["capacity"]),
            has_prices,
            terms: SweepTerms { deadline: deadline?.map(|span| SimTime::ZERO + span), budget: budget? },
            record_tasks: record_tasks?,
            record_transfers: record_transfers?,
            record_loads: record_loads?,
        })
    }
}

/// Whether some cluster may have one of these keys, or a property for it in a file.
fn may_have(platform: &Params<'_>, keys: &[&str]) -> bool {
    let has = |cluster: &Node| keys.iter().any(|key| cluster.at(key).is_some());
    platform.has("file") || platform.items("cluster").iter().any(has)
}

/// The files that a scenario reads: as they are named, and from where the program runs.
pub(super) fn inputs(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let mut inputs = platform::inputs(&params.section("platform"));
    if let Ok(source) = params.component::<dyn SweepSource>("application", "sweep") {
        inputs.extend(source.inputs().into_iter().map(|(name, path)| (name.to_owned(), path.to_owned())));
    }
    inputs.sort();
    inputs.dedup();
    inputs
}

/// Reads or draws platform and application, and makes the scheduler ready.
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
    let scheduler: Box<dyn SweepSchedulerKind> =
        params.component("scheduler", "sweep-scheduler").map_err(reject)?;
    let estimator: Box<dyn Estimator> =
        params.component("prediction", "performance-estimate").map_err(reject)?;
    let source: Box<dyn SweepSource> = params.component("application", "sweep").map_err(reject)?;
    let mut warnings = described.warnings;
    let grid = grid(&section, &described.platform).map_err(|complaints| scenario.reject_all(complaints))?;
    let kind: String = params.section("application").read("kind").map_err(reject)?;
    let request = SweepRequest { streams, name: &kind, grid: Some(grid.means()) };
    let loaded = source.load(&request).map_err(|complaints| scenario.reject_all(complaints))?;
    warnings.extend(loaded.warnings);
    let mut sweep = loaded.sweep;
    place_files(&mut sweep, &grid, &params.section("application"))
        .map_err(|complaints| scenario.reject_all(complaints))?;
    let sweep = Rc::new(sweep);
    // of each cluster a bit for each file
    let stored = (grid.clusters.len() as u64).saturating_mul(sweep.files.len().div_ceil(64) as u64);
    params
        .fits("application", "words of 64 files, one for each cluster,", stored, size_of::<u64>())
        .map_err(reject)?;
    runnable(&params, &sweep, &grid).map_err(|complaints| scenario.reject_all(complaints))?;
    let waits = grid.hosts.iter().any(|host| host.queue_wait.is_some());
    let drew = source.draws() || described.drawn || estimator.draws() || scheduler.draws() || waits;
    let name = match scheduler.heuristic() {
        Some(heuristic) => heuristic.to_owned(),
        None => params.section("scheduler").read("kind").map_err(reject)?,
    };
    let known = KnownSweep::new(Rc::clone(&sweep), settings.estimates).expecting(settings.outputs);
    let problem = SweepProblem {
        known: Rc::new(known),
        sweep,
        grid: Rc::new(grid),
        streams,
        overdue: settings.overdue,
        progress: settings.progress,
    };
    let assembly = Assembly {
        problem: Rc::new(problem),
        scheduler: scheduler.begin(streams),
        estimator,
        streams,
        until: scenario.until,
        drew,
        terms: settings.terms,
        name,
        explained: None,
    };
    Ok(Ready { run: Box::new(assembly), inputs: inputs(&params), log: None, warnings })
}

/// The grid of a platform, around its origin.
pub(super) fn grid(
    section: &Params<'_>,
    described: &crate::platform::Platform,
) -> Result<SweepGrid, Vec<Complaint>> {
    let origins = platform::origins(section, described)?;
    // a grid that is described has no place for each of its clusters
    let key = if section.has("file") { "file" } else { "cluster" };
    let at = Some(section.span(key));
    let grid = SweepGrid::of(described, &origins, platform::SWEEP_SPEED).map_err(|complaints| {
        complaints
            .into_iter()
            .map(|one| Complaint { span: one.span.or(at), ..one })
            .collect::<Vec<Complaint>>()
    })?;
    let processors = grid.hosts.iter().map(|host| u64::from(host.processors)).sum();
    section.fits(key, "processors", processors, PROCESSOR)?;
    Ok(grid)
}

/// Bytes that a processor takes at least.
const PROCESSOR: usize = 160;

/// Most tasks of which it is reported that no host can run them.
const REPORTED: usize = 5;

/// Refuses tasks that have no time for any of the hosts' architectures, and estimates of 0 for what takes time.
fn runnable(params: &Params<'_>, sweep: &Sweep, grid: &SweepGrid) -> Result<(), Vec<Complaint>> {
    let mut architectures: Vec<usize> = grid.hosts.iter().map(|host| host.architecture).collect();
    architectures.sort_unstable();
    architectures.dedup();
    let homeless = sweep
        .tasks
        .iter()
        .filter(|task| architectures.iter().all(|architecture| task.time_on(*architecture).is_none()));
    let complaints: Vec<Complaint> = homeless
        .take(REPORTED)
        .map(|task| {
            let message = format!("no host is of an architecture that task `{}` has a time for", task.name);
            params.complaint("application", message)
        })
        .collect();
    let complaints = if complaints.is_empty() { too_large(params, sweep, grid) } else { complaints };
    if complaints.is_empty() { Ok(()) } else { Err(complaints) }
}

/// Reports tasks whose inputs no storage of a cluster with a host for them can hold.
fn too_large(params: &Params<'_>, sweep: &Sweep, grid: &SweepGrid) -> Vec<Complaint> {
    let limits: BTreeSet<(usize, u64)> = grid
        .hosts
        .iter()
        .map(|host| (host.architecture, grid.cluster(host.cluster).limit().unwrap_or(u64::MAX)))
        .collect();
    let most = |task: &SweepTask| {
        let of_hosts = limits.iter().filter(|(architecture, _)| task.time_on(*architecture).is_some());
        of_hosts.map(|(_, limit)| *limit).max().unwrap_or(0)
    };
    let platform = params.section("platform");
    let storages = platform.span(if platform.has("file") { "file" } else { "cluster" });
    let complain = |task: TaskNumber| {
        let task = sweep.task(task);
        let most = most(task);
        let file = task.inputs.iter().map(|file| sweep.file(*file)).find(|file| file.bytes > most);
        let message = match file {
            Some(file) => format!("file `{}` of {} bytes fits in no storage", file.name, grouped(file.bytes)),
            None => format!("the inputs of task `{}` do not fit in any storage together", task.name),
        };
        let largest = format!(
            "the storages of clusters that can run task `{}` hold {} bytes at most",
            task.name,
            grouped(most)
        );
        params.complaint("application", message).note(largest, Some(storages))
    };
    let too_large = sweep.task_numbers().filter(|task| !sweep.fits(*task, most(sweep.task(*task))));
    let mut complaints: Vec<Complaint> = too_large.take(REPORTED).map(complain).collect();
    // a file that several tasks read
    complaints.dedup_by(|one, other| one.message == other.message);
    complaints
}
