//! Runs with storages that have a limit: they keep it, and no tasks wait for each other.

use crate::estimate::predictions::SubTask;
use crate::heuristic::WorkqueueOrder;
use crate::kernel::SimTime;
use crate::kernel::rng::Streams;
use crate::model::application::Sweep;
use crate::model::grid::{ClusterNumber, SweepGrid};
use crate::plan::planner::Planner;
use crate::plan::settings::PlanSettings;
use crate::results::record::SweepOutcomes;
use crate::scheduler::interfaces::SweepScheduler;
use crate::scheduler::workqueue::WorkqueueScheduler;
use crate::workflow::FileNumber;

use super::{grid, lawful, random_case, run_with, secs, sweep, workqueue};

/// A storage never holds more than it can, files in progress included.
pub(super) fn within(outcomes: &SweepOutcomes, cluster: ClusterNumber, capacity: u64) {
    let present = &outcomes.grid.cluster(cluster).present;
    let mut changes: Vec<(SimTime, i128)> = Vec::new();
    for run in outcomes.transfers.iter().filter(|run| run.transfer.cluster == cluster) {
        let SubTask::Input(_) = run.transfer.file else { continue };
        changes.push((run.start, i128::from(run.bytes)));
        if run.end.is_none() {
            let mut at = run.start;
            while present.value_at(at) > 0.0 {
                let Some(next) = present.next_change(at) else { break };
                at = next;
            }
            changes.push((at, -i128::from(run.bytes)));
        }
    }
    for removal in outcomes.removals.iter().filter(|removal| removal.cluster == cluster) {
        changes.push((removal.at, -i128::from(outcomes.sweep.file(removal.file).bytes)));
    }
    changes.sort_unstable();
    let mut held = 0;
    for (at, change) in changes {
        held += change;
        assert!(held >= 0 && held as u64 <= capacity, "{held} of {capacity} bytes at {at}");
    }
}

/// A random case in which storages hold little: one of them what the largest task reads, or some
/// more.
pub(super) fn limited_case(case: u64) -> (SweepGrid, Sweep, PlanSettings) {
    let (mut grid, mut sweep, settings) = random_case(case);
    let mut stream = Streams::new(case, 3).stream("test");
    let sizes = |files: &[FileNumber]| files.iter().map(|file| sweep.file(*file).bytes).sum::<u64>();
    let of_tasks: Vec<u64> = sweep.tasks.iter().map(|task| sizes(&task.inputs)).collect();
    let most = of_tasks.iter().copied().max().unwrap_or(0);
    let enough = stream.below(grid.clusters.len() as u64) as usize;
    for (place, cluster) in grid.clusters.iter_mut().enumerate() {
        cluster.has_storage |= place == enough;
        cluster.capacity = match stream.below(4) {
            0 | 1 => Some(most),
            2 if place != enough => Some(of_tasks[stream.below(of_tasks.len() as u64) as usize]),
            _ => Some(most + stream.below(most + 1)),
        };
    }
    if case.is_multiple_of(3) {
        for file in &mut sweep.files {
            file.estimated = file.bytes / 2 + stream.below(file.bytes + 1);
        }
    }
    (grid, sweep, PlanSettings { keep: stream.below(3) as u32, ..settings })
}

#[test]
fn no_tasks_wait_for_each_other_in_storages_that_hold_little() {
    let mut removed = 0;
    for case in 0..300 {
        let (grid, sweep, settings) = limited_case(case);
        let discipline = settings.links;
        let outcomes = run_with(grid, sweep, Box::new(Planner::new(settings, Streams::new(case, 0))));
        lawful(&outcomes);
        removed += outcomes.removals.len();
        let (grid, sweep, _) = limited_case(case);
        let order = if case.is_multiple_of(2) { WorkqueueOrder::First } else { WorkqueueOrder::MostBytes };
        let outcomes = run_with(grid, sweep, Box::new(WorkqueueScheduler::new(order, discipline)));
        lawful(&outcomes);
        removed += outcomes.removals.len();
    }
    assert!(removed > 1_000, "storages are short: {removed}");
}

#[test]
fn storages_that_hold_everything_change_nothing() {
    let instants = |outcomes: SweepOutcomes| {
        assert!(outcomes.removals.is_empty());
        let tasks: Vec<_> =
            outcomes.tasks.iter().map(|task| (task.host, task.start, task.completed)).collect();
        (tasks, outcomes.transfers, outcomes.plans)
    };
    for case in 0..150 {
        let planned = |capacity: Option<u64>| {
            let (mut grid, sweep, settings) = random_case(case);
            grid.clusters.iter_mut().for_each(|cluster| cluster.capacity = capacity);
            let scheduler: Box<dyn SweepScheduler> = match case % 3 {
                0 => Box::new(WorkqueueScheduler::new(WorkqueueOrder::First, settings.links)),
                _ => Box::new(Planner::new(settings, Streams::new(case, 0))),
            };
            instants(run_with(grid, sweep, scheduler))
        };
        assert_eq!(planned(None), planned(Some(1_000_000_000)), "case {case}");
    }
}

#[test]
fn what_was_removed_is_sent_again_and_the_price_is_in_the_transfers() {
    // the first and the third task read one file, the second another, and the storage holds one of
    // them
    let sweep = sweep(&[100_000, 100_000], &[(&[0], 50.0, 0), (&[1], 50.0, 0), (&[0], 50.0, 0)]);
    let run = |capacity| {
        let mut grid = grid(&[(10e3, &[1.0])]);
        grid.clusters[0].capacity = capacity;
        run_with(grid, sweep.clone(), workqueue())
    };
    let (unlimited, limited) = (run(None), run(Some(150_000)));
    assert_eq!((secs(&unlimited), unlimited.transfers.len()), (170.0, 2));
    assert_eq!((secs(&limited), limited.transfers.len()), (180.0, 3));
    let removed: Vec<_> = limited.removals.iter().map(|one| (one.at.as_secs_f64(), one.file.0)).collect();
    assert_eq!(removed, [(60.0, 0), (120.0, 1)]);
}
