//! Distance of the makespan of a run from the possible: from the best of other schedulers, and from
//! the optimum.
//!
//! - *Best of others*: each scheduler plans the same problem by the same predictions, and its plan
//!   is executed as that of the run was: the same loads, links, failures and re-planning. Least is
//!   the shortest makespan of these and of the run itself.
//! - *OptimalMakespan*: the shortest makespan of any plan if every duration is known beforehand, no
//!   host fails, and each transfer has its links to itself, by branch and bound ([`Optimal`]) over
//!   the loads of the run. Whatever a scheduler predicts, and however its transfers share links, it
//!   ends no earlier, as long as sharing a link does not speed a transfer up and a latency does not
//!   fall so fast that what is sent later is there earlier. A search that meets its limit gives the
//!   best plan found, and what no plan is shorter than.
//!
//! Workflows that arrive later have no optimum here: a plan of all would know of them before they
//! arrive.

use std::sync::Arc;

use crate::execution::Outcomes;
use crate::kernel::{SimError, SimTime};
use crate::model::prediction::Prediction;
use crate::model::problem::{Contention, SchedulingProblem};
use crate::planning::view::{ExecutionState, View};
use crate::results::bounds::LowerBounds;
use crate::scheduler::{NamedScheduler, Optimal, Scheduler};

/// Alternatives that a run is compared with.
#[derive(Clone, Debug, Default)]
pub(crate) struct GapRequest {
    /// The other schedulers.
    pub schedulers: Vec<NamedScheduler>,
    /// Most tasks of a graph whose optimum is searched for; 0: of none.
    pub most_tasks: usize,
    /// Steps after which that search ends.
    pub nodes: u64,
}

/// Result of a scheduler on the problem of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparedScheduler {
    /// The scheduler.
    pub name: String,
    /// The end of its last task; `None` if it has no plan, or some task has not ended.
    pub makespan: Option<SimTime>,
    /// The end of its first plan.
    pub plan: Option<SimTime>,
    /// Reason that there is no makespan; empty if there is one.
    pub why: String,
}

/// Result of a search for the optimum, which is found where both are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OptimalMakespan {
    /// The end of the best plan that was found.
    pub best: SimTime,
    /// Lower bound of the end of any plan.
    pub bound: SimTime,
}

/// Distance of a run from other schedulers and from the optimum.
#[derive(Clone, PartialEq, Debug)]
pub struct GapReport {
    /// The run itself, then the other schedulers as asked for.
    pub compared: Vec<ComparedScheduler>,
    /// By branch and bound, if it was searched for.
    pub optimum: Option<OptimalMakespan>,
}

impl OptimalMakespan {
    /// The optimum, if the search came to its end.
    pub fn proven(&self) -> Option<SimTime> {
        (self.best == self.bound).then_some(self.best)
    }

    /// Searches for the optimum of a problem, in `nodes` steps at most; `None` if it has no plan.
    pub fn of(problem: &SchedulingProblem, nodes: u64) -> Option<Self> {
        let (graph, grid) = (Arc::clone(&problem.graph), problem.grid.again());
        let known = SchedulingProblem::new(graph, grid, Prediction::default(), Contention::Free);
        let state = ExecutionState::all_open(&known.graph);
        let plan = Optimal { nodes }.plan(&View::new(&known, &state, SimTime::ZERO, 0)).ok()?;
        let best = plan.end();
        // no search is needed where a plan is as short as the bound by the longest chain and by all
        // work
        let least = LowerBounds::of(&known).earliest_end();
        let bound = plan.bound.unwrap_or(best).max(least).min(best);
        Some(OptimalMakespan { best, bound })
    }
}

impl GapRequest {
    /// Runs the others, and searches for the optimum where the graph is small enough.
    pub(crate) fn report(
        &self,
        name: &str,
        own: &Outcomes,
        execute: impl Fn(&NamedScheduler) -> Result<Outcomes, SimError>,
    ) -> GapReport {
        let mut compared = vec![ComparedScheduler::of(name, Ok(own))];
        for rule in &self.schedulers {
            let outcomes = execute(rule);
            compared.push(ComparedScheduler::of(&rule.name, outcomes.as_ref()));
        }
        let graph = own.graph();
        let is_small = graph.len() <= self.most_tasks;
        let is_there = graph.applications().iter().all(|one| one.arrival == SimTime::ZERO);
        let optimum = (is_small && is_there).then(|| OptimalMakespan::of(&own.problem, self.nodes)).flatten();
        GapReport { compared, optimum }
    }
}

