//! What the tests of whole runs share: a policy by its name in a scenario, a run, and its rows for
//! the validator.

use std::sync::Arc;

use clustersim_cluster::batch::{allocation, backfill, estimate, molding, queue};
use clustersim_cluster::instrument::{SiteModel, State};
use clustersim_cluster::judge::Row;
use clustersim_cluster::policy::{self, Outcomes, Policy, Setting, simulate};
use clustersim_experiment::measure::metric::Metric;
use clustersim_jobs::workload::Job;
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimError, SimTime, Simulation};
use clustersim_language::ids::JobId;
use clustersim_language::registry::{
    Key, Kind, Node, Params, Registry, Sources, Span, Value, check, parse_file,
};

/// Policies of space sharing that take jobs of every kind.
pub(crate) const SPACE: [&str; 6] =
    ["'fcfs'", "'easy'", "'conservative'", "'sjf'", "'first-fit'", "'easy-plus-plus'"];

/// EASY that decides after each event.
pub(crate) const BY_EVENT: &str = "{ kind = 'easy', decide = 'event' }";

/// Gang scheduling, plain and with everything.
pub(crate) const GANG: [&str; 2] = [
    "{ kind = 'gang', quantum = '200s', switch = '2s' }",
    "{ kind = 'bmgs', quantum = '20s', switch = '1s' }",
];

const ROOT: &[Key] = &[Key::new("policy", Kind::Component("policy")).about("the policy")];

/// The policy that a scenario describes by `policy = …`.
pub(crate) fn policy(value: &str) -> Box<dyn Policy> {
    let mut registry = Registry::new();
    registry.table(policy::table()).table(queue::table()).table(backfill::table());
    registry.table(allocation::table()).table(estimate::table()).table(molding::table());
    let mut sources = Sources::new(".");
    let text = format!("policy = {value}");
    let id = sources.add("scenario.toml", &text, "");
    let mut complaints = Vec::new();
    let tree = parse_file(&text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    let node = check(&registry, &sources, &node, ROOT, &mut complaints);
    let node = node.unwrap_or_else(|| panic!("{complaints:?}"));
    Params::new(&registry, &sources, &node).component("policy", "policy").unwrap()
}

/// Runs jobs to their ends.
pub(crate) fn run(jobs: &Arc<Vec<Job>>, procs: u32, policy: Box<dyn Policy>) -> Result<Outcomes, SimError> {
    run_shared(jobs, procs, 1, policy)
}

/// Runs jobs to their ends on processors that take so many tasks each, if the policy shares them.
pub(crate) fn run_shared(
    jobs: &Arc<Vec<Job>>,
    procs: u32,
    level: u32,
    policy: Box<dyn Policy>,
) -> Result<Outcomes, SimError> {
    run_at(jobs, procs, level, policy, SiteModel::default())
}

/// As [`run_shared`], of a site that does this beyond giving processors.
pub(crate) fn run_at(
    jobs: &Arc<Vec<Job>>,
    procs: u32,
    level: u32,
    policy: Box<dyn Policy>,
    site: SiteModel,
) -> Result<Outcomes, SimError> {
    let setting = Setting { procs, level, until: None, warm_up: WarmUp::None, site };
    simulate(Arc::clone(jobs), setting, policy, Simulation::new(1))
}

/// The completed jobs as the validator reads them.
pub(crate) fn rows(outcomes: &Outcomes) -> Vec<Row> {
    let row = |(id, job): (u32, &Job)| {
        let outcome = outcomes.record.outcome(JobId(id));
        outcome.ran().then(|| Row {
            number: job.number,
            submit_time: job.submit_time,
            considered: *outcomes.record.releases().get(&JobId(id)).unwrap_or(&job.submit_time),
            follows: false,
            start: outcome.start,
            end: outcome.end,
            run_time: job.run_time,
            work: None,
            estimate: job.estimate,
            killed: outcome.state == State::Killed,
            own_limit: false,
            cancelled: outcome.state == State::Cancelled,
            lost: outcome.state == State::Lost,
            procs: job.procs,
            requested: None,
            demand: job.demand,
            queue: None,
            job: None,
            turns: Vec::new(),
            pools: None,
            on: outcomes.record.processors(JobId(id)).to_vec(),
            gpus: outcomes.record.gpus(JobId(id)).to_vec(),
        })
    };
    (0..).zip(outcomes.jobs.iter()).filter_map(row).collect()
}

/// Jobs from rows of (submission, processors, run time, estimate), all in seconds.
pub(crate) fn jobs(rows: &[(u64, u32, u64, u64)]) -> Arc<Vec<Job>> {
    let job = |(number, &(submit, procs, run, estimate)): (u64, &(u64, u32, u64, u64))| {
        let submit = SimTime::from_secs(submit).unwrap();
        let mut job = Job::new(number, submit, procs, SimDuration::from_secs(run));
        job.estimate = SimDuration::from_secs(estimate);
        job
    };
    Arc::new((1..).zip(rows).map(job).collect())
}

pub(crate) fn secs(seconds: u64) -> SimDuration {
    SimDuration::from_secs(seconds)
}

/// A metric of a run that is a number, if the run has it.
pub(crate) fn metric(outcomes: &Outcomes, name: &str) -> Option<f64> {
    outcomes.metrics().iter().find(|metric| metric.name == name).and_then(Metric::number)
}

/// Start of each job in seconds.
pub(crate) fn starts(outcomes: &Outcomes) -> Vec<u64> {
    outcomes.record.outcomes().map(|outcome| outcome.start.as_nanos() / 1_000_000_000).collect()
}
