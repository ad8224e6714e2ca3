//! A platform as a drawing: zones as boxes within boxes, hosts with their speeds, links with their
//! bandwidths and latencies.
//!
//! A platform does not declare where its links begin and end; that is found out of its routes
//! (`joints.rs`). Hosts are boxes, links are lines, fatpipes are double, a link that all routes
//! through a switch cross (a backbone) is a rounded box at it, and other switches and routers are
//! dots. A dotted line is no link: the routes lead on at once. Many equal hosts are one box with
//! their number, and from some 60 hosts in one zone on only kinds of hosts are distinguished, so
//! that a platform of any size can be looked at.
//!
//! Every declared route is drawn, or the picture says below the zone which are not (`declared.rs`).
//!
//! Left out: alternatives of a route, properties, disks, and traces but for the range
//! of their values.

mod declared;
mod joints;
mod parts;
mod zones;

use serde_json::{Value as Json, json};

use crate::kernel::SimTime;
use crate::output::Drawing;
use crate::output::number::counted;
use crate::sharing::{LinkId, SharingPolicy};
use crate::{HostId, Platform};

/// Hosts of which every two are asked for a route, to count these.
const COUNTED: usize = 2_000;

/// The drawing of a platform.
pub fn drawing(platform: &Platform) -> Drawing {
    let (hosts, links) = (platform.hosts().len() as u64, platform.links().len() as u64);
    let about = format!("{}, {}", counted(hosts, "host"), counted(links, "link"));
    Drawing { about, ..zones::whole(platform) }
}

/// Hosts, links and declared routes, for programs.
///
/// Speeds in operations per second, bandwidths in bytes per second, latencies in seconds, as they
/// are at the start of a run. `routes` are those that were given one by one, each with its ends and
/// the names of its links; a symmetric one is there in both directions, and what is computed within
/// clusters is not among them. `joined-pairs` counts ordered pairs of different hosts that any
/// route joins, and is null for more than 2,000 hosts.
pub fn json(title: &str, platform: &Platform) -> Json {
    let start = SimTime::ZERO;
    let hosts = platform.hosts().iter().zip(0..).map(|(host, number)| {
        json!({
            "name": host.name, "zone": platform.zone_name(platform.zone_of(HostId::new(number))), "speed": host.speed(), "cores": host.cores,
        })
    });
    let links = platform.links().iter().zip(0..).map(|(link, number)| {
        json!({
            "name": platform.link_name(LinkId::new(number)),
            "bandwidth": link.bandwidth.value_at(start),
            "latency": link.latency.value_at(start),
            "sharing": if link.policy == SharingPolicy::Fatpipe { "fatpipe" } else { "shared" },
        })
    });
    let zones: Vec<&str> = platform.zones().map(|zone| platform.zone_name(zone)).collect();
    let routes = platform.declared_routes().into_iter().map(|route| {
        let links: Vec<_> = route.links.iter().map(|&link| platform.link_name(link)).collect();
        let [from, to] = [route.from, route.to].map(|point| platform.point_name(point));
        json!({ "from": from, "to": to, "zone": platform.zone_name(route.zone), "links": links })
    });
    let [hosts, links, routes] = [hosts.collect::<Vec<Json>>(), links.collect(), routes.collect()];
    json!({
        "schema": "clustersim/platform/2", "title": title, "zones": zones, "hosts": hosts, "links": links,
        "routes": routes, "joined-pairs": joined_pairs(platform),
    })
}

/// Number of ordered pairs of different hosts that have a route.
fn joined_pairs(platform: &Platform) -> Option<u64> {
    let count = platform.hosts().len();
    if count > COUNTED {
        return None;
    }
    let (mut routes, mut route) = (0, Vec::new());
    let all = || (0..count as u32).map(HostId::new);
    for from in all() {
        routes +=
            all().filter(|&to| to != from && platform.route(from, to, &mut route).is_ok()).count() as u64;
    }
    Some(routes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::drawing::svg;
    use crate::{Builder, Cluster, Host, Link, ZoneId};

    fn cluster(name: &str, hosts: u32) -> Platform {
        let mut builder = Builder::new();
        let cluster = Cluster::new(name, hosts, Host::new("", 1e9), Link::new(1.25e8, 5e-5));
        builder.cluster(ZoneId::TOP, &cluster).expect("a cluster");
        builder.build()
    }

    #[test]
    fn few_hosts_are_drawn_one_by_one_and_many_as_one() {
        let few = svg("few", &drawing(&cluster("c", 5)));
        assert!((0..5).all(|host| few.contains(&format!(">c-{host}<"))), "{few}");
        assert!(few.contains("c_link_3 ⇅"), "{few}");
        let many = svg("many", &drawing(&cluster("c", 1024)));
        assert!(many.contains(">1,024 hosts<") && many.contains("2 links, 125 MBps, 100 us"), "{many}");
        assert!(many.len() < 6_000, "{}", many.len());
    }

    #[test]
    fn no_name_leaves_its_place() {
        let evil = "</text><script>\u{0}&";
        let text = svg(evil, &drawing(&cluster(evil, 3)));
        assert!(!text.contains("<script") && text.contains("&lt;/text&gt;&lt;script&gt;"), "{text}");
    }

    #[test]
    fn a_list_has_every_host_link_and_route() {
        let listed = json("c", &cluster("c", 3));
        assert_eq!(listed["hosts"].as_array().map(Vec::len), Some(3));
        assert_eq!((&listed["hosts"][1]["zone"], &listed["joined-pairs"]), (&"c".into(), &6.into()));
        assert_eq!(listed["routes"], json!([]), "those of a cluster are computed");
    }
}
