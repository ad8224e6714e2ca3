//! Tasks of several cores: where rules look for their places, and how plans with them are executed,
//! each against a slow second form.

use std::sync::Arc;

use proptest::prelude::*;

use crate::error::{CannotPlan, Unlawful};
use crate::execution::{Execution, LinkOrder, Outcomes};
use crate::kernel::rng::{Stream, Streams};
use crate::kernel::{SimDuration, SimError, SimTime};
use crate::model::graph::Graph;
use crate::model::grid::{Core, CoresUsed, Grid};
use crate::model::prediction::Prediction;
use crate::planning::plan::{PlannedTask, TaskPlan};
use crate::planning::plan_file::{WrittenPlan, WrittenTask};
use crate::planning::view::{ExecutionState, TimeSlot, View};
use crate::platform::{Builder, Host, HostId, Link};
use crate::results::bounds::LowerBounds;
use crate::results::critical_path::Slack;
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::tests::{Like, problem, width};
use crate::scheduler::{Fixed, NamedScheduler, Scheduler};
use crate::tests::{at, executed, scheduler};
use crate::workflow::{Draft, EdgeOrigin, Spot, Task, TaskNumber, VertexKind};
use crate::{Contention, SchedulingProblem, critical_path};

/// Tasks by cores and seconds, and edges with bytes, counted from 0; hosts by their cores, with a
/// link of a byte a second each way.
fn on_hosts(tasks: &[(u32, u64)], edges: &[(usize, usize, u64)], cores: &[u32]) -> SchedulingProblem {
    let mut draft = Draft::new("wide");
    for (number, (cores, seconds)) in tasks.iter().enumerate() {
        let task = Task { cores: *cores, ..Task::new(format!("t{number}"), *seconds as f64) };
        draft.define(task, VertexKind::Computation, Spot::NOWHERE);
    }
    for &(from, to, bytes) in edges {
        let [from, to] = [from, to].map(|number| draft.vertex(&format!("t{number}"), Spot::NOWHERE));
        draft.edge(from, to, Some(bytes), EdgeOrigin::Parents, Spot::NOWHERE);
    }
    let mut builder = Builder::new();
    let host =
        |(number, cores): (usize, &u32)| Host { cores: *cores, ..Host::new(format!("h{number}"), 1.0) };
    let made: Vec<HostId> =
        cores.iter().enumerate().map(|one| builder.host(host(one)).expect("a host")).collect();
    for &from in &made {
        for &to in made.iter().filter(|to| **to != from) {
            let name = format!("{}-{}", from.index(), to.index());
            let link = builder.link(name, Link::new(1.0, 0.0)).expect("a link");
            builder.route(from, to, &[link]);
        }
    }
    let grid = Grid::new(Arc::new(builder.build()), CoresUsed::All);
    let graph = Graph::of(draft.finish().expect("it is right").0);
    SchedulingProblem::new(Arc::new(graph), grid, Prediction::default(), Contention::Free)
}

/// A plan that is given.
#[derive(Debug)]
struct Given(TaskPlan);

impl Scheduler for Given {
    fn plan(&self, _: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        Ok(self.0.clone())
    }
}

fn execute(problem: SchedulingProblem, rule: Box<dyn Scheduler>, wait: bool) -> Result<Outcomes, SimError> {
    let rule = NamedScheduler { name: "rule".to_owned(), scheduler: rule.into() };
    let execution = Execution { links: LinkOrder::Free, work_conserving: !wait, ..Execution::default() };
    executed(problem, &rule, execution)
}

fn run(problem: SchedulingProblem, rule: &str) -> Outcomes {
    execute(problem, scheduler(rule), true).expect("every task ends")
}

/// Cores of its host, start and end of each task.
fn places(outcomes: &Outcomes) -> Vec<(Vec<u32>, u64, u64)> {
    let grid = &outcomes.problem.grid;
    let seconds = |at: Option<SimTime>| at.expect("it has ended").as_nanos() / 1_000_000_000;
    let place = |number: usize| {
        let record = &outcomes.tasks[number];
        let cores = grid.members(record.core.expect("it has a place")).map(|core| grid.rank(core)).collect();
        (cores, seconds(record.start), seconds(record.end))
    };
    (0..outcomes.tasks.len()).map(place).collect()
}

