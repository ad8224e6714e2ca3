//! The worked instances of the literature: exact makespans of every rule, planned and executed.

use std::rc::Rc;
use std::sync::Arc;

use crate::execution::{Execution, LinkOrder, Merge, Outcomes, Replan, execute};
use crate::kernel::{SimDuration, SimError, SimTime, Simulation};
use crate::model::graph::Graph;
use crate::model::grid::{CoresUsed, Grid};
use crate::model::prediction::{Knowledge, Prediction};
use crate::planning::ranks::{Data, critical_path, mean_executions, upward};
use crate::planning::view::{ExecutionState, View};
use crate::planning::window::OfTasks;
use crate::platform::{Builder, Host, Link, Trace};
use crate::registry::{Node, Params, Registry, Sources, Span, Value, check, parse_file};
use crate::schedule::starts::Starts;
use crate::scheduler::{NamedScheduler, OptimisticCosts, Scheduler, table};
use crate::workflow::{Draft, EdgeOrigin, Spot, Task, TaskNumber, VertexKind, Workflow};
use crate::{CannotPlan, Contention, SchedulingProblem};

/// An instance: seconds of each task, on each host or on all, and edges with bytes.
pub(crate) struct Instance {
    pub(crate) seconds: &'static [&'static [f64]],
    pub(crate) edges: &'static [(u32, u32, u64)],
}

/// The example of the publication of HEFT; three hosts.
pub(crate) const T10: Instance = Instance {
    seconds: &[
        &[14.0, 16.0, 9.0],
        &[13.0, 19.0, 18.0],
        &[11.0, 13.0, 19.0],
        &[13.0, 8.0, 17.0],
        &[12.0, 13.0, 10.0],
        &[13.0, 16.0, 9.0],
        &[7.0, 15.0, 11.0],
        &[5.0, 11.0, 14.0],
        &[18.0, 12.0, 20.0],
        &[21.0, 7.0, 16.0],
    ],
    edges: &[
        (1, 2, 18),
        (1, 3, 12),
        (1, 4, 9),
        (1, 5, 11),
        (1, 6, 14),
        (2, 8, 19),
        (2, 9, 16),
        (3, 7, 23),
        (4, 8, 27),
        (4, 9, 23),
        (5, 9, 13),
        (6, 8, 15),
        (7, 10, 17),
        (8, 10, 11),
        (9, 10, 13),
    ],
};

/// The example of the publication of DCP, of hosts that are alike.
pub(crate) const K9: Instance = Instance {
    seconds: &[&[2.0], &[3.0], &[3.0], &[4.0], &[5.0], &[4.0], &[4.0], &[4.0], &[1.0]],
    edges: &[
        (1, 2, 4),
        (1, 3, 1),
        (1, 4, 1),
        (1, 5, 1),
        (1, 7, 10),
        (2, 6, 1),
        (2, 7, 1),
        (3, 8, 1),
        (4, 8, 1),
        (6, 9, 5),
        (7, 9, 6),
        (8, 9, 5),
    ],
};

/// A fork and a join of four.
pub(crate) const F6: Instance = Instance {
    seconds: &[&[2.0], &[6.0], &[6.0], &[6.0], &[6.0], &[2.0]],
    edges: &[(1, 2, 3), (1, 3, 3), (1, 4, 3), (1, 5, 3), (2, 6, 3), (3, 6, 3), (4, 6, 3), (5, 6, 3)],
};

/// The instance that tells readings of DCP apart.
pub(crate) const M7: Instance = Instance {
    seconds: &[&[5.0], &[1.0], &[8.0], &[4.0], &[3.0], &[5.0], &[5.0]],
    edges: &[(1, 2, 3), (1, 3, 6), (2, 4, 5), (2, 6, 6), (3, 6, 9), (4, 5, 5), (5, 7, 8), (6, 7, 3)],
};

