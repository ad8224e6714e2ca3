//! A run: the processes that make it up, and what comes out of it.
//!
//! One process submits the jobs, one is the policy, and each running job is one that holds for its
//! run time (at detail `task`, each of its tasks is one). They meet in the [`FrontEnd`]. The run
//! ends when all have: after the last job, or at `until`.

use std::sync::Arc;

use crate::batch::machine::{Faults, Machine, Reservations};
use crate::batch::pools::Pool;
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::execution::ExecutionProfile;
use crate::instrument::explanation::Explanation;
use crate::instrument::loss_of_capacity::capacity_metric;
use crate::instrument::metrics::FinishedRun;
use crate::instrument::slice_metrics::SliceSide;
use crate::instrument::task_metrics::TaskRun;
use crate::instrument::{Keep, LossOfCapacity, OwnCells, Record, SiteModel};
use crate::kernel::rng::Streams;
use crate::kernel::stats::WarmUp;
use crate::kernel::{Digest, SimError, SimTime, Simulation, fail, hold, now, observe, spawn_observer};
use crate::measure::metric::Metric;
use crate::workload::parallel::Applications;
use crate::workload::resources::Resources;
use crate::workload::{Job, Workload};

use super::execution::{Execution, Sharing, TaskDetail};
use super::features::{self, SiteSetting};
use super::front_end::{FrontEnd, Molds, SiteParts};
use super::own_features::{self, OwnFeature};
use super::{Policy, failed_run};

/// The machine of a run, and how far the run goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Processors of the machine.
    pub procs: u32,
    /// Tasks that a processor takes at detail `job`, if the policy shares processors; detail `task`
    /// has its own.
    pub level: u32,
    /// Instant at which the run is stopped at the latest.
    pub until: Option<SimTime>,
    /// Part of the run that the metrics leave out.
    pub warm_up: WarmUp,
    /// Features of the site beyond giving processors, at detail `job`; detail `task` has none of
    /// them. Habits of its users are taken from the work of the run.
    pub site: SiteModel,
}

/// Detail of the simulation.
#[derive(Clone, Debug)]
pub enum Detail {
    /// A job has its processors for its run time.
    Job {
        /// Resources of nodes beyond processors and demands of jobs, if they are known.
        resources: Option<Arc<Resources>>,
        /// Failures of nodes, if the site has failures.
        faults: Option<Faults>,
        /// Reservations of processors; none where nodes have more than processors.
        reservations: Reservations,
        /// Pools that the site puts beside processors.
        pools: Vec<Pool>,
    },
    /// Tasks run on nodes, which draw from these streams.
    Task(Box<TaskDetail>, Streams),
}

impl Detail {
    /// Jobs have processors, which are all alike and never fail.
    pub const PLAIN: Detail =
        Detail::Job { resources: None, faults: None, reservations: Reservations::NONE, pools: Vec::new() };
}

/// Outcomes of a run.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// The jobs, in order of submission, as they were in the run: with the run times that their
    /// limits leave them, with the sizes that they were given, and submitted when others had left,
    /// where they were.
    pub jobs: Arc<Vec<Job>>,
    /// Outcome of them.
    pub record: Record,
    /// The machine and the end of the run.
    pub setting: Setting,
    /// True if the run was stopped before all jobs had left.
    pub stopped: bool,
    /// Resumptions of processes.
    pub events: u64,
    /// End of the run.
    pub ended_at: SimTime,
    /// Hash over them.
    pub digest: Digest,
    /// True if the policy or a node asked for a random stream, or a task drew a time. What drew the
    /// jobs is not known here.
    pub drew: bool,
    /// Times of the processors, at detail `task`.
    pub profile: Option<ExecutionProfile>,
    /// The other parts of a run at detail `task`.
    pub tasks: Option<TaskSide>,
    /// Outcomes of slices, where jobs shared processors at detail `job`.
    pub slices: Option<SliceSide>,
    /// Loss of capacity where a job has its processors to itself, at detail `job`.
    pub lost_capacity: Option<f64>,
    /// Metrics of features of another crate.
    pub own_metrics: Vec<Metric>,
    /// Explanation of the wait of the job that was asked about.
    pub explanation: Option<Explanation>,
}

/// Outcomes of a run at detail `task` beyond its profile.
#[derive(Clone, Debug)]
pub struct TaskSide {
    /// Applications of the jobs.
    pub applications: Arc<Applications>,
    /// The slots that stayed free.
    pub capacity: LossOfCapacity,
    /// Slots of the machine.
    pub slots: u64,
}

