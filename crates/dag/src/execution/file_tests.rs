//! Files that begin and end at a home host, and files that are sent to a host once, to the second.

use std::rc::Rc;
use std::sync::Arc;

use crate::execution::{Execution, LinkOrder, Outcomes, Replan, execute};
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime, Simulation};
use crate::measure::metric::Metric;
use crate::model::graph::{FileRules, Graph};
use crate::model::grid::{Core, CoresUsed, Grid};
use crate::model::prediction::{MeanTransfer, Prediction};
use crate::planning::view::{ExecutionState, View};
use crate::planning::window::OfTasks;
use crate::platform::network::Flow;
use crate::platform::{Builder, Host, HostId, Link};
use crate::registry::Catalogue;
use crate::schedule::starts::Starts;
use crate::scheduler::{NamedScheduler, table};
use crate::tests::{at, down_between, scheduler};
use crate::workflow::{Draft, Spot, Task, TaskNumber, VertexKind};
use crate::{Baselines, Contention, LowerBounds, SchedulingProblem, StepKind, Terms, critical_path, metrics};

/// A task: its seconds on hosts, and the files that it reads and writes.
type Written =
    (&'static [(&'static str, f64)], &'static [(&'static str, u64)], &'static [(&'static str, u64)]);

/// Tasks on two hosts and a link of a byte a second each way; files make the edges.
fn problem(tasks: &[Written], rules: FileRules, contention: Contention) -> SchedulingProblem {
    problem_where(tasks, rules, contention, |_, host| host)
}

fn problem_where(
    tasks: &[Written],
    rules: FileRules,
    contention: Contention,
    changed: impl Fn(usize, Host) -> Host,
) -> SchedulingProblem {
    let mut draft = Draft::new("files");
    draft.data_by_files(true);
    for (number, (times, reads, writes)) in tasks.iter().enumerate() {
        let task = Task::new((number + 1).to_string(), 0.0);
        let vertex = draft.define(task, VertexKind::Computation, Spot::NOWHERE);
        times.iter().for_each(|(host, seconds)| draft.time(vertex, host, *seconds, Spot::NOWHERE));
        for (name, bytes) in *reads {
            let file = draft.file(name, Some(*bytes));
            draft.reads(vertex, file, Spot::NOWHERE);
        }
        for (name, bytes) in *writes {
            let file = draft.file(name, Some(*bytes));
            draft.writes(vertex, file, Spot::NOWHERE);
        }
    }
    let mut builder = Builder::new();
    let hosts = [0, 1]
        .map(|number| builder.host(changed(number, Host::new(format!("h{number}"), 1.0))).expect("a host"));
    for (name, from, to) in [("there", hosts[0], hosts[1]), ("back", hosts[1], hosts[0])] {
        let link = builder.link(name, Link::new(1.0, 0.0)).expect("a link");
        builder.route(from, to, &[link]);
    }
    let grid = Grid::new(Arc::new(builder.build()), CoresUsed::All);
    let workflow = Arc::new(draft.finish().expect("it is right").0);
    let graph = Graph::with_files([("files".to_owned(), SimTime::ZERO, workflow)], rules);
    SchedulingProblem::new(Arc::new(graph), grid, Prediction::default(), contention)
}

fn run_by(text: &str, problem: SchedulingProblem, links: LinkOrder, replan: Replan) -> Outcomes {
    let rule = NamedScheduler { name: text.to_owned(), scheduler: scheduler(text).into() };
    let execution = Execution { links, replan, ..Execution::default() };
    execute(Rc::new(problem), &rule, execution, Simulation::new(1), None).expect("every task ends")
}

fn run(problem: SchedulingProblem, links: LinkOrder) -> Outcomes {
    run_by("heft", problem, links, Replan::Never)
}

const ORDERS: [fn() -> LinkOrder; 3] =
    [|| LinkOrder::Planned, || LinkOrder::Free, || LinkOrder::Network(Rc::new(Flow { ..Flow::default() }))];

fn home(host: u32) -> FileRules {
    FileRules { home: Some(HostId::new(host)), ..FileRules::default() }
}

const CACHE: FileRules = FileRules { home: None, return_outputs: false, cache: true };

