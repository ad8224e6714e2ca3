//! Pools beside processors: a worked example, a slow plain list of bookings, and pools that never
//! bind.

use std::collections::BTreeSet;
use std::sync::Arc;

use clustersim_cluster::batch::machine::{Faults, Reservations};
use clustersim_cluster::batch::pools::Pool;
use clustersim_cluster::instrument::{Failures, OnNodeFailure, SiteModel, State};
use clustersim_cluster::policy::{Detail, Outcomes, Setting, Watching, simulate_watched};
use clustersim_jobs::workload::Job;
use clustersim_jobs::workload::resources::{Demands, FeatureNames, Features, NodeKind, Nodes, Resources};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimTime, Simulation};
use clustersim_language::ids::JobId;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use crate::cluster::{jobs, policy, starts};
use crate::rules_on_nodes::{RULES, any_jobs};

/// A job: submission, processors, run time, estimate; and its amounts of two pools.
type Plain = ((u64, u32, u64, u64), [u32; 2]);

const PROCS: u32 = 10;
const NAMES: [&str; 2] = ["abaqus", "matlab"];

fn config(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() }
}

fn pools(counts: [u32; 2], amounts: &[[u32; 2]]) -> Vec<Pool> {
    let asked = |pool: usize| (0..).map(JobId).zip(amounts.iter().map(|amounts| amounts[pool])).collect();
    let pool = |pool: usize| Pool { name: NAMES[pool].to_owned(), count: counts[pool], asked: asked(pool) };
    vec![pool(0), pool(1)]
}

fn run_with(
    jobs: &Arc<Vec<Job>>,
    resources: Option<Arc<Resources>>,
    away: &[(SimTime, SimTime)],
    (pools, rule): (Vec<Pool>, &str),
) -> Outcomes {
    let failures = Failures { processors_per_node: 5, then: OnNodeFailure::Requeued, checkpoint: None };
    let site = SiteModel { failures: (!away.is_empty()).then_some(failures), ..SiteModel::default() };
    let setting = Setting { procs: PROCS, level: 1, until: None, warm_up: WarmUp::None, site };
    let faults = (!away.is_empty()).then(|| Faults::Traced(Arc::new(vec![Vec::new(), away.to_vec()])));
    let detail = Detail::Job { resources, faults, reservations: Reservations::NONE, pools };
    let work = Arc::clone(jobs);
    simulate_watched(work, setting, policy(rule), Simulation::new(1), detail, Watching::default()).unwrap()
}

fn run(rows: &[Plain], counts: [u32; 2], rule: &str) -> Outcomes {
    let (rows, amounts): (Vec<_>, Vec<_>) = rows.iter().copied().unzip();
    run_with(&jobs(&rows), None, &[], (pools(counts, &amounts), rule))
}

#[test]
fn licences_hold_the_head_and_those_that_would_take_them() {
    // 2 licences: job 1 has both until 100; job 3 waits for one, and job 4 would hold it until 255
    let rows = [
        ((0, 2, 100, 100), [0, 2]),
        ((5, 8, 50, 50), [0, 0]),
        ((10, 1, 30, 30), [0, 1]),
        ((15, 1, 200, 200), [0, 0]),
    ];
    assert_eq!(starts(&run(&rows, [1, 2], "'easy'")), [0, 5, 100, 55]);
    assert_eq!(starts(&run(&rows, [1, 2], "'fcfs'")), [0, 5, 100, 100]);
    assert_eq!(starts(&run(&rows, [1, 2], "'first-fit'")), [0, 5, 100, 55]);
    assert_eq!(starts(&run(&rows, [1, 2], "'conservative'")), [0, 5, 100, 55]);
    // with a licence of its own job 4 outlasts the promise on what that leaves: one is left of two,
    // none of one
    let mut more = rows;
    (more[0].1, more[2].1, more[3].1) = ([0, 3], [0, 2], [0, 1]);
    assert_eq!(starts(&run(&more, [1, 4], "'easy'")), [0, 5, 100, 55]);
    more[0].1 = [0, 2];
    assert_eq!(starts(&run(&more, [1, 3], "'easy'")), [0, 5, 100, 55]);
    more[2].1 = [0, 3];
    assert_eq!(starts(&run(&more, [1, 3], "'easy'")), [0, 5, 100, 130]);
}

