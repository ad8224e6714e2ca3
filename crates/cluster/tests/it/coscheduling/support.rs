//! A small cluster for tests: nodes, a scheme and jobs, and when each task and job was over.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use clustersim_cluster::instrument::SiteModel;
use clustersim_cluster::instrument::execution::ExecutionProfile;
use clustersim_cluster::instrument::profile::{Activity, Spent};
use clustersim_cluster::node::{
    Cluster, Ended, Layout, Local, NODE, NodeParams, Recording, Reference, SCHEME, Scheme, Slot,
};
use clustersim_cluster::policy::{Detail, Outcomes, Policy, Setting, TaskDetail, Watching, simulate_watched};
use clustersim_cluster::system::Jobs;
use clustersim_experiment::scenario::register;
use clustersim_jobs::workload::Job;
use clustersim_jobs::workload::parallel::{
    Application, Applications, Iterations, Program, Quality, RecordedStep, Times, pattern::Pattern,
};
use clustersim_kernel::rng::{Sampler, Streams, distribution::Constant, distribution::Uniform};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimTime, Simulation, hold, now, stop};
use clustersim_language::distribution;
use clustersim_language::ids::JobId;
use clustersim_language::registry::{
    Key, Kind, Node, Params, Registry, Sources, Span, Value, check, parse_file,
};
use clustersim_language::units::Bytes;

