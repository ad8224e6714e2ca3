//! Attempts of drawn runs in which hosts and links fail, tasks take no time and plans are made
//! again: each had what it needed, and paths and slack follow from them.

use std::rc::Rc;
use std::sync::Arc;

use crate::execution::{
    Attempt, AttemptNumber, Attempts, Execution, LinkOrder, Merge, Outcomes, Replan, execute,
};
use crate::kernel::rng::{Stream, Streams};
use crate::kernel::{SimDuration, SimError, SimTime, Simulation};
use crate::model::graph::{FileRules, Graph};
use crate::model::grid::{CoresUsed, Grid};
use crate::model::prediction::Prediction;
use crate::platform::network::Flow;
use crate::platform::{Builder, Host, HostId, Link, Trace};
use crate::results::critical_path::Slack;
use crate::scheduler::NamedScheduler;
use crate::tests::{at, down_between, executed, scheduler};
use crate::workflow::{Draft, EdgeOrigin, Spot, Task, VertexKind, Workflow};
use crate::{Contention, SchedulingProblem, StepKind, critical_path, steps_before};

/// Tasks of these seconds, and edges between them with bytes or none, counted from 0.
fn workflow(name: &str, seconds: &[f64], edges: &[(usize, usize, Option<u64>)]) -> Workflow {
    wide_workflow(name, seconds, &vec![1; seconds.len()], edges)
}

/// The same, and so many cores.
fn wide_workflow(
    name: &str,
    seconds: &[f64],
    cores: &[u32],
    edges: &[(usize, usize, Option<u64>)],
) -> Workflow {
    let mut draft = Draft::new(name);
    for (number, (seconds, cores)) in seconds.iter().zip(cores).enumerate() {
        let task = Task { cores: *cores, ..Task::new(format!("t{number}"), *seconds) };
        draft.define(task, VertexKind::Computation, Spot::NOWHERE);
    }
    for &(from, to, bytes) in edges {
        let [from, to] = [from, to].map(|number| draft.vertex(&format!("t{number}"), Spot::NOWHERE));
        draft.edge(from, to, bytes, EdgeOrigin::Parents, Spot::NOWHERE);
    }
    draft.finish().expect("it is right").0
}

/// Hosts of speed 1 that are joined by links of a byte a second.
fn grid(hosts: Vec<Host>, link: impl Fn(usize) -> Trace) -> Grid {
    let mut builder = Builder::new();
    let hosts: Vec<HostId> = hosts.into_iter().map(|host| builder.host(host).expect("a host")).collect();
    for &from in &hosts {
        for &to in hosts.iter().filter(|to| **to != from) {
            let working = link(from.index());
            let link = builder
                .link(format!("{}-{}", from.index(), to.index()), Link { working, ..Link::new(1.0, 0.0) });
            builder.route(from, to, &[link.expect("a link")]);
        }
    }
    Grid::new(Arc::new(builder.build()), CoresUsed::All)
}

fn alone(workflow: Workflow, grid: Grid) -> SchedulingProblem {
    SchedulingProblem::new(Arc::new(Graph::of(workflow)), grid, Prediction::default(), Contention::Free)
}

fn named(text: &str) -> NamedScheduler {
    NamedScheduler { name: text.to_owned(), scheduler: scheduler(text).into() }
}

fn run(problem: SchedulingProblem, rule: &str, execution: Execution) -> Result<Outcomes, SimError> {
    executed(problem, &named(rule), execution)
}

/// Ordinal, start and end or loss of each attempt, in seconds.
fn spans(outcomes: &Outcomes) -> Vec<(u32, u32, f64, f64)> {
    let attempts = Attempts::of(outcomes);
    let span = |attempt: Attempt| {
        let over = attempt.over().expect("it is over").as_secs_f64();
        (attempt.task.0, attempt.ordinal, attempt.start.as_secs_f64(), over)
    };
    attempts.numbers().map(|number| span(attempts.get(number))).collect()
}

