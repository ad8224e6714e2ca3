//! Platforms as they are used: hosts, links, zones, and the routes between hosts.

use std::borrow::Cow;

use crate::collections::OrderedMap;
use crate::hosts::{Host, HostId};
use crate::kernel::SimTime;
use crate::links::Link;
use crate::sharing::LinkId;
use crate::topology::cursor::PlatformCursor;
use crate::topology::links::Links;
use crate::topology::{Joins, NetPoint, RouteClasses, RouteCursor, Segment, ZoneId};

/// The greatest depth of zones within each other.
pub(crate) const DEEPEST: u32 = 32;

/// The position of a point: its zone, and its place among the points of that zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ZonePosition {
    pub(crate) zone: ZoneId,
    pub(crate) rank: u32,
}

/// A zone as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct Zone {
    pub(crate) name: String,
    /// Zones around it.
    pub(crate) depth: u32,
    /// Position of the zone; the top zone lies in itself.
    pub(crate) position: ZonePosition,
    /// The points that it joins, by rank.
    pub(crate) points: Vec<NetPoint>,
    pub(crate) joins: Joins,
    pub(crate) properties: OrderedMap<String, String>,
}

/// A router as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct Router {
    pub(crate) name: String,
    pub(crate) position: ZonePosition,
}

/// Two hosts that no route joins.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no route from `{from}` to `{to}`")]
pub struct NoRoute {
    /// The first host.
    pub from: String,
    /// The second host.
    pub to: String,
}

/// A route that was given, from a host, router or zone to another, with its links in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeclaredRoute<'a> {
    /// The innermost zone that holds both ends.
    pub zone: ZoneId,
    /// Start.
    pub from: NetPoint,
    /// End.
    pub to: NetPoint,
    /// Links, without those within zones at its ends.
    pub links: &'a [LinkId],
}

/// Hosts, links, and the routes between hosts through zones; built by a
/// [`Builder`](super::Builder).
///
/// It takes memory by its hosts, links and given routes. A route is worked out when it is asked
/// for, in a time that its length decides (where routes are hops to be joined: all but the first
/// route from each point).
#[derive(Clone, Debug, Default)]
pub struct Platform {
    pub(crate) hosts: Vec<Host>,
    pub(crate) positions: Vec<ZonePosition>,
    pub(crate) routers: Vec<Router>,
    /// Hosts and routers.
    pub(crate) points_by_name: OrderedMap<String, NetPoint>,
    pub(crate) zones: Vec<Zone>,
    pub(crate) zones_by_name: OrderedMap<String, ZoneId>,
    pub(crate) links: Links,
    pub(crate) link_properties: OrderedMap<LinkId, OrderedMap<String, String>>,
    /// Routes between hosts or routers that bypass all zones.
    pub(crate) bypasses: OrderedMap<(NetPoint, NetPoint), Vec<LinkId>>,
    /// Routes between zones that bypass what lies around them.
    pub(crate) zone_bypasses: OrderedMap<(ZoneId, ZoneId), Segment>,
}

/// No properties.
static NO_PROPERTIES: OrderedMap<String, String> = OrderedMap::new();

impl Platform {
    /// Hosts, by number.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The host of this number.
    ///
    /// # Panics
    /// If it belongs to another platform.
    pub fn host(&self, id: HostId) -> &Host {
        &self.hosts[id.index()]
    }

    /// The host of this name.
    pub fn host_named(&self, name: &str) -> Option<HostId> {
        match self.points_by_name.get(name) {
            Some(&NetPoint::Host(host)) => Some(host),
            _ => None,
        }
    }

    /// Links, by number.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// Returns true if a host or a link is down at some time.
    pub fn may_fail(&self) -> bool {
        let mut all = self
            .hosts()
            .iter()
            .map(|host| &host.working)
            .chain(self.links().kinds().map(|link| &link.working));
        all.any(|working| {
            working.next_change(SimTime::ZERO).is_some() || working.value_at(SimTime::ZERO) <= 0.0
        })
    }

