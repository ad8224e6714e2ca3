//! Limits by hand, and against looking at every job each time.

use proptest::prelude::*;

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::workload::Job;

use super::*;

fn job(queue: Option<u16>, user: u32, procs: u32, estimate: u64) -> Job {
    let job = Job::new(1, SimTime::ZERO, procs, SimDuration::from_secs(estimate));
    let mut job = job.in_queue(queue, None);
    job.user = user;
    job
}

fn queue(numbers: &[u16]) -> QueueLimits {
    QueueLimits { name: "q".to_owned(), numbers: numbers.to_vec(), ..QueueLimits::default() }
}

fn only(met: Option<(Limit, &str)>) -> Option<Limit> {
    met.map(|(limit, _)| limit)
}

#[test]
fn jobs_that_can_never_run_are_reported() {
    let limits = Limits::new(vec![
        QueueLimits { max_run_time: Some(SimDuration::from_secs(60)), max_procs: Some(8), ..queue(&[1]) },
        QueueLimits { max_running_procs: Some(16), ..queue(&[]) },
    ]);
    assert_eq!(only(limits.forbids(&job(Some(1), 7, 8, 60))), None);
    assert_eq!(only(limits.forbids(&job(Some(1), 7, 9, 60))), Some(Limit::Procs(8)));
    assert_eq!(
        only(limits.forbids(&job(Some(1), 7, 8, 61))),
        Some(Limit::RunTime(SimDuration::from_secs(60)))
    );
    assert_eq!(only(limits.forbids(&job(Some(2), 7, 17, 61))), Some(Limit::RunningProcs(16)));
    assert_eq!(only(limits.forbids(&job(None, 7, 16, 61))), None);
    // a job that asked for no time asked for no more than it may, however long it is taken to run
    assert_eq!(only(limits.forbids(&job(Some(1), 7, 8, 61).asking_for_time(false))), None);
    assert_eq!(only(limits.forbids(&job(Some(1), 7, 9, 61).asking_for_time(false))), Some(Limit::Procs(8)));
}

#[test]
fn a_start_holds_others_back_and_an_end_lets_the_earliest_through() {
    let mut limits = Limits::new(vec![QueueLimits { max_running_per_user: Some(1), ..queue(&[]) }]);
    let of = |user| job(None, user, 2, 10);
    for (id, user) in [(0, 7), (1, 7), (2, 8)] {
        assert_eq!(only(limits.submitted(JobId(id), &of(user))), None);
    }
    let mut turns = Vec::new();
    limits.started(JobId(0), &of(7), &mut turns);
    assert_eq!(turns, [HoldChange { job: JobId(1), considered: false }]);
    assert_eq!(only(limits.submitted(JobId(3), &of(7))), Some(Limit::RunningPerUser(1)));
    turns.clear();
    limits.ended(&of(7), &mut turns);
    assert_eq!(
        turns,
        [HoldChange { job: JobId(1), considered: true }, HoldChange { job: JobId(3), considered: true }]
    );
}

#[test]
fn the_earliest_jobs_of_a_user_are_considered() {
    let mut limits = Limits::new(vec![QueueLimits { max_queued_per_user: Some(2), ..queue(&[]) }]);
    let of = |user| job(None, user, 2, 10);
    let seen: Vec<bool> = (0..3).map(|id| limits.submitted(JobId(id), &of(7)).is_none()).collect();
    assert_eq!(seen, [true, true, false]);
    let mut turns = Vec::new();
    limits.started(JobId(1), &of(7), &mut turns);
    assert_eq!(turns, [HoldChange { job: JobId(2), considered: true }]);
}

#[test]
fn priorities_are_shares_of_the_highest() {
    let mut urgent = queue(&[1]);
    urgent.priority = 40.0;
    let mut other = queue(&[]);
    other.priority = 10.0;
    // a kind has a highest of its own
    let long = QueueLimits { of: QueueOf::Qos, priority: 3.0, ..queue(&[3]) };
    let limits = Limits::new(vec![urgent, other, long]);
    let shares = |number, qos| limits.priorities(&job(number, 7, 1, 1).with_qos(qos));
    let share = |queue, qos| QueuePriorities { queue, partition: 0.0, qos };
    assert_eq!([shares(Some(1), None), shares(None, Some(3))], [share(1.0, 0.0), share(0.25, 1.0)]);
}

