//! Real-time jobs that reserve: slices in every frame under gang scheduling, and admission under
//! all policies.

use std::sync::Arc;

use clustersim_cluster::instrument::State;
use clustersim_cluster::instrument::execution::Counts;
use clustersim_cluster::policy::Outcomes;
use clustersim_jobs::workload::parallel::{Application, Quality, RecordedStep, Times};
use clustersim_kernel::SimDuration;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::support::{application, ends, iterations, law, layout, node, pattern, recorded, simulate};

/// Tasks that compute for `compute` in each of `count` periods [ms].
fn real_time(
    tasks: u32,
    count: u32,
    (period, deadline): (u64, u64),
    compute: f64,
    share: f64,
) -> Arc<Application> {
    let program = iterations(count, law(compute / 1e3, 0.0), Times::None, pattern("none"), 0);
    let (period, deadline) = (SimDuration::from_millis(period), SimDuration::from_millis(deadline));
    let quality = Quality::RealTime { period, deadline, share };
    Arc::new(Application { quality, ..(*application(tasks, program)).clone() })
}

fn computes(tasks: usize, millis: u64) -> Arc<Application> {
    let steps = [RecordedStep::Compute(SimDuration::from_millis(millis))];
    recorded(&vec![&steps[..]; tasks])
}

fn counts(outcomes: &Outcomes, job: usize) -> Counts {
    let profile = outcomes.profile.as_ref().expect("detail task");
    profile.jobs.iter().find(|execution| execution.job.index() == job).expect("it ran").counts
}

fn states(outcomes: &Outcomes) -> Vec<State> {
    outcomes.record.outcomes().map(|outcome| outcome.state).collect()
}

fn starts(outcomes: &Outcomes) -> Vec<f64> {
    outcomes.record.outcomes().map(|outcome| outcome.start.as_nanos() as f64 / 1e6).collect()
}

/// Frames of 10 ms, of which reserved slices take 4 ms at most, each with a switch of 0.5 ms.
const FRAMES: &str = "kind = \"gang\", switch = \"500us\", frame = \"10ms\", reserved = 0.4";

#[test]
fn a_real_time_job_has_its_slice_in_every_frame() {
    // 2 ms in every 20 ms: 1 ms of each frame, after a switch
    let jobs = || vec![(0, real_time(1, 10, (20, 20), 2.0, 0.1)), (0, computes(1, 30))];
    let outcomes = simulate(&layout(1, &node(""), ""), 2, &format!("policy = {{ {FRAMES} }}"), 1, jobs());
    // the first frame begins without a switch: 1.5 ms, and 8 ms of the other job from 2 ms on; then
    // 10.5 to 11.5, 12 to 20, 20.5 to 21.5, 22 to 30, 30.5 to 31.5, 32 to 38. From then on the
    // real-time job has all of each frame.
    assert_eq!(ends(&outcomes), [182.0, 38.0]);
    let of = counts(&outcomes, 0);
    assert_eq!((of.due, of.missed), (10, 0));
    // responses: 11, 11.5, then 2.5 where the frame at 40 ms begins with a switch, and 2 ms
    assert_eq!((of.pairs, of.jitter), (9, 500_000 + 9_000_000 + 500_000));
    // without replicas it has its slices only, and pays a switch for none of them once it is alone
    let plain = format!("policy = {{ {FRAMES}, replicas = false }}");
    let outcomes = simulate(&layout(1, &node(""), ""), 2, &plain, 1, jobs());
    assert_eq!(ends(&outcomes), [190.5, 38.0]);
    assert_eq!(counts(&outcomes, 0).missed, 0);
    // without, in slices of 200 ms, all is late if the other has the first slice
    let reversed = jobs().into_iter().rev().collect();
    let outcomes = simulate(&layout(1, &node(""), ""), 2, "policy = \"gang\"", 1, reversed);
    assert_eq!((ends(&outcomes), counts(&outcomes, 1).missed), (vec![30.0, 222.0], 10));
}

#[test]
fn best_effort_jobs_run_beside_a_reserved_row_and_go_on_with_their_quantum() {
    // the real-time job has the first of three nodes; two jobs of two tasks are in rows of 30 ms,
    // one of one task in the first row
    let jobs = vec![
        (0, real_time(1, 10, (10, 10), 1.0, 0.1)),
        (0, computes(2, 60)),
        (0, computes(2, 60)),
        (0, computes(1, 60)),
    ];
    let policy = format!("policy = {{ {FRAMES}, quantum = \"30ms\" }}");
    let outcomes = simulate(&layout(3, &node(""), ""), 4, &policy, 1, jobs);
    let profile = outcomes.profile.as_ref().expect("detail task");
    assert_eq!(counts(&outcomes, 0).missed, 0);
    assert_eq!(states(&outcomes), [State::Completed; 4]);
    // nothing is lost: what each node computes is what its tasks want
    let computed: u64 = profile
        .jobs
        .iter()
        .map(|job| job.spent.of(clustersim_cluster::instrument::profile::Activity::Compute))
        .sum();
    assert_eq!(computed, (10 + 120 + 120 + 60) * 1_000_000);
}

