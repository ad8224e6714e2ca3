//! Parameter sweeps: what plans, whole runs and the reading of applications take, and how plans
//! grow.
//!
//! `cargo bench --bench sweeps` prints the table: seconds of processor time of each piece of work,
//! what it is to stay below, and one task's share of it in events of the bare loop, which takes
//! turns with the rows. Then the growth of plans in tasks, hosts, clusters and files, as exponents.
//! `-- TEXT` runs only the rows whose name holds TEXT, `-- growth` only the last part; `--quick`
//! leaves the large rows out and does each once. `-- --count ROW` does the work of one row once,
//! for instruction counts and profiles.
//!
//! Figure 11 is the experiment of the template's report: 400 tasks in chunks of 50 that share a
//! file, 22 hosts in three clusters. The other grids have 1,000 hosts in 20 clusters behind links
//! of 200 kB/s; the hosts of a cluster are alike, from 30 to 100 % available by cluster, but for
//! the row with unlike hosts. A task has one shared file of 4.8 MB in chunks of 50, two inputs of
//! its own and an output of about 10 kB, and takes about 100 s. In *classes* own files and times
//! are equal within a chunk.
//!
//! Memory is that of the program itself, run by this one as `clustersim run`: application, plans,
//! execution, all files and the report.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark reads the wall clock; nothing here is a result of a model"
)]
#![expect(clippy::disallowed_methods, reason = "the bare loop draws with the machine's own logarithm")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

#[expect(dead_code, reason = "shared with the kernel's rows, which use more of it")]
mod bare;
mod table;

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

use bare::Source;
use clustersim_kernel::rng::Streams;
use clustersim_kernel::{SimDuration, SimTime, Simulation};
use clustersim_platform::Trace;
use clustersim_sweep::LinkDiscipline;
use clustersim_sweep::estimate::bounded::PerfectEstimator;
use clustersim_sweep::estimate::known::{EstimateBasis, KnownSweep};
use clustersim_sweep::estimate::predictions::{PredictedHost, PredictedLink, PredictedValue, Predictions};
use clustersim_sweep::heuristic::{
    ExtendedSufferage, Heuristic, JumpIn, MaxMinHeuristic, MinMinHeuristic, Randomized, Sufferage,
    SufferageTwo, WorkqueueOrder, XSufferage,
};
use clustersim_sweep::interval::constant::ConstantInterval;
use clustersim_sweep::model::application::{Sweep, SweepFile, SweepTask, TaskTime};
use clustersim_sweep::model::grid::{ClusterNumber, SweepCluster, SweepGrid, SweepHost};
use clustersim_sweep::model::storage::StoredFiles;
use clustersim_sweep::plan::chart::{Chart, ChartBasis, CompletedWhen};
use clustersim_sweep::plan::fill::{FillTerms, FillUntil, fill};
use clustersim_sweep::plan::planner::Planner;
use clustersim_sweep::plan::settings::{Delta, Fill, PlanSettings, PlanningTime};
use clustersim_sweep::plan::subset::{RandomTasks, SharingTasks, Subset};
use clustersim_sweep::read::application::read;
use clustersim_sweep::run::execution::execute;
use clustersim_sweep::run::running::SweepProblem;
use clustersim_sweep::scheduler::interfaces::SweepScheduler;
use clustersim_sweep::scheduler::workqueue::WorkqueueScheduler;
use clustersim_workflow::{FileNumber, TaskNumber};
use table::{MemoryRow, Row, Table, Work, repeated, seconds_of};

/// How tasks differ.
#[derive(Clone, Copy)]
struct Tasks {
    count: u32,
    /// So many share a file.
    chunk: u32,
    /// Inputs of each task alone.
    own: u32,
    /// Whether those of a chunk have equal files and times.
    are_alike: bool,
}

impl Tasks {
    const fn different(tasks: u32) -> Self {
        Tasks { count: tasks, chunk: 50, own: 2, are_alike: false }
    }

