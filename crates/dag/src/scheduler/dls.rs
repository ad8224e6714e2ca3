//! DLS: of all pairs of a ready task and a host the one of the greatest dynamic level; no
//! insertion.
//!
//! | form | level of a task | dynamic level of task and host |
//! |---|---|---|
//! | `dls` | longest chain of median times, no transfers | level - start + (median - own time) |
//! | `dls-dagsim` | longest chain at `constant` times the virtual speed | level - predicted end |
//!
//! The start is when the data of all parents are there and the host has computed what it has. In
//! the form of DAGSim a transfer waits for those planned before it over a link of its route. A
//! median that is infinite, because many hosts cannot run the task, is the greatest time that is
//! finite. Equal levels go to the earlier start, then the lower task, then the lower host. Levels
//! are whole nanoseconds.
//!
//! With `ready = "finished"` the tasks whose parents have all ended are placed before all others;
//! for plans that are made again under way.
//!
//! Sources: G. C. Sih, E. A. Lee, "A compile-time scheduling heuristic for
//! interconnection-constrained heterogeneous processor architectures", IEEE TPDS 4(2), 1993;
//! "DAGSim" for its form and the constant.

use crate::error::CannotPlan;
use crate::kernel::{SimDuration, SimTime};
use crate::planning::assumption::Assumption;
use crate::planning::plan::{ChoiceFigure, TaskPlan};
use crate::planning::view::{TimeSlot, View};
use crate::registry::{Bounds, Entry, Key, Kind};
use crate::schedule::each_offer::Offer;
use crate::schedule::offers::{ByOffers, KeyCourse, with_finished_parents};
use crate::schedule::partial::PartialSchedule;
use crate::scheduler::Scheduler;
use crate::workflow::TaskNumber;

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::published(
    "dls",
    "of all pairs of a ready task and a host that of the greatest dynamic level",
    "G. C. Sih, E. A. Lee, IEEE TPDS 4(2), 1993",
    &[],
    |_| Ok(Box::new(Dls)),
);

pub(super) const DAGSIM: Entry<dyn Scheduler> = Entry::published(
    "dls-dagsim",
    "of all pairs of a ready task and a host that of the greatest level less predicted end",
    "A. Jarry, H. Casanova, F. Berman, DAGSim, 2000",
    KEYS,
    |params| {
        let choices = [("placed", ReadyWhen::Placed), ("finished", ReadyWhen::Finished)];
        Ok(Box::new(DlsDagsim { constant: params.read("constant")?, ready: params.pick("ready", &choices)? }))
    },
);

const KEYS: &[Key] = &[
    Key::new("constant", Kind::Number(Bounds::Positive))
        .or_number(1.0)
        .about("speed of the host that levels are worked out for, over that of the virtual host")
        .source("DAGSim: 0.9 or 1.0"),
    Key::new("ready", Kind::Choice(READY)).or("placed").about("when a task may be chosen"),
];

const READY: &[(&str, &str)] = &[
    ("placed", "all its parents have a place in this plan, or have ended"),
    ("finished", "all its parents have ended; those of which some parent has not follow all others"),
];

/// Names of the figure that is greatest on the core that is taken, and of the criterion among equal
/// ones.
const LEVEL: &str = "dynamic level in seconds, the greatest first";
const EARLIER: &str = "the earlier start";

/// Dynamic level scheduling as published.
#[derive(Clone, Copy, Debug)]
pub struct Dls;

/// Dynamic level scheduling as DAGSim has it.
#[derive(Clone, Copy, Debug)]
pub struct DlsDagsim {
    /// Speed of the host that levels are worked out for, over that of the virtual host.
    pub constant: f64,
    /// Instant at which a task may be chosen.
    pub ready: ReadyWhen,
}

/// Instant at which a task may be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReadyWhen {
    /// Parents have places, or have ended.
    #[default]
    Placed,
    /// Parents have ended.
    Finished,
}

/// Distance of a slot from the greatest dynamic level; of equal ones the earlier start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Behind {
    nanos: i128,
    start: SimTime,
}

impl ChoiceFigure for Behind {
    /// The dynamic level.
    fn number(self) -> f64 {
        -(self.nanos as f64) / 1e9
    }
}

impl Behind {
    pub(crate) fn new(level: u64, slot: TimeSlot) -> Self {
        Behind { nanos: i128::from(slot.end.as_nanos()) - i128::from(level), start: slot.start }
    }
}

