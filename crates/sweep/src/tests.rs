//! The worked examples of the model, and runs of small sweeps.

#![expect(clippy::float_cmp, reason = "worked out by hand, and exact")]

use std::rc::Rc;
use std::sync::Arc;

use crate::estimate::OutputSizes;
use crate::estimate::bounded::PerfectEstimator;
use crate::estimate::known::{EstimateBasis, KnownSweep};
use crate::heuristic::{
    DuplexHeuristic, ExtendedSufferage, Heuristic, Jump, JumpIn, MaxMinHeuristic, MinMinHeuristic,
    Randomized, Sufferage, SufferageTwo, WorkqueueOrder, XSufferage,
};
use crate::interval::constant::ConstantInterval;
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimError, SimTime, Simulation};
use crate::model::application::{Sweep, SweepFile, SweepTask, TaskTime};
use crate::model::grid::{
    ClusterNumber, FurtherLink, FurtherOrigin, OriginNumber, SweepCluster, SweepGrid, SweepHost,
};
use crate::plan::chart::CompletedWhen;
use crate::plan::planner::Planner;
use crate::plan::settings::{Delta, Fill, PlanSettings, PlanningTime};
use crate::plan::subset::AllTasks;
use crate::platform::Trace;
use crate::results::record::SweepOutcomes;
use crate::run::execution::execute;
use crate::run::running::SweepProblem;
use crate::scheduler::interfaces::SweepScheduler;
use crate::scheduler::link_queue::LinkDiscipline;
use crate::scheduler::workqueue::WorkqueueScheduler;
use crate::workflow::FileNumber;

pub(crate) use self::joined::joined_case;
pub(crate) use self::lawful::lawful;

mod joined;
mod jumps;
mod lawful;
mod plain_rule;
mod planning_time;
mod returns;
mod storages;

/// Clusters by bandwidth in bytes per second and the availabilities of their hosts.
pub(crate) fn grid(clusters: &[(f64, &[f64])]) -> SweepGrid {
    let mut grid = SweepGrid::default();
    for (place, (bandwidth, hosts)) in clusters.iter().enumerate() {
        let first = grid.hosts.len() as u32;
        for (rank, availability) in hosts.iter().enumerate() {
            grid.hosts.push(SweepHost {
                name: format!("{place}.{rank}"),
                cluster: ClusterNumber(place as u32),
                architecture: 0,
                speed: 1.0,
                processors: 1,
                availability: Trace::constant(*availability),
                present: Trace::constant(1.0),
                queue_wait: None,
            });
        }
        grid.clusters.push(SweepCluster {
            name: place.to_string(),
            bandwidth: Trace::constant(*bandwidth),
            latency: Trace::constant(0.0),
            present: Trace::constant(1.0),
            has_storage: true,
            capacity: None,
            prices: None,
            hosts: first..grid.hosts.len() as u32,
        });
    }
    grid
}

/// Further origins with a link to each cluster, of a bandwidth and a latency by number, and each
/// file on one of the origins in turn.
pub(crate) fn add_origins(
    grid: &mut SweepGrid,
    sweep: &mut Sweep,
    count: usize,
    rate: impl Fn(u64) -> (f64, f64),
) {
    for number in 0..count {
        let clusters = grid.cluster_numbers();
        let links = clusters.map(|cluster| {
            let (bandwidth, latency) = rate(grid.link_count() as u64);
            grid.add_link(FurtherLink {
                name: format!("further {number} to {}", cluster.0),
                cluster,
                other: None,
                bandwidth: Trace::constant(bandwidth),
                latency: Trace::constant(latency),
            })
        });
        let links = links.collect();
        grid.further_origins.push(FurtherOrigin { name: format!("further {number}"), links });
    }
    for (place, file) in (0..).zip(&mut sweep.files) {
        file.origin = OriginNumber(place % (count as u32 + 1));
    }
}