/// Reads `text` against `keys`.
pub(super) fn read<T>(keys: &'static [Key], text: &str, read: impl FnOnce(&Params<'_>) -> T) -> T {
    let mut registry = Registry::new();
    registry.table(distribution::table());
    register(&mut registry, &Jobs);
    let mut sources = Sources::new("");
    let id = sources.add("test.toml", text, "");
    let mut complaints = Vec::new();
    let tree = parse_file(text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    let resolved = check(&registry, &sources, &node, keys, &mut complaints);
    assert!(complaints.is_empty(), "{complaints:?}");
    read(&Params::new(&registry, &sources, &resolved.expect("no complaints")))
}

/// A node with the defaults but for `text`.
pub(super) fn node(text: &str) -> Rc<NodeParams> {
    Rc::new(read(NODE, text, NodeParams::read).expect("right"))
}

/// A scheme: `wait = …`, `arrival = …`, `periodic = …`.
pub(super) fn scheme(text: &str) -> Scheme {
    read(&SCHEME, text, Scheme::read).expect("right")
}

/// The published schemes by name.
pub(super) fn published(name: &str) -> Scheme {
    scheme(match name {
        "local" => "",
        "sb" => "wait = \"spin-block\"",
        "sy" => "wait = \"spin-yield\"",
        "dcs" => "arrival = \"demand\"",
        "dcs-sb" => "wait = \"spin-block\"\narrival = \"demand\"",
        "dcs-sy" => "wait = \"spin-yield\"\narrival = \"demand\"",
        "pb" => "periodic = \"boost\"",
        "pb-sb" => "wait = \"spin-block\"\nperiodic = \"boost\"",
        "pb-sy" => "wait = \"spin-yield\"\nperiodic = \"boost\"",
        "ics" => "wait = \"adaptive-spin-block\"",
        other => panic!("no scheme {other}"),
    })
}

/// `nodes` such nodes behind an interconnect.
pub(super) fn layout(nodes: u32, node: &Rc<NodeParams>, interconnect: &str) -> Layout {
    const KEYS: &[Key] =
        &[Key::new("interconnect", Kind::Component("interconnect")).or("linear").about("the interconnect")];
    let interconnect = read(KEYS, interconnect, |params| params.component("interconnect", "interconnect"));
    let interconnect = Rc::from(interconnect.expect("right"));
    Layout { groups: vec![(nodes, Rc::clone(node))], interconnect, reference: None }
}

/// The pattern of this name.
pub(super) fn pattern(name: &'static str) -> Arc<dyn Pattern> {
    const KEYS: &[Key] = &[Key::new("pattern", Kind::Component("pattern")).about("the pattern")];
    let pattern: Box<dyn Pattern> =
        read(KEYS, &format!("pattern = \"{name}\""), |params| params.component("pattern", "pattern"))
            .expect("right");
    Arc::from(pattern)
}

/// A law by its mean [s]: constant, or uniform within 10 % of it.
pub(super) fn law(mean: f64, spread: f64) -> Times {
    Times::All(if spread > 0.0 {
        Sampler::new(Uniform::new(mean * (1.0 - spread), mean * (1.0 + spread)).expect("in order"))
    } else {
        Sampler::new(Constant::new(mean).expect("finite"))
    })
}

/// An application of `tasks` tasks.
pub(super) fn application(tasks: u32, program: Program) -> Arc<Application> {
    Arc::new(Application { class: 0, tasks, program, memory: Bytes::new(0), quality: Quality::BestEffort })
}

/// Iterations with messages of 1 KiB.
pub(super) fn iterations(
    count: u32,
    compute: Times,
    io: Times,
    pattern: Arc<dyn Pattern>,
    size: u64,
) -> Program {
    let size = Bytes::new(size);
    Program::Iterations(Iterations { iterations: count, compute, io, skew: 0.0, pattern, messages: 1, size })
}

/// Recorded steps, a list for each task.
pub(super) fn recorded(tasks: &[&[RecordedStep]]) -> Arc<Application> {
    let steps: Vec<Box<[RecordedStep]>> = tasks.iter().map(|steps| (*steps).into()).collect();
    application(tasks.len() as u32, Program::Recorded(steps.into()))
}

/// What came of a run.
pub(super) struct Came {
    /// The ends of jobs, by job [ms].
    pub(super) jobs: Vec<f64>,
    pub(super) profile: ExecutionProfile,
    pub(super) events: u64,
}

impl Came {
    /// The mean end of the jobs [ms].
    pub(super) fn mean(&self) -> f64 {
        self.jobs.iter().sum::<f64>() / self.jobs.len() as f64
    }

    /// The share of all processor time spent so.
    pub(super) fn share(&self, activity: Activity) -> f64 {
        let of = |pick: fn(&Spent, Activity) -> u64| -> u64 {
            self.profile.processors.iter().map(|spent| pick(spent, activity)).sum()
        };
        of(Spent::of) as f64 / of(|spent, _| spent.total()) as f64
    }
}

pub(super) fn millis(at: SimTime) -> f64 {
    at.as_nanos() as f64 / 1e6
}

/// Runs jobs, each from an instant [ms] on the nodes it names, until all have ended.
pub(super) fn run(
    layout: &Layout,
    scheme: Scheme,
    seed: u64,
    jobs: Vec<(u64, Arc<Application>, Vec<u32>)>,
) -> Came {
    let simulation = Simulation::with_streams(Streams::new(seed, 0));
    let ends: Rc<RefCell<Vec<(Ended, SimTime)>>> = Rc::default();
    let profile: Rc<RefCell<Option<ExecutionProfile>>> = Rc::default();
    let count = jobs.len();
    let (noted, kept, layout) = (Rc::clone(&ends), Rc::clone(&profile), layout.clone());
    simulation.spawn("front end", async move {
        let all = clustersim_kernel::Event::new("all jobs have ended");
        let (left, told) = (std::cell::Cell::new(count), all.clone());
        let cluster = Cluster::new(&layout, scheme, Local::Own, Streams::new(seed, 0), move |ended| {
            noted.borrow_mut().push((ended, now()));
            left.set(left.get() - usize::from(ended.last));
            if left.get() == 0 {
                told.set();
            }
        });
        for (id, (at, application, on)) in (0..).zip(jobs) {
            let begin = SimTime::from_nanos(at * 1_000_000);
            if begin > now() {
                hold(begin.since(now())).await;
            }
            let on: Vec<Slot> = on.into_iter().map(|node| Slot { node, cpu: 0 }).collect();
            cluster.start(JobId(id), u64::from(id) + 1, &application, &on);
        }
        all.wait().await;
        *kept.borrow_mut() = Some(cluster.profile());
        cluster.clear();
        stop();
    });
    let outcome = simulation.run().expect("all jobs end");
    let ends = ends.take();
    let mut by_job = vec![0.0; count];
    for (ended, at) in &ends {
        by_job[ended.job.index()] = millis(*at);
    }
    Came { jobs: by_job, profile: profile.take().expect("the front end has kept it"), events: outcome.events }
}

/// The policy that `text` writes.
pub(super) fn policy(text: &str) -> Box<dyn Policy> {
    const KEYS: &[Key] = &[Key::new("policy", Kind::Component("policy")).about("the policy")];
    read(KEYS, text, |params| params.component("policy", "policy")).expect("right")
}

/// A machine at detail `task`.
pub(super) struct Machine {
    /// Nodes by kind.
    pub(super) groups: Vec<(u32, Rc<NodeParams>)>,
    /// `interconnect = …`, or nothing.
    pub(super) interconnect: &'static str,
    pub(super) level: u32,
    /// The node of the front end, and what a decision costs.
    pub(super) front_end: Option<(u32, SimDuration)>,
    /// What takes the place of clocks and boost daemons.
    pub(super) reference: Option<Reference>,
}

/// Runs jobs, each submitted at an instant [ms], under a policy, until all have ended.
pub(super) fn simulate(
    layout: &Layout,
    level: u32,
    text: &str,
    seed: u64,
    jobs: Vec<(u64, Arc<Application>)>,
) -> Outcomes {
    carry_out((layout.clone(), level, None), WarmUp::None, text, seed, jobs)
}

/// The same, observed after a warm-up only.
pub(super) fn simulate_after(
    warm_up: WarmUp,
    (layout, level): (&Layout, u32),
    text: &str,
    seed: u64,
    jobs: Vec<(u64, Arc<Application>)>,
) -> Outcomes {
    carry_out((layout.clone(), level, None), warm_up, text, seed, jobs)
}

/// The same on a machine.
pub(super) fn simulate_on(
    machine: &Machine,
    text: &str,
    seed: u64,
    jobs: Vec<(u64, Arc<Application>)>,
) -> Outcomes {
    let groups = machine.groups.clone();
    let reference = machine.reference;
    let layout = Layout { groups, reference, ..layout(1, &node(""), machine.interconnect) };
    carry_out((layout, machine.level, machine.front_end), WarmUp::None, text, seed, jobs)
}

fn carry_out(
    (layout, level, front_end): (Layout, u32, Option<(u32, SimDuration)>),
    warm_up: WarmUp,
    text: &str,
    seed: u64,
    jobs: Vec<(u64, Arc<Application>)>,
) -> Outcomes {
    let submitted = (1..).zip(&jobs).map(|(number, (at, application))| {
        let at = SimTime::from_nanos(at * 1_000_000);
        Job::new(number, at, application.tasks, application.dedicated_time().expect("it has one"))
    });
    let submitted: Vec<Job> = submitted.collect();
    let of = jobs.into_iter().map(|(_, application)| application).collect();
    let applications = Arc::new(Applications { classes: vec!["all".to_owned()], of });
    let streams = Streams::new(seed, 0);
    let procs = layout.slots().count() as u32;
    let recording = Recording { pace: Some(SimDuration::from_secs(1)), timeline: false };
    let detail = TaskDetail { layout, applications, level, front_end, dedicated: false, recording };
    // jobs of tests are short: what goes on for ten minutes would go on for ever
    let until = Some(SimTime::from_nanos(600_000_000_000));
    let setting = Setting { procs, level: 1, until, warm_up, site: SiteModel::default() };
    let simulation = Simulation::with_streams(streams);
    simulate_watched(
        Arc::new(submitted),
        setting,
        policy(text),
        simulation,
        Detail::Task(Box::new(detail), streams),
        Watching::default(),
    )
    .expect("all jobs end")
}

/// When the jobs ended, in order of submission [ms].
pub(super) fn ends(outcomes: &Outcomes) -> Vec<f64> {
    outcomes.record.outcomes().map(|outcome| millis(outcome.end)).collect()
}