/// A chain of five.
pub(crate) const CHAIN: Instance = Instance {
    seconds: &[&[5.0], &[5.0], &[5.0], &[5.0], &[5.0]],
    edges: &[(1, 2, 4), (2, 3, 4), (3, 4, 4), (4, 5, 4)],
};

impl Instance {
    pub(crate) fn workflow(&self) -> Workflow {
        let mut draft = Draft::new("instance");
        for (number, seconds) in self.seconds.iter().enumerate() {
            let task = Task::new((number + 1).to_string(), seconds[0]);
            let vertex = draft.define(task, VertexKind::Computation, Spot::NOWHERE);
            if seconds.len() > 1 {
                for (host, seconds) in seconds.iter().enumerate() {
                    draft.time(vertex, &format!("h{host}"), *seconds, Spot::NOWHERE);
                }
            }
        }
        for &(from, to, bytes) in self.edges {
            let [from, to] = [from, to].map(|number| draft.vertex(&number.to_string(), Spot::NOWHERE));
            draft.edge(from, to, Some(bytes), EdgeOrigin::Parents, Spot::NOWHERE);
        }
        draft.finish().expect("the instance is right").0
    }

    /// Tasks on so many hosts of speed 1, a link of bandwidth 1 for each ordered pair or one for
    /// all.
    pub(crate) fn problem(&self, hosts: usize, one_link: bool) -> SchedulingProblem {
        self.problem_where(hosts, one_link, |_, host| host)
    }

    /// The same on hosts that are changed by their numbers.
    pub(crate) fn problem_where(
        &self,
        hosts: usize,
        one_link: bool,
        changed: impl Fn(usize, Host) -> Host,
    ) -> SchedulingProblem {
        let mut builder = Builder::new();
        let made: Vec<_> = (0..hosts)
            .map(|host| changed(host, Host::new(format!("h{host}"), 1.0)))
            .map(|host| builder.host(host).expect("a host"))
            .collect();
        let shared = builder.link("wire", Link::new(1.0, 0.0)).expect("a link");
        for &from in &made {
            for &to in made.iter().filter(|to| **to != from) {
                let name = format!("{}-{}", from.index(), to.index());
                let link =
                    if one_link { shared } else { builder.link(name, Link::new(1.0, 0.0)).expect("a link") };
                builder.route(from, to, &[link]);
            }
        }
        let grid = Grid::new(Arc::new(builder.build()), CoresUsed::All);
        SchedulingProblem::new(
            Arc::new(Graph::of(self.workflow())),
            grid,
            Prediction::default(),
            Contention::Free,
        )
    }
}

/// The scheduler `text` of the table, for instance `heft` or `kind = "dcp", x = 1`.
pub(crate) fn scheduler(text: &str) -> Box<dyn Scheduler> {
    const KEYS: &[crate::registry::Key] =
        &[crate::registry::Key::new("scheduler", crate::registry::Kind::Component("scheduler")).about("")];
    let text = if text.contains('=') {
        format!("scheduler = {{ {text} }}")
    } else {
        format!("scheduler = \"{text}\"")
    };
    let mut registry = Registry::new();
    registry.table(table());
    let mut sources = Sources::new("");
    let id = sources.add("test.toml", &*text, "");
    let mut complaints = Vec::new();
    let node = Node::new(Value::Table(parse_file(&text, id, &mut complaints)), Span::new(id, 0..0));
    let node = check(&registry, &sources, &node, KEYS, &mut complaints).expect("nothing is wrong with it");
    assert!(complaints.is_empty(), "{complaints:?}");
    Params::new(&registry, &sources, &node).component("scheduler", "scheduler").expect("it can be built")
}

/// The end of the plan that a scheduler makes, in seconds.
pub(crate) fn planned(problem: &SchedulingProblem, scheduler: &dyn Scheduler) -> f64 {
    let standing = ExecutionState::all_open(&problem.graph);
    let view = View::new(problem, &standing, SimTime::ZERO, 0);
    scheduler.plan(&view).expect("there is a plan").end().as_secs_f64()
}