impl Scheduler for Dls {
    fn assumptions(&self) -> &[Assumption] {
        &[Assumption::ContentionFree]
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        // level - start + (median - time) is level + median - end
        let medians = of_open(view, |task| median(view, task));
        let mut levels = static_levels(view, &medians);
        for task in view.tasks() {
            levels[task.index()] = levels[task.index()].saturating_add(medians[task.index()]);
        }
        let mut schedule = PartialSchedule::new(view).by_figure(LEVEL, EARLIER);
        place(&mut schedule, &levels, ReadyWhen::Placed)?;
        Ok(schedule.into_plan())
    }
}

impl Scheduler for DlsDagsim {
    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let speed = self.constant * view.virtual_speed();
        let span = |task| SimDuration::ceil_secs(view.nominal_seconds(task) / speed).as_nanos();
        let spans = of_open(view, span);
        let levels = static_levels(view, &spans);
        let mut schedule = PartialSchedule::queued(view).by_figure(LEVEL, EARLIER);
        place(&mut schedule, &levels, self.ready)?;
        Ok(schedule.into_plan())
    }
}

/// Places the pair of the greatest dynamic level next.
fn place(schedule: &mut PartialSchedule<'_>, levels: &[u64], ready: ReadyWhen) -> Result<(), CannotPlan> {
    let rule = ByOffers {
        figure: |task: TaskNumber, slot| Behind::new(levels[task.index()], slot),
        key: |_, offer: &Offer<Behind>| offer.figure,
        why: "its dynamic level is the greatest",
        course: KeyCourse::Grows,
    };
    if ready == ReadyWhen::Finished {
        let first = with_finished_parents(schedule.view());
        rule.place(schedule, first, |_| Vec::new())?;
    }
    rule.place_all(schedule)
}

/// Nanoseconds of each task that is open; 0 of the others.
pub(crate) fn of_open(view: &View<'_>, nanos: impl Fn(TaskNumber) -> u64) -> Vec<u64> {
    let mut all = vec![0; view.graph().len()];
    for task in view.tasks().filter(|task| view.is_open(*task)) {
        all[task.index()] = nanos(task);
    }
    all
}

/// The longest chain of these nanoseconds from each open task on.
pub(crate) fn static_levels(view: &View<'_>, spans: &[u64]) -> Vec<u64> {
    let graph = view.graph();
    let mut levels = vec![0_u64; graph.len()];
    for &task in view.order().iter().rev().filter(|task| view.is_open(**task)) {
        let below = graph.outgoing(task).iter().map(|edge| levels[graph.edge(*edge).to.index()]);
        levels[task.index()] = spans[task.index()].saturating_add(below.max().unwrap_or(0));
    }
    levels
}

/// The median of the nanoseconds of a task over hosts; the greatest that is finite where the median
/// is not.
pub(crate) fn median(view: &View<'_>, task: TaskNumber) -> u64 {
    let hosts = view.hosts().len();
    let able = view.hosts().filter_map(|host| view.execution(task, host, view.now()));
    let mut spans: Vec<u64> = able.map(SimDuration::as_nanos).collect();
    spans.sort_unstable();
    let Some(&greatest) = spans.last() else { return 0 };
    let [lower, upper] = [(hosts - 1) / 2, hosts / 2].map(|place| spans.get(place));
    lower.zip(upper).map_or(greatest, |(lower, upper)| lower.midpoint(*upper))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planning::view::ExecutionState;
    use crate::tests::Instance;

    #[test]
    fn the_median_over_an_even_number_of_hosts_is_midway_between_the_two_in_the_middle() {
        let cases: [(&'static [&'static [f64]], u64); 3] =
            [(&[&[9.0, 2.0, 4.0]], 4_000), (&[&[9.0, 1.0, 4.0, 2.0]], 3_000), (&[&[5.0, 2.0]], 3_500)];
        for (seconds, millis) in cases {
            let problem = Instance { seconds, edges: &[] }.problem(seconds[0].len(), false);
            let standing = ExecutionState::all_open(&problem.graph);
            let view = View::new(&problem, &standing, SimTime::ZERO, 0);
            assert_eq!(median(&view, TaskNumber(0)), millis * 1_000_000, "{seconds:?}");
        }
    }
}