#[test]
fn a_job_has_the_limits_of_its_partition_and_of_its_quality_of_service() {
    let mut limits = Limits::new(vec![
        QueueLimits { of: QueueOf::Partition, max_running: Some(2), name: "batch".into(), ..queue(&[1]) },
        QueueLimits {
            of: QueueOf::Qos,
            max_running_per_user: Some(1),
            max_run_time: Some(SimDuration::from_secs(60)),
            name: "short".into(),
            ..queue(&[5])
        },
    ]);
    let of =
        |user, qos, estimate| job(None, user, 2, estimate).in_queue(Some(9), Some(1)).with_qos(Some(qos));
    assert_eq!(limits.forbids(&of(7, 5, 61)), Some((Limit::RunTime(SimDuration::from_secs(60)), "short")));
    assert_eq!(limits.forbids(&of(7, 4, 61)), None);
    for (id, user, qos) in [(0, 7, 5), (1, 7, 5), (2, 7, 4), (3, 8, 5)] {
        assert_eq!(limits.submitted(JobId(id), &of(user, qos, 10)), None);
    }
    let mut turns = Vec::new();
    limits.started(JobId(0), &of(7, 5, 10), &mut turns);
    // the second job of the same user and quality of service
    assert_eq!(turns, [HoldChange { job: JobId(1), considered: false }]);
    assert_eq!(limits.holds_back(JobId(1), &of(7, 5, 10)), Some((Limit::RunningPerUser(1), "short")));
    turns.clear();
    limits.started(JobId(2), &of(7, 4, 10), &mut turns);
    // the partition is full: the other user's job is held too
    assert_eq!(turns, [HoldChange { job: JobId(3), considered: false }]);
    assert_eq!(limits.holds_back(JobId(3), &of(8, 5, 10)), Some((Limit::Running(2), "batch")));
    turns.clear();
    limits.ended(&of(7, 5, 10), &mut turns);
    let free = |id| HoldChange { job: JobId(id), considered: true };
    assert_eq!(turns, [free(1), free(3)]);
}

proptest! {
    #![proptest_config(crate::batch::tests::seeded(128))]
    #[test]
    fn a_job_is_considered_as_its_limits_say(
        limits in prop::collection::vec(prop::option::of(1_u64..5), 5),
        jobs in prop::collection::vec((0_u16..3, 0_u32..3, 1_u32..4, 0_u16..3), 1..60),
        kinds in 1_usize..3,
        steps in prop::collection::vec(0_usize..60, 0..120),
    ) {
        let of = |numbers: &[u16], by: usize| QueueLimits {
            max_running: limits[by].map(|most| most + 1),
            max_running_procs: limits[1].map(|most| 2 * most + 2),
            max_running_per_user: limits[2],
            max_running_procs_per_user: limits[3].map(|most| most + 2),
            max_queued_per_user: limits[4],
            ..queue(numbers)
        };
        let by_partition = |limits| QueueLimits { of: QueueOf::Partition, ..limits };
        let other = vec![by_partition(of(&[0], 2)), by_partition(of(&[1], 3))];
        let queues: Vec<QueueLimits> =
            [of(&[0], 0), of(&[1], 1)].into_iter().chain(other.into_iter().filter(|_| kinds == 2)).collect();
        let mut book = Limits::new(queues.clone());
        let jobs: Vec<Job> = jobs
            .iter()
            .map(|&(queue, user, procs, partition)| {
                job(Some(queue), user, procs, 1).in_queue(Some(queue), Some(partition))
            })
            .collect();
        let mut waiting: OrderedMap<usize, bool> = OrderedMap::new();
        let mut running: Vec<usize> = Vec::new();
        let mut next = 0;
        for step in steps {
            let mut turns = Vec::new();
            let open: Vec<usize> = waiting.iter().filter(|one| *one.1).map(|one| *one.0).collect();
            if step % 3 == 0 && next < jobs.len() {
                let limit = book.submitted(JobId(next as u32), &jobs[next]);
                waiting.insert(next, limit.is_none());
                next += 1;
            } else if step % 3 == 1 && !open.is_empty() {
                let place = open[step % open.len()];
                waiting.remove(&place);
                running.push(place);
                book.started(JobId(place as u32), &jobs[place], &mut turns);
            } else if !running.is_empty() {
                let place = running.remove(step % running.len());
                book.ended(&jobs[place], &mut turns);
            }
            for turn in turns {
                waiting.insert(turn.job.index(), turn.considered);
            }
            // by the text of the rule, for each job from the earliest
            let mut expected: OrderedMap<usize, bool> = OrderedMap::new();
            for &place in waiting.keys() {
                let job = &jobs[place];
                let mut fits = true;
                for limits in queues.iter().filter(|line| line.of.of(job).is_some_and(|number| line.numbers.contains(&number))) {
                    let same = |other: &&usize| limits.of.of(&jobs[**other]) == limits.of.of(job);
                    let mine = |other: &&usize| same(other) && jobs[**other].user == job.user;
                    let procs = |all: Vec<&usize>| all.iter().map(|other| u64::from(jobs[**other].procs)).sum::<u64>();
                    let need = u64::from(job.procs);
                    let line: Vec<&usize> = running.iter().filter(same).collect();
                    let user: Vec<&usize> = running.iter().filter(mine).collect();
                    let ahead = expected.iter().filter(|one| *one.1 && mine(&one.0)).count() as u64;
                    let under = |used: u64, more: u64, most: Option<u64>| most.is_none_or(|most| used + more <= most);
                    fits &= under(line.len() as u64, 1, limits.max_running)
                        && under(user.len() as u64, 1, limits.max_running_per_user)
                        && under(ahead, 1, limits.max_queued_per_user)
                        && under(procs(line), need, limits.max_running_procs)
                        && under(procs(user), need, limits.max_running_procs_per_user);
                }
                expected.insert(place, fits);
            }
            prop_assert_eq!(&waiting, &expected);
        }
    }
}
