//! Jobs that ask for memory, GPUs, features or nodes to themselves, and the nodes that have them.

use std::sync::Arc;

use clustersim_cluster::batch::machine::Reservations;
use clustersim_cluster::instrument::{Reason, SiteModel, State};
use clustersim_cluster::judge;
use clustersim_cluster::policy::{Detail, Outcomes, Setting, Watching, simulate_watched};
use clustersim_cluster::system::explanation::explanation;
use clustersim_jobs::workload::Job;
use clustersim_jobs::workload::resources::{
    Demand, DemandId, Demands, FeatureNames, Features, NodeKind, NodeUse, Nodes, Resources,
};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimTime, Simulation};
use clustersim_language::ids::JobId;
use insta::assert_snapshot;
use proptest::prelude::*;

use crate::cluster::{jobs, metric, policy, rows, run, starts};
use crate::promises::broken_on_nodes;
use clustersim_testing::program::Place;

const POLICIES: [&str; 8] = [
    "'fcfs'",
    "'easy'",
    "'sjf'",
    "'first-fit'",
    "'best-fit'",
    "'worst-fit'",
    "{ kind = 'easy', allocation = 'random' }",
    "{ kind = 'easy', estimates = 'last-two' }",
];

/// Runs jobs to their ends on nodes.
pub(crate) fn run_on(jobs: &Arc<Vec<Job>>, resources: &Arc<Resources>, policy_name: &str) -> Outcomes {
    watched(jobs, resources, policy_name, Watching::default())
}

fn watched(
    jobs: &Arc<Vec<Job>>,
    resources: &Arc<Resources>,
    policy_name: &str,
    watching: Watching,
) -> Outcomes {
    let procs = resources.nodes.procs();
    let setting = Setting { procs, level: 1, until: None, warm_up: WarmUp::None, site: SiteModel::default() };
    let detail = Detail::Job {
        resources: Some(Arc::clone(resources)),
        faults: None,
        reservations: Reservations::NONE,
        pools: Vec::new(),
    };
    let (policy, simulation) = (policy(policy_name), Simulation::new(1));
    simulate_watched(Arc::clone(jobs), setting, policy, simulation, detail, watching).unwrap()
}

pub(crate) fn plain(nodes: u32, processors: u32) -> NodeKind {
    NodeKind { nodes, processors, memory: NodeKind::ENDLESS, gpus: 0, features: Features::NONE }
}

pub(crate) fn site(kinds: Vec<NodeKind>, names: FeatureNames, demands: Demands) -> Arc<Resources> {
    Arc::new(Resources { nodes: Nodes::new(kinds, names).unwrap(), demands })
}

pub(crate) fn asking(jobs: &Arc<Vec<Job>>, demands: &[DemandId]) -> Arc<Vec<Job>> {
    let mut asking = jobs.to_vec();
    for (job, &demand) in asking.iter_mut().zip(demands) {
        job.demand = demand;
    }
    Arc::new(asking)
}

