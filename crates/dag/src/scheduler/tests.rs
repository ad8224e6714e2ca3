//! All rules on random problems, and what they make of the worked instances.

use std::sync::Arc;

use proptest::prelude::*;

use crate::collections::OrderedMap;
use crate::execution::{Attempts, Execution, LinkOrder, Outcomes, Replan};
use crate::kernel::rng::{Stream, Streams};
use crate::kernel::{SimDuration, SimTime};
use crate::model::graph::Graph;
use crate::model::grid::{Core, CoresUsed, Grid};
use crate::model::prediction::{Prediction, PredictionError, PredictionQuestion};
use crate::planning::plan::{PlannedTask, TaskPlan};
use crate::planning::plan_file::{WrittenPlan, WrittenTask};
use crate::planning::view::{ExecutionState, View};
use crate::platform::{Builder, Host, Link, Trace};
use crate::registry::Catalogue;
use crate::results::bounds::LowerBounds;
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::{Fixed, LocalSearch, NamedScheduler, Optimal, Scheduler, table};
use crate::tests::{CHAIN, F6, K9, M7, T10, at, executed, planned, scheduler};
use crate::workflow::{Draft, EdgeOrigin, Spot, Task, TaskNumber, VertexKind, Workflow};
use crate::{CannotPlan, Contention, SchedulingProblem};

/// Properties of random problems.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Like {
    pub(crate) tasks: u64,
    pub(crate) hosts: u64,
    /// Loads that change, pairs that are void, or predictions that are wrong.
    pub(crate) changes: bool,
    pub(crate) void: bool,
    pub(crate) wrong: bool,
    /// Cores that tasks ask for at most, and that the first host has; 0 where all ask for one.
    pub(crate) width: u64,
    pub(crate) contention: Contention,
}

pub(crate) fn width(is_wide: bool) -> u64 {
    if is_wide { 4 } else { 0 }
}

pub(crate) fn contention(queued: bool) -> Contention {
    if queued { Contention::Queued } else { Contention::Free }
}

#[derive(Debug)]
struct Wrong;

impl PredictionError for Wrong {
    fn factor(&self, question: PredictionQuestion, sweep: u64) -> f64 {
        let [one, other] = match question {
            PredictionQuestion::Execution(task, host) => [task.0 as usize, host.index()],
            PredictionQuestion::Transfer(edge, from, to) => [edge.index(), from.index() * 7 + to.index()],
        };
        0.5 + Streams::new(sweep, 0).of("wrong", &one.to_string(), other as u64).uniform01()
    }
}

pub(crate) fn problem(seed: u64, like: Like) -> SchedulingProblem {
    let mut draws = Streams::new(seed, 0).stream("problem");
    let draw = &mut draws;
    let hosts = 1 + draw.below(like.hosts);
    let workflow = workflow(draw, hosts, like);
    on_platform(draw, Graph::of(workflow), hosts, like)
}

/// Workflows that arrive at these seconds.
pub(crate) fn stream_of(seed: u64, arrivals: &[u64], like: Like) -> SchedulingProblem {
    let mut draws = Streams::new(seed, 0).stream("two");
    let draw = &mut draws;
    let hosts = 1 + draw.below(like.hosts);
    let one = |second: &u64| (format!("at {second}"), at(*second), Arc::new(workflow(draw, hosts, like)));
    let graph = Graph::new(arrivals.iter().map(one).collect::<Vec<_>>());
    on_platform(draw, graph, hosts, like)
}

