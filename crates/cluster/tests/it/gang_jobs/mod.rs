//! Gang scheduling at detail `job`: by hand, against a slice-by-slice model, against space sharing,
//! and in closed form.

mod published;
mod reference;
mod rows;

use std::sync::Arc;

use clustersim_cluster::policy::Outcomes;
use clustersim_jobs::workload::Job;
use clustersim_kernel::{SimDuration, SimTime};
use clustersim_language::ids::JobId;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::cluster::{self, metric};
use reference::{Asked, Rules, by_slices};

/// Jobs from (submission, tasks, run time, estimate) [ns].
fn jobs(asked: &[Asked]) -> Arc<Vec<Job>> {
    let job = |(number, &(submit, tasks, run_time, estimate)): (u64, &Asked)| {
        let mut job =
            Job::new(number, SimTime::from_nanos(submit), tasks as u32, SimDuration::from_nanos(run_time));
        job.estimate = SimDuration::from_nanos(estimate);
        job
    };
    Arc::new((1..).zip(asked).map(job).collect())
}

/// Jobs from (submission, tasks, run time) [s], with exact estimates.
fn exact(asked: &[(u64, usize, u64)]) -> Arc<Vec<Job>> {
    let second = 1_000_000_000;
    let asked: Vec<Asked> = asked
        .iter()
        .map(|&(submit, tasks, run)| (submit * second, tasks, run * second, run * second))
        .collect();
    jobs(&asked)
}

fn run(jobs: &Arc<Vec<Job>>, nodes: u32, level: u32, policy: &str) -> Outcomes {
    cluster::run_shared(jobs, nodes, level, cluster::policy(policy)).unwrap()
}

fn starts(outcomes: &Outcomes) -> Vec<u64> {
    outcomes.record.outcomes().map(|outcome| outcome.start.as_nanos()).collect()
}

fn ends(outcomes: &Outcomes) -> Vec<u64> {
    outcomes.record.outcomes().map(|outcome| outcome.end.as_nanos()).collect()
}

fn ends_in_secs(outcomes: &Outcomes) -> Vec<u64> {
    ends(outcomes).into_iter().map(|end| end / 1_000_000_000).collect()
}

/// MODELS 2.1, experiment B3: K = 3 jobs of D = 1000 ms, Q = 200, c = 2; then the same with slices
/// of 200 us.
#[test]
fn full_jobs_end_as_the_closed_form_says() {
    let ms = 1_000_000;
    let three = jobs(&[(0, 4, 1000 * ms, ms); 3]);
    let outcomes = run(&three, 4, 5, "{ kind = 'gang', quantum = '200ms', switch = '2ms' }");
    assert_eq!(ends(&outcomes), [2624 * ms, 2826 * ms, 3028 * ms]);
    assert_eq!(
        (metric(&outcomes, "gang.slices"), metric(&outcomes, "gang.switches")),
        (Some(15.0), Some(14.0))
    );
    let outcomes = run(&three, 4, 5, "{ kind = 'gang', quantum = '200us', switch-share = '1 %' }");
    // m = 5000 slices, c = 2 us: K (m - 1) + j periods, and a whole quantum
    let end = |j: u64| ((3 * 4999 + j) * 202 + 200) * 1000;
    assert_eq!(ends(&outcomes), [end(0), end(1), end(2)]);
    assert_eq!(metric(&outcomes, "gang.slices"), Some(15_000.0));
    assert!(outcomes.events < 60, "{} events: slices in which nothing happens are none", outcomes.events);
}

/// Experiment B4, the figure of six jobs, with run times of 20 s in slices of 10 s.
#[test]
fn a_replica_doubles_the_pace_until_its_cells_are_needed() {
    let figure = [8, 8, 4, 2, 2, 4].map(|tasks| (0, tasks, 20));
    let policy = "{ kind = 'gang', quantum = '10s', switch = '0s' }";
    let plain = "{ kind = 'gang', quantum = '10s', switch = '0s', replicas = false }";
    assert_eq!(ends_in_secs(&run(&exact(&figure), 8, 4, policy)), [50, 60, 70, 40, 40, 80]);
    assert_eq!(ends_in_secs(&run(&exact(&figure), 8, 4, plain)), [50, 60, 70, 70, 70, 80]);
    // a job of two tasks comes at 25 and takes the cells in which job 3 had its replica
    let mut seven = figure.to_vec();
    seven.push((25, 2, 10));
    let outcomes = run(&exact(&seven), 8, 4, policy);
    assert_eq!(ends_in_secs(&outcomes), [50, 60, 70, 70, 40, 80, 40]);
    assert_eq!(starts(&outcomes)[6], 25_000_000_000);
}

