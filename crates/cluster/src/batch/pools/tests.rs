//! Tests of pools: who holds how much of them, and what is free.

use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::*;

fn pools() -> FreePools {
    let pool = |name: &str, count, asked: &[(u32, u32)]| Pool {
        name: name.to_owned(),
        count,
        asked: asked.iter().map(|&(job, amount)| (JobId(job), amount)).collect(),
    };
    let declared = vec![pool("matlab", 3, &[(0, 2), (1, 1), (2, 2)]), pool("abaqus", 10, &[(1, 10), (3, 0)])];
    FreePools::new(Pools::of(declared, 4).expect("there are some"))
}

#[test]
fn pools_stand_in_order_of_their_names_and_jobs_with_equal_shares_have_one_list() {
    let free = pools();
    let names: Vec<(&str, u32)> = free.pools().each().collect();
    assert_eq!(names, [("abaqus", 10), ("matlab", 3)]);
    let shares = |job| free.asked(JobId(job)).iter().map(|one| (one.pool, one.amount)).collect::<Vec<_>>();
    assert_eq!([0, 1, 2, 3].map(shares), [vec![(1, 2)], vec![(0, 10), (1, 1)], vec![(1, 2)], vec![]]);
    assert!(std::ptr::eq(free.asked(JobId(0)), free.asked(JobId(2))));
    assert!(Pools::of(Vec::new(), 4).is_none());
}

#[test]
fn a_job_holds_its_shares_from_its_start_to_its_end() {
    let (mut free, end) = (pools(), SimTime::from_nanos(50));
    free.starts(JobId(0), end);
    assert!(free.fits(JobId(1)) && free.fits(JobId(3)) && !free.fits(JobId(2)));
    assert_eq!(free.shortage(JobId(2)), Some((PoolShare { pool: 1, amount: 2 }, 1)));
    free.starts(JobId(1), SimTime::from_nanos(20));
    let now = (SimTime::from_nanos(30), SimDuration::from_nanos(5));
    let at = SimTime::from_nanos;
    assert_eq!(free.each()[1].releases(now, &[]), [(at(35), 1), (at(50), 2)]);
    assert_eq!(free.each()[1].releases(now, &[(JobId(0), at(33))]), [(at(33), 2), (at(35), 1)]);
    free.extends(JobId(0), end, at(90));
    assert_eq!(free.each()[1].releases(now, &[])[1], (at(90), 2));
    free.leaves(JobId(0), at(90));
    free.leaves(JobId(1), at(20));
    assert!(free.fits(JobId(2)) && free.shortage(JobId(2)).is_none());
}
