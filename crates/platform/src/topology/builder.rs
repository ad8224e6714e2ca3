//! Building a platform: zones, hosts, routers, links, and the routes between them.

use crate::Load;
use crate::collections::OrderedMap;
use crate::error::PlatformError;
use crate::hosts::{Host, HostId};
use crate::kernel::rng::Streams;
use crate::links::Link;
use crate::sharing::LinkId;
use crate::topology::platform::{DEEPEST, Router, Zone, ZonePosition};
use crate::topology::{
    Joins, NetPoint, Platform, Route, RouterId, Routing, Segment, Spoke, Symmetry, ToItself, ZoneId,
};

/// Zones, hosts, links and routes, from which a [`Platform`] is built.
///
/// What is wrong is the error of the call that brought it, which leaves the platform as it was (a
/// cluster that is refused may leave some of its parts); so a reader can go on and report
/// everything that is wrong. Ids of another platform make it panic.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(crate) built: Platform,
}

/// The link of each direction, which may be the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Duplex {
    /// From the point that the link belongs to, or forth.
    pub up: LinkId,
    /// To the point, or back.
    pub down: LinkId,
}

impl Duplex {
    /// Returns true if each direction has a link of its own.
    pub fn is_split(self) -> bool {
        self.up != self.down
    }
}

/// The sharing of a link between its two directions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// Each has a link of its own (split duplex).
    Split,
    /// Both share one link (half duplex).
    Shared,
    /// Each transfer may have all of the one link.
    Fatpipe,
}

impl Default for Builder {
    fn default() -> Self {
        let position = ZonePosition { zone: ZoneId::TOP, rank: 0 };
        let joins = Joins::new(Routing::Full);
        let (name, points, properties) = ("top".to_owned(), Vec::new(), OrderedMap::new());
        let top = Zone { name, depth: 0, position, points, joins, properties };
        let built = Platform { zones: vec![top], ..Platform::default() };
        Builder { built }
    }
}

impl Builder {
    /// Nothing yet but the top zone, whose routing is [full](Routing::Full).
    pub fn new() -> Self {
        Builder::default()
    }

    /// Adds a zone.
    ///
    /// # Errors
    /// There is one of its name, or it would lie too deep.
    pub fn zone(&mut self, parent: ZoneId, name: &str, routing: Routing) -> Result<ZoneId, PlatformError> {
        self.zone_of(parent, name, Joins::new(routing))
    }

    pub(crate) fn zone_of(
        &mut self,
        parent: ZoneId,
        name: &str,
        joins: Joins,
    ) -> Result<ZoneId, PlatformError> {
        let depth = self.built.zone(parent).depth + 1;
        if self.built.zones_by_name.contains_key(name) {
            return Err(PlatformError::Twice(name.to_owned()));
        }
        if depth > DEEPEST {
            return Err(PlatformError::TooDeep(name.to_owned()));
        }
        let id = ZoneId(self.built.zones.len() as u32);
        let position = self.position(parent, NetPoint::Zone(id));
        let (points, properties) = (Vec::new(), OrderedMap::new());
        self.built.zones.push(Zone { name: name.to_owned(), depth, position, points, joins, properties });
        self.built.zones_by_name.insert(name.to_owned(), id);
        Ok(id)
    }

    /// Adds a host to the top zone.
    ///
    /// # Errors
    /// There is a host or router of its name, or its numbers are none.
    pub fn host(&mut self, host: Host) -> Result<HostId, PlatformError> {
        self.host_in(ZoneId::TOP, host)
    }

    /// Adds a host to a zone.
    ///
    /// # Errors
    /// There is a host or router of its name, or its numbers are none.
    pub fn host_in(&mut self, zone: ZoneId, host: Host) -> Result<HostId, PlatformError> {
        self.free_point(&host.name)?;
        host.check()?;
        let id = HostId::new(self.built.hosts.len() as u32);
        let position = self.position(zone, NetPoint::Host(id));
        self.built.points_by_name.insert(host.name.clone(), NetPoint::Host(id));
        self.built.hosts.push(host);
        self.built.positions.push(position);
        Ok(id)
    }

