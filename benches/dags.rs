//! Task graphs: what plans, their execution and the reading of graphs take, and how that grows.
//!
//! `cargo bench --bench dags` prints the table: seconds of processor time of each piece of work,
//! what it is to stay below, and one task's share of it in events of the bare loop, which takes
//! turns with the rows. Then the growth of plans in tasks, hosts and edges, and of runs in the
//! number of graphs that arrive, as exponents. `-- TEXT` runs only the rows whose name holds TEXT,
//! `-- growth` only the last part; `--quick` leaves the large rows out and does each once. `--
//! --count ROW` does the work of one row once, for instruction counts and profiles.
//!
//! A graph has 100 levels; each task has three parents in the level before its own, drawn. Work is
//! uniform from 1 to 9 s, data take 0.1 to 2 s over a link of their own (a mesh: one link for each
//! ordered pair of hosts), speeds are from 0.5 to 1.5. Loads are constant and predictions perfect.
//! DCP has as many hosts as tasks. Meshes have up to 1,448 hosts; DCP with more has a crossbar, in
//! which transfers have their links to themselves.
//!
//! Memory is that of the program itself, run by this one as `clustersim run`: graph, plan,
//! execution, all files and the report.
//!
//! What is quoted of DSLab DAG, on other machines: 515 to 1,066 tasks on 4 hosts are planned by
//! HEFT and simulated in 0.02 to 0.23 s, by DLS in 1.2 to 31 s; its lookahead did not finish 656
//! tasks within 10 minutes.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark reads the wall clock; nothing here is a result of a model"
)]
#![expect(clippy::disallowed_methods, reason = "the bare loop draws with the machine's own logarithm")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

#[expect(dead_code, reason = "shared with the kernel's rows, which use more of it")]
mod bare;
mod table;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

use bare::Source;
use clustersim_dag::execution::{Execution, LinkOrder, execute};
use clustersim_dag::model::graph::Graph;
use clustersim_dag::model::grid::{CoresUsed, Grid};
use clustersim_dag::model::prediction::{Caution, Prediction};
use clustersim_dag::planning::plan::TaskPlan;
use clustersim_dag::planning::view::{ExecutionState, View};
use clustersim_dag::scheduler::{
    Batch, CriticalChild, Dcp, DcpDagsim, Dls, DlsDagsim, Dynamic, Heft, LookaheadHeft, NamedScheduler, Peft,
    ReadyOrder, ReadyWhen, Scheduler, SelfScheduling, Tail,
};
use clustersim_dag::{CannotPlan, Contention, SchedulingProblem};
use clustersim_kernel::rng::Streams;
use clustersim_kernel::rng::distribution::{Sampler, Uniform};
use clustersim_kernel::{SimTime, Simulation};
use clustersim_platform::network::Flow;
use clustersim_platform::{
    Builder, Cluster, FatTree, Host, Level, Link, Perturbation, Platform, Shape, ZoneId, perturb,
};
use clustersim_workflow::read::{GraphFormat, ReadOptions, read};
use clustersim_workflow::{Draft, EdgeOrigin, Spot, Task, VertexKind, Workflow, write};
use table::{MemoryRow, Row, Table, Work, repeated, seconds_of};

const LEVELS: u32 = 100;
/// Edges of each task from the level before.
const PARENTS: u32 = 3;
/// A graph of so many levels, with so many edges a task from the level before.
fn layered(levels: u32, tasks: u32, parents: u32) -> Workflow {
    let source = Source::new();
    let below = |most: u32| ((source.unit() * f64::from(most)) as u32).min(most - 1);
    let mut draft = Draft::new("layered");
    let vertices: Vec<_> = (0..tasks)
        .map(|task| Task::new(format!("t{task}"), 1e9 + 8e9 * source.unit()))
        .map(|task| draft.define(task, VertexKind::Computation, Spot::NOWHERE))
        .collect();
    let levels = levels.min(tasks);
    let starts: Vec<u32> =
        (0..=levels).map(|level| (u64::from(level) * u64::from(tasks) / u64::from(levels)) as u32).collect();
    for level in starts.windows(3) {
        let [start, own, end] = level else { continue };
        for task in *own..*end {
            let width = own - start;
            let mut chosen: Vec<u32> = Vec::new();
            while chosen.len() < parents.min(width) as usize {
                let parent = start + below(width);
                if !chosen.contains(&parent) {
                    chosen.push(parent);
                }
            }
            for parent in chosen {
                let bytes = 1e7 + 1.9e8 * source.unit();
                let [from, to] = [parent, task].map(|task| vertices[task as usize]);
                draft.edge(from, to, Some(bytes as u64), EdgeOrigin::Parents, Spot::NOWHERE);
            }
        }
    }
    draft.finish().unwrap().0
}