/// Tasks with inputs (by number), seconds and bytes of output; an output of no bytes is none.
pub(crate) fn sweep(files: &[u64], tasks: &[(&[u32], f64, u64)]) -> Sweep {
    let file = |bytes: u64| SweepFile::new(Arc::from("f"), bytes);
    let mut sweep = Sweep { files: files.iter().copied().map(file).collect(), tasks: Vec::new() };
    for (number, (inputs, seconds, output)) in tasks.iter().enumerate() {
        let outputs = if *output == 0 { vec![] } else { vec![FileNumber(sweep.files.len() as u32)] };
        if *output > 0 {
            sweep.files.push(file(*output));
        }
        sweep.tasks.push(SweepTask {
            name: Arc::from(number.to_string()),
            inputs: inputs.iter().copied().map(FileNumber).collect(),
            outputs: outputs.into(),
            times: [TaskTime { real: *seconds, estimated: *seconds }].into(),
            arrival: SimTime::ZERO,
        });
    }
    sweep
}

pub(crate) fn settings(heuristic: Box<dyn Heuristic>) -> PlanSettings {
    PlanSettings {
        heuristic,
        interval: Box::new(ConstantInterval { every: Some(SimDuration::MAX) }),
        subset: Box::new(AllTasks),
        fill: Fill::All,
        per_host: 4,
        delta: Delta::Interval,
        fixed_delta: None,
        keep: 1,
        links: LinkDiscipline::Greedy,
        steal: false,
        duplicate: false,
        planning: PlanningTime::Constant(SimDuration::ZERO),
        on_added: true,
        on_removed: false,
        on_idle: true,
        completed_when: CompletedWhen::Returned,
        individually: false,
    }
}

pub(crate) fn run_with(grid: SweepGrid, sweep: Sweep, scheduler: Box<dyn SweepScheduler>) -> SweepOutcomes {
    try_with(grid, sweep, scheduler).expect("it ends")
}

fn try_with(
    grid: SweepGrid,
    sweep: Sweep,
    scheduler: Box<dyn SweepScheduler>,
) -> Result<SweepOutcomes, SimError> {
    try_expecting(grid, sweep, scheduler, OutputSizes::Given)
}

pub(crate) fn try_expecting(
    grid: SweepGrid,
    sweep: Sweep,
    scheduler: Box<dyn SweepScheduler>,
    outputs: OutputSizes,
) -> Result<SweepOutcomes, SimError> {
    let sweep = Rc::new(sweep);
    let streams = Streams::new(7, 0);
    let problem = SweepProblem {
        known: Rc::new(KnownSweep::new(Rc::clone(&sweep), EstimateBasis::File).expecting(outputs)),
        sweep,
        grid: Rc::new(grid),
        streams,
        overdue: SimDuration::from_secs(10),
        progress: None,
    };
    let simulation = Simulation::with_streams(streams);
    execute(Rc::new(problem), scheduler, Box::new(PerfectEstimator), simulation, None)
}

pub(crate) fn run(grid: SweepGrid, sweep: Sweep, heuristic: Box<dyn Heuristic>) -> SweepOutcomes {
    run_with(grid, sweep, Box::new(Planner::new(settings(heuristic), Streams::new(7, 0))))
}

pub(crate) fn workqueue() -> Box<dyn SweepScheduler> {
    Box::new(WorkqueueScheduler::new(WorkqueueOrder::First, LinkDiscipline::Greedy))
}

pub(crate) fn secs(outcomes: &SweepOutcomes) -> f64 {
    outcomes.makespan().expect("all tasks are completed").as_secs_f64()
}

pub(crate) fn shared_files() -> (SweepGrid, Sweep) {
    let grid = grid(&[(10e3, &[1.0, 1.0]), (10e3, &[0.5, 0.5]), (5e3, &[1.0])]);
    let files = [200, 400, 40, 20, 20, 60, 20, 20].map(|size| size * 1_000);
    let sweep = sweep(
        &files,
        &[
            (&[0, 2], 60.0, 10_000),
            (&[1, 3], 40.0, 20_000),
            (&[0, 4], 50.0, 20_000),
            (&[1, 5], 50.0, 10_000),
            (&[0, 6], 40.0, 20_000),
            (&[1, 7], 50.0, 20_000),
        ],
    );
    (grid, sweep)
}

