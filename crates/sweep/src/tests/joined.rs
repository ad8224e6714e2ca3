//! Runs on clusters that links join.

use crate::heuristic::{MinMinHeuristic, WorkqueueOrder};
use crate::kernel::SimTime;
use crate::kernel::rng::Streams;
use crate::model::application::Sweep;
use crate::model::grid::{ClusterNumber, FurtherLink, SweepGrid};
use crate::plan::planner::Planner;
use crate::plan::settings::PlanSettings;
use crate::platform::Trace;
use crate::results::record::SweepOutcomes;
use crate::scheduler::link_queue::LinkDiscipline;
use crate::scheduler::workqueue::WorkqueueScheduler;

use super::{grid, lawful, random_case, run, run_with, secs_at, storages, sweep, workqueue};

/// Joins two clusters by a link of so many bytes per second.
pub(super) fn join(grid: &mut SweepGrid, [one, other]: [u32; 2], bandwidth: f64, latency: f64) {
    grid.add_link(FurtherLink {
        name: format!("{one} to {other}"),
        cluster: ClusterNumber(one),
        other: Some(ClusterNumber(other)),
        bandwidth: Trace::constant(bandwidth),
        latency: Trace::constant(latency),
    });
}

/// Joins some pairs of clusters, by links that are mostly faster than those of their origins.
fn join_some(grid: &mut SweepGrid, case: u64) {
    let mut stream = Streams::new(case, 5).stream("test");
    for one in 0..grid.clusters.len() as u32 {
        for other in 0..one {
            if stream.below(3) > 0 {
                join(grid, [one, other], 1e3 * (1 + stream.below(60)) as f64, stream.below(2) as f64);
            }
        }
    }
}

/// A random case on joined clusters, in turn with second copies and with storages that hold little.
pub(crate) fn joined_case(case: u64) -> (SweepGrid, Sweep, PlanSettings) {
    let (mut grid, sweep, settings) =
        if case % 3 == 2 { storages::limited_case(case) } else { random_case(case) };
    join_some(&mut grid, case);
    (grid, sweep, PlanSettings { duplicate: case % 3 == 1, ..settings })
}

fn copies(outcomes: &SweepOutcomes) -> usize {
    outcomes.transfers.iter().filter(|run| outcomes.source_of(run).is_some()).count()
}

/// Two tasks that read one file of 100 kB, one for each host: one behind 1 kB/s, the other behind
/// 0.5 kB/s.
fn two_clusters() -> (SweepGrid, Sweep) {
    let mut grid = grid(&[(1e3, &[1.0]), (0.5e3, &[1.0])]);
    join(&mut grid, [0, 1], 10e3, 0.0);
    (grid, sweep(&[100_000], &[(&[0], 200.0, 0), (&[0], 200.0, 0)]))
}

/// Start and end of each transfer of a file, and true if it came from another cluster.
fn carried(outcomes: &SweepOutcomes) -> Vec<(f64, Option<f64>, bool)> {
    let runs = outcomes.transfers.iter();
    runs.map(|run| {
        let end = run.end.map(SimTime::as_secs_f64);
        (run.start.as_secs_f64(), end, outcomes.source_of(run).is_some())
    })
    .collect()
}

#[test]
fn a_file_comes_from_the_cluster_that_gets_it_first() {
    let (grid, sweep) = two_clusters();
    let outcomes = run(grid, sweep, Box::new(MinMinHeuristic));
    // 100 s from the origin, and 10 s from there; 200 s from the origin
    assert_eq!(carried(&outcomes), [(0.0, Some(100.0), false), (100.0, Some(110.0), true)]);
    assert_eq!(outcomes.plans[0].end, secs_at(310));
    let starts: Vec<_> = outcomes.tasks.iter().map(|task| task.start).collect();
    assert_eq!(starts, [Some(secs_at(100)), Some(secs_at(110))]);
}

#[test]
fn a_workqueue_takes_a_file_from_where_it_comes_first() {
    let (grid, mut sweep) = two_clusters();
    // nothing has it when the first two begin
    assert_eq!(copies(&run_with(grid, sweep.clone(), workqueue())), 0);
    let (grid, _) = two_clusters();
    sweep.tasks[1].arrival = secs_at(150);
    let outcomes = run_with(grid, sweep, workqueue());
    assert_eq!(carried(&outcomes), [(0.0, Some(100.0), false), (150.0, Some(160.0), true)]);
}

