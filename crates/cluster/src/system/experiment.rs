//! From a checked scenario to a run: jobs, machine, policy, and what comes out.

use std::sync::Arc;

use crate::batch::machine::{Faults, Reservations};
use crate::batch::pools::Pool;
use crate::fidelity::ReplayedJob;
use crate::ids::JobId;
use crate::instrument::Keep;
use crate::instrument::by_class::{self, By, by_class};
use crate::instrument::job_shares::{JOB_SHARES, counts_of};
use crate::kernel::SimError;
use crate::kernel::rng::Streams;
use crate::kernel::stats::WarmUp;
use crate::measure::signs::{self, Settled, Signs, Warning};
use crate::node::Recording;
use crate::output::number::grouped;
use crate::policy::{
    Detail, Feature, FeatureWork, Outcomes, OwnFeature, Policy, Refusal, Setting, Sharing, SiteRules,
    TaskDetail, Watching, dedicate, simulate_watched,
};
use crate::registry::{Complaint, Node, Registry, code};
use crate::scenario::{Figures, Rejected, Results, Run, Scenario, Session, Subjects, WarmUpCut};
use crate::system::description::Cluster;
use crate::system::origin::Origin;
use crate::system::{failures, reservations, settings, site};
use crate::workload::cancellation::with_patience;
use crate::workload::dependency::with_dependency_table;
use crate::workload::moldable::Moldable;
use crate::workload::resources::{Nodes, Resources};
use crate::workload::source::{LoadRequest, LoadedWorkload, Source};
use crate::workload::{Job, Workload};

/// A run that is ready to begin.
#[derive(Debug)]
pub struct Experiment {
    /// The jobs and where they come from.
    pub loaded: LoadedWorkload,
    /// The job whose wait is to be explained.
    pub explained: Option<JobId>,
    /// Time for which the positions of jobs are kept: to the end, if any file has it.
    pub keep: Keep,
    pub(super) policy: Box<dyn Policy>,
    setting: Setting,
    tasks: Option<TaskDetail>,
    /// Equipment of nodes and requests of jobs beyond processors, if any asks for more.
    pub resources: Option<Arc<Resources>>,
    /// Jobs that may be given other sizes, if any may.
    pub moldable: Option<Arc<Moldable>>,
    classes: Option<By>,
    pub(super) faults: Option<Faults>,
    pub(super) reservations: Reservations,
    /// Pools beside processors, with what jobs ask of them.
    pub(super) pools: Vec<Pool>,
    finds_warm_up: bool,
    streams: Streams,
    /// Jobs that start as recorded, if the run is such a replay.
    pub(super) as_recorded: Vec<ReplayedJob>,
    /// Features of another crate.
    own: Vec<Box<dyn OwnFeature>>,
}

/// A run that is over.
#[derive(Debug)]
pub struct Finished {
    /// Outcome of every job.
    pub outcomes: Outcomes,
    /// The figures of the run.
    pub figures: Figures,
    /// Name of the workload in outputs.
    pub workload: String,
    /// Signs of the run's own trustworthiness.
    pub signs: Signs,
    /// Origin of its jobs.
    pub origin: Origin,
    /// Jobs that started as recorded, if the run is such a replay.
    pub as_recorded: Vec<ReplayedJob>,
}

fn settles(settled: Settled) -> bool {
    matches!(settled, Settled::After(_))
}

/// The source of a scenario's jobs; nothing is read yet.
///
/// # Errors
/// Values of the workload that contradict each other.
pub fn workload(registry: &Registry, scenario: &Scenario) -> Result<Box<dyn Source>, Box<Rejected>> {
    let params = scenario.params(registry);
    params
        .component("workload", "workload")
        .and_then(|source: Box<dyn Source>| with_dependency_table(source, &params.section("workload")))
        .and_then(|source| with_patience(source, &params.section("workload")))
        .map_err(|complaint| scenario.reject(complaint))
}

/// The policy of a scenario, ready to run.
///
/// # Errors
/// Values of the policy that contradict each other.
pub fn policy_of(registry: &Registry, scenario: &Scenario) -> Result<Box<dyn Policy>, Box<Rejected>> {
    let policy = scenario.params(registry).component("policy", "policy");
    policy.map_err(|complaint| scenario.reject(complaint))
}