#[test]
fn without_real_time_jobs_reserved_rows_change_nothing_but_the_rows_of_others() {
    let jobs = || -> Vec<(u64, Arc<Application>)> {
        let chatty = || application(3, iterations(40, law(0.003, 0.3), law(0.002, 0.5), pattern("nn"), 1024));
        vec![
            (0, chatty()),
            (5, computes(2, 70)),
            (7, chatty()),
            (90, computes(4, 130)),
            (400, chatty()),
            (401, computes(1, 10)),
        ]
    };
    for more in ["", ", replicas = false", ", skew = \"300us\"", ", queue = \"best-fit\", row = \"best\""] {
        let plain = format!("policy = {{ kind = \"gang\", quantum = \"20ms\", switch = \"1ms\"{more} }}");
        let reserving = format!(
            "policy = {{ kind = \"gang\", quantum = \"20ms\", switch = \"1ms\", reserved = 0.25{more} }}"
        );
        let (plain, reserving) = (
            simulate(&layout(4, &node(""), ""), 3, &plain, 7, jobs()),
            simulate(&layout(4, &node(""), ""), 4, &reserving, 7, jobs()),
        );
        assert_eq!(ends(&plain), ends(&reserving), "{more}");
        assert_eq!(
            plain.profile.map(|profile| profile.processors),
            reserving.profile.map(|profile| profile.processors)
        );
    }
}

#[test]
fn who_cannot_be_promised_a_slice_waits_for_a_frame_or_is_refused() {
    // 20 % of every 10 ms: two slices of 2.5 ms are more than the 4 ms that are reserved
    let job = || real_time(2, 4, (10, 10), 1.0, 0.2);
    let jobs = || vec![(0, job()), (3, job()), (3, computes(1, 5))];
    let with = |admission: &str| {
        let policy = format!("policy = {{ {FRAMES}, admission = \"{admission}\" }}");
        simulate(&layout(2, &node(""), ""), 4, &policy, 1, jobs())
    };
    let waits = with("wait");
    // the first is over at 31 ms and a bit; the next frame begins at 40 ms
    assert_eq!(starts(&waits)[..2], [0.0, 40.0]);
    assert_eq!((counts(&waits, 0).missed, counts(&waits, 1).missed), (0, 0));
    let rejects = with("reject");
    assert_eq!(states(&rejects), [State::Completed, State::Rejected, State::Completed]);
    let refused = rejects
        .metrics()
        .into_iter()
        .find(|metric| metric.name == "jobs.not-admitted")
        .expect("it is a metric");
    assert_eq!(format!("{:?}", refused.value), "Count(1)");
    // a row beside that of the first is large enough for one that runs on other nodes
    let beside = |tasks| {
        let jobs =
            vec![(0, real_time(2, 4, (10, 10), 1.0, 0.2)), (3, real_time(tasks, 4, (10, 10), 1.0, 0.2))];
        starts(&simulate(&layout(4, &node(""), ""), 4, &format!("policy = {{ {FRAMES} }}"), 1, jobs))[1]
    };
    assert_eq!((beside(2), beside(3)), (10.0, 40.0));
}

#[test]
fn what_could_never_be_promised_is_refused_at_once() {
    let jobs = vec![
        (0, real_time(1, 4, (9, 9), 1.0, 0.01)),
        (0, real_time(1, 4, (10, 10), 1.0, 0.351)),
        (0, real_time(1, 4, (10, 10), 1.0, 0.349)),
    ];
    let outcomes = simulate(&layout(2, &node(""), ""), 4, &format!("policy = {{ {FRAMES} }}"), 1, jobs);
    assert_eq!(states(&outcomes), [State::Rejected, State::Rejected, State::Completed]);
}

/// A job that takes 7 of every 20 ms and asks for 40 %, three times on one node; when they start,
/// and what they miss.
fn thrice(scheduler: &str, more: &str) -> (Vec<State>, Vec<f64>, Vec<u64>) {
    let job = || (0, real_time(1, 10, (20, 20), 7.0, 0.4));
    let layout = layout(1, &node(&format!("scheduler = \"{scheduler}\"")), "");
    let outcomes = simulate(
        &layout,
        5,
        &format!("policy = {{ kind = \"coscheduling\"{more} }}"),
        1,
        vec![job(), job(), job()],
    );
    let missed = (0..3)
        .filter(|&job| {
            outcomes.record.outcome(clustersim_language::ids::JobId(job as u32)).state == State::Completed
        })
        .map(|job| counts(&outcomes, job).missed);
    (states(&outcomes), starts(&outcomes), missed.collect())
}