impl ComparedScheduler {
    fn of(name: &str, outcomes: Result<&Outcomes, &SimError>) -> Self {
        let (makespan, plan) = outcomes.map_or((None, None), |outcomes| {
            (outcomes.makespan(), outcomes.plans.first().map(|plan| plan.end))
        });
        let why = match outcomes {
            Err(error) => error.to_string(),
            Ok(_) if makespan.is_none() => "the run was stopped before its last task had ended".to_owned(),
            Ok(_) => String::new(),
        };
        ComparedScheduler { name: name.to_owned(), makespan, plan, why }
    }
}

impl GapReport {
    /// The scheduler of least makespan, the earlier of equal ones.
    pub fn best(&self) -> Option<(&ComparedScheduler, SimTime)> {
        let ended = self.compared.iter().filter_map(|one| Some((one, one.makespan?)));
        ended.min_by_key(|(_, makespan)| *makespan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::{Execution, LinkOrder};
    use crate::tests::{F6, K9, M7, T10, executed, scheduler};

    fn named(name: &str) -> NamedScheduler {
        NamedScheduler { name: name.to_owned(), scheduler: scheduler(name).into() }
    }

    fn seconds(at: Option<SimTime>) -> Option<f64> {
        at.map(SimTime::as_secs_f64)
    }

    #[test]
    fn ten_tasks_by_heft_are_a_tenth_above_the_optimum() {
        let free = Execution { links: LinkOrder::Free, ..Execution::default() };
        let run = |rule: &NamedScheduler| executed(T10.problem(3, false), rule, free.clone());
        let own = run(&named("heft")).expect("it ends");
        let schedulers: Vec<_> = ["cpop", "lookahead-heft", "sufferage", "sequential"].map(named).into();
        let request = GapRequest { schedulers, most_tasks: 10, nodes: 1_000_000 };
        let report = request.report("heft", &own, run);
        let ends: Vec<_> = report.compared.iter().map(|one| seconds(one.makespan)).collect();
        assert_eq!(ends, [80.0, 86.0, 76.0, 76.0, 127.0].map(Some));
        assert_eq!(report.best().map(|(best, _)| &*best.name), Some("lookahead-heft"));
        assert_eq!(seconds(report.optimum.and_then(|optimum| optimum.proven())), Some(73.0));
        let few = GapRequest { most_tasks: 9, ..request }.report("heft", &own, run);
        assert_eq!(few.optimum, None);
    }

    #[test]
    fn a_search_that_meets_its_limit_gives_a_bound() {
        for nodes in [1, 100, 1_000] {
            let optimum = OptimalMakespan::of(&T10.problem(3, false), nodes).expect("it has a plan");
            let (best, bound) = (optimum.best.as_secs_f64(), optimum.bound.as_secs_f64());
            assert_eq!(optimum.proven(), None, "{nodes}");
            assert!((41.0..=73.0).contains(&bound) && (73.0..=80.0).contains(&best), "{bound} {best}");
        }
    }

    #[test]
    fn the_optimum_knows_the_truth_and_has_links_to_itself() {
        // shared links, which the optimum does not know of
        for (instance, hosts, optimum) in [(&K9, 3, 16.0), (&K9, 2, 17.0), (&F6, 4, 16.0), (&M7, 3, 27.0)] {
            let found = OptimalMakespan::of(&instance.problem(hosts, true), 1_000_000);
            assert_eq!(seconds(found.and_then(|found| found.proven())), Some(optimum));
        }
    }

    #[test]
    fn a_scheduler_without_a_plan_says_why() {
        let run = |rule: &NamedScheduler| executed(F6.problem(3, false), rule, Execution::default());
        let own = run(&named("heft")).expect("it ends");
        let request = GapRequest { schedulers: vec![named("dcp")], ..GapRequest::default() };
        let report = request.report("heft", &own, run);
        assert_eq!(report.compared[1].makespan, None);
        assert!(report.compared[1].why.contains("host"), "{}", report.compared[1].why);
        assert_eq!(report.best().map(|(best, _)| &*best.name), Some("heft"));
    }
}
