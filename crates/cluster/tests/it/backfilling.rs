//! Conservative backfilling, EASY's options, estimates, limits and priorities as whole runs: worked
//! examples, a slow model of the same rules, and the validator.

use std::collections::BTreeSet;
use std::sync::Arc;

use clustersim_cluster::instrument::{Reason, State};
use clustersim_cluster::judge::{head_promise, nothing_fits, reservation_promise, schedule};
use clustersim_jobs::workload::Job;
use clustersim_kernel::{SimDuration, SimTime};
use clustersim_language::ids::JobId;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use crate::cluster::{jobs, policy, run, starts};

/// Examples of MODELS 2.4: (submission, processors, run time, estimate) on 10 processors.
const EXAMPLE_A: [(u64, u32, u64, u64); 6] =
    [(0, 6, 100, 100), (1, 8, 50, 50), (2, 4, 90, 90), (3, 4, 200, 200), (4, 2, 300, 300), (5, 2, 60, 60)];
const EXAMPLE_B: [(u64, u32, u64, u64); 4] =
    [(0, 6, 100, 100), (1, 8, 50, 50), (2, 10, 100, 100), (3, 2, 400, 400)];

fn starts_of(example: &[(u64, u32, u64, u64)], procs: u32, value: &str) -> Vec<u64> {
    starts(&run(&jobs(example), procs, policy(value)).unwrap())
}

fn config(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        max_shrink_iters: 4000,
        ..Config::default()
    }
}

#[test]
fn the_examples_start_as_listed() {
    assert_eq!(starts_of(&EXAMPLE_A, 10, "'conservative'"), [0, 100, 2, 150, 92, 150]);
    assert_eq!(starts_of(&EXAMPLE_B, 10, "'conservative'"), [0, 100, 150, 250]);
    assert_eq!(starts_of(&EXAMPLE_A, 10, "'first-fit'"), [0, 292, 2, 92, 100, 100]);
    // nobody has a history, so every prediction is the request; the shortest that may overtake does
    // so first
    assert_eq!(starts_of(&EXAMPLE_A, 10, "'easy-plus-plus'"), [0, 100, 2, 150, 150, 92]);
}

#[test]
fn an_early_end_lets_reservations_move_forward() {
    // job 1 says 100 and ends at 40: job 2 is next, job 3 keeps its place beside it
    let early = [(0, 6, 40, 100), (1, 8, 50, 50), (2, 10, 10, 10), (3, 2, 50, 50)];
    assert_eq!(starts_of(&early, 10, "'conservative'"), [0, 40, 90, 3]);
    // the hole of job 1 fits job 4, which needs 4 for 30, and not job 3, whose turn is first: it
    // can move only to the end of what job 4 was promised before it moves
    let hole = [(0, 4, 10, 100), (0, 6, 50, 50), (1, 10, 20, 20), (2, 4, 30, 30)];
    assert_eq!(starts_of(&hole, 10, "'conservative'"), [0, 0, 80, 10]);
}

#[test]
fn a_reservation_that_an_overdue_job_blocks_moves_and_is_counted() {
    // job 1 says 10 and runs for 100; job 2 is due at 10
    let overdue = [(0, 6, 100, 10), (1, 8, 50, 50), (2, 4, 5, 5), (3, 4, 5, 5)];
    let outcomes = run(&jobs(&overdue), 10, policy("'conservative'")).unwrap();
    // job 3 fits before 10; job 4 was promised 60, when job 2 should be over, and fits beside job 1
    // then
    assert_eq!(starts(&outcomes), [0, 100, 2, 60]);
    let metrics = outcomes.metrics();
    let moved = metrics.iter().find(|metric| metric.name == "reservations.moved").unwrap();
    assert_eq!(moved.number(), outcomes.record.moved().map(|moved| moved as f64));
    assert_eq!(outcomes.record.moved(), slow_model(&in_nanos(&overdue), 10).1.into());
    let easy = run(&jobs(&overdue), 10, policy("'easy'")).unwrap();
    assert!(easy.metrics().iter().all(|metric| metric.name != "reservations.moved"));
}

/// A job of the slow model, times in nanoseconds.
type Plain = (u64, u32, u64, u64);

fn in_nanos(rows: &[Plain]) -> Vec<Plain> {
    let nano = 1_000_000_000;
    rows.iter()
        .map(|&(submit, procs, run, estimate)| (submit * nano, procs, run * nano, estimate * nano))
        .collect()
}