/// The tasks of each core that has some, with their starts, as a scheduler plans them; tasks count
/// from 1 as they are called.
fn columns(problem: &SchedulingProblem, scheduler: &dyn Scheduler) -> Vec<Vec<(u32, f64)>> {
    let standing = ExecutionState::all_open(&problem.graph);
    let plan = scheduler.plan(&View::new(problem, &standing, SimTime::ZERO, 0)).expect("there is a plan");
    let mut columns = vec![Vec::new(); problem.grid.cores().len()];
    for planned in plan.assignments {
        columns[planned.core.index()].push((planned.task.0 + 1, planned.start.as_secs_f64()));
    }
    columns.retain(|column| !column.is_empty());
    columns
}

/// A run of a problem by a scheduler.
pub(crate) fn run(problem: SchedulingProblem, text: &str, links: LinkOrder) -> Outcomes {
    let rule = NamedScheduler { name: text.to_owned(), scheduler: scheduler(text).into() };
    let execution = Execution { links, ..Execution::default() };
    executed(problem, &rule, execution).expect("every task ends")
}

/// A run of a problem.
pub(crate) fn executed(
    problem: SchedulingProblem,
    rule: &NamedScheduler,
    execution: Execution,
) -> Result<Outcomes, SimError> {
    execute(Rc::new(problem), rule, execution, Simulation::new(1), None)
}

/// Holds the makespan of a rule: planned, and executed without contention to the nanosecond.
fn makespan(instance: &Instance, hosts: usize, rule: &str, expected: f64) {
    let problem = instance.problem(hosts, false);
    let planned = planned(&problem, &*scheduler(rule));
    assert!((planned - expected).abs() < 1e-9, "{rule} on {hosts} hosts plans {planned}, not {expected}");
    let outcomes = run(problem, rule, LinkOrder::Free);
    for (task, record) in outcomes.tasks.iter().enumerate() {
        assert_eq!(record.planned, record.start.zip(record.end), "{rule}: task {} as planned", task + 1);
    }
    assert_eq!(outcomes.makespan().map(SimTime::as_secs_f64), Some(planned), "{rule}");
}

#[test]
fn ten_tasks_on_three_unrelated_hosts_have_the_published_makespans() {
    for (rule, expected) in [
        ("heft", 80.0),
        ("cpop", 86.0),
        ("dls", 91.0),
        ("dls-dagsim", 80.0),
        ("peft", 85.0),
        ("lookahead-heft", 76.0),
        ("hcpt", 91.0),
        ("sequential", 127.0),
        ("min-min", 76.0),
        ("max-min", 97.0),
        ("sufferage", 76.0),
        ("mct", 88.0),
        ("olb", 114.0),
    ] {
        makespan(&T10, 3, rule, expected);
    }
}

#[test]
fn ten_tasks_have_the_published_ranks_and_places() {
    let problem = T10.problem(3, false);
    let standing = ExecutionState::all_open(&problem.graph);
    let view = View::new(&problem, &standing, SimTime::ZERO, 0);
    let up = upward(&view, &mean_executions(&view), Data::Counts);
    let published = [108.0, 77.0, 80.0, 80.0, 69.0, 63.333, 42.667, 35.667, 44.333, 14.667];
    for (rank, published) in up.iter().zip(published) {
        assert!((rank - published).abs() < 1e-3, "{rank} is not {published}");
    }
    let path: Vec<u32> = critical_path(&view, &up).iter().map(|task| task.0 + 1).collect();
    assert_eq!(path, [1, 2, 9, 10]);
    let costs = OptimisticCosts::new(&view);
    assert!((costs.mean(TaskNumber(0)) - 139.0 / 3.0).abs() < 1e-9 && costs.mean(TaskNumber(9)).abs() < 1e-9);
    let heft = [
        vec![(2, 27.0), (8, 57.0)],
        vec![(4, 18.0), (6, 26.0), (9, 56.0), (10, 73.0)],
        vec![(1, 0.0), (3, 9.0), (5, 28.0), (7, 38.0)],
    ];
    assert_eq!(columns(&problem, &*scheduler("heft")), heft);
    let plan = scheduler("cpop").plan(&view).expect("there is a plan");
    assert!(path.iter().all(|task| plan.of(TaskNumber(task - 1)).is_some_and(|planned| planned.core.0 == 1)));
}

