//! The queue by hand and against a sorted list.

use proptest::prelude::*;

use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::*;

proptest! {
    #![proptest_config(crate::batch::tests::seeded(256))]
    #[test]
    fn the_first_fit_is_that_of_a_plain_scan(
        jobs in prop::collection::vec((1_u32..40, 1_u64..40), 1..400),
        gone in prop::collection::vec(0_usize..400, 0..300),
        gap in (0_u64..40, 0_u64..40, 0_u64..40),
    ) {
        let mut queue = Queue::new();
        for (id, &(procs, estimate)) in (0..).zip(&jobs) {
            queue.insert(JobId(id), &Job::new(1, SimTime::ZERO, procs, SimDuration::from_nanos(estimate)), &FCFS);
        }
        let mut model: Vec<Waiting> = queue.iter().copied().collect();
        for place in gone {
            if place < model.len() {
                prop_assert!(queue.remove(&model.remove(place)));
            }
        }
        let gap = BackfillWindow { free: gap.0, extra: gap.1, until: SimDuration::from_nanos(gap.2) };
        let fits = |job: &&Waiting| {
            u64::from(job.procs) <= gap.free && (job.estimate <= gap.until || u64::from(job.procs) <= gap.extra)
        };
        let found: Vec<JobId> = std::iter::successors(
            queue.first_fit(queue.behind_head(), &gap),
            |&(_, after)| queue.first_fit(after, &gap),
        ).map(|(job, _)| job.job).collect();
        let expected: Vec<JobId> = model.iter().skip(1).filter(fits).map(|job| job.job).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn jobs_leave_from_the_head_in_order() {
    let mut queue = Queue::new();
    for id in 0..3 {
        queue.insert(JobId(id), &Job::new(1, SimTime::ZERO, 1, SimDuration::ZERO), &FCFS);
    }
    let order: Vec<JobId> = std::iter::from_fn(|| queue.pop()).map(|job| job.job).collect();
    assert_eq!(order, [JobId(0), JobId(1), JobId(2)]);
}

/// Indices of the jobs that a discipline starts, of jobs given as (processors, estimate) in order
/// of submission.
fn starts(kind: &str, free: u64, jobs: &[(u32, u64)]) -> Vec<usize> {
    let discipline = discipline(kind);
    let mut queue = Queue::new();
    for (id, &(procs, estimate)) in (0..).zip(jobs) {
        let job = Job::new(1, SimTime::ZERO, procs, SimDuration::from_nanos(estimate));
        queue.insert(JobId(id), &job, &*discipline);
    }
    let (mut started, mut free) = (Vec::new(), free);
    while let Some(next) = discipline.next(&queue, free) {
        assert!(queue.remove(&next), "who is next waits");
        free -= u64::from(next.procs);
        started.push(next.job.index());
    }
    assert_eq!(started.len() + queue.len(), jobs.len());
    started
}

fn discipline(kind: &str) -> Box<dyn Discipline> {
    match kind {
        "best-fit" => Box::new(best_fit::BestFit),
        "fcfs" => Box::new(FCFS),
        "first-fit" => Box::new(first_fit::FirstFit),
        "largest" => Box::new(largest::LARGEST),
        "sjf" => Box::new(sjf::SJF),
        "smallest" => Box::new(smallest::SMALLEST),
        "worst-fit" => Box::new(worst_fit::WORST_FIT),
        other => panic!("there is no discipline `{other}`"),
    }
}

/// A14 of the experiments: 16 nodes, 10 of them free.
const EXAMPLE: [(u32, u64); 5] = [(12, 50), (8, 90), (3, 10), (9, 200), (10, 40)];

#[test]
fn the_disciplines_differ_on_the_example() {
    let started = |kind| starts(kind, 10, &EXAMPLE).iter().map(|&job| EXAMPLE[job]).collect::<Vec<_>>();
    assert_eq!(started("fcfs"), []);
    // then (10, 40) is next and does not fit into 7
    assert_eq!(started("sjf"), [(3, 10)]);
    // then (8, 90) is next and does not fit into 7
    assert_eq!(started("smallest"), [(3, 10)]);
    // (12, 50) is next and does not fit into 10
    assert_eq!(started("largest"), []);
    // then nothing fits into 2
    assert_eq!(started("first-fit"), [(8, 90)]);
    assert_eq!(started("best-fit"), [(10, 40)]);
    // then nothing fits into 7
    assert_eq!(started("worst-fit"), [(3, 10)]);
}

#[test]
fn of_equal_jobs_the_earlier_one_is_next() {
    let jobs = [(9, 30), (4, 20), (4, 20), (4, 20)];
    for kind in ["sjf", "smallest", "first-fit", "best-fit", "worst-fit"] {
        assert_eq!(starts(kind, 8, &jobs), [1, 2], "{kind}");
    }
}

#[test]
fn a_job_that_does_not_fit_stops_one_family_and_not_the_other() {
    // the earlier job is also the shorter one, and does not fit
    assert!(starts("sjf", 4, &[(5, 1), (4, 2)]).is_empty());
    assert!(starts("fcfs", 4, &[(5, 1), (4, 2)]).is_empty());
    for kind in ["first-fit", "best-fit", "worst-fit"] {
        assert_eq!(starts(kind, 4, &[(5, 1), (4, 2)]), [1], "{kind}");
    }
}

/// The rules as they read, by scans of the jobs in order of submission.
fn plainly(kind: &str, mut free: u64, jobs: &[(u32, u64)]) -> Vec<usize> {
    let mut waiting: Vec<usize> = (0..jobs.len()).collect();
    let mut started = Vec::new();
    loop {
        let fits = |&&job: &&usize| u64::from(jobs[job].0) <= free;
        // `min_by_key` takes the first of equals
        let fitting = || waiting.iter().filter(fits);
        let next = match kind {
            "fcfs" => waiting.first().filter(fits),
            "sjf" => waiting.iter().min_by_key(|&&job| jobs[job].1).filter(fits),
            "largest" => waiting.iter().min_by_key(|&&job| std::cmp::Reverse(jobs[job].0)).filter(fits),
            "smallest" => waiting.iter().min_by_key(|&&job| jobs[job].0).filter(fits),
            "first-fit" => fitting().next(),
            "best-fit" => fitting().min_by_key(|&&job| free - u64::from(jobs[job].0)),
            _ => fitting().min_by_key(|&&job| std::cmp::Reverse(free - u64::from(jobs[job].0))),
        };
        let Some(&next) = next else { return started };
        waiting.retain(|&job| job != next);
        free -= u64::from(jobs[next].0);
        started.push(next);
    }
}

proptest! {
    #![proptest_config(crate::batch::tests::seeded(256))]
    #[test]
    fn the_disciplines_start_what_plain_scans_start(
        jobs in prop::collection::vec((1_u32..60, 1_u64..30), 0..300),
        free in 0_u64..400,
    ) {
        for kind in ["best-fit", "fcfs", "first-fit", "largest", "sjf", "smallest", "worst-fit"] {
            prop_assert_eq!(starts(kind, free, &jobs), plainly(kind, free, &jobs), "{}", kind);
        }
    }
}
