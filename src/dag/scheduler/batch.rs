//! Rules that pick among the tasks that are ready, by the host that would suit each best; no insertion.
//!
//! | rule | best host of a task | which task |
//! |---|---|---|
//! | `min-min` | least end | the least end of all |
//! | `max-min` | least end | the greatest of the least ends |
//! | `sufferage` | least end | the greatest difference between its second best and its best end |
//! | `etf` | least start | the least start, then the greatest static level |
//! | `hlfet` | least start | the greatest static level |
//! | `mct` | least end | the first |
//! | `olb` | the host free first | the first |
//!
//! Ties go to the lower task, then to the lower core. A task is looked at again only if the core that changed was the best or second best it
//! had: all others can only have got worse there.
//!
//! Sources: O. H. Ibarra, C. E. Kim, J. ACM 24(2), 1977, and T. D. Braun and others, JPDC 61(6), 2001 (`min-min`, `max-min`, `mct`, `olb`);
//! M. Maheswaran and others, HCW 1999 (`sufferage`); J.-J. Hwang and others, SIAM J. Computing 18(2), 1989 (`etf`); T. L. Adam, K. M. Chandy,
//! J. R. Dickson, Comm. ACM 17(12), 1974 (`hlfet`).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::dag::error::CannotPlan;
use crate::dag::grid::Core;
use crate::dag::plan::Plan;
use crate::dag::ranks::{ByRank, Data, Ordered, children_now_ready, mean_executions, open_parents, upward};
use crate::dag::schedule::{Schedule, Search};
use crate::dag::scheduler::Scheduler;
use crate::dag::view::{Slot, View};
use crate::kernel::SimTime;
use crate::registry::Entry;
use crate::workflow::TaskNumber;

pub(super) const MIN_MIN: Entry<dyn Scheduler> = Entry::published(
    "min-min",
    "of the ready tasks the one that can end first, on the host where it does",
    "T. D. Braun and others, JPDC 61(6), 2001",
    &[],
    |_| Ok(Box::new(Batch::MinMin)),
);

pub(super) const MAX_MIN: Entry<dyn Scheduler> = Entry::published(
    "max-min",
    "of the ready tasks the one whose earliest end is the latest, on the host where it ends first",
    "T. D. Braun and others, JPDC 61(6), 2001",
    &[],
    |_| Ok(Box::new(Batch::MaxMin)),
);

pub(super) const SUFFERAGE: Entry<dyn Scheduler> = Entry::published(
    "sufferage",
    "of the ready tasks the one that would lose most on its second best host, on its best",
    "M. Maheswaran and others, HCW 1999",
    &[],
    |_| Ok(Box::new(Batch::Sufferage)),
);

pub(super) const ETF: Entry<dyn Scheduler> = Entry::published(
    "etf",
    "of the ready tasks the one that can start first, of those the one of the greatest static level",
    "J.-J. Hwang, Y.-C. Chow, F. D. Anger, C.-Y. Lee, SIAM J. Computing 18(2), 1989",
    &[],
    |_| Ok(Box::new(Batch::Etf)),
);

pub(super) const HLFET: Entry<dyn Scheduler> = Entry::published(
    "hlfet",
    "the ready task of the greatest static level, on the host where it starts first",
    "T. L. Adam, K. M. Chandy, J. R. Dickson, Comm. ACM 17(12), 1974",
    &[],
    |_| Ok(Box::new(Batch::Hlfet)),
);

pub(super) const MCT: Entry<dyn Scheduler> = Entry::published(
    "mct",
    "the first ready task, on the host where it ends first",
    "T. D. Braun and others, JPDC 61(6), 2001",
    &[],
    |_| Ok(Box::new(Batch::Mct)),
);

pub(super) const OLB: Entry<dyn Scheduler> = Entry::published(
    "olb",
    "the first ready task, on the host that is free first",
    "T. D. Braun and others, JPDC 61(6), 2001",
    &[],
    |_| Ok(Box::new(Batch::Olb)),
);

/// A rule that picks among the tasks that are ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Batch {
    /// The least end of all.
    MinMin,
    /// The greatest of the least ends.
    MaxMin,
    /// The greatest difference between the second best and the best end.
    Sufferage,
    /// The least start, then the greatest static level.
    Etf,
    /// The greatest static level.
    Hlfet,
    /// The first.
    Mct,
    /// The first, on the host free first.
    Olb,
}