/// Cluster that is declared.
fn side_of(scenario: &Scenario) -> Result<&Cluster, Box<Rejected>> {
    scenario.own::<Cluster>().ok_or_else(|| {
        let complaint =
            Complaint::nowhere(code::CONTRADICTION, "this scenario is not of a cluster, and has no jobs");
        scenario.reject(complaint)
    })
}

/// Bytes that a processor takes that jobs share, about: how many tasks it has, and which.
const SHARED_BYTES: usize = 64;

/// Reads or draws the jobs of `source`, and makes the policy ready.
///
/// # Errors
/// What is wrong with the input, at its place.
pub fn build(
    registry: &Registry,
    scenario: &Scenario,
    source: &dyn Source,
) -> Result<Experiment, Box<Rejected>> {
    let policy = policy_of(registry, scenario)?;
    let loaded = load(scenario, source)?;
    fit(registry, scenario, policy, loaded)
}

/// The jobs of a scenario, read or drawn.
///
/// # Errors
/// What is wrong with the input, at its place.
pub fn jobs_of(registry: &Registry, scenario: &Scenario) -> Result<LoadedWorkload, Box<Rejected>> {
    load(scenario, workload(registry, scenario)?.as_ref())
}

fn load(scenario: &Scenario, source: &dyn Source) -> Result<LoadedWorkload, Box<Rejected>> {
    let streams = scenario.streams();
    let request = LoadRequest { procs: side_of(scenario)?.procs, streams };
    source.load(&request).map_err(|complaints| scenario.reject_all(complaints))
}

/// Puts the jobs of a scenario, its policy and its machine together.
///
/// # Errors
/// What of them does not go together, at its place.
pub fn fit(
    registry: &Registry,
    scenario: &Scenario,
    policy: Box<dyn Policy>,
    mut loaded: LoadedWorkload,
) -> Result<Experiment, Box<Rejected>> {
    let streams = scenario.streams();
    let cluster = side_of(scenario)?;
    let mut refused = refused(registry, scenario, policy.as_ref(), &loaded)?;
    if !refused.is_empty() {
        let nodes = looked_at(registry, scenario, &loaded)?;
        let others = reservations::reservations(registry, scenario, &loaded, nodes).err();
        refused.extend(others.into_iter().flat_map(|rejected| rejected.complaints));
        return Err(scenario.reject_all(refused));
    }
    classified(registry, scenario, &loaded)?;
    states_qos(registry, scenario, &loaded)?;
    let tasks = task_detail(registry, scenario, policy.as_ref(), &loaded)?;
    if !matches!(policy.sharing(), Sharing::Exclusive) {
        let (cluster, procs) = (scenario.params(registry).section("cluster"), loaded.procs.into());
        let fits = cluster.fits("procs", "processors that jobs share", procs, SHARED_BYTES);
        fits.map_err(|complaint| scenario.reject(complaint))?;
    }
    let nodes = looked_at(registry, scenario, &loaded)?;
    let reservations = reservations::reservations(registry, scenario, &loaded, nodes)?;
    let setting = Setting {
        procs: loaded.procs,
        level: cluster.level,
        until: scenario.until,
        warm_up: cluster.warm_up,
        site: cluster.site,
    };
    let (params, kinds) = (scenario.params(registry), cluster.kinds.as_ref());
    let resources = super::nodes::resources(&params, kinds, &mut loaded, &streams)
        .map_err(|complaint| scenario.reject(complaint))?;
    super::charges::can_be_charged(&params, kinds).map_err(|complaint| scenario.reject(complaint))?;
    let joint = super::queues::share_nodes(&params, &loaded.jobs, resources.as_deref());
    if let Some(at) = joint.map_err(|complaint| scenario.reject(complaint))? {
        let refused = policy.refuses(&[Feature::JointQueues]).into_iter().map(|refusal| {
            let message = format!("policy `{}` {}", policy.name(), refusal.why);
            params.complaint("policy", message).note("queues have nodes of their own here", Some(at))
        });
        let refused: Vec<Complaint> = refused.collect();
        if !refused.is_empty() {
            return Err(scenario.reject_all(refused));
        }
    }
    let pools = if tasks.is_none() { super::pools::pools(&params, &loaded) } else { Ok(Vec::new()) };
    let pools = pools.map_err(|complaint| scenario.reject(complaint))?;
    let faults = failures::faults(registry, scenario, loaded.procs, resources.as_ref())?;
    let moldable = super::users::moldable(&params, policy.as_ref(), &mut loaded, &streams)
        .map_err(|complaint| scenario.reject(complaint))?;
    let own = own_features(registry, scenario, &loaded, resources.as_ref())?;
    let keep = kept(
        cluster.record_jobs || scenario.record_parquet || scenario.record_report || scenario.record_trace,
        resources.as_deref(),
    );
    Ok(Experiment {
        loaded,
        policy,
        setting,
        tasks,
        resources,
        moldable,
        classes: cluster.classes.filter(|_| cluster.nodes.is_none()),
        faults,
        reservations,
        pools,
        finds_warm_up: cluster.finds_warm_up,
        streams,
        as_recorded: Vec::new(),
        own,
        explained: None,
        keep,
    })
}