#[test]
fn who_comes_to_the_row_that_runs_starts_at_once_and_an_idle_machine_opens_a_slice() {
    let policy = "{ kind = 'gang', quantum = '10s', switch = '1s' }";
    let three = exact(&[(3, 2, 10), (5, 2, 4), (5, 4, 10)]);
    // rows 0 and 1 alternate with switches; 3-13, then 14-24
    assert_eq!(ends_in_secs(&run(&three, 4, 2, policy)), [13, 9, 24]);
}

#[test]
fn rows_are_unified_only_where_the_own_columns_are_free_and_only_if_wished() {
    // J0 and J1 share the first row, J2 has the second; when J0 ends at 10, J2 moves up to its
    // columns
    let three = exact(&[(0, 2, 10), (0, 2, 40), (0, 2, 40)]);
    let policy =
        |more: &str| format!("{{ kind = 'gang', quantum = '10s', switch = '0s', replicas = false{more} }}");
    assert_eq!(ends_in_secs(&run(&three, 4, 2, &policy(""))), [10, 40, 50]);
    // else the rows alternate: J2 10-20, 30-40, 50-60 and, J1 having ended at 70, 70-80
    assert_eq!(ends_in_secs(&run(&three, 4, 2, &policy(", unification = false"))), [10, 70, 80]);
}

#[test]
fn room_that_compaction_makes_is_given_away_at_once() {
    // J0 5 and J1 3 fill the first row, J2 the columns 0-4 of the second, and J3 of 8 waits; J0
    // ends at 10
    let four = exact(&[(0, 5, 10), (0, 3, 30), (0, 5, 30), (0, 8, 10)]);
    let outcomes = run(&four, 8, 2, "{ kind = 'gang', quantum = '10s', switch = '0s' }");
    assert_eq!(starts(&outcomes)[3], 10_000_000_000);
    // rows J1 J2 and J3: 10-20, J3 20-30, 30-40, and J2 goes on
    assert_eq!(ends_in_secs(&outcomes), [10, 40, 50, 20]);
}

#[test]
fn who_migrates_is_frozen_for_the_cost() {
    let three = exact(&[(0, 2, 300), (0, 2, 100), (0, 2, 300)]);
    let policy =
        |kind: &str| format!("{{ kind = '{kind}', quantum = '100s', switch = '0s', replicas = false }}");
    // the columns of J2 are taken in the first row, and two others free from 100 on
    let outcomes = run(&three, 4, 2, &policy("mgs"));
    assert_eq!(ends_in_secs(&outcomes), [300, 100, 410]);
    assert_eq!(metric(&outcomes, "gang.migrations"), Some(1.0));
    assert_eq!(
        outcomes.record.processors(JobId(2)).iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["2-3"]
    );
    let outcomes = run(&three, 4, 2, &policy("gs"));
    assert_eq!(ends_in_secs(&outcomes), [500, 100, 600]);
    assert_eq!(metric(&outcomes, "gang.migrations"), Some(0.0));
}

#[test]
fn blocks_of_buddies_are_lost_to_others() {
    let four = exact(&[(0, 3, 10), (0, 3, 10), (0, 5, 10), (0, 1, 10)]);
    let policy =
        |packing: &str| format!("{{ kind = 'gang', quantum = '10s', switch = '0s', packing = '{packing}' }}");
    let leftmost = run(&four, 8, 2, &policy("leftmost"));
    assert_eq!((starts(&leftmost)[3], ends_in_secs(&leftmost)), (0, vec![10, 10, 20, 10]));
    assert_eq!(metric(&leftmost, "loss-of-capacity"), Some(0.0));
    // the one task waits for 10 s beside 5 free slots of 8 processors, in a run of 30 s
    let buddy = run(&four, 8, 2, &policy("buddy"));
    assert_eq!((starts(&buddy)[3], ends_in_secs(&buddy)), (10_000_000_000, vec![10, 10, 20, 30]));
    assert_eq!(metric(&buddy, "loss-of-capacity"), Some(50.0 / 240.0));
    assert_eq!(metric(&buddy, "loss-of-capacity.per-slot"), Some(50.0 / 480.0));
}