#[test]
fn nine_tasks_on_hosts_that_are_alike_have_the_published_makespans() {
    for (rule, expected) in [
        ("heft", 16.0),
        ("mcp", 16.0),
        ("dls", 19.0),
        ("dls-dagsim", 17.0),
        ("peft", 17.0),
        ("cpop", 17.0),
        ("lookahead-heft", 17.0),
        ("sequential", 30.0),
        ("etf", 19.0),
        ("hlfet", 19.0),
        ("min-min", 17.0),
        ("sufferage", 17.0),
        ("max-min", 20.0),
    ] {
        let most = if ["heft", "mcp", "dls", "dls-dagsim", "etf", "hlfet"].contains(&rule) { 5 } else { 3 };
        for hosts in 3..=most {
            makespan(&K9, hosts, rule, expected);
        }
    }
    for rule in ["heft", "mcp"] {
        makespan(&K9, 2, rule, 19.0);
    }
    makespan(&K9, 1, "heft", 30.0);
}

#[test]
fn a_fork_and_join_by_heft_takes_as_long_as_hosts_are_few() {
    for (hosts, expected) in [(1, 28.0), (2, 19.0), (4, 16.0)] {
        makespan(&F6, hosts, "heft", expected);
    }
}

#[test]
fn dynamic_critical_paths_have_the_worked_makespans() {
    makespan(&K9, 9, "dcp", 16.0);
    makespan(&F6, 4, "dcp", 16.0);
    makespan(&CHAIN, 5, "dcp", 25.0);
    makespan(&M7, 7, "dcp", 27.0);
    makespan(&M7, 7, "kind = \"dcp\", critical-child = \"least-mobility\"", 28.0);
    makespan(&M7, 7, "kind = \"dcp\", tail = \"gap\"", 31.0);
    for (instance, hosts) in [(&K9, 9), (&F6, 6), (&CHAIN, 5), (&M7, 7)] {
        for rule in ["kind = \"dcp-dagsim\"", "kind = \"dcp-dagsim\", cautious = true"] {
            let problem = instance.problem(hosts, false);
            let planned = planned(&problem, &*scheduler(rule));
            let ended = run(problem, rule, LinkOrder::Free).makespan().map(SimTime::as_secs_f64);
            assert_eq!(ended, Some(planned), "{rule}");
        }
    }
}

#[test]
fn nine_tasks_have_the_published_starts_before_any_has_a_place() {
    let problem = K9.problem(9, false);
    let standing = ExecutionState::all_open(&problem.graph);
    let view = View::new(&problem, &standing, SimTime::ZERO, 0);
    let mut spans = OfTasks::new(&view, 0);
    for (task, seconds) in view.tasks().zip(K9.seconds) {
        spans[task] = (seconds[0] * 1e9) as u64;
    }
    let starts = Starts::new(&view, spans, view.mean_transfer(), false);
    let of = |nanos: &dyn Fn(TaskNumber) -> u64| -> Vec<u64> {
        problem.graph.tasks().map(|task| nanos(task) / 1_000_000_000).collect()
    };
    assert_eq!(of(&|task| starts.start(task)), [0, 6, 3, 3, 3, 10, 12, 8, 22]);
    assert_eq!(of(&|task| starts.length() - starts.behind(task)), [0, 8, 9, 8, 18, 13, 12, 13, 22]);
    assert_eq!(starts.length(), 23_000_000_000);
}

