//! Links that fail and schedulers that take over, to the second.

use std::rc::Rc;
use std::sync::Arc;

use async_trait::async_trait;

use crate::error::Unlawful;
use crate::execution::{
    Dispatcher, Execution, LinkOrder, Merge, Outcomes, PlanCause, Replan, TakeOver, execute,
};
use crate::kernel::{SimDuration, SimError, SimTime, Simulation};
use crate::model::graph::Graph;
use crate::model::grid::{CoresUsed, Grid};
use crate::model::prediction::{Knowledge, Prediction};
use crate::platform::network::Flow;
use crate::platform::{Builder, Host, Link, Trace};
use crate::scheduler::{
    Dynamic, DynamicScheduler, NamedScheduler, Scheduler, SchedulerPhase, Succession, Switch,
};
use crate::tests::{F6, T10, at, down_between, executed, scheduler};
use crate::workflow::{Draft, EdgeOrigin, Spot, Task, VertexKind, Workflow};
use crate::{Contention, SchedulingProblem};

/// Tasks by their seconds on hosts, and edges with bytes, both counted from 1.
fn workflow(tasks: &[&[(&str, f64)]], edges: &[(u32, u32, u64)]) -> Workflow {
    let mut draft = Draft::new("small");
    for (number, times) in tasks.iter().enumerate() {
        let task = Task::new((number + 1).to_string(), 0.0);
        let vertex = draft.define(task, VertexKind::Computation, Spot::NOWHERE);
        for (host, seconds) in *times {
            draft.time(vertex, host, *seconds, Spot::NOWHERE);
        }
    }
    for &(from, to, bytes) in edges {
        let [from, to] = [from, to].map(|number| draft.vertex(&number.to_string(), Spot::NOWHERE));
        draft.edge(from, to, Some(bytes), EdgeOrigin::Parents, Spot::NOWHERE);
    }
    draft.finish().expect("it is right").0
}

/// Two hosts, and a link of a byte a second each way, of which that from the first to the second
/// fails.
fn on_two(workflow: Workflow, working: Trace) -> SchedulingProblem {
    let mut builder = Builder::new();
    let hosts = ["h0", "h1"].map(|name| builder.host(Host::new(name, 1.0)).expect("a host"));
    let there = Link { working, ..Link::new(1.0, 0.0) };
    for (name, from, to, link) in
        [("there", hosts[0], hosts[1], there), ("back", hosts[1], hosts[0], Link::new(1.0, 0.0))]
    {
        let link = builder.link(name, link).expect("a link");
        builder.route(from, to, &[link]);
    }
    let grid = Grid::new(Arc::new(builder.build()), CoresUsed::All);
    let graph = Arc::new(Graph::of(workflow));
    SchedulingProblem::new(graph, grid, Prediction::default(), Contention::Free)
}

fn named(text: &str) -> NamedScheduler {
    NamedScheduler { name: text.to_owned(), scheduler: scheduler(text).into() }
}

fn run(problem: SchedulingProblem, links: LinkOrder, replan: Replan) -> Result<Outcomes, SimError> {
    executed(problem, &named("heft"), Execution { links, replan, ..Execution::default() })
}

/// Starts and ends of transfers, in seconds.
fn sent(outcomes: &Outcomes) -> Vec<(Option<f64>, Option<f64>)> {
    let seconds = |instant: Option<SimTime>| instant.map(SimTime::as_secs_f64);
    outcomes.transfers.iter().map(|record| (seconds(record.start.get()), seconds(record.end.get()))).collect()
}

#[test]
fn a_transfer_that_its_link_breaks_off_is_sent_again_when_the_link_works() {
    let one = || workflow(&[&[("h0", 5.0)], &[("h1", 3.0)]], &[(1, 2, 4)]);
    let orders: [fn() -> LinkOrder; 3] =
        [|| LinkOrder::Planned, || LinkOrder::Free, || LinkOrder::Network(Rc::new(Flow::default()))];
    for order in orders {
        for replan in [Replan::Never, Replan::OnFailure] {
            let outcomes = run(on_two(one(), down_between(7, 10)), order(), replan).expect("every task ends");
            // from 5 on, broken off at 7, then from 10 to 14
            assert_eq!(outcomes.makespan(), Some(at(17)), "{replan:?}");
            assert_eq!(sent(&outcomes), [(Some(5.0), None), (Some(10.0), Some(14.0))], "{replan:?}");
        }
        // nothing starts while the link does not work
        let late = run(on_two(one(), down_between(4, 6)), order(), Replan::Never).expect("every task ends");
        assert_eq!(late.makespan(), Some(at(13)));
        // what ends at the instant of the failure has ended
        let just = run(on_two(one(), down_between(9, 30)), order(), Replan::Never).expect("every task ends");
        assert_eq!(just.makespan(), Some(at(12)));
        let for_ever = Trace::new(&[(at(7), 0.0)], None).expect("a trace");
        let never = run(on_two(one(), for_ever), order(), Replan::Never).expect_err("it never arrives");
        assert!(never.to_string().contains("the transfer from `1` to `2` would end past the end"), "{never}");
    }
}