fn workflow(draw: &mut Stream, hosts: u64, like: Like) -> Workflow {
    let count = 1 + draw.below(like.tasks);
    let mut draft = Draft::new("random");
    let is_unrelated = draw.below(3) == 0;
    for number in 0..count {
        let mut task = Task::new(number.to_string(), draw.below(20) as f64);
        if like.width > 0 && draw.below(2) == 0 {
            task.cores = 1 + draw.below(like.width) as u32;
        }
        let vertex = draft.define(task, VertexKind::Computation, Spot::NOWHERE);
        for host in (0..hosts).filter(|_| is_unrelated) {
            draft.time(vertex, &format!("h{host}"), 1.0 + draw.below(20) as f64, Spot::NOWHERE);
        }
    }
    for to in 1..count {
        for from in 0..to {
            if draw.below(count) < 3 {
                let [from, to] = [from, to].map(|number| draft.vertex(&number.to_string(), Spot::NOWHERE));
                let bytes = (draw.below(5) > 0).then(|| draw.below(20));
                draft.edge(from, to, bytes, EdgeOrigin::Parents, Spot::NOWHERE);
            }
        }
    }
    draft.finish().expect("it is right").0
}

fn on_platform(draw: &mut Stream, graph: Graph, hosts: u64, like: Like) -> SchedulingProblem {
    let grid = Grid::new(Arc::new(platform(draw, hosts, like)), CoresUsed::All);
    let prediction = if like.wrong { Prediction::wrong(Wrong) } else { Prediction::default() };
    SchedulingProblem::new(Arc::new(graph), grid, prediction, like.contention)
}

fn platform(draw: &mut Stream, hosts: u64, like: Like) -> crate::platform::Platform {
    let mut builder = Builder::new();
    let trace = |draw: &mut Stream| {
        let points: Vec<(SimTime, f64)> = (0..5)
            .map(|point| (SimTime::from_nanos(point * 7_000_000_000), 0.25 + draw.below(4) as f64 / 4.0))
            .collect();
        Trace::new(&points, Some(SimDuration::from_nanos(7_000_000_000))).expect("points of a test")
    };
    let alike = draw.below(2) == 0;
    let mut made = Vec::new();
    for host in 0..hosts {
        let speed = if alike { 1.0 } else { 0.5 + draw.below(4) as f64 / 2.0 };
        let cores = match like.width {
            0 => 1 + draw.below(2),
            width if host == 0 => width,
            width => 1 + draw.below(width),
        };
        let mut host = Host { cores: cores as u32, ..Host::new(format!("h{host}"), speed) };
        if like.changes {
            host.availability = trace(draw);
        }
        made.push(builder.host(host).expect("a host"));
    }
    for &from in &made {
        for &to in made.iter().filter(|to| **to != from) {
            if like.void && draw.below(4) == 0 {
                continue;
            }
            let mut link = Link::new(1.0 + draw.below(2) as f64, draw.below(2) as f64);
            if like.changes {
                link.bandwidth = trace(draw);
            }
            let link = builder.link(format!("{}-{}", from.index(), to.index()), link).expect("a link");
            builder.route(from, to, &[link]);
        }
    }
    builder.build()
}

fn plan(problem: &SchedulingProblem, rule: &dyn Scheduler) -> Result<TaskPlan, CannotPlan> {
    let standing = ExecutionState::all_open(&problem.graph);
    rule.plan(&View::new(problem, &standing, SimTime::ZERO, 0))
}

/// Every choice of so many of these.
fn subsets(cores: &[Core], count: usize) -> Vec<Vec<Core>> {
    match (cores, count) {
        (_, 0) => vec![Vec::new()],
        ([], _) => Vec::new(),
        ([first, rest @ ..], _) => {
            let with = subsets(rest, count - 1).into_iter().map(|others| [&[*first], &*others].concat());
            with.chain(subsets(rest, count)).collect()
        }
    }
}

