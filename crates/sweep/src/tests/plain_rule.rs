//! Plans against the rules as they are written: every task looked at on every host for every
//! choice, in columns that are plain lists.

use std::rc::Rc;

use crate::estimate::bounded::UniformEstimator;
use crate::estimate::known::{EstimateBasis, KnownSweep};
use crate::estimate::predictions::{PredictedHost, PredictedLink, PredictedValue, Predictions, SubTask};
use crate::estimate::{EstimateQuestion, Estimator};
use crate::heuristic::completion::Completions;
use crate::heuristic::{Heuristic, Rank, SufferageTwo};
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};
use crate::model::application::{Sweep, SweepFile, TaskTime};
use crate::model::grid::{ClusterNumber, HostNumber, LinkNumber};
use crate::model::storage::StoredFiles;
use crate::plan::chart::{Chart, ChartBasis, ClusterCompletion, CompletedWhen};
use crate::plan::fill::{FillTerms, FillUntil, fill};
use crate::plan::planner::Planner;
use crate::platform::Trace;
use crate::tests::joined::join;
use crate::tests::{
    ExtendedSufferage, JumpIn, MaxMinHeuristic, MinMinHeuristic, Randomized, Sufferage, XSufferage,
    add_origins, grid, random_case, run_with, sweep,
};
use crate::workflow::{FileNumber, TaskNumber};

/// A heuristic of which only the ranks are known.
#[derive(Debug)]
struct RanksAlone(Box<dyn Heuristic>);

impl Heuristic for RanksAlone {
    fn rank(&self, completions: &Completions<'_>) -> Rank {
        self.0.rank(completions)
    }

    fn looks_at_hosts(&self) -> bool {
        true
    }

    fn tolerance(&self) -> Option<f64> {
        self.0.tolerance()
    }
}

fn heuristics() -> Vec<Box<dyn Heuristic>> {
    let randomized = |of: Box<dyn Heuristic>| Box::new(Randomized { of, tolerance: 1e-2 });
    vec![
        Box::new(MinMinHeuristic),
        Box::new(MaxMinHeuristic),
        Box::new(Sufferage),
        Box::new(ExtendedSufferage { of: JumpIn::Jump }),
        Box::new(ExtendedSufferage { of: JumpIn::Groups }),
        Box::new(SufferageTwo),
        Box::new(XSufferage),
        randomized(Box::new(MinMinHeuristic)),
        randomized(Box::new(Sufferage)),
    ]
}

/// An application and a grid of which all that is predicted stays as it is.
struct Case {
    basis: ChartBasis,
    processors: Vec<u32>,
    storages: Vec<bool>,
    floor: u64,
}

impl Case {
    fn chart(&self) -> Chart {
        Chart::new(&self.basis, self.floor, self.processors.iter().copied(), self.storages.iter().copied())
    }
}

/// The cases in which all files are on one origin.
const FROM_ONE_ORIGIN: u64 = 80;
/// The cases in which no links lie between clusters.
const ON_LONE_CLUSTERS: u64 = 160;

