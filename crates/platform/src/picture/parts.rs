//! Parts of the drawing of a zone: its hosts, one by one or many in one box, the zones in it, and
//! the links between these.
//!
//! Many equal hosts are one box with their number. A zone within is a part like a host: of a route
//! that leads out of it only the links are drawn that routes within it do not use.

use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::sharing::{LinkId, SharingPolicy};
use crate::{Host, HostId, NetPoint, Platform, ZoneId};

use crate::report::drawing::label;

use super::declared;
use super::joints::{DrawnRoute, Edge, Joints, joints};

/// Hosts of a zone that are drawn one by one at most, before equal ones become one box.
const APART: usize = 60;
/// Parts of a zone above which what hangs on the same joint becomes one box.
const CROWDED: usize = 40;
/// Equal hosts at one joint that become one box.
const ALIKE: usize = 7;

/// A part of a zone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// Hosts, of which there is one at least.
    Hosts(Vec<HostId>),
    /// A zone that holds hosts.
    Zone(ZoneId),
    /// A joint of links, and the links that lie in it.
    Joint(Vec<LinkId>),
}

/// A zone's parts, and what joins them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ZoneParts {
    pub(super) parts: Vec<Part>,
    /// Between two parts: the links, of which each may be one of many equal ones.
    pub(super) lines: OrderedMap<(usize, usize), Vec<LinkId>>,
    /// Remark on declared routes that are not drawn.
    pub(super) left_out: Option<String>,
}

/// The first host in a zone, at any depth.
pub(super) fn first_host(platform: &Platform, zone: ZoneId) -> Option<HostId> {
    platform.points(zone).iter().find_map(|&point| match point {
        NetPoint::Host(host) => Some(host),
        NetPoint::Router(_) => None,
        NetPoint::Zone(inner) => first_host(platform, inner),
    })
}

/// Number of hosts in a zone, at any depth.
pub(super) fn hosts_within(platform: &Platform, zone: ZoneId) -> usize {
    let count = |&point: &NetPoint| match point {
        NetPoint::Host(_) => 1,
        NetPoint::Router(_) => 0,
        NetPoint::Zone(inner) => hosts_within(platform, inner),
    };
    platform.points(zone).iter().map(count).sum()
}

/// Properties that hosts drawn alike have in common.
fn likeness(host: &Host) -> (Vec<u64>, usize, u32) {
    (host.speeds.iter().map(|speed| speed.to_bits()).collect(), host.power_state, host.cores)
}

/// The parts of a zone and what joins them.
pub(super) fn parts(platform: &Platform, zone: ZoneId) -> ZoneParts {
    let (mut parts, mut hosts) = (Vec::new(), Vec::new());
    for &point in platform.points(zone) {
        match point {
            NetPoint::Host(host) => hosts.push(host),
            NetPoint::Zone(inner) if first_host(platform, inner).is_some() => parts.push(Part::Zone(inner)),
            NetPoint::Zone(_) | NetPoint::Router(_) => {}
        }
    }
    if hosts.len() > APART {
        let mut alike: Vec<Vec<HostId>> = Vec::new();
        let mut kinds = OrderedMap::new();
        for &host in &hosts {
            let kind = *kinds.entry(likeness(platform.host(host))).or_insert(alike.len());
            if kind == alike.len() {
                alike.push(Vec::new());
            }
            alike[kind].push(host);
        }
        hosts.clear();
        // of a crowd of all different hosts nothing could be read
        if alike.len() > APART {
            parts.push(Part::Hosts(alike.concat()));
        } else {
            parts.extend(alike.into_iter().map(Part::Hosts));
        }
    }
    parts.extend(hosts.into_iter().map(|host| Part::Hosts(vec![host])));
    let (Joints { count, edges, mut inside, .. }, left_out) = joined(platform, zone, &mut parts);
    let nodes = parts.len();
    parts.extend((nodes..count).map(|joint| Part::Joint(inside.remove(&joint).unwrap_or_default())));
    let mut lines: OrderedMap<(usize, usize), Vec<LinkId>> = OrderedMap::new();
    for Edge { ends, link } in edges {
        lines.entry(ends).or_default().extend(link);
    }
    let mut all = ZoneParts { parts, lines, left_out };
    all.gather(platform);
    all
}

