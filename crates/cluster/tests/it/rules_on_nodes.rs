//! Every rule of backfilling on nodes: the schedule of counts where nodes have one processor, and a
//! slow reading of conservative backfilling where jobs share nodes.

use std::sync::Arc;

use clustersim_cluster::batch::machine::Reservations;
use clustersim_cluster::instrument::SiteModel;
use clustersim_cluster::judge;
use clustersim_cluster::policy::{Detail, Outcomes, Setting, Watching, simulate_watched};
use clustersim_jobs::workload::Job;
use clustersim_jobs::workload::resources::{
    Demand, DemandId, Demands, FeatureNames, Features, NodeKind, NodeUse, Nodes, Resources,
};
use clustersim_kernel::Simulation;
use clustersim_kernel::stats::WarmUp;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use crate::cluster::{jobs, policy, rows, run, starts};

/// Rules of backfilling with all that they can be told, and disciplines that need none.
const RULES: [&str; 24] = [
    "'fcfs'",
    "'easy'",
    "'conservative'",
    "'sjf'",
    "'first-fit'",
    "'best-fit'",
    "'worst-fit'",
    "'easy-plus-plus'",
    "{ kind = 'easy', allocation = 'random' }",
    "{ kind = 'conservative', allocation = 'random' }",
    "{ kind = 'conservative', allocation = 'contiguous' }",
    "{ kind = 'conservative', estimates = 'last-two' }",
    "{ kind = 'conservative', queue = 'sjf' }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', reservations = 3 } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', reservations = 3, order = 'sjbf' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', extra = 'none' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', extra = 'all' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', order = 'smallest' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', order = 'largest' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', judged-by = 'run-time' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', judged-by = 'run-time', reservations = 2 } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', head-reservation = 'kept', extra = 'all' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', overdue = '20s' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', overdue = '20s', reservations = 2 } }",
];

fn config(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() }
}

/// Runs jobs to their ends on nodes.
fn run_on(jobs: &Arc<Vec<Job>>, resources: &Arc<Resources>, rule: &str) -> Outcomes {
    let procs = resources.nodes.procs();
    let setting = Setting { procs, level: 1, until: None, warm_up: WarmUp::None, site: SiteModel::default() };
    let (resources, reservations) = (Some(Arc::clone(resources)), Reservations::NONE);
    let detail = Detail::Job { resources, faults: None, reservations };
    let work = Arc::clone(jobs);
    simulate_watched(work, setting, policy(rule), Simulation::new(1), detail, Watching::default()).unwrap()
}

fn plain(nodes: u32, processors: u32) -> NodeKind {
    NodeKind { nodes, processors, memory: NodeKind::ENDLESS, gpus: 0, features: Features::NONE }
}

/// Jobs as (submission, processors, run time, estimate); some estimates are too short.
fn any_jobs(most: usize) -> impl Strategy<Value = Vec<(u64, u32, u64, u64)>> {
    let job = (0_u64..60, 1_u32..12, 1_u64..80, 0_u64..60);
    prop::collection::vec(job, 1..most).prop_map(|mut rows| {
        rows.sort_by_key(|row| row.0);
        let estimate = |run: u64, over: u64| (run + over).saturating_sub(15).max(1);
        rows.into_iter().map(|(submit, procs, run, over)| (submit, procs, run, estimate(run, over))).collect()
    })
}

proptest! {
    #![proptest_config(config(60))]

    /// A processor is a node of its own, of whatever kind: every rule starts the same jobs at the
    /// same time on the same processors, for the same reason.
    #[test]
    fn on_nodes_of_one_processor_every_rule_gives_the_schedule_of_counts(
        rows in any_jobs(60),
        kinds in prop::collection::vec(1_u32..8, 1..4),
        memory in any::<bool>(),
    ) {
        // kinds that are alike are one class, in bookings as in counts
        let mut kinds: Vec<NodeKind> = kinds.into_iter().map(|nodes| plain(nodes, 1)).collect();
        if memory { kinds.iter_mut().for_each(|kind| kind.memory = 8); }
        let mut demands = Demands::default();
        let asks = demands.number(Demand { memory: if memory { 8 } else { 0 }, ..Demand::PLAIN });
        let nodes = Nodes::new(kinds, FeatureNames::default()).unwrap();
        let resources = Arc::new(Resources { nodes, demands });
        let procs = resources.nodes.procs();
        let rows: Vec<_> =
            rows.into_iter().map(|(submit, wide, run, says)| (submit, wide.min(procs), run, says)).collect();
        let counted = jobs(&rows);
        let mut asking = counted.to_vec();
        asking.iter_mut().for_each(|job| job.demand = asks);
        let asking = Arc::new(asking);
        for rule in RULES {
            let on_nodes = run_on(&asking, &resources, rule);
            let counts = run(&counted, procs, policy(rule)).unwrap();
            prop_assert_eq!(starts(&on_nodes), starts(&counts), "{}", rule);
            for (ours, theirs) in on_nodes.record.outcomes().zip(counts.record.outcomes()) {
                prop_assert_eq!(ours, theirs, "{}", rule);
            }
        }
    }

    /// Whatever is asked for: everybody leaves, nobody has more than there is, and twice is the
    /// same.
    #[test]
    fn on_shared_nodes_nobody_has_more_than_there_is_by_any_rule(
        drawn in any_jobs(50),
        asked in prop::collection::vec((1_u32..4, 0_u64..9, 0_u32..3, prop::bool::weighted(0.2)), 4),
        which in prop::collection::vec(0_usize..4, 50),
    ) {
        let mut demands = Demands::default();
        let numbers: Vec<DemandId> = asked.iter().map(|&(procs, memory, gpus, alone)| {
            let node_use = if alone { NodeUse::Exclusive } else { NodeUse::Shared };
            demands.number(Demand { procs, memory, gpus: gpus / 2, node_use, ..Demand::PLAIN })
        }).collect();
        let kinds =
            vec![NodeKind { memory: 16, ..plain(3, 4) }, NodeKind { memory: 40, gpus: 2, ..plain(2, 6) }];
        let resources = Arc::new(Resources { nodes: Nodes::new(kinds, FeatureNames::default()).unwrap(), demands });
        let mut all = jobs(&drawn).to_vec();
        all.iter_mut().zip(which).for_each(|(job, place)| job.demand = numbers[place]);
        let all = Arc::new(all);
        for rule in RULES {
            let outcomes = run_on(&all, &resources, rule);
            prop_assert!(!outcomes.stopped, "{}", rule);
            let rows = rows(&outcomes);
            prop_assert_eq!(judge::schedule(&rows, resources.nodes.procs()), [], "{}", rule);
            prop_assert_eq!(judge::on_nodes(&rows, &resources), [], "{}", rule);
            prop_assert_eq!(run_on(&all, &resources, rule).digest, outcomes.digest, "{}", rule);
        }
    }
}
