//! Distance of a run from the optimum, where the optimum is searched for.

use crate::kernel::SimTime;
use crate::measure::family::{Aim, Family, Part, metrics_of};
use crate::measure::metric::{Metric, Value};
use crate::sweep::model::application::Sweep;
use crate::sweep::model::grid::SweepGrid;
use crate::sweep::results::optimum::SweepOptimum;
use crate::sweep::results::record::SweepOutcomes;

const SEARCHED: &str = "runs with `record.gap`; nothing of an application that is not searched";
const PARTS: &[Part] = &[
    ("best", "the end of the best assignment that was found"),
    ("bound", "what no run ends before; the same where the optimum is proven"),
];

/// The families of runs whose optimum is searched for.
pub const OF_GAPS: [Family; 3] = [
    Family::new(
        "gap.optimal",
        "",
        Aim::Lower,
        "`makespan` / the optimum - 1; nothing if the search for it met its limit",
        SEARCHED,
    ),
    Family::new("optimum", "s", Aim::None, "of tasks without files, by branch and bound", SEARCHED)
        .parts(PARTS),
    Family::share(
        "optimum.proven",
        Aim::None,
        "1 where the search for the optimum came to its end, so that `optimum.best` is the optimum, else 0",
        SEARCHED,
    ),
];

/// Limits of the search for the optimum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SweepGapRequest {
    /// Most tasks of an application whose optimum is searched for.
    pub most_tasks: usize,
    /// Steps after which the search ends.
    pub steps: u64,
}

impl SweepGapRequest {
    /// The optimum of an application; `None` if it has too many tasks, or none is known of such.
    pub fn search(&self, sweep: &Sweep, grid: &SweepGrid) -> Option<SweepOptimum> {
        let is_small = sweep.tasks.len() <= self.most_tasks;
        is_small.then(|| SweepOptimum::of(sweep, grid, self.steps)).flatten()
    }
}

/// The values of the families, in their order.
pub fn metrics_of_gap(outcomes: &SweepOutcomes, optimum: Option<SweepOptimum>) -> Vec<Metric> {
    let seconds = |at: Option<SimTime>| at.map_or(Value::Nothing, |at| Value::Real(at.as_secs_f64()));
    let least = optimum.and_then(|optimum| optimum.proven()).filter(|least| *least > SimTime::ZERO);
    let above = outcomes.makespan().zip(least);
    let above = above.map(|(makespan, least)| makespan.as_secs_f64() / least.as_secs_f64() - 1.0);
    let proven = |optimum: SweepOptimum| Value::Count(u64::from(optimum.proven().is_some()));
    let values = [
        above.map_or(Value::Nothing, Value::Real),
        seconds(optimum.map(|optimum| optimum.best)),
        seconds(optimum.map(|optimum| optimum.bound)),
        optimum.map_or(Value::Nothing, proven),
    ];
    metrics_of(&OF_GAPS, values)
}