/// The features of another crate, with the jobs of the run.
fn own_features(
    registry: &Registry,
    scenario: &Scenario,
    loaded: &LoadedWorkload,
    resources: Option<&Arc<Resources>>,
) -> Result<Vec<Box<dyn OwnFeature>>, Box<Rejected>> {
    let cluster = scenario.params(registry).section("cluster");
    let mut all = settings::own_features(&cluster).map_err(|complaint| scenario.reject(complaint))?;
    if all.is_empty() {
        return Ok(all);
    }
    let work = FeatureWork {
        jobs: Arc::new(loaded.jobs.clone()),
        attributes: Arc::clone(&loaded.attributes),
        resources: resources.map(Arc::clone),
        procs: loaded.procs,
    };
    for (feature, table) in all.iter_mut().zip(cluster.items(site::SITE_FEATURE.name)) {
        feature.reads(&work).map_err(|why| {
            let message = format!("feature `{}`: {why}", feature.name());
            scenario.reject(Complaint::new(code::CONTRADICTION, message, table.span))
        })?;
    }
    Ok(all)
}

/// Places that a run keeps, if they are shown: all, and all too where metrics of GPUs are made of
/// them.
fn kept(shown: bool, resources: Option<&Resources>) -> Keep {
    let counted = resources.is_some_and(Resources::distinguishes_gpus);
    if shown || counted { Keep::All } else { Keep::WhileRunning }
}

/// The nodes of a site, if they are looked at: jobs ask for more than processors, or nodes are
/// reserved.
fn looked_at<'s>(
    registry: &Registry,
    scenario: &'s Scenario,
    loaded: &LoadedWorkload,
) -> Result<Option<&'s Nodes>, Box<Rejected>> {
    let (params, cluster) = (scenario.params(registry), side_of(scenario)?);
    Ok(cluster.kinds.as_ref().filter(|_| super::nodes::asked(&params, loaded).is_some()))
}

/// Objections of the policy to requests of the scenario.
fn refused(
    registry: &Registry,
    scenario: &Scenario,
    policy: &dyn Policy,
    loaded: &LoadedWorkload,
) -> Result<Vec<Complaint>, Box<Rejected>> {
    let (params, own) = (scenario.params(registry), side_of(scenario)?);
    let cluster = params.section("cluster");
    let resources = super::nodes::asked(&params, loaded).filter(|_| own.kinds.is_some());
    let mut asked = vec![if own.nodes.is_none() { Feature::DetailJob } else { Feature::DetailTask }];
    asked.extend(own.site.failures.map(|_| Feature::Failures));
    asked.extend(reservations::asked(&cluster));
    asked.extend(resources.map(|_| Feature::Resources));
    asked.extend(cluster.has(super::pools::POOLS.name).then_some(Feature::Pools));
    let features = settings::own_features(&cluster).map_err(|complaint| scenario.reject(complaint))?;
    asked.extend(features.iter().any(|one| one.takes_over()).then_some(Feature::TakeOver));
    let complaint = |Refusal { feature, why }| {
        let complaint = params.complaint("policy", format!("policy `{}` {why}", policy.name()));
        let at = |key| Some(cluster.span(key));
        match feature {
            Feature::DetailJob => complaint.help("write detail = \"task\" in [cluster]"),
            Feature::DetailTask => complaint.note("detail is set here", at("detail")),
            Feature::Failures => complaint.note("nodes fail here", at(failures::FAILURES.name)),
            Feature::Reservations | Feature::AdvanceReservations | Feature::ReservedPools => {
                reservations::noted(complaint, feature, &cluster)
            }
            Feature::JointQueues => complaint,
            Feature::TakeOver => {
                complaint.note("a feature takes jobs over here", at(site::SITE_FEATURE.name))
            }
            Feature::Pools => {
                complaint.note("pools lie beside processors here", at(super::pools::POOLS.name))
            }
            Feature::Resources => complaint.note("jobs ask for more than processors here", resources),
        }
    };
    Ok(policy.refuses(&asked).into_iter().map(complaint).collect())
}