#[test]
fn backfilling_lets_pass_who_does_not_delay_the_promised_row() {
    // both rows have 2 of 8 columns free; J2 needs all of a row: by the estimates times 2 the first
    // is its at 40, the second at 80. J3 would be over at 30, J4 at 80 and goes beside, J5 finds no
    // room
    let six = exact(&[(0, 6, 20), (0, 6, 40), (0, 8, 10), (0, 2, 15), (0, 2, 40), (0, 2, 40)]);
    let outcomes = run(&six, 8, 2, "{ kind = 'bgs', quantum = '10s', switch = '0s', unification = false }");
    let started: Vec<u64> = starts(&outcomes).iter().map(|start| start / 1_000_000_000).collect();
    assert_eq!(started[3..5], [0, 0]);
    assert!(started[5] > 0 && started[2] <= 40, "{started:?}");
    let plain = run(&six, 8, 2, "{ kind = 'gs', quantum = '10s', switch = '0s', unification = false }");
    assert!(starts(&plain)[3] > 0);
}

/// Experiment B8: what is left of the machine is Q / (Q + c).
#[test]
fn a_saturated_machine_loses_the_switches_and_no_more() {
    let four = exact(&[(0, 4, 100_000); 4]);
    for (share, useful) in [("0 %", 1.0), ("1 %", 1.0 / 1.01), ("5 %", 1.0 / 1.05)] {
        let policy = format!("{{ kind = 'gang', quantum = '200s', switch-share = '{share}' }}");
        let outcomes = run(&four, 4, 5, &policy);
        let found = 400_000.0 / metric(&outcomes, "makespan").unwrap();
        assert!((found / useful - 1.0).abs() < 0.001, "{share}: {found}");
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_261_121),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn asked(nodes: usize) -> impl Strategy<Value = Vec<Asked>> {
    let gap = prop_oneof![3 => 0_u64..40, 1 => Just(0), 1 => 0_u64..400];
    let job = (gap, 1..=nodes, 1_u64..120, 1_u64..4, 0_u64..30);
    prop::collection::vec(job, 1..40).prop_map(|jobs| {
        let mut now = 0;
        let place = |(gap, tasks, run, factor, more): (u64, usize, u64, u64, u64)| {
            now += gap;
            (now, tasks, run, run * factor + more)
        };
        jobs.into_iter().map(place).collect()
    })
}

fn rules() -> impl Strategy<Value = Rules> {
    let queue = prop_oneof![Just("fcfs"), Just("sjf"), Just("smallest"), Just("first-fit")];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let migration = prop_oneof![Just(None), (0_u64..25).prop_map(Some)];
    (1_usize..6, 1_u64..30, 0_u64..4, queue, flags, migration).prop_map(
        |(level, quantum, switch, queue, (best, buddy, kept, replicas, unification, backfill), migration)| {
            let backfill = backfill && queue != "first-fit";
            let migration = migration.filter(|_| unification);
            Rules {
                level,
                quantum,
                switch,
                queue,
                best,
                buddy,
                kept,
                replicas,
                unification,
                backfill,
                migration,
            }
        },
    )
}

proptest! {
    #![proptest_config(config(1500))]

    /// Every rule, every tie: nanoseconds are few enough for arrivals, ends, thaws and slices to
    /// meet.
    #[test]
    fn the_coarse_engine_is_that_of_single_slices(asked in asked(11), rules in rules()) {
        let outcomes = run(&jobs(&asked), 11, rules.level as u32, &rules.policy());
        let by_slices = by_slices(&asked, 11, rules);
        prop_assert_eq!(starts(&outcomes), by_slices.starts);
        prop_assert_eq!(ends(&outcomes), by_slices.ends);
        prop_assert_eq!(metric(&outcomes, "gang.migrations"), Some(by_slices.migrations as f64));
        prop_assert_eq!(rows::stands(&outcomes), by_slices.stands);
    }
}

proptest! {
    #![proptest_config(config(300))]

    /// MODELS 2.1: space sharing is gang scheduling at multiprogramming level 1, job by job.
    #[test]
    fn at_level_one_it_is_space_sharing(asked in asked(11), backfill in any::<bool>(), quantum in 1_u64..30) {
        let backfill = if backfill { "easy" } else { "none" };
        for queue in ["fcfs", "sjf", "smallest", "first-fit"] {
            if queue == "first-fit" && backfill == "easy" {
                continue;
            }
            let rest = format!("queue = '{queue}', backfill = '{backfill}'");
            let jobs = jobs(&asked);
            let gang = run(&jobs, 11, 1, &format!("{{ kind = 'gang', quantum = '{quantum}ns', switch = '3ns', {rest} }}"));
            let space = run(&jobs, 11, 1, &format!("{{ kind = 'space-sharing', {rest} }}"));
            prop_assert_eq!(starts(&gang), starts(&space));
            prop_assert_eq!(ends(&gang), ends(&space));
        }
    }
}
