//! Building a platform: zones, hosts, routers, links, and the routes between them.

use std::collections::BTreeMap;

use crate::platform::error::WrongPart;
use crate::platform::hosts::{Host, HostId};
use crate::platform::links::Link;
use crate::platform::sharing::LinkId;
use crate::platform::topology::{
    DEEPEST, Joins, Platform, Point, Router, RouterId, Routing, Seat, Spoke, Stretch, ToItself, Zone, ZoneId,
};

/// Zones, hosts, links and routes, from which a [`Platform`] is built.
///
/// Whatever is wrong is told by the call that brought it, and leaves the platform as it was (a cluster that is refused may leave some of
/// its parts); so a reader can go on and tell everything that is wrong. Ids of another platform make it panic.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(in crate::platform) built: Platform,
}

/// A link for each way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Duplex {
    /// From the point that the link belongs to, or forth.
    pub up: LinkId,
    /// To the point, or back.
    pub down: LinkId,
}

/// Whether a route is also the way back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ways {
    /// There only.
    OneWay,
    /// There and back: the same links from the last to the first, of those for each way the other one.
    BothWays,
}

/// A route between two points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Route {
    /// Where from.
    pub from: Point,
    /// Where to.
    pub to: Point,
    /// Of a zone to come from: the host or router in it at which the route begins.
    pub from_gateway: Option<Point>,
    /// Of a zone to go to: the host or router in it at which the route ends.
    pub to_gateway: Option<Point>,
    /// Its links, in order.
    pub links: Vec<LinkId>,
    /// Whether it is also the way back.
    pub ways: Ways,
}

impl Route {
    /// The way there and back between two points, over no links yet.
    pub fn new(from: impl Into<Point>, to: impl Into<Point>) -> Self {
        let (from, to) = (from.into(), to.into());
        Route { from, to, from_gateway: None, to_gateway: None, links: Vec::new(), ways: Ways::BothWays }
    }

    /// The same over these links.
    #[must_use]
    pub fn over(self, links: impl IntoIterator<Item = LinkId>) -> Self {
        Route { links: links.into_iter().collect(), ..self }
    }

    /// The same between these gateways of two zones.
    #[must_use]
    pub fn between(self, from: impl Into<Point>, to: impl Into<Point>) -> Self {
        Route { from_gateway: Some(from.into()), to_gateway: Some(to.into()), ..self }
    }

    /// The same, there only.
    #[must_use]
    pub fn one_way(self) -> Self {
        Route { ways: Ways::OneWay, ..self }
    }
}

