//! The reservations that are known and not over: they become known, begin, take processors, end.

use std::cmp::Reverse;

use tracing::debug;

use crate::batch::machine::{Reservation, ReservationUse};
use crate::batch::planned::{Planned, PlannedList, PlannedNodes, PlannedShare};
use crate::collections::{Interval, IntervalSet, OrderedMap};
use crate::ids::JobId;
use crate::instrument::OnNodeFailure;
use crate::kernel::now;
use crate::policy::SiteEvent;
use crate::policy::front_end::Site;

use super::inside::JobsInReservations;
use super::nodes::{SiteNodes, Turn, turn};
use super::shares::{HeldShares, ReservedShares};

/// The reservations that are known and not over.
#[derive(Debug)]
pub(super) struct Reserving {
    /// Reservations that have not begun, in the order in which they do.
    known: OrderedMap<Turn, Reservation>,
    /// Number of times that those which have not begun changed, but for the first of them.
    edition: u64,
    /// Reservations that have begun, in the order in which they get processors: maintenance first,
    /// then the one that began first.
    pub(super) begun: Vec<Standing>,
    /// The jobs that run inside them.
    pub(super) inside: JobsInReservations,
    /// Their nodes, where it is nodes that are reserved.
    pub(super) nodes: Option<SiteNodes>,
    /// The shares of pools that they are to have.
    pub(super) shares: ReservedShares,
}

/// A reservation that has begun.
#[derive(Debug)]
pub(super) struct Standing {
    pub(super) what: Reservation,
    /// The processors that it has.
    pub(super) on: Vec<Interval>,
    /// Processors of them on which no job is.
    pub(super) idle: IntervalSet,
    /// Processors that failed, and that it does without.
    without: IntervalSet,
    /// The amounts of pools that it has.
    pub(super) shares: HeldShares,
}

impl Standing {
    fn taken(&self) -> u64 {
        self.on.iter().map(|on| on.count()).sum()
    }

    fn planned(&self, nodes: Option<&SiteNodes>) -> Planned {
        let whole = planned(&self.what, nodes, true, self.shares.planned());
        // those that a reservation of nodes does without are none of its nodes
        let without = if nodes.is_some() { 0 } else { self.without.count() };
        Planned { taken: self.taken(), procs: whole.procs - without, ..whole }
    }

    /// Number of processors that it lacks, or of nodes.
    fn lacks(&self, site: &Site<'_>, nodes: Option<&SiteNodes>) -> u64 {
        match nodes {
            None => self.planned(None).lacks(),
            Some(nodes) => nodes.lacks(site, &self.what, self.taken()),
        }
    }
}

/// A reservation that has no processors.
fn planned(what: &Reservation, nodes: Option<&SiteNodes>, begun: bool, pools: Vec<PlannedShare>) -> Planned {
    let Reservation { number, from, to, procs, .. } = *what;
    let procs = u64::from(procs);
    let (nodes, procs) = nodes.map_or((PlannedNodes::default(), procs), |nodes| nodes.planned(what, begun));
    Planned { number, from, to, procs, taken: 0, nodes, pools }
}

impl Reserving {
    pub(super) fn new(inside: JobsInReservations) -> Self {
        let shares = ReservedShares::default();
        Reserving { known: OrderedMap::new(), edition: 0, begun: Vec::new(), inside, nodes: None, shares }
    }

    fn find(&self, what: &Reservation) -> Option<usize> {
        self.begun.iter().position(|one| one.what == *what)
    }

    /// Brings a list of the reservations that are known and not over up to date. The nodes of one
    /// that has not begun are those that it had when it became known.
    pub(super) fn planned(&self, list: &mut PlannedList) {
        let nodes = self.nodes.as_ref();
        let begun = self.begun.iter().map(|one| one.planned(nodes));
        let shares = |one: &Reservation| self.shares.planned(one.number);
        let ahead = self.known.values().map(|one| planned(one, nodes, false, shares(one)));
        list.update(self.edition, ahead, begun);
    }

    /// A reservation is known from now on.
    pub(super) fn becomes_known(&mut self, site: &mut Site<'_>, what: &Reservation) {
        debug!(at = now().as_secs_f64(), number = what.number, "a reservation becomes known");
        site.report(SiteEvent::Announced(what.number));
        self.nodes.iter_mut().for_each(|nodes| nodes.known(site, what));
        self.known.insert(turn(what), *what);
        self.edition += 1;
    }

