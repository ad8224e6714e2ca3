//! Declared routes in a picture of a zone: which of them the picture shows, and what is said of the others.
//!
//! A route that is given between two parts of a zone is a way of the picture like those that are computed. It is shown if its links lead
//! from the one part to the other, one after the other, in what is drawn. What cannot be shown is counted and named below the zone:
//! routes between hosts that are one box, of a point to itself, and those that contradict others (a link has two ends, and routes may
//! use it as if it had more).

use std::collections::{BTreeMap, BTreeSet};

use crate::platform::sharing::LinkId;
use crate::platform::{DeclaredRoute, HostId, Platform, Point, ZoneId};
use crate::report::number::grouped;

use super::joints::{Joints, Way};
use super::label::cut;
use super::parts::{Part, one_of_two};

/// Routes that are named of those that are not drawn.
const NAMED: usize = 3;
/// Letters of a name that are shown.
const NAME: usize = 21;

/// A declared route of a zone, as its picture has it.
pub(super) struct Declared<'a> {
    route: DeclaredRoute<'a>,
    /// The way between two parts; none if an end is no part, or both are the same.
    way: Option<Way>,
    /// Whether both ends are parts of their own.
    is_apart: bool,
}

/// The routes that are declared in a zone with these parts.
pub(super) fn declared<'a>(platform: &'a Platform, zone: ZoneId, parts: &[Part]) -> Vec<Declared<'a>> {
    let mut numbers: BTreeMap<Point, usize> = BTreeMap::new();
    let mut gathered: BTreeSet<HostId> = BTreeSet::new();
    for (number, part) in parts.iter().enumerate() {
        match part {
            Part::Hosts(hosts) => {
                numbers.extend(hosts.iter().map(|&host| (Point::Host(host), number)));
                gathered.extend(hosts.iter().skip(1));
            }
            Part::Zone(zone) => _ = numbers.insert(Point::Zone(*zone), number),
            Part::Joint(_) => {}
        }
    }
    let part_of = |point: Point| {
        let mut point = point;
        while platform.zone_of(point) != zone {
            point = Point::Zone(platform.zone_of(point));
        }
        numbers.get(&point).copied()
    };
    let is_gathered = |point: Point| matches!(point, Point::Host(host) if gathered.contains(&host));
    let here = platform.declared_routes().into_iter().filter(|route| route.zone == zone);
    here.map(|route| {
        let ends = part_of(route.from).zip(part_of(route.to)).filter(|(from, to)| from != to);
        let links = || route.links.iter().map(|&link| one_of_two(platform, link)).collect();
        let way = ends.map(|(from, to)| Way { from, to, links: links() });
        Declared { route, way, is_apart: !is_gathered(route.from) && !is_gathered(route.to) }
    })
    .collect()
}

/// The ways that a picture is made of beside those that are computed.
pub(super) fn ways<'a>(declared: &'a [Declared<'_>]) -> impl Iterator<Item = &'a Way> {
    declared.iter().filter(|one| one.is_apart).filter_map(|one| one.way.as_ref())
}

/// What is said of the routes that the picture does not show; nothing if it shows all.
pub(super) fn left_out(platform: &Platform, declared: &[Declared<'_>], joints: &Joints) -> Option<String> {
    let drawn: BTreeSet<_> = joints.links().collect();
    let is_shown = |one: &&Declared<'_>| match &one.way {
        Some(way) => joints.shows(way),
        // an end that is no part, such as a router: its links are all that can be looked at
        None if one.route.from == one.route.to => false,
        None => one.route.links.iter().all(|&link| drawn.contains(&one_of_two(platform, link))),
    };
    let (mut named, mut seen): (Vec<String>, BTreeSet<_>) = (Vec::new(), BTreeSet::new());
    let mut count = 0_u64;
    for Declared { route, .. } in declared.iter().filter(|one| !is_shown(one)) {
        let links: Vec<LinkId> = route.links.iter().map(|&link| one_of_two(platform, link)).collect();
        // a symmetric one is there in both directions
        if seen.contains(&(route.to, route.from, links.iter().rev().copied().collect::<Vec<_>>())) {
            continue;
        }
        seen.insert((route.from, route.to, links));
        count += 1;
        if named.len() < NAMED {
            let [from, to] = [route.from, route.to].map(|point| cut(platform.point_name(point), NAME));
            let links: Vec<String> =
                route.links.iter().take(NAMED).map(|&link| cut(platform.link_name(link), NAME)).collect();
            let more = if route.links.len() > NAMED { ", …" } else { "" };
            named.push(format!("{from} – {to} over {}{more}", links.join(", ")));
        }
    }
    if count == 0 {
        return None;
    }
    let more = count - named.len() as u64;
    let more = if more > 0 { format!("; and {} more", grouped(more)) } else { String::new() };
    let s = if count == 1 { "" } else { "s" };
    Some(format!("not drawn: {} route{s}: {}{more}", grouped(count), named.join("; ")))
}