impl Outcomes {
    /// The run as metrics and sinks see it.
    pub fn run(&self) -> FinishedRun<'_> {
        FinishedRun {
            jobs: &self.jobs,
            record: &self.record,
            procs: self.setting.procs,
            until: self.setting.until.filter(|_| self.stopped),
            warm_up: self.setting.warm_up,
        }
    }

    /// The run as the metrics and sinks of detail `task` see it; `None` at detail `job`.
    pub fn task_run(&self) -> Option<TaskRun<'_>> {
        let (profile, side) = (self.profile.as_ref()?, self.tasks.as_ref()?);
        Some(TaskRun {
            run: self.run(),
            profile,
            capacity: &side.capacity,
            slots: side.slots,
            applications: &side.applications,
        })
    }

    /// All metrics, in the order in which they are shown.
    pub fn metrics(&self) -> Vec<Metric> {
        let tasks = self.task_run();
        let mut metrics = tasks.as_ref().map_or_else(|| self.run().metrics(), TaskRun::metrics_of_jobs);
        if self.slices.is_none() && self.tasks.is_none() {
            metrics.push(capacity_metric(self.lost_capacity));
        }
        metrics.extend(self.slices.iter().flat_map(SliceSide::metrics));
        metrics.extend(tasks.map(|run| run.metrics()).unwrap_or_default());
        metrics.extend(self.own_metrics.iter().cloned());
        metrics
    }
}

/// Rules of a site: its policy, and its features of another crate.
#[derive(Debug)]
pub struct SiteRules {
    /// The policy.
    pub policy: Box<dyn Policy>,
    /// Features of another crate, in order; at detail `job` only.
    pub features: Vec<Box<dyn OwnFeature>>,
}

impl<P: Policy + 'static> From<Box<P>> for SiteRules {
    fn from(policy: Box<P>) -> Self {
        SiteRules { policy, features: Vec::new() }
    }
}

impl From<Box<dyn Policy>> for SiteRules {
    fn from(policy: Box<dyn Policy>) -> Self {
        SiteRules { policy, features: Vec::new() }
    }
}

/// Observation of a run; it changes nothing in the results.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watching {
    /// The job whose wait is explained.
    pub explained: Option<JobId>,
    /// Time for which it is kept where jobs are.
    pub keep: Keep,
}

/// Runs the jobs (sorted by submission) on a machine under a policy.
///
/// # Errors
/// A start that is not lawful, a policy that leaves jobs waiting, or time past its end.
pub fn simulate(
    work: impl Into<Workload>,
    setting: Setting,
    policy: Box<dyn Policy>,
    simulation: Simulation,
) -> Result<Outcomes, SimError> {
    simulate_watched(work, setting, policy, simulation, Detail::PLAIN, Watching::default())
}

/// Runs the jobs as [`simulate`] does, at the detail that is given, and reports to the watch.
/// Watching changes nothing in the results.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_watched(
    work: impl Into<Workload>,
    setting: Setting,
    rules: impl Into<SiteRules>,
    mut simulation: Simulation,
    detail: Detail,
    watching: Watching,
) -> Result<Outcomes, SimError> {
    let (tasks, resources, faults, reservations, pools) = match detail {
        Detail::Job { resources, faults, reservations, pools } => {
            (None, resources, faults, reservations, pools)
        }
        Detail::Task(nodes, streams) => (Some((*nodes, streams)), None, None, Reservations::NONE, Vec::new()),
    };
    let mut work: Workload = work.into();
    let SiteRules { mut policy, features: own } = rules.into();
    if !policy.molds() || tasks.is_some() {
        work.moldable = None;
    }
    let site = if tasks.is_none() {
        SiteModel {
            users: work.habits(),
            reserves: !reservations.all.is_empty(),
            inside: setting.site.inside || !reservations.inside.is_empty(),
            ..setting.site
        }
    } else {
        SiteModel::default()
    };
    let molds = work.moldable.take().map(|rules| Molds { rules });
    let (jobs, attributes) = (Arc::clone(&work.jobs), Arc::clone(&work.attributes));
    let streams = tasks.as_ref().map(|(_, streams)| *streams);
    let applications = tasks.as_ref().map(|(detail, _)| Arc::clone(&detail.applications));
    let execution = match (tasks, policy.sharing()) {
        (Some((detail, _)), sharing) => Execution::on_nodes(detail, sharing),
        (None, Sharing::Slices) => Execution::in_slices(setting.level),
        (None, _) => Execution::Time,
    };
    let machine = Machine::new(setting.procs, jobs.len()).shared(execution.level()).keeping(watching.keep);
    let setting_of_features = SiteSetting { work: &work, site: &site, faults, reservations, pools };
    let mut features = features::of(&setting_of_features);
    features.extend(own_features::feature(own));
    let parts = SiteParts { resources: resources.clone(), molds, features, requeue: site.requeue };
    let front = FrontEnd::new(work.jobs, machine, policy.name(), execution, parts, watching.explained);
    if let Some(streams) = streams {
        simulation.enter(|| front.begin(streams));
    }
    simulation.enter(|| front.begin_features());
    simulation.enter(|| observe_run(&front, &jobs, setting));
    simulation.spawn("arrivals", arrivals(front.clone()));
    simulation.enter(|| front.watch_submissions());
    let served = front.clone();
    simulation.spawn("policy", async move {
        match policy.run(served.clone()).await {
            Ok(()) if served.all_left() => {}
            Ok(()) => served.desert(),
            Err(error) => fail(error),
        }
    });
    let ended = simulation.run_until(setting.until.unwrap_or(SimTime::MAX));
    let outcome = ended.map_err(|error| failed_run::described(error, &front))?;
    let stopped = !front.all_left();
    let closed = simulation.enter(|| front.close());
    let slices = simulation.enter(|| front.close_slices());
    let lost_capacity = simulation.enter(|| front.lost_capacity());
    let own_metrics = simulation.enter(|| front.own_metrics());
    let own_cells = simulation.enter(|| own_cells(&front, outcome.ended_at))?;
    let drew = simulation.streamed() || closed.as_ref().is_some_and(|(profile, _)| profile.drew);
    let slots = u64::from(setting.procs) * u64::from(front.level());
    drop(simulation);
    let explanation = front.explanation().map(|mut explanation| {
        explanation.over(setting.until.unwrap_or(outcome.ended_at));
        explanation.clone()
    });
    let all = (0..jobs.len() as u32).map(JobId);
    let mut never_submitted: Vec<JobId> = all.filter(|&id| front.submits_later(id)).collect();
    let pools = front.pools();
    let (record, revised) = front.into_record().expect("the processes that shared the front end are gone");
    never_submitted.retain(|id| !record.followers().contains(id));
    let record = record
        .without(never_submitted.into_iter().collect())
        .at(site)
        .on_nodes(resources)
        .with_pools(pools)
        .with_own_cells(own_cells)
        .of_jobs_with(attributes);
    let ran = as_they_were(Ran { jobs, record, explanation }, &revised);
    let (profile, capacity) = closed.unzip();
    let tasks =
        applications.zip(capacity).map(|(applications, capacity)| TaskSide { applications, capacity, slots });
    let Ran { jobs, record, explanation } = ran;
    Ok(Outcomes {
        jobs,
        record,
        setting,
        stopped,
        events: outcome.events,
        ended_at: outcome.ended_at,
        digest: outcome.digest,
        drew,
        profile,
        tasks,
        slices,
        lost_capacity,
        own_metrics,
        explanation,
    })
}

