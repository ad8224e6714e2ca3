//! Zones as drawings in frames, with what is written at hosts and links.

use crate::output::number::{counted, grouped};
use crate::output::{Drawing, DrawnEdge, DrawnNode, EdgeLine, EdgeText, NodeShape};
use crate::report::drawing::label::{self, cut};
use crate::sharing::LinkId;
use crate::{HostId, Platform, ZoneId};

use super::parts::{Part, ZoneParts, about, hosts_within, is_fatpipe, is_split, parts};

/// Letters of a name that are shown.
const NAME: usize = 26;
/// Links of one line that are named one by one.
const NAMED: usize = 3;

/// One host, or many as a stack of cards.
fn hosts(platform: &Platform, hosts: &[HostId]) -> DrawnNode {
    let all = || hosts.iter().map(|&host| platform.host(host));
    let speed = label::range(all().map(crate::Host::speed), label::speed);
    let cores = label::range(all().map(|host| f64::from(host.cores)), |cores| format!("{cores}"));
    let cores = if cores == "1" { String::new() } else { format!(", {cores} cores") };
    let what = format!("{speed}{cores}");
    let (first, last) =
        (platform.host(hosts[0]).name.as_str(), platform.host(hosts[hosts.len() - 1]).name.as_str());
    let text = match hosts.len() {
        1 => vec![cut(first, NAME), what],
        count => vec![
            format!("{} hosts", grouped(count as u64)),
            what,
            format!("{} … {}", cut(first, NAME / 2), cut(last, NAME / 2)),
        ],
    };
    DrawnNode::new(text).shaped(NodeShape::Box { is_stack: hosts.len() > 1 })
}

/// Node of a joint: a dot, or the links that lie there.
fn joint(platform: &Platform, links: &[LinkId]) -> DrawnNode {
    let Some(&first) = links.first() else { return DrawnNode::new(Vec::new()).shaped(NodeShape::Dot) };
    let name = match links.len() {
        1 => cut(&platform.link_name(first), NAME),
        count => format!("{} links", grouped(count as u64)),
    };
    let shape = NodeShape::Rounded { is_double: is_fatpipe(platform, first) };
    DrawnNode::new(vec![name, about(platform, links)]).shaped(shape)
}

/// Edge between two parts.
fn edge(platform: &Platform, ends: (usize, usize), links: &[LinkId]) -> DrawnEdge {
    let line = match links.first() {
        None => EdgeLine::Dotted,
        Some(&first) if is_fatpipe(platform, first) => EdgeLine::Double,
        Some(_) => EdgeLine::Single,
    };
    let each = |link: &LinkId| format!("{}: {}", name(platform, &[*link]), about(platform, &[*link]));
    let text = match links.len() {
        0 => EdgeText::Nothing,
        2..=NAMED => EdgeText::Rows(links.iter().map(each).collect()),
        _ => EdgeText::Sides(about(platform, links), name(platform, links)),
    };
    DrawnEdge { ends, line, text, is_marked: false }
}

/// Name of a line.
fn name(platform: &Platform, links: &[LinkId]) -> String {
    let first = platform.link_name(links[0]);
    let split = is_split(platform, links[0]);
    let name = if split { first.strip_suffix("_UP").unwrap_or(&first) } else { &*first };
    let each = if split { " ⇅" } else { "" };
    match links.len() {
        1 => format!("{}{each}", cut(name, 21)),
        count => format!("{} links{each}", grouped(count as u64)),
    }
}

/// Example of a route between two hosts of a box, for a zone that is one box.
fn example(platform: &Platform, of: &ZoneParts) -> Option<String> {
    let [Part::Hosts(hosts)] = &of.parts[..] else { return None };
    let (first, second) = (*hosts.first()?, *hosts.get(1)?);
    let mut route = Vec::new();
    let beyond = platform.route_with_delay(first, second, &mut route).ok()?;
    let links = || route.iter().map(|link| platform.link(*link));
    let start = crate::kernel::SimTime::ZERO;
    let narrowest = links().map(|link| link.bandwidth.value_at(start)).reduce(f64::min)?;
    let latency = links().map(|link| link.latency.value_at(start)).sum::<f64>() + beyond;
    Some(format!(
        "from the first to the second: {}, {}, {}",
        counted(route.len() as u64, "link"),
        label::bandwidth(narrowest),
        label::latency(latency)
    ))
}

/// Content of a zone, without its frame.
fn inside(platform: &Platform, zone: ZoneId) -> Drawing {
    let of = parts(platform, zone);
    let node = |part: &Part| match part {
        Part::Hosts(all) => hosts(platform, all),
        Part::Zone(zone) => framed(platform, *zone),
        Part::Joint(links) => joint(platform, links),
    };
    let all: Vec<LinkId> = of.lines.values().flatten().copied().collect();
    let count = grouped(all.len() as u64);
    Drawing {
        nodes: of.parts.iter().map(node).collect(),
        edges: of.lines.iter().map(|(ends, links)| edge(platform, *ends, links)).collect(),
        of_edges: (!of.lines.is_empty()).then(|| format!("{count} links: {}", about(platform, &all))),
        captions: example(platform, &of).into_iter().chain(of.left_out).collect(),
        ..Drawing::default()
    }
}

/// A zone with its frame and name.
fn framed(platform: &Platform, zone: ZoneId) -> DrawnNode {
    let count = hosts_within(platform, zone);
    let text = vec![cut(platform.zone_name(zone), NAME), counted(count as u64, "host")];
    DrawnNode::new(text).shaped(NodeShape::Frame(Box::new(inside(platform, zone))))
}

/// The whole of a platform.
pub(super) fn whole(platform: &Platform) -> Drawing {
    let mut zone = ZoneId::TOP;
    // a zone that only holds another one is not worth a frame
    while let [crate::NetPoint::Zone(only)] = platform.points(zone) {
        zone = *only;
    }
    if zone == ZoneId::TOP {
        return inside(platform, zone);
    }
    Drawing { nodes: vec![framed(platform, zone)], ..Drawing::default() }
}
