//! Tasks that leave a host to which their data were sent, and come back.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use crate::error::CannotPlan;
use crate::execution::{Execution, LinkOrder, Outcomes, Replan};
use crate::kernel::{SimDuration, SimTime};
use crate::model::graph::Graph;
use crate::model::grid::{CoresUsed, Grid};
use crate::model::prediction::Prediction;
use crate::planning::plan::{PlannedTask, TaskPlan};
use crate::planning::view::View;
use crate::platform::{Builder, Host, HostId, Link, Trace};
use crate::scheduler::{NamedScheduler, Scheduler};
use crate::tests::{at, down_between, executed};
use crate::workflow::{Draft, EdgeNumber, EdgeOrigin, Spot, Task, TaskNumber, VertexKind, Workflow};
use crate::{Contention, SchedulingProblem};

/// The last task, which gets the data of the second edge.
const MOVING: TaskNumber = TaskNumber(3);

/// Tasks stay on hosts 0, 1 and 2; the last one is on host 1, and on host 2 from 12 s to 20 s.
#[derive(Debug, Default)]
struct ThereAndBack {
    /// Arrival of the data of the last task on host 1, by the plan that brings it back.
    said: Cell<Option<SimTime>>,
}

impl Scheduler for ThereAndBack {
    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let hosts: Vec<HostId> = view.hosts().collect();
        let is_away = (at(12)..at(20)).contains(&view.now());
        let host = |task: TaskNumber| match task {
            MOVING => hosts[if is_away { 2 } else { 1 }],
            task => hosts[task.index()],
        };
        let place = |task: TaskNumber| {
            let core = view.cores_of(host(task)).next().expect("a core");
            PlannedTask { task, core, start: view.now(), end: view.now() }
        };
        if view.now() == at(24) {
            self.said.set(view.delivered(EdgeNumber(1), hosts[1]));
        }
        Ok(TaskPlan { assignments: view.open().map(place).collect(), ..TaskPlan::default() })
    }
}

/// A parent of 1 s, whose data keep the link to host 2 busy until 101 s, one of 13 s, and two
/// children of the first.
fn forked() -> Workflow {
    let mut draft = Draft::new("forked");
    for (number, seconds) in [1.0, 13.0, 1.0, 3.0].into_iter().enumerate() {
        let task = Task::new(format!("t{number}"), seconds);
        draft.define(task, VertexKind::Computation, Spot::NOWHERE);
    }
    for (to, bytes) in [(2, 100), (3, 10)] {
        let [from, to] = [0, to].map(|number| draft.vertex(&format!("t{number}"), Spot::NOWHERE));
        draft.edge(from, to, Some(bytes), EdgeOrigin::Parents, Spot::NOWHERE);
    }
    draft.finish().expect("it is right").0
}

/// The run, and what the plan at 24 s went by.
fn run(working: Trace) -> (Outcomes, Option<SimTime>) {
    let mut builder = Builder::new();
    let states = [Trace::constant(1.0), working, Trace::constant(1.0)];
    let hosts: Vec<HostId> = (0..)
        .zip(states)
        .map(|(number, working)| Host { working, ..Host::new(format!("h{number}"), 1.0) })
        .map(|host| builder.host(host).expect("a host"))
        .collect();
    for to in [hosts[1], hosts[2]] {
        let link = builder.link(format!("to-{}", to.index()), Link::new(1.0, 0.0)).expect("a link");
        builder.route(hosts[0], to, &[link]);
    }
    let grid = Grid::new(Arc::new(builder.build()), CoresUsed::All);
    let graph = Arc::new(Graph::of(forked()));
    let problem = SchedulingProblem::new(graph, grid, Prediction::default(), Contention::Free);
    let scheduler = Rc::new(ThereAndBack::default());
    let rule = NamedScheduler { name: "there-and-back".to_owned(), scheduler: Rc::clone(&scheduler) as _ };
    let replan = Replan::Period(SimDuration::from_nanos(12_000_000_000));
    let execution = Execution { links: LinkOrder::Planned, replan, ..Execution::default() };
    (executed(problem, &rule, execution).expect("every task ends"), scheduler.said.get())
}

/// Its data arrive on host 1 at 11 s; those that are to go to host 2 wait for the link.
#[test]
fn data_that_were_not_sent_elsewhere_are_where_the_plan_finds_them() {
    let (outcomes, said) = run(Trace::constant(1.0));
    assert_eq!(said, Some(at(11)));
    assert_eq!(outcomes.tasks[MOVING.index()].start, Some(at(24)));
    assert_eq!(outcomes.transfers.len(), 2, "nothing is sent twice");
}

#[test]
fn a_host_that_fails_loses_the_data_of_a_task_that_is_elsewhere_for_a_while() {
    let (outcomes, said) = run(down_between(15, 17));
    assert_eq!(said, None);
    assert_eq!(outcomes.tasks[MOVING.index()].start, Some(at(34)));
}

/// The first plan has the parent on host 0 and its child on host 1; every later one has the tasks
/// that are open on host 2, which no route joins with the others. Nothing is taken back.
#[derive(Debug)]
struct ThenAlone;

impl Scheduler for ThenAlone {
    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let hosts: Vec<HostId> = view.hosts().collect();
        let place = |task: TaskNumber| {
            let host = if view.now() == SimTime::ZERO { hosts[task.index()] } else { hosts[2] };
            let core = view.cores_of(host).next().expect("a core");
            PlannedTask { task, core, start: view.now(), end: view.now() }
        };
        Ok(TaskPlan { assignments: view.open().map(place).collect(), ..TaskPlan::default() })
    }

    fn take_back(&self, _: &View<'_>) -> Vec<TaskNumber> {
        Vec::new()
    }
}

#[test]
fn a_task_gives_up_its_place_where_its_parent_may_go_beyond_reach() {
    let mut draft = Draft::new("pair");
    for name in ["parent", "child"] {
        draft.define(Task::new(name.to_owned(), 1.0), VertexKind::Computation, Spot::NOWHERE);
    }
    let [from, to] = ["parent", "child"].map(|name| draft.vertex(name, Spot::NOWHERE));
    draft.edge(from, to, Some(100), EdgeOrigin::Parents, Spot::NOWHERE);
    let graph = Arc::new(Graph::of(draft.finish().expect("it is right").0));

    let mut builder = Builder::new();
    // host 0 fails while the data are sent, so that the parent is open again
    let states = [down_between(5, 1000), Trace::constant(1.0), Trace::constant(1.0)];
    let hosts: Vec<HostId> = (0..)
        .zip(states)
        .map(|(number, working)| Host { working, ..Host::new(format!("h{number}"), 1.0) })
        .map(|host| builder.host(host).expect("a host"))
        .collect();
    let link = builder.link("link".to_owned(), Link::new(1.0, 0.0)).expect("a link");
    builder.route(hosts[0], hosts[1], &[link]);
    let grid = Grid::new(Arc::new(builder.build()), CoresUsed::All);
    let problem = SchedulingProblem::new(graph, grid, Prediction::default(), Contention::Free);
    let rule = NamedScheduler { name: "then-alone".to_owned(), scheduler: Rc::new(ThenAlone) };
    let execution = Execution { replan: Replan::OnFailure, ..Execution::default() };
    let outcomes = executed(problem, &rule, execution).expect("every task ends");
    let starts: Vec<Option<SimTime>> = outcomes.tasks.iter().map(|task| task.start).collect();
    assert_eq!(starts, [Some(at(5)), Some(at(6))]);
}