/// Starts and ends of all tasks, in seconds.
fn spans(outcomes: &Outcomes) -> Vec<(f64, f64)> {
    let of = |task: &super::ExecutedTask| Some((task.start?.as_secs_f64(), task.end?.as_secs_f64()));
    outcomes.tasks.iter().map(|task| of(task).expect("it has ended")).collect()
}

fn sent(outcomes: &Outcomes) -> Vec<(f64, f64)> {
    let of = |record: &super::TransferRecord| (record.start.get(), record.end.get());
    let seconds = |instant: Option<SimTime>| instant.expect("it was sent").as_secs_f64();
    outcomes.transfers.iter().map(of).map(|(start, end)| (seconds(start), seconds(end))).collect()
}

#[test]
fn files_that_no_task_writes_are_sent_from_the_home_host() {
    let tasks: [Written; 1] = [(&[("h1", 3.0)], &[("in", 3), ("more", 1)], &[])];
    for order in ORDERS {
        let of = |rules: FileRules| run(problem(&tasks, rules, Contention::Free), order());
        assert_eq!(spans(&of(FileRules::default())), [(0.0, 3.0)], "everywhere");
        assert_eq!(spans(&of(home(1))), [(0.0, 3.0)], "there");
        let outcomes = of(home(0));
        assert_eq!((spans(&outcomes), sent(&outcomes)), (vec![(4.0, 7.0)], vec![(0.0, 4.0)]));
        assert_eq!(outcomes.tasks[0].planned, Some((at(4), at(7))), "the plan knows");
        let kinds: Vec<StepKind> = critical_path(&outcomes).iter().map(|step| step.kind).collect();
        assert_eq!(kinds, [StepKind::Transfers, StepKind::Computes]);
    }
    // each by itself, one after the other on a link of its own order, at once where links are free
    let rules = FileRules { cache: true, ..home(0) };
    let by_file = |order| sent(&run(problem(&tasks, rules, Contention::Free), order));
    assert_eq!(by_file(LinkOrder::Planned), [(0.0, 3.0), (3.0, 4.0)]);
    assert_eq!(by_file(LinkOrder::Free), [(0.0, 3.0), (0.0, 1.0)]);
}

#[test]
fn files_that_no_task_reads_are_returned_and_count_for_the_makespan() {
    let tasks: [Written; 2] = [
        (&[("h1", 3.0)], &[], &[("between", 0), ("out", 4)]),
        (&[("h1", 2.0)], &[("between", 0)], &[("last", 1)]),
    ];
    for order in ORDERS {
        let of = |rules: FileRules| run(problem(&tasks, rules, Contention::Free), order());
        assert_eq!(of(home(0)).makespan(), Some(at(5)));
        let outcomes = of(FileRules { return_outputs: true, ..home(0) });
        // four bytes from 3 on and one from 5 on: one after the other, at once, or half the link
        // each for two seconds
        let expected = if let LinkOrder::Free = order() { 7 } else { 8 };
        assert_eq!(outcomes.makespan(), Some(at(expected)));
        assert_eq!(outcomes.transfers.len(), 2);
        let path = critical_path(&outcomes);
        assert_eq!(
            path.last().map(|step| (step.kind, step.end)),
            Some((StepKind::Transfers, outcomes.makespan().expect("it ended")))
        );
        let whole: u64 = path.iter().map(|step| step.end.since(step.start).as_nanos()).sum();
        assert_eq!(Some(SimTime::from_nanos(whole)), outcomes.makespan(), "the steps lie end to end");
        assert_eq!(
            of(FileRules { return_outputs: true, ..home(1) }).makespan(),
            Some(at(5)),
            "they are there"
        );
    }
}