impl Scheduler for Batch {
    fn plan(&self, view: &View<'_>) -> Result<Plan, CannotPlan> {
        let level = || upward(view, &mean_executions(view), Data::Ignored);
        let first = || vec![0.0; view.graph().len()];
        let mut schedule = Schedule::new(view);
        match self {
            Batch::Hlfet => {
                for task in ByRank::new(view, level()) {
                    schedule.put(task, Search::Tail, |slot| slot.start)?;
                }
            }
            Batch::Mct => {
                for task in ByRank::new(view, first()) {
                    schedule.put(task, Search::Tail, |slot| slot.end)?;
                }
            }
            Batch::Olb => {
                for task in ByRank::new(view, first()) {
                    let free: Vec<SimTime> = view.cores().map(|core| schedule.tail(core)).collect();
                    schedule.put(task, Search::Tail, |slot| free[slot.core.index()])?;
                }
            }
            Batch::MinMin => by_offers(&mut schedule, |slot| slot.end, |_, offer| offer.best.end)?,
            Batch::MaxMin => by_offers(&mut schedule, |slot| slot.end, |_, offer| Reverse(offer.best.end))?,
            Batch::Sufferage => by_offers(
                &mut schedule,
                |slot| slot.end,
                |_, offer| {
                    let second = offer.second.map_or(SimTime::MAX, |(end, _)| end);
                    Reverse(second.since(offer.best.end))
                },
            )?,
            Batch::Etf => {
                let level = level();
                by_offers(
                    &mut schedule,
                    |slot| slot.start,
                    |task, offer| (offer.best.start, Reverse(Ordered(level[task.index()]))),
                )?;
            }
        }
        Ok(schedule.into_plan())
    }
}

/// The best that a ready task can have.
#[derive(Clone, Copy, Debug)]
struct Offer {
    best: Slot,
    /// What the rule makes least, on the second best core.
    second: Option<(SimTime, Core)>,
}

impl Offer {
    fn of(
        schedule: &mut Schedule<'_>,
        task: TaskNumber,
        figure: impl Fn(Slot) -> SimTime,
    ) -> Result<Self, CannotPlan> {
        let mut least: [Option<(SimTime, Core)>; 2] = [None; 2];
        let best = schedule.choose(task, Search::Tail, |slot| {
            let own = figure(slot);
            if least[0].is_none_or(|(first, _)| own < first) {
                least = [Some((own, slot.core)), least[0]];
            } else if least[1].is_none_or(|(second, _)| own < second) {
                least[1] = Some((own, slot.core));
            }
            own
        })?;
        Ok(Offer { best, second: least[1] })
    }

    /// Whether it may have changed by what was placed on this core.
    fn is_on(&self, core: Core) -> bool {
        self.best.core == core || self.second.is_some_and(|(_, second)| second == core)
    }
}

/// Places the tasks one by one, each in its slot of the least `figure`: of those that are ready the one of the least `key`, of equal ones
/// that of the lowest number.
fn by_offers<K: Ord>(
    schedule: &mut Schedule<'_>,
    figure: impl Fn(Slot) -> SimTime,
    key: impl Fn(TaskNumber, &Offer) -> K,
) -> Result<(), CannotPlan> {
    let view = schedule.view();
    let mut missing = open_parents(view);
    let mut ready: BTreeMap<TaskNumber, Offer> = BTreeMap::new();
    for task in view.open().filter(|task| missing[task.index()] == 0) {
        ready.insert(task, Offer::of(schedule, task, &figure)?);
    }
    while let Some((&task, &Offer { best, .. })) = ready.iter().min_by_key(|(task, offer)| key(**task, offer))
    {
        ready.remove(&task);
        schedule.place(task, best);
        for (&other, offer) in ready.iter_mut().filter(|(_, offer)| offer.is_on(best.core)) {
            *offer = Offer::of(schedule, other, &figure)?;
        }
        for child in children_now_ready(view, &mut missing, task) {
            ready.insert(child, Offer::of(schedule, child, &figure)?);
        }
    }
    Ok(())
}