#[test]
fn a_job_that_asks_for_more_than_there_is_of_a_pool_is_rejected() {
    let rows = [((0, 1, 9, 9), [0, 3]), ((1, 1, 9, 9), [1, 2])];
    let outcomes = run(&rows, [0, 2], "'easy'");
    let states: Vec<State> = outcomes.record.outcomes().map(|one| one.state).collect();
    assert_eq!(states, [State::Rejected; 2]);
    assert!(outcomes.record.outcomes().all(|one| one.reason.name() == "no-such-pool"));
}

#[test]
fn an_interrupted_job_gives_its_amounts_back_at_once() {
    // node 1 (processors 5 to 9) fails at 10, with job 1 on it: job 2 has its licence then, and job
    // 1 waits for that
    let rows = [(0, 8, 50, 50), (1, 2, 30, 30)];
    let away = [(SimTime::from_secs(10).unwrap(), SimTime::from_secs(20).unwrap())];
    let all = pools([1, 1], &[[0, 1], [0, 1]]);
    let outcomes = run_with(&jobs(&rows), None, &away, (all, "'easy'"));
    assert_eq!(starts(&outcomes), [40, 10]);
}

/// What is held or promised: from, to, processors, amounts.
type Booking = (u64, u64, u32, [u32; 2]);

/// Conservative backfilling, EASY, first fit and no backfilling by a plain list of bookings; no job
/// outlasts its estimate.
fn slow(jobs: &[Plain], counts: [u32; 2], rule: &str) -> Vec<u64> {
    let (mut starts, mut waiting): (Vec<Option<u64>>, Vec<(usize, u64)>) =
        (vec![None; jobs.len()], Vec::new());
    let mut instants: BTreeSet<u64> = jobs.iter().map(|job| job.0.0).collect();
    let booking = |place: usize, start: u64| -> Booking {
        let ((_, procs, _, estimate), amounts) = jobs[place];
        (start, start + estimate, procs, amounts)
    };
    let over = |held: &[Booking], at: u64| {
        let mut used = [0; 3];
        for (_, _, procs, amounts) in held.iter().filter(|one| one.0 <= at && at < one.1) {
            used = [used[0] + procs, used[1] + amounts[0], used[2] + amounts[1]];
        }
        used[0] > PROCS || used[1] > counts[0] || used[2] > counts[1]
    };
    // a job fits if no instant at which something begins sees too much
    let fits = |held: &[Booking], own: Booking| {
        let all: Vec<Booking> = held.iter().copied().chain([own]).collect();
        all.iter().map(|one| one.0.max(own.0)).filter(|&at| at < own.1).all(|at| !over(&all, at))
    };
    while let Some(now) = instants.pop_first() {
        let ended = |place: usize| starts[place].is_some_and(|start| start + jobs[place].0.2 == now);
        let early = (0..jobs.len()).any(|place| ended(place) && jobs[place].0.2 < jobs[place].0.3);
        let running = |starts: &[Option<u64>]| -> Vec<Booking> {
            let runs = (0..jobs.len()).filter_map(|place| Some((place, starts[place]?)));
            let runs = runs.filter(|&(place, start)| now < start + jobs[place].0.2);
            runs.map(|(place, start)| booking(place, start)).collect()
        };
        let earliest = |held: &[Booking], place: usize| {
            let ends = held.iter().map(|one| one.1).filter(|&end| end > now);
            let starts: BTreeSet<u64> = ends.chain([now]).collect();
            starts.into_iter().find(|&start| fits(held, booking(place, start))).unwrap()
        };
        let come = (0..jobs.len()).filter(|&place| jobs[place].0.0 == now);
        if rule == "conservative" {
            let others = |waiting: &[(usize, u64)], but: usize| -> Vec<Booking> {
                let promised = waiting.iter().filter(|one| one.0 != but);
                running(&starts).into_iter().chain(promised.map(|one| booking(one.0, one.1))).collect()
            };
            for index in 0..if early { waiting.len() } else { 0 } {
                let place = waiting[index].0;
                waiting[index].1 = earliest(&others(&waiting, place), place);
            }
            for place in come {
                let start = earliest(&others(&waiting, place), place);
                waiting.push((place, start));
            }
            for &(place, start) in &waiting {
                if start == now {
                    starts[place] = Some(now);
                    instants.insert(now + jobs[place].0.2);
                } else {
                    instants.insert(start);
                }
            }
            waiting.retain(|one| one.1 > now);
            continue;
        }
        waiting.extend(come.map(|place| (place, 0)));
        let mut start = |place: usize, starts: &mut [Option<u64>], waiting: &mut Vec<(usize, u64)>| {
            starts[place] = Some(now);
            instants.insert(now + jobs[place].0.2);
            waiting.retain(|one| one.0 != place);
        };
        let any = if rule == "first-fit" { usize::MAX } else { 1 };
        let next = |starts: &[Option<u64>], waiting: &[(usize, u64)]| {
            waiting.iter().take(any).map(|one| one.0).find(|&one| fits(&running(starts), booking(one, now)))
        };
        while let Some(place) = next(&starts, &waiting) {
            start(place, &mut starts, &mut waiting);
        }
        let Some(&(head, _)) = waiting.first().filter(|_| rule == "easy") else { continue };
        let mut held = running(&starts);
        let shadow = earliest(&held, head);
        held.push(booking(head, shadow));
        for (place, _) in waiting.clone().into_iter().skip(1) {
            // one that is over by the shadow time, or may stay for ever
            let (own, begins) = (booking(place, now), running(&starts));
            let stays = (now, u64::MAX, own.2, own.3);
            let forever: Vec<Booking> = held.iter().filter(|one| one.1 > shadow).copied().collect();
            let delays = own.1 > shadow && !fits(&forever, (shadow, shadow + 1, own.2, own.3));
            if fits(&begins, (now, now + 1, own.2, own.3)) && !delays {
                start(place, &mut starts, &mut waiting);
                held.push(if own.1 > shadow { stays } else { own });
            }
        }
    }
    starts.into_iter().map(|start| start.unwrap()).collect()
}

