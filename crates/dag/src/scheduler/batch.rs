//! Rules that pick among the tasks that are ready, by the host that would suit each best; no
//! insertion.
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
//! Ties go to the lower task, then to the lower core. A task that only one core can have would lose
//! without bound. A task of several cores has one best slot on each host; several cores are free
//! when the last of them is.
//!
//! Sources: O. H. Ibarra, C. E. Kim, J. ACM 24(2), 1977, and T. D. Braun and others, JPDC 61(6),
//! 2001 (`min-min`, `max-min`, `mct`, `olb`); M. Maheswaran and others, HCW 1999 (`sufferage`);
//! J.-J. Hwang and others, SIAM J. Computing 18(2), 1989 (`etf`); T. L. Adam, K. M. Chandy, J. R.
//! Dickson, Comm. ACM 17(12), 1974 (`hlfet`).

use std::cmp::Reverse;

use crate::error::CannotPlan;
use crate::kernel::{SimDuration, SimTime};
use crate::planning::assumption::Assumption;
use crate::planning::plan::TaskPlan;
use crate::planning::ranks::{ByRank, Data, Ordered, mean_executions, upward};
use crate::planning::view::{TimeSlot, View};
use crate::registry::Entry;
use crate::schedule::each_offer::Offer;
use crate::schedule::offers::{ByOffers, KeyCourse};
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::Scheduler;
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
    fn assumptions(&self) -> &[Assumption] {
        &[Assumption::ContentionFree]
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let level = || upward(view, &mean_executions(view), Data::Ignored);
        let figure = match self {
            Batch::Etf | Batch::Hlfet => "start in seconds",
            Batch::Olb => "instant from which the core is free, in seconds",
            Batch::MinMin | Batch::MaxMin | Batch::Sufferage | Batch::Mct => "end in seconds",
        };
        let mut schedule = PartialSchedule::new(view).by_figure(figure, "");
        match self {
            Batch::Hlfet => {
                for task in ByRank::new(view, level()).named("static level in seconds") {
                    schedule.put(task, Search::Tail, |slot| slot.start)?;
                }
            }
            Batch::Mct => {
                for task in ByRank::by_number(view) {
                    schedule.put(task, Search::Tail, |slot| slot.end)?;
                }
            }
            Batch::Olb => {
                for task in ByRank::by_number(view) {
                    let slot =
                        schedule.choose_by(task, Search::Tail, |schedule, slot| schedule.tail(slot.core))?;
                    schedule.place(task, slot);
                }
            }
            Batch::MinMin => {
                place_by_ends(&mut schedule, "it can end first", KeyCourse::Grows, |offer| offer.figure)?;
            }
            Batch::MaxMin => {
                place_by_ends(&mut schedule, "its earliest end is the latest", KeyCourse::Falls, |offer| {
                    Reverse(offer.figure)
                })?;
            }
            Batch::Sufferage => {
                place_by_ends(
                    &mut schedule,
                    "it would lose most on its second best core",
                    KeyCourse::BySecond,
                    |offer| {
                        let loss = |(end, _): (SimTime, _)| end.since(offer.figure);
                        Reverse(offer.second.map_or(SimDuration::MAX, loss))
                    },
                )?;
            }
            Batch::Etf => {
                let level = level();
                let key = |task: TaskNumber, offer: &Offer<SimTime>| {
                    (offer.figure, Reverse(Ordered(level[task.index()])))
                };
                let why = "it can start first, and of equal ones its static level is the greatest";
                let figure = |_, slot: TimeSlot| slot.start;
                ByOffers { figure, key, why, course: KeyCourse::Grows }.place_all(&mut schedule)?;
            }
        }
        Ok(schedule.into_plan())
    }
}

/// Places each task where it ends first, the one of the least key next.
fn place_by_ends<K: Ord + Copy>(
    schedule: &mut PartialSchedule<'_>,
    why: &'static str,
    course: KeyCourse,
    key: impl Fn(&Offer<SimTime>) -> K,
) -> Result<(), CannotPlan> {
    let key = |_, offer: &Offer<SimTime>| key(offer);
    ByOffers { figure: |_, slot: TimeSlot| slot.end, key, why, course }.place_all(schedule)
}
