//! Workflows as statistics of streams see them.

use crate::dag::execution::Outcomes;
use crate::dag::results::alone::response;
use crate::dag::results::bounds::LowerBounds;
use crate::dag::results::metrics::slowdowns;
use crate::kernel::SimDuration;
use crate::measure::cohort::{ListedCohort, Subject};

/// The workflows of a run that arrived before it ended, in their order; `each` are the lower bounds
/// of each, `alone` its response times alone.
///
/// Work is time of the whole platform: of a workflow, the bound by area. Its service begins when it
/// would have to if it then took no longer than its lower bound.
pub fn cohort(outcomes: &Outcomes, each: &[LowerBounds], alone: &[Option<SimDuration>]) -> ListedCohort {
    const MEANS: &[&str] = &["response-time.mean", "slowdown.mean", "normalized-response-time.mean"];
    let mut cohort = ListedCohort::new(Some(1.0), MEANS);
    let mut slowdowns = slowdowns(outcomes, alone).into_iter().peekable();
    for (place, (workflow, bounds)) in outcomes.graph().applications().iter().zip(each).enumerate() {
        let (begin, response) = (workflow.arrival, response(outcomes, place));
        let slowdown = slowdowns.next_if(|(of, _)| *of == place).map(|(_, slowdown)| slowdown);
        if begin > outcomes.ended_at {
            continue;
        }
        let late = response.map(|response| response.saturating_sub(SimDuration::ceil_secs(bounds.lower())));
        let subject = Subject {
            begin,
            served: late.map(|late| begin.saturating_add(late)),
            end: response.map(|response| begin.saturating_add(response)),
            area: bounds.area,
            class: 0,
            done: response.is_some(),
        };
        let seconds = response.map(SimDuration::as_secs_f64);
        cohort.push(subject, &[seconds, slowdown, seconds.map(|seconds| seconds / bounds.lower())]);
    }
    cohort
}