/// Jobs of which none outlasts its estimate, with amounts of pools of these sizes.
fn any_case() -> impl Strategy<Value = ([u32; 2], Vec<Plain>)> {
    [1_u32..6, 1_u32..6].prop_flat_map(|counts| {
        let amount = |most: u32| prop_oneof![2 => Just(0), 1 => 1..=most];
        let job = (0_u64..60, 1_u32..=PROCS, 1_u64..40, 0_u64..30);
        let job = (job, [amount(counts[0]).boxed(), amount(counts[1]).boxed()]);
        let sorted = |mut rows: Vec<Plain>| {
            rows.iter_mut().for_each(|row| row.0.3 = row.0.2 + row.0.3.saturating_sub(10));
            rows.sort_by_key(|row| row.0.0);
            rows
        };
        (Just(counts), prop::collection::vec(job, 1..40).prop_map(sorted))
    })
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn jobs_start_as_by_a_plain_list_of_bookings((counts, rows) in any_case()) {
        for rule in ["fcfs", "first-fit", "easy", "conservative"] {
            let outcomes = run(&rows, counts, &format!("'{rule}'"));
            prop_assert_eq!(starts(&outcomes), slow(&rows, counts, rule), "{}", rule);
        }
    }
}

proptest! {
    #![proptest_config(config(8))]

    /// Under every rule, where nodes fail, on counts and on nodes that jobs share.
    #[test]
    fn a_pool_that_never_binds_changes_nothing(
        rows in any_jobs(50),
        amounts in prop::collection::vec([0_u32..4, 0_u32..4], 50),
        fails in prop::option::of((1_u64..150, 1_u64..60)),
    ) {
        let at = |seconds| SimTime::from_secs(seconds).unwrap();
        let away: Vec<_> = fails.iter().map(|&(from, length)| (at(from), at(from + length))).collect();
        let rows: Vec<_> =
            rows.into_iter().map(|(submit, wide, run, says)| (submit, wide.min(PROCS), run, says)).collect();
        let kind = NodeKind { nodes: 2, processors: 5, memory: 64, gpus: 0, features: Features::NONE };
        let nodes = Nodes::new(vec![kind], FeatureNames::default()).unwrap();
        let resources = Arc::new(Resources { nodes, demands: Demands::default() });
        let all = jobs(&rows);
        for resources in [None, Some(resources)] {
            for rule in RULES {
                let of = |pools| run_with(&all, resources.clone(), &away, (pools, rule));
                let (one, other) = (of(Vec::new()), of(pools([1000, 1000], &amounts[..all.len()])));
                let fate = |outcomes: &Outcomes, id| {
                    (outcomes.record.outcome(id), outcomes.record.processors(id).into_owned())
                };
                for id in (0..all.len() as u32).map(JobId) {
                    prop_assert_eq!(fate(&one, id), fate(&other, id), "{} {:?}", rule, id);
                }
            }
        }
    }
}