#[test]
fn a_path_goes_by_the_attempt_whose_data_were_used() {
    // the host fails as the second child runs: the parent is computed again behind the first child,
    // which keeps what it has done
    let parent = workflow("fork", &[10.0, 10.0, 10.0], &[(0, 1, Some(1)), (0, 2, Some(1))]);
    let only = Host { working: down_between(25, 30), ..Host::new("h", 1.0) };
    for rule in ["heft", "self-scheduling"] {
        let execution = Execution { replan: Replan::OnFailure, ..Execution::default() };
        let problem = alone(parent.clone(), grid(vec![only.clone()], |_| Trace::constant(1.0)));
        let outcomes = run(problem, rule, execution).expect("every task ends");
        let all = [
            (0, 1, 0.0, 10.0),
            (1, 1, 10.0, 20.0),
            (2, 1, 20.0, 25.0),
            (0, 2, 30.0, 40.0),
            (2, 2, 40.0, 50.0),
        ];
        assert_eq!(spans(&outcomes), all, "{rule}");
        let path: Vec<_> = critical_path(&outcomes).iter().map(|step| (step.task.0, step.kind)).collect();
        let computes = |task| (task, StepKind::Computes);
        let waits = (0, StepKind::Waits);
        assert_eq!(path, [computes(0), computes(1), computes(2), waits, computes(0), computes(2)], "{rule}");
        let attempts = Attempts::of(&outcomes);
        let writers = |number| {
            attempts.sources(AttemptNumber(number)).iter().map(|source| source.writer).collect::<Vec<_>>()
        };
        assert_eq!(writers(1), [Some(AttemptNumber(0))]);
        assert_eq!(writers(4), [Some(AttemptNumber(3))]);
        // the first child could have ended when the last task does
        let slack: Vec<f64> = Slack::of(&outcomes).executed.iter().map(|one| one.as_secs_f64()).collect();
        assert_eq!(slack, [0.0, 10.0, 0.0], "{rule}");
    }
}

#[test]
fn tasks_that_take_no_time_are_in_the_order_in_which_they_began() {
    // each is written before its parent
    let count = 7;
    let edges: Vec<_> = (1..count).map(|number| (number, number - 1, None)).collect();
    let seconds: Vec<f64> = (0..count).map(|number| if number == count - 1 { 5.0 } else { 0.0 }).collect();
    for rule in ["heft", "self-scheduling"] {
        let one = grid(vec![Host::new("h", 1.0)], |_| Trace::constant(1.0));
        let outcomes = run(alone(workflow("chain", &seconds, &edges), one), rule, Execution::default())
            .expect("it ends");
        let order: Vec<u32> = spans(&outcomes).iter().map(|(task, ..)| *task).collect();
        assert_eq!(order, (0..count as u32).rev().collect::<Vec<_>>(), "{rule}");
        let steps = critical_path(&outcomes);
        assert_eq!(
            steps.iter().map(|step| (step.task.0, step.start, step.end)).collect::<Vec<_>>(),
            [(6, at(0), at(5))]
        );
        assert!(Slack::of(&outcomes).executed.iter().all(|slack| *slack == SimDuration::ZERO));
    }
}

#[test]
fn a_task_whose_only_host_is_down_waits_for_it() {
    let times = |draft: &mut Draft, task: &str, host: &str| {
        let vertex = draft.define(Task::new(task.to_owned(), 0.0), VertexKind::Computation, Spot::NOWHERE);
        draft.time(vertex, host, 10.0, Spot::NOWHERE);
        vertex
    };
    let pinned = || {
        let mut draft = Draft::new("pinned");
        let first = times(&mut draft, "first", "a");
        let second = times(&mut draft, "second", "b");
        times(&mut draft, "other", "b");
        draft.edge(first, second, Some(4), EdgeOrigin::Parents, Spot::NOWHERE);
        draft.finish().expect("it is right").0
    };
    let hosts = |working: Trace| vec![Host { working, ..Host::new("a", 1.0) }, Host::new("b", 1.0)];
    for replan in [Replan::OnFailure, Replan::Every(1)] {
        let problem = alone(pinned(), grid(hosts(down_between(12, 40)), |_| Trace::constant(1.0)));
        let outcomes =
            run(problem, "heft", Execution { replan, ..Execution::default() }).expect("every task ends");
        let all = [(0, 1, 0.0, 10.0), (2, 1, 0.0, 10.0), (0, 2, 40.0, 50.0), (1, 1, 54.0, 64.0)];
        assert_eq!(spans(&outcomes), all);
    }
    // down when the graph arrives, and no plan is made again but for what had none
    for replan in [Replan::Never, Replan::OnFailure] {
        let problem = alone(pinned(), grid(hosts(down_between(0, 20)), |_| Trace::constant(1.0)));
        let outcomes =
            run(problem, "heft", Execution { replan, ..Execution::default() }).expect("every task ends");
        let all = [(2, 1, 0.0, 10.0), (0, 1, 20.0, 30.0), (1, 1, 34.0, 44.0)];
        assert_eq!(spans(&outcomes), all, "{replan:?}");
    }
    for rule in ["heft", "self-scheduling"] {
        let for_ever = Trace::new(&[(at(4), 0.0)], None).expect("a trace");
        let problem = alone(pinned(), grid(hosts(for_ever), |_| Trace::constant(1.0)));
        let execution = Execution { replan: Replan::OnFailure, ..Execution::default() };
        let stuck = run(problem, rule, execution).expect_err("it never ends").to_string();
        assert!(stuck.contains("task `first` waits for host `a`, which is down since 4 s"), "{stuck}");
        assert!(!stuck.contains("something to decide"), "{stuck}");
    }
}

