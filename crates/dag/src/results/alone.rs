//! Response time of each workflow of a stream if it were alone.
//!
//! It then arrives when it did, and meets the same loads and failures; the same scheduler plans it,
//! by perfect predictions and with the same re-planning; and links carry nothing else. Copies of
//! one graph take as long as each other on a platform that never changes, and only one of them is
//! run.
//!
//! Source: H. Zhao, R. Sakellariou, "Scheduling multiple DAGs onto heterogeneous systems", IPDPS
//! 2006 (slowdown of an application: its makespan among others against that alone).

use std::rc::Rc;
use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::execution::Outcomes;
use crate::kernel::{SimDuration, SimError, SimTime};
use crate::model::graph::Graph;
use crate::model::prediction::Prediction;
use crate::model::problem::SchedulingProblem;
use crate::platform::{Platform, Trace};

/// The time from the arrival of a workflow to the end of its last task; `None` if one has not
/// ended.
pub(crate) fn response(outcomes: &Outcomes, place: usize) -> Option<SimDuration> {
    let application = &outcomes.graph().applications()[place];
    let mut ends = application.tasks().map(|task| outcomes.tasks[task.index()].end);
    let last = ends.try_fold(SimTime::ZERO, |last, end| end.map(|end| last.max(end)))?;
    Some(last.since(application.arrival))
}

/// Returns the response time that each workflow of a run would have alone; `None` for those that
/// did not end, of a run of one workflow, and where the scheduler has no plan for one by itself.
/// `draws`: true if the scheduler draws random numbers.
pub(crate) fn responses_alone(
    outcomes: &Outcomes,
    draws: bool,
    execute: impl Fn(Rc<SchedulingProblem>) -> Result<Outcomes, SimError>,
) -> Vec<Option<SimDuration>> {
    let (problem, graph) = (&outcomes.problem, outcomes.graph());
    let applications = graph.applications();
    if applications.len() < 2 {
        return vec![None; applications.len()];
    }
    let is_reused = !draws && never_changes(problem.grid.platform());
    let mut known: OrderedMap<usize, Option<SimDuration>> = OrderedMap::new();
    let mut grid = Some(problem.grid.again());
    let mut alone = |place: usize| {
        response(outcomes, place)?;
        let one = &applications[place];
        let same = Arc::as_ptr(&one.workflow) as usize;
        if let Some(response) = known.get(&same).filter(|_| is_reused) {
            return *response;
        }
        let graph = Graph::with_files(
            [(one.name.clone(), one.arrival, Arc::clone(&one.workflow))],
            graph.file_rules(),
        );
        // the grid goes from one run to the next, as it is costly to make
        let grid_now = grid.take().unwrap_or_else(|| problem.grid.again());
        let by_itself =
            SchedulingProblem::new(Arc::new(graph), grid_now, Prediction::default(), problem.contention);
        let by_itself = Rc::new(by_itself.with_streams(problem.streams));
        let outcomes = execute(Rc::clone(&by_itself)).ok();
        let response = outcomes.as_ref().and_then(|outcomes| response(outcomes, 0));
        drop(outcomes);
        grid = Rc::into_inner(by_itself).map(|problem| problem.grid);
        known.insert(same, response);
        response
    };
    (0..applications.len()).map(&mut alone).collect()
}

/// Returns true if no host and no link ever has another speed, availability, bandwidth or latency,
/// and none fails.
fn never_changes(platform: &Platform) -> bool {
    let stays = |trace: &Trace| trace.next_change(SimTime::ZERO).is_none();
    let hosts = platform.hosts().iter().flat_map(|host| [&host.availability, &host.working]);
    let links = platform.links().kinds().flat_map(|link| [&link.bandwidth, &link.latency, &link.working]);
    hosts.chain(links).all(stays)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::{Execution, LinkOrder};
    use crate::scheduler::NamedScheduler;
    use crate::tests::{F6, T10, executed, scheduler};

    /// Two workflows on three hosts, the second `later` seconds after the first: response times,
    /// and those alone.
    fn two(rule: &str, draws: bool, later: u64) -> (Vec<f64>, Vec<f64>) {
        let first = T10.problem(3, false);
        let (ten, six) = (Arc::new(T10.workflow()), Arc::new(F6.workflow()));
        let arrivals = [(SimTime::ZERO, &ten), (SimTime::from_nanos(later * 1_000_000_000), &six)];
        let all = arrivals.map(|(at, workflow)| ("one".to_owned(), at, Arc::clone(workflow)));
        let problem = SchedulingProblem::new(
            Arc::new(Graph::new(all)),
            first.grid,
            Prediction::default(),
            first.contention,
        );
        let rule = NamedScheduler { name: rule.to_owned(), scheduler: scheduler(rule).into() };
        let free = || Execution { links: LinkOrder::Free, ..Execution::default() };
        let outcomes = executed(problem, &rule, free()).expect("it ends");
        let by_itself = |problem: Rc<SchedulingProblem>| {
            crate::execution::execute(problem, &rule, free(), crate::kernel::Simulation::new(1), None)
        };
        let seconds = |span: Option<SimDuration>| span.map_or(f64::NAN, SimDuration::as_secs_f64);
        let among = (0..2).map(|place| seconds(response(&outcomes, place))).collect();
        let alone = responses_alone(&outcomes, draws, by_itself).into_iter().map(seconds).collect();
        (among, alone)
    }

    #[test]
    fn alone_each_takes_what_its_rule_makes_of_it_by_itself() {
        // the published makespan of one, and 16 or 17 of the other on four and three hosts
        for (draws, later) in [(false, 0), (true, 0), (false, 7)] {
            let (among, alone) = two("heft", draws, later);
            assert!((alone[0] - 80.0).abs() < 1e-9, "{among:?}");
            assert!(alone[1] <= among[1] && among[1] > 17.0, "{among:?} {alone:?}");
        }
        // when nothing of the first is left, the second is alone
        let (among, alone) = two("heft", false, 200);
        assert_eq!(among, alone);
        let (_, alone) = two("self-scheduling", false, 0);
        assert!(alone.iter().all(|one| *one > 0.0), "{alone:?}");
    }

    #[test]
    fn a_workflow_without_others_has_nothing_to_be_compared_with() {
        let rule = NamedScheduler { name: "heft".to_owned(), scheduler: scheduler("heft").into() };
        let outcomes = executed(T10.problem(3, false), &rule, Execution::default()).expect("it ends");
        let none = |_: Rc<SchedulingProblem>| -> Result<Outcomes, SimError> { panic!("nothing is run") };
        assert_eq!(responses_alone(&outcomes, false, none), [None]);
    }
}