/// Two nodes of 4 processors and 8 bytes; the second has a GPU.
///
/// Job 1 takes 3 processors with 2 bytes each on node 0, job 2 the GPU with 2 processors until 100.
/// Job 3, the head, wants 2 chunks of 2 processors and 4 bytes: node 0 has 1 processor and 2 bytes,
/// node 1 room for one chunk. Its shadow time is 50, when job 1 ends; its place is then all of node
/// 0, which is not free now. Job 4 (1 processor, 40 s) is over by then, and so is job 5 (1
/// processor, 8 bytes), which only node 1 can take. Job 6 (1 processor, 60 s) outlasts the shadow,
/// on the last processor of node 1, which is not reserved. Job 7 needs more processors than there
/// are. Job 8 wants two processors with 8 bytes each: it waits until the head leaves node 0; on
/// node 1 nobody has memory then.
#[test]
fn easy_on_two_nodes_worked_by_hand() {
    let mut demands = Demands::default();
    let mut number = |demand| demands.number(demand);
    let light = number(Demand { memory: 2, ..Demand::PLAIN });
    let gpu = number(Demand { procs: 2, gpus: 1, ..Demand::PLAIN });
    let pair = number(Demand { procs: 2, memory: 4, ..Demand::PLAIN });
    let heavy = number(Demand { memory: 8, ..Demand::PLAIN });
    let kinds = vec![NodeKind { memory: 8, ..plain(1, 4) }, NodeKind { memory: 8, gpus: 1, ..plain(1, 4) }];
    let resources = site(kinds, FeatureNames::default(), demands);
    // (submission, processors, run time, estimate)
    let all = jobs(&[
        (0, 3, 50, 50),
        (0, 2, 100, 100),
        (1, 4, 10, 10),
        (2, 1, 40, 40),
        (3, 1, 30, 30),
        (4, 1, 60, 60),
        (5, 9, 1, 1),
        (5, 2, 1, 1),
    ]);
    let none = DemandId::default();
    let all = asking(&all, &[light, gpu, pair, none, heavy, none, none, heavy]);
    let easy = run_on(&all, &resources, "'easy'");
    assert_eq!(starts(&easy)[..6], [0, 0, 50, 2, 3, 4]);
    let reason = |job| easy.record.outcome(JobId(job)).reason;
    assert_eq!([3, 4, 5].map(reason), [Reason::BeforeShadow, Reason::BeforeShadow, Reason::Extra]);
    assert_eq!(easy.record.processors(JobId(5))[0].first, 7);
    assert_eq!((reason(6), starts(&easy)[7]), (Reason::TooLarge, 60));
    let fcfs = run_on(&all, &resources, "'fcfs'");
    assert_eq!(starts(&fcfs)[..6], [0, 0, 50, 50, 50, 60]);
    assert!(metric(&fcfs, "gpus.utilization").is_some_and(|share| share > 0.0));
}

/// Two nodes of 4 processors and 8 bytes. Job 1 has 3 processors and all memory of node 0 until 50
/// s, job 2 a processor of each node until 100 s. Job 3 wants 5 processors with 2 bytes each: it
/// fits at 50 s, on the 3 processors of job 1 and on 2 of node 1, which leaves one of those free
/// now. Job 4 needs two and may not overtake, job 5 needs one and may; job 6 is too large for what
/// is free.
#[test]
fn it_is_told_what_the_head_leaves_on_nodes() {
    let mut demands = Demands::default();
    let mut number = |demand| demands.number(demand);
    let heavy = number(Demand { procs: 3, memory: 8, ..Demand::PLAIN });
    let light = number(Demand { memory: 2, ..Demand::PLAIN });
    let kinds = vec![NodeKind { memory: 8, ..plain(2, 4) }];
    let resources = site(kinds, FeatureNames::default(), demands);
    let all = jobs(&[
        (0, 3, 50, 50),
        (0, 2, 100, 100),
        (1, 5, 10, 10),
        (2, 2, 200, 200),
        (3, 1, 200, 200),
        (4, 4, 5, 5),
    ]);
    let none = DemandId::default();
    let all = asking(&all, &[heavy, none, light, light, none, none]);
    let told = |name: &str, job: u32| {
        let watching = Watching { explained: Some(JobId(job - 1)), ..Watching::default() };
        explanation(&watched(&all, &resources, name, watching)).unwrap().text()
    };
    let easy = [3, 4, 5, 6].map(|job| told("'easy'", job)).join("\n");
    assert_snapshot!(format!("{easy}\n{}", ["'fcfs'", "'first-fit'"].map(|name| told(name, 6)).join("\n")));
}

