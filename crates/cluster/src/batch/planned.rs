//! Reservations of processors that are known: a job that is started is over before they begin, or
//! leaves them what they need.
//!
//! A reservation takes a number of processors for a span of time, whichever they are. In the
//! availability profile it lowers what is free in its span. One that has begun has its processors
//! already, which are not free and come back at its end; what it still lacks it takes before any
//! other job.
//!
//! # Complexity
//! Reservations ahead stand in order of time, so to ask for a job costs a look at those that
//! begin before it would be over, and a search in a profile of the running jobs where there is one;
//! the profile is made once for all jobs that are asked for at an instant. Where there are no
//! reservations nothing is looked at. From one decision to the next only what has begun or is over
//! changes in the list.

use std::cell::RefCell;
use std::ops::Deref;

use crate::collections::Interval;
use crate::kernel::{SimDuration, SimTime};

use super::profile::Profile;
use super::running::{NEXT_NANO, Running};

/// A reservation that is known and not over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planned {
    /// Number in the scenario, from 1.
    pub number: u32,
    /// Instant at which it begins.
    pub from: SimTime,
    /// Instant at which it ends; later than now.
    pub to: SimTime,
    /// Processors it needs.
    pub procs: u64,
    /// Processors of them that it has.
    pub taken: u64,
    /// Its nodes, where jobs ask for more than processors.
    pub nodes: PlannedNodes,
    /// The amounts of pools that it needs.
    pub pools: Vec<PlannedShare>,
}

/// Amount of a pool that a reservation needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlannedShare {
    /// Number of the pool among those of the run.
    pub pool: usize,
    /// All that it needs.
    pub amount: u32,
    /// Amount of it that it has, its jobs' included.
    pub taken: u32,
}

/// Nodes of a reservation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlannedNodes {
    /// The nodes that it is to have, or as many of each class, where jobs have their nodes whole.
    pub booked: Vec<Interval>,
    /// The nodes on which nothing may start now, as it has begun.
    pub closed: Vec<Interval>,
}

impl Planned {
    /// Processors that it still has to get.
    pub fn lacks(&self) -> u64 {
        self.procs.saturating_sub(self.taken)
    }

    /// The same as a pool sees it: its amount in the place of processors. `None` if it needs none
    /// of that pool.
    pub fn in_pool(&self, pool: usize) -> Option<Planned> {
        let share = self.pools.iter().find(|share| share.pool == pool)?;
        let Planned { number, from, to, .. } = *self;
        let (procs, taken) = (share.amount.into(), share.taken.into());
        Some(Planned { number, from, to, procs, taken, nodes: PlannedNodes::default(), pools: Vec::new() })
    }

    /// Returns true if it may need processors of a job that runs from one instant to another.
    fn meets(&self, from: SimTime, to: SimTime) -> bool {
        self.lacks() > 0 && self.from < to && from < self.to
    }
}

/// Reservations that begin before an instant, which is later than now, of some in the order of a
/// [`PlannedList`].
pub(crate) fn before(planned: &[Planned], instant: SimTime) -> &[Planned] {
    &planned[planned.partition_point(|one| one.from >= instant)..]
}

/// Reservations that begin at an instant or before it, of some in the order of a [`PlannedList`].
pub(crate) fn begun(planned: &[Planned], now: SimTime) -> &[Planned] {
    &planned[planned.partition_point(|one| one.from > now)..]
}

/// The reservations that are known and not over, as they were when they were last asked for: those
/// that have not begun from the last to the first, then those that have.
#[derive(Debug, Default)]
pub(crate) struct PlannedList {
    all: Vec<Planned>,
    /// Number of those that have not begun.
    ahead: usize,
    /// Number of times that some had become known.
    edition: u64,
}

impl PlannedList {
    /// Brings the list up to date: with those that have not begun, in the order in which they do,
    /// if others have become known since, and with those that have begun.
    pub(crate) fn update(
        &mut self,
        edition: u64,
        ahead: impl DoubleEndedIterator<Item = Planned> + ExactSizeIterator,
        begun: impl Iterator<Item = Planned>,
    ) {
        let count = ahead.len();
        if self.edition == edition {
            // those that have begun since stood last
            self.all.truncate(count.min(self.ahead));
        } else {
            self.all.clear();
            self.all.extend(ahead.rev());
        }
        (self.edition, self.ahead) = (edition, count);
        self.all.extend(begun);
    }

    /// The reservations themselves.
    pub(crate) fn into_all(self) -> Vec<Planned> {
        self.all
    }
}

impl Deref for PlannedList {
    type Target = [Planned];

    fn deref(&self) -> &[Planned] {
        &self.all
    }
}