#[test]
fn what_a_host_lost_while_no_task_needed_it_is_computed_again_when_one_does() {
    // the parent's host fails while the child runs elsewhere, then the child's
    let times = |draft: &mut Draft, task: &str, host: &str, seconds: f64| {
        let vertex = draft.define(Task::new(task.to_owned(), 0.0), VertexKind::Computation, Spot::NOWHERE);
        draft.time(vertex, host, seconds, Spot::NOWHERE);
        vertex
    };
    for (keep_data, parents, end) in [(false, 2, 62.0), (true, 1, 60.0)] {
        let mut draft = Draft::new("two");
        let parent = times(&mut draft, "parent", "a", 10.0);
        let child = times(&mut draft, "child", "b", 20.0);
        draft.edge(parent, child, Some(2), EdgeOrigin::Parents, Spot::NOWHERE);
        let workflow = draft.finish().expect("it is right").0;
        let host = |name: &str, working| Host { working, ..Host::new(name, 1.0) };
        let hosts = vec![host("a", down_between(15, 16)), host("b", down_between(25, 40))];
        let problem = alone(workflow, grid(hosts, |_| Trace::constant(1.0)));
        let execution = Execution { replan: Replan::OnFailure, keep_data, ..Execution::default() };
        let outcomes = run(problem, "heft", execution).expect("every task ends");
        assert_eq!(outcomes.tasks[0].attempts, parents, "{keep_data}");
        assert_eq!(outcomes.makespan().map(SimTime::as_secs_f64), Some(end), "{keep_data}");
    }
}

/// Times at which something works, and does not.
fn drawn_failures(draws: &mut Stream, is_failing: bool) -> Trace {
    let mut points = Vec::new();
    let mut time = 0;
    for _ in 0..if is_failing { draws.below(5) } else { 0 } {
        time += 1 + draws.below(40);
        points.push((at(time), 0.0));
        time += 1 + draws.below(10);
        points.push((at(time), 1.0));
    }
    if points.is_empty() { Trace::constant(1.0) } else { Trace::new(&points, None).expect("a trace") }
}

/// A stream of drawn graphs whose tasks may take no time, on drawn hosts of several cores that
/// fail, as may their links.
fn drawn(seed: u64) -> (SchedulingProblem, &'static str, Execution) {
    let name = "attempts";
    let mut draws = Streams::new(seed, 0).stream(name);
    let mut graphs = Vec::new();
    let is_wide = seed % 2 == 1;
    for copy in 0..=draws.below(3) {
        let count = 1 + draws.below(8) as usize;
        let seconds: Vec<f64> =
            (0..count).map(|_| [0, 0, 1, 5, 13][draws.below(5) as usize] as f64).collect();
        let mut edges = Vec::new();
        // tasks are numbered against their order, so that children come first
        for to in 0..count {
            for from in to + 1..count {
                if draws.below(3) == 0 {
                    edges.push((from, to, [None, Some(0), Some(3), Some(11)][draws.below(4) as usize]));
                }
            }
        }
        let name = format!("g{copy}");
        let arrival = at(copy * draws.below(30));
        let cores: Vec<u32> =
            (0..count).map(|_| if is_wide { 1 + draws.below(3) as u32 } else { 1 }).collect();
        graphs.push((name.clone(), arrival, Arc::new(wide_workflow(&name, &seconds, &cores, &edges))));
    }
    graphs.sort_by_key(|(_, arrival, _)| *arrival);
    let hosts = 1 + draws.below(3);
    let keep_data = draws.below(2) == 0;
    let host = |draws: &mut Stream, number: u64| {
        let cores = if is_wide && number == 0 { 3 } else { 1 + draws.below(2) as u32 };
        Host { working: drawn_failures(draws, true), cores, ..Host::new(format!("h{number}"), 1.0) }
    };
    let hosts: Vec<Host> = (0..hosts).map(|number| host(&mut draws, number)).collect();
    let links: Vec<Trace> = (0..3)
        .map(|_| {
            let fails = draws.below(2) == 0;
            drawn_failures(&mut draws, fails)
        })
        .collect();
    let grid = grid(hosts, |from| links[from].clone());
    let rule =
        ["heft", "min-min", "self-scheduling", "dls", "cpop", "mcp", "round-robin"][draws.below(7) as usize];
    let replan = [
        Replan::OnFailure,
        Replan::Every(1),
        Replan::Every(2),
        Replan::Period(SimDuration::from_secs(7)),
        Replan::OnDeviation(0.0),
    ][draws.below(5) as usize];
    let links = match draws.below(3) {
        0 => LinkOrder::Free,
        1 => LinkOrder::Planned,
        _ => LinkOrder::Network(Rc::new(Flow::default())),
    };
    // what was planned before a graph arrives is planned again with it
    let execution = Execution {
        links,
        replan,
        keep_data,
        merge: Merge::Interleave,
        work_conserving: draws.below(4) == 0,
        explained: None,
    };
    let rules = FileRules::default();
    let graph = Arc::new(Graph::with_files(graphs, rules));
    (SchedulingProblem::new(graph, grid, Prediction::default(), Contention::Queued), rule, execution)
}

