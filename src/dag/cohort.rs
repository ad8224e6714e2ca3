//! Workflows as statistics of streams see them.

use crate::dag::alone::response;
use crate::dag::bounds::LowerBounds;
use crate::dag::execution::Outcomes;
use crate::instrument::cohort::{ListedCohort, Subject};
use crate::kernel::SimDuration;

/// The workflows of a run that arrived before it ended, in their order; `each` are the lower bounds
/// of each.
///
/// Work is time of the whole platform: of a workflow, the bound by area. Its service begins when it
/// would have to if it then took no longer than its lower bound.
pub fn cohort(outcomes: &Outcomes, each: &[LowerBounds]) -> ListedCohort {
    let mut subjects = Vec::new();
    for (place, (workflow, bounds)) in outcomes.graph().applications().iter().zip(each).enumerate() {
        let (begin, response) = (workflow.arrival, response(outcomes, place));
        let late = response.map(|response| response.saturating_sub(SimDuration::ceil_secs(bounds.lower())));
        if begin <= outcomes.ended_at {
            subjects.push(Subject {
                begin,
                served: late.map(|late| begin.saturating_add(late)),
                end: response.map(|response| begin.saturating_add(response)),
                area: bounds.area,
                class: 0,
                done: response.is_some(),
            });
        }
    }
    ListedCohort { capacity: Some(1.0), subjects }
}