    const fn classes(tasks: u32, chunk: u32) -> Self {
        Tasks { count: tasks, chunk, own: 2, are_alike: true }
    }

    fn sweep(self) -> Sweep {
        let source = Source::new();
        let bytes = || 8_000 + (4_000.0 * source.unit()) as u64;
        let seconds = || 90.0 + (20_000.0 * source.unit()).round() / 1_000.0;
        let mut sweep = Sweep::default();
        let add = |files: &mut Vec<SweepFile>, bytes: u64| {
            files.push(SweepFile::new(Arc::from(format!("f{}", files.len())), bytes));
            FileNumber(files.len() as u32 - 1)
        };
        let (mut shared, mut sizes, mut time) = (FileNumber(0), Vec::new(), 0.0);
        for number in 0..self.count {
            if number % self.chunk == 0 {
                shared = add(&mut sweep.files, 4_800_000);
            }
            if number % self.chunk == 0 || !self.are_alike {
                sizes = (0..=self.own).map(|_| bytes()).collect();
                time = seconds();
            }
            let mut files: Vec<FileNumber> = sizes.iter().map(|size| add(&mut sweep.files, *size)).collect();
            let output = files.pop().unwrap();
            files.insert(0, shared);
            sweep.tasks.push(SweepTask {
                name: Arc::from(format!("t{number}")),
                inputs: files.into(),
                outputs: [output].into(),
                times: [TaskTime { real: time, estimated: time }].into(),
                arrival: SimTime::ZERO,
            });
        }
        sweep
    }
}

