//! Limits of queues, held against runs that keep them and others that do not.

use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;
use crate::workload::resources::{
    Demand, DemandId, Demands, FeatureNames, Features, GpuChoice, GpuGroup, GpuKind, GpuLists, GpuShare,
    NodeKind, Nodes, Resources,
};

use super::super::{LimitTurn, QueueNumber, Row, row};
use super::{
    HeldBack, LimitBound, LimitCounts, LimitMeasure, LimitedQueue, LimitedQueues, Submitted, held_back,
};

fn queues(bounds: Vec<LimitBound>, considered: Option<u64>) -> LimitedQueues {
    LimitedQueues(vec![LimitedQueue {
        name: "batch".to_owned(),
        of: QueueNumber::Queue,
        numbers: Vec::new(),
        priority: 0.0,
        longest: None,
        largest: Vec::new(),
        bounds,
        considered,
    }])
}

/// Instant, whether a job is let through, and whether a start makes it so.
type Turned = (u64, bool, bool);

/// Jobs of one processor, all submitted at 0: user, start and end of each.
fn judged(queues: &LimitedQueues, runs: &[(u32, u64, u64)]) -> (Vec<Vec<Turned>>, Vec<String>) {
    let rows: Vec<Row> = (0_u32..)
        .zip(runs)
        .map(|(place, &(_, start, end))| Row {
            job: Some(JobId(place)),
            ..row(u64::from(place) + 1, 0, start, end - start, (place, place))
        })
        .collect();
    let job = |(number, &(user, ..)): (u64, &(u32, u64, u64))| {
        let mut job = Job::new(number, SimTime::ZERO, 1, SimDuration::from_nanos(9));
        job.user = user;
        job
    };
    let jobs: Vec<Job> = (1..).zip(runs).map(job).collect();
    let mut counts = LimitCounts::new(None, None);
    let found = by_limits((&rows, &jobs), queues, &mut counts);
    let turn = |turn: &LimitTurn| (turn.at.as_nanos(), turn.through, turn.by_start.is_some());
    (
        found.turns.iter().map(|turns| turns.iter().map(turn).collect()).collect(),
        found.violations.iter().map(ToString::to_string).collect(),
    )
}