#[test]
fn heuristics_plan_six_tasks_with_shared_files_as_computed_by_hand() {
    let planned = |heuristic: Box<dyn Heuristic>| {
        let (grid, sweep) = shared_files();
        run(grid, sweep, heuristic).plans[0].end.as_secs_f64()
    };
    assert_eq!(planned(Box::new(MinMinHeuristic)), 167.0);
    assert_eq!(planned(Box::new(MaxMinHeuristic)), 144.0);
    assert_eq!(planned(Box::new(Sufferage)), 136.0);
    assert_eq!(planned(Box::new(ExtendedSufferage { of: JumpIn::Jump })), 148.0);
    assert_eq!(planned(Box::new(SufferageTwo)), 138.0);
    assert_eq!(planned(Box::new(XSufferage)), 138.0);
    assert_eq!(planned(Box::<DuplexHeuristic>::default()), 144.0);
    let (grid, sweep) = shared_files();
    assert_eq!(secs(&run_with(grid, sweep, workqueue())), 169.0);
}

#[test]
fn without_files_the_textbook_makespans_come_out() {
    let planned = |heuristic: Box<dyn Heuristic>| {
        let mut grid = grid(&[(1e9, &[1.0]), (1e9, &[1.0])]);
        grid.hosts[1].architecture = 1;
        let mut sweep = sweep(&[], &[(&[] as &[u32], 1.0, 0); 4]);
        for (task, times) in
            sweep.tasks.iter_mut().zip([[40.0, 50.0], [50.0, 80.0], [60.0, 70.0], [90.0, 40.0]])
        {
            task.times = times.map(|seconds| TaskTime { real: seconds, estimated: seconds }).into();
        }
        secs(&run(grid, sweep, heuristic))
    };
    assert_eq!(planned(Box::new(MinMinHeuristic)), 110.0);
    assert_eq!(planned(Box::new(MaxMinHeuristic)), 120.0);
    assert_eq!(planned(Box::new(Sufferage)), 110.0);
}

#[test]
fn jumps_are_the_first_differences_that_stand_out() {
    let jump = |values: &[u64]| Jump::first(values).map(|jump| (jump.height, jump.before));
    assert_eq!(jump(&[10, 12, 40, 41]), Some((28.0, 2)));
    assert_eq!(jump(&[10, 20, 30]), Some((10.0, 1)));
    assert_eq!(jump(&[5, 30, 31, 33, 60]), Some((27.0, 4)));
    assert_eq!(jump(&[100, 104, 300]), Some((196.0, 2)));
    assert_eq!(jump(&[7, 9]), Some((2.0, 1)));
    assert_eq!(jump(&[7]), None);
}

#[test]
fn one_task_on_half_a_host_takes_twice_its_time() {
    let sweep = sweep(&[50_000, 30_000], &[(&[0, 1], 100.0, 20_000)]);
    assert_eq!(secs(&run(grid(&[(10e3, &[0.5])]), sweep.clone(), Box::new(MinMinHeuristic))), 210.0);
    assert_eq!(secs(&run_with(grid(&[(10e3, &[0.5])]), sweep, workqueue())), 210.0);
}

#[test]
fn a_shared_file_is_sent_once() {
    for workqueue_alone in [false, true] {
        let sweep = sweep(&[100_000], &[(&[0], 50.0, 10_000), (&[0], 50.0, 10_000)]);
        let grid = grid(&[(10e3, &[1.0, 1.0])]);
        let outcomes = if workqueue_alone {
            run_with(grid, sweep, workqueue())
        } else {
            run(grid, sweep, Box::new(MinMinHeuristic))
        };
        let instants = |of: fn(&crate::results::record::ExecutedSweepTask) -> Option<SimTime>| {
            outcomes.tasks.iter().map(|task| of(task).expect("it is done").as_secs_f64()).collect::<Vec<_>>()
        };
        assert_eq!(instants(|task| task.start), [10.0, 10.0]);
        assert_eq!(instants(|task| task.end), [60.0, 60.0]);
        assert_eq!(instants(|task| task.completed), [61.0, 62.0]);
        assert_eq!(outcomes.transfers.len(), 3);
    }
}

