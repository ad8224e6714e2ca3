//! From a checked scenario of a parameter sweep to a run.

use std::path::PathBuf;
use std::rc::Rc;

use crate::collections::StableSort as _;
use crate::estimate::known::{EstimateBasis, KnownSweep};
use crate::estimate::{Estimator, OutputSizes, ProgressEstimate};
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};
use crate::model::application::{Sweep, place_files};
use crate::model::grid::{HostNumber, SweepGrid};
use crate::platform::described;
use crate::registry::{Complaint, Node, Params, Registry, code};
use crate::results::optimum::SweepOptimum;
use crate::results::record::SweepOutcomes;
use crate::run::running::SweepProblem;
use crate::scenario::{Figures, Ready, Rejected, Scenario, keep};
use crate::scheduler::interfaces::SweepScheduler;
use crate::scheduler::kind::SweepSchedulerKind;
use crate::source::{SweepRequest, SweepSource};
use crate::system::misfits::misfits;
use crate::workflow::TaskNumber;
use crate::{SweepGapRequest, SweepTerms};

/// Settings that the system reads of a scenario.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
pub(super) struct Settings {
    estimates: EstimateBasis,
    outputs: OutputSizes,
    progress: Option<ProgressEstimate>,
    overdue: SimDuration,
    /// True if storages may have limits: one is written, or the platform is read.
    pub(super) has_limits: bool,
    /// True if links may lie between clusters: routes are written.
    pub(super) may_join: bool,
    /// True if clusters may have prices.
    pub(super) has_prices: bool,
    /// Records that runs are to keep.
    pub(super) terms: SweepTerms,
    /// Optimum that is searched for, if one is.
    pub(super) gap: Option<SweepGapRequest>,
    /// True if tasks.csv is written, and what goes with it.
    pub(super) record_tasks: bool,
    /// True if transfers.csv is written.
    pub(super) record_transfers: bool,
    /// True if loads.csv is written.
    pub(super) record_loads: bool,
    /// True if dialogue.jsonl is written.
    pub(super) record_dialogue: bool,
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
    pub(super) gap: Option<SweepGapRequest>,
    /// Name of the scheduler.
    pub(super) name: String,
    /// Subject of the explanation.
    pub(super) explained: Option<Explained>,
    /// True if the dialogue with the scheduler is recorded.
    pub(super) has_dialogue: bool,
}

/// Subject of an explanation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Explained {
    /// Reasons for the place of a task.
    Task(TaskNumber),
    /// Activity of a host, and reasons for its idleness.
    Host(HostNumber),
}

/// A run of a parameter sweep that is over.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) outcomes: SweepOutcomes,
    /// Result of a search for the optimum, if there was one.
    pub(super) optimum: Option<SweepOptimum>,
    /// The figures of the run.
    pub(super) figures: Figures,
    /// Name of the heuristic, or of the scheduler that has none.
    pub(super) scheduler: String,
    pub(super) explained: Option<Explained>,
    /// Dialogue of the grid and the scheduler, if it was recorded.
    pub(super) dialogue: Option<String>,
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
        let record_dialogue = keep(record.read("dialogue"), complaints);
        let gap = record.has("gap").then(|| record.section("gap"));
        let gap = gap.map(|gap| {
            let most_tasks = keep(gap.read("most-tasks"), complaints);
            let steps = keep(gap.read("nodes"), complaints);
            Some(SweepGapRequest { most_tasks: most_tasks?, steps: steps? })
        });
        Some(Settings {
            estimates: estimates?,
            outputs: outputs?,
            progress: progress?,
            overdue: overdue?,
            has_limits: may_have(&platform, &["capacity"]),
            may_join: may_join(&platform),
            has_prices,
            terms: SweepTerms { deadline: deadline?.map(|span| SimTime::ZERO + span), budget: budget? },
            gap: gap.flatten(),
            record_tasks: record_tasks?,
            record_transfers: record_transfers?,
            record_loads: record_loads?,
            record_dialogue: record_dialogue?,
        })
    }
}

/// Returns true if some cluster may have one of these keys, or a property for it in a file.
fn may_have(platform: &Params<'_>, keys: &[&str]) -> bool {
    let has = |cluster: &Node| keys.iter().any(|key| cluster.at(key).is_some());
    platform.has("file") || platform.items("cluster").iter().any(has)
}

/// Returns true if a route is written from one cluster to another.
fn may_join(platform: &Params<'_>) -> bool {
    let zones = || platform.items("cluster").iter().chain(platform.items("zone"));
    let is_zone = |name: Option<&str>| name.is_some() && zones().any(|zone| zone.text_at("name") == name);
    let mut routes = platform.items("route").iter();
    routes.any(|route| is_zone(route.text_at("from")) && is_zone(route.text_at("to")))
}

