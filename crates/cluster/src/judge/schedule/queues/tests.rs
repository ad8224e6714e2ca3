//! Orders that move, held against schedules with faults.

use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;

use super::super::{Order, QueueHead, Row, head_starts, in_the_order, row, shadow_time};
use super::{PriorityOrder, PriorityRule, Submitted};

fn secs(secs: u64) -> SimDuration {
    SimDuration::from_secs(secs)
}

fn rule() -> PriorityRule {
    PriorityRule {
        age: 1.0,
        fairshare: 1.0,
        max_age: secs(1000),
        longest: secs(1),
        half_life: secs(1_000_000),
        ..PriorityRule::default()
    }
}

/// Jobs that need all of four processors for 10 s: user, submission and start of each; decisions at
/// every start and end.
fn judged(rule: &PriorityRule, runs: &[(u32, u64, u64)]) -> [usize; 3] {
    judged_of(rule, runs, |place| place)
}

/// The same of jobs whose places in the workload are others, as some wait again at the back.
fn judged_of(rule: &PriorityRule, runs: &[(u32, u64, u64)], of: impl Fn(u32) -> u32) -> [usize; 3] {
    const SECOND: u64 = 1_000_000_000;
    let rows: Vec<Row> = (0_u32..)
        .zip(runs)
        .map(|(place, &(_, submit, start))| Row {
            job: Some(JobId(of(place))),
            ..row(u64::from(place), submit * SECOND, start * SECOND, 10 * SECOND, (0, 3))
        })
        .collect();
    let job = |&(user, submit, _): &(u32, u64, u64)| {
        let mut job = Job::new(1, SimTime::from_nanos(submit * SECOND), 4, secs(10));
        job.user = user;
        job
    };
    let jobs: Vec<Job> = runs.iter().map(job).collect();
    let jobs = Submitted { jobs: &jobs, ids: None };
    let mut decisions: Vec<SimTime> =
        rows.iter().flat_map(|row| [row.considered, row.start, row.end]).collect();
    decisions.sort_unstable();
    decisions.dedup();
    let ranking = PriorityOrder::new(rule, &rows, (jobs, None), (4, |row: &Row| row.procs.into()), decisions);
    let order = Order::Priority(&ranking);
    [
        in_the_order(&rows, order).len(),
        head_starts(&rows, 4.into(), order, QueueHead::First).len(),
        shadow_time(&rows, 4.into(), order).len(),
    ]
}

#[test]
fn jobs_of_accounts_with_less_use_come_first_and_others_that_do_are_found() {
    // the second user's job came later, and the first has used all until then
    assert_eq!(judged(&rule(), &[(1, 0, 0), (1, 1, 20), (2, 2, 10)]), [0, 0, 0]);
    assert_eq!(judged(&rule(), &[(1, 0, 0), (1, 1, 10), (2, 2, 20)]), [1, 0, 1]);
    // by age alone it is the other way round
    let by_age = PriorityRule { fairshare: 0.0, ..rule() };
    assert_eq!(judged(&by_age, &[(1, 0, 0), (1, 1, 20), (2, 2, 10)]), [1, 0, 1]);
    assert_eq!(judged(&by_age, &[(1, 0, 0), (1, 1, 10), (2, 2, 20)]), [0, 0, 0]);
    assert_eq!(judged(&by_age, &[(1, 0, 0), (1, 1, 11), (2, 2, 22)])[1], 2, "each waits for a second");
}

#[test]
fn priorities_stand_for_the_interval() {
    // computed when the first came, and then not before 30 s: both have theirs as of when
    // they came,
    // at which the second user had used nothing, and the first too
    let stands = PriorityRule { interval: secs(30), ..rule() };
    assert_eq!(judged(&stands, &[(1, 0, 0), (1, 0, 10), (2, 5, 20)]), [0, 0, 0]);
    let each_time = rule();
    assert_eq!(judged(&each_time, &[(1, 0, 0), (1, 0, 10), (2, 5, 20)])[0], 1);
}

#[test]
fn of_equal_priorities_the_earlier_job_is_first_also_where_it_waits_again_at_the_back() {
    // the second job waits again from 3 on, behind the third and the fourth by that
    let equal = PriorityRule { age: 0.0, fairshare: 0.0, ..rule() };
    let judged = |starts: [u64; 3]| {
        let [third, fourth, second] = starts;
        let runs = [(1, 0, 0), (1, 1, third), (1, 2, fourth), (1, 3, second)];
        judged_of(&equal, &runs, |place| [0, 2, 3, 1][place as usize])
    };
    assert_eq!(judged([20, 30, 10]), [0, 0, 0]);
    assert_eq!(judged([10, 20, 30]), [2, 0, 1]);
    assert_eq!(judged([20, 30, 11])[1], 1);
}
