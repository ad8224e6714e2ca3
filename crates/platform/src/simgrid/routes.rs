//! Routes of a platform file, which lead between points that are all there by now.

use crate::Platform;
use crate::registry::{Complaint, code, nearest};
use crate::sharing::LinkId;
use crate::simgrid::build::PlatformReader;
use crate::text::xml::Element;
use crate::topology::{NetPoint, Route, Spoke, Symmetry, ZoneId};

/// Names that the nearest one is looked for among, at most.
const LOOKED_AT: usize = 4096;

const SYMMETRIES: &[(&str, Symmetry)] = &[("YES", Symmetry::Symmetric), ("NO", Symmetry::OneWay)];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
    None,
}

const DIRECTIONS: &[(&str, Direction)] =
    &[("UP", Direction::Up), ("DOWN", Direction::Down), ("NONE", Direction::None)];

impl PlatformReader<'_> {
    /// All routes in the element of the platform or of a zone, and in those in it.
    pub(super) fn routes(&mut self, element: &Element, zone: ZoneId) {
        for child in &element.children {
            match child.name.as_str() {
                "zone" => {
                    if let Some(inner) = self.builder.so_far().zone_named(child.value("id")) {
                        self.routes(child, inner);
                    }
                }
                "route" => self.route(child, Some(zone)),
                "bypassRoute" => self.route(child, None),
                "zoneRoute" => self.zone_route(child, Some(zone)),
                "bypassZoneRoute" => self.zone_route(child, None),
                "host_link" => self.host_link(child),
                _ => {}
            }
        }
    }

    /// Complains that there is none of a name, and names the nearest.
    fn unknown(
        &mut self,
        element: &Element,
        name: &str,
        (what, names): (&str, impl Fn(&Platform) -> Vec<String>),
    ) {
        let is_helped = self.complaints.are_few();
        self.complaints.push_with(|| {
            let message = format!("there is no {what} `{}`", element.value(name));
            let complaint = Complaint::new(code::UNKNOWN_NAME, message, element.place(name));
            let names = if is_helped { names(self.builder.so_far()) } else { Vec::new() };
            let near = nearest(element.value(name), names.iter().map(String::as_str));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            Complaint { help, ..complaint }
        });
    }

    /// The host or router that an attribute names.
    fn point(&mut self, element: &Element, name: &str) -> Option<NetPoint> {
        element.get(name)?;
        let point = self.builder.point_named(element.value(name));
        if point.is_none() {
            let names = |built: &Platform| built.points_by_name.keys().take(LOOKED_AT).cloned().collect();
            self.unknown(element, name, ("host or router", names));
        }
        point
    }

    /// The zone that an attribute names.
    fn zone_named(&mut self, element: &Element, name: &str) -> Option<ZoneId> {
        element.get(name)?;
        let zone = self.builder.so_far().zone_named(element.value(name));
        if zone.is_none() {
            let names = |built: &Platform| {
                built.zones().take(LOOKED_AT).map(|zone| built.zone_name(zone).to_owned()).collect()
            };
            self.unknown(element, name, ("zone", names));
        }
        zone
    }

    /// The link that an attribute names as it is.
    fn link_named(&mut self, element: &Element, name: &str) -> Option<LinkId> {
        element.get(name)?;
        let link = self.builder.so_far().link_named(element.value(name));
        if link.is_none() {
            if self.links.get(element.value(name)).is_some_and(|linked| linked.is_split()) {
                let what = format!("link `{}` has one for each direction", element.value(name));
                self.report(code::PLATFORM, what, element.place(name), "expected its name with _UP or _DOWN");
                return None;
            }
            let names = |built: &Platform| built.links.some_names(LOOKED_AT);
            self.unknown(element, name, ("link", names));
        }
        link
    }

    fn over(&mut self, element: &Element) -> Vec<LinkId> {
        let mut links = Vec::new();
        for child in element.children("link_ctn") {
            let direction = self.choice(child, "direction", DIRECTIONS);
            let direction = direction.filter(|&direction| direction != Direction::None);
            let split = self.links.get(child.value("id")).copied().filter(|linked| linked.is_split());
            let link = match (split, direction) {
                (Some(split), Some(direction)) => {
                    Some(if direction == Direction::Up { split.up } else { split.down })
                }
                (Some(_), None) => {
                    let what = format!("link `{}` has one for each direction", child.value("id"));
                    let label = "expected `direction=\"UP\"` or `DOWN`";
                    self.report(code::PLATFORM, what, child.place("id"), label);
                    None
                }
                (_, Some(_)) if self.builder.so_far().link_named(child.value("id")).is_some() => {
                    let what = format!("link `{}` is one for both directions", child.value("id"));
                    self.report(code::PLATFORM, what, child.place("direction"), "it has no direction");
                    None
                }
                _ => self.link_named(child, "id"),
            };
            links.extend(link);
        }
        links
    }

    /// Puts a route into a zone, or past all of them. A bypass is one way unless it says otherwise.
    fn put(&mut self, element: &Element, zone: Option<ZoneId>, ends: &Route) {
        let default = if zone.is_some() { Symmetry::Symmetric } else { Symmetry::OneWay };
        let symmetry = self.choice(element, "symmetrical", SYMMETRIES).unwrap_or(default);
        let route = Route { links: self.over(element), symmetry, ..ends.clone() };
        let done = match zone {
            Some(zone) => self.builder.route_in(zone, &route),
            None => self.builder.bypass(&route),
        };
        self.part(done, element.at);
    }

    fn route(&mut self, element: &Element, zone: Option<ZoneId>) {
        let (from, to) = (self.point(element, "src"), self.point(element, "dst"));
        if let (Some(from), Some(to)) = (from, to) {
            self.put(element, zone, &Route::new(from, to));
        } else {
            self.over(element);
        }
    }

    fn zone_route(&mut self, element: &Element, zone: Option<ZoneId>) {
        let (from, to) = (self.zone_named(element, "src"), self.zone_named(element, "dst"));
        let (leaves, enters) = (self.point(element, "gw_src"), self.point(element, "gw_dst"));
        if let (Some(from), Some(to), Some(leaves), Some(enters)) = (from, to, leaves, enters) {
            self.put(element, zone, &Route::new(from, to).between(leaves, enters));
        } else {
            self.over(element);
        }
    }

    fn host_link(&mut self, element: &Element) {
        let point = self.point(element, "id");
        let (up, down) = (self.link_named(element, "up"), self.link_named(element, "down"));
        let (Some(point), Some(up), Some(down)) = (point, up, down) else { return };
        let done = self.builder.spoke(point, Spoke::new(up, down));
        self.part(done, element.at);
    }
}
