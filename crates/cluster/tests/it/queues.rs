//! Queues with nodes of their own: heads of queues by hand, and queues that share no node against
//! runs of each alone.

use std::sync::Arc;

use clustersim_cluster::batch::machine::Reservations;
use clustersim_cluster::instrument::SiteModel;
use clustersim_cluster::policy::{Detail, Outcomes, Setting, Watching, simulate_watched};
use clustersim_jobs::workload::Job;
use clustersim_jobs::workload::resources::{
    Demand, Demands, FeatureNames, NodeKind, NodeUse, Nodes, Resources,
};
use clustersim_kernel::Simulation;
use clustersim_kernel::stats::WarmUp;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use crate::cluster::{jobs, policy, starts};

/// Nodes of two kinds, `a` and `b`, each as a number of them and their processors.
fn nodes(a: (u32, u32), b: (u32, u32)) -> (Nodes, FeatureNames) {
    let mut names = FeatureNames::default();
    let kinds = [("a", a), ("b", b)].map(|(name, (nodes, processors))| NodeKind {
        nodes,
        processors,
        memory: NodeKind::ENDLESS,
        gpus: 0,
        features: names.take_in(name),
    });
    let nodes =
        Nodes::new(kinds.to_vec(), names).unwrap().with_alternative(&["a".to_owned(), "b".to_owned()]);
    let names = nodes.features().clone();
    (nodes, names)
}

/// Jobs as (queue, submission, processors, run time, estimate), on nodes of their queues.
fn run_in(
    (nodes, names): &(Nodes, FeatureNames),
    rows: &[(u16, u64, u32, u64, u64)],
    of_queues: &[&str],
    rule: &str,
) -> Outcomes {
    let mut demands = Demands::of_nodes(names);
    let all: Vec<_> = rows.iter().map(|&(_, submit, procs, run, says)| (submit, procs, run, says)).collect();
    let mut all = jobs(&all).to_vec();
    for (job, &(queue, ..)) in all.iter_mut().zip(rows) {
        let own = demands.features().find(of_queues[usize::from(queue)]).unwrap();
        job.demand = demands.number(Demand { features: own, node_use: NodeUse::Shared, ..Demand::PLAIN });
        *job = job.in_queue(None, Some(queue));
    }
    run_all(Arc::new(all), Resources { nodes: nodes.clone(), demands }, rule)
}

fn run_all(jobs: Arc<Vec<Job>>, resources: Resources, rule: &str) -> Outcomes {
    let procs = resources.nodes.procs();
    let setting = Setting { procs, level: 1, until: None, warm_up: WarmUp::None, site: SiteModel::default() };
    let (resources, reservations) = (Some(Arc::new(resources)), Reservations::NONE);
    let detail = Detail::Job { resources, faults: None, reservations, pools: Vec::new() };
    simulate_watched(jobs, setting, policy(rule), Simulation::new(1), detail, Watching::default()).unwrap()
}

/// Space sharing with this rule over queues 0 and 1, with these nodes.
fn with(rule: &str, first: &str, second: &str) -> String {
    let queue = |number: u16, nodes: &str| {
        format!("{{ name = 'q{number}', of = 'partition', numbers = [{number}], {nodes} }}")
    };
    format!("{{ kind = 'space-sharing', {rule}, queues = [{}, {}] }}", queue(0, first), queue(1, second))
}

/// Four nodes `a`, two nodes `b`. Job 2 waits for both `b` until 100, and job 4 for all `a` until
/// 52. Job 5 would run until 64 on the one `a` that is free.
const JOBS: [(u16, u64, u32, u64, u64); 5] =
    [(1, 0, 2, 100, 100), (1, 1, 2, 50, 50), (0, 2, 3, 50, 50), (0, 3, 4, 50, 50), (0, 4, 1, 60, 60)];

#[test]
fn the_head_of_each_queue_is_promised_its_start() {
    let (site, easy) = (nodes((4, 1), (2, 1)), "backfill = 'easy'");
    let starts = |of_queues: &[&str], rule: &str| starts(&run_in(&site, &JOBS, of_queues, rule));
    let one_queue = "{ kind = 'space-sharing', backfill = 'easy' }";
    assert_eq!(starts(&["a", "b"], one_queue), [0, 100, 2, 64, 4], "the head of all is job 2");
    let apart = with(easy, "nodes = ['a']", "nodes = ['b']");
    assert_eq!(starts(&["a", "b"], &apart), [0, 100, 2, 52, 102]);
    // the jobs of the first queue may have all nodes: job 5 starts on a `b` as soon as one is free
    let shared = with(easy, "nodes = ['a', 'b']", "nodes = ['b']");
    assert_eq!(starts(&["a|b", "b"], &shared), [0, 100, 2, 52, 102]);
    let two = with("backfill = { kind = 'easy', reservations = 2 }", "nodes = ['a', 'b']", "nodes = ['b']");
    assert_eq!(starts(&["a|b", "b"], &two), [0, 100, 2, 52, 102]);
}

