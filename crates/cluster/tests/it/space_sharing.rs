//! FCFS and EASY as whole runs: the worked examples, a slow model of the same rules, the validator,
//! bad policies.

use std::collections::{BTreeSet, VecDeque};

use async_trait::async_trait;
use clustersim_cluster::instrument::{Reason, SiteModel, State};
use clustersim_cluster::judge::{head_promise, in_order, schedule};
use clustersim_cluster::policy::{Capacity, FrontEnd, Policy, PolicyError, Setting, SiteEvent, simulate};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimTime, Simulation, hold, timed};
use clustersim_language::collections::Interval;
use clustersim_language::ids::JobId;
use proptest::prelude::*;

use crate::cluster::{jobs, policy, rows, run, starts};

/// Examples of MODELS 2.4: (submission, processors, run time, estimate) on 10 processors.
const EXAMPLE_A: [(u64, u32, u64, u64); 6] =
    [(0, 6, 100, 100), (1, 8, 50, 50), (2, 4, 90, 90), (3, 4, 200, 200), (4, 2, 300, 300), (5, 2, 60, 60)];
const EXAMPLE_B: [(u64, u32, u64, u64); 4] =
    [(0, 6, 100, 100), (1, 8, 50, 50), (2, 10, 100, 100), (3, 2, 400, 400)];

fn starts_of(example: &[(u64, u32, u64, u64)], value: &str) -> Vec<u64> {
    starts(&run(&jobs(example), 10, policy(value)).unwrap())
}

#[test]
fn example_a_starts_as_listed() {
    assert_eq!(starts_of(&EXAMPLE_A, "'fcfs'"), [0, 100, 150, 150, 150, 240]);
    assert_eq!(starts_of(&EXAMPLE_A, "'easy'"), [0, 100, 2, 150, 92, 150]);
}

#[test]
fn example_b_under_easy_delays_the_second_waiter() {
    assert_eq!(starts_of(&EXAMPLE_B, "'fcfs'"), [0, 100, 150, 250]);
    assert_eq!(starts_of(&EXAMPLE_B, "'easy'"), [0, 100, 403, 3]);
}

#[test]
fn a_second_reservation_protects_the_second_waiter() {
    let two = "{ kind = 'space-sharing', backfill = { kind = 'easy', reservations = 2 } }";
    assert_eq!(starts_of(&EXAMPLE_B, two), [0, 100, 150, 250]);
}

#[test]
fn a_job_past_its_estimate_counts_as_ending_in_a_nanosecond() {
    // job 1 outlasts its estimate of 10; at 20 job 2 is promised the next nanosecond, so nothing
    // may overtake it, not even the job of one second that would fit
    let overdue = [(0, 6, 100, 10), (20, 8, 50, 50), (21, 3, 1, 1), (22, 2, 500, 500)];
    assert_eq!(starts_of(&overdue, "'easy'"), [0, 100, 150, 22]);
}

/// A14 of the experiments: 16 processors of which 6 are held until 100; the five jobs wait from 1
/// on.
const EXAMPLE_C: [(u64, u32, u64, u64); 6] =
    [(0, 6, 100, 100), (1, 12, 50, 50), (1, 8, 90, 90), (1, 3, 10, 10), (1, 9, 200, 200), (1, 10, 40, 40)];

#[test]
fn disciplines_start_the_jobs_of_the_example_as_listed() {
    let first = |value| starts(&run(&jobs(&EXAMPLE_C), 16, policy(value)).unwrap())[1..].to_vec();
    assert_eq!(first("'fcfs'"), [100, 150, 150, 240, 440]);
    // 3 at once, 10 when it ends, 12 when all are free, then 8, and 9 does not fit beside it
    assert_eq!(first("'sjf'"), [100, 150, 1, 240, 11]);
    // 3 at once, 8 when it ends, and then one after the other
    assert_eq!(first("'smallest'"), [341, 11, 1, 101, 301]);
    // 8 at once, 3 when it ends, 12 at 100 beside it, then 9, and 10 does not fit beside it
    assert_eq!(first("'first-fit'"), [100, 1, 91, 150, 350]);
    // 10 at once, 9 when it ends, 3 at 100 beside it, 12 after both, then 8
    assert_eq!(first("'best-fit'"), [241, 291, 100, 41, 1]);
    assert_eq!(first("'worst-fit'"), first("'smallest'"));
}

