//! Processors of reservations, and the times at which they had them.

use crate::collections::{Interval, IntervalSet};
use crate::kernel::{SimDuration, SimTime};

/// Number of a reservation in the scenario, and of the time that it takes place, both from 1.
pub type Which = (u32, u32);

/// Processors that a reservation had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReservedProcessors {
    /// The reservation.
    pub which: Which,
    /// The processors.
    pub processors: Interval,
    /// From when on.
    pub from: SimTime,
    /// To when; [`SimTime::MAX`] if the run was over before.
    pub to: SimTime,
}

/// A reservation that has begun.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Begun {
    /// The reservation.
    pub which: Which,
    /// Instant at which it began.
    pub from: SimTime,
    /// Instant at which it ends.
    pub to: SimTime,
    /// First instant at which it had all its processors, if it had.
    pub whole: Option<SimTime>,
}

impl Begun {
    /// For how long it lacked processors before `now`.
    pub fn lacked(&self, now: SimTime) -> SimDuration {
        self.whole.unwrap_or(self.to.min(now)).since(self.from)
    }
}

/// Processors of reservations.
#[derive(Clone, Debug, Default)]
pub struct Reserved {
    taken: Vec<ReservedProcessors>,
    begun: Vec<Begun>,
    /// The places of what is still held.
    open: Vec<usize>,
}

impl Reserved {
    /// Notes that a reservation begins which ends at `to`.
    pub fn begins(&mut self, which: Which, now: SimTime, to: SimTime) {
        self.begun.push(Begun { which, from: now, to, whole: None });
    }

    /// Notes that a reservation has more processors from now on, and whether these are all that it
    /// needs.
    pub fn takes(&mut self, which: Which, processors: &[Interval], whole: bool, now: SimTime) {
        for &processors in processors {
            self.open.push(self.taken.len());
            self.taken.push(ReservedProcessors { which, processors, from: now, to: SimTime::MAX });
        }
        if whole && let Some(own) = self.begun.iter_mut().rev().find(|one| one.which == which) {
            // what fails later and is replaced makes it no later
            own.whole.get_or_insert(now);
        }
    }

    /// Notes that a reservation has these processors no more, as they went out of service, and
    /// whether it does without them.
    pub fn loses(&mut self, which: Which, (lost, without): (&[Interval], bool), now: SimTime) {
        let mut before = false;
        let mut taken = Vec::with_capacity(self.taken.len() + lost.len());
        for one in self.taken.drain(..) {
            let mut kept = IntervalSet::default();
            kept.insert(one.processors);
            let gone: Vec<Interval> = if one.which == which && one.to == SimTime::MAX {
                lost.iter().flat_map(|&part| kept.within(part).collect::<Vec<_>>()).collect()
            } else {
                Vec::new()
            };
            for &part in &gone {
                kept.remove(part);
            }
            before |= !gone.is_empty() && one.from < now;
            taken.extend(kept.iter().map(|processors| ReservedProcessors { processors, ..one }));
            // maintenance may have interrupted a job for what it loses at the same instant
            taken.extend(gone.into_iter().map(|processors| ReservedProcessors {
                processors,
                to: now,
                ..one
            }));
        }
        self.open = (0..taken.len()).filter(|&place| taken[place].to == SimTime::MAX).collect();
        self.taken = taken;
        // one that got all at the instant at which it loses what it had before still lacks some
        let own = self.begun.iter_mut().rev().find(|one| one.which == which);
        if let Some(own) = own.filter(|own| before && !without && own.whole == Some(now)) {
            own.whole = None;
        }
    }

    /// Notes that a reservation is over.
    pub fn ends(&mut self, which: Which, now: SimTime) {
        let taken = &mut self.taken;
        self.open.retain(|&place| {
            let own = taken[place].which == which;
            if own {
                taken[place].to = now;
            }
            !own
        });
    }

    /// The processors that reservations had, in the order in which they got them; at one instant
    /// the first reservation first, and each from the lowest.
    pub fn taken(&self) -> &[ReservedProcessors] {
        &self.taken
    }

    /// The reservations that have begun, in order of that.
    pub fn begun(&self) -> &[Begun] {
        &self.begun
    }
}