    /// A reservation begins.
    pub(super) fn begins(&mut self, site: &mut Site<'_>, what: &Reservation) {
        debug!(at = now().as_secs_f64(), number = what.number, "a reservation begins");
        site.report(SiteEvent::Begun(what.number));
        site.record_mut().reserved_mut().begins((what.number, what.time), now(), what.to);
        if self.known.first_key_value().is_some_and(|(&first, _)| first != turn(what)) {
            // of those that begin at this instant another is the first
            self.edition += 1;
        }
        self.known.remove(&turn(what));
        let key = |one: &Reservation| (one.purpose, one.from, one.number, one.time);
        let place = self.begun.partition_point(|one| key(&one.what) < key(what));
        self.begun.insert(
            place,
            Standing {
                what: *what,
                on: Vec::new(),
                idle: IntervalSet::default(),
                without: IntervalSet::default(),
                shares: self.shares.begin(what.number),
            },
        );
        self.feed(site);
        if what.purpose == ReservationUse::Maintenance {
            self.clear_for(site, what);
        }
        self.serve_inside(site);
    }

    /// Interrupts jobs until a reservation has all its processors, all those at once that have the
    /// highest one.
    fn clear_for(&mut self, site: &mut Site<'_>, what: &Reservation) {
        let record = site.machine().record();
        let highest = |job: JobId| record.processors(job).iter().map(|on| on.last).max();
        let mut jobs: Vec<(Reverse<Option<u32>>, JobId)> =
            site.underway().map(|job| (Reverse(highest(job)), job)).collect();
        jobs.sort_unstable();
        for sharing in jobs.chunk_by(|one, other| one.0 == other.0) {
            let nodes = self.nodes.as_ref();
            if self.find(what).is_none_or(|place| self.begun[place].lacks(site, nodes) == 0) {
                return;
            }
            for &(_, job) in sharing {
                if self.nodes.as_ref().is_none_or(|nodes| nodes.hinders(site, what, job)) {
                    site.interrupt(job, OnNodeFailure::Requeued);
                }
            }
            self.feed(site);
        }
    }

    /// Processors go out of service: reservations that have them lose them, and take others when
    /// some are free, or do without.
    pub(super) fn failed(&mut self, site: &mut Site<'_>, part: Interval) {
        self.nodes.iter_mut().for_each(|nodes| nodes.in_service_inside(part, false));
        for one in &mut self.begun {
            self.nodes.iter_mut().for_each(|nodes| nodes.failed(&one.what, part));
            let meets = |on: &Interval| on.first <= part.last && part.first <= on.last;
            if !one.on.iter().any(meets) {
                continue;
            }
            let mut had = IntervalSet::default();
            for on in one.on.drain(..) {
                had.insert(on);
            }
            let lost: Vec<Interval> = had.within(part).collect();
            for &gone in &lost {
                had.remove(gone);
                one.idle.within(gone).collect::<Vec<_>>().into_iter().for_each(|idle| {
                    one.idle.remove(idle);
                });
                if one.what.shrinks {
                    one.without.insert(gone);
                }
            }
            one.on.extend(had.iter());
            let which = (one.what.number, one.what.time);
            site.record_mut().reserved_mut().loses(which, (&lost, one.what.shrinks), now());
        }
    }

    /// Processors are back in service: maintenance that did without them needs them again.
    pub(super) fn repaired(&mut self, part: Interval) {
        self.nodes.iter_mut().for_each(|nodes| nodes.in_service_inside(part, true));
        for one in &mut self.begun {
            if one.what.purpose == ReservationUse::Maintenance {
                for back in one.without.within(part).collect::<Vec<_>>() {
                    one.without.remove(back);
                    self.nodes.iter_mut().for_each(|nodes| nodes.back(&one.what, back));
                }
            }
        }
    }

    /// A reservation is over.
    pub(super) fn ends(&mut self, site: &mut Site<'_>, what: &Reservation) {
        debug!(at = now().as_secs_f64(), number = what.number, "a reservation is over");
        let Some(place) = self.find(what) else { return };
        let standing = self.begun.remove(place);
        site.report(SiteEvent::Returned(standing.taken()));
        self.nodes.iter_mut().for_each(|nodes| nodes.over(what));
        standing.shares.end(site);
        let idle: Vec<Interval> = standing.idle.iter().collect();
        site.machine_mut().give_back(&idle);
        self.end_all_inside(site, what);
        site.record_mut().reserved_mut().ends((what.number, what.time), now());
        self.feed(site);
        self.serve_inside(site);
    }

    /// Gives what is free to reservations that have begun and lack processors, or amounts of pools;
    /// not to one that is over at this very instant.
    pub(super) fn feed(&mut self, site: &mut Site<'_>) {
        for one in &mut self.begun {
            if one.what.to > now() {
                one.shares.feed(site);
            }
            let lacks = one.lacks(site, self.nodes.as_ref());
            if lacks == 0 || one.what.to <= now() || site.machine().free().count() == 0 {
                continue;
            }
            let taken = match &mut self.nodes {
                None => site.machine_mut().take_highest(lacks),
                Some(nodes) => nodes.take(site, &one.what),
            };
            one.on.extend(&taken);
            taken.iter().for_each(|&part| {
                one.idle.insert(part);
            });
            let which = (one.what.number, one.what.time);
            let whole = one.lacks(site, self.nodes.as_ref()) == 0;
            site.record_mut().reserved_mut().takes(which, &taken, whole, now());
        }
    }
}