#[test]
fn backfilling_passes_a_blocked_head_of_any_order() {
    // 3 starts, then 12 is the head and is promised 100, with 4 processors to spare: EASY lets 2
    // pass because it needs no more than that, and 8, when 3 has ended, because it is over by then
    let short = [(0, 6, 100, 100), (1, 12, 50, 50), (1, 8, 60, 60), (1, 3, 10, 10), (1, 2, 200, 200)];
    let sjf = |backfill| {
        let text = format!("{{ kind = 'space-sharing', queue = 'sjf', backfill = '{backfill}' }}");
        starts(&run(&jobs(&short), 16, policy(&text)).unwrap())
    };
    assert_eq!(sjf("none"), [0, 100, 150, 1, 150]);
    assert_eq!(sjf("easy"), [0, 100, 11, 1, 1]);
}

/// The rules as they read, second by second: slow, and with nothing in common with the policy but
/// them.
fn slow_model(jobs: &[(u64, u32, u64, u64)], procs: u32, easy: bool) -> Vec<u64> {
    let mut starts: Vec<Option<u64>> = vec![None; jobs.len()];
    let mut instants: BTreeSet<u64> = jobs.iter().map(|job| job.0).collect();
    while let Some(now) = instants.pop_first() {
        let running = |starts: &[Option<u64>]| -> Vec<usize> {
            let runs = |&place: &usize| starts[place].is_some_and(|start| now < start + jobs[place].2);
            (0..jobs.len()).filter(runs).collect()
        };
        let free =
            |starts: &[Option<u64>]| procs - running(starts).iter().map(|&place| jobs[place].1).sum::<u32>();
        let mut waiting: Vec<usize> =
            (0..jobs.len()).filter(|&place| jobs[place].0 <= now && starts[place].is_none()).collect();
        let mut begun = Vec::new();
        while let Some(&head) = waiting.first()
            && jobs[head].1 <= free(&starts)
        {
            starts[head] = Some(now);
            begun.push(waiting.remove(0));
        }
        if let Some(&head) = waiting.first().filter(|_| easy) {
            // in half seconds, so that an overdue job can end between now and the next second
            let end = |place: usize| (2 * (starts[place].unwrap() + jobs[place].3)).max(2 * now + 1);
            let ends: BTreeSet<u64> = running(&starts).into_iter().map(end).collect();
            let free_at = |instant: u64| {
                let ended = running(&starts).into_iter().filter(|&place| end(place) <= instant);
                free(&starts) + ended.map(|place| jobs[place].1).sum::<u32>()
            };
            let shadow = ends.into_iter().find(|&instant| free_at(instant) >= jobs[head].1).unwrap();
            let mut extra = free_at(shadow) - jobs[head].1;
            for &place in &waiting[1..] {
                let (_, need, _, estimate) = jobs[place];
                let short = 2 * (now + estimate) <= shadow;
                if need <= free(&starts) && (short || need <= extra) {
                    extra -= if short { 0 } else { need };
                    starts[place] = Some(now);
                    begun.push(place);
                }
            }
        }
        instants.extend(begun.iter().map(|&place| now + jobs[place].2));
    }
    starts.into_iter().map(|start| start.unwrap()).collect()
}

fn workloads() -> impl Strategy<Value = Vec<(u64, u32, u64, u64)>> {
    let job = (0_u64..4, 1_u32..13, 1_u64..12, -4_i64..9);
    prop::collection::vec(job, 1..60).prop_map(|rows| {
        let mut submit = 0;
        let job = |(gap, procs, run, over): (u64, u32, u64, i64)| {
            submit += gap;
            (submit, procs, run, run.saturating_add_signed(over).max(1))
        };
        rows.into_iter().map(job).collect()
    })
}