/// Hosts of different speeds, joined in this shape.
fn platform(hosts: u32, shape: Shape, bandwidth: f64) -> Platform {
    let mut builder = Builder::new();
    let cluster =
        Cluster { shape, ..Cluster::new("grid", hosts, Host::new("", 1e9), Link::new(bandwidth, 1e-4)) };
    builder.cluster(ZoneId::TOP, &cluster).unwrap();
    let speed = Sampler::new(Uniform::new(0.5, 1.5).unwrap());
    let drawn = Perturbation { speed: Some(speed), ..Perturbation::default() };
    perturb(&builder.build(), &drawn, &Streams::new(1, 0)).unwrap()
}

/// A mesh, as far as there is one of so many hosts.
fn mesh(hosts: u32) -> Platform {
    let shape = if hosts <= Cluster::MOST_OF_MESH { Shape::Mesh } else { Shape::Crossbar };
    platform(hosts, shape, 1e8)
}

/// Two levels: 32 leaf switches of 32 hosts, and 16 spines.
fn fat_tree() -> Platform {
    let levels = vec![Level { down: 32, up: 1, cables: 1 }, Level { down: 32, up: 16, cables: 1 }];
    platform(1_024, Shape::FatTree(FatTree { levels }), 1e9)
}

/// What transfers do that are planned at the same time.
fn contention(hosts: u32) -> Contention {
    if hosts <= Cluster::MOST_OF_MESH { Contention::Queued } else { Contention::Free }
}

fn problem(tasks: u32, parents: u32, platform: Platform, contention: Contention) -> SchedulingProblem {
    let grid = Grid::new(Arc::new(platform), CoresUsed::All);
    let graph = Arc::new(Graph::of(layered(LEVELS, tasks, parents)));
    SchedulingProblem::new(graph, grid, Prediction::default(), contention)
}

fn planned(problem: &SchedulingProblem, rule: &dyn Scheduler) -> TaskPlan {
    let state = ExecutionState::all_open(&problem.graph);
    rule.plan(&View::new(problem, &state, SimTime::ZERO, 0)).unwrap()
}

/// A plan that was made before.
#[derive(Debug)]
struct Given(TaskPlan);

impl Scheduler for Given {
    fn plan(&self, _: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        Ok(self.0.clone())
    }
}

fn dls_dagsim() -> DlsDagsim {
    DlsDagsim { constant: 1.0, ready: ReadyWhen::Placed }
}

fn dcp() -> Dcp {
    Dcp { critical_child: CriticalChild::MaxStart, tail: Tail::default() }
}

fn dcp_dagsim() -> DcpDagsim {
    DcpDagsim { caution: Caution::Mean }
}

/// A plan by a rule for so many tasks and hosts.
fn plan(
    name: &str,
    rule: impl Scheduler + 'static,
    (tasks, hosts): (u32, u32),
    floor: f64,
    goal: f64,
) -> Row {
    let rule: Rc<dyn Scheduler> = Rc::new(rule);
    let ready = move || -> Work {
        let problem = problem(tasks, PARENTS, mesh(hosts), contention(hosts));
        let rule = Rc::clone(&rule);
        Box::new(move || {
            // what the grid has learned of its routes belongs to the plan that asked
            let again = again(&problem);
            seconds_of(|| drop(planned(&again, &*rule)))
        })
    };
    let name = format!("{name} {tasks} x {hosts}");
    Row { name, tasks, floor, goal, ready: Box::new(ready) }
}

/// The same problem on a grid of which nothing has been asked.
fn again(problem: &SchedulingProblem) -> SchedulingProblem {
    let grid = Grid::new(Arc::clone(problem.grid.platform()), CoresUsed::All);
    SchedulingProblem::new(Arc::clone(&problem.graph), grid, Prediction::default(), problem.contention)
}