/// The machine as it is now, and the jobs that wait to use it.
#[derive(Clone, Debug)]
pub struct Outlook<'a> {
    /// The instant.
    pub now: SimTime,
    /// Processors free now.
    pub free: u64,
    /// The jobs that run.
    pub running: &'a Running,
    /// The reservations that are known and not over: those that have not begun from the last to the
    /// first, then those that have.
    pub planned: &'a [Planned],
    /// The profile, once it has been asked for, with the reservations that begin before an instant.
    asked: RefCell<Option<(SimTime, Profile)>>,
}

impl<'a> Outlook<'a> {
    /// The machine at an instant, with `free` free processors.
    pub fn new((now, free): (SimTime, u64), running: &'a Running, planned: &'a [Planned]) -> Self {
        Outlook { now, free, running, planned, asked: RefCell::new(None) }
    }

    /// The free processors from now on, where jobs past their estimates go on for `late`.
    pub fn profile(&self, late: SimDuration) -> Profile {
        Profile::with_planned(self, late)
    }

    /// The number of the reservation that keeps a job of this need and estimate from starting now;
    /// `None`: it may start, or too few processors are free for it anyway.
    pub fn obstructing_reservation(&self, procs: u64, estimate: SimDuration) -> Option<u32> {
        let span = estimate.max(NEXT_NANO);
        let over = self.now.saturating_add(span);
        let met = || before(self.planned, over).iter().filter(|one| one.meets(self.now, over));
        if procs > self.free || met().next().is_none() {
            return None;
        }
        let mut asked = self.asked.borrow_mut();
        if asked.as_ref().is_none_or(|&(upto, _)| upto < over) {
            // other jobs ask for longer spans, but not for much longer ones each
            let upto = over.saturating_add(span);
            let planned = before(self.planned, upto);
            let near = Outlook::new((self.now, self.free), self.running, planned);
            *asked = Some((upto, near.profile(NEXT_NANO)));
        }
        let profile = asked.as_ref().map(|(_, profile)| profile)?;
        if profile.holds(procs, self.now, span) {
            return None;
        }
        let short = |one: &&Planned| profile.at(one.from.max(self.now)) < super::profile::signed(procs);
        met().filter(short).min_by_key(|one| (one.from, one.number)).map(|one| one.number)
    }

    /// Returns true if a job of this need and estimate may start now.
    pub fn takes(&self, procs: u64, estimate: SimDuration) -> bool {
        procs <= self.free && self.obstructing_reservation(procs, estimate).is_none()
    }
}

#[cfg(test)]
mod tests {
    use crate::ids::JobId;

    use super::*;

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    #[test]
    fn a_job_is_over_before_a_reservation_begins_or_leaves_enough_for_it() {
        let mut running = Running::new();
        running.insert(JobId(0), 2, at(40));
        // 6 of 8 processors are free; 5 are reserved from 100 to 200
        let later = [Planned {
            number: 7,
            from: at(100),
            to: at(200),
            procs: 5,
            taken: 0,
            nodes: PlannedNodes::default(),
            pools: Vec::new(),
        }];
        let outlook = Outlook::new((at(10), 6), &running, &later);
        let obstructing = [(6, 90), (6, 91), (3, 500), (4, 91), (4, 90)]
            .map(|(procs, span)| outlook.obstructing_reservation(procs, SimDuration::from_nanos(span)));
        assert_eq!(obstructing, [None, Some(7), None, Some(7), None]);
        assert!(!outlook.takes(7, SimDuration::from_nanos(1)), "too few are free");
        assert!(outlook.takes(6, SimDuration::from_nanos(90)));
    }

    #[test]
    fn a_reservation_that_has_all_it_needs_gives_it_back_at_its_end() {
        let running = Running::new();
        let begun = [Planned {
            number: 1,
            from: at(5),
            to: at(50),
            procs: 3,
            taken: 3,
            nodes: PlannedNodes::default(),
            pools: Vec::new(),
        }];
        let outlook = Outlook::new((at(10), 5), &running, &begun);
        assert!(outlook.takes(5, SimDuration::from_nanos(1_000)));
        let profile = outlook.profile(NEXT_NANO);
        assert_eq!([10, 49, 50, 999].map(|nanos| profile.at(at(nanos))), [5, 5, 8, 8]);
    }

    #[test]
    fn of_a_reservation_that_is_late_what_it_lacks_is_not_free() {
        let mut running = Running::new();
        running.insert(JobId(0), 4, at(3));
        let late = [Planned {
            number: 1,
            from: at(5),
            to: at(50),
            procs: 6,
            taken: 3,
            nodes: PlannedNodes::default(),
            pools: Vec::new(),
        }];
        let outlook = Outlook::new((at(10), 0), &running, &late);
        // the job past its estimate is taken to end in a nanosecond, and three of its processors
        // are needed
        let profile = outlook.profile(NEXT_NANO);
        assert_eq!([10, 11, 49, 50].map(|nanos| profile.at(at(nanos))), [-3, 1, 1, 7]);
    }
}