#[test]
fn who_could_never_be_placed_is_rejected() {
    let mut demands = Demands::default();
    let gpu = demands.number(Demand { gpus: 1, ..Demand::PLAIN });
    let resources = site(vec![plain(2, 4)], FeatureNames::default(), demands);
    let all = asking(&jobs(&[(0, 1, 10, 10), (1, 1, 10, 10)]), &[gpu, DemandId::default()]);
    let outcomes = run_on(&all, &resources, "'easy'");
    let fates: Vec<_> = outcomes.record.outcomes().map(|one| (one.state, one.reason)).collect();
    assert_eq!(fates, [(State::Rejected, Reason::NodeGpus), (State::Completed, Reason::Head)]);
}

pub(crate) fn random_jobs() -> impl Strategy<Value = Vec<(u64, u32, u64, u64)>> {
    let job = (0_u64..60, 1_u32..12, 1_u64..80, 0_u64..40);
    prop::collection::vec(job, 1..60).prop_map(|mut rows| {
        rows.sort_by_key(|row| row.0);
        rows.into_iter().map(|(submit, procs, run, over)| (submit, procs, run, run + over)).collect()
    })
}

pub(crate) fn random_demand() -> impl Strategy<Value = Demand> {
    let demand = (1_u32..4, 0_u64..9, 0_u32..3, any::<bool>(), prop::bool::weighted(0.2));
    demand.prop_map(|(procs, memory, gpus, big, exclusive)| {
        let mut names = FeatureNames::default();
        let features = if big { names.take_in("big") } else { Features::NONE };
        let node_use = if exclusive { NodeUse::Exclusive } else { NodeUse::Shared };
        Demand { procs, memory, gpus: gpus / 2, features, node_use, ..Demand::PLAIN }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Where nobody asks for more, nodes are the plain machine, job by job.
    #[test]
    fn nodes_of_processors_alone_start_the_same_jobs_at_the_same_time(
        rows in random_jobs(),
        kinds in prop::collection::vec((1_u32..5, 1_u32..5), 1..4),
    ) {
        let kinds = kinds.into_iter().map(|(nodes, processors)| plain(nodes, processors)).collect();
        let resources = site(kinds, FeatureNames::default(), Demands::default());
        let all = jobs(&rows);
        for name in POLICIES {
            let on_nodes = run_on(&all, &resources, name);
            let counted = run(&all, resources.nodes.procs(), policy(name)).unwrap();
            prop_assert!(on_nodes.record.outcomes().eq(counted.record.outcomes()), "{}", name);
        }
    }

    /// Whatever is asked for: everybody leaves, the validator finds nothing, and twice is the same.
    #[test]
    fn nobody_has_more_than_there_is(
        drawn in random_jobs(),
        asked in prop::collection::vec(random_demand(), 4),
        which in prop::collection::vec(0_usize..4, 60),
    ) {
        let mut names = FeatureNames::default();
        let big = names.take_in("big");
        let mut demands = Demands::of_nodes(&names);
        let numbers: Vec<DemandId> = asked.iter().map(|&one| demands.number(one)).collect();
        let kinds = vec![
            NodeKind { memory: 16, ..plain(3, 4) },
            NodeKind { memory: 40, gpus: 2, features: big, ..plain(2, 6) },
        ];
        let resources = site(kinds, names, demands);
        let chosen: Vec<DemandId> = which.iter().map(|&place| numbers[place]).collect();
        let all = asking(&jobs(&drawn), &chosen);
        for name in POLICIES {
            let outcomes = run_on(&all, &resources, name);
            prop_assert!(!outcomes.stopped);
            let rows = rows(&outcomes);
            prop_assert_eq!(judge::schedule(&rows, resources.nodes.procs()), [], "{}", name);
            prop_assert_eq!(judge::on_nodes(&rows, &resources), [], "{}", name);
            prop_assert_eq!(broken_on_nodes(name, &rows, &resources), [], "{}", name);
            if name == "'fcfs'" {
                prop_assert_eq!(judge::in_order(&rows), []);
            }
            prop_assert_eq!(run_on(&all, &resources, name).digest, outcomes.digest);
        }
    }

    /// Under EASY with estimates that are not too short, the job that is the head when it comes
    /// starts at its first shadow time at the latest: nobody who came later delays it. Seen from
    /// the outside: were the later ones not there, it would not start earlier.
    #[test]
    fn easy_delays_nobody_who_is_next(
        rows in random_jobs(),
        asked in prop::collection::vec(random_demand(), 3),
        which in prop::collection::vec(0_usize..3, 60),
    ) {
        let mut names = FeatureNames::default();
        names.take_in("big");
        let mut demands = Demands::of_nodes(&names);
        let numbers: Vec<DemandId> = asked.iter().map(|&one| demands.number(one)).collect();
        let kinds = vec![NodeKind { memory: 16, gpus: 1, ..plain(4, 4) }];
        let resources = site(kinds, names, demands);
        let chosen: Vec<DemandId> = which.iter().map(|&place| numbers[place]).collect();
        // exact estimates
        let exact: Vec<_> = rows.iter().map(|&(submit, procs, run, _)| (submit, procs, run, run)).collect();
        let all = asking(&jobs(&exact), &chosen);
        let easy = run_on(&all, &resources, "'easy'");
        for (place, outcome) in easy.record.outcomes().enumerate() {
            let job = &all[place];
            // the head when it comes: everybody before it has started
            let before = easy.record.outcomes().take(place).all(|one| one.start <= job.submit_time);
            if outcome.state == State::Rejected || !before {
                continue;
            }
            let alone = Arc::new(all[..=place].to_vec());
            let without = run_on(&alone, &resources, "'easy'").record.outcome(JobId(place as u32));
            prop_assert!(outcome.start <= without.start, "job {}", job.number);
        }
    }
}

#[test]
fn what_is_held_is_counted_from_start_to_end() {
    let mut demands = Demands::default();
    let half = demands.number(Demand { procs: 2, memory: 4, gpus: 1, ..Demand::PLAIN });
    let resources =
        site(vec![NodeKind { memory: 8, gpus: 2, ..plain(1, 4) }], FeatureNames::default(), demands);
    // two chunks from 0 to 10, one from 10 to 20: all of it, then half
    let all = asking(&jobs(&[(0, 4, 10, 10), (0, 2, 10, 10)]), &[half, half]);
    let outcomes = run_on(&all, &resources, "'fcfs'");
    assert_eq!(starts(&outcomes), [0, 10]);
    assert_eq!(metric(&outcomes, "memory.utilization"), Some(0.75));
    assert_eq!(metric(&outcomes, "gpus.utilization"), Some(0.75));
    assert_eq!(
        outcomes.record.outcome(JobId(1)).end,
        SimTime::ZERO.saturating_add(SimDuration::from_secs(20))
    );
}

#[test]
fn where_jobs_ask_for_more_than_processors_it_is_nodes_that_are_reserved() {
    let group = "[[cluster.group]]\nnodes = 4\nprocessors = 2\nmemory = \"8GiB\"\nfeatures = [\"big\"]\n";
    let drawn = "kind = \"synthetic\"\njobs = 9\narrivals = \"1min\"\nsizes = 1\nrun-times = \"1h\"\n";
    let asking = format!("{drawn}demand = [{{ memory = \"1GiB\" }}]\n");
    let log = "kind = \"swf\"\nfile = \"log.swf\"\n";
    let validated = |workload: &str, reserves: &str| {
        let place = Place::new();
        let log_of_one = "; MaxProcs: 8\n1 0 -1 10 1 -1 -1 1 10 1024 1 1 1 -1 -1 -1 -1 -1\n";
        let table = format!("[[cluster.reservation]]\nat = \"1h\"\nfor = \"1h\"\n{reserves}\n");
        place.file("log.swf", log_of_one).file(
            "scenario.toml",
            format!("title = \"T\"\npolicy = \"easy\"\n{group}{table}[workload]\n{workload}"),
        );
        let output = place.run(&["validate", "scenario.toml"]);
        assert_eq!(output.status, if output.stderr.is_empty() { 0 } else { 2 }, "{}", output.stderr);
        output.stderr
    };
    for workload in [asking.clone(), format!("{log}memory = \"requested\"\n")] {
        let said = validated(&workload, "processors = 2");
        assert!(said.contains("so nodes are reserved"), "{said}");
        assert_eq!(validated(&workload, "nodes = 2"), "");
    }
    // a reservation of nodes is enough for nodes to be looked at
    assert_eq!(validated(drawn, "nodes = [\"0-1\", \"3\"]"), "");
    assert_eq!(validated(drawn, "processors = 2"), "");
    for (reserves, expected) in [
        ("nodes = 5", "5 nodes are reserved, and there are 4 of them"),
        ("nodes = [\"0-4\"]", "there is no node 4"),
        ("nodes = [\"two\"]", "`two` names no nodes"),
        ("nodes = [\"0-2\", \"2\"]", "nodes 2 are named twice"),
        ("nodes = []", "no node is reserved"),
        ("features = [\"bog\"]", "did you mean `big`?"),
        ("features = [\"big\"]\nnodes = [\"1\"]", "the nodes are named already"),
    ] {
        let said = validated(&asking, reserves);
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let twice = "nodes = [\"0-1\"]\n[[cluster.reservation]]\nat = \"90min\"\nfor = \"1h\"\n";
    let said = validated(&asking, &format!("{twice}nodes = [\"1-3\"]"));
    assert!(said.contains("nodes 1-3 are reserved twice at once"), "{said}");
    let said = validated(&asking, &format!("{twice}nodes = 3"));
    assert!(said.contains("5 nodes are reserved at once, and too few of 4 are left"), "{said}");
}

#[test]
fn a_key_of_nodes_is_complained_of_once_and_only_keys_of_this_detail_are_suggested() {
    let told = |detail: &str, key: &str| {
        let place = Place::new();
        place.file(
            "scenario.toml",
            format!(
                "title = \"T\"\npolicy = \"easy\"\n[cluster]\ndetail = \"{detail}\"\n{key}\n[workload]\nkind = \"synthetic\"\n\
                 jobs = 9\narrivals = \"1min\"\nsizes = 1\nrun-times = \"1h\"\n"
            ),
        );
        place.run(&["validate", "scenario.toml"]).stderr
    };
    let group = |key: &str| format!("[[cluster.group]]\nnodes = 4\n{key}");
    let name = told("job", &group("name = \"fat\""));
    assert!(name.contains("unknown key `name`") && !name.contains("means nothing"), "{name}");
    assert!(name.contains("known: nodes, processors, memory, gpus, features"), "{name}");
    let typed = told("task", &group("gpu = 1"));
    assert!(typed.contains("unknown key `gpu`") && !typed.contains("`gpus`"), "{typed}");
    let other = told("job", &group("context-switch = \"1us\""));
    assert!(other.contains("`context-switch` of nodes means nothing at detail `job`"), "{other}");
    assert!(!other.contains("unknown key"), "{other}");
    let gpus = told("task", &group("gpus = 1"));
    assert!(
        gpus.contains("`gpus` of nodes means nothing at detail `task`") && !gpus.contains("unknown key"),
        "{gpus}"
    );
    // the same in tables whose keys depend on the detail
    let misspelt = told("job", "nodes = 4\ninterconect = \"linear\"");
    assert!(
        misspelt.contains("unknown key `interconect`") && !misspelt.contains("`interconnect`"),
        "{misspelt}"
    );
    let power = told("task", "nodes = 4\npowr = 1");
    assert!(power.contains("unknown key `powr`") && !power.contains("did you mean `power`"), "{power}");
}