/// A waiting job of the slow model: its reservation, and whether that is a nanosecond away only for
/// want of better.
#[derive(Clone, Copy)]
struct Promised {
    place: usize,
    start: u64,
    stuck: bool,
}

/// Conservative backfilling as it reads (MODELS 2.3), by plain scans: starts, and reservations that
/// could not be kept.
fn slow_model(jobs: &[Plain], procs: u32) -> (Vec<u64>, u64) {
    let mut starts: Vec<Option<u64>> = vec![None; jobs.len()];
    let mut waiting: Vec<Promised> = Vec::new();
    let mut instants: BTreeSet<u64> = jobs.iter().map(|job| job.0).collect();
    let mut moved = 0;
    loop {
        let due = waiting.iter().filter(|one| !one.stuck).map(|one| one.start).min();
        let Some(now) = instants.first().copied().into_iter().chain(due).min() else { break };
        instants.remove(&now);
        let runs = |starts: &[Option<u64>]| -> Vec<usize> {
            (0..jobs.len())
                .filter(|&place| starts[place].is_some_and(|start| now < start + jobs[place].2))
                .collect()
        };
        let overdue: u32 = runs(&starts)
            .iter()
            .filter(|&&place| starts[place].unwrap() + jobs[place].3 <= now)
            .map(|&place| jobs[place].1)
            .sum();
        // what is held or promised by all but one job: (from, to, processors)
        let held = |starts: &[Option<u64>], waiting: &[Promised], but: usize| -> Vec<(u64, u64, u32)> {
            let running = runs(starts)
                .into_iter()
                .map(|place| (0, (starts[place].unwrap() + jobs[place].3).max(now + 1), jobs[place].1));
            let promised = waiting.iter().filter(|one| one.place != but);
            running
                .chain(promised.map(|one| (one.start, one.start + jobs[one.place].3, jobs[one.place].1)))
                .collect()
        };
        let earliest = |held: &[(u64, u64, u32)], place: usize, from: u64| -> u64 {
            let (_, need, _, estimate) = jobs[place];
            let fits = |start: u64| {
                let at = |instant: u64| {
                    held.iter()
                        .filter(|one| one.0 <= instant && instant < one.1)
                        .map(|one| one.2)
                        .sum::<u32>()
                };
                let changes = held.iter().map(|one| one.0).filter(|&at| start < at && at < start + estimate);
                std::iter::once(start).chain(changes).all(|instant| at(instant) + need <= procs)
            };
            let ends = held.iter().map(|one| one.1).filter(|&end| end > from);
            let starts: BTreeSet<u64> = std::iter::once(from).chain(ends).collect();
            starts.into_iter().find(|&start| fits(start)).unwrap()
        };
        let ended = |place: usize| starts[place].is_some_and(|start| start + jobs[place].2 == now);
        let early = (0..jobs.len()).any(|place| ended(place) && starts[place].unwrap() + jobs[place].3 > now);
        for index in 0..waiting.len() {
            let one = waiting[index];
            if early || one.stuck {
                let start = earliest(&held(&starts, &waiting, one.place), one.place, now);
                if one.stuck || start < one.start {
                    moved += u64::from(one.start <= now && start > now);
                    waiting[index] = Promised { start, stuck: overdue > 0 && start == now + 1, ..one };
                }
            }
        }
        for place in (0..jobs.len()).filter(|&place| jobs[place].0 == now) {
            let start = earliest(&held(&starts, &waiting, place), place, now);
            waiting.push(Promised { place, start, stuck: overdue > 0 && start == now + 1 });
        }
        let mut index = 0;
        while let Some(&one) = waiting.get(index) {
            let free = procs - runs(&starts).iter().map(|&place| jobs[place].1).sum::<u32>();
            if one.start > now {
                index += 1;
            } else if jobs[one.place].1 <= free {
                starts[one.place] = Some(now);
                instants.insert(now + jobs[one.place].2);
                waiting.remove(index);
            } else {
                let start = earliest(&held(&starts, &waiting, one.place), one.place, now + 1);
                waiting[index] = Promised { start, stuck: overdue > 0 && start == now + 1, ..one };
                moved += 1;
                index += 1;
            }
        }
    }
    (starts.into_iter().map(|start| start.unwrap()).collect(), moved)
}

fn workloads(least: i64, jobs: usize) -> impl Strategy<Value = Vec<Plain>> {
    let job = (0_u64..7, 1_u32..13, 1_u64..30, least..25);
    prop::collection::vec(job, 1..jobs).prop_map(|rows| {
        let mut submit = 0;
        let job = |(gap, procs, run, over): (u64, u32, u64, i64)| {
            submit += gap;
            (submit, procs, run, run.saturating_add_signed(over).max(1))
        };
        rows.into_iter().map(job).collect()
    })
}