/// Each task had as many cores as it asks for, of one host, and no core had two at once.
fn holds_its_cores(outcomes: &Outcomes) -> Result<(), TestCaseError> {
    let (grid, attempts) = (&outcomes.problem.grid, Attempts::of(outcomes));
    let mut free = vec![SimTime::ZERO; grid.cores().len()];
    for attempt in attempts.numbers().map(|number| attempts.get(number)) {
        let cores: Vec<Core> = grid.members(attempt.core).collect();
        prop_assert_eq!(cores.len() as u32, outcomes.graph().task(attempt.task).cores);
        prop_assert!(cores.iter().all(|core| grid.host_of(*core) == grid.host_of(attempt.core)));
        for core in cores {
            prop_assert!(free[core.index()] <= attempt.start, "{:?}", attempt);
            free[core.index()] = attempt.over().expect("it is over");
        }
    }
    Ok(())
}

/// The end of the shortest plan, every order of steps being tried.
fn shortest(schedule: &mut PartialSchedule<'_>) -> SimTime {
    let view = schedule.view();
    let graph = view.graph();
    let mut least = SimTime::MAX;
    let mut is_done = true;
    for task in graph.tasks().filter(|task| view.is_open(*task)).collect::<Vec<_>>() {
        let mut parents = graph.incoming(task).iter().map(|edge| graph.edge(*edge).from);
        if schedule.slot(task).is_some() || parents.any(|parent| schedule.slot(parent).is_none()) {
            is_done &= schedule.slot(task).is_some();
            continue;
        }
        is_done = false;
        let width = view.width(task) as usize;
        let choices = view.hosts().flat_map(|host| subsets(&view.cores_of(host).collect::<Vec<_>>(), width));
        for cores in choices {
            let Some(slot) = schedule.earliest(task, view.together(&cores), Search::Tail) else { continue };
            schedule.place(task, slot);
            least = least.min(shortest(schedule));
            schedule.take_back(task);
        }
    }
    let end = |task| schedule.slot(task).map_or(SimTime::ZERO, |slot| slot.end);
    if is_done { graph.tasks().map(end).max().unwrap_or_default() } else { least }
}

pub(crate) fn rules() -> impl Iterator<Item = &'static str> {
    table().rows().into_iter().map(|row| row.name).filter(|name| !["fixed", "portfolio"].contains(name))
}

#[test]
fn a_portfolio_has_the_plan_that_ends_first_and_its_reasons() {
    let problem = T10.problem(3, false);
    let of = scheduler("kind = \"portfolio\", of = [\"heft\", \"dcp\", \"lookahead-heft\", \"min-min\"]");
    let standing = ExecutionState::all_open(&problem.graph);
    let view = View::new(&problem, &standing, SimTime::ZERO, 0).explaining(Some(TaskNumber(0)));
    let plan = of.plan(&view).expect("there is a plan");
    // of equal plans that of the rule named first; dcp has none on so few hosts
    let said = view.reasons().expect("there are reasons").said;
    assert_eq!(
        said[0],
        "The plan of `lookahead-heft` is predicted to end first: `heft` 80 s, `lookahead-heft` 76 s, `min-min` 76 s"
    );
    let alone = scheduler("lookahead-heft").plan(&view).expect("there is a plan");
    assert_eq!(plan, alone);
    assert_eq!(view.reasons().expect("there are reasons").said, said[1..]);
    let without = scheduler("kind = \"portfolio\", of = [\"dcp\"]");
    assert!(matches!(without.plan(&view), Err(CannotPlan::GridTooSmall(_))));
}

