//! Limits by hand, and against looking at every job each time.

use proptest::prelude::*;

use crate::batch::holding::Footprint;
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::workload::Job;

use super::*;

/// Neither nodes nor GPUs.
const ON: Footprint = Footprint { nodes: 0, gpus: 0 };

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
    assert_eq!(only(limits.forbids(&job(Some(1), 7, 8, 60), ON)), None);
    assert_eq!(only(limits.forbids(&job(Some(1), 7, 9, 60), ON)), Some(Limit::Procs(8)));
    assert_eq!(
        only(limits.forbids(&job(Some(1), 7, 8, 61), ON)),
        Some(Limit::RunTime(SimDuration::from_secs(60)))
    );
    assert_eq!(only(limits.forbids(&job(Some(2), 7, 17, 61), ON)), Some(Limit::RunningProcs(16)));
    assert_eq!(only(limits.forbids(&job(None, 7, 16, 61), ON)), None);
    // a job that asked for no time asked for no more than it may, however long it is taken to run
    assert_eq!(only(limits.forbids(&job(Some(1), 7, 8, 61).asking_for_time(false), ON)), None);
    assert_eq!(
        only(limits.forbids(&job(Some(1), 7, 9, 61).asking_for_time(false), ON)),
        Some(Limit::Procs(8))
    );
}

#[test]
fn a_start_holds_others_back_and_an_end_lets_the_earliest_through() {
    let mut limits = Limits::new(vec![QueueLimits { max_running_per_user: Some(1), ..queue(&[]) }]);
    let of = |user| job(None, user, 2, 10);
    for (id, user) in [(0, 7), (1, 7), (2, 8)] {
        assert_eq!(only(limits.submitted(JobId(id), &of(user), ON)), None);
    }
    let mut turns = Vec::new();
    limits.started(JobId(0), &of(7), ON, &mut turns);
    assert_eq!(turns, [HoldChange { job: JobId(1), considered: false }]);
    assert_eq!(only(limits.submitted(JobId(3), &of(7), ON)), Some(Limit::RunningPerUser(1)));
    turns.clear();
    limits.ended(JobId(0), &of(7), &mut turns);
    assert_eq!(
        turns,
        [HoldChange { job: JobId(1), considered: true }, HoldChange { job: JobId(3), considered: true }]
    );
}

#[test]
fn the_earliest_jobs_of_a_user_are_considered() {
    let mut limits = Limits::new(vec![QueueLimits { max_queued_per_user: Some(2), ..queue(&[]) }]);
    let of = |user| job(None, user, 2, 10);
    let seen: Vec<bool> = (0..3).map(|id| limits.submitted(JobId(id), &of(7), ON).is_none()).collect();
    assert_eq!(seen, [true, true, false]);
    let mut turns = Vec::new();
    limits.started(JobId(1), &of(7), ON, &mut turns);
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
    assert_eq!(
        limits.forbids(&of(7, 5, 61), ON),
        Some((Limit::RunTime(SimDuration::from_secs(60)), "short"))
    );
    assert_eq!(limits.forbids(&of(7, 4, 61), ON), None);
    for (id, user, qos) in [(0, 7, 5), (1, 7, 5), (2, 7, 4), (3, 8, 5)] {
        assert_eq!(limits.submitted(JobId(id), &of(user, qos, 10), ON), None);
    }
    let mut turns = Vec::new();
    limits.started(JobId(0), &of(7, 5, 10), ON, &mut turns);
    // the second job of the same user and quality of service
    assert_eq!(turns, [HoldChange { job: JobId(1), considered: false }]);
    assert_eq!(limits.holds_back(JobId(1), &of(7, 5, 10)), Some((Limit::RunningPerUser(1), "short")));
    turns.clear();
    limits.started(JobId(2), &of(7, 4, 10), ON, &mut turns);
    // the partition is full: the other user's job is held too
    assert_eq!(turns, [HoldChange { job: JobId(3), considered: false }]);
    assert_eq!(limits.holds_back(JobId(3), &of(8, 5, 10)), Some((Limit::Running(2), "batch")));
    turns.clear();
    limits.ended(JobId(0), &of(7, 5, 10), &mut turns);
    let free = |id| HoldChange { job: JobId(id), considered: true };
    assert_eq!(turns, [free(1), free(3)]);
}

