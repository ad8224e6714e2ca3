//! Reservations of processors: they take what is free, and maintenance also what is not.
//!
//! ```text
//! known ──its time──▶ begun, lacks some ──takes what becomes free──▶ has all ──▶ over
//!                            └─────────────────────────────────────────────────────▲
//! ```
//!
//! A reservation takes free processors, the highest first. If these are too few when maintenance
//! begins, jobs are interrupted, the one with the highest processor first, until they are enough;
//! they wait again as jobs whose nodes fail do. An advance reservation waits: what becomes free
//! goes to it before the policy hears of it, to the one that began first of several. Each ends at
//! its time, whether it was late or not. Jobs that were promised theirs run inside it
//! ([`jobs_in_reservations`](super::jobs_in_reservations)).

use std::cmp::Reverse;

use tracing::debug;

use crate::batch::machine::{Reservation, ReservationUse, Reservations};
use crate::batch::planned::Planned;
use crate::collections::{Interval, IntervalSet};
use crate::ids::JobId;
use crate::instrument::OnNodeFailure;
use crate::kernel::now;
use crate::policy::Capacity;

use super::interruptions::Runs;
use super::jobs_in_reservations::JobsInReservations;
use super::{FrontEnd, SiteEvent, State};

/// The reservations that are known and not over.
#[derive(Debug, Default)]
pub(super) struct Reserving {
    /// Reservations that have not begun.
    known: Vec<Reservation>,
    /// Reservations that have begun, in the order in which they get processors: maintenance first,
    /// then the one that began first.
    pub(super) begun: Vec<Standing>,
    /// The jobs that run inside them.
    pub(super) inside: JobsInReservations,
}

/// A reservation that has begun.
#[derive(Debug)]
pub(super) struct Standing {
    pub(super) what: Reservation,
    /// The processors that it has.
    on: Vec<Interval>,
    /// Processors of them on which no job is.
    pub(super) idle: IntervalSet,
}

impl Standing {
    fn planned(&self) -> Planned {
        let taken = self.on.iter().map(|on| on.count()).sum();
        Planned { taken, ..planned(&self.what) }
    }

    fn lacks(&self) -> u64 {
        self.planned().lacks()
    }
}

/// A reservation that has no processors.
fn planned(what: &Reservation) -> Planned {
    let Reservation { number, from, to, procs, .. } = *what;
    Planned { number, from, to, procs: u64::from(procs), taken: 0 }
}

impl Reserving {
    fn find(&mut self, what: &Reservation) -> Option<usize> {
        self.begun.iter().position(|one| one.what == *what)
    }
}

impl FrontEnd {
    /// Processors are reserved in this run, and jobs interrupted for it.
    pub(in crate::policy) fn may_reserve(&self, reservations: &Reservations) {
        let inside = JobsInReservations::new(reservations);
        let mut state = self.0.state.borrow_mut();
        state.runs.get_or_insert_with(|| Runs::new(None));
        state.reserving = Some(Reserving { inside, ..Reserving::default() });
    }

    /// Returns true if processors are reserved in this run, at any time.
    pub fn reserves(&self) -> bool {
        self.0.state.borrow().reserving.is_some()
    }

    /// Puts the reservations that are known and not over into `all`, in place of what is there.
    pub fn planned(&self, all: &mut Vec<Planned>) {
        all.clear();
        let state = self.0.state.borrow();
        let Some(reserving) = &state.reserving else { return };
        all.extend(reserving.begun.iter().map(Standing::planned));
        all.extend(reserving.known.iter().map(planned));
    }

    /// A reservation is known from now on.
    pub(in crate::policy) fn announce_reservation(&self, what: &Reservation) {
        let mut state = self.0.state.borrow_mut();
        let state = &mut *state;
        debug!(at = now().as_secs_f64(), number = what.number, "a reservation becomes known");
        state.news.push(SiteEvent::Announced(what.number));
        if let Some(reserving) = &mut state.reserving {
            reserving.known.push(*what);
        }
    }

