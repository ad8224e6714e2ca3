//! Plans that take time.

use crate::heuristic::MinMinHeuristic;
use crate::interval::constant::ConstantInterval;
use crate::kernel::SimDuration;
use crate::kernel::rng::Streams;
use crate::plan::planner::Planner;
use crate::plan::settings::{PlanSettings, PlanningTime};
use crate::tests::{run_with, secs, settings, two_on_one};

#[test]
fn plans_that_take_longer_than_their_interval_are_executed_all_the_same() {
    let settings = PlanSettings {
        interval: Box::new(ConstantInterval { every: Some(SimDuration::from_secs(9)) }),
        planning: PlanningTime::Constant(SimDuration::from_secs(25)),
        keep: 0,
        ..settings(Box::new(MinMinHeuristic))
    };
    let (grid, sweep) = two_on_one();
    let outcomes = run_with(grid, sweep, Box::new(Planner::new(settings, Streams::new(7, 0))));
    // the plan that was begun at 100 s, when the second task was to wait for the first, is taken up
    // at 125 s
    assert_eq!(secs(&outcomes), 125.0 + 80.0);
}