#[test]
fn a_task_holds_the_lowest_of_the_cores_that_are_free_when_as_many_are() {
    // two of three cores compute from 0 to 4 and to 6; two cores are free from 4 on
    let three = || on_hosts(&[(1, 4), (1, 6), (2, 5), (1, 4)], &[], &[3]);
    let mct = [(vec![0], 0, 4), (vec![1], 0, 6), (vec![0, 2], 4, 9), (vec![1], 6, 10)];
    assert_eq!(places(&run(three(), "mct")), mct);
    // with insertion the last task finds the gap before it
    let heft = places(&run(three(), "hcpt"));
    assert_eq!(heft.iter().map(|(_, _, end)| *end).max(), Some(9), "{heft:?}");
    // sequential: one after another on the first cores
    let one_by_one = [(vec![0], 0, 4), (vec![0], 4, 10), (vec![0, 1], 10, 15), (vec![0], 15, 19)];
    assert_eq!(places(&run(three(), "sequential")), one_by_one);
}

#[test]
fn an_idle_core_keeps_itself_for_a_task_of_several_that_fits_nowhere() {
    let two = on_hosts(&[(1, 3), (2, 1), (1, 2)], &[], &[2]);
    let kept = [(vec![0], 0, 3), (vec![0, 1], 3, 4), (vec![0], 4, 6)];
    assert_eq!(places(&run(two, "self-scheduling")), kept);
    // on another host there is room
    let more = on_hosts(&[(1, 3), (2, 1), (1, 2)], &[], &[2, 2]);
    let elsewhere = [(vec![0], 0, 3), (vec![0, 1], 0, 1), (vec![1], 0, 2)];
    assert_eq!(places(&run(more, "self-scheduling")), elsewhere);
}

#[test]
fn a_task_behind_one_of_several_cores_goes_on_if_the_execution_is_work_conserving() {
    // core 0: a, then both; core 1: both, then c
    let plan = |problem: &SchedulingProblem| {
        let both = problem.grid.together(&[Core(0), Core(1)]);
        let task = |task, core, start| PlannedTask {
            task: TaskNumber(task),
            core,
            start: at(start),
            end: at(start + 1),
        };
        let assignments = vec![task(0, Core(0), 0), task(1, both, 3), task(2, Core(1), 5)];
        Box::new(Given(TaskPlan { assignments, ..TaskPlan::default() }))
    };
    for (wait, expected) in [(true, [3, 4, 6]), (false, [3, 4, 2])] {
        let problem = on_hosts(&[(1, 3), (2, 1), (1, 2)], &[], &[2]);
        let plan = plan(&problem);
        let outcomes = execute(problem, plan, wait).expect("every task ends");
        let ends: Vec<u64> = places(&outcomes).into_iter().map(|(_, _, end)| end).collect();
        assert_eq!(ends, expected);
    }
}

#[test]
fn plans_with_other_cores_than_a_task_asks_for_are_unlawful() {
    let refused = |cores: &[u32]| {
        let problem = on_hosts(&[(2, 3)], &[], &[2, 3]);
        let core = problem.grid.together(&cores.iter().map(|core| Core(*core)).collect::<Vec<_>>());
        let assignments = vec![PlannedTask { task: TaskNumber(0), core, start: at(0), end: at(3) }];
        let plan = Box::new(Given(TaskPlan { assignments, ..TaskPlan::default() }));
        execute(problem, plan, true).map(|_| ()).map_err(|why| why.to_string())
    };
    assert_eq!(refused(&[2, 4]), Ok(()));
    for (cores, why) in [
        (&[3][..], Unlawful::Cores("t0".to_owned(), 2, 1)),
        (&[2, 3, 4], Unlawful::Cores("t0".to_owned(), 2, 3)),
        (&[1, 2], Unlawful::Apart("t0".to_owned())),
        (&[4, 9], Unlawful::NoCore("t0".to_owned(), 5, 5)),
        (&[9], Unlawful::NoCore("t0".to_owned(), 9, 5)),
    ] {
        let refused = refused(cores).expect_err("it is unlawful");
        assert!(refused.contains(&why.to_string()), "{refused}");
    }
}

