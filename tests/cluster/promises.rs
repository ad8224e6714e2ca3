//! Promises to waiting jobs where nodes fail and processors are reserved, as the validator holds
//! schedules to them.

use clustersim_cluster::instrument::{Failures, OnNodeFailure};
use clustersim_cluster::judge::{
    Attempt, Interruptions, NodeSupply, Order, QueueHead, Row, Supply, all_runs, head_starts,
    head_starts_on_nodes, in_the_order, nothing_fits_on, nothing_fits_on_nodes, reservation_promise_on,
    reservation_promise_on_nodes, shadow_time, shadow_time_on_nodes, work_adds_up,
};
use clustersim_cluster::policy::Feature;
use clustersim_experiment::check::Violation;
use clustersim_jobs::workload::resources::{
    Demand, DemandId, Demands, FeatureNames, NodeKind, NodeUse, Resources,
};
use proptest::prelude::*;

use crate::cluster::{jobs, policy, rows};
use crate::failing_nodes::{self, failing};
use crate::node_resources::{asking, plain, random_demand, random_jobs, run_on, site};
use crate::reservations::{self, SPACE, any_jobs, any_reservations, reserved};

/// Runs of jobs that break what a policy promises, on 8 processors, `last` being their last runs.
fn broken(name: &str, last: &[Row], known: &Interruptions, supply: Supply<'_>) -> Vec<Violation> {
    let all = all_runs(last.into(), known);
    let none_outlasts = all.iter().all(|row| row.run_time <= row.estimate);
    let mut found = Vec::new();
    match name {
        "'fcfs'" | "'sjf'" => {
            let order = if name == "'sjf'" { Order::Estimate } else { Order::Submission };
            found.extend(in_the_order(&all, order));
            found.extend(head_starts(&all, supply, order, QueueHead::First));
        }
        "'conservative'" if none_outlasts => found.extend(reservation_promise_on(&all, supply)),
        "'conservative'" => {}
        "'first-fit'" | "'best-fit'" | "'worst-fit'" => found.extend(nothing_fits_on(&all, supply)),
        _ => {
            found.extend(head_starts(&all, supply, Order::Submission, QueueHead::Able));
            found.extend(shadow_time(&all, supply, Order::Submission));
        }
    }
    found
}

/// The same on nodes with more than processors, of rows that no job outlasts.
pub(crate) fn broken_on_nodes(name: &str, rows: &[Row], resources: &Resources) -> Vec<Violation> {
    let supply = NodeSupply::from(resources);
    let head = |order| head_starts_on_nodes(rows, supply, order, QueueHead::First);
    let (kind, _) = name.split_once("allocation").unwrap_or((name, ""));
    match name {
        _ if name.contains("'conservative'") => reservation_promise_on_nodes(rows, supply),
        _ if name.contains("'last-two'") => head(Order::Submission),
        _ if kind.contains("-fit'") => nothing_fits_on_nodes(rows, supply),
        _ if name.contains("'sjf'") => head(Order::Estimate),
        _ if name.contains("'easy'") => {
            [head(Order::Submission), shadow_time_on_nodes(rows, supply, Order::Submission)].concat()
        }
        _ => head(Order::Submission),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn what_is_promised_where_nodes_fail_lasts_until_one_fails_or_is_back(
        perfect in any::<bool>(),
        (right, wrong) in (any_jobs(true), failing_nodes::any_jobs()),
        trace in failing_nodes::any_trace(),
        per_node in 1..=3_u32,
        checkpoint in prop::option::of((1..30_u64, 0..5_u64)),
        lose in any::<bool>(),
    ) {
        let all = if perfect { right } else { wrong };
        let then = if lose { OnNodeFailure::Lost } else { OnNodeFailure::Requeued };
        let rules = Failures { then, ..failing_nodes::rules(per_node, checkpoint.filter(|_| !lose)) };
        let nodes = 8_u32.div_ceil(per_node) as usize;
        let trace: Vec<_> = trace.into_iter().filter(|span| span.0 < nodes).collect();
        for name in SPACE {
            let faults = failing_nodes::traced(&trace);
            let outcomes = failing(&all, 8, name, failing_nodes::of(rules), faults).unwrap();
            let (known, mut last) = (failing_nodes::known(&outcomes), rows(&outcomes));
            prop_assert_eq!(work_adds_up(&mut last, &known), [], "{}", name);
            let found = broken(name, &last, &known, Supply::failing(8, &known.away));
            prop_assert_eq!(found, [], "{}", name);
        }
    }

    #[test]
    fn what_is_promised_around_reservations_lasts_until_one_becomes_known(
        perfect in any::<bool>(),
        (right, wrong) in (any_jobs(true), any_jobs(false)),
        reservations in any_reservations(true),
    ) {
        let all = if perfect { right } else { wrong };
        for name in SPACE {
            let outcomes = reserved(&all, 8, name, &reservations);
            let known = reservations::known(&outcomes, &reservations);
            let attempts: Vec<Attempt> = known.attempts.clone();
            let runs = Interruptions { attempts, ..Interruptions::default() };
            let found = broken(name, &rows(&outcomes), &runs, Supply::reserved(8, &known));
            prop_assert_eq!(found, [], "{}", name);
        }
    }

    #[test]
    fn what_conservative_backfilling_promises_on_nodes_is_kept(
        drawn in random_jobs(),
        asked in prop::collection::vec(random_demand(), 4),
        which in prop::collection::vec(0_usize..4, 60),
        alone in any::<bool>(),
    ) {
        let mut names = FeatureNames::default();
        let big = names.take_in("big");
        let mut demands = Demands::of_nodes(&names);
        let whole = |demand| if alone { Demand { node_use: NodeUse::Exclusive, ..demand } } else { demand };
        let numbers: Vec<DemandId> = asked.iter().map(|&one| demands.number(whole(one))).collect();
        let kinds = vec![
            NodeKind { memory: 16, ..plain(3, 4) },
            NodeKind { memory: 40, gpus: 2, features: big, ..plain(2, 6) },
        ];
        let resources = site(kinds, names, demands);
        let chosen: Vec<DemandId> = which.iter().map(|&place| numbers[place]).collect();
        let all = asking(&jobs(&drawn), &chosen);
        for name in ["'conservative'", "{ kind = 'conservative', allocation = 'random' }"] {
            if !policy(name).refuses(&[Feature::Resources]).is_empty() {
                continue;
            }
            let outcomes = run_on(&all, &resources, name);
            prop_assert_eq!(broken_on_nodes(name, &rows(&outcomes), &resources), [], "{}", name);
        }
    }
}