#[test]
fn randomized_forms_are_about_as_good() {
    let (grid, sweep) = shared_files();
    let randomized = Randomized { of: Box::new(MinMinHeuristic), tolerance: 1e-6 };
    let makespan = secs(&run(grid, sweep, Box::new(randomized)));
    assert!((100.0..200.0).contains(&makespan), "{makespan}");
}

/// A presence that goes to 0 and comes back a few times.
fn flapping(stream: &mut crate::kernel::rng::Stream) -> Trace {
    let mut at = SimTime::ZERO;
    let mut points = Vec::new();
    for value in [0.0, 1.0, 0.0, 1.0] {
        at += SimDuration::from_secs(1 + stream.below(120));
        points.push((at, value));
    }
    Trace::new(&points, None).expect("rising times").before(1.0)
}

pub(crate) fn random_case(case: u64) -> (SweepGrid, Sweep, PlanSettings) {
    let mut stream = Streams::new(case, 0).stream("test");
    let mut below = |bound: u64| stream.below(bound);
    let clusters: Vec<(f64, Vec<f64>)> = (0..=below(3))
        .map(|_| {
            let bandwidth = 1e3 * (1 + below(20)) as f64;
            (bandwidth, (0..=below(4)).map(|_| (1 + below(10)) as f64 / 10.0).collect())
        })
        .collect();
    let clusters: Vec<(f64, &[f64])> = clusters.iter().map(|(rate, hosts)| (*rate, &hosts[..])).collect();
    let mut grid = grid(&clusters);
    let files: Vec<u64> = (0..=below(8)).map(|_| 1_000 * below(200)).collect();
    let tasks: Vec<(Vec<u32>, f64, u64)> = (0..=below(25))
        .map(|_| {
            let mut inputs: Vec<u32> = (0..below(4)).map(|_| below(files.len() as u64) as u32).collect();
            inputs.sort_unstable();
            inputs.dedup();
            (inputs, (1 + below(100)) as f64, 1_000 * below(50))
        })
        .collect();
    let tasks: Vec<(&[u32], f64, u64)> =
        tasks.iter().map(|(inputs, seconds, output)| (&inputs[..], *seconds, *output)).collect();
    let mut sweep = sweep(&files, &tasks);
    for task in &mut sweep.tasks {
        task.arrival = SimTime::ZERO + SimDuration::from_secs(if below(3) == 0 { below(200) } else { 0 });
    }
    let heuristic: Box<dyn Heuristic> = match below(7) {
        0 => Box::new(MinMinHeuristic),
        1 => Box::new(MaxMinHeuristic),
        2 => Box::new(Sufferage),
        3 => Box::new(XSufferage),
        4 => Box::new(SufferageTwo),
        5 => Box::new(Randomized { of: Box::new(MinMinHeuristic), tolerance: 1e-6 }),
        _ => Box::new(ExtendedSufferage { of: JumpIn::Groups }),
    };
    let settings = PlanSettings {
        interval: Box::new(ConstantInterval { every: Some(SimDuration::from_secs(10 + below(300))) }),
        fill: [Fill::All, Fill::Horizon, Fill::Proportional][below(3) as usize],
        keep: below(3) as u32,
        links: [LinkDiscipline::Greedy, LinkDiscipline::InOrder, LinkDiscipline::Hybrid][below(3) as usize],
        steal: below(2) == 0,
        planning: PlanningTime::Constant(SimDuration::from_secs(below(3) * 7)),
        on_removed: below(2) == 0,
        ..settings(heuristic)
    };
    if below(2) == 0 {
        let mut stream = Streams::new(case, 1).stream("test");
        for host in &mut grid.hosts {
            if stream.below(2) == 0 {
                host.present = flapping(&mut stream);
            }
        }
        for cluster in &mut grid.clusters {
            if stream.below(3) == 0 {
                cluster.present = flapping(&mut stream);
            }
        }
    }
    if case % 6 == 1 {
        add_origins(&mut grid, &mut sweep, 1 + case as usize % 2, |link| (500.0 * (1 + link) as f64, 1.0));
    }
    if case.is_multiple_of(5) {
        grid.clusters[0].has_storage = false;
    }
    (grid, sweep, settings)
}