    /// The link of this number; a link of a mesh whose links differ is made.
    ///
    /// # Panics
    /// If it belongs to another platform.
    pub fn link(&self, id: LinkId) -> Cow<'_, Link> {
        self.links.get(id.index())
    }

    /// Name of a link.
    pub fn link_name(&self, id: LinkId) -> Cow<'_, str> {
        self.links.name(id)
    }

    /// The link of this name.
    pub fn link_named(&self, name: &str) -> Option<LinkId> {
        self.links.named(name)
    }

    /// The properties that the platform's author gave a link.
    pub fn link_properties(&self, id: LinkId) -> &OrderedMap<String, String> {
        self.link_properties.get(&id).unwrap_or(&NO_PROPERTIES)
    }

    /// Zones, by number; the first is the top zone.
    pub fn zones(&self) -> impl Iterator<Item = ZoneId> + use<> {
        (0..self.zones.len() as u32).map(ZoneId)
    }

    /// Name of a zone; the top zone, which no name finds, `top`.
    pub fn zone_name(&self, id: ZoneId) -> &str {
        &self.zone(id).name
    }

    /// The zone of this name.
    pub fn zone_named(&self, name: &str) -> Option<ZoneId> {
        self.zones_by_name.get(name).copied()
    }

    /// The zone that a point lies in; the top zone lies in itself.
    pub fn zone_of(&self, point: impl Into<NetPoint>) -> ZoneId {
        self.position(point.into()).zone
    }

    /// The points that lie in a zone itself, in the order in which they were put there.
    pub fn points(&self, id: ZoneId) -> &[NetPoint] {
        &self.zone(id).points
    }

    /// The properties that the platform's author gave a zone.
    pub fn zone_properties(&self, id: ZoneId) -> &OrderedMap<String, String> {
        &self.zone(id).properties
    }

    /// Name of a point.
    pub fn point_name(&self, point: impl Into<NetPoint>) -> &str {
        match point.into() {
            NetPoint::Host(host) => &self.hosts[host.index()].name,
            NetPoint::Router(router) => &self.routers[router.index()].name,
            NetPoint::Zone(zone) => self.zone_name(zone),
        }
    }

    /// Puts the links from one host to another into `route`, which is cleared first, in order. From
    /// a host to itself there are none, unless a loopback or a route says otherwise: that takes no
    /// time.
    ///
    /// # Errors
    /// Nothing joins the two.
    ///
    /// # Complexity
    /// O(length), for shortest paths beyond the first from a point; and a logarithm where routes
    /// are given one by one.
    pub fn route(&self, from: HostId, to: HostId, route: &mut Vec<LinkId>) -> Result<(), NoRoute> {
        self.route_with_delay(from, to, route).map(drop)
    }

    /// As [`route`](Platform::route), and the seconds that the route takes beyond the latencies of
    /// its links: those that follow from coordinates.
    ///
    /// # Errors
    /// Nothing joins the two.
    pub fn route_with_delay(
        &self,
        from: HostId,
        to: HostId,
        route: &mut Vec<LinkId>,
    ) -> Result<f64, NoRoute> {
        route.clear();
        let mut cursor = PlatformCursor::new(self, from.into(), route);
        let gone = if from == to { cursor.stay() } else { cursor.go(to.into()) };
        let seconds = cursor.seconds();
        match gone {
            Ok(()) => Ok(seconds),
            Err(_) => {
                route.clear();
                let [from, to] = [from, to].map(|id| self.host(id).name.clone());
                Err(NoRoute { from, to })
            }
        }
    }

    /// Pairs of different hosts, by number, whose routes take the same; `None` if that is not
    /// known. All hosts have to lie in one zone whose routes have classes, and its links of each
    /// kind have to be equal.
    pub fn route_classes(&self) -> Option<RouteClasses> {
        let first = self.positions.first()?;
        let are_first = (0..).zip(&self.positions).all(|(rank, at)| at.zone == first.zone && at.rank == rank);
        if !are_first || !self.bypasses.is_empty() || !self.zone_bypasses.is_empty() {
            return None;
        }
        let is_equal = |links: &Vec<LinkId>| {
            let mut links = links.iter().map(|link| self.link(*link));
            let Some(first) = links.next() else { return true };
            links.all(|link| link.latency == first.latency && link.bandwidth == first.bandwidth)
        };
        let joins = &self.zone(first.zone).joins;
        joins.kinds(self.hosts.len() as u32)?.iter().all(is_equal).then(|| joins.classes())
    }

    /// The routes that were given one by one, of zones with full routing, hops of shortest paths,
    /// and bypasses: zone by zone, then the bypasses, each in the order of its ends or of the hops.
    /// What is computed (clusters, spokes, what is drawn) is not among them.
    pub fn declared_routes(&self) -> Vec<DeclaredRoute<'_>> {
        let mut declared = Vec::new();
        for zone in self.zones() {
            let points = self.points(zone);
            let given = self.zone(zone).joins.given().into_iter();
            declared.extend(given.map(|(from, to, links)| DeclaredRoute {
                zone,
                from: points[from as usize],
                to: points[to as usize],
                links,
            }));
        }
        let of_points = self.bypasses.iter().map(|(&ends, links)| (ends, links.as_slice()));
        let of_zones = self.zone_bypasses.iter().map(|(&(from, to), segment)| {
            ((NetPoint::Zone(from), NetPoint::Zone(to)), segment.links.as_slice())
        });
        declared.extend(of_points.chain(of_zones).map(|((from, to), links)| DeclaredRoute {
            zone: self.meet(from, to).0,
            from,
            to,
            links,
        }));
        declared
    }

    pub(crate) fn zone(&self, id: ZoneId) -> &Zone {
        &self.zones[id.index()]
    }

    pub(crate) fn position(&self, point: NetPoint) -> ZonePosition {
        match point {
            NetPoint::Host(host) => self.positions[host.index()],
            NetPoint::Router(router) => self.routers[router.index()].position,
            NetPoint::Zone(zone) => self.zone(zone).position,
        }
    }

    /// The last zone that holds both, and the ranks in it of the points that hold them.
    pub(crate) fn meet(&self, from: NetPoint, to: NetPoint) -> (ZoneId, u32, u32) {
        let (mut from, mut to) = (self.position(from), self.position(to));
        while from.zone != to.zone {
            if self.zone(from.zone).depth >= self.zone(to.zone).depth {
                from = self.zone(from.zone).position;
            } else {
                to = self.zone(to.zone).position;
            }
        }
        (from.zone, from.rank, to.rank)
    }

    /// Returns true if a point lies in a zone, however deep.
    pub(crate) fn lies_in(&self, point: NetPoint, zone: ZoneId) -> bool {
        let mut at = self.position(point).zone;
        while self.zone(at).depth > self.zone(zone).depth {
            at = self.zone(at).position.zone;
        }
        at == zone
    }

    pub(crate) fn bypass(&self, from: NetPoint, to: NetPoint) -> Option<&[LinkId]> {
        if self.bypasses.is_empty() {
            return None;
        }
        self.bypasses.get(&(from, to)).map(Vec::as_slice)
    }

    /// The route between the innermost zones around both that bypasses what lies around these; such
    /// that only one holds each.
    pub(crate) fn zone_bypass(&self, from: NetPoint, to: NetPoint) -> Option<&Segment> {
        if self.zone_bypasses.is_empty() {
            return None;
        }
        let (meeting, ..) = self.meet(from, to);
        let around = |point: NetPoint| {
            let up =
                move |&zone: &ZoneId| Some(self.zone(zone).position.zone).filter(|&zone| zone != meeting);
            let innermost = Some(self.position(point).zone).filter(|&zone| zone != meeting);
            std::iter::successors(innermost, up)
        };
        around(from).find_map(|a| around(to).find_map(|b| self.zone_bypasses.get(&(a, b))))
    }
}