/// True if a host fails after one instant and before another.
fn fails_between(outcomes: &Outcomes, host: HostId, from: SimTime, to: SimTime) -> bool {
    let working = &outcomes.problem.grid.host(host).working;
    let mut next = working.next_change(from);
    while let Some(change) = next.filter(|change| *change < to) {
        if working.value_at(change) <= 0.0 {
            return true;
        }
        next = working.next_change(change);
    }
    working.value_at(from) <= 0.0 && to > from
}

/// Holds an account of attempts against the graph and the failures of hosts.
fn verify(outcomes: &Outcomes, keep_data: bool, case: &str) {
    let (graph, grid) = (outcomes.graph(), &outcomes.problem.grid);
    let attempts = Attempts::of(outcomes);
    let host = |attempt: &Attempt| grid.host_of(attempt.core);
    let mut free = vec![SimTime::ZERO; grid.cores().len()];
    for number in attempts.numbers() {
        let attempt = attempts.get(number);
        let case = format!("{case}, {attempt:?}");
        let over = attempt.over().expect("it is over");
        assert_eq!(grid.members(attempt.core).len() as u32, graph.task(attempt.task).cores, "{case}");
        for core in grid.members(attempt.core) {
            assert!(free[core.index()] <= attempt.start, "one after another: {case}");
            free[core.index()] = over;
        }
        assert!(!fails_between(outcomes, host(&attempt), attempt.start, over), "its host works: {case}");
        if let Some(earlier) = attempt.earlier.map(|earlier| attempts.get(earlier)) {
            assert!(earlier.lost.is_some_and(|lost| lost <= attempt.start), "{case}");
            assert_eq!((earlier.task, earlier.ordinal + 1), (attempt.task, attempt.ordinal), "{case}");
        }
        assert!(attempt.end.is_some() || attempt.lost.is_some(), "{case}");
        let sources = attempts.sources(number);
        assert_eq!(
            sources.len(),
            graph.inputs(attempt.task).len() + graph.incoming(attempt.task).len(),
            "{case}"
        );
        for source in sources {
            let data = graph.data(source.edge);
            let writer = attempts.get(source.writer.expect("no input is drawn"));
            assert_eq!(Some(writer.task), data.from, "{case}");
            let written = writer.end.expect("it has written");
            assert!(source.writer < Some(number) && written <= attempt.start, "{case}");
            if data.bytes.is_none() {
                continue;
            }
            let there = match attempts.transfer(&source) {
                None => {
                    assert_eq!(host(&writer), host(&attempt), "{case}");
                    written
                }
                Some(transfer) => {
                    assert_eq!((transfer.from, transfer.to), (host(&writer), host(&attempt)), "{case}");
                    let (sent, arrived) = transfer.span().expect("it has arrived");
                    assert!(written <= sent && arrived <= attempt.start, "{case}");
                    assert!(!fails_between(outcomes, transfer.from, sent, arrived), "{case}");
                    arrived
                }
            };
            assert!(keep_data || !fails_between(outcomes, host(&attempt), there, attempt.start), "{case}");
        }
    }
}

#[test]
fn attempts_of_drawn_runs_have_what_they_need_and_paths_end() {
    let mut lost = 0;
    for seed in 0..600 {
        let (problem, rule, execution) = drawn(seed);
        let case = format!("seed {seed}, {rule}, {execution:?}");
        let keep_data = execution.keep_data;
        let outcomes =
            execute(Rc::new(problem), &named(rule), execution, Simulation::new(seed), Some(at(100_000)))
                .unwrap_or_else(|error| panic!("{case}: {error}"));
        let makespan = outcomes.makespan().unwrap_or_else(|| panic!("{case} ends"));
        verify(&outcomes, keep_data, &case);
        lost += outcomes.tasks.iter().filter(|task| task.attempts > 1).count();
        let path = critical_path(&outcomes);
        let mut until = SimTime::ZERO;
        for step in &path {
            assert_eq!(step.start, until, "{case}: {path:?}");
            until = step.end;
        }
        assert_eq!(until, makespan, "{case}: {path:?}");
        for task in outcomes.graph().tasks() {
            steps_before(&outcomes, task);
        }
        let slack = Slack::of(&outcomes);
        assert_eq!(slack.executed.len(), outcomes.tasks.len(), "{case}");
        assert!(slack.executed.contains(&SimDuration::ZERO), "{case}");
    }
    assert!(lost > 100, "failures strike: {lost}");
}