fn built(rows: &[Plain]) -> Arc<Vec<Job>> {
    let job = |(number, &(submit, procs, run, estimate)): (u64, &Plain)| {
        let mut job = Job::new(number, SimTime::from_nanos(submit), procs, SimDuration::from_nanos(run));
        job.estimate = SimDuration::from_nanos(estimate);
        job.user = (number % 3) as u32;
        job
    };
    Arc::new((1..).zip(rows).map(job).collect())
}

proptest! {
    #![proptest_config(config(96))]
    #[test]
    fn conservative_runs_start_jobs_as_the_slow_model_does(rows in workloads(-10, 50)) {
        let outcomes = run(&built(&rows), 12, policy("'conservative'")).unwrap();
        let found: Vec<u64> = outcomes.record.outcomes().map(|one| one.start.as_nanos()).collect();
        let (expected, moved) = slow_model(&rows, 12);
        prop_assert_eq!(found, expected);
        prop_assert_eq!(outcomes.record.moved(), Some(moved));
    }

    #[test]
    fn conservative_delays_nobody_past_the_first_reservation(rows in workloads(0, 70)) {
        let outcomes = run(&built(&rows), 12, policy("'conservative'")).unwrap();
        let found = crate::cluster::rows(&outcomes);
        prop_assert_eq!(schedule(&found, 12), []);
        prop_assert_eq!(reservation_promise(&found, 12), []);
        prop_assert_eq!(outcomes.record.moved(), Some(0));
    }

    #[test]
    fn easy_delays_no_head_past_its_first_shadow_time_whoever_overtakes(rows in workloads(0, 120)) {
        for options in ["", ", order = 'sjbf'", ", order = 'largest'", ", extra = 'none'"] {
            let value = format!("{{ kind = 'space-sharing', backfill = {{ kind = 'easy'{options} }} }}");
            let outcomes = run(&built(&rows), 12, policy(&value)).unwrap();
            let found = crate::cluster::rows(&outcomes);
            prop_assert_eq!(schedule(&found, 12), [], "{}", options);
            prop_assert_eq!(head_promise(&found, 12), [], "{}", options);
        }
    }

    #[test]
    fn first_best_and_worst_fit_leave_no_job_that_fits(rows in workloads(0, 120)) {
        for name in ["'first-fit'", "'best-fit'", "'worst-fit'"] {
            let outcomes = run(&built(&rows), 12, policy(name)).unwrap();
            prop_assert_eq!(nothing_fits(&crate::cluster::rows(&outcomes), 12), [], "{}", name);
        }
    }

    #[test]
    fn exact_estimates_are_those_of_jobs_that_request_their_run_times(rows in workloads(0, 80)) {
        let exact: Vec<Plain> = rows.iter().map(|&(submit, procs, run, _)| (submit, procs, run, run)).collect();
        for backfill in ["easy", "conservative"] {
            let value = |estimates| {
                policy(&format!("{{ kind = 'space-sharing', backfill = '{backfill}', estimates = '{estimates}' }}"))
            };
            let one = run(&built(&rows), 12, value("exact")).unwrap();
            let other = run(&built(&exact), 12, value("requested")).unwrap();
            prop_assert_eq!(starts(&one), starts(&other));
        }
    }

    #[test]
    fn runs_of_everything_at_once_are_lawful_and_end(rows in workloads(-10, 100)) {
        let queue = "{ kind = 'priority', fairshare = 500, size = -100, interval = '5ns', half-life = '50ns' }";
        let queues = "[{ name = 'all', max-running-per-user = 2, max-running-procs = 12, max-queued-per-user = 3 }]";
        for backfill in ["'easy'", "'easy-sjbf'", "'conservative'", "{ kind = 'easy', head-reservation = 'kept', extra = 'all' }", "'none'"] {
            for decide in ["instant", "event"] {
                let value = format!(
                    "{{ kind = 'space-sharing', queue = {queue}, backfill = {backfill}, estimates = 'last-two', \
                     queues = {queues}, decide = '{decide}' }}"
                );
                let outcomes = run(&built(&rows), 12, policy(&value)).unwrap();
                prop_assert!(outcomes.record.outcomes().all(|one| one.state == State::Completed));
                prop_assert_eq!(schedule(&crate::cluster::rows(&outcomes), 12), []);
            }
        }
    }
}

