//! Transfers as a plan lays them over links: one after another, in the order in which they were
//! planned.

use std::rc::Rc;

use crate::collections::{BusySpans, OrderedMap};
use crate::dag::planning::plan::PlannedTransfer;
use crate::dag::planning::view::View;
use crate::kernel::SimTime;
use crate::platform::sharing::LinkId;
use crate::platform::{HostId, Platform};
use crate::workflow::EdgeNumber;

/// Spans of planned transfers on links.
pub(in crate::dag) type BusyLinks = OrderedMap<LinkId, BusySpans<EdgeNumber>>;

/// Transfers that were planned over links one after another.
#[derive(Clone, Debug)]
pub(in crate::dag) struct Queues {
    /// Instant at which each link has carried all of them.
    pub(in crate::dag) tails: Vec<SimTime>,
    /// The edges whose transfers were planned, in order.
    pub(in crate::dag) order: Vec<EdgeNumber>,
    /// Planned arrival of each file on a host, by the first of the edges that carry it, where files
    /// are sent by themselves.
    pub(in crate::dag) copies: OrderedMap<(EdgeNumber, HostId), SimTime>,
    /// By pair of hosts: the links of its route, once they were asked for; empty if there are too
    /// many pairs.
    routes: Vec<Option<Rc<[LinkId]>>>,
}

/// Pairs of hosts of which the routes are kept.
const MOST_ROUTES: usize = 1 << 20;

impl Queues {
    /// Behind what links carry now, and what they are to carry for tasks that keep their places.
    pub(in crate::dag) fn new(view: &View<'_>) -> Self {
        let platform = view.problem().grid.platform();
        let pairs = platform.hosts().len().pow(2);
        let routes = if pairs <= MOST_ROUTES { vec![None; pairs] } else { Vec::new() };
        let tails = vec![SimTime::ZERO; platform.links().len()];
        let mut queues = Queues { tails, order: Vec::new(), copies: OrderedMap::new(), routes };
        for &PlannedTransfer { edge, from, to, end, .. } in view.booked() {
            for link in queues.route(platform, from, to).iter().flat_map(|route| route.iter()) {
                let tail = &mut queues.tails[link.index()];
                *tail = end.max(*tail);
            }
            if view.graph().file_rules().cache {
                queues.copies.insert((view.graph().first_of(edge), to), end);
            }
        }
        queues
    }

    /// The links from one host to another; `None` if no route joins them.
    pub(in crate::dag) fn route(
        &mut self,
        platform: &Platform,
        from: HostId,
        to: HostId,
    ) -> Option<Rc<[LinkId]>> {
        let place = from.index() * platform.hosts().len() + to.index();
        if let Some(Some(route)) = self.routes.get(place) {
            return Some(Rc::clone(route));
        }
        let mut route = Vec::new();
        platform.route(from, to, &mut route).ok()?;
        let route: Rc<[LinkId]> = route.into();
        if let Some(kept) = self.routes.get_mut(place) {
            *kept = Some(Rc::clone(&route));
        }
        Some(route)
    }
}

/// The first instant from which on all links of a route are free for so long.
pub(in crate::dag) fn free_from(busy: &BusyLinks, route: &[LinkId], from: u64, span: u64) -> u64 {
    let mut start = from;
    loop {
        let links = route.iter().filter_map(|link| busy.get(link));
        let free = links.fold(start, |start, busy| busy.earliest(start, span));
        if free == start {
            return start;
        }
        start = free;
    }
}