#[test]
fn a_plan_file_has_the_cores_of_each_task_and_says_where_they_do_not_fit() {
    let written = |line: u64, task: &str, core: u32, further: &[u32]| WrittenTask {
        task: task.to_owned(),
        host: "h0".to_owned(),
        core,
        further: further.to_vec(),
        line,
        transfers: None,
        spots: [Spot::NOWHERE; 4],
    };
    let by = |tasks: Vec<WrittenTask>| {
        let plan = WrittenPlan { tasks, text: String::new() };
        let problem = on_hosts(&[(1, 4), (2, 5), (2, 3)], &[(1, 2, 1)], &[3]);
        execute(problem, Box::new(Fixed::new("plan.json".to_owned(), plan)), true)
    };
    let fits = by(vec![written(1, "t0", 2, &[]), written(2, "t1", 2, &[0]), written(3, "t2", 0, &[1])]);
    let places = places(&fits.expect("it fits"));
    assert_eq!(places, [(vec![2], 0, 4), (vec![0, 2], 4, 9), (vec![0, 1], 9, 12)]);
    let bad = [written(1, "t0", 2, &[1]), written(2, "t1", 2, &[7]), written(3, "t2", 0, &[])];
    let why = by(bad.to_vec()).expect_err("it does not fit").to_string();
    for part in [
        "line 1: task `t0` asks for 1 of the cores of a host and is on 2",
        "line 2: host `h0` has no core 7 of 3",
        "line 3: task `t2` asks for 2 of the cores of a host and is on 1",
    ] {
        assert!(why.contains(part), "{why}");
    }
    let round = by(vec![written(1, "t2", 0, &[1]), written(2, "t0", 2, &[]), written(3, "t1", 2, &[1])]);
    let why = round.expect_err("it goes round").to_string();
    assert!(why.contains("tasks would wait for each other"), "{why}");
}

#[test]
fn orders_of_cores_that_contradict_each_other_are_a_circle() {
    // core 0 has the first before the second, core 1 the second before the first: by no list, which
    // has each once; by an edge it can
    let problem = on_hosts(&[(2, 3), (1, 1)], &[(1, 0, 1)], &[2]);
    let both = problem.grid.together(&[Core(0), Core(1)]);
    let task = |task, core| PlannedTask { task: TaskNumber(task), core, start: at(0), end: at(3) };
    let plan = TaskPlan { assignments: vec![task(0, both), task(1, Core(1))], ..TaskPlan::default() };
    let refused = execute(problem, Box::new(Given(plan)), true).expect_err("it goes round").to_string();
    assert!(refused.contains("`t0` for its parent `t1`, `t1` for `t0` before it on its core"), "{refused}");
}

#[test]
fn a_task_that_asks_for_more_cores_than_any_host_has_is_named_with_both_numbers() {
    let problem = on_hosts(&[(1, 1), (4, 1)], &[], &[2, 3]);
    let standing = ExecutionState::all_open(&problem.graph);
    let view = View::new(&problem, &standing, SimTime::ZERO, 0);
    for rule in ["heft", "min-min", "dls", "mct", "optimal", "random", "dcp", "round-robin"] {
        let why = scheduler(rule).plan(&view).expect_err("no host can have it").to_string();
        let expected = "`t1`: it asks for 4 cores, and the most that a host has are the 3 cores of host `h1`";
        assert!(why.contains(expected), "{rule}: {why}");
    }
}

#[test]
fn every_core_counts_in_busy_time_and_in_the_bound_by_all_work() {
    // 2 x 6 and 3 x 4 seconds of cores on three, of which no two tasks fit side by side
    let problem = || on_hosts(&[(2, 6), (3, 4)], &[], &[3]);
    let bounds = LowerBounds::of(&problem());
    assert!((bounds.area - 8.0).abs() < 1e-12 && (bounds.path - 6.0).abs() < 1e-12, "{bounds:?}");
    let outcomes = run(problem(), "heft");
    assert_eq!(outcomes.makespan(), Some(at(10)));
    assert_eq!(outcomes.by_host(), [(2, SimDuration::from_secs(24))]);
    // the path goes back over whichever core was free last, and nothing has slack
    assert_eq!(critical_path(&outcomes).len(), 2);
    assert_eq!(Slack::of(&outcomes).executed, [SimDuration::ZERO; 2]);
}