proptest! {
    #[test]
    fn runs_start_jobs_as_the_slow_model_does(rows in workloads()) {
        for (name, easy) in [("'fcfs'", false), ("'easy'", true)] {
            let outcomes = run(&jobs(&rows), 12, policy(name)).unwrap();
            prop_assert_eq!(starts(&outcomes), slow_model(&rows, 12, easy), "{}", name);
        }
    }

    #[test]
    fn schedules_keep_what_the_validator_asks(workload in workloads(), reservations in 1_u32..5) {
        let jobs = jobs(&workload);
        let fcfs = rows(&run(&jobs, 12, policy("'fcfs'")).unwrap());
        prop_assert_eq!(schedule(&fcfs, 12), []);
        prop_assert_eq!(in_order(&fcfs), []);
        let easy = format!("{{ kind = 'space-sharing', backfill = {{ kind = 'easy', reservations = {reservations} }} }}");
        let easy = rows(&run(&jobs, 12, policy(&easy)).unwrap());
        prop_assert_eq!(schedule(&easy, 12), []);
        prop_assert_eq!(head_promise(&easy, 12), []);
    }
}

#[test]
fn a_job_larger_than_the_machine_is_rejected_and_the_rest_runs() {
    let outcomes = run(&jobs(&[(0, 11, 5, 5), (1, 10, 5, 5), (9, 12, 1, 1)]), 10, policy("'easy'")).unwrap();
    let states: Vec<State> = outcomes.record.outcomes().map(|outcome| outcome.state).collect();
    assert_eq!(states, [State::Rejected, State::Completed, State::Rejected]);
    assert!(!outcomes.stopped);
}

#[test]
fn a_run_may_be_stopped_before_its_end() {
    let setting = Setting {
        procs: 10,
        level: 1,
        until: SimTime::from_secs(120),
        warm_up: WarmUp::None,
        site: SiteModel::default(),
    };
    let outcomes = simulate(jobs(&EXAMPLE_A), setting, policy("'fcfs'"), Simulation::new(1)).unwrap();
    assert!(outcomes.stopped);
    let metrics = outcomes.run().metrics();
    let value = |name: &str| metrics.iter().find(|metric| metric.name == name).unwrap().number();
    assert_eq!((value("jobs.completed"), value("jobs.unfinished")), (Some(1.0), Some(5.0)));
    // 6 × 100 and 8 × 20 of 10 × 120
    assert_eq!(value("utilization"), Some(760.0 / 1200.0));
}

#[test]
fn the_same_run_twice_has_the_same_digest() {
    let digest = || run(&jobs(&EXAMPLE_A), 10, policy("'easy'")).unwrap().digest;
    assert_eq!(digest(), digest());
}

/// A policy made of a closure, to try what policies may not do.
struct Wild<F>(F);

impl<F> std::fmt::Debug for Wild<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("wild")
    }
}

#[async_trait(?Send)]
impl<F: AsyncFnMut(FrontEnd) -> Result<(), PolicyError>> Policy for Wild<F> {
    fn name(&self) -> &'static str {
        "wild"
    }

    async fn run(&mut self, front: FrontEnd) -> Result<(), PolicyError> {
        (self.0)(front).await
    }
}

fn wild(act: impl AsyncFnMut(FrontEnd) -> Result<(), PolicyError> + 'static) -> String {
    run(&jobs(&EXAMPLE_A), 10, Box::new(Wild(act))).unwrap_err().to_string()
}

