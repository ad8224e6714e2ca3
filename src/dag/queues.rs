//! Transfers as a plan lays them over links: one after another, in the order in which they were planned.

use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::platform::sharing::LinkId;
use crate::platform::{HostId, Platform};
use crate::workflow::EdgeNumber;

/// Transfers that were planned over links one after another.
#[derive(Clone, Debug)]
pub(super) struct Queues {
    /// When each link has carried all of them.
    pub(super) tails: Vec<SimTime>,
    /// The edges whose transfers were planned, in order.
    pub(super) order: Vec<EdgeNumber>,
    /// Where files are sent by themselves: when each is planned to be on a host, by the first of the edges that carry it.
    pub(super) copies: OrderedMap<(EdgeNumber, HostId), SimTime>,
    /// By pair of hosts: the links of its route, once they were asked for; empty if there are too many pairs.
    routes: Vec<Option<Rc<[LinkId]>>>,
}

/// Pairs of hosts of which the routes are kept.
const MOST_ROUTES: usize = 1 << 20;

impl Queues {
    pub(super) fn new(platform: &Platform) -> Self {
        let pairs = platform.hosts().len().pow(2);
        let routes = if pairs <= MOST_ROUTES { vec![None; pairs] } else { Vec::new() };
        let tails = vec![SimTime::ZERO; platform.links().len()];
        Queues { tails, order: Vec::new(), copies: OrderedMap::new(), routes }
    }

    /// The links from one host to another; nothing if no route joins them.
    pub(super) fn route(&mut self, platform: &Platform, from: HostId, to: HostId) -> Option<Rc<[LinkId]>> {
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