/// Joints of these parts, and a remark on declared routes that they do not show. Routers are
/// parts only where the routes between hosts and zones do not lead over them.
fn joined(platform: &Platform, zone: ZoneId, parts: &mut Vec<Part>) -> (Joints, Option<String>) {
    if parts.len() > 2 * APART {
        let found = joints(parts.len(), Vec::new());
        let declared = declared::declared(platform, zone, parts, &[]);
        let left_out = declared::left_out(platform, &declared, &found);
        return (found, left_out);
    }
    let computed = routes(platform, parts);
    let mut routers = Vec::new();
    loop {
        let declared = declared::declared(platform, zone, parts, &routers);
        let between = declared::between(&declared, platform);
        let others = computed.iter().filter(|drawn| !between.contains(&(drawn.from, drawn.to)));
        let all: OrderedSet<&DrawnRoute> = others.chain(declared::routes(&declared)).collect();
        let found = joints(parts.len() + routers.len(), all.into_iter().cloned().collect());
        if routers.is_empty() {
            routers = declared::routers(platform, &declared, &found);
            if !routers.is_empty() && routers.len() <= APART {
                continue;
            }
            routers.clear();
        }
        let left_out = declared::left_out(platform, &declared, &found);
        parts.extend(routers.iter().map(|_| Part::Joint(Vec::new())));
        return (found, left_out);
    }
}

/// Routes between every two parts, as far as they lead outside of both.
fn routes(platform: &Platform, parts: &[Part]) -> Vec<DrawnRoute> {
    let ends: Vec<(HostId, OrderedSet<LinkId>)> =
        parts.iter().filter_map(|part| end(platform, part)).collect();
    let (mut routes, mut route) = (Vec::new(), Vec::new());
    for (from, (host, own)) in ends.iter().enumerate() {
        for (to, (other, theirs)) in ends.iter().enumerate().filter(|&(to, _)| to != from) {
            if platform.route(*host, *other, &mut route).is_err() {
                continue;
            }
            let begin = route.iter().take_while(|link| own.contains(link)).count();
            let end = route.iter().rev().take_while(|link| theirs.contains(link)).count();
            let links = if begin + end >= route.len() { &[][..] } else { &route[begin..route.len() - end] };
            routes.push(DrawnRoute {
                from,
                to,
                links: links.iter().map(|&link| one_of_two(platform, link)).collect(),
            });
        }
    }
    routes
}

/// Start of the routes of a part, and the links that lie within it.
fn end(platform: &Platform, part: &Part) -> Option<(HostId, OrderedSet<LinkId>)> {
    let zone = match part {
        Part::Hosts(hosts) => return Some((*hosts.first()?, OrderedSet::new())),
        Part::Joint(_) => return None,
        Part::Zone(zone) => *zone,
    };
    let first = first_host(platform, zone)?;
    let inner: Vec<HostId> = sample(platform, zone).into_iter().filter(|&host| host != first).collect();
    let (mut within, mut route) = (OrderedSet::new(), Vec::new());
    for other in inner {
        for (from, to) in [(first, other), (other, first)] {
            if platform.route(from, to, &mut route).is_ok() {
                within.extend(&route);
            }
        }
    }
    Some((first, within))
}

/// A few hosts of a zone: of every part of it the first, the second and the last.
fn sample(platform: &Platform, zone: ZoneId) -> Vec<HostId> {
    let points = platform.points(zone);
    let hosts: Vec<HostId> = points
        .iter()
        .filter_map(|&point| match point {
            NetPoint::Host(host) => Some(host),
            NetPoint::Router(_) => None,
            NetPoint::Zone(inner) => first_host(platform, inner),
        })
        .collect();
    let few = hosts.iter().take(APART).chain(hosts.last());
    few.copied().collect()
}

/// Of a link in two directions the one upwards, so that both are one line.
pub(super) fn one_of_two(platform: &Platform, link: LinkId) -> LinkId {
    let name = platform.link_name(link);
    let other = name.strip_suffix("_DOWN").and_then(|stem| platform.link_named(&format!("{stem}_UP")));
    other.unwrap_or(link)
}