    /// Changes the hosts that lie in a zone itself, which keep their names.
    ///
    /// # Errors
    /// Numbers that are none.
    pub(crate) fn change_hosts(
        &mut self,
        zone: ZoneId,
        mut change: impl FnMut(&mut Host),
    ) -> Result<(), PlatformError> {
        for point in &self.built.zones[zone.index()].points {
            if let NetPoint::Host(id) = point {
                let host = &mut self.built.hosts[id.index()];
                change(host);
                host.check()?;
            }
        }
        Ok(())
    }

    /// Leaves to links what a load leaves of their bandwidth, each its own; nothing changes without
    /// one.
    pub(crate) fn load_links(
        &mut self,
        links: impl Iterator<Item = LinkId>,
        load: Option<&Load>,
        streams: &Streams,
    ) {
        let Some(load) = load else { return };
        for id in links {
            let name = self.built.links.written(id);
            let available = load.availability(streams, format_args!("link/{name}"));
            self.built.links.leave(id, &available);
        }
    }

    /// Adds a router to a zone.
    ///
    /// # Errors
    /// There is a host or router of its name.
    pub fn router(&mut self, zone: ZoneId, name: &str) -> Result<RouterId, PlatformError> {
        self.free_point(name)?;
        let id = RouterId(self.built.routers.len() as u32);
        let position = self.position(zone, NetPoint::Router(id));
        self.built.points_by_name.insert(name.to_owned(), NetPoint::Router(id));
        self.built.routers.push(Router { name: name.to_owned(), position });
        Ok(id)
    }

    /// Adds a link. Links have no zone: any route may lead over them.
    ///
    /// # Errors
    /// There is one of its name, or its numbers are none.
    pub fn link(&mut self, name: impl Into<String>, link: Link) -> Result<LinkId, PlatformError> {
        let name = name.into();
        if self.built.links.named(&name).is_some() {
            return Err(PlatformError::Twice(name));
        }
        link.check(&name)?;
        Ok(self.built.links.add(name, link))
    }

    /// Adds a link for each direction: `name` with `_UP` and with `_DOWN`.
    ///
    /// # Errors
    /// There is one of these names, or its numbers are none.
    pub fn split_link(&mut self, name: &str, link: Link) -> Result<Duplex, PlatformError> {
        let [up, down] = ["UP", "DOWN"].map(|direction| format!("{name}_{direction}"));
        if self.built.links.named(&down).is_some() {
            return Err(PlatformError::Twice(down));
        }
        let up = self.link(up, link.clone())?;
        let down = self.link(down, link)?;
        self.built.links.join(up, down);
        Ok(Duplex { up, down })
    }

    /// Adds a link that is shared so: a [split](Builder::split_link) one, or one for both
    /// directions.
    ///
    /// # Errors
    /// As there.
    pub fn shared_link(&mut self, name: &str, link: Link, sharing: Sharing) -> Result<Duplex, PlatformError> {
        let link = match sharing {
            Sharing::Split => return self.split_link(name, link),
            Sharing::Shared => link,
            Sharing::Fatpipe => link.fatpipe(),
        };
        self.link(name, link).map(|link| Duplex { up: link, down: link })
    }

    /// Sets the route from one host to another, wherever they lie, and not the route back. It
    /// bypasses all zones.
    pub fn route(&mut self, from: HostId, to: HostId, links: &[LinkId]) {
        self.built.bypasses.insert((from.into(), to.into()), links.to_vec());
    }

    /// Sets the routes from one host to another and back, over the same links.
    pub fn symmetric_route(&mut self, from: HostId, to: HostId, links: &[LinkId]) {
        self.route(from, to, links);
        self.route(to, from, &self.back(links));
    }