#[test]
fn nodes_and_gpus_are_counted_as_they_are_held() {
    let mut limits = Limits::new(vec![
        QueueLimits { max_running_nodes: Some(4), max_gpus: Some(1), ..queue(&[1]) },
        QueueLimits { max_running_gpus_per_user: Some(2), max_nodes: Some(3), ..queue(&[]) },
    ]);
    limits.count_gpus_in(4);
    let of = |number, user| job(Some(number), user, 8, 10);
    let on = |nodes, gpus| Footprint { nodes, gpus };
    let forbids = |number, footprint| only(limits.forbids(&of(number, 7), footprint));
    // of four parts a GPU has, four are one
    assert_eq!([forbids(1, on(4, 4)), forbids(2, on(3, 8))], [None, None]);
    let met = [forbids(1, on(5, 0)), forbids(1, on(1, 5)), forbids(2, on(4, 0)), forbids(2, on(3, 9))];
    let limit =
        [Limit::RunningNodes(4), Limit::Gpus(1), Limit::Nodes(3), Limit::RunningGpusPerUser(2)].map(Some);
    assert_eq!(met, limit);

    // two jobs that need two nodes at least, and another user's of one; the first gets three
    for (id, user, nodes) in [(0, 7, 2), (1, 7, 2), (2, 8, 1)] {
        assert_eq!(limits.submitted(JobId(id), &of(1, user), on(nodes, 0)), None);
    }
    let mut turns = Vec::new();
    limits.started(JobId(0), &of(1, 7), on(3, 0), &mut turns);
    assert_eq!(turns, [HoldChange { job: JobId(1), considered: false }]);
    assert_eq!(only(limits.holds_back(JobId(1), &of(1, 7))), Some(Limit::RunningNodes(4)));
    assert_eq!(limits.nodes_left(&of(1, 8)), Some(1));
    turns.clear();
    limits.ended(JobId(0), &of(1, 7), &mut turns);
    assert_eq!(turns, [HoldChange { job: JobId(1), considered: true }]);
    assert_eq!(limits.nodes_left(&of(1, 8)), Some(4));

    // three and a half of the two GPUs of a user are one and three quarters: a half does not fit
    for (id, gpus) in [(3, 7), (4, 2), (5, 1)] {
        assert_eq!(limits.submitted(JobId(id), &of(2, 7), on(1, gpus)), None);
    }
    turns.clear();
    limits.started(JobId(3), &of(2, 7), on(1, 7), &mut turns);
    assert_eq!(turns, [HoldChange { job: JobId(4), considered: false }]);
    assert_eq!(only(limits.holds_back(JobId(4), &of(2, 7))), Some(Limit::RunningGpusPerUser(2)));
}

#[test]
fn a_job_that_is_passed_over_gets_another_turn() {
    let mut limits = Limits::new(vec![QueueLimits { max_nodes: Some(2), ..queue(&[]) }]);
    let (of, on) = (|user| job(None, user, 8, 10), Footprint { nodes: 2, gpus: 0 });
    for id in 0..3 {
        assert_eq!(limits.submitted(JobId(id), &of(id / 2), on), None);
    }
    let (mut turns, again) = (Vec::new(), HoldChange { job: JobId(0), considered: true });
    limits.passes_over(JobId(0), &of(0));
    assert_eq!(only(limits.holds_back(JobId(0), &of(0))), Some(Limit::Nodes(2)));
    limits.started(JobId(2), &of(1), on, &mut turns);
    assert_eq!(turns, [], "another user's start leaves it no more nodes of its own");
    limits.look_again(&mut turns);
    assert_eq!((&turns[..], limits.holds_back(JobId(0), &of(0))), (&[again][..], None));
    limits.passes_over(JobId(0), &of(0));
    turns.clear();
    limits.started(JobId(1), &of(0), on, &mut turns);
    assert_eq!(turns, [again]);
}