#[test]
fn those_behind_a_transfer_that_was_broken_off_keep_the_planned_order() {
    let two = || {
        let tasks: [&[(&str, f64)]; 4] = [&[("h0", 5.0)], &[("h1", 3.0)], &[("h0", 1.0)], &[("h1", 1.0)]];
        workflow(&tasks, &[(1, 2, 4), (1, 3, 0), (3, 4, 1)])
    };
    let ends = |order| {
        let outcomes =
            run(on_two(two(), down_between(7, 10)), order, Replan::Never).expect("every task ends");
        let mut ends: Vec<_> = outcomes.transfers.iter().filter_map(|record| record.end.get()).collect();
        ends.sort_unstable();
        ends
    };
    // the data of task 3 are there at 6: behind those of task 1 they wait until 14, alone they are
    // through at 7
    assert_eq!(ends(LinkOrder::Planned), [at(14), at(15)]);
    assert_eq!(ends(LinkOrder::Free), [at(7), at(14)]);
}

#[test]
fn a_plan_that_is_made_again_goes_round_a_link_that_has_failed() {
    // the second task would take 20 s where its data are
    let one = || workflow(&[&[("h0", 5.0)], &[("h0", 20.0), ("h1", 3.0)]], &[(1, 2, 4)]);
    let makespan = |replan| {
        let outcomes =
            run(on_two(one(), down_between(7, 100)), LinkOrder::Planned, replan).expect("every task ends");
        (outcomes.makespan(), outcomes.plans.len())
    };
    assert_eq!(makespan(Replan::Never), (Some(at(107)), 1));
    assert_eq!(makespan(Replan::OnFailure), (Some(at(27)), 2));
}

/// Three tasks of ten seconds that are not joined, on two hosts.
fn three() -> SchedulingProblem {
    let anywhere: &[(&str, f64)] = &[("h0", 10.0), ("h1", 10.0)];
    on_two(workflow(&[anywhere, anywhere, anywhere], &[]), Trace::constant(1.0))
}

fn phase(rule: NamedScheduler) -> SchedulerPhase {
    SchedulerPhase { rule, replan: Replan::Never, merge: Merge::Append }
}

/// Runs a problem by one scheduler after another.
fn one_after_another(problem: SchedulingProblem, rules: [NamedScheduler; 2], switch: Switch) -> Outcomes {
    let succession = Succession { phases: rules.map(phase).into(), switch };
    let rule = NamedScheduler { name: "take-over".to_owned(), scheduler: Rc::new(succession) };
    let execution = Execution { links: LinkOrder::Free, ..Execution::default() };
    execute(Rc::new(problem), &rule, execution, Simulation::new(1), None).expect("every task ends")
}

/// Core and start of each task.
fn starts(outcomes: &Outcomes) -> Vec<(u32, SimTime)> {
    assert!(outcomes.tasks.iter().all(|task| task.attempts == 1), "nothing that has started moves");
    let of = |task: &super::ExecutedTask| Some((task.core?.0, task.start?));
    outcomes.tasks.iter().map(|task| of(task).expect("it has started")).collect()
}

#[test]
fn a_scheduler_takes_over_what_has_not_started() {
    let after = Switch::After(SimDuration::from_secs(5));
    let outcomes = one_after_another(three(), [named("sequential"), named("heft")], after);
    assert_eq!(starts(&outcomes), [(0, at(0)), (1, at(5)), (0, at(10))]);
    let plans: Vec<_> =
        outcomes.plans.iter().map(|plan| (plan.at, plan.cause, plan.tasks, plan.moved)).collect();
    assert_eq!(plans, [(at(0), PlanCause::Arrival, 3, 0), (at(5), PlanCause::TakeOver, 2, 1)]);
    assert_eq!(outcomes.take_overs, [TakeOver { at: at(5), scheduler: "heft".to_owned() }]);
    let counted = one_after_another(three(), [named("sequential"), named("heft")], Switch::Completions(1));
    assert_eq!(starts(&counted), [(0, at(0)), (0, at(10)), (1, at(10))]);
    assert_eq!(counted.take_overs[0].at, at(10));
    // no time to take over: it ends before
    let late = Switch::After(SimDuration::from_secs(40));
    let outcomes = one_after_another(three(), [named("sequential"), named("heft")], late);
    assert_eq!((outcomes.makespan(), outcomes.take_overs.len()), (Some(at(30)), 0));
}