/// Clusters of hosts: bandwidth in bytes per second, availability of each host.
fn grid(clusters: &[(f64, Vec<f64>)]) -> SweepGrid {
    let mut grid = SweepGrid::default();
    for (place, (bandwidth, hosts)) in clusters.iter().enumerate() {
        let first = grid.hosts.len() as u32;
        grid.hosts.extend(hosts.iter().enumerate().map(|(rank, availability)| SweepHost {
            name: format!("{place}.{rank}"),
            cluster: ClusterNumber(place as u32),
            architecture: 0,
            speed: 1.0,
            processors: 1,
            availability: Trace::constant(*availability),
            present: Trace::constant(1.0),
            queue_wait: None,
        }));
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

/// So many hosts in clusters, those of a cluster alike.
fn alike(hosts: u32, clusters: u32) -> SweepGrid {
    let availability = |cluster| 0.3 + 0.7 * f64::from(cluster) / f64::from(clusters);
    let of = |cluster| (200e3, vec![availability(cluster); (hosts / clusters) as usize]);
    grid(&(0..clusters).map(of).collect::<Vec<_>>())
}

fn unlike(hosts: u32, clusters: u32) -> SweepGrid {
    let source = Source::new();
    let of = |_| (200e3, (0..hosts / clusters).map(|_| 0.3 + 0.7 * source.unit()).collect());
    grid(&(0..clusters).map(of).collect::<Vec<_>>())
}

fn figure_11() -> SweepGrid {
    grid(&[(10e3, vec![1.0; 4]), (10e3, vec![0.7; 6]), (10e3, vec![0.3; 12])])
}

/// What a plan is made of.
struct Planned {
    basis: ChartBasis,
    grid: SweepGrid,
    tasks: Vec<TaskNumber>,
}

impl Planned {
    fn new(sweep: Sweep, grid: SweepGrid) -> Self {
        let mut usage = vec![0; sweep.files.len()];
        for file in sweep.tasks.iter().flat_map(|task| &*task.inputs) {
            usage[file.index()] += 1;
        }
        let at = SimTime::ZERO;
        let constant = |trace: &Trace| PredictedValue::constant(trace.value_at(at));
        let predictions = Predictions {
            planning: 0,
            links: grid
                .clusters
                .iter()
                .map(|cluster| PredictedLink {
                    latency: constant(&cluster.latency),
                    bandwidth: constant(&cluster.bandwidth),
                })
                .collect(),
            hosts: grid
                .hosts
                .iter()
                .map(|host| PredictedHost {
                    availability: constant(&host.availability),
                    queue_wait: 0.0,
                    speed: host.speed,
                    architecture: host.architecture,
                })
                .collect(),
            error: None,
        };
        let (tasks, files) = (sweep.task_numbers().collect(), sweep.files.len());
        let basis = ChartBasis {
            known: Rc::new(KnownSweep::new(Rc::new(sweep), EstimateBasis::Real)),
            predictions: Rc::new(predictions),
            stored: Rc::new(StoredFiles::new(grid.clusters.len(), files)),
            usage: usage.into(),
            cluster_of: grid.hosts.iter().map(|host| host.cluster).collect(),
            grid: Rc::new(grid.clone()),
            completed_when: CompletedWhen::Returned,
        };
        Planned { basis, grid, tasks }
    }

    /// Makes a plan; how many pairs of a task and a host that takes.
    fn plan(&self, heuristic: &dyn Heuristic, until: FillUntil) -> u64 {
        let processors = self.grid.hosts.iter().map(|host| host.processors);
        let storages = self.grid.clusters.iter().map(|cluster| cluster.has_storage);
        let mut chart = Chart::new(&self.basis, 0, processors, storages);
        let terms = FillTerms { until, individually: false, explained: None };
        let source = Source::new();
        let mut pick = |bound: u64| ((source.unit() * bound as f64) as u64).min(bound - 1);
        fill(&mut chart, &self.tasks, heuristic, terms, &mut pick);
        chart.looks()
    }
}

/// One plan, until so many tasks have slots.
fn plan(
    name: &str,
    heuristic: impl Heuristic + 'static,
    made_of: impl Fn() -> (Sweep, SweepGrid) + 'static,
    (tasks, floor, goal): (u32, f64, f64),
) -> Row {
    let heuristic: Rc<dyn Heuristic> = Rc::new(heuristic);
    let ready = move || -> Work {
        let (sweep, grid) = made_of();
        let planned = Planned::new(sweep, grid);
        let heuristic = Rc::clone(&heuristic);
        Box::new(move || {
            seconds_of(|| {
                planned.plan(&*heuristic, FillUntil::Tasks(tasks.into()));
            })
        })
    };
    Row { name: name.to_owned(), tasks, floor, goal, ready: Box::new(ready) }
}

/// Plans again and again, by XSufferage.
fn planner(subset: Box<dyn Subset>) -> Box<dyn SweepScheduler> {
    let settings = PlanSettings {
        heuristic: Box::new(XSufferage),
        interval: Box::new(ConstantInterval { every: None }),
        subset,
        fill: Fill::Horizon,
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
    };
    Box::new(Planner::new(settings, Streams::new(1, 0)))
}

/// A whole run.
fn run(name: &str, scheduler: fn() -> Box<dyn SweepScheduler>, tasks: u32, (floor, goal): (f64, f64)) -> Row {
    let ready = move || -> Work {
        let sweep = Rc::new(Tasks::classes(tasks, 50).sweep());
        let grid = Rc::new(alike(1_000, 20));
        Box::new(move || {
            let streams = Streams::new(1, 0);
            let problem = SweepProblem {
                known: Rc::new(KnownSweep::new(Rc::clone(&sweep), EstimateBasis::Real)),
                sweep: Rc::clone(&sweep),
                grid: Rc::clone(&grid),
                streams,
                overdue: SimDuration::from_secs(10),
                progress: None,
            };
            let simulation = Simulation::with_streams(streams);
            seconds_of(|| {
                let run =
                    execute(Rc::new(problem), scheduler(), Box::new(PerfectEstimator), simulation, None);
                assert!(run.unwrap().makespan().is_some(), "every task ends");
            })
        })
    };
    Row { name: name.to_owned(), tasks, floor, goal, ready: Box::new(ready) }
}

/// An application as text, with an input shared by 50 and an output for each task.
fn read_text(tasks: u32, floor: f64, goal: f64) -> Row {
    let ready = move || -> Work {
        let chunks = tasks.div_ceil(50);
        let mut text = format!("WorkDescription 1 {} {tasks}\n", chunks + tasks);
        for file in 0..chunks + tasks {
            writeln!(text, "File: <{file}> <f{file}> <10000> <10000>").unwrap();
        }
        for task in 0..tasks {
            let (shared, output) = (task / 50, chunks + task);
            writeln!(text, "Work: <{task}> < 1 : {shared} > < 1 : {output} > < 1 : 100.5 > < 1 : 99.5 >")
                .unwrap();
        }
        Box::new(move || seconds_of(|| drop(read(&text).ok().unwrap())))
    };
    Row { name: format!("read {tasks} tasks"), tasks, floor, goal, ready: Box::new(ready) }
}

fn randomized(of: impl Heuristic + 'static) -> Randomized {
    Randomized { of: Box::new(of), tolerance: 1e-6 }
}

fn rows() -> Vec<Row> {
    let figure = || (Tasks::different(400).sweep(), figure_11());
    let small = (400, 0.05, 0.01);
    let jump = || ExtendedSufferage { of: JumpIn::Jump };
    let large = || (Tasks::different(10_000).sweep(), alike(1_000, 20));
    let hosts = || (Tasks::different(10_000).sweep(), unlike(1_000, 20));
    let classes = || (Tasks::classes(10_000, 50).sweep(), alike(1_000, 20));
    vec![
        plan("figure 11, h1", MinMinHeuristic, figure, small),
        plan("figure 11, h2", MaxMinHeuristic, figure, small),
        plan("figure 11, h3", Sufferage, figure, small),
        plan("figure 11, h4", jump(), figure, small),
        plan("figure 11, h5", randomized(MinMinHeuristic), figure, small),
        plan("figure 11, h6", randomized(MaxMinHeuristic), figure, small),
        plan("figure 11, h7", randomized(Sufferage), figure, small),
        plan("figure 11, h8", randomized(jump()), figure, small),
        plan("figure 11, h9", SufferageTwo, figure, small),
        plan("figure 11, xsufferage", XSufferage, figure, small),
        plan("plan, xsufferage", XSufferage, large, (4_000, 15.0, 4.0)),
        plan("plan, h1", MinMinHeuristic, large, (4_000, 5.0, 0.5)),
        plan("plan, unlike hosts, xsufferage", XSufferage, hosts, (4_000, 15.0, 4.0)),
        plan("plan, unlike hosts, h1", MinMinHeuristic, hosts, (4_000, 5.0, 0.5)),
        plan("plan, classes, xsufferage", XSufferage, classes, (4_000, 1.5, 0.3)),
        plan("plan, classes, h1", MinMinHeuristic, classes, (4_000, 1.5, 0.3)),
        run(
            "run, classes, sharing",
            || planner(Box::new(SharingTasks { tasks: None })),
            100_000,
            (120.0, 20.0),
        ),
        run(
            "run, classes, random",
            || planner(Box::new(RandomTasks { tasks: None })),
            100_000,
            (120.0, 20.0),
        ),
        run(
            "run, workqueue",
            || Box::new(WorkqueueScheduler::new(WorkqueueOrder::First, LinkDiscipline::Greedy)),
            100_000,
            (1.0, 0.3),
        ),
        read_text(100_000, 1.0, 0.2),
    ]
}

/// A whole run of the program by this scheduler.
fn memory(name: &'static str, scheduler: &'static str) -> MemoryRow {
    let write = move |_: &Path| {
        let mut scenario = "title = \"Memory\"\nseed = 1\n[platform]\norigin = \"origin\"\n".to_owned();
        for cluster in 0..20 {
            let availability = 0.3 + 0.7 * f64::from(cluster) / 20.0;
            write!(
                scenario,
                "[[platform.cluster]]\nname = \"c{cluster}\"\nhosts = 50\nlink = {{ bandwidth = \"200kBps\" }}\navailability = {availability}\n"
            )
            .unwrap();
        }
        write!(
            scenario,
            "[application]\nkind = \"generated\"\ntasks = 100000\ntime = \"100s\"\noutput = \"10kB\"\n\
             files = [{{ name = \"shared\", sharing = {{ chunk = 50 }}, size = \"4800kB\" }}]\n[scheduler]\nkind = \"plan\"\n{scheduler}\n"
        )
        .unwrap();
        scenario
    };
    MemoryRow { name, floor: 300.0, goal: 120.0, write: Box::new(write) }
}

fn main() -> ExitCode {
    let memory = vec![
        memory("memory, workqueue", "heuristic = \"h0\""),
        memory("memory, plans", "heuristic = \"xsufferage\"\nsubset = \"sharing\""),
    ];
    Table { rows: rows(), memory, growth }.print()
}

/// How plans of all tasks grow in tasks, hosts, clusters and files of each task; the numbers of
/// tasks are divided by `less`.
fn growth(less: u32) {
    type Sizes = [(Tasks, u32, u32); 3];
    let tasks = [1_000, 3_000, 10_000].map(|tasks| tasks / less);
    let own = |own| (Tasks { own, ..Tasks::different(3_000 / less) }, 100, 10);
    let of = |hosts, clusters| (Tasks::different(3_000 / less), hosts, clusters);
    let steps: [(&str, Sizes); 6] = [
        ("tasks, 20 classes", tasks.map(|tasks| (Tasks::classes(tasks, tasks / 20), 200, 20))),
        ("tasks, classes of 50", tasks.map(|tasks| (Tasks::classes(tasks, 50), 200, 20))),
        ("tasks, different", tasks.map(|tasks| (Tasks::different(tasks), 200, 20))),
        ("hosts", [of(100, 10), of(400, 10), of(1_600, 10)]),
        ("clusters", [of(400, 5), of(400, 20), of(400, 80)]),
        ("files", [own(1), own(4), own(16)]),
    ];
    let rules: [(&str, &dyn Heuristic); 3] = [
        ("h1", &MinMinHeuristic),
        ("xsufferage", &XSufferage),
        ("h4", &ExtendedSufferage { of: JumpIn::Jump }),
    ];
    println!(
        "\n{:<12}{:<22}{:>8}{:>8}{:>10}{:>7}{:>10}{:>12}{:>10}",
        "growth", "in", "tasks", "hosts", "clusters", "files", "seconds", "looks", "exponent"
    );
    for (name, rule) in rules {
        for (what, sizes) in steps {
            let mut before: Option<(f64, f64)> = None;
            for (tasks, hosts, clusters) in sizes {
                let planned = Planned::new(tasks.sweep(), alike(hosts, clusters));
                let all = FillUntil::Tasks(u64::from(tasks.count));
                let looks = planned.plan(rule, all);
                let seconds = repeated(&|| {
                    seconds_of(|| {
                        planned.plan(rule, all);
                    })
                });
                let size = match what {
                    "hosts" => hosts,
                    "clusters" => clusters,
                    "files" => tasks.own + 2,
                    _ => tasks.count,
                };
                let exponent = before.map_or(String::new(), |(last, seconds_before)| {
                    format!("{:.2}", (seconds / seconds_before).ln() / (f64::from(size) / last).ln())
                });
                before = Some((f64::from(size), seconds));
                println!(
                    "{name:<12}{what:<22}{:>8}{hosts:>8}{clusters:>10}{:>7}{seconds:>10.4}{looks:>12}{exponent:>10}",
                    tasks.count,
                    tasks.own + 2
                );
            }
        }
    }
}