/// Returns true if a link is one of two, one a direction.
pub(super) fn is_split(platform: &Platform, link: LinkId) -> bool {
    let name = platform.link_name(link);
    name.strip_suffix("_UP").is_some_and(|stem| platform.link_named(&format!("{stem}_DOWN")).is_some())
}

/// Label of a link.
pub(super) fn about(platform: &Platform, links: &[LinkId]) -> String {
    let all = || links.iter().map(|link| platform.link(*link));
    let bandwidth = label::range(all().flat_map(|link| values_that_hold(&link.bandwidth)), label::bandwidth);
    let latency = label::range(all().flat_map(|link| values_that_hold(&link.latency)), label::latency);
    format!("{bandwidth}, {latency}")
}

/// The values of a trace that hold at some time.
fn values_that_hold(trace: &crate::Trace) -> Vec<f64> {
    let points: Vec<f64> = trace.points().map(|(_, value)| value).collect();
    if points.is_empty() { trace.values().collect() } else { points }
}

/// Returns true if each flow may have all of it.
pub(super) fn is_fatpipe(platform: &Platform, link: LinkId) -> bool {
    platform.link(link).policy == SharingPolicy::Fatpipe
}

impl ZoneParts {
    /// Makes one box of hosts that hang on one joint by a line each: of equal ones, and of all
    /// where it is crowded.
    fn gather(&mut self, platform: &Platform) {
        let degree =
            |part: usize| self.lines.keys().filter(|(one, two)| *one == part || *two == part).count();
        let mut bunches: OrderedMap<(usize, String), Vec<usize>> = OrderedMap::new();
        let is_crowded = self.parts.len() > CROWDED;
        for (&(one, other), links) in &self.lines {
            let [Part::Hosts(hosts), Part::Joint(_)] = [&self.parts[one], &self.parts[other]] else {
                continue;
            };
            if degree(one) > 1 {
                continue;
            }
            let alike = format!("{:?} {}", likeness(platform.host(hosts[0])), about(platform, links));
            bunches.entry((other, alike)).or_default().push(one);
        }
        let most = bunches.values().map(Vec::len).sum::<usize>();
        let still = self.parts.len() - most + bunches.len();
        let mut together: OrderedMap<(usize, String), Vec<usize>> = OrderedMap::new();
        for ((joint, alike), hosts) in bunches {
            // even when equal ones are together it may be too much to read
            let key = if is_crowded && still > CROWDED { String::new() } else { alike };
            together.entry((joint, key)).or_default().extend(hosts);
        }
        let mut gone = OrderedSet::new();
        for mut bunch in together.into_values().filter(|bunch| bunch.len() > 1) {
            bunch.stable_sort();
            if bunch.len() >= ALIKE || is_crowded {
                self.join(&bunch);
                gone.extend(bunch[1..].iter().copied());
            }
        }
        self.drop_parts(&gone);
    }

    /// Puts the hosts and lines of all into the first.
    fn join(&mut self, bunch: &[usize]) {
        let mut hosts = Vec::new();
        for &part in bunch {
            if let Part::Hosts(own) = &mut self.parts[part] {
                hosts.append(own);
            }
        }
        self.parts[bunch[0]] = Part::Hosts(hosts);
        let mut links = Vec::new();
        let joined: Vec<(usize, usize)> =
            self.lines.keys().copied().filter(|ends| bunch.contains(&ends.0)).collect();
        for ends in &joined {
            links.extend(self.lines.remove(ends).unwrap_or_default());
        }
        self.lines.extend(joined.first().map(|&(_, joint)| ((bunch[0], joint), links)));
    }

    fn drop_parts(&mut self, gone: &OrderedSet<usize>) {
        let mut numbers = OrderedMap::new();
        for part in (0..self.parts.len()).filter(|part| !gone.contains(part)) {
            numbers.insert(part, numbers.len());
        }
        let mut number = 0;
        self.parts.retain(|_| {
            number += 1;
            !gone.contains(&(number - 1))
        });
        let lines = std::mem::take(&mut self.lines).into_iter();
        self.lines = lines.map(|((one, two), links)| ((numbers[&one], numbers[&two]), links)).collect();
    }
}