#[test]
fn what_is_written_comes_home_however_often_plans_are_made_again() {
    // the first writes what comes home from 3 to 9; plans are made again at 1, as it is computed,
    // at 3, as it has ended, and at 6
    let tasks: [Written; 4] = [
        (&[("h1", 3.0)], &[], &[("out", 6)]),
        (&[("h0", 1.0)], &[], &[("x", 0)]),
        (&[("h0", 5.0)], &[("x", 0)], &[("y", 0)]),
        (&[("h0", 1.0)], &[("y", 0)], &[("z", 0)]),
    ];
    for cache in [false, true] {
        for order in ORDERS {
            let rules = FileRules { return_outputs: true, cache, ..home(0) };
            let outcomes =
                run_by("heft", problem(&tasks, rules, Contention::Free), order(), Replan::Every(1));
            assert_eq!(outcomes.plans.len(), 4, "{cache}");
            assert_eq!((outcomes.makespan(), sent(&outcomes)), (Some(at(9)), vec![(3.0, 9.0)]), "{cache}");
            // the home host is down from 4 to 5, and nothing is open then: what was in progress is
            // sent again
            let few: [Written; 2] = [(&[("h1", 3.0)], &[], &[("out", 6)]), (&[("h1", 2.0)], &[], &[])];
            for replan in [Replan::OnFailure, Replan::Never] {
                let fails = problem_where(&few, rules, Contention::Free, |number, host| match number {
                    0 => Host { working: down_between(4, 5), ..host },
                    _ => host,
                });
                assert_eq!(run_by("heft", fails, order(), replan).makespan(), Some(at(11)), "{cache}");
            }
        }
    }
}

/// A task on one host, and two on the other that read what it writes.
const SHARED: [Written; 3] = [
    (&[("h0", 5.0)], &[], &[("f", 4)]),
    (&[("h1", 1.0)], &[("f", 4)], &[]),
    (&[("h1", 1.0)], &[("f", 4)], &[]),
];

#[test]
fn a_file_is_sent_to_a_host_once() {
    let of = |rules, order| run(problem(&SHARED, rules, Contention::Free), order);
    let each = of(FileRules::default(), LinkOrder::Planned);
    assert_eq!(
        (spans(&each)[1..].to_vec(), sent(&each)),
        (vec![(9.0, 10.0), (13.0, 14.0)], vec![(5.0, 9.0), (9.0, 13.0)])
    );
    for order in ORDERS {
        let once = of(CACHE, order());
        assert_eq!(
            (spans(&once)[1..].to_vec(), sent(&once)),
            (vec![(9.0, 10.0), (10.0, 11.0)], vec![(5.0, 9.0)])
        );
        let number = |name: &str| {
            let (bounds, each) = (LowerBounds::of(&once.problem), LowerBounds::of_each(&once.problem));
            let terms = Terms::default();
            let baselines =
                Baselines { bounds: &bounds, each: &each, alone: &[], gap: None, terms: &terms, path: &[] };
            let all = metrics(&once, &baselines);
            all.iter().find(|metric| metric.name == name).and_then(Metric::number)
        };
        assert_eq!(
            ["transfers", "transfers.saved", "bytes.saved"].map(number),
            [Some(1.0), Some(1.0), Some(4.0)]
        );
    }
}

#[test]
fn plans_count_a_file_once_where_transfers_wait_for_each_other() {
    for rule in ["dls-dagsim", "heft"] {
        for (rules, makespan) in [(FileRules::default(), 14), (CACHE, 11)] {
            // HEFT plans as if every transfer had its links to itself
            let contention = if rule == "heft" { Contention::Free } else { Contention::Queued };
            let outcomes =
                run_by(rule, problem(&SHARED, rules, contention), LinkOrder::Planned, Replan::Never);
            assert_eq!(outcomes.makespan(), Some(at(makespan)), "{rule}");
            let is_planned = outcomes.tasks.iter().all(|task| task.planned == task.start.zip(task.end));
            assert_eq!(is_planned, rule != "heft" || rules.cache, "{rule} plans what happens");
        }
    }
}

#[test]
fn files_of_one_edge_are_sent_one_by_one() {
    let tasks: [Written; 2] =
        [(&[("h0", 1.0)], &[], &[("f", 2), ("g", 3)]), (&[("h1", 1.0)], &[("f", 2), ("g", 3)], &[])];
    let of = |rules, order| run(problem(&tasks, rules, Contention::Free), order).tasks[1].start;
    assert_eq!(of(FileRules::default(), LinkOrder::Free), Some(at(6)));
    assert_eq!(of(CACHE, LinkOrder::Planned), Some(at(6)));
    assert_eq!(of(CACHE, LinkOrder::Free), Some(at(4)));
}