    /// Adds a route to a zone, between two of its points.
    ///
    /// # Errors
    /// The zone's routing takes no routes; an end does not lie in the zone itself; a zone has no
    /// gateway, or one that does not lie in it; there is such a route already.
    pub fn route_in(&mut self, zone: ZoneId, route: &Route) -> Result<(), PlatformError> {
        let Joins::Declared(_) = &self.built.zone(zone).joins else {
            return Err(self.not_taken(zone, "routes"));
        };
        let ([from, to], segment) = (self.ranks(zone, route)?, self.segment(route)?);
        let mut segments = vec![((from, to), segment)];
        if route.symmetry == Symmetry::Symmetric && from != to {
            segments.push(((to, from), self.back_over(&segments[0].1)));
        }
        let Joins::Declared(routes) = &mut self.built.zones[zone.index()].joins else { return Ok(()) };
        if let Some(&(ends, _)) = segments.iter().find(|(ends, _)| routes.has(*ends)) {
            let [from, to] = if ends == (from, to) { [route.from, route.to] } else { [route.to, route.from] };
            return Err(self.two_routes([from, to]));
        }
        segments.into_iter().for_each(|(ends, segment)| routes.add(ends, segment));
        Ok(())
    }

    /// Adds a route between two zones that bypasses the routing of what lies around them; or
    /// between two hosts or routers.
    ///
    /// # Errors
    /// A zone has no gateway, or one that does not lie in it; one of the zones lies in the other;
    /// there is such a route already.
    pub fn bypass(&mut self, route: &Route) -> Result<(), PlatformError> {
        let segment = self.segment(route)?;
        if let (NetPoint::Zone(from), NetPoint::Zone(to)) = (route.from, route.to) {
            let within = |inner, outer| inner == outer || self.built.lies_in(NetPoint::Zone(inner), outer);
            if within(from, to) || within(to, from) {
                let [point, zone] = [from, to].map(|zone| self.built.zone_name(zone).to_owned());
                return Err(PlatformError::OneInTheOther(point, zone));
            }
        }
        let mut segments = vec![(route.from, route.to, segment)];
        if route.symmetry == Symmetry::Symmetric && route.from != route.to {
            segments.push((route.to, route.from, self.back_over(&segments[0].2)));
        }
        for (from, to, _) in &segments {
            let there = match (*from, *to) {
                (NetPoint::Zone(from), NetPoint::Zone(to)) => {
                    self.built.zone_bypasses.contains_key(&(from, to))
                }
                (NetPoint::Zone(zone), _) | (_, NetPoint::Zone(zone)) => {
                    return Err(self.not_taken(zone, "bypass from or to a host or router"));
                }
                ends => self.built.bypasses.contains_key(&ends),
            };
            if there {
                return Err(self.two_routes([*from, *to]));
            }
        }
        for (from, to, segment) in segments {
            if let (NetPoint::Zone(from), NetPoint::Zone(to)) = (from, to) {
                self.built.zone_bypasses.insert((from, to), segment);
            } else {
                self.built.bypasses.insert((from, to), segment.links);
            }
        }
        Ok(())
    }

    /// Gives a point of a zone its links up to the middle and down from it.
    ///
    /// # Errors
    /// The routing of its zone is neither star nor Vivaldi; it has links already; it is a zone
    /// without a gateway in it.
    pub fn spoke(&mut self, point: impl Into<NetPoint>, spoke: Spoke) -> Result<(), PlatformError> {
        let point = point.into();
        let ZonePosition { zone, rank } = self.built.position(point);
        if let Joins::Star(_) = self.built.zone(zone).joins {
            self.gateway(point, spoke.gateway)?;
        }
        let fresh = match &mut self.built.zones[zone.index()].joins {
            Joins::Star(star) => star.add(rank, spoke),
            Joins::Vivaldi(vivaldi) => vivaldi.spokes.add(rank, spoke),
            _ => return Err(self.not_taken(zone, "links up and down")),
        };
        self.once(fresh, point, "links up or down")
    }