/// The earliest slot on a host by looking at every instant at which something ends there, and at
/// every core for each.
fn plain_slot(
    view: &View<'_>,
    placed: &[(TaskNumber, TimeSlot)],
    (task, host, ready): (TaskNumber, HostId, SimTime),
    search: Search,
) -> Option<TimeSlot> {
    let on = |core: Core| {
        let has =
            move |(_, slot): &&(TaskNumber, TimeSlot)| view.members(slot.core).any(|member| member == core);
        placed.iter().filter(has).map(|(_, slot)| *slot)
    };
    let mut instants = vec![ready];
    for core in view.cores_of(host) {
        instants.extend(on(core).map(|slot| slot.end).filter(|end| *end > ready));
    }
    instants.sort_unstable();
    instants.into_iter().find_map(|start| {
        let end = start.saturating_add(view.execution(task, host, start)?);
        let is_free = |core: &Core| {
            on(*core).all(|slot| slot.end <= start || (search == Search::Gaps && slot.start >= end))
        };
        let free: Vec<Core> = view.cores_of(host).filter(is_free).take(view.width(task) as usize).collect();
        (free.len() == view.width(task) as usize).then(|| TimeSlot { core: view.together(&free), start, end })
    })
}

/// A plan of random places, and in which order; hosts of several cores with tasks of whole seconds.
fn drawn(seed: u64) -> (SchedulingProblem, TaskPlan) {
    let name = "wide";
    let mut draws = Streams::new(seed, 0).stream(name);
    let draw = &mut draws;
    let cores: Vec<u32> = (0..=draw.below(2)).map(|_| 1 + draw.below(4) as u32).collect();
    let most = u64::from(*cores.iter().max().expect("a host"));
    let count = 1 + draw.below(14) as usize;
    let tasks: Vec<(u32, u64)> =
        (0..count).map(|_| (1 + draw.below(most) as u32, 1 + draw.below(9))).collect();
    let mut edges = Vec::new();
    for to in 1..count {
        for from in 0..to {
            if draw.below(5) == 0 {
                edges.push((from, to, 1 + draw.below(9)));
            }
        }
    }
    let problem = on_hosts(&tasks, &edges, &cores);
    let mut assignments = Vec::new();
    for task in random_order(draw, &problem.graph) {
        let able: Vec<HostId> = problem.grid.hosts().filter(|host| problem.can_run(task, *host)).collect();
        let host = able[draw.below(able.len() as u64) as usize];
        let mut free: Vec<Core> = problem.grid.cores_of(host).collect();
        let mut held = Vec::new();
        for _ in 0..problem.width(task) {
            held.push(free.swap_remove(draw.below(free.len() as u64) as usize));
        }
        let core = problem.grid.together(&held);
        assignments.push(PlannedTask { task, core, start: at(0), end: at(0) });
    }
    (problem, TaskPlan { assignments, ..TaskPlan::default() })
}

/// Every task after its parents, in one of these orders.
fn random_order(draw: &mut Stream, graph: &Graph) -> Vec<TaskNumber> {
    let mut left: Vec<TaskNumber> = graph.tasks().collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let is_left = |edge: &crate::workflow::EdgeNumber| left.contains(&graph.edge(*edge).from);
        let next: Vec<usize> =
            (0..left.len()).filter(|place| !graph.incoming(left[*place]).iter().any(is_left)).collect();
        order.push(left.remove(next[draw.below(next.len() as u64) as usize]));
    }
    order
}