/// Complains if jobs are to be classified by what their input does not state.
fn classified(
    registry: &Registry,
    scenario: &Scenario,
    loaded: &LoadedWorkload,
) -> Result<(), Box<Rejected>> {
    let cluster = side_of(scenario)?;
    let by = cluster.classes.filter(|_| cluster.nodes.is_none()).and_then(By::attribute);
    if by.is_none_or(|attribute| loaded.attributes.has(attribute)) {
        return Ok(());
    }
    let record = scenario.params(registry).section("record");
    let complaint = record.complaint("classes", "the workload does not state this of its jobs");
    let complaint = complaint.note("jobs come from here", Some(scenario.params(registry).span("workload")));
    let help = "a table states it by a key of [workload.columns], a dump of Slurm by `workload.attributes`";
    Err(scenario.reject(complaint.help(help)))
}

/// Complains if queues go by qualities of service, which the input does not state.
fn states_qos(
    registry: &Registry,
    scenario: &Scenario,
    loaded: &LoadedWorkload,
) -> Result<(), Box<Rejected>> {
    let params = scenario.params(registry);
    let queues = params.tree().at("policy.queues").map_or(&[][..], Node::items);
    let by_qos = queues.iter().filter_map(|queue| queue.at("of")).find(|of| of.as_text() == Some("qos"));
    let Some(by_qos) = by_qos.filter(|_| loaded.jobs.iter().all(|job| job.qos().is_none())) else {
        return Ok(());
    };
    let message = "the workload states no quality of service of its jobs";
    let complaint = Complaint::new(code::CONTRADICTION, message, by_qos.span);
    let complaint = complaint.note("jobs come from here", Some(params.span("workload")));
    let help = "a dump of Slurm states it in its column `QOS`, a table by a key of [workload.columns]";
    Err(scenario.reject(complaint.help(help)))
}

/// The nodes and what tasks do on them, at detail `task`.
fn task_detail(
    registry: &Registry,
    scenario: &Scenario,
    policy: &dyn Policy,
    loaded: &LoadedWorkload,
) -> Result<Option<TaskDetail>, Box<Rejected>> {
    let params = scenario.params(registry);
    let side = side_of(scenario)?;
    let cluster = params.section("cluster");
    let nodes = match (side.nodes, &loaded.applications) {
        (None, _) => return Ok(None),
        (Some(_), None) => {
            let message = "it is not stated what the tasks of these jobs do, which detail `task` simulates";
            let complaint = params.complaint("workload", message);
            let complaint = complaint.note("detail is set here", Some(cluster.span("detail")));
            Err(complaint.help("kinds `parallel` and `task-trace` state it; for a log, assume a `structure`"))
        }
        (Some(nodes), Some(applications)) => {
            let recording = Recording { pace: side.pace, timeline: scenario.record_trace };
            super::task_detail::detail(&params, nodes, policy, Arc::clone(applications), recording)
        }
    };
    nodes.map(Some).map_err(|complaint| scenario.reject(complaint))
}