impl Default for Builder {
    fn default() -> Self {
        let seat = Seat { zone: ZoneId::TOP, rank: 0 };
        let joins = Joins::new(Routing::Full);
        let (name, points, properties) = ("top".to_owned(), Vec::new(), BTreeMap::new());
        let built = Platform {
            hosts: Vec::new(),
            seats: Vec::new(),
            routers: Vec::new(),
            points_by_name: BTreeMap::new(),
            zones: vec![Zone { name, depth: 0, seat, points, joins, properties }],
            zones_by_name: BTreeMap::new(),
            links: Vec::new(),
            link_names: Vec::new(),
            links_by_name: BTreeMap::new(),
            twins: BTreeMap::new(),
            link_properties: BTreeMap::new(),
            bypasses: BTreeMap::new(),
            zone_bypasses: BTreeMap::new(),
        };
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
    pub fn zone(&mut self, parent: ZoneId, name: &str, routing: Routing) -> Result<ZoneId, WrongPart> {
        self.zone_of(parent, name, Joins::new(routing))
    }

    pub(in crate::platform) fn zone_of(
        &mut self,
        parent: ZoneId,
        name: &str,
        joins: Joins,
    ) -> Result<ZoneId, WrongPart> {
        let depth = self.built.zone(parent).depth + 1;
        if self.built.zones_by_name.contains_key(name) {
            return Err(WrongPart::Twice(name.to_owned()));
        }
        if depth > DEEPEST {
            return Err(WrongPart::TooDeep(name.to_owned()));
        }
        let id = ZoneId(self.built.zones.len() as u32);
        let seat = self.seat(parent, Point::Zone(id));
        let (points, properties) = (Vec::new(), BTreeMap::new());
        self.built.zones.push(Zone { name: name.to_owned(), depth, seat, points, joins, properties });
        self.built.zones_by_name.insert(name.to_owned(), id);
        Ok(id)
    }

    /// Adds a host to the top zone.
    ///
    /// # Errors
    /// There is a host or router of its name, or its numbers are none.
    pub fn host(&mut self, host: Host) -> Result<HostId, WrongPart> {
        self.host_in(ZoneId::TOP, host)
    }

    /// Adds a host to a zone.
    ///
    /// # Errors
    /// There is a host or router of its name, or its numbers are none.
    pub fn host_in(&mut self, zone: ZoneId, host: Host) -> Result<HostId, WrongPart> {
        self.free_point(&host.name)?;
        host.check()?;
        let id = HostId::new(self.built.hosts.len() as u32);
        let seat = self.seat(zone, Point::Host(id));
        self.built.points_by_name.insert(host.name.clone(), Point::Host(id));
        self.built.hosts.push(host);
        self.built.seats.push(seat);
        Ok(id)
    }

    /// Adds a router to a zone.
    ///
    /// # Errors
    /// There is a host or router of its name.
    pub fn router(&mut self, zone: ZoneId, name: &str) -> Result<RouterId, WrongPart> {
        self.free_point(name)?;
        let id = RouterId(self.built.routers.len() as u32);
        let seat = self.seat(zone, Point::Router(id));
        self.built.points_by_name.insert(name.to_owned(), Point::Router(id));
        self.built.routers.push(Router { name: name.to_owned(), seat });
        Ok(id)
    }

    /// Adds a link. Links have no zone: any route may lead over them.
    ///
    /// # Errors
    /// There is one of its name, or its numbers are none.
    pub fn link(&mut self, name: impl Into<String>, link: Link) -> Result<LinkId, WrongPart> {
        let name = name.into();
        let id = LinkId::new(self.built.links.len() as u32);
        if self.built.links_by_name.contains_key(&name) {
            return Err(WrongPart::Twice(name));
        }
        link.check(&name)?;
        self.built.links_by_name.insert(name.clone(), id);
        self.built.link_names.push(name);
        self.built.links.push(link);
        Ok(id)
    }

    /// Adds a link for each way: `name` with `_UP` and with `_DOWN`.
    ///
    /// # Errors
    /// There is one of these names, or its numbers are none.
    pub fn split_link(&mut self, name: &str, link: Link) -> Result<Duplex, WrongPart> {
        let [up, down] = [format!("{name}_UP"), format!("{name}_DOWN")];
        if self.built.links_by_name.contains_key(&down) {
            return Err(WrongPart::Twice(down));
        }
        let up = self.link(up, link.clone())?;
        let down = self.link(down, link)?;
        self.built.twins.insert(up, down);
        self.built.twins.insert(down, up);
        Ok(Duplex { up, down })
    }

    /// The way from one host to another, wherever they lie, and nothing about the way back. No zone is asked about it any more.
    pub fn route(&mut self, from: HostId, to: HostId, links: &[LinkId]) {
        self.built.bypasses.insert((from.into(), to.into()), links.to_vec());
    }

    /// The way from one host to another, and back over the same links.
    pub fn symmetric_route(&mut self, from: HostId, to: HostId, links: &[LinkId]) {
        self.route(from, to, links);
        self.route(to, from, &self.back(links));
    }

    /// Adds a route to a zone, between two of its points.
    ///
    /// # Errors
    /// The zone's routing takes no routes; an end does not lie in the zone itself; a zone has no gateway, or one that does not lie
    /// in it; there is such a route already.
    pub fn route_in(&mut self, zone: ZoneId, route: &Route) -> Result<(), WrongPart> {
        let (Joins::Full(_) | Joins::ShortestPath(_)) = &self.built.zone(zone).joins else {
            return Err(self.not_taken(zone, "routes"));
        };
        let ([from, to], stretch) = (self.ranks(zone, route)?, self.stretch(route)?);
        let mut ways = vec![(from, to, [route.from, route.to], stretch)];
        if route.ways == Ways::BothWays && from != to {
            let back = self.way_back(&ways[0].3);
            ways.push((to, from, [route.to, route.from], back));
        }
        let there = |from, to| match &self.built.zone(zone).joins {
            Joins::Full(full) => full.has(from, to),
            Joins::ShortestPath(graph) => graph.has(from, to),
            _ => false,
        };
        if let Some((.., ends, _)) = ways.iter().find(|(from, to, ..)| there(*from, *to)) {
            return Err(self.two_routes(*ends));
        }
        for (from, to, _, stretch) in ways {
            match &mut self.built.zones[zone.index()].joins {
                Joins::Full(full) => full.add(from, to, stretch),
                Joins::ShortestPath(graph) => graph.add(from, to, stretch),
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds a way between two zones that nothing around them is asked about any more; or between two hosts or routers.
    ///
    /// # Errors
    /// A zone has no gateway, or one that does not lie in it; one of the zones lies in the other; there is such a way already.
    pub fn bypass(&mut self, route: &Route) -> Result<(), WrongPart> {
        let stretch = self.stretch(route)?;
        if let (Point::Zone(from), Point::Zone(to)) = (route.from, route.to) {
            let within = |inner, outer| inner == outer || self.built.lies_in(Point::Zone(inner), outer);
            if within(from, to) || within(to, from) {
                let [point, zone] = [from, to].map(|zone| self.built.zone_name(zone).to_owned());
                return Err(WrongPart::OneInTheOther(point, zone));
            }
        }
        let mut ways = vec![(route.from, route.to, stretch)];
        if route.ways == Ways::BothWays && route.from != route.to {
            let back = self.way_back(&ways[0].2);
            ways.push((route.to, route.from, back));
        }
        for (from, to, _) in &ways {
            let there = match (*from, *to) {
                (Point::Zone(from), Point::Zone(to)) => self.built.zone_bypasses.contains_key(&(from, to)),
                (Point::Zone(zone), _) | (_, Point::Zone(zone)) => {
                    return Err(self.not_taken(zone, "bypass from or to a host or router"));
                }
                ends => self.built.bypasses.contains_key(&ends),
            };
            if there {
                return Err(self.two_routes([*from, *to]));
            }
        }
        for (from, to, stretch) in ways {
            if let (Point::Zone(from), Point::Zone(to)) = (from, to) {
                self.built.zone_bypasses.insert((from, to), stretch);
            } else {
                self.built.bypasses.insert((from, to), stretch.links);
            }
        }
        Ok(())
    }

    /// Gives a point of a zone its links up to the middle and down from it.
    ///
    /// # Errors
    /// The routing of its zone is neither star nor Vivaldi; it has links already; it is a zone without a gateway in it.
    pub fn spoke(&mut self, point: impl Into<Point>, spoke: Spoke) -> Result<(), WrongPart> {
        let point = point.into();
        let Seat { zone, rank } = self.built.seat(point);
        if let Joins::Star(_) = self.built.zone(zone).joins {
            self.gateway(point, spoke.gateway)?;
        }
        let fresh = match &mut self.built.zones[zone.index()].joins {
            Joins::Star(star) => star.add(rank, spoke),
            Joins::Vivaldi(vivaldi) => vivaldi.add(rank, spoke),
            _ => return Err(self.not_taken(zone, "links up and down")),
        };
        let name = self.built.point_name(point).to_owned();
        if fresh { Ok(()) } else { Err(WrongPart::Two { name, what: "links up or down" }) }
    }

    /// Puts a link into the middle of a star.
    ///
    /// # Errors
    /// The zone is no star, or has a backbone.
    pub fn backbone(&mut self, zone: ZoneId, link: LinkId) -> Result<(), WrongPart> {
        let fresh = match &mut self.built.zones[zone.index()].joins {
            Joins::Star(star) => star.backbone.replace(link).is_none(),
            _ => return Err(self.not_taken(zone, "backbone")),
        };
        let name = self.built.zone_name(zone).to_owned();
        if fresh { Ok(()) } else { Err(WrongPart::Two { name, what: "backbones" }) }
    }

    /// Puts a router into the middle of a star, where the backbone ends.
    ///
    /// # Errors
    /// Its zone is no star, or has one.
    pub fn middle(&mut self, router: RouterId) -> Result<(), WrongPart> {
        let Seat { zone, rank } = self.built.seat(router.into());
        let fresh = match &mut self.built.zones[zone.index()].joins {
            Joins::Star(star) => star.middle.replace(rank).is_none(),
            _ => return Err(self.not_taken(zone, "router in its middle")),
        };
        let name = self.built.zone_name(zone).to_owned();
        if fresh { Ok(()) } else { Err(WrongPart::Two { name, what: "routers in its middle" }) }
    }

    /// Says how a point of a star or Vivaldi zone reaches itself that has no loopback; at once, if nothing is said.
    ///
    /// # Errors
    /// The zone is neither.
    pub fn to_itself(&mut self, zone: ZoneId, to_itself: ToItself) -> Result<(), WrongPart> {
        match &mut self.built.zones[zone.index()].joins {
            Joins::Star(star) => {
                star.to_itself = to_itself;
                Ok(())
            }
            Joins::Vivaldi(vivaldi) => {
                vivaldi.to_itself = to_itself;
                Ok(())
            }
            _ => Err(self.not_taken(zone, "way of a point to itself")),
        }
    }

    /// Gives a point of a Vivaldi zone its coordinates: two in the plane and the height above it, in milliseconds. A zone has
    /// them at a gateway.
    ///
    /// # Errors
    /// The routing of its zone is not Vivaldi; it has coordinates already; it is a zone without a gateway in it; a coordinate is no
    /// number, or the height is negative.
    pub fn place(
        &mut self,
        point: impl Into<Point>,
        at: [f64; 3],
        gateway: Option<Point>,
    ) -> Result<(), WrongPart> {
        let point = point.into();
        let Seat { zone, rank } = self.built.seat(point);
        let name = self.built.point_name(point).to_owned();
        if let Some(&value) = at.iter().find(|value| !value.is_finite()) {
            return Err(WrongPart::Value { name, what: "coordinate", value, expected: "a number" });
        }
        if at[2] < 0.0 {
            let expected = "0 or more";
            return Err(WrongPart::Value { name, what: "third coordinate", value: at[2], expected });
        }
        self.gateway(point, gateway)?;
        let fresh = match &mut self.built.zones[zone.index()].joins {
            Joins::Vivaldi(vivaldi) => vivaldi.place(rank, at, gateway),
            _ => return Err(self.not_taken(zone, "coordinates")),
        };
        if fresh { Ok(()) } else { Err(WrongPart::Two { name, what: "coordinates" }) }
    }

    /// Notes something of a link.
    pub fn link_property(&mut self, link: LinkId, name: impl Into<String>, value: impl Into<String>) {
        self.built.link_properties.entry(link).or_default().insert(name.into(), value.into());
    }

    /// Notes something of a zone.
    pub fn zone_property(&mut self, zone: ZoneId, name: impl Into<String>, value: impl Into<String>) {
        self.built.zones[zone.index()].properties.insert(name.into(), value.into());
    }

    /// What was built so far.
    pub fn so_far(&self) -> &Platform {
        &self.built
    }

    /// The host or router of this name.
    pub fn point_named(&self, name: &str) -> Option<Point> {
        self.built.points_by_name.get(name).copied()
    }

    /// The other way of a link that has one for each way.
    pub fn twin(&self, link: LinkId) -> Option<LinkId> {
        self.built.twins.get(&link).copied()
    }

    /// The platform.
    pub fn build(self) -> Platform {
        self.built
    }

    /// As [`Builder::build`], with the top zone joined by this and not by the routes that it was given.
    pub(in crate::platform) fn build_joined(mut self, joins: Joins) -> Platform {
        self.built.zones[ZoneId::TOP.index()].joins = joins;
        self.built
    }
}

impl Builder {
    fn free_point(&self, name: &str) -> Result<(), WrongPart> {
        let taken = self.built.points_by_name.contains_key(name);
        if taken { Err(WrongPart::Twice(name.to_owned())) } else { Ok(()) }
    }

    fn two_routes(&self, ends: [Point; 2]) -> WrongPart {
        let [from, to] = ends.map(|point| self.built.point_name(point).to_owned());
        WrongPart::TwoRoutes { from, to }
    }

    fn seat(&mut self, zone: ZoneId, point: Point) -> Seat {
        let points = &mut self.built.zones[zone.index()].points;
        points.push(point);
        Seat { zone, rank: points.len() as u32 - 1 }
    }

    fn not_taken(&self, zone: ZoneId, what: &'static str) -> WrongPart {
        let (zone, routing) = (self.built.zone_name(zone).to_owned(), self.built.zone(zone).joins.name());
        WrongPart::Routing { zone, routing, what }
    }

    /// The same links on the way back.
    fn back(&self, links: &[LinkId]) -> Vec<LinkId> {
        links.iter().rev().map(|&link| self.twin(link).unwrap_or(link)).collect()
    }

    fn way_back(&self, stretch: &Stretch) -> Stretch {
        let links = self.back(&stretch.links);
        Stretch { leaves: stretch.enters, enters: stretch.leaves, links }
    }

    fn ranks(&self, zone: ZoneId, route: &Route) -> Result<[u32; 2], WrongPart> {
        let rank = |point: Point| {
            let seat = self.built.seat(point);
            let [name, of] = [point, Point::Zone(zone)].map(|point| self.built.point_name(point).to_owned());
            let inside = seat.zone == zone && point != Point::Zone(ZoneId::TOP);
            if inside { Ok(seat.rank) } else { Err(WrongPart::Elsewhere { point: name, zone: of }) }
        };
        Ok([rank(route.from)?, rank(route.to)?])
    }

    fn stretch(&self, route: &Route) -> Result<Stretch, WrongPart> {
        let leaves = self.gateway(route.from, route.from_gateway)?.unwrap_or(route.from);
        let enters = self.gateway(route.to, route.to_gateway)?.unwrap_or(route.to);
        Ok(Stretch { leaves, enters, links: route.links.clone() })
    }

    /// The gateway of a point, if it is a zone.
    fn gateway(&self, of: Point, gateway: Option<Point>) -> Result<Option<Point>, WrongPart> {
        let name = |point: Point| self.built.point_name(point).to_owned();
        match (of, gateway) {
            (Point::Zone(_), None) => Err(WrongPart::NoGateway(name(of))),
            (Point::Zone(_), Some(Point::Zone(gateway))) => Err(WrongPart::NotAGateway(name(gateway.into()))),
            (Point::Zone(zone), Some(gateway)) if !self.built.lies_in(gateway, zone) => {
                Err(WrongPart::Elsewhere { point: name(gateway), zone: name(of) })
            }
            (Point::Host(_) | Point::Router(_), Some(gateway)) if gateway != of => {
                Err(WrongPart::NotAGateway(name(gateway)))
            }
            _ => Ok(gateway),
        }
    }
}
