//! The queue by hand and against a sorted list.

use proptest::prelude::*;

use crate::kernel::SimTime;

use super::*;

proptest! {
    #[test]
    fn the_first_fit_is_that_of_a_plain_scan(
        jobs in prop::collection::vec((1_u32..40, 1_u64..40), 1..400),
        gone in prop::collection::vec(0_usize..400, 0..300),
        gap in (0_u64..40, 0_u64..40, 0_u64..40),
    ) {
        let mut queue = Queue::new();
        for (id, &(procs, estimate)) in (0..).zip(&jobs) {
            queue.insert(JobId(id), &Job::new(1, SimTime::ZERO, procs, SimDuration::from_nanos(estimate)), &fcfs::Fcfs);
        }
        let mut model: Vec<Waiting> = queue.iter().copied().collect();
        for place in gone {
            if place < model.len() {
                prop_assert!(queue.remove(&model.remove(place)));
            }
        }
        let gap = Gap { free: gap.0, extra: gap.1, until: SimDuration::from_nanos(gap.2) };
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
        queue.insert(JobId(id), &Job::new(1, SimTime::ZERO, 1, SimDuration::ZERO), &fcfs::Fcfs);
    }
    let order: Vec<JobId> = std::iter::from_fn(|| queue.pop()).map(|job| job.job).collect();
    assert_eq!(order, [JobId(0), JobId(1), JobId(2)]);
}