/// Few values, so that much is equal, or many.
fn drawn(number: u64) -> Case {
    let mut stream = Streams::new(number, 0).stream("test");
    let is_coarse = stream.below(2) == 0;
    let mut below = |bound: u64| stream.below(bound);
    let step = if is_coarse { 20 } else { 1 };
    let size = |bound: u64, below: &mut dyn FnMut(u64) -> u64| 100 * (below(bound) / step * step);
    let files: Vec<u64> = (0..=below(12)).map(|_| size(400, &mut below)).collect();
    let mut tasks: Vec<(Vec<u32>, f64, u64)> = Vec::new();
    for _ in 0..=below(16) {
        let mut inputs: Vec<u32> = (0..below(6)).map(|_| below(files.len() as u64) as u32).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let drawn = (inputs, size(100, &mut below) as f64 / 50.0, size(200, &mut below));
        // equal tasks
        tasks.push(tasks.last().filter(|_| is_coarse && below(3) > 0).cloned().unwrap_or(drawn));
    }
    let tasks: Vec<(&[u32], f64, u64)> =
        tasks.iter().map(|(inputs, seconds, output)| (&inputs[..], *seconds, *output)).collect();
    let mut sweep = sweep(&files, &tasks);
    for task in 0..sweep.tasks.len() {
        // own inputs, and more outputs
        let add = |sweep: &mut Sweep, bytes: u64| {
            let file = SweepFile::new("g".into(), bytes);
            sweep.files.push(file);
            FileNumber(sweep.files.len() as u32 - 1)
        };
        let counts = if is_coarse { [number % 3, number % 2] } else { [below(3), below(2)] };
        let counts = if number % 4 == 3 { [counts[0], 3 * counts[1]] } else { counts };
        let [own, more] = counts.map(|count| -> Vec<FileNumber> {
            let mut bytes = || if is_coarse { 20_000 } else { size(300, &mut below) };
            (0..count).map(|_| add(&mut sweep, bytes())).collect()
        });
        let changed = &mut sweep.tasks[task];
        changed.inputs = changed.inputs.iter().copied().chain(own).collect();
        changed.outputs = changed.outputs.iter().copied().chain(more).collect();
        if !is_coarse && below(3) == 0 {
            let other = TaskTime { real: 0.0, estimated: (1 + below(100)) as f64 };
            changed.times =
                if below(2) == 0 { [changed.times[0], other].into() } else { changed.times.clone() };
        }
    }
    let rates = [0.25, 0.5, 0.5, 1.0, 1.0, 1.0, 0.0];
    let clusters: Vec<(f64, Vec<f64>)> = (0..=below(5))
        .map(|_| (1e3 * (1 + below(10)) as f64, (0..=below(5)).map(|_| rates[below(7) as usize]).collect()))
        .collect();
    let clusters: Vec<(f64, &[f64])> = clusters.iter().map(|(rate, hosts)| (*rate, &hosts[..])).collect();
    let mut grid = grid(&clusters);
    for cluster in &mut grid.clusters {
        cluster.latency = Trace::constant(below(2) as f64);
    }
    for host in &mut grid.hosts {
        host.architecture = below(2) as usize;
    }
    if number >= FROM_ONE_ORIGIN {
        let rate = |link: u64| (1e3 * (1 + (number + link) % 7) as f64, (link % 2) as f64);
        add_origins(&mut grid, &mut sweep, 1 + number as usize % 2, rate);
    }
    if number >= ON_LONE_CLUSTERS {
        for one in 0..grid.clusters.len() as u32 {
            for other in (0..one).filter(|other| !(number + u64::from(one + other)).is_multiple_of(3)) {
                let bandwidth = 1e3 * (1 + (number + u64::from(7 * one + other)) % 20) as f64;
                join(&mut grid, [one, other], bandwidth, (number % 2) as f64);
            }
        }
    }
    let streams = Streams::new(number, 1);
    let question = EstimateQuestion { planning: 0, now: SimTime::ZERO, grid: &grid, streams: &streams };
    let error = if below(4) == 0 { 0.5 } else { 0.0 };
    let predictions = UniformEstimator { error }.predictions(&question);
    let mut usage = vec![0; sweep.files.len()];
    for file in sweep.tasks.iter().flat_map(|task| &*task.inputs) {
        usage[file.index()] += 1;
    }
    let mut stored = StoredFiles::new(grid.clusters.len(), sweep.files.len());
    let storages: Vec<bool> = grid.clusters.iter().map(|_| below(4) > 0).collect();
    for cluster in grid.cluster_numbers().filter(|cluster| storages[cluster.index()]) {
        for _ in 0..below(12) {
            stored.store(cluster, FileNumber(below(sweep.files.len() as u64) as u32));
        }
    }
    Case {
        basis: ChartBasis {
            known: Rc::new(KnownSweep::new(Rc::new(sweep), EstimateBasis::File)),
            predictions: Rc::new(predictions),
            stored: Rc::new(stored),
            usage: usage.into(),
            cluster_of: grid.hosts.iter().map(|host| host.cluster).collect(),
            grid: Rc::new(grid.clone()),
            completed_when: if below(4) == 0 { CompletedWhen::Computed } else { CompletedWhen::Returned },
        },
        processors: grid.hosts.iter().map(|_| 1 + below(2) as u32).collect(),
        storages,
        floor: below(100) * 1_000_000_000,
    }
}