#[test]
fn a_file_stays_on_its_host_while_plans_are_made_again() {
    for order in ORDERS {
        for replan in [Replan::Every(1), Replan::Period(SimDuration::from_secs(2))] {
            let outcomes = run_by("heft", problem(&SHARED, CACHE, Contention::Free), order(), replan);
            assert!(outcomes.plans.len() > 1);
            assert_eq!(
                (outcomes.makespan(), sent(&outcomes)),
                (Some(at(11)), vec![(5.0, 9.0)]),
                "{replan:?}"
            );
        }
    }
}

#[test]
fn a_host_that_fails_gets_its_files_again() {
    let failing = |number: usize, host: Host| {
        if number == 1 { Host { working: down_between(7, 20), ..host } } else { host }
    };
    let outcomes = run(problem_where(&SHARED, CACHE, Contention::Free, failing), LinkOrder::Planned);
    // broken off at 7, sent again from 20 to 24
    assert_eq!(outcomes.makespan(), Some(at(26)));
    let ends: Vec<_> = outcomes.transfers.iter().map(|record| record.end.get()).collect();
    assert_eq!(ends, [None, Some(at(24))]);
    // the files of the home host outlast it, and what it was sending is sent again
    let tasks: [Written; 1] = [(&[("h1", 3.0)], &[("in", 4)], &[])];
    let home_fails = |number: usize, host: Host| {
        if number == 0 { Host { working: down_between(2, 6), ..host } } else { host }
    };
    let outcomes = run(problem_where(&tasks, home(0), Contention::Free, home_fails), LinkOrder::Planned);
    assert_eq!(spans(&outcomes), [(10.0, 13.0)]);
}

#[test]
fn dynamic_schedulers_wait_for_files_too() {
    let rules = FileRules { return_outputs: true, cache: true, ..home(0) };
    let tasks: [Written; 2] =
        [(&[("h1", 3.0)], &[("in", 2)], &[("out", 1)]), (&[("h1", 1.0)], &[("in", 2)], &[])];
    let outcomes =
        run_by("self-scheduling", problem(&tasks, rules, Contention::Free), LinkOrder::Free, Replan::Never);
    assert_eq!(spans(&outcomes), [(2.0, 5.0), (5.0, 6.0)]);
    assert_eq!((outcomes.makespan(), sent(&outcomes)), (Some(at(6)), vec![(0.0, 2.0), (5.0, 6.0)]));
}

#[test]
fn tasks_must_fit_into_the_memory_that_a_host_notes() {
    let noted = |number: usize, mut host: Host| {
        host.properties.insert("memory".to_owned(), ["1 KiB", "4 KiB"][number].to_owned());
        host
    };
    let mut draft = Draft::new("memory");
    for (name, memory) in [("small", 1_024), ("large", 1_025)] {
        let task = Task { memory: Some(memory), ..Task::new(name, 1.0) };
        draft.define(task, VertexKind::Computation, Spot::NOWHERE);
    }
    let grid = problem_where(&SHARED, FileRules::default(), Contention::Free, noted).grid;
    let graph = Arc::new(Graph::of(draft.finish().expect("it is right").0));
    let problem = SchedulingProblem::new(graph, grid, Prediction::default(), Contention::Free);
    let fits = |task: u32| [0, 1].map(|host| problem.can_run(TaskNumber(task), HostId::new(host)));
    assert_eq!([fits(0), fits(1)], [[true, true], [false, true]]);
    let cores: Vec<_> =
        run(problem, LinkOrder::Free).tasks.iter().map(|task| task.core.map(|core| core.0)).collect();
    assert_eq!(cores, [Some(0), Some(1)]);
}

