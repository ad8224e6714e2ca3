//! The process that reports when each reservation becomes known, begins and is over, and what the
//! front end asks.
//!
//! The process is a daemon, as nodes that fail are: a run is over when its jobs are. It wakes by
//! the clock, so that all that occurs at the instant has occurred, ends of jobs above all; at one
//! instant reservations end first, then others become known, then others begin.

use std::cell::RefCell;
use std::rc::Rc;

use crate::batch::machine::{Reservation, Reservations, ReservedNodes};
use crate::batch::planned::PlannedList;
use crate::collections::{Interval, IntervalSet, OrderedMap};
use crate::ids::JobId;
use crate::kernel::{SimTime, now, spawn_daemon, timer};
use crate::policy::front_end::{FrontEnd, Site, SiteFeature};

use super::inside::JobsInReservations;
use super::nodes::{SiteNodes, by_name};
use super::shares::ReservedShares;
use super::standing::Reserving;

/// Reservations of processors.
#[derive(Debug)]
pub(super) struct ReservingProcessors {
    all: Vec<Reservation>,
    nodes: OrderedMap<u32, ReservedNodes>,
    pools: OrderedMap<u32, Vec<(String, u32)>>,
    reserving: Rc<RefCell<Reserving>>,
}

impl ReservingProcessors {
    pub(super) fn new(reservations: Reservations) -> Self {
        let reserving = Reserving::new(JobsInReservations::new(&reservations));
        let Reservations { all, nodes, pools, .. } = reservations;
        let reserving = Rc::new(RefCell::new(reserving));
        ReservingProcessors { all, nodes, pools, reserving }
    }
}

impl SiteFeature for ReservingProcessors {
    fn begins(&mut self, front: &FrontEnd) {
        let reserving = Rc::clone(&self.reserving);
        if let Some(resources) = front.resources().filter(|_| !self.nodes.is_empty()) {
            let nodes = SiteNodes::new(resources, &front.jobs(), (&self.all, self.nodes.clone()));
            reserving.borrow_mut().nodes = Some(nodes);
        }
        if let Some(pools) = front.pools() {
            reserving.borrow_mut().shares = ReservedShares::new(&self.pools, &pools);
        }
        spawn_daemon("reservations", announce(front.clone(), reserving, self.all.clone()));
    }

    fn watches(&self, front: &FrontEnd) {
        self.reserving.borrow_mut().inside.users_cancel = front.withdraws();
    }

    fn interrupts(&self) -> bool {
        true
    }

    fn reserves(&self) -> bool {
        true
    }

    fn named_nodes(&self) -> Vec<IntervalSet> {
        by_name(&self.nodes)
    }

    fn planned(&self, list: &mut PlannedList) {
        self.reserving.borrow().planned(list);
    }

    fn takes_over(&mut self, site: &mut Site<'_>, job: JobId) -> bool {
        let mut reserving = self.reserving.borrow_mut();
        let own = reserving.inside.has(job);
        if own {
            reserving.submit_inside(site, job);
        }
        own
    }

    fn lets(&self, job: JobId) -> Option<bool> {
        self.reserving.borrow().inside.has(job).then_some(false)
    }

    fn ended(&mut self, site: &mut Site<'_>, job: JobId) -> bool {
        self.reserving.borrow_mut().ends_inside(site, job)
    }

    fn waits_again(&mut self, site: &mut Site<'_>, job: JobId) {
        if self.reserving.borrow().inside.is_interrupted(job) {
            Reserving::serve_after_cancellations(&self.reserving, site);
        }
    }

    fn left(&mut self, site: &mut Site<'_>, job: JobId) {
        let mut reserving = self.reserving.borrow_mut();
        if reserving.inside.left(job) {
            // it may have kept those behind it waiting
            reserving.serve_inside(site);
        }
    }

    fn failed(&mut self, site: &mut Site<'_>, part: Interval) {
        self.reserving.borrow_mut().failed(site, part);
    }

    fn repaired(&mut self, _: &mut Site<'_>, part: Interval) {
        self.reserving.borrow_mut().repaired(part);
    }

    fn capacity_changed(&mut self, site: &mut Site<'_>) {
        let mut reserving = self.reserving.borrow_mut();
        reserving.feed(site);
        reserving.serve_inside(site);
        site.count_free();
    }
}

/// Events of a reservation, in the order of an instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ReservationEvent {
    Ends,
    Known,
    Begins,
}

async fn announce(front: FrontEnd, reserving: Rc<RefCell<Reserving>>, reservations: Vec<Reservation>) {
    let turns = |(place, one): (usize, &Reservation)| {
        [
            (one.to, ReservationEvent::Ends, place),
            (one.known, ReservationEvent::Known, place),
            (one.from, ReservationEvent::Begins, place),
        ]
    };
    let mut turns: Vec<(SimTime, ReservationEvent, usize)> =
        reservations.iter().enumerate().flat_map(turns).collect();
    turns.sort_unstable();
    for instant in turns.chunk_by(|one, other| one.0 == other.0) {
        timer(instant[0].0.since(now())).await;
        if front.is_deserted() {
            // no job is started any more, so nothing need be reported
            return;
        }
        for &(_, turn, place) in instant {
            let one = &reservations[place];
            front.with_site(|site| {
                let mut reserving = reserving.borrow_mut();
                match turn {
                    ReservationEvent::Ends => reserving.ends(site, one),
                    ReservationEvent::Known => reserving.becomes_known(site, one),
                    ReservationEvent::Begins => reserving.begins(site, one),
                }
            });
        }
        front.report_capacity();
    }
}