    /// A reservation begins.
    pub(in crate::policy) fn begin_reservation(&self, what: &Reservation) {
        let mut state = self.0.state.borrow_mut();
        let state = &mut *state;
        debug!(at = now().as_secs_f64(), number = what.number, "a reservation begins");
        state.news.push(SiteEvent::Begun(what.number));
        state.machine.record_mut().reserved_mut().begins((what.number, what.time), now(), what.to);
        let Some(reserving) = &mut state.reserving else { return };
        reserving.known.retain(|known| known != what);
        let key = |one: &Reservation| (one.purpose, one.from, one.number, one.time);
        let place = reserving.begun.partition_point(|one| key(&one.what) < key(what));
        reserving.begun.insert(place, Standing { what: *what, on: Vec::new(), idle: IntervalSet::default() });
        state.feed_reservations();
        if what.purpose == ReservationUse::Maintenance {
            self.clear_for(state, what);
        }
        self.serve_inside(state);
    }

    /// Interrupts jobs until a reservation has all its processors.
    fn clear_for(&self, state: &mut State, what: &Reservation) {
        let record = state.machine.record();
        let highest = |job: JobId| record.processors(job).iter().map(|on| on.last).max();
        let running = state.runs.iter().flat_map(Runs::underway);
        let mut jobs: Vec<(Reverse<Option<u32>>, JobId)> =
            running.map(|job| (Reverse(highest(job)), job)).collect();
        jobs.sort_unstable();
        for (_, job) in jobs {
            let own =
                state.reserving.as_mut().and_then(|all| all.find(what).map(|place| all.begun[place].lacks()));
            if own.is_none_or(|lacks| lacks == 0) {
                return;
            }
            self.interrupt(state, job, OnNodeFailure::Requeued);
            state.feed_reservations();
        }
    }

    /// A reservation is over.
    pub(in crate::policy) fn end_reservation(&self, what: &Reservation) {
        let mut state = self.0.state.borrow_mut();
        let state = &mut *state;
        debug!(at = now().as_secs_f64(), number = what.number, "a reservation is over");
        let Some(reserving) = &mut state.reserving else { return };
        let Some(place) = reserving.find(what) else { return };
        let standing = reserving.begun.remove(place);
        state.news.push(SiteEvent::Returned(standing.planned().taken));
        let idle: Vec<Interval> = standing.idle.iter().collect();
        state.machine.give_back(&idle);
        self.end_all_inside(state, what);
        state.machine.record_mut().reserved_mut().ends((what.number, what.time), now());
        state.feed_reservations();
        self.serve_inside(state);
    }

    /// Notes that all reports about reservations at this instant have been made.
    pub(in crate::policy) fn reservations_reported(&self) {
        self.report_processors(&mut self.0.state.borrow_mut());
    }
}

impl State {
    /// Uses of the processors now.
    pub(super) fn capacity(&self) -> Capacity {
        let begun = self.reserving.iter().flat_map(|all| &all.begun);
        Capacity {
            procs: u64::from(self.machine.procs()),
            free: self.machine.free().count(),
            reserved: begun.map(|one| one.planned().taken).sum(),
            down: self.machine.out_of_service(),
        }
    }

    /// Gives what is free to reservations that have begun and lack processors; not to one that is
    /// over at this very instant.
    pub(super) fn feed_reservations(&mut self) {
        let Some(reserving) = &mut self.reserving else { return };
        for one in &mut reserving.begun {
            let lacks = one.lacks();
            if lacks == 0 || one.what.to <= now() || self.machine.free().count() == 0 {
                continue;
            }
            let taken = self.machine.take_highest(lacks);
            one.on.extend(&taken);
            taken.iter().for_each(|&part| {
                one.idle.insert(part);
            });
            let which = (one.what.number, one.what.time);
            let whole = one.lacks() == 0;
            self.machine.record_mut().reserved_mut().takes(which, &taken, whole, now());
        }
    }
}