/// Tasks that each write a file, and read some of those before it and of three that no task writes;
/// on four hosts.
fn drawn(seed: u64, rules: FileRules) -> SchedulingProblem {
    let name = "files";
    let mut draws = Streams::new(seed, 0).stream(name);
    let mut draft = Draft::new("drawn");
    draft.data_by_files(true);
    for number in 0..4 + draws.below(10) {
        let task = Task::new(number.to_string(), (1 + draws.below(20)) as f64);
        let vertex = draft.define(task, VertexKind::Computation, Spot::NOWHERE);
        for other in (0..number).filter(|_| draws.below(4) == 0).collect::<Vec<_>>() {
            let file = draft.file(&format!("f{other}"), None);
            draft.reads(vertex, file, Spot::NOWHERE);
        }
        let outside = draft.file(&format!("in{}", draws.below(3)), Some(7));
        draft.reads(vertex, outside, Spot::NOWHERE);
        let own = draft.file(&format!("f{number}"), Some(draws.below(15)));
        draft.writes(vertex, own, Spot::NOWHERE);
    }
    let mut builder = Builder::new();
    let hosts: Vec<HostId> = (0..4)
        .map(|host| builder.host(Host::new(format!("h{host}"), 1.0 + draws.below(2) as f64)).expect("a host"))
        .collect();
    for &from in &hosts {
        for &to in hosts.iter().filter(|to| **to != from) {
            let name = format!("{}-{}", from.index(), to.index());
            let link = Link::new(1.0 + draws.below(2) as f64, draws.below(2) as f64);
            let link = builder.link(name, link).expect("a link");
            builder.route(from, to, &[link]);
        }
    }
    let grid = Grid::new(Arc::new(builder.build()), CoresUsed::All);
    let workflow = Arc::new(draft.finish().expect("it is right").0);
    let graph = Graph::with_files([("drawn".to_owned(), SimTime::ZERO, workflow)], rules);
    SchedulingProblem::new(Arc::new(graph), grid, Prediction::default(), Contention::Free)
}

#[test]
fn every_rule_plans_what_then_happens_to_files() {
    // self-scheduling plans nothing, a fixed plan needs its file and a portfolio its rules, and the
    // best plan takes long to find
    let left_out = ["self-scheduling", "fixed", "portfolio", "optimal"];
    let rules = table().rows().into_iter().map(|row| row.name).filter(|name| !left_out.contains(name));
    let mut planned = 0;
    for rule in rules {
        for seed in 0..8 {
            let files =
                FileRules { home: Some(HostId::new(0)), return_outputs: seed % 2 == 0, cache: seed % 3 > 0 };
            let named = NamedScheduler { name: rule.to_owned(), scheduler: scheduler(rule).into() };
            let execution = Execution { links: LinkOrder::Free, ..Execution::default() };
            let outcomes =
                match execute(Rc::new(drawn(seed, files)), &named, execution, Simulation::new(1), None) {
                    Ok(outcomes) => outcomes,
                    Err(why) => {
                        assert!(
                            rule.starts_with("dcp") && why.to_string().contains("too small"),
                            "{rule}: {why}"
                        );
                        continue;
                    }
                };
            for task in &outcomes.tasks {
                assert_eq!(task.planned, task.start.zip(task.end), "{rule} with seed {seed}");
            }
            planned += 1;
        }
    }
    assert!(planned > 100, "{planned}");
}

#[test]
fn starts_that_move_count_a_file_once() {
    for (rules, ready) in [(FileRules::default(), 13), (CACHE, 9)] {
        let problem = problem(&SHARED, rules, Contention::Queued);
        let state = ExecutionState::all_open(&problem.graph);
        let view = View::new(&problem, &state, SimTime::ZERO, 0);
        let mut starts = Starts::new(&view, OfTasks::new(&view, 1), MeanTransfer::default(), true);
        let [first, second, third] = [0, 1, 2].map(TaskNumber);
        let seconds = |count: u64| count * 1_000_000_000;
        let there = HostId::new(1);
        starts.place(first, Core(0), 0, [0, seconds(5)]);
        assert_eq!(starts.ready(second, there), Some(seconds(9)));
        starts.place(second, Core(1), 0, [seconds(9), seconds(10)]);
        assert_eq!(starts.ready(third, there), Some(seconds(ready)));
        starts.place(third, Core(1), 1, [seconds(ready.max(10)), seconds(ready.max(10) + 1)]);
        assert_eq!(starts.start(third), seconds(ready.max(10)));
    }
}