/// The execution of a plan by HEFT that was made before.
fn executed(
    name: &str,
    tasks: u32,
    platform: fn() -> Platform,
    links: fn() -> LinkOrder,
    floor: f64,
    goal: f64,
) -> Row {
    let ready = move || -> Work {
        let problem = problem(tasks, PARENTS, platform(), Contention::Queued);
        let plan = Rc::new(Given(planned(&problem, &Heft)));
        Box::new(move || {
            let rule =
                NamedScheduler { name: "given".to_owned(), scheduler: Rc::clone(&plan) as Rc<dyn Scheduler> };
            let problem = Rc::new(again(&problem));
            let execution = Execution { links: links(), ..Execution::default() };
            seconds_of(|| {
                let outcomes = execute(problem, &rule, execution, Simulation::new(1), None).unwrap();
                assert!(outcomes.makespan().is_some(), "every task ends");
            })
        })
    };
    Row { name: name.to_owned(), tasks, floor, goal, ready: Box::new(ready) }
}

fn read_json(tasks: u32, floor: f64, goal: f64) -> Row {
    let ready = move || -> Work {
        let text = json(tasks);
        Box::new(move || {
            let input = std::io::Cursor::new(text.as_slice());
            let format = Some(GraphFormat::WfFormat);
            seconds_of(|| drop(read(input, "layered.json", format, &ReadOptions::default()).unwrap()))
        })
    };
    Row { name: format!("read WfFormat {tasks}"), tasks, floor, goal, ready: Box::new(ready) }
}

/// A layered graph as WfFormat.
fn json(tasks: u32) -> Vec<u8> {
    let mut text = Vec::new();
    let options = write::WriteOptions::default();
    write::write(&layered(LEVELS, tasks, PARENTS), GraphFormat::WfFormat, &options, &mut text).unwrap();
    text
}

fn rows() -> Vec<Row> {
    let few = (1_066, 4);
    let many = (10_000, 100);
    vec![
        plan("heft", Heft, many, 0.5, 0.1),
        plan("heft", Heft, (100_000, 100), 5.0, 1.0),
        plan("heft", Heft, (100_000, 1_000), 60.0, 10.0),
        plan("dls", Dls, few, 0.05, 0.01),
        plan("dls-dagsim", dls_dagsim(), few, 0.05, 0.01),
        plan("etf", Batch::Etf, few, 0.05, 0.01),
        plan("min-min", Batch::MinMin, few, 0.05, 0.01),
        plan("dls", Dls, many, 5.0, 1.0),
        plan("dls-dagsim", dls_dagsim(), many, 5.0, 1.0),
        plan("etf", Batch::Etf, many, 5.0, 1.0),
        plan("min-min", Batch::MinMin, many, 5.0, 1.0),
        plan("peft", Peft, many, 1.0, 0.3),
        plan("lookahead-heft", LookaheadHeft, (656, 4), 0.1, 0.02),
        plan("lookahead-heft", LookaheadHeft, (1_000, 100), 10.0, 2.0),
        plan("dcp", dcp(), (1_000, 1_000), 1.0, 0.2),
        plan("dcp-dagsim", dcp_dagsim(), (1_000, 1_000), 1.0, 0.2),
        plan("dcp", dcp(), (10_000, 10_000), 120.0, 20.0),
        plan("dcp-dagsim", dcp_dagsim(), (10_000, 10_000), 120.0, 20.0),
        executed("execution, planned order", 100_000, || mesh(100), || LinkOrder::Planned, 0.333, 0.1),
        executed(
            "execution, flow, fat tree",
            100_000,
            fat_tree,
            || LinkOrder::Network(Rc::new(Flow::default())),
            60.0,
            10.0,
        ),
        read_json(100_000, 2.0, 0.5),
    ]
}

/// A whole run of the program; these lines are written for the application.
fn memory(name: &'static str, application: &'static str) -> MemoryRow {
    let write = move |folder: &Path| {
        let scenario = "title = \"Memory\"\nseed = 1\n[platform]\n[[platform.cluster]]\nname = \"grid\"\ntopology = \"mesh\"\nhosts = 100\n\
             speed = { kind = \"uniform\", low = \"0.5Gf\", high = \"1.5Gf\" }\nbandwidth = \"100MBps\"\nlatency = \"100us\"\n\
             [scheduler]\nkind = \"heft\"\n[application]\n";
        fs::write(folder.join("layered.json"), json(100_000)).unwrap();
        format!("{scenario}{application}\n")
    };
    MemoryRow { name, floor: 200.0, goal: 100.0, write: Box::new(write) }
}

fn main() -> ExitCode {
    let memory = vec![
        memory("memory, drawn", "kind = \"layered\"\ntasks = 100000\nlevels = 100\nparents = 3"),
        memory("memory, read", "kind = \"wfformat\"\nfile = \"layered.json\""),
    ];
    Table { rows: rows(), memory, growth }.print()
}