proptest! {
    #![proptest_config(crate::batch::tests::seeded(128))]
    #[test]
    fn a_job_is_considered_as_its_limits_say(
        limits in prop::collection::vec(prop::option::of(1_u64..5), 9),
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
            max_running_nodes: limits[5].map(|most| most + 3),
            max_running_nodes_per_user: limits[6].map(|most| most + 1),
            max_running_gpus: limits[7],
            max_running_gpus_per_user: limits[8],
            ..queue(numbers)
        };
        // a job may have more nodes than it needs, and a third of a GPU for each processor
        let needs = |job: &Job| Footprint { nodes: u64::from(job.procs).div_ceil(2), gpus: job.procs.into() };
        let has = |job: &Job| Footprint { nodes: job.procs.into(), ..needs(job) };
        let by_partition = |limits| QueueLimits { of: QueueOf::Partition, ..limits };
        let other = vec![by_partition(of(&[0], 2)), by_partition(of(&[1], 3))];
        let queues: Vec<QueueLimits> =
            [of(&[0], 0), of(&[1], 1)].into_iter().chain(other.into_iter().filter(|_| kinds == 2)).collect();
        let mut book = Limits::new(queues.clone());
        book.count_gpus_in(3);
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
                let limit = book.submitted(JobId(next as u32), &jobs[next], needs(&jobs[next]));
                waiting.insert(next, limit.is_none());
                next += 1;
            } else if step % 3 == 1 && !open.is_empty() {
                let place = open[step % open.len()];
                waiting.remove(&place);
                running.push(place);
                book.started(JobId(place as u32), &jobs[place], has(&jobs[place]), &mut turns);
            } else if !running.is_empty() {
                let place = running.remove(step % running.len());
                book.ended(JobId(place as u32), &jobs[place], &mut turns);
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
                    let nodes = |all: &[&usize]| all.iter().map(|other| has(&jobs[**other]).nodes).sum::<u64>();
                    let thirds = |all: &[&usize]| all.iter().map(|other| has(&jobs[**other]).gpus).sum::<u64>();
                    let procs = |all: Vec<&usize>| all.iter().map(|other| u64::from(jobs[**other].procs)).sum::<u64>();
                    let need = u64::from(job.procs);
                    let line: Vec<&usize> = running.iter().filter(same).collect();
                    let user: Vec<&usize> = running.iter().filter(mine).collect();
                    let ahead = expected.iter().filter(|one| *one.1 && mine(&one.0)).count() as u64;
                    let under = |used: u64, more: u64, most: Option<u64>| most.is_none_or(|most| used + more <= most);
                    fits &= under(line.len() as u64, 1, limits.max_running)
                        && under(user.len() as u64, 1, limits.max_running_per_user)
                        && under(ahead, 1, limits.max_queued_per_user)
                        && under(nodes(&line), needs(job).nodes, limits.max_running_nodes)
                        && under(nodes(&user), needs(job).nodes, limits.max_running_nodes_per_user)
                        && under(thirds(&line), needs(job).gpus, limits.max_running_gpus.map(|most| 3 * most))
                        && under(thirds(&user), needs(job).gpus, limits.max_running_gpus_per_user.map(|most| 3 * most))
                        && under(procs(line), need, limits.max_running_procs)
                        && under(procs(user), need, limits.max_running_procs_per_user);
                }
                expected.insert(place, fits);
            }
            prop_assert_eq!(&waiting, &expected);
        }
    }
}