#[test]
fn a_second_copy_takes_a_file_from_where_it_comes_first() {
    let mut grid = grid(&[(10e3, &[0.1]), (1e3, &[1.0])]);
    let sweep = sweep(&[100_000], &[(&[0], 20.0, 0), (&[], 30.0, 0)]);
    let run = |grid: &SweepGrid| {
        let scheduler = WorkqueueScheduler::new(WorkqueueOrder::First, LinkDiscipline::Greedy);
        run_with(grid.clone(), sweep.clone(), Box::new(scheduler.duplicating(true)))
    };
    // 100 s from the origin; 1 s from the other cluster, which has had it since 10 s
    let alone = run(&grid);
    assert_eq!(carried(&alone), [(0.0, Some(10.0), false), (30.0, Some(130.0), false)]);
    assert_eq!((alone.tasks[0].end, alone.duplicates), (Some(secs_at(150)), 1));
    join(&mut grid, [0, 1], 100e3, 0.0);
    let joined = run(&grid);
    assert_eq!(carried(&joined), [(0.0, Some(10.0), false), (30.0, Some(31.0), true)]);
    assert_eq!((joined.tasks[0].end, joined.duplicates), (Some(secs_at(51)), 1));
    lawful(&joined);
}

#[test]
fn what_a_cluster_cannot_send_on_any_more_comes_from_the_origin() {
    // the first cluster leaves before it has the file, and while it sends it
    for (leaves, broken_off) in [(50, (0.0, None, false)), (105, (100.0, None, true))] {
        let (mut grid, sweep) = two_clusters();
        grid.clusters[0].present =
            Trace::new(&[(secs_at(0), 1.0), (secs_at(leaves), 0.0)], None).expect("a trace");
        let outcomes = run(grid, sweep, Box::new(MinMinHeuristic));
        let runs = carried(&outcomes);
        assert!(runs.contains(&broken_off), "{runs:?}");
        let leaves = leaves as f64;
        assert_eq!(runs.last(), Some(&(leaves, Some(leaves + 200.0), false)));
        lawful(&outcomes);
    }
}

#[test]
fn runs_on_joined_clusters_are_lawful_whatever_fails_and_whatever_storages_hold() {
    let (mut sent_on, mut removed) = (0, 0);
    for case in 0..300 {
        let drawn = || joined_case(case);
        let (grid, sweep, settings) = drawn();
        let outcomes = run_with(grid, sweep, Box::new(Planner::new(settings, Streams::new(case, 0))));
        lawful(&outcomes);
        (sent_on, removed) = (sent_on + copies(&outcomes), removed + outcomes.removals.len());
        let (grid, sweep, settings) = drawn();
        let order = if case.is_multiple_of(2) { WorkqueueOrder::First } else { WorkqueueOrder::MostBytes };
        let scheduler = WorkqueueScheduler::new(order, settings.links).duplicating(settings.duplicate);
        let outcomes = run_with(grid, sweep, Box::new(scheduler));
        lawful(&outcomes);
        (sent_on, removed) = (sent_on + copies(&outcomes), removed + outcomes.removals.len());
    }
    assert!(sent_on > 300 && removed > 300, "{sent_on} sent on, {removed} removed");
}

#[test]
fn links_between_clusters_keep_the_order_of_the_plan_where_they_wait() {
    for case in 0..100 {
        let (mut grid, sweep, settings) = random_case(case);
        join_some(&mut grid, case);
        let settings = PlanSettings { links: LinkDiscipline::InOrder, ..settings };
        let outcomes = run_with(grid, sweep, Box::new(Planner::new(settings, Streams::new(case, 0))));
        if outcomes.plans.len() > 1 || outcomes.failed > 0 {
            continue;
        }
        for link in outcomes.grid.link_numbers() {
            let on = outcomes.transfers.iter().filter(|run| run.transfer.link == link);
            let planned: Vec<_> = on.filter_map(|run| run.planned).collect();
            assert!(planned.is_sorted(), "case {case}: {planned:?}");
        }
    }
}

#[test]
fn classes_of_equal_tasks_on_joined_clusters_leave_the_plan_as_it_is() {
    for case in 0..60 {
        let planned = |individually: bool| {
            let (mut grid, mut sweep, settings) = random_case(case);
            join_some(&mut grid, case);
            for task in &mut sweep.tasks {
                let time = crate::model::application::TaskTime { real: 50.0, estimated: 50.0 };
                task.times = [time].into();
            }
            let settings = PlanSettings { individually, ..settings };
            let outcomes = run_with(grid, sweep, Box::new(Planner::new(settings, Streams::new(case, 0))));
            outcomes.tasks.iter().map(|task| (task.host, task.start, task.completed)).collect::<Vec<_>>()
        };
        assert_eq!(planned(false), planned(true), "case {case}");
    }
}