#[test]
fn local_search_shortens_the_plan_of_heft() {
    let ten = T10.problem(3, false);
    let ends = [0, 10, 300, 1_000_000].map(|placements| planned(&ten, &LocalSearch { placements }));
    // no move of one task makes 79 shorter, although the optimum is 73
    assert_eq!(ends.map(Some), [80.0, 80.0, 79.0, 79.0].map(Some));
    let mut shorter = 0;
    for seed in 0..20 {
        let problem = problem(seed, Like { tasks: 19, hosts: 4, ..Like::default() });
        let [heft, searched] = ["heft", "local-search"].map(|rule| planned(&problem, &*scheduler(rule)));
        assert!(searched <= heft, "{seed}: {searched} is longer than {heft}");
        shorter += u32::from(searched < heft);
    }
    assert!(shorter > 2, "{shorter} of 20 plans of HEFT became shorter");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn every_rule_plans_what_then_happens(seed: u64, tasks in 1_u64..20, void: bool, wide: bool) {
        // self-scheduling makes no plan
        for name in rules().filter(|name| *name != "self-scheduling") {
            let like = Like { tasks, hosts: 6, void, width: width(wide), ..Like::default() };
            let like = Like { contention: Contention::Free, ..like };
            let problem = problem(seed, like);
            let rule = NamedScheduler { name: name.to_owned(), scheduler: if name == "optimal" {
                std::rc::Rc::new(Optimal { nodes: 200 })
            } else {
                scheduler(name).into()
            } };
            let planned = match plan(&problem, &*rule.scheduler) {
                Ok(plan) => plan,
                Err(CannotPlan::GridTooSmall(_)) if name.starts_with("dcp") => continue,
                Err(CannotPlan::NoHost { .. } | CannotPlan::Own(_)) if void => continue,
                Err(why) => return Err(TestCaseError::fail(format!("{name}: {why}"))),
            };
            let lower = LowerBounds::of(&problem).lower();
            prop_assert!(planned.end().as_secs_f64() >= lower - 1e-9, "{}: below the bound {}", name, lower);
            let execution = Execution { links: LinkOrder::Free, ..Execution::default() };
            let outcomes = executed(problem, &rule, execution);
            let outcomes = outcomes.map_err(|why| TestCaseError::fail(format!("{name}: {why}")))?;
            for record in &outcomes.tasks {
                prop_assert_eq!(record.planned, record.start.zip(record.end), "{}", name);
            }
            holds_its_cores(&outcomes)?;
        }
    }

    #[test]
    fn every_rule_plans_again_in_progress(
        seed: u64, tasks in 1_u64..16, changes: bool, wrong: bool, queued: bool, append: bool, wide: bool,
    ) {
        let contention = contention(queued);
        let like = Like { tasks, hosts: 5, changes, wrong, width: width(wide), contention, ..Like::default() };
        let links = || if queued { LinkOrder::Planned } else { LinkOrder::Free };
        for name in rules() {
            let scheduler: std::rc::Rc<dyn Scheduler> = if name == "optimal" {
                std::rc::Rc::new(Optimal { nodes: 100 })
            } else {
                scheduler(name).into()
            };
            let rule = NamedScheduler { name: name.to_owned(), scheduler };
            let (problem, execution) = if append {
                (stream_of(seed, &[0, 9], like), Execution { links: links(), ..Execution::default() })
            } else {
                let replan = Replan::Every(2);
                (problem(seed, like), Execution { links: links(), replan, ..Execution::default() })
            };
            match executed(problem, &rule, execution) {
                Ok(outcomes) => {
                    prop_assert!(outcomes.makespan().is_some(), "{}", name);
                    holds_its_cores(&outcomes)?;
                }
                Err(why) => {
                    let is_small = name.starts_with("dcp") && why.to_string().contains("too small");
                    prop_assert!(is_small, "{}: {}", name, why);
                }
            }
        }
    }

    #[test]
    fn the_optimum_is_that_of_all_orders(seed: u64, void: bool, wide: bool) {
        let (tasks, hosts) = if wide { (4, 2) } else { (5, 3) };
        let problem = problem(seed, Like { tasks, hosts, void, width: width(wide), ..Like::default() });
        let standing = ExecutionState::all_open(&problem.graph);
        let view = View::new(&problem, &standing, SimTime::ZERO, 0);
        let shortest = shortest(&mut PartialSchedule::new(&view));
        match (Optimal { nodes: 1 << 40 }).plan(&view) {
            Ok(plan) => {
                prop_assert_eq!(plan.end(), shortest);
                prop_assert_eq!(plan.bound, Some(shortest));
                match (Optimal { nodes: 3 }).plan(&view) {
                    Ok(few) => {
                        prop_assert!(few.end() >= shortest);
                        prop_assert!(few.bound.is_some_and(|bound| bound <= shortest));
                    }
                    // a void pair stopped the plan that it begins with
                    Err(_) => prop_assert!(void),
                }
            }
            Err(_) => prop_assert_eq!(shortest, SimTime::MAX),
        }
    }
}