    /// Puts a link into the middle of a star.
    ///
    /// # Errors
    /// The zone is no star, or has a backbone.
    pub fn backbone(&mut self, zone: ZoneId, link: LinkId) -> Result<(), PlatformError> {
        let fresh = match &mut self.built.zones[zone.index()].joins {
            Joins::Star(star) => star.backbone.replace(link).is_none(),
            _ => return Err(self.not_taken(zone, "backbone")),
        };
        self.once(fresh, NetPoint::Zone(zone), "backbones")
    }

    /// Puts a router into the middle of a star, where the backbone ends.
    ///
    /// # Errors
    /// Its zone is no star, or has one.
    pub fn middle(&mut self, router: RouterId) -> Result<(), PlatformError> {
        let ZonePosition { zone, rank } = self.built.position(router.into());
        let fresh = match &mut self.built.zones[zone.index()].joins {
            Joins::Star(star) => star.middle.replace(rank).is_none(),
            _ => return Err(self.not_taken(zone, "router in its middle")),
        };
        self.once(fresh, NetPoint::Zone(zone), "routers in its middle")
    }

    /// Says how a point of a star or Vivaldi zone reaches itself that has no loopback; at once, if
    /// nothing is said.
    ///
    /// # Errors
    /// The zone is neither.
    pub fn to_itself(&mut self, zone: ZoneId, to_itself: ToItself) -> Result<(), PlatformError> {
        match &mut self.built.zones[zone.index()].joins {
            Joins::Star(star) => star.to_itself = to_itself,
            Joins::Vivaldi(vivaldi) => vivaldi.spokes.to_itself = to_itself,
            _ => return Err(self.not_taken(zone, "route of a point to itself")),
        }
        Ok(())
    }

    /// Gives a point of a Vivaldi zone its coordinates: two in the plane and the height above it,
    /// in milliseconds. A zone has them at a gateway.
    ///
    /// # Errors
    /// The routing of its zone is not Vivaldi; it has coordinates already; it is a zone without a
    /// gateway in it; a coordinate is no number, or the height is negative.
    pub fn place(
        &mut self,
        point: impl Into<NetPoint>,
        at: [f64; 3],
        gateway: Option<NetPoint>,
    ) -> Result<(), PlatformError> {
        let point = point.into();
        let ZonePosition { zone, rank } = self.built.position(point);
        let name = self.built.point_name(point).to_owned();
        if let Some(&value) = at.iter().find(|value| !value.is_finite()) {
            return Err(PlatformError::Value { name, what: "coordinate", value, expected: "a number" });
        }
        if at[2] < 0.0 {
            let expected = "0 or more";
            return Err(PlatformError::Value { name, what: "third coordinate", value: at[2], expected });
        }
        self.gateway(point, gateway)?;
        let fresh = match &mut self.built.zones[zone.index()].joins {
            Joins::Vivaldi(vivaldi) => vivaldi.place(rank, at, gateway),
            _ => return Err(self.not_taken(zone, "coordinates")),
        };
        self.once(fresh, point, "coordinates")
    }

    /// Notes something of a link.
    pub fn link_property(&mut self, link: LinkId, name: impl Into<String>, value: impl Into<String>) {
        self.built.link_properties.entry(link).or_default().insert(name.into(), value.into());
    }

    /// Notes something of a zone.
    pub fn zone_property(&mut self, zone: ZoneId, name: impl Into<String>, value: impl Into<String>) {
        self.built.zones[zone.index()].properties.insert(name.into(), value.into());
    }

    /// The platform built so far.
    pub fn so_far(&self) -> &Platform {
        &self.built
    }

    /// The host or router of this name.
    pub fn point_named(&self, name: &str) -> Option<NetPoint> {
        self.built.points_by_name.get(name).copied()
    }

    /// The other direction's link of a split link.
    pub fn twin(&self, link: LinkId) -> Option<LinkId> {
        self.built.links.twin(link)
    }