#[test]
fn a_scheduler_without_a_plan_gives_up() {
    let outcomes = one_after_another(F6.problem(3, false), [named("dcp"), named("heft")], Switch::GivesUp);
    let alone = executed(
        F6.problem(3, false),
        &named("heft"),
        Execution { links: LinkOrder::Free, ..Execution::default() },
    );
    assert_eq!(outcomes.makespan(), alone.expect("every task ends").makespan());
    assert_eq!(outcomes.plans.iter().map(|plan| plan.cause).collect::<Vec<_>>(), [PlanCause::TakeOver]);
    assert_eq!(outcomes.take_overs, [TakeOver { at: at(0), scheduler: "heft".to_owned() }]);
}

#[test]
fn schedulers_that_place_tasks_in_progress_take_over_and_are_taken_over() {
    let after = Switch::After(SimDuration::from_secs(5));
    let outcomes = one_after_another(three(), [named("sequential"), named("self-scheduling")], after);
    assert_eq!(starts(&outcomes), [(0, at(0)), (1, at(5)), (0, at(10))]);
    assert_eq!(outcomes.tasks[1].planned, None);
    assert_eq!(outcomes.plans.last().map(|plan| (plan.cause, plan.tasks)), Some((PlanCause::TakeOver, 0)));
    let outcomes = one_after_another(three(), [named("self-scheduling"), named("sequential")], after);
    assert_eq!(starts(&outcomes), [(0, at(0)), (1, at(0)), (0, at(10))]);
    assert_eq!(outcomes.tasks[2].planned, Some((at(10), at(20))));
    assert_eq!(outcomes.plans.len(), 1);
}

/// Places one task, and no more.
#[derive(Debug)]
struct PlacesOne;

#[async_trait(?Send)]
impl DynamicScheduler for PlacesOne {
    async fn run(&self, dispatcher: Dispatcher) -> Result<(), Unlawful> {
        dispatcher.news().await;
        dispatcher.place(dispatcher.ready()[2], dispatcher.idle()[1])
    }
}

#[test]
fn a_scheduler_whose_process_ends_gives_up() {
    let places_one: Rc<dyn Scheduler> = Rc::new(Dynamic(Rc::new(PlacesOne)));
    let places_one = NamedScheduler { name: "places-one".to_owned(), scheduler: places_one };
    let outcomes = one_after_another(three(), [places_one, named("sequential")], Switch::GivesUp);
    assert_eq!(outcomes.take_overs, [TakeOver { at: at(0), scheduler: "sequential".to_owned() }]);
    let [first, second, third] = starts(&outcomes).try_into().expect("three");
    // the third task has not started when the other takes over, and is planned again
    assert_eq!([first, second, third], [(0, at(0)), (0, at(10)), (0, at(20))]);
}

#[test]
fn ranks_that_are_kept_are_those_of_each_instant() {
    // each is held against one that is worked out from nothing
    for (knowledge, has_load) in
        [(Knowledge::Perfect, false), (Knowledge::Perfect, true), (Knowledge::Now, true)]
    {
        let changed = |number, host| match number {
            1 => Host { working: down_between(30, 90), ..host },
            2 if has_load => {
                let load = Trace::new(&[(at(17), 0.5), (at(60), 0.25)], None).expect("a trace");
                Host { availability: load, ..host }
            }
            _ => host,
        };
        let grid = T10.problem_where(3, false, changed).grid;
        let workflow = Arc::new(T10.workflow());
        let graph = Graph::new((0..4).map(|copy| (copy.to_string(), at(25 * copy), Arc::clone(&workflow))));
        let prediction = Prediction { knowledge, error: None };
        let problem = SchedulingProblem::new(Arc::new(graph), grid, prediction, Contention::Free);
        let rule = named("kind = \"self-scheduling\", order = \"rank\"");
        let outcomes = executed(problem, &rule, Execution::default()).expect("every task ends");
        assert!(outcomes.makespan() > Some(at(90)));
    }
}
