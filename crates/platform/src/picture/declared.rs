//! Declared routes in a picture of a zone: which of them the picture shows, and what is said of the
//! others.
//!
//! A route that is given between two parts of a zone is a route of the picture like those that are
//! computed. It is shown if its links lead from the one part to the other, one after the other, in
//! what is drawn. What cannot be shown is counted and named below the zone: routes between hosts
//! that are one box, loopbacks, and those that contradict others (a link has two ends, and routes
//! may use it as if it had more).

use crate::collections::{OrderedMap, OrderedSet};
use crate::output::number::{counted, grouped};
use crate::sharing::LinkId;
use crate::{DeclaredRoute, HostId, NetPoint, Platform, ZoneId};

use crate::report::drawing::label::cut;

use super::joints::{DrawnRoute, Joints};
use super::parts::{Part, one_of_two};

/// Routes that are named of those that are not drawn.
const NAMED: usize = 3;
/// Letters of a name that are shown.
const NAME: usize = 21;

/// A declared route of a zone, as its picture has it.
pub(super) struct Declared<'a> {
    route: DeclaredRoute<'a>,
    /// Route between two parts; `None` if an end is no part, or both are the same.
    drawn: Option<DrawnRoute>,
    /// True if both ends are parts of their own.
    is_apart: bool,
}

/// The routes that are declared in a zone with these parts, and these routers behind them.
pub(super) fn declared<'a>(
    platform: &'a Platform,
    zone: ZoneId,
    parts: &[Part],
    routers: &[NetPoint],
) -> Vec<Declared<'a>> {
    let mut numbers: OrderedMap<NetPoint, usize> = OrderedMap::new();
    let mut gathered: OrderedSet<HostId> = OrderedSet::new();
    for (number, part) in parts.iter().enumerate() {
        match part {
            Part::Hosts(hosts) => {
                numbers.extend(hosts.iter().map(|&host| (NetPoint::Host(host), number)));
                gathered.extend(hosts.iter().skip(1));
            }
            Part::Zone(zone) => _ = numbers.insert(NetPoint::Zone(*zone), number),
            Part::Joint(_) => {}
        }
    }
    numbers.extend(routers.iter().copied().zip(parts.len()..));
    let part_of = |point: NetPoint| {
        let mut point = point;
        while platform.zone_of(point) != zone {
            point = NetPoint::Zone(platform.zone_of(point));
        }
        numbers.get(&point).copied()
    };
    let is_gathered = |point: NetPoint| matches!(point, NetPoint::Host(host) if gathered.contains(&host));
    let here = platform.declared_routes().into_iter().filter(|route| route.zone == zone);
    here.map(|route| {
        let ends = part_of(route.from).zip(part_of(route.to)).filter(|(from, to)| from != to);
        let links = || route.links.iter().map(|&link| one_of_two(platform, link)).collect();
        let drawn = ends.map(|(from, to)| DrawnRoute { from, to, links: links() });
        Declared { route, drawn, is_apart: !is_gathered(route.from) && !is_gathered(route.to) }
    })
    .collect()
}

/// Pairs of parts that a declared route joins as they are, and not hosts within them: no other
/// route counts between them.
pub(super) fn between(declared: &[Declared<'_>], platform: &Platform) -> OrderedSet<(usize, usize)> {
    let is_here =
        |one: &Declared<'_>, point: NetPoint| one.is_apart && platform.zone_of(point) == one.route.zone;
    let exact = declared.iter().filter(|one| is_here(one, one.route.from) && is_here(one, one.route.to));
    exact.filter_map(|one| one.drawn.as_ref()).map(|drawn| (drawn.from, drawn.to)).collect()
}

/// Routers at the ends of routes that the picture does not show, each once.
pub(super) fn routers(platform: &Platform, declared: &[Declared<'_>], joints: &Joints) -> Vec<NetPoint> {
    let drawn = joints.links().collect();
    let hidden =
        declared.iter().filter(|one| one.drawn.is_none() && !is_shown(platform, one, joints, &drawn));
    let ends = hidden.flat_map(|one| [one.route.from, one.route.to]);
    let here =
        |point: &NetPoint| declared.first().is_some_and(|one| platform.zone_of(*point) == one.route.zone);
    let all: OrderedSet<NetPoint> =
        ends.filter(|end| matches!(end, NetPoint::Router(_)) && here(end)).collect();
    all.into_iter().collect()
}

/// Returns true if the picture shows a route.
fn is_shown(platform: &Platform, one: &Declared<'_>, joints: &Joints, drawn: &OrderedSet<LinkId>) -> bool {
    match &one.drawn {
        Some(drawn) => joints.shows(drawn),
        None if one.route.from == one.route.to => false,
        // an end that is no part, such as a router: its links are all that can be looked at
        None => one.route.links.iter().all(|&link| drawn.contains(&one_of_two(platform, link))),
    }
}

/// Routes that a picture is made of in addition to those that are computed.
pub(super) fn routes<'a>(declared: &'a [Declared<'_>]) -> impl Iterator<Item = &'a DrawnRoute> {
    declared.iter().filter(|one| one.is_apart).filter_map(|one| one.drawn.as_ref())
}

/// Remark on the routes that the picture does not show; `None` if it shows all.
pub(super) fn left_out(platform: &Platform, declared: &[Declared<'_>], joints: &Joints) -> Option<String> {
    let drawn = joints.links().collect();
    let (mut named, mut seen): (Vec<String>, OrderedSet<_>) = (Vec::new(), OrderedSet::new());
    let (mut count, mut loopbacks) = (0_u64, 0_u64);
    for Declared { route, .. } in declared.iter().filter(|one| !is_shown(platform, one, joints, &drawn)) {
        if route.from == route.to {
            loopbacks += 1;
            continue;
        }
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
                route.links.iter().take(NAMED).map(|&link| cut(&platform.link_name(link), NAME)).collect();
            let more = if route.links.len() > NAMED { ", …" } else { "" };
            named.push(format!("{from} – {to} over {}{more}", links.join(", ")));
        }
    }
    let loops = (loopbacks > 0).then(|| counted(loopbacks, "loopback"));
    if count == 0 {
        return loops.map(|loops| format!("not drawn: {loops}"));
    }
    let more = count - named.len() as u64;
    let more = if more > 0 { format!("; and {} more", grouped(more)) } else { String::new() };
    let loops = loops.map(|loops| format!("{loops}, ")).unwrap_or_default();
    Some(format!("not drawn: {loops}{}: {}{more}", counted(count, "route"), named.join("; ")))
}