/// Starts by going through the seconds: at each, tasks in the order of the plan start whose data
/// are there and whose cores are idle, and, if they wait for their turn, before which nothing on
/// one of their cores is left.
fn plain_starts(problem: &SchedulingProblem, plan: &TaskPlan, wait: bool) -> Vec<u64> {
    let (graph, grid) = (&problem.graph, &problem.grid);
    let mut starts: Vec<Option<u64>> = vec![None; graph.len()];
    let seconds: Vec<u64> = graph.tasks().map(|task| graph.task(task).work as u64).collect();
    let place = |task: TaskNumber| plan.of(task).expect("it is planned").core;
    let mut now = 0;
    while starts.contains(&None) {
        let mut left: Vec<Core> = Vec::new();
        for planned in &plan.assignments {
            let task = planned.task;
            let end = |task: TaskNumber| starts[task.index()].map(|start| start + seconds[task.index()]);
            let cores: Vec<Core> = grid.members(planned.core).collect();
            if starts[task.index()].is_some() {
                continue;
            }
            let there = graph.incoming(task).iter().all(|edge| {
                let edge = graph.edge(*edge);
                let is_sent = grid.host_of(place(edge.from)) != grid.host_of(planned.core);
                let sent = if is_sent { edge.bytes.unwrap_or(0) } else { 0 };
                end(edge.from).is_some_and(|end| end + sent <= now)
            });
            let holds = |other: &PlannedTask| grid.members(other.core).any(|core| cores.contains(&core));
            let others = plan.assignments.iter().filter(|other| other.task != task && holds(other));
            let mut ends =
                others.filter(|other| starts[other.task.index()].is_some()).map(|other| end(other.task));
            let is_idle = ends.all(|end| end <= Some(now));
            let is_turn = !wait || !cores.iter().any(|core| left.contains(core));
            if there && is_idle && is_turn {
                starts[task.index()] = Some(now);
            } else {
                left.extend(cores);
            }
        }
        now += 1;
    }
    starts.into_iter().flatten().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_earliest_place_is_that_of_looking_at_every_instant_and_core(
        seed: u64, tasks in 1_u64..30, changes: bool, gaps: bool,
    ) {
        let problem = problem(seed, Like { tasks, hosts: 3, changes, width: width(true), ..Like::default() });
        let standing = ExecutionState::all_open(&problem.graph);
        let view = View::new(&problem, &standing, SimTime::ZERO, 0);
        let name = "places";
        let mut draws = Streams::new(seed, 1).stream(name);
        let mut schedule = PartialSchedule::new(&view);
        let mut placed = Vec::new();
        for task in view.open() {
            let able: Vec<HostId> = view.hosts().filter(|host| view.can_run(task, *host)).collect();
            let host = able[draws.below(able.len() as u64) as usize];
            let ready = schedule.ready(task, host).expect("all hosts are joined");
            let search = if gaps { Search::Gaps } else { Search::Tail };
            let plain = plain_slot(&view, &placed, (task, host, ready), search);
            let mut slots = view.cores_of(host).filter_map(|core| schedule.slot_on(task, core, ready, search));
            if view.width(task) > 1 {
                prop_assert!(slots.all(|slot| Some(slot) == plain), "{:?}", plain);
            } else {
                prop_assert_eq!(slots.min_by_key(|slot| (slot.start, slot.core)), plain);
            }
            let slot = plain.expect("every host computes at all times");
            schedule.place(task, slot);
            placed.push((task, slot));
        }
        let plan = schedule.into_plan();
        prop_assert_eq!(plan.assignments.len(), placed.len());
    }

    #[test]
    fn a_plan_of_random_places_is_executed_as_by_going_through_the_seconds(seed: u64, wait: bool) {
        let (problem, plan) = drawn(seed);
        let plain: Vec<_> = plain_starts(&problem, &plan, wait).into_iter().map(|start| Some(at(start))).collect();
        let outcomes = execute(problem, Box::new(Given(plan)), wait);
        let outcomes = outcomes.map_err(|why| TestCaseError::fail(why.to_string()))?;
        let starts: Vec<_> = outcomes.tasks.iter().map(|task| task.start).collect();
        prop_assert_eq!(starts, plain);
        let path = critical_path(&outcomes);
        let sum: u64 = path.iter().map(|step| step.end.since(step.start).as_nanos()).sum();
        prop_assert_eq!(Some(SimTime::from_nanos(sum)), outcomes.makespan());
        prop_assert!(Slack::of(&outcomes).executed.contains(&SimDuration::ZERO));
    }
}