#[test]
fn the_optima_of_the_worked_instances_are_found() {
    for (instance, hosts, expected) in [
        (&T10, 3, 73.0),
        (&K9, 2, 17.0),
        (&K9, 3, 16.0),
        (&K9, 4, 16.0),
        (&M7, 2, 27.0),
        (&M7, 3, 27.0),
        (&CHAIN, 3, 25.0),
    ] {
        let problem = instance.problem(hosts, false);
        let plan = plan(&problem, &*scheduler("optimal")).expect("there is a plan");
        assert!((plan.end().as_secs_f64() - expected).abs() < 1e-9, "{} on {hosts}", plan.end());
        assert_eq!(plan.bound, Some(plan.end()), "it is known to be the optimum");
    }
}

#[test]
fn ten_tasks_take_few_steps() {
    let problem = T10.problem(3, false);
    let plan = plan(&problem, &*scheduler("kind = \"optimal\", nodes = 33000")).expect("there is a plan");
    assert_eq!(plan.bound, Some(plan.end()), "the search came to its end");
}

#[test]
fn a_search_that_is_cut_off_has_a_bound() {
    let problem = T10.problem(3, false);
    let plan = plan(&problem, &*scheduler("kind = \"optimal\", nodes = 100")).expect("there is a plan");
    let [end, bound] = [Some(plan.end()), plan.bound].map(|at| at.expect("it is known").as_secs_f64());
    assert!((73.0..=80.0).contains(&end) && (41.0..73.0).contains(&bound), "{end} {bound}");
}

#[test]
fn bounds_of_the_worked_instances() {
    let of = |instance: &crate::tests::Instance, hosts| LowerBounds::of(&instance.problem(hosts, false));
    let ten = of(&T10, 3);
    assert!((ten.path - 41.0).abs() < 1e-9 && (ten.area - 91.0 / 3.0).abs() < 1e-9, "{ten:?}");
    assert!(
        (ten.lower() - 41.0).abs() < 1e-9
            && ten.gap(SimTime::from_nanos(82_000_000_000)).is_some_and(|gap| (gap - 1.0).abs() < 1e-9)
    );
    assert!((of(&M7, 2).path - 23.0).abs() < 1e-9 && (of(&M7, 1).lower() - 31.0).abs() < 1e-9);
    assert!((of(&F6, 4).path - 10.0).abs() < 1e-9 && (of(&F6, 4).area - 7.0).abs() < 1e-9);
}

#[test]
fn where_parents_have_to_end_the_first_tasks_are_placed_first() {
    let finished = scheduler("kind = \"dls-dagsim\", constant = 0.9, ready = \"finished\"");
    let plan = plan(&K9.problem(3, false), &*finished).expect("there is a plan");
    assert_eq!(plan.of(TaskNumber(0)).map(|planned| planned.start), Some(SimTime::ZERO));
    assert_eq!(plan.assignments.len(), 9);
}

#[test]
fn hosts_by_chance_follow_from_seed_and_name() {
    let columns = |seed| {
        let problem = K9.problem(5, false).with_streams(Streams::new(seed, 0));
        let plan = plan(&problem, &*scheduler("random")).expect("there is a plan");
        let mut cores: Vec<_> = plan.assignments.iter().map(|planned| (planned.task, planned.core)).collect();
        cores.sort_unstable();
        cores
    };
    assert_eq!(columns(1), columns(1));
    assert_ne!(columns(1), columns(2));
}