/// Columns of features of another crate; inside the simulation.
fn own_cells(front: &FrontEnd, at: SimTime) -> Result<Option<OwnCells>, SimError> {
    let wrong = |error: String| SimError::Model { process: "site-feature".into(), at, error: error.into() };
    front.own_cells().map_err(wrong)
}

/// Observes from the end of the warm-up on; inside the simulation.
fn observe_run(front: &FrontEnd, jobs: &[Job], setting: Setting) {
    match observed_from(jobs, setting) {
        Some(SimTime::ZERO) => front.mark(),
        Some(from) => {
            let marked = front.clone();
            spawn_observer("warm-up", async move {
                observe(from.since(SimTime::ZERO)).await;
                marked.mark();
            });
        }
        None => {}
    }
}

/// Jobs of a run, with their record.
struct Ran {
    jobs: Arc<Vec<Job>>,
    record: Record,
    explanation: Option<Explanation>,
}

/// Puts the jobs as they were in the run in place of those of the workload, and all in order of
/// submission again.
fn as_they_were(ran: Ran, revised: &OrderedMap<JobId, Job>) -> Ran {
    if revised.is_empty() {
        return ran;
    }
    let mut jobs = ran.jobs;
    let all = Arc::make_mut(&mut jobs);
    for (id, job) in revised {
        all[id.index()] = *job;
    }
    if all.is_sorted_by_key(|job| job.submit_time) {
        return Ran { jobs, ..ran };
    }
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&place| jobs[place].submit_time);
    let mut names = vec![JobId(0); jobs.len()];
    for (name, &place) in (0..).map(JobId).zip(&order) {
        names[place] = name;
    }
    Ran {
        jobs: Arc::new(order.into_iter().map(|place| jobs[place]).collect()),
        record: ran.record.renamed(&names),
        explanation: ran.explanation.map(|explanation| explanation.renamed(&names)),
    }
}

/// Beginning of the observation: with the first job that is accepted, or at the end of the warm-up;
/// as [`FinishedRun::window`] has it after the run. `None` if there is no such job.
fn observed_from(jobs: &[Job], setting: Setting) -> Option<SimTime> {
    let mut accepted = jobs.iter().filter(|job| job.procs <= setting.procs).map(|job| job.submit_time);
    match setting.warm_up {
        WarmUp::None => accepted.next(),
        WarmUp::Until(end) => accepted.next().map(|first| first.max(end)),
        WarmUp::Count(jobs) => accepted.nth(usize::try_from(jobs).unwrap_or(usize::MAX)),
    }
}

/// Submits every job at its time, but for those that are submitted when others have left.
async fn arrivals(front: FrontEnd) {
    for (id, job) in (0..).map(JobId).zip(front.jobs().iter()) {
        if front.submits_later(id) {
            front.pass_over();
            continue;
        }
        let wait = job.submit_time.since(now());
        if !wait.is_zero() {
            hold(wait).await;
        }
        front.submit();
    }
}