/// Tasks, hosts, edges a task.
type Sizes = [(u32, u32, u32); 3];

/// How plans grow in one of tasks, hosts and edges, a step being a factor of 4; the numbers of
/// tasks are divided by `less`.
fn growth(less: u32) {
    let rules: [(&str, Rc<dyn Scheduler>); 5] = [
        ("heft", Rc::new(Heft)),
        ("peft", Rc::new(Peft)),
        ("min-min", Rc::new(Batch::MinMin)),
        ("dls", Rc::new(Dls)),
        ("dcp", Rc::new(dcp())),
    ];
    let steps: [(&str, Sizes); 3] = [
        ("tasks", [(1_000, 100, PARENTS), (4_000, 100, PARENTS), (16_000, 100, PARENTS)]),
        ("hosts", [(4_000, 25, PARENTS), (4_000, 100, PARENTS), (4_000, 400, PARENTS)]),
        ("edges", [(4_000, 100, 1), (4_000, 100, 4), (4_000, 100, 16)]),
    ];
    println!(
        "\n{:<12}{:>8}{:>10}{:>8}{:>8}{:>10}{:>10}",
        "growth", "in", "tasks", "hosts", "edges", "seconds", "exponent"
    );
    for (name, rule) in rules {
        for (what, sizes) in steps {
            let mut before: Option<f64> = None;
            for (tasks, hosts, parents) in sizes {
                let mut size = (tasks / less, hosts);
                if name == "dcp" {
                    // it wants as many hosts as tasks
                    size = (size.0 / 4, size.0 / 4);
                    if what == "hosts" {
                        continue;
                    }
                }
                let (tasks, hosts) = size;
                let problem = problem(tasks, parents, mesh(hosts), contention(hosts));
                let edges = problem.graph.edges().len();
                let seconds = repeated(&|| seconds_of(|| drop(planned(&problem, &*rule))));
                let exponent = before
                    .map_or(String::new(), |before| format!("{:.2}", (seconds / before).ln() / 4_f64.ln()));
                before = Some(seconds);
                println!("{name:<12}{what:>8}{tasks:>10}{hosts:>8}{edges:>8}{seconds:>10.4}{exponent:>10}");
            }
        }
    }
    streams(less);
}

/// How runs grow in the number of graphs that arrive one after another, each planned as it arrives,
/// a few of them at once.
fn streams(less: u32) {
    let rules: [(&str, Rc<dyn Scheduler>); 5] = [
        ("heft", Rc::new(Heft)),
        ("dls-dagsim", Rc::new(dls_dagsim())),
        ("dcp", Rc::new(dcp())),
        ("dcp-dagsim", Rc::new(dcp_dagsim())),
        ("by rank", Rc::new(Dynamic(Rc::new(SelfScheduling { order: ReadyOrder::Rank })))),
    ];
    let workflow = Arc::new(layered(5, 20, PARENTS));
    let platform = Arc::new(mesh(100));
    for (name, rule) in rules {
        let rule = NamedScheduler { name: name.to_owned(), scheduler: rule };
        let mut before: Option<f64> = None;
        for graphs in [500, 2_000, 8_000].map(|graphs| graphs / less) {
            let arrival = |graph| SimTime::from_nanos(u64::from(graph) * 10_000_000_000);
            let all = (0..graphs).map(|graph| (graph.to_string(), arrival(graph), Arc::clone(&workflow)));
            let graph = Arc::new(Graph::new(all));
            let (tasks, edges) = (graph.len(), graph.edges().len());
            let seconds = repeated(&|| {
                let grid = Grid::new(Arc::clone(&platform), CoresUsed::All);
                let prediction = Prediction::default();
                let problem =
                    SchedulingProblem::new(Arc::clone(&graph), grid, prediction, Contention::Queued);
                seconds_of(|| {
                    let run =
                        execute(Rc::new(problem), &rule, Execution::default(), Simulation::new(1), None);
                    assert!(run.unwrap().makespan().is_some(), "every task ends");
                })
            });
            let exponent =
                before.map_or(String::new(), |before| format!("{:.2}", (seconds / before).ln() / 4_f64.ln()));
            before = Some(seconds);
            println!("{name:<12}{:>8}{tasks:>10}{:>8}{edges:>8}{seconds:>10.4}{exponent:>10}", "graphs", 100);
        }
    }
}
