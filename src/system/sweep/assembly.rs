//! From a checked scenario of a parameter sweep to a run.

use std::path::PathBuf;
use std::rc::Rc;

use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Complaint, Params, Registry, code};
use crate::scenario::{Ready, Rejected, Scenario, keep, platform};
use crate::sweep::application::Sweep;
use crate::sweep::estimate::{Estimator, OutputSizes, ProgressEstimate};
use crate::sweep::grid::SweepGrid;
use crate::sweep::interfaces::SweepScheduler;
use crate::sweep::known::{EstimateBasis, KnownSweep};
use crate::sweep::run::SweepProblem;
use crate::sweep::scheduler::SweepSchedulerKind;
use crate::sweep::source::{SweepRequest, SweepSource};
use crate::system::sweep::ended::Explained;

/// What the system reads of a scenario.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    estimates: EstimateBasis,
    outputs: OutputSizes,
    progress: Option<ProgressEstimate>,
    overdue: SimDuration,
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
    /// What the scheduler is called.
    pub(super) name: String,
    /// What is to be explained.
    pub(super) explained: Option<Explained>,
}

impl Settings {
    /// Reads them; what is wrong is among the complaints.
    pub(super) fn read(params: &Params<'_>, complaints: &mut Vec<Complaint>) -> Option<Self> {
        let (record, prediction) = (params.section("record"), params.section("prediction"));
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
            record_tasks: record_tasks?,
            record_transfers: record_transfers?,
            record_loads: record_loads?,
        })
    }
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
    let sweep = Rc::new(loaded.sweep);
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
    let origin = platform::origin(section, described)?;
    // a grid that is described has no place for each of its clusters
    let key = if section.has("file") { "file" } else { "cluster" };
    let at = Some(section.span(key));
    let grid = SweepGrid::of(described, origin, platform::SWEEP_SPEED).map_err(|complaints| {
        complaints
            .into_iter()
            .map(|one| Complaint { span: one.span.or(at), ..one })
            .collect::<Vec<Complaint>>()
    })?;
    let processors = grid.hosts.iter().map(|host| u64::from(host.processors)).sum();
    section.fits(key, "processors", processors, PROCESSOR)?;
    match grid.clusters.iter().find(|cluster| cluster.capacity.is_some()) {
        Some(cluster) => {
            let message =
                format!("the storage of cluster `{}` has a limit, which is not simulated yet", cluster.name);
            Err(vec![Complaint::new(code::NOT_YET, message, section.span(key)).label("take it out")])
        }
        None => Ok(grid),
    }
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
    if complaints.is_empty() { Ok(()) } else { Err(complaints) }
}