impl Experiment {
    /// Runs it.
    ///
    /// # Errors
    /// A deadlock, an unlawful start, or time past its end.
    pub fn run(self, session: &Session) -> Result<Finished, SimError> {
        let simulation = session.simulation(self.streams);
        let origin = Origin::of(&self.loaded);
        let LoadedWorkload {
            mut jobs, attributes, name, log, drew, dependencies, cancellations, kills, ..
        } = self.loaded;
        let recorded = log.is_some() || !drew;
        let log = log.map(|(_, report)| counts_of(&report));
        if let Some(detail) = &self.tasks
            && detail.dedicated
        {
            dedicate(&mut jobs, detail, self.streams)?;
        }
        let watching = Watching { explained: self.explained, keep: self.keep };
        let detail = match self.tasks {
            Some(tasks) => Detail::Task(Box::new(tasks), self.streams),
            None => Detail::Job {
                resources: self.resources,
                faults: self.faults,
                reservations: self.reservations,
                pools: self.pools,
            },
        };
        let (jobs, moldable) = (Arc::new(jobs), self.moldable);
        let work = Workload { jobs, attributes, dependencies, cancellations, moldable, kills };
        let rules = SiteRules { policy: self.policy, features: self.own };
        let mut outcomes = simulate_watched(work, self.setting, rules, simulation, detail, watching)?;
        let found = self.finds_warm_up.then(|| signs::settled(&outcomes.run(), WarmUp::None));
        if let Some(Settled::After(jobs @ 1..)) = found {
            outcomes.setting.warm_up = WarmUp::Count(jobs);
        }
        let mut metrics = outcomes.metrics();
        let mut classes = outcomes.task_run().map(|run| run.classes()).unwrap_or_default();
        if let Some(by) = self.classes {
            let (found, fairness) = by_class(&outcomes.run(), by);
            metrics.push(by_class::fairness(fairness));
            classes = found;
        }
        let drew = drew || outcomes.drew;
        let signs = Signs::of(&outcomes.run(), outcomes.setting.warm_up);
        let warm_up_cut = WarmUpCut { jobs: signs.warm_up_cut, found: found.map(settles) };
        let found = Figures {
            classes,
            // which users and queues there are differs from run to run
            stable_classes: outcomes.profile.is_some(),
            ended: Some(outcomes.ended_at),
            cut: Some(warm_up_cut),
            log,
            rejections: outcomes.run().rejections(),
            ..Figures::new(metrics, outcomes.digest, outcomes.events, drew)
        };
        let beginning = signs.beginning(recorded);
        let (notes, warning) = if recorded { (beginning, None) } else { (None, beginning) };
        let warnings = warnings(signs.saturation().into_iter().chain(warning), &found);
        let figures = Figures { warnings, notes: notes.into_iter().collect(), ..found };
        let figures = figures.with_half_widths_of(&outcomes.run(), outcomes.setting.warm_up);
        let as_recorded = self.as_recorded;
        Ok(Finished { outcomes, figures, workload: name, signs, origin, as_recorded })
    }
}

impl Run for Experiment {
    fn explain(&mut self, asked: &str) -> Result<(), Complaint> {
        self.explained = Some(explained(&self.loaded.jobs, asked)?);
        Ok(())
    }

    fn explain_lane(&mut self, asked: &str) -> bool {
        let number = asked.strip_prefix("processor ").and_then(|number| number.parse::<u32>().ok());
        let is_known = number.is_some_and(|number| number < self.setting.procs);
        if is_known {
            self.keep = Keep::All;
            self.tasks.iter_mut().for_each(|tasks| tasks.recording.timeline = true);
        }
        is_known
    }

    fn subjects(&self) -> Option<Subjects> {
        Some(Subjects { count: self.loaded.jobs.len() as u64, called: "jobs" })
    }

    fn run(mut self: Box<Self>, session: &Session) -> Result<Box<dyn Results>, SimError> {
        if session.only_figures {
            self.keep = kept(false, self.resources.as_deref());
        }
        Ok(Box::new((*self).run(session)?))
    }
}

/// The job of this number.
fn explained(jobs: &[Job], asked: &str) -> Result<JobId, Complaint> {
    let count = grouped(jobs.len() as u64);
    let Ok(number) = asked.trim().parse::<u64>() else {
        let complaint = Complaint::nowhere(code::JOB, format!("`{asked}` is no number of a job"));
        return Err(complaint.help(format!("jobs are numbered as in the workload; it has {count} jobs")));
    };
    if let Some(found) = (0..).map(JobId).zip(jobs).find(|(_, job)| job.number == number) {
        return Ok(found.0);
    }
    let complaint = Complaint::nowhere(code::JOB, format!("the workload has no job {number}"));
    let nearest = jobs.iter().map(|job| job.number).min_by_key(|other| (other.abs_diff(number), *other));
    Err(match nearest {
        Some(nearest) => complaint.help(format!("did you mean {nearest}? it has {count} jobs")),
        None => complaint,
    })
}

/// Reasons to doubt the figures, the gravest first: signs of the run, and shares of jobs that are
/// missing.
fn warnings(signs: impl Iterator<Item = Warning>, figures: &Figures) -> Vec<Warning> {
    let state = |name: &str| figures.number(name).unwrap_or(0.0);
    signs.chain(JOB_SHARES.warnings(state, figures.log)).collect()
}