#[test]
fn seven_tasks_differ_by_the_reading_of_the_critical_path() {
    let problem = M7.problem(7, false);
    let max_start = [vec![(1, 0.0), (2, 5.0), (3, 6.0), (6, 14.0)], vec![(4, 11.0), (5, 15.0), (7, 22.0)]];
    assert_eq!(columns(&problem, &*scheduler("dcp")), max_start);
    let tasks = |problem: &SchedulingProblem, rule: &str| -> Vec<Vec<u32>> {
        let columns = columns(problem, &*scheduler(rule));
        columns.into_iter().map(|column| column.into_iter().map(|(task, _)| task).collect()).collect()
    };
    let rule = "kind = \"dcp\", critical-child = \"least-mobility\"";
    assert_eq!(tasks(&problem, rule), [vec![1, 3, 6], vec![2, 4, 5, 7]]);
    let gap = tasks(&problem, "kind = \"dcp\", tail = \"gap\"");
    assert!(gap.len() == 1 && gap[0].len() == 7, "all on one: {gap:?}");
    assert_eq!(tasks(&CHAIN.problem(5, false), "dcp"), [vec![1, 2, 3, 4, 5]]);
    makespan(&M7, 7, "heft", 27.0);
    makespan(&M7, 7, "sequential", 31.0);
}

#[test]
fn steps_that_lengthen_the_path_are_counted() {
    // ten seconds on the mean host, twenty on the first; the slowest host, which caution expects,
    // takes as long
    let alone = Instance { seconds: &[&[10.0]], edges: &[] };
    let problem =
        alone.problem_where(2, false, |number, host| Host { speeds: vec![0.5 + number as f64], ..host });
    let standing = ExecutionState::all_open(&problem.graph);
    let view = View::new(&problem, &standing, SimTime::ZERO, 0);
    for (rule, lengthened) in [("cautious = false", 1), ("cautious = true", 0)] {
        let plan = scheduler(&format!("kind = \"dcp-dagsim\", {rule}")).plan(&view).expect("there is a plan");
        assert_eq!((plan.end(), plan.lengthened), (at(20), Some(lengthened)), "{rule}");
    }
    assert_eq!(scheduler("heft").plan(&view).expect("there is a plan").lengthened, None);
}

#[test]
fn the_critical_path_wants_an_unused_host() {
    for rule in ["dcp", "dcp-dagsim"] {
        let problem = F6.problem(3, false);
        let standing = ExecutionState::all_open(&problem.graph);
        let plan = scheduler(rule).plan(&View::new(&problem, &standing, SimTime::ZERO, 0));
        assert!(matches!(plan, Err(CannotPlan::GridTooSmall(_))), "{rule}: {plan:?}");
        assert!((planned(&F6.problem(4, false), &*scheduler(rule)) - 16.0).abs() < 1e-9, "{rule}");
    }
}

#[test]
fn one_link_for_all_carries_in_planned_order_or_shares() {
    let ended = |links| run(F6.problem(4, true), "heft", links).makespan().map(SimTime::as_secs_f64);
    assert_eq!(ended(LinkOrder::Free), Some(16.0));
    assert_eq!(ended(LinkOrder::Planned), Some(22.0));
    let flow = crate::platform::network::Flow::default();
    assert_eq!(ended(LinkOrder::Network(Rc::new(flow))), Some(28.0));
}

#[test]
fn self_scheduling_computes_every_task_after_its_data() {
    for order in ["file", "rank", "random"] {
        for instance in [&T10, &K9, &F6] {
            let text = format!("kind = \"self-scheduling\", order = \"{order}\"");
            let outcomes = run(instance.problem(3, false), &text, LinkOrder::Planned);
            for edge in outcomes.graph().edges() {
                let [from, to] = [edge.from, edge.to].map(|task| &outcomes.tasks[task.index()]);
                assert!(from.end <= to.ready && to.ready <= to.start, "{order}: {edge:?}");
            }
            assert!(outcomes.makespan().is_some_and(|makespan| makespan > SimTime::ZERO), "{order}");
        }
    }
}

