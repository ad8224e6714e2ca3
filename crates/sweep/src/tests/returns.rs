//! Hosts and clusters that leave and return at one instant: nothing that was in progress there goes
//! on.

use super::{
    LinkDiscipline, PlanSettings, Planner, SimTime, Streams, Trace, WorkqueueOrder, WorkqueueScheduler,
    lawful, random_case, run_with, secs_at,
};
use crate::kernel::rng::Stream;
use crate::results::record::SweepOutcomes;

/// A state that leaves and returns at some instants.
fn blinking(stream: &mut Stream) -> (Trace, Vec<SimTime>) {
    let mut instants: Vec<SimTime> = (0..=stream.below(4)).map(|_| secs_at(1 + stream.below(200))).collect();
    instants.sort_unstable();
    instants.dedup();
    let points = instants.iter().flat_map(|at| [(*at, 0.0), (*at, 1.0)]);
    let points: Vec<(SimTime, f64)> = points.collect();
    (Trace::states(&points, None).expect("a state").before(1.0), instants)
}

#[test]
fn nothing_goes_on_over_an_instant_at_which_its_host_or_cluster_leaves_and_returns() {
    let (mut lost, mut broken_off) = (0, 0);
    for case in 0..150 {
        let mut stream = Streams::new(case, 2).stream("test");
        let (mut grid, sweep, _) = random_case(case);
        let mut away = |state: &mut Trace| {
            let (blinking, instants) = blinking(&mut stream);
            if stream.below(2) == 0 {
                Vec::new()
            } else {
                *state = blinking;
                instants
            }
        };
        let clusters: Vec<Vec<SimTime>> =
            grid.clusters.iter_mut().map(|cluster| away(&mut cluster.present)).collect();
        let hosts: Vec<Vec<SimTime>> = grid.hosts.iter_mut().map(|host| away(&mut host.present)).collect();
        let planned = |duplicate| {
            let (_, _, settings) = random_case(case);
            let settings = PlanSettings { duplicate, ..settings };
            Box::new(Planner::new(settings, Streams::new(case, 0)))
        };
        let queue = WorkqueueScheduler::new(WorkqueueOrder::First, LinkDiscipline::Greedy);
        let runs: [SweepOutcomes; 3] = [
            run_with(grid.clone(), sweep.clone(), planned(false)),
            run_with(grid.clone(), sweep.clone(), planned(true)),
            run_with(grid.clone(), sweep.clone(), Box::new(queue)),
        ];
        for outcomes in &runs {
            lawful(outcomes);
            let is_over = |instants: &[SimTime], start: SimTime, end: SimTime| {
                instants.iter().any(|at| start < *at && *at < end)
            };
            for task in &outcomes.tasks {
                let (Some(host), Some(start), Some(end)) = (task.host, task.start, task.end) else {
                    panic!("case {case}: a task is not done")
                };
                let cluster = grid.host(host).cluster.index();
                assert!(!is_over(&hosts[host.index()], start, end), "case {case}: {task:?}");
                assert!(!is_over(&clusters[cluster], start, end), "case {case}: {task:?}");
            }
            for run in &outcomes.transfers {
                broken_off += usize::from(run.end.is_none());
                let (one, other) = grid.clusters_of_link(run.transfer.link);
                for cluster in other.into_iter().chain([one]) {
                    let end = run.end.unwrap_or(run.start);
                    assert!(!is_over(&clusters[cluster.index()], run.start, end), "case {case}: {run:?}");
                }
            }
            lost += outcomes.failed;
        }
    }
    assert!(lost > 100 && broken_off > 20, "{lost} computations lost, {broken_off} transfers broken off");
}