#[test]
fn nodes_that_keep_reservations_promise_no_more_than_they_have() {
    let done = vec![State::Completed; 3];
    let (states, starts, missed) = thrice("two-level", "");
    assert_eq!((states, missed), (done.clone(), vec![0, 0, 0]));
    // the third comes when the first ends: its last 7 ms begin at 180 ms
    assert_eq!((starts[0], starts[1]), (0.0, 0.0));
    assert!((187.0..188.0).contains(&starts[2]), "{starts:?}");
    let (states, _, missed) = thrice("two-level", ", admission = \"reject\"");
    assert_eq!((states, missed), (vec![State::Completed, State::Completed, State::Rejected], vec![0, 0]));
    // 21 of every 20 ms cannot be had
    let (states, starts, missed) = thrice("two-level", ", admission = \"none\"");
    assert_eq!((states, starts), (done.clone(), vec![0.0; 3]));
    assert!(missed.iter().sum::<u64>() > 5, "{missed:?}");
    // one at a time, and none
    let (states, starts, _) = thrice("two-level", ", reserved = 0.79");
    assert_eq!(states, done);
    assert!(starts[0] < starts[1] && starts[1] < starts[2], "{starts:?}");
    assert_eq!(thrice("two-level", ", reserved = 0.39").0, vec![State::Rejected; 3]);
    // who keeps no reservations promises nothing
    assert_eq!(thrice("solaris", ", admission = \"reject\"").1, vec![0.0; 3]);
}

#[test]
fn a_real_time_job_that_waits_keeps_no_other_waiting() {
    let layout = layout(2, &node("scheduler = \"two-level\""), "");
    let jobs = vec![
        (0, real_time(2, 5, (20, 20), 5.0, 0.6)),
        (1, real_time(2, 5, (20, 20), 5.0, 0.6)),
        (2, computes(2, 5)),
        (3, real_time(1, 5, (20, 20), 5.0, 0.3)),
    ];
    let starts = |queue: &str| {
        let policy = format!("policy = {{ kind = \"coscheduling\", queue = \"{queue}\" }}");
        starts(&simulate(&layout, 5, &policy, 1, jobs.clone()))
    };
    let in_order = starts("fcfs");
    assert!(in_order[1] > 80.0 && in_order[2].to_bits() == 2.0_f64.to_bits() && in_order[3] >= in_order[1]);
    // who fits passes real-time jobs as well
    assert_eq!(starts("first-fit")[2..], [2.0, 3.0]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        rng_seed: RngSeed::Fixed(20_261_122),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Whatever comes, and whenever: who is let in and takes no more than it has reserved meets
    /// every deadline.
    #[test]
    fn nobody_who_is_let_in_is_late(
        streams in prop::collection::vec((0_u64..120, 1_u32..4, 20_u64..90, 10_u64..90, 2_u64..40, 1_u32..8), 1..6),
        others in prop::collection::vec((0_u64..150, 1_usize..5, 1_u64..60), 0..5),
        (replicas, skew) in (prop::bool::ANY, 0_u64..500),
    ) {
        let real_time = streams.iter().map(|&(at, tasks, period, deadline, percent, count)| {
            let share = percent as f64 / 100.0;
            (at, real_time(tasks, count, (period, deadline), period as f64 * share, share))
        });
        let others = others.iter().map(|&(at, tasks, millis)| (at, computes(tasks, millis)));
        let mut jobs: Vec<(u64, Arc<Application>)> = real_time.chain(others).collect();
        jobs.sort_by_key(|job| job.0);
        let policy = format!(
            "policy = {{ kind = \"gang\", quantum = \"20ms\", switch = \"200us\", skew = \"{skew}us\", frame = \"10ms\", \
             reserved = 0.6, replicas = {replicas}, queue = \"first-fit\" }}"
        );
        let outcomes = simulate(&layout(4, &node(""), ""), 5, &policy, 1, jobs);
        for (job, outcome) in outcomes.record.outcomes().enumerate() {
            prop_assert!(matches!(outcome.state, State::Completed | State::Rejected));
            if outcome.state == State::Completed {
                prop_assert_eq!(counts(&outcomes, job).missed, 0, "job {} of {:?}", job, streams);
            }
        }
    }
}