/// An instant of so many seconds.
pub(crate) fn at(seconds: u64) -> SimTime {
    SimTime::from_nanos(seconds * 1_000_000_000)
}

/// A trace that is above 0 but between these two seconds.
pub(crate) fn down_between(from: u64, to: u64) -> Trace {
    Trace::new(&[(at(from), 0.0), (at(to), 1.0)], None).expect("a trace")
}

#[test]
fn a_host_that_fails_loses_its_tasks_and_a_plan_is_made_again() {
    let problem = || {
        F6.problem_where(2, false, |number, host| {
            if number == 1 { Host { working: down_between(6, 30), ..host } } else { host }
        })
    };
    let with = |replan, keep_data| {
        let rule = NamedScheduler { name: "heft".to_owned(), scheduler: scheduler("heft").into() };
        let execution = Execution { links: LinkOrder::Planned, replan, keep_data, ..Execution::default() };
        execute(Rc::new(problem()), &rule, execution, Simulation::new(1), None)
    };
    let lost = with(Replan::Never, false).expect_err("a task is lost").to_string();
    assert!(lost.contains("was lost when host `h1` failed at"), "{lost}");
    let outcomes = with(Replan::OnFailure, false).expect("every task ends");
    // all on the host that is left: 2, then four times 6, then 2
    assert_eq!(outcomes.makespan().map(SimTime::as_secs_f64), Some(28.0));
    assert_eq!(outcomes.plans.len(), 2);
    assert!(outcomes.tasks.iter().any(|task| task.attempts == 2));
}

#[test]
fn a_stream_of_graphs_is_planned_as_each_arrives() {
    let workflow = Arc::new(F6.workflow());
    for merge in [Merge::Append, Merge::Interleave] {
        let grid = F6.problem(2, false).grid;
        let copies = (0..3).map(|copy| (format!("{copy}"), at(5 * copy), Arc::clone(&workflow)));
        let graph = Arc::new(Graph::new(copies));
        let problem = SchedulingProblem::new(graph, grid, Prediction::default(), Contention::Free);
        let rule = NamedScheduler { name: "heft".to_owned(), scheduler: scheduler("heft").into() };
        let execution = Execution { links: LinkOrder::Free, merge, ..Execution::default() };
        let outcomes =
            execute(Rc::new(problem), &rule, execution, Simulation::new(1), None).expect("every task ends");
        assert_eq!(outcomes.plans.len(), 3);
        for application in outcomes.graph().applications() {
            let starts = application.tasks().map(|task| outcomes.tasks[task.index()].start);
            assert!(starts.min().flatten() >= Some(application.arrival), "{merge:?}: {}", application.name);
        }
        // 84 seconds of work on two cores
        assert!(outcomes.makespan() >= Some(at(42)), "{merge:?}");
    }
}

#[test]
fn plans_made_again_move_nothing_that_has_started() {
    for replan in [
        Replan::Every(1),
        Replan::Every(3),
        Replan::Period(SimDuration::from_secs(7)),
        Replan::OnDeviation(0.01),
    ] {
        for rule in ["heft", "min-min", "etf"] {
            let rule = NamedScheduler { name: rule.to_owned(), scheduler: scheduler(rule).into() };
            let mut problem = T10.problem_where(3, false, |number, host| {
                let changes = Trace::new(&[(at(4 + number as u64), 0.5)], None).expect("a trace");
                Host { availability: changes, ..host }
            });
            problem.prediction = Prediction { knowledge: Knowledge::Now, error: None };
            let execution = Execution { links: LinkOrder::Planned, replan, ..Execution::default() };
            let outcomes = execute(Rc::new(problem), &rule, execution, Simulation::new(1), None)
                .expect("every task ends");
            assert!(outcomes.plans.len() > 1, "{replan:?}");
            assert!(outcomes.tasks.iter().all(|task| task.attempts == 1), "{replan:?}");
        }
    }
}