/// One host behind a link of 1 kB/s, whose cluster stores these files.
fn on_one_host(sweep: Sweep, files: &[u32]) -> Case {
    let mut stored = StoredFiles::new(1, sweep.files.len());
    files.iter().for_each(|file| stored.store(ClusterNumber(0), FileNumber(*file)));
    let known = KnownSweep::new(Rc::new(sweep), EstimateBasis::File);
    let users = (0..known.file_count() as u32).map(|file| known.users(FileNumber(file)).len() as u32);
    let (latency, bandwidth) = (PredictedValue::constant(0.0), PredictedValue::constant(1e3));
    let host = PredictedHost {
        availability: PredictedValue::constant(1.0),
        queue_wait: 0.0,
        speed: 1.0,
        architecture: 0,
    };
    let predictions = Predictions {
        planning: 0,
        links: vec![PredictedLink { latency, bandwidth }],
        hosts: vec![host],
        error: None,
    };
    Case {
        basis: ChartBasis {
            usage: users.collect(),
            known: Rc::new(known),
            predictions: Rc::new(predictions),
            stored: Rc::new(stored),
            cluster_of: [ClusterNumber(0)].into(),
            grid: Rc::new(grid(&[(1e3, &[1.0])])),
            completed_when: CompletedWhen::Returned,
        },
        processors: vec![1],
        storages: vec![true],
        floor: 0,
    }
}

/// A chart in plain lists.
#[derive(Clone)]
struct PlainChart {
    links: Vec<Vec<(u64, u64)>>,
    arrivals: Vec<Vec<Option<u64>>>,
    tails: Vec<Vec<u64>>,
}

/// Host, processor, start, end, completion.
type PlainSlot = (HostNumber, u32, u64, u64, u64);

impl PlainChart {
    fn new(case: &Case) -> Self {
        let known = &case.basis.known;
        let arrival = |cluster, file| case.basis.stored.is_stored(cluster, file).then_some(case.floor);
        let clusters = (0..case.storages.len() as u32).map(ClusterNumber);
        let files = || (0..known.file_count() as u32).map(FileNumber);
        PlainChart {
            links: vec![Vec::new(); case.basis.grid.link_count()],
            arrivals: clusters.map(|cluster| files().map(|file| arrival(cluster, file)).collect()).collect(),
            tails: case.processors.iter().map(|count| vec![case.floor; *count as usize]).collect(),
        }
    }

    /// Sends a file as soon as that is possible: an input from where it comes first.
    fn send(&mut self, case: &Case, cluster: ClusterNumber, file: SubTask, from: u64) -> Option<u64> {
        let (SubTask::Input(number) | SubTask::Output(number)) = file else { return None };
        let grid = &case.basis.grid;
        let mut routes = vec![(grid.link_of(case.basis.known.origin(number), cluster), from)];
        for &(link, source) in grid.neighbours(cluster) {
            let there =
                self.arrivals[source.index()][number.index()].filter(|_| case.storages[source.index()]);
            if let (Some(there), SubTask::Input(_)) = (there, file) {
                routes.push((link, from.max(there)));
            }
        }
        let ends: Vec<Option<u64>> =
            routes.iter().map(|(link, from)| self.clone().send_over(case, *link, file, *from)).collect();
        let first =
            (0..routes.len()).filter(|route| ends[*route].is_some()).min_by_key(|route| ends[*route])?;
        self.send_over(case, routes[first].0, file, routes[first].1)
    }

    fn send_over(&mut self, case: &Case, link: LinkNumber, file: SubTask, from: u64) -> Option<u64> {
        let (SubTask::Input(number) | SubTask::Output(number)) = file else { return None };
        let bytes = case.basis.known.bytes(number);
        let length = case.basis.predictions.transfer_end(link, file, bytes, 0)?;
        let link = &mut self.links[link.index()];
        // it starts at once, or when something ends
        let ends = link.iter().map(|span| span.1).filter(|end| *end >= from);
        let mut starts: Vec<u64> = ends.chain([from]).collect();
        starts.sort_unstable();
        let is_free = |start: &u64| !link.iter().any(|span| span.0 < start + length && *start < span.1);
        let start = starts.into_iter().find(is_free)?;
        link.push((start, start + length));
        Some(start + length)
    }