#[test]
fn one_core_after_another_has_a_task() {
    let plan = plan(&F6.problem(4, false), &*scheduler("round-robin")).expect("there is a plan");
    let core = |task| plan.of(TaskNumber(task)).expect("it is planned").core.0;
    assert_eq!([0, 1, 2, 3, 4, 5].map(core), [0, 1, 2, 3, 0, 1]);
}

fn fixed(tasks: &[(&str, &str, u32)]) -> Fixed {
    let planned = |(line, &(task, host, core)): (u64, &(&str, &str, u32))| WrittenTask {
        task: task.to_owned(),
        host: host.to_owned(),
        core,
        further: Vec::new(),
        line,
        transfers: None,
        spots: [Spot::NOWHERE; 4],
    };
    let tasks = (1..).zip(tasks).map(planned).collect();
    Fixed::new("plan.json".to_owned(), WrittenPlan { tasks, text: String::new() })
}

#[test]
fn a_plan_is_made_again_from_its_file() {
    for rule in ["heft", "dcp", "random"] {
        let problem = M7.problem(7, false);
        let made = plan(&problem, &*scheduler(rule)).expect("there is a plan");
        let name = |planned: &PlannedTask| problem.graph.task(planned.task).name.to_string();
        let hosts: Vec<String> =
            made.assignments.iter().map(|planned| format!("h{}", planned.core.0)).collect();
        let names: Vec<String> = made.assignments.iter().map(name).collect();
        let tasks: Vec<(&str, &str, u32)> =
            names.iter().zip(&hosts).map(|(task, host)| (&**task, &**host, 0)).collect();
        assert_eq!(plan(&problem, &fixed(&tasks)).expect("it fits").assignments, made.assignments);
    }
}

#[test]
fn a_plan_that_does_not_fit_is_refused_with_all_its_mistakes() {
    let problem = CHAIN.problem(2, false);
    let bad = fixed(&[
        ("1", "h0", 0),
        ("2", "h9", 0),
        ("7", "h0", 0),
        ("3", "h1", 4),
        ("1", "h1", 0),
        ("4", "h0", 0),
    ]);
    let why = plan(&problem, &bad).expect_err("it does not fit").to_string();
    for part in [
        "line 2: there is no host `h9`",
        "line 3: there is no task `7`",
        "line 4: host `h1` has no core 4 of 1",
        "line 5: task `1` is in line 1 already",
        "task `5` is left out",
    ] {
        assert!(why.contains(part), "{why}");
    }
    let circle = fixed(&[("2", "h0", 0), ("1", "h0", 0), ("3", "h0", 0), ("4", "h0", 0), ("5", "h0", 0)]);
    let why = plan(&problem, &circle).expect_err("it goes round").to_string();
    assert!(
        why.contains("wait for each other: `1` for `2` before it on its core, `2` for its parent `1`"),
        "{why}"
    );
}

#[test]
fn assumptions_that_an_input_breaks_are_named() {
    let broken = |problem: &SchedulingProblem, rule: &str| -> OrderedMap<&'static str, String> {
        let broken = crate::planning::assumption::broken(scheduler(rule).assumptions(), problem);
        broken.into_iter().map(|broken| (broken.assumption.name(), broken.because)).collect()
    };
    assert_eq!(broken(&K9.problem(9, false), "dcp"), OrderedMap::new());
    let shared = broken(&K9.problem(3, true), "dcp");
    assert_eq!(shared["unlimited-hosts"], "there are 9 tasks and 3 cores");
    assert_eq!(
        shared["full-crossbar"],
        "the route from host `h0` to host `h2` shares link `wire` with another"
    );
    let unrelated = broken(&T10.problem(3, false), "dcp");
    assert_eq!(unrelated["homogeneous"], "task `1` takes another time on host `h1` than on host `h0`");
    let random = problem(3, Like { tasks: 20, hosts: 4, ..Like::default() });
    assert!(broken(&random, "cpop").contains_key("contention-free"));
}