#[test]
fn every_event_or_every_instant() {
    // two jobs of one second: by instants the shorter is first, by events the earlier one has
    // started before the other comes
    let same = [(0, 6, 100, 100), (1, 4, 90, 90), (1, 4, 10, 10)];
    let sjf = |decide| {
        format!("{{ kind = 'space-sharing', queue = 'sjf', backfill = 'none', decide = '{decide}' }}")
    };
    assert_eq!(starts_of(&same, 10, &sjf("instant")), [0, 11, 1]);
    assert_eq!(starts_of(&same, 10, &sjf("event")), [0, 1, 91]);
    // two ends of one second: after the first of them only the smaller job fits
    let ends = [(0, 6, 100, 100), (0, 4, 100, 100), (1, 10, 10, 10), (2, 6, 10, 10)];
    let fit = |decide| {
        format!("{{ kind = 'space-sharing', queue = 'first-fit', backfill = 'none', decide = '{decide}' }}")
    };
    assert_eq!(starts_of(&ends, 10, &fit("instant")), [0, 0, 100, 110]);
    assert_eq!(starts_of(&ends, 10, &fit("event")), [0, 0, 110, 100]);
}

#[test]
fn a_prediction_that_is_outlasted_grows() {
    // two jobs of 10 s teach that the user's next one takes 10 s, though it asks for 1000; it runs
    // for 200
    let taught = [
        (0, 1, 10, 1000),
        (0, 1, 10, 1000),
        (20, 6, 200, 1000),
        (21, 8, 50, 50),
        (22, 4, 45, 45),
        (23, 4, 5, 5),
    ];
    let value = |correct| {
        let estimates = format!("{{ kind = 'last-two', correct = {correct} }}");
        format!("{{ kind = 'space-sharing', backfill = 'easy', estimates = {estimates} }}")
    };
    // by its prediction job 3 ends at 30, so job 5 (45 s) may not overtake; at 30 the prediction
    // becomes 70 s, which is at 90, and job 5 starts, as job 6 does at 23
    let all: Vec<Job> = jobs(&taught)
        .iter()
        .zip([1, 1, 1, 2, 3, 4])
        .map(|(job, user)| {
            let mut job = *job;
            job.user = user;
            job
        })
        .collect();
    let all = Arc::new(all);
    let start = |correct| starts(&run(&all, 10, policy(&value(correct))).unwrap());
    assert_eq!(start(true), [0, 0, 20, 220, 30, 23]);
    // without corrections it is overdue, and counts as ending at once all the time
    assert_eq!(start(false), [0, 0, 20, 220, 270, 23]);
}

#[test]
fn limits_hold_back_and_reject() {
    let rows = [(0, 2, 100, 100), (1, 2, 100, 100), (2, 2, 10, 10), (3, 9, 5, 5), (4, 1, 5, 500)];
    let queues = "[{ name = 'day', max-running-per-user = 1, max-procs = 8, max-run-time = '200s' }]";
    let value = format!("{{ kind = 'space-sharing', backfill = 'easy', queues = {queues} }}");
    let users: Vec<Job> = jobs(&rows)
        .iter()
        .zip([7, 7, 8, 8, 8])
        .map(|(job, user)| {
            let mut job = *job;
            job.user = user;
            job
        })
        .collect();
    let outcomes = run(&Arc::new(users), 10, policy(&value)).unwrap();
    let state = |id| outcomes.record.outcome(JobId(id)).state;
    assert_eq!((state(3), state(4)), (State::Rejected, State::Rejected));
    // the second job of user 7 keeps nobody waiting while the first runs
    assert_eq!(starts(&outcomes)[..3], [0, 100, 2]);
    assert_eq!(outcomes.record.outcome(JobId(2)).reason, Reason::Head);
}

#[test]
fn fair_share_lets_the_one_go_first_who_has_used_less() {
    // user 1 has had the machine for 100 s; then both have a job waiting, user 1 the earlier one
    let rows = [(0, 10, 100, 100), (1, 10, 10, 10), (2, 10, 10, 10)];
    let users: Vec<Job> = jobs(&rows)
        .iter()
        .zip([1, 1, 2])
        .map(|(job, user)| {
            let mut job = *job;
            job.user = user;
            job
        })
        .collect();
    let users = Arc::new(users);
    let value = |weight| {
        format!("{{ kind = 'space-sharing', queue = {{ kind = 'priority', fairshare = {weight} }} }}")
    };
    let start = |weight| starts(&run(&users, 10, policy(&value(weight))).unwrap());
    assert_eq!(start(0), [0, 100, 110]);
    assert_eq!(start(1000), [0, 110, 100]);
}