    /// Gives a task its slots on a host.
    fn place(&mut self, case: &Case, task: TaskNumber, host: HostNumber) -> Option<PlainSlot> {
        let (known, cluster) = (Rc::clone(&case.basis.known), case.basis.cluster_of[host.index()]);
        let mut inputs = known.inputs(task).to_vec();
        inputs.sort_by_key(|file| (std::cmp::Reverse(case.basis.usage[file.index()]), *file));
        let mut ready = case.floor;
        for file in inputs {
            let there =
                self.arrivals[cluster.index()][file.index()].filter(|_| case.storages[cluster.index()]);
            let arrival =
                there.map_or_else(|| self.send(case, cluster, SubTask::Input(file), case.floor), Some)?;
            self.arrivals[cluster.index()][file.index()] = Some(arrival);
            ready = ready.max(arrival);
        }
        let predictions = &case.basis.predictions;
        let tails = &mut self.tails[host.index()];
        let processor = (0..tails.len()).min_by_key(|processor| tails[*processor])?;
        let start = ready.max(tails[processor]);
        let seconds = known.seconds(task, predictions.hosts[host.index()].architecture)?;
        let end = predictions.computation_end(host, task, seconds, start)?;
        tails[processor] = end;
        let mut returned = end;
        for file in known.outputs(task) {
            returned = returned.max(self.send(case, cluster, SubTask::Output(*file), end)?);
        }
        let completion = if case.basis.completed_when == CompletedWhen::Returned { returned } else { end };
        Some((host, processor as u32, start, end, completion))
    }

    /// The best on a cluster, and the second end there with its completion.
    fn best_on(&self, case: &Case, task: TaskNumber, cluster: ClusterNumber) -> Option<ClusterCompletion> {
        let hosts = (0..case.processors.len() as u32).map(HostNumber);
        // a host that gets nothing done is left out
        let works = |host: &HostNumber| {
            case.basis.predictions.hosts[host.index()].availability.at(SimTime::ZERO) > 0.0
        };
        let hosts = hosts.filter(|host| case.basis.cluster_of[host.index()] == cluster && works(host));
        let mut slots: Vec<PlainSlot> =
            hosts.filter_map(|host| self.clone().place(case, task, host)).collect();
        slots.sort_by_key(|slot| (slot.4, slot.0));
        let (first, second) = (slots.first()?, slots.get(1));
        Some(ClusterCompletion {
            cluster,
            host: first.0,
            completion: first.4,
            second: second.map(|slot| slot.4),
        })
    }
}

/// The plan by the plain rule.
fn planned(
    case: &Case,
    heuristic: &dyn Heuristic,
    pick: &mut dyn FnMut(u64) -> u64,
) -> Vec<(TaskNumber, PlainSlot)> {
    let mut chart = PlainChart::new(case);
    let mut left: Vec<TaskNumber> = (0..case.basis.known.len() as u32).map(TaskNumber).collect();
    let mut slots = Vec::new();
    loop {
        let mut looked_at = Vec::new();
        for task in left {
            let clusters = (0..case.storages.len() as u32).map(ClusterNumber);
            let row: Vec<_> = clusters.map(|cluster| chart.best_on(case, task, cluster)).collect();
            if row.iter().any(Option::is_some) {
                let completions = Completions::new(&case.basis.known, task, &row);
                looked_at.push((task, heuristic.rank(&completions), completions.best().host));
            }
        }
        // of equal ranks the first task
        let Some(best) = looked_at.iter().rev().max_by_key(|(_, rank, _)| *rank).copied() else {
            return slots;
        };
        let (task, _, host) = match heuristic.tolerance() {
            None => best,
            Some(tolerance) => {
                let near = looked_at.iter().filter(|(_, rank, _)| rank.is_near(best.1, tolerance));
                let near: Vec<_> = near.collect();
                *near[pick(near.len() as u64) as usize]
            }
        };
        slots.push((task, chart.place(case, task, host).expect("it can have a slot")));
        left = looked_at.into_iter().map(|(task, ..)| task).filter(|other| *other != task).collect();
    }
}