/// The files that a scenario reads: as they are named, and from where the program runs.
pub(super) fn inputs(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let mut inputs = described::inputs(&params.section("platform"));
    if let Ok(source) = params.component::<dyn SweepSource>("application", "sweep") {
        inputs.extend(source.inputs().into_iter().map(|(name, path)| (name.to_owned(), path.to_owned())));
    }
    if let Ok(scheduler) = params.component::<dyn SweepSchedulerKind>("scheduler", "sweep-scheduler") {
        inputs.extend(scheduler.inputs());
    }
    inputs.stable_sort();
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
    let streams = scenario.streams();
    let section = params.section("platform");
    let reject = |complaint| scenario.reject(complaint);
    // what is wrong with one table hides nothing of the others
    let mut complaints = Vec::new();
    let scheduler: Option<Box<dyn SweepSchedulerKind>> =
        keep(params.component("scheduler", "sweep-scheduler"), &mut complaints);
    complaints.extend(scheduler.iter().flat_map(|scheduler| scheduler.contradictions()));
    let estimator: Option<Box<dyn Estimator>> =
        keep(params.component("prediction", "performance-estimate"), &mut complaints);
    let source: Option<Box<dyn SweepSource>> =
        keep(params.component("application", "sweep"), &mut complaints);
    let kind: String = params.section("application").read("kind").map_err(reject)?;
    let described = described::read(&section, &streams)
        .and_then(|described| Ok((grid(&section, &described.platform)?, described)));
    let means = described.as_ref().ok().map(|(grid, _)| grid.means());
    let loaded =
        source.as_ref().map(|source| source.load(&SweepRequest { streams, name: &kind, grid: means }));
    let loaded = match loaded {
        Some(Err(others)) => {
            // sizes that follow from the grid are none of the application's mistakes
            let own = |complaint: &Complaint| described.is_ok() || complaint.code != code::CONTRADICTION;
            complaints.extend(others.into_iter().filter(own));
            None
        }
        loaded => loaded.and_then(Result::ok),
    };
    let described = described.map_err(|wrong| complaints.extend(wrong)).ok();
    let mut read = described.zip(loaded);
    if let Some(((grid, _), loaded)) = &mut read {
        match place_files(&mut loaded.sweep, grid, &params.section("application")) {
            Ok(()) => complaints.extend(misfits(&params, &loaded.sweep, grid)),
            Err(wrong) => complaints.extend(wrong),
        }
    }
    let (true, Some(((grid, described), loaded)), Some(mut scheduler), Some(estimator), Some(source)) =
        (complaints.is_empty(), read, scheduler, estimator, source)
    else {
        return Err(scenario.reject_all(complaints));
    };
    let mut warnings = described.warnings;
    warnings.extend(loaded.warnings);
    let (sweep, grid) = (Rc::new(loaded.sweep), Rc::new(grid));
    // of each cluster a bit for each file
    let stored = (grid.clusters.len() as u64).saturating_mul(sweep.files.len().div_ceil(64) as u64);
    params
        .fits("application", "words of 64 files, one for each cluster,", stored, size_of::<u64>())
        .map_err(reject)?;
    scheduler.load(&sweep, &grid).map_err(|complaints| scenario.reject_all(complaints))?;
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
        grid,
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
        gap: settings.gap,
        name,
        explained: None,
        has_dialogue: settings.record_dialogue,
    };
    Ok(Ready { run: Box::new(assembly), inputs: inputs(&params), notes: Vec::new(), warnings })
}

/// The application, read or drawn once more.
///
/// # Errors
/// Complaints about the input, if something is wrong with it.
pub(super) fn sweep_again(
    params: &Params<'_>,
    grid: &SweepGrid,
    streams: Streams,
) -> Result<Sweep, Vec<Complaint>> {
    let source: Box<dyn SweepSource> = params.component("application", "sweep")?;
    let kind: String = params.section("application").read("kind")?;
    let request = SweepRequest { streams, name: &kind, grid: Some(grid.means()) };
    let mut sweep = source.load(&request)?.sweep;
    place_files(&mut sweep, grid, &params.section("application"))?;
    Ok(sweep)
}

/// The grid of a platform, around its origin.
pub(super) fn grid(
    section: &Params<'_>,
    described: &crate::platform::Platform,
) -> Result<SweepGrid, Vec<Complaint>> {
    // a grid that is described has no place for each of its clusters
    let key = if section.has("file") { "file" } else { "cluster" };
    let at = Some(section.span(key));
    let grid = described::sweep_grid(section, described).map_err(|complaints| {
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
