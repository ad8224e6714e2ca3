//! Local search: the plan of HEFT, of which one task at a time is moved as long as the plan becomes
//! shorter.
//!
//! A plan is a list of tasks, parents before their children, and a core for each; each task in turn
//! has the first gap of its core that holds it; a task of several cores has a host, and there the
//! first gaps. A move gives a task another core, or the earliest place in the list that its parents
//! allow, or both. Tasks are tried in the order of the list, cores in order, the present place
//! before the earliest. A move that makes the plan shorter is kept, and the next task is tried. The
//! search ends after a round over all tasks without such a move, or after so many placements of
//! tasks, never by the clock.

use crate::error::CannotPlan;
use crate::kernel::SimTime;
use crate::model::grid::Core;
use crate::output::number::{grouped, plain};
use crate::planning::assumption::Assumption;
use crate::planning::plan::TaskPlan;
use crate::planning::ranks::{ByRank, Data, mean_executions, upward};
use crate::planning::view::View;
use crate::registry::{Entry, Key, Kind};
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::{Heft, Scheduler};
use crate::workflow::TaskNumber;

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::new(
    "local-search",
    "the plan of HEFT, with tasks moved one at a time as long as it becomes shorter",
    &[Key::new("placements", Kind::Count { least: 0, most: 1 << 40 })
        .or_count(1_000_000)
        .about("placements of tasks after which the search ends; each trial places every task once")],
    |params| Ok(Box::new(LocalSearch { placements: params.read("placements")? })),
);

/// Moves of one task at a time.
#[derive(Clone, Copy, Debug)]
pub struct LocalSearch {
    /// Placements of tasks after which it ends.
    pub placements: u64,
}

/// A list of tasks, parents first, each with its core.
type Listed = Vec<(TaskNumber, Core)>;

impl Scheduler for LocalSearch {
    fn assumptions(&self) -> &[Assumption] {
        Heft.assumptions()
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let rank = upward(view, &mean_executions(view), Data::Counts);
        let mut first = PartialSchedule::new(view).by_figure("end in seconds", "");
        let mut listed = Listed::new();
        for task in ByRank::new(view, rank).named("upward rank in seconds") {
            let slot = first.put(task, Search::Gaps, |slot| slot.end)?;
            listed.push((task, view.place_of(slot.core)));
        }
        let begun = end(&first, &listed);
        let place_of = vec![0; view.graph().len()];
        let mut search =
            Moves { view, listed, place_of, schedule: first, end: begun, left: self.placements, kept: 0 };
        search.number();
        while search.round() {}
        let Moves { schedule, end, kept, left, .. } = search;
        view.count(self.placements - left);
        for task in view.open() {
            view.explain(task, || match kept {
                0 => "No move of one task makes the plan of HEFT shorter".to_owned(),
                _ => format!(
                    "{} moves of single tasks made the plan of HEFT shorter, from {} s to {} s",
                    grouped(kept),
                    plain(begun.as_secs_f64()),
                    plain(end.as_secs_f64())
                ),
            });
        }
        Ok(schedule.into_plan())
    }
}

/// The last end of the tasks of a list.
fn end(schedule: &PartialSchedule<'_>, listed: &Listed) -> SimTime {
    let ends = listed.iter().filter_map(|(task, _)| schedule.slot(*task)).map(|slot| slot.end);
    ends.max().unwrap_or_default()
}

struct Moves<'v> {
    view: &'v View<'v>,
    listed: Listed,
    /// Of each task of the list: its place there.
    place_of: Vec<usize>,
    /// Schedule of the list.
    schedule: PartialSchedule<'v>,
    end: SimTime,
    /// Placements that are left.
    left: u64,
    /// Moves that made the plan shorter.
    kept: u64,
}

impl Moves<'_> {
    /// Tries to move each task once; whether one was moved, and another round may find more.
    fn round(&mut self) -> bool {
        let before = self.kept;
        for place in 0..self.listed.len() {
            let earliest = self.earliest(place);
            let places = [place, earliest];
            let places = if earliest == place { &places[..1] } else { &places };
            let (task, own) = self.listed[place];
            let trials = self.view.places(task).flat_map(|core| places.iter().map(move |to| (core, *to)));
            for (core, to) in trials.filter(|trial| *trial != (own, place)) {
                if !self.view.can_run(task, self.view.host_of(core)) {
                    continue;
                }
                let Some(left) = self.left.checked_sub(self.listed.len() as u64) else { return false };
                self.left = left;
                if self.is_shorter(place, core, to) {
                    self.kept += 1;
                    self.number();
                    break;
                }
            }
        }
        self.kept > before
    }

    /// Notes where in the list each task is.
    fn number(&mut self) {
        for (place, (task, _)) in self.listed.iter().enumerate() {
            self.place_of[task.index()] = place;
        }
    }

    /// The first place of the list that is behind all parents of the task at `place`.
    fn earliest(&self, place: usize) -> usize {
        let graph = self.view.graph();
        let parents = graph.incoming(self.listed[place].0).iter().map(|edge| graph.edge(*edge).from);
        let listed = parents.filter(|parent| self.view.is_open(*parent));
        listed.map(|parent| self.place_of[parent.index()] + 1).max().unwrap_or(0)
    }

    /// Moves a task of the list to a core and an earlier place, if the plan is shorter then.
    fn is_shorter(&mut self, place: usize, core: Core, to: usize) -> bool {
        let task = self.listed[place].0;
        let own = self.listed.remove(place);
        self.listed.insert(to, (task, core));
        let mut trial = PartialSchedule::new(self.view);
        let mut last = SimTime::ZERO;
        for (number, &(task, core)) in self.listed.iter().enumerate() {
            // what stands before the move stays where it is
            let slot = if number < to { self.schedule.slot(task) } else { None };
            match slot.or_else(|| trial.earliest(task, core, Search::Gaps)) {
                Some(slot) if slot.end < self.end => {
                    trial.place(task, slot);
                    last = last.max(slot.end);
                }
                _ => {
                    self.listed.remove(to);
                    self.listed.insert(place, own);
                    return false;
                }
            }
        }
        (self.schedule, self.end) = (trial, last);
        true
    }
}