#[test]
fn plans_are_those_of_the_plain_rule() {
    for number in 0..ON_LONE_CLUSTERS + 80 {
        let case = drawn(number);
        for heuristic in heuristics() {
            let draws = || Streams::new(number, 2).stream("test");
            let filled = |heuristic: &dyn Heuristic| {
                let (mut stream, mut chart) = (draws(), case.chart());
                let tasks: Vec<TaskNumber> = (0..case.basis.known.len() as u32).map(TaskNumber).collect();
                let terms = FillTerms {
                    until: FillUntil::Tasks(u64::MAX),
                    individually: number.is_multiple_of(2),
                    explained: number.is_multiple_of(3).then_some(TaskNumber(0)),
                };
                fill(&mut chart, &tasks, heuristic, terms, &mut |bound| stream.below(bound));
                chart
            };
            let chart = filled(&*heuristic);
            let slots = chart.slots().iter();
            let slots: Vec<_> = slots
                .map(|(task, slot)| {
                    (*task, (slot.host, slot.processor, slot.start, slot.end, slot.completion))
                })
                .collect();
            // of three outputs the last may end sooner if the first ends later: then the host that
            // computes first is not the best
            if number % 4 < 3 {
                let mut stream = draws();
                let plain = planned(&case, &*heuristic, &mut |bound| stream.below(bound));
                assert_eq!(slots, plain, "case {number}, {heuristic:?}");
            }
            let name = format!("{heuristic:?}");
            let ranked = filled(&RanksAlone(heuristic));
            assert_eq!(
                (chart.slots(), chart.looks()),
                (ranked.slots(), ranked.looks()),
                "case {number}, {name}"
            );
        }
    }
}

#[test]
fn tasks_whose_own_files_are_stored_on_one_cluster_are_looked_at_once() {
    let own = [0, 1, 2, 3, 4].map(|file| [file]);
    let tasks = own.each_ref().map(|inputs| (&inputs[..], 10.0, 1_000));
    // of the tasks 1 and 3 the own files are stored
    let case = on_one_host(sweep(&[2_000; 5], &tasks), &[1, 3]);
    let filled = |individually| {
        let mut chart = case.chart();
        let tasks: Vec<TaskNumber> = (0..5).map(TaskNumber).collect();
        let terms = FillTerms { until: FillUntil::Tasks(5), individually, explained: None };
        fill(&mut chart, &tasks, &MinMinHeuristic, terms, &mut |_| 0);
        let slots = chart.slots().iter().map(|(task, slot)| (*task, slot.completion));
        (slots.collect::<Vec<_>>(), chart.looks())
    };
    let plain = planned(&case, &MinMinHeuristic, &mut |_| 0);
    let plain: Vec<_> = plain.into_iter().map(|(task, slot)| (task, slot.4)).collect();
    assert_eq!(plain.iter().map(|(task, _)| task.0).collect::<Vec<_>>(), [1, 0, 2, 3, 4]);
    // two classes, of which one is left after the fourth slot and none after the last
    assert_eq!(filled(false), (plain.clone(), 2 + 2 + 2 + 2 + 1));
    assert_eq!(filled(true), (plain, 5 + 4 + 3 + 2 + 1));
}

#[test]
fn what_is_known_of_a_heuristic_leaves_runs_and_looks_as_they_are() {
    for number in 0..150 {
        let ran = |ranks_alone: bool| {
            let (grid, sweep, mut settings) = random_case(number);
            if ranks_alone {
                settings.heuristic = Box::new(RanksAlone(settings.heuristic));
            }
            let planner = Planner::new(settings, Streams::new(number, 0));
            let outcomes = run_with(grid, sweep, Box::new(planner));
            (outcomes.tasks, outcomes.transfers, outcomes.plans)
        };
        assert_eq!(ran(false), ran(true), "case {number}");
    }
}

#[test]
fn a_completion_may_fall_when_more_is_taken_but_not_below_its_bound() {
    // inputs of 5, 3 and 3 s into the gaps 1-8, 9-14, 15-16 and from 20 on
    let sweep = sweep(&[5_000, 3_000, 3_000, 1, 1, 1, 1], &[(&[0, 1, 2], 1.0, 0)]);
    let seconds = |secs: u64| SimDuration::from_secs(secs).as_nanos();
    let mut chart = on_one_host(sweep, &[]).chart();
    let inputs = [0, 1, 2].map(FileNumber);
    let mut looked = |taken: &[(u64, u64)]| {
        for (start, end) in taken {
            let column = &mut chart.links[0];
            column.insert(seconds(*start), seconds(*end), SubTask::Output(FileNumber(3)));
        }
        let (found, bound) = chart.look(TaskNumber(0), &inputs, ClusterNumber(0), false);
        (found.expect("it can run").completion, bound)
    };
    let before = looked(&[(0, 1), (8, 9), (14, 15), (16, 20)]);
    let after = looked(&[(4, 5)]);
    assert_eq!((before.0, after.0), (seconds(24), seconds(15)));
    assert!(before.1 <= after.0 && after.1 <= after.0);
}