#[test]
fn runs_are_lawful_whatever_is_planned_and_whatever_fails() {
    for case in 0..300 {
        let (grid, sweep, settings) = random_case(case);
        let outcomes = run_with(grid, sweep, Box::new(Planner::new(settings, Streams::new(case, 0))));
        lawful(&outcomes);
        let (grid, sweep, settings) = random_case(case);
        let order = if case.is_multiple_of(2) { WorkqueueOrder::First } else { WorkqueueOrder::MostBytes };
        let outcomes = run_with(grid, sweep, Box::new(WorkqueueScheduler::new(order, settings.links)));
        lawful(&outcomes);
    }
}

#[test]
fn classes_of_equal_tasks_leave_the_plan_as_it_is() {
    for case in 0..60 {
        let planned = |individually: bool| {
            let (grid, mut sweep, settings) = random_case(case);
            let bytes = sweep.files.first().map_or(0, |file| file.bytes);
            sweep.files.iter_mut().for_each(|file| (file.bytes, file.estimated) = (bytes, bytes));
            for task in &mut sweep.tasks {
                task.times = [TaskTime { real: 50.0, estimated: 50.0 }].into();
            }
            let settings = PlanSettings { individually, ..settings };
            let outcomes = run_with(grid, sweep, Box::new(Planner::new(settings, Streams::new(case, 0))));
            outcomes.tasks.iter().map(|task| (task.host, task.start, task.completed)).collect::<Vec<_>>()
        };
        assert_eq!(planned(false), planned(true), "case {case}");
    }
}

pub(crate) fn secs_at(secs: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_secs(secs)
}

/// Two tasks of 80 s on one host.
fn two_on_one() -> (SweepGrid, Sweep) {
    (grid(&[(10e3, &[1.0])]), sweep(&[], &[(&[] as &[u32], 80.0, 0); 2]))
}

#[test]
fn a_task_that_would_start_when_nothing_is_available_any_more_has_no_slot() {
    // also where a plan is always being made
    for (heuristic, planning) in [
        (Box::new(MinMinHeuristic) as Box<dyn Heuristic>, 0),
        (Box::new(XSufferage), 0),
        (Box::new(XSufferage), 9),
    ] {
        let (mut grid, sweep) = two_on_one();
        let ends = [(secs_at(0), 1.0), (secs_at(100), 0.0)];
        grid.hosts[0].availability = Trace::new(&ends, None).expect("a trace");
        let planning = PlanningTime::Constant(SimDuration::from_secs(planning));
        let planner = Planner::new(PlanSettings { planning, ..settings(heuristic) }, Streams::new(7, 0));
        let why = try_with(grid, sweep, Box::new(planner)).expect_err("one task never ends").to_string();
        assert!(why.contains("1 task is not completed: task `1` has waited for a host since 0 s"), "{why}");
    }
}

#[test]
fn hosts_that_come_later_are_waited_for() {
    for every in [None, Some(SimDuration::from_secs(100))] {
        for on_added in [false, true] {
            let (mut grid, sweep) = two_on_one();
            grid.hosts[0].present =
                Trace::new(&[(secs_at(5_000_000), 1.0)], None).expect("a trace").before(0.0);
            let settings = PlanSettings {
                interval: Box::new(ConstantInterval { every }),
                on_added,
                ..settings(Box::new(MinMinHeuristic))
            };
            let outcomes = run_with(grid, sweep, Box::new(Planner::new(settings, Streams::new(7, 0))));
            assert_eq!(secs(&outcomes), 5_000_160.0);
        }
    }
}

#[test]
fn tasks_that_take_no_time_are_planned_once_in_a_while() {
    let settings = PlanSettings {
        interval: Box::new(ConstantInterval { every: None }),
        ..settings(Box::new(MinMinHeuristic))
    };
    let sweep = sweep(&[1_000_000], &[(&[0], 0.0, 0), (&[0], 0.0, 0)]);
    let planner = Box::new(Planner::new(settings, Streams::new(7, 0)));
    let outcomes = run_with(grid(&[(10e3, &[1.0])]), sweep, planner);
    assert_eq!((secs(&outcomes), outcomes.plans.len()), (100.0, 2));
}