/// One job of a user waits, as two with the three processors that it may have are interrupted, and
/// only one is considered at a time: it has room when both have left, and the first of these is
/// considered in its place if it waits again before.
#[test]
fn jobs_wait_again_one_by_one_or_when_all_that_are_interrupted_have_left() {
    let bound = LimitBound { measure: LimitMeasure::Procs, per_user: true, most: 3 };
    let of_user = queues(vec![bound], Some(1));
    let job = |number| Job::new(number, SimTime::ZERO, 1, SimDuration::from_nanos(9));
    let jobs = [1, 2, 3].map(job);
    let run = |job, considered, start, end, on| Row {
        job: Some(JobId(job)),
        considered: SimTime::from_nanos(considered),
        ..row(u64::from(job) + 1, 0, start, end - start, on)
    };
    let rows = [
        run(0, 0, 0, 10, (0, 0)),
        run(1, 0, 0, 10, (1, 2)),
        run(2, 0, 10, 20, (0, 1)),
        run(0, 10, 20, 30, (0, 0)),
        run(1, 10, 30, 40, (1, 2)),
    ];
    let jobs = Submitted { jobs: &jobs, ids: None };
    let found = |behind: usize, by_event: bool| {
        let mut counts = LimitCounts::new(None, None);
        let place = |row: &Row| match (row.number, row.end.as_nanos()) {
            (1, 10) => Some((0, behind)),
            (2, 10) => Some((1, 1 + behind)),
            _ => None,
        };
        let room = (Vec::new(), |_, _: &Row| true);
        let found = held_back(&rows, (&of_user, by_event), jobs, |row| counts.of(row), place, room);
        found.violations.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let one_by_one = found(0, false);
    assert_eq!(one_by_one.len(), 1, "{one_by_one:?}");
    assert!(one_by_one[0].contains("considers 1 waiting jobs of a user"), "{one_by_one:?}");
    assert_eq!(found(2, false), Vec::<String>::new());
    // where it is decided after each event, which of them is considered is not in the files
    assert_eq!(found(0, true), Vec::<String>::new());
}

/// Of a user one waiting job is considered, the second. At 10 the third is cancelled, and the first
/// comes, which waited for it: the second was considered before.
#[test]
fn cancellations_of_an_instant_come_before_jobs_that_come_at_it() {
    let of_user = queues(Vec::new(), Some(1));
    let job = |number| Job::new(number, SimTime::ZERO, 1, SimDuration::from_nanos(9));
    let jobs = [1, 2, 3].map(job);
    let run = |job, considered, start, on| Row {
        job: Some(JobId(job)),
        considered: SimTime::from_nanos(considered),
        ..row(u64::from(job) + 1, 0, start, 10, on)
    };
    let (first, second) = (run(0, 10, 30, (0, 0)), run(1, 0, 20, (1, 1)));
    let end = SimTime::from_nanos(10);
    let third = Row { cancelled: true, on: Vec::new(), start: end, end, ..run(2, 0, 10, (2, 2)) };
    let mut counts = LimitCounts::new(None, None);
    let found = by_limits((&[first, second, third], &jobs), &of_user, &mut counts);
    assert_eq!(found.violations, []);
}

#[test]
fn a_job_is_held_back_while_as_many_of_its_user_run_as_may() {
    let bound = LimitBound { measure: LimitMeasure::Jobs, per_user: true, most: 1 };
    let of_user = queues(vec![bound], None);
    // the second waits for the first, the third is of another user
    let (turns, violations) = judged(&of_user, &[(7, 0, 10), (7, 12, 20), (8, 0, 5)]);
    assert_eq!(turns, [vec![], vec![(0, false, true), (10, true, false)], vec![]]);
    assert_eq!(violations, Vec::<String>::new());
    let (_, violations) = judged(&of_user, &[(7, 0, 10), (7, 9, 20), (8, 0, 5)]);
    let what = "queue `batch` lets run 1 jobs of a user at a time";
    assert_eq!(violations, [format!("job 2 at 0.000000009 s: it starts, though {what}")]);
}

#[test]
fn processors_of_all_of_a_queue_are_counted_and_two_that_start_at_once_together() {
    let bound = LimitBound { measure: LimitMeasure::Procs, per_user: false, most: 2 };
    let of_all = queues(vec![bound], None);
    assert_eq!(judged(&of_all, &[(1, 0, 9), (2, 0, 9), (3, 9, 12)]).1.len(), 0);
    assert_eq!(judged(&of_all, &[(1, 0, 9), (2, 0, 9), (3, 0, 12)]).1.len(), 1);
    assert_eq!(judged(&of_all, &[(1, 0, 9), (2, 0, 9), (3, 8, 12)]).1.len(), 1);
}

#[test]
fn the_earliest_waiting_jobs_of_a_user_are_considered() {
    let one = queues(Vec::new(), Some(1));
    // the start of the first lets the second through, and so on
    let (turns, violations) = judged(&one, &[(7, 5, 10), (7, 5, 20), (7, 6, 9)]);
    assert_eq!(turns[1..], [vec![(0, false, false)], vec![(0, false, false), (5, true, true)]]);
    assert_eq!(violations, Vec::<String>::new());
    let (_, violations) = judged(&one, &[(7, 5, 10), (8, 0, 3), (7, 4, 9)]);
    assert_eq!(violations.len(), 1, "{violations:?}");
}

/// Three nodes of four processors, and a queue of jobs of number 2 with this bound; the rows, each
/// with the number of its queue.
fn on_nodes(bound: LimitBound, rows: &[(u16, Row)]) -> HeldBack {
    let site = site(&[]);
    let mut queues = queues(vec![bound], None);
    queues.0[0].numbers = vec![2];
    gone_through(&queues, rows, &site)
}

/// Three nodes of four processors, two of which have a GPU of four parts and one a small one of
/// two, and these demands.
fn site(asked: &[Demand]) -> Resources {
    let mut lists = GpuLists::default();
    let [large, small] = [("large", 4), ("small", 2)]
        .map(|(name, parts)| GpuGroup::plain(lists.kind(name).expect("few"), 1, parts));
    lists.set(vec![vec![large], vec![small]]);
    let (memory, features) = (NodeKind::ENDLESS, Features::NONE);
    let kind = |nodes| NodeKind { nodes, processors: 4, memory, gpus: 1, features };
    let nodes = Nodes::new(vec![kind(2), kind(1)], FeatureNames::default()).expect("some").with_gpus(lists);
    let mut demands = Demands::default();
    asked.iter().for_each(|demand| _ = demands.number(*demand));
    Resources { nodes, demands }
}

/// Turns by limits of these runs of jobs, where no job is passed over.
fn by_limits(
    (rows, jobs): (&[Row], &[Job]),
    queues: &LimitedQueues,
    counts: &mut LimitCounts<'_>,
) -> HeldBack {
    held_back(
        rows,
        (queues, false),
        Submitted { jobs, ids: None },
        |row| counts.of(row),
        |_| None,
        (Vec::new(), |_, _| true),
    )
}

fn gone_through(queues: &LimitedQueues, rows: &[(u16, Row)], site: &Resources) -> HeldBack {
    let job = |(queue, row): &(u16, Row)| {
        let job = Job::new(row.number, row.submit_time, row.procs, row.estimate);
        job.in_queue(Some(*queue), None)
    };
    let jobs: Vec<Job> = rows.iter().map(job).collect();
    let placed = |(place, (_, row)): (u32, &(u16, Row))| Row { job: Some(JobId(place)), ..row.clone() };
    let rows: Vec<Row> = (0..).zip(rows).map(placed).collect();
    let mut counts = LimitCounts::new(Some(queues), Some(site));
    by_limits((&rows, &jobs), queues, &mut counts)
}

/// The example of the manual: jobs 1 and 2 of no limited queue have three processors of the first
/// node until 60 and two of the second until 100. Job 3 of seven processors may have two nodes; job
/// 4 has one on each of the first two until 12.
#[test]
fn a_job_that_may_have_been_passed_over_is_in_doubt_until_it_starts() {
    let bound = LimitBound { measure: LimitMeasure::Nodes, per_user: false, most: 2 };
    let on = |row: Row, second: (u32, u32)| {
        let procs = row.procs + second.1 - second.0 + 1;
        let on = [&row.on[..], &[crate::collections::Interval::new(second.0, second.1)]].concat();
        Row { procs, on, ..row }
    };
    let rows = |third: (u32, u32)| {
        [
            (1, row(1, 0, 0, 60, (0, 2))),
            (1, row(2, 0, 0, 100, (4, 5))),
            (2, on(row(3, 1, 60, 10, (0, 3)), third)),
            (2, on(row(4, 2, 2, 10, (3, 3)), (6, 6))),
        ]
    };
    let found = on_nodes(bound, &rows((8, 10)));
    let turn = |turn: &LimitTurn| (turn.at.as_nanos(), turn.through, turn.by_start.is_some());
    let turns: Vec<Vec<Turned>> = found.turns.iter().map(|turns| turns.iter().map(turn).collect()).collect();
    // while job 4 runs the limit holds it back in any case
    let third = vec![(1, true, false), (2, false, true), (12, true, false), (60, true, false)];
    assert_eq!(turns, [vec![], vec![], third, vec![]]);
    let in_doubt: Vec<bool> = found.turns[2].iter().map(|turn| turn.in_doubt).collect();
    assert_eq!(in_doubt, [true, false, true, false]);
    assert!(found.violations.is_empty(), "{found:?}");
    // on one more node than may be
    let found = on_nodes(bound, &rows((7, 9)));
    let what = "queue `batch` lets run 2 nodes at a time";
    let found: Vec<String> = found.violations.iter().map(ToString::to_string).collect();
    assert_eq!(found, [format!("job 3 at 0.00000006 s: it starts, though {what}")]);
}

/// Two jobs that wait for the ends of others on nodes of which each has one processor.
#[test]
fn a_job_that_needs_all_the_nodes_that_it_may_have_is_never_in_doubt() {
    let bound = LimitBound { measure: LimitMeasure::Nodes, per_user: false, most: 2 };
    let rows = |start| {
        [(2, row(1, 0, 0, 9, (0, 0))), (2, row(2, 0, 0, 5, (1, 1))), (2, row(3, 0, start, 5, (2, 2)))]
    };
    let found = on_nodes(bound, &rows(5));
    assert!(found.violations.is_empty(), "{found:?}");
    let turned = |at, through, by: Option<u32>| LimitTurn {
        at: SimTime::from_nanos(at),
        through,
        in_doubt: false,
        by_start: by.map(JobId),
    };
    // two that share a node have one each
    assert_eq!(found.turns[2], [turned(0, false, Some(1)), turned(5, true, None)]);
    assert_eq!(on_nodes(bound, &rows(4)).violations.len(), 1);
}

#[test]
fn gpus_are_counted_in_parts_and_as_the_largest_until_a_job_has_them() {
    let of = |kind, parts| Demand { gpus: 1, gpu_choice: GpuChoice::parts(kind, parts), ..Demand::PLAIN };
    let large = GpuLists::default().kind("large").expect("few");
    let site = &site(&[of(large, 3), of(large, 2), of(GpuKind::ANY, 2)]);
    let mut demands = site.demands.clone();
    let [three, two, any] =
        [of(large, 3), of(large, 2), of(GpuKind::ANY, 2)].map(|demand| demands.number(demand));
    let run = |row: Row, demand: DemandId, gpus: &str| {
        (1, Row { demand, gpus: GpuShare::parse_all(gpus).expect("shares"), ..row })
    };
    let queues = queues(vec![LimitBound { measure: LimitMeasure::Gpus, per_user: false, most: 1 }], None);
    let broken = |rows: &[(u16, Row)]| {
        let found = gone_through(&queues, rows, site);
        assert!(found.turns.iter().flatten().all(|turn| !turn.in_doubt));
        found.violations.len()
    };
    // three parts of four and two are more than a GPU
    let pair =
        |start| [run(row(1, 0, 0, 9, (0, 0)), three, "0:3"), run(row(2, 0, start, 5, (4, 4)), two, "1:2")];
    assert_eq!([broken(&pair(9)), broken(&pair(8))], [0, 1]);
    // two parts of the small one are all of it, and of a large one half
    let small =
        |start| [run(row(1, 0, 0, 9, (4, 4)), two, "1:2"), run(row(2, 0, start, 9, (8, 8)), any, "2:2")];
    assert_eq!([broken(&small(9)), broken(&small(0))], [0, 1]);
    // the one of any kind counts as all of a small one until it has half a large one: it is first
    let both = [run(row(1, 0, 0, 9, (4, 4)), two, "1:2"), run(row(2, 0, 0, 9, (0, 0)), any, "0:2")];
    assert_eq!(broken(&both), 0);
    let later = [run(row(1, 0, 0, 9, (4, 4)), two, "1:2"), run(row(2, 0, 1, 9, (0, 0)), any, "0:2")];
    assert_eq!(broken(&later), 1);
}