    /// The platform.
    pub fn build(self) -> Platform {
        self.built
    }

    /// As [`Builder::build`], with the top zone joined by this and not by the routes that it was
    /// given.
    pub(crate) fn build_joined(mut self, joins: Joins) -> Platform {
        self.built.zones[ZoneId::TOP.index()].joins = joins;
        self.built
    }
}

impl Builder {
    fn free_point(&self, name: &str) -> Result<(), PlatformError> {
        let taken = self.built.points_by_name.contains_key(name);
        if taken { Err(PlatformError::Twice(name.to_owned())) } else { Ok(()) }
    }

    /// Refuses the second of what a point or zone has once.
    fn once(&self, fresh: bool, point: NetPoint, what: &'static str) -> Result<(), PlatformError> {
        let two = || PlatformError::Two { name: self.built.point_name(point).to_owned(), what };
        if fresh { Ok(()) } else { Err(two()) }
    }

    fn two_routes(&self, ends: [NetPoint; 2]) -> PlatformError {
        let [from, to] = ends.map(|point| self.built.point_name(point).to_owned());
        PlatformError::TwoRoutes { from, to }
    }

    fn position(&mut self, zone: ZoneId, point: NetPoint) -> ZonePosition {
        let points = &mut self.built.zones[zone.index()].points;
        points.push(point);
        ZonePosition { zone, rank: points.len() as u32 - 1 }
    }

    fn not_taken(&self, zone: ZoneId, what: &'static str) -> PlatformError {
        let (zone, routing) = (self.built.zone_name(zone).to_owned(), self.built.zone(zone).joins.name());
        PlatformError::Routing { zone, routing, what }
    }

    /// The links of the route back.
    fn back(&self, links: &[LinkId]) -> Vec<LinkId> {
        links.iter().rev().map(|&link| self.twin(link).unwrap_or(link)).collect()
    }

    fn back_over(&self, segment: &Segment) -> Segment {
        let links = self.back(&segment.links);
        Segment { leaves: segment.enters, enters: segment.leaves, links }
    }

    fn ranks(&self, zone: ZoneId, route: &Route) -> Result<[u32; 2], PlatformError> {
        let rank = |point: NetPoint| {
            let position = self.built.position(point);
            let [name, of] =
                [point, NetPoint::Zone(zone)].map(|point| self.built.point_name(point).to_owned());
            let inside = position.zone == zone && point != NetPoint::Zone(ZoneId::TOP);
            if inside { Ok(position.rank) } else { Err(PlatformError::Elsewhere { point: name, zone: of }) }
        };
        Ok([rank(route.from)?, rank(route.to)?])
    }

    fn segment(&self, route: &Route) -> Result<Segment, PlatformError> {
        let leaves = self.gateway(route.from, route.from_gateway)?.unwrap_or(route.from);
        let enters = self.gateway(route.to, route.to_gateway)?.unwrap_or(route.to);
        Ok(Segment { leaves, enters, links: route.links.clone() })
    }

    /// The gateway of a point, if it is a zone.
    fn gateway(&self, of: NetPoint, gateway: Option<NetPoint>) -> Result<Option<NetPoint>, PlatformError> {
        let name = |point: NetPoint| self.built.point_name(point).to_owned();
        match (of, gateway) {
            (NetPoint::Zone(_), None) => Err(PlatformError::NoGateway(name(of))),
            (NetPoint::Zone(_), Some(NetPoint::Zone(gateway))) => {
                Err(PlatformError::NotAGateway(name(gateway.into())))
            }
            (NetPoint::Zone(zone), Some(gateway)) if !self.built.lies_in(gateway, zone) => {
                Err(PlatformError::Elsewhere { point: name(gateway), zone: name(of) })
            }
            (NetPoint::Host(_) | NetPoint::Router(_), Some(gateway)) if gateway != of => {
                Err(PlatformError::NotAGateway(name(gateway)))
            }
            _ => Ok(gateway),
        }
    }
}