#[test]
fn an_unlawful_start_names_policy_job_and_instant() {
    let start = |front: &FrontEnd, job: u32, first: u32, last: u32| {
        front.start(JobId(job), &[Interval::new(first, last)], Reason::Head)
    };
    let busy = wild(async move |mut front: FrontEnd| {
        front.news().await;
        start(&front, 0, 0, 5)?;
        front.news().await;
        start(&front, 1, 2, 9)
    });
    assert!(
        busy.contains(
            "policy `wild` cannot start job 2: processors 2-9 are not all free; \
             of 10 processors 4 are free, 6 taken by jobs (at 1 s, in process `policy`)"
        ),
        "{busy}"
    );
    let all = Capacity { procs: 10, free: 1, reserved: 4, down: 2 };
    let text = "of 10 processors 1 are free, 3 taken by jobs, 4 reserved, 2 out of service";
    assert_eq!(all.to_string(), text);
    let few = wild(async move |mut front: FrontEnd| {
        front.news().await;
        start(&front, 0, 0, 5)?;
        front.news().await;
        start(&front, 1, 6, 9)
    });
    assert!(
        few.contains("needs 8 processors and was given 4; of 10 processors 4 are free, 6 taken"),
        "{few}"
    );
    let twice = wild(async move |mut front: FrontEnd| {
        front.news().await;
        start(&front, 0, 0, 5)?;
        start(&front, 0, 0, 5)
    });
    assert!(twice.contains("it was started before"), "{twice}");
    let early = wild(async move |mut front: FrontEnd| {
        front.news().await;
        start(&front, 1, 0, 7)
    });
    assert!(early.contains("job 2: it is not submitted yet (at 0 s"), "{early}");
}

#[test]
fn a_policy_that_returns_while_jobs_wait_is_a_deadlock_that_names_them() {
    let text = wild(async |mut front: FrontEnd| {
        front.news().await;
        hold(SimDuration::from_secs(2)).await;
        Ok(())
    });
    assert!(text.starts_with("deadlock at 5 s"), "{text}");
    assert!(text.contains("job 1: waits for event `start (the policy has returned)` since 2 s"), "{text}");
    assert!(text.contains("job 6: waits for event `start (the policy has returned)` since 5 s"), "{text}");
}

#[test]
fn a_policy_that_never_starts_a_job_is_a_deadlock() {
    let text = wild(async |mut front: FrontEnd| {
        while front.news().await.is_some() {}
        Ok(())
    });
    assert!(
        text.starts_with("deadlock at 5 s") && text.contains("policy: waits for event `news` since 5 s"),
        "{text}"
    );
    assert!(text.ends_with("6 jobs were submitted and never started, the first of them job 1"), "{text}");
}

#[test]
fn a_livelock_says_how_many_jobs_wait() {
    let text = wild(async |mut front: FrontEnd| {
        front.news().await;
        loop {
            hold(SimDuration::ZERO).await;
        }
    });
    assert!(text.starts_with("livelock at 0 s: process `policy`"), "{text}");
    assert!(text.ends_with("job was submitted and never started, the first of them job 1"), "{text}");
}

#[test]
fn racing_the_news_loses_none() {
    // every wait for news is given up after a second, which is when jobs arrive, and begun again
    let policy = Wild(async |mut front: FrontEnd| {
        let (mut queue, mut given_up) = (VecDeque::new(), 0);
        loop {
            match timed(SimDuration::from_secs(1), front.news()).await {
                None => given_up += 1,
                Some(None) => break,
                Some(Some(news)) => queue.extend(news.into_iter().filter_map(|event| match event {
                    SiteEvent::Arrived(job) => Some(job),
                    _ => None,
                })),
            }
            while let Some(&job) = queue.front() {
                let need = front.jobs()[job.index()].procs;
                let Some(first) = front.with_free(|free| {
                    free.iter().find(|run| run.count() >= u64::from(need)).map(|run| run.first)
                }) else {
                    break;
                };
                front.start(job, &[Interval::new(first, first + need - 1)], Reason::Head)?;
                queue.pop_front();
            }
        }
        assert!(given_up > 5, "{given_up}");
        Ok(())
    });
    let outcomes = run(&jobs(&EXAMPLE_A), 10, Box::new(policy)).unwrap();
    assert_eq!(starts(&outcomes), starts_of(&EXAMPLE_A, "'fcfs'"));
}