#[test]
fn where_nothing_overtakes_a_head_keeps_only_its_own_queue_waiting() {
    let (site, none) = (nodes((4, 1), (2, 1)), "backfill = 'none'");
    let starts = |of_queues: &[&str], rule: &str| starts(&run_in(&site, &JOBS, of_queues, rule));
    let apart = with(none, "nodes = ['a']", "nodes = ['b']");
    assert_eq!(starts(&["a", "b"], &apart), [0, 100, 2, 52, 102]);
    // queues that share nodes are one order
    let shared = with(none, "nodes = ['a', 'b']", "nodes = ['b']");
    assert_eq!(starts(&["a|b", "b"], &shared), [0, 100, 100, 150, 150]);
}

#[test]
fn each_queue_has_its_order() {
    let site = nodes((2, 1), (2, 1));
    // the shorter job first in the second queue only
    let rows = [
        (0, 0, 2, 9, 9),
        (1, 0, 2, 9, 9),
        (0, 1, 2, 7, 7),
        (1, 1, 2, 7, 7),
        (0, 2, 2, 5, 5),
        (1, 2, 2, 5, 5),
    ];
    let rule = with("backfill = 'none'", "nodes = ['a']", "nodes = ['b'], order = 'sjf'");
    assert_eq!(starts(&run_in(&site, &rows, &["a", "b"], &rule)), [0, 0, 9, 14, 16, 9]);
}

/// Rules with all that they can be told; queues that share no node have all of it.
const RULES: [&str; 14] = [
    "backfill = 'none'",
    "backfill = 'easy'",
    "backfill = 'conservative'",
    "backfill = 'none', queue = 'sjf'",
    "backfill = 'none', queue = 'first-fit'",
    "backfill = 'easy', queue = 'smallest'",
    "backfill = 'conservative', queue = 'sjf'",
    "backfill = { kind = 'easy', reservations = 3 }",
    "backfill = 'easy-sjbf'",
    "backfill = { kind = 'easy', extra = 'none' }",
    "backfill = { kind = 'easy', extra = 'all', order = 'largest' }",
    "backfill = { kind = 'easy', judged-by = 'run-time' }",
    "backfill = { kind = 'easy', head-reservation = 'kept' }",
    "backfill = { kind = 'easy', overdue = '20s' }, estimates = 'exact'",
];

/// More cases where `CLUSTERSIM_CASES` says so.
fn config(cases: u32) -> Config {
    let more = std::env::var("CLUSTERSIM_CASES").ok().and_then(|cases| cases.parse().ok());
    let rng_seed = RngSeed::Fixed(1);
    Config { cases: more.unwrap_or(cases), rng_seed, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(config(25))]

    /// Two queues that share no node are two runs side by side: each job starts when it does with
    /// the jobs of its queue alone, on the same processors and for the same reason.
    #[test]
    fn queues_that_share_no_node_are_the_runs_of_each_alone(
        rows in prop::collection::vec((0_u16..2, 0_u64..60, 1_u32..9, 1_u64..80, 0_u64..60), 1..50),
        sizes in (1_u32..4, 1_u32..4),
        single in any::<bool>(),
    ) {
        let procs = if single { 1 } else { 4 };
        let site = nodes((sizes.0 * 4 / procs, procs), (sizes.1 * 4 / procs, procs));
        let most = [sizes.0 * 4, sizes.1 * 4];
        let mut rows: Vec<_> = rows
            .into_iter()
            .map(|(queue, submit, wide, run, over)| {
                let says = (run + over).saturating_sub(15).max(1);
                (queue, submit, wide.min(most[usize::from(queue)]), run, says)
            })
            .collect();
        rows.sort_by_key(|row| row.1);
        for rule in RULES {
            let rule = with(rule, "nodes = ['a']", "nodes = ['b']");
            let both = run_in(&site, &rows, &["a", "b"], &rule);
            for queue in 0..2 {
                let own = |row: &&(u16, u64, u32, u64, u64)| row.0 == queue;
                let alone: Vec<_> = rows.iter().filter(own).copied().collect();
                if alone.is_empty() {
                    continue;
                }
                let alone = run_in(&site, &alone, &["a", "b"], &rule);
                let of_both = both.record.outcomes().zip(&rows).filter(|(_, row)| row.0 == queue);
                for (ours, theirs) in of_both.map(|(outcome, _)| outcome).zip(alone.record.outcomes()) {
                    prop_assert_eq!((ours.start, ours.end, ours.reason), (theirs.start, theirs.end, theirs.reason), "{}", &rule);
                }
            }
        }
    }
}
