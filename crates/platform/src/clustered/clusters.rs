//! The grid that a platform is: which hosts stand behind which link of the origin.
//!
//! The hosts that lie in one zone are a cluster, whatever joins them among each other. From each
//! origin to each of them the route is one and the same link, which is that of the cluster; both
//! directions share it. Properties say what a platform has no field for, so that a file of SimGrid
//! may say it, too:
//!
//! | of | property | meaning |
//! |---|---|---|
//! | zone | `storage` | `kept` (default): files stay; `none`: each task has its inputs sent |
//! | zone | `storage-capacity` | bytes, as `"20GB"` |
//! | zone | `price` | what a second of one of its processors in use costs |
//! | zone | `price-per-byte` | what a byte costs that its link carries |
//! | host | `architecture` | which of the times of a task holds on it, from 0 (default) |
//! | host | `queue-wait` | wait of a task in its batch queue, a duration or a distribution |

use crate::clustered::grid::{
    ClusterNumber, ClusterPrices, FurtherLink, FurtherOrigin, GridMeans, LinkNumber, SweepCluster, SweepGrid,
    SweepHost,
};
use crate::collections::OrderedMap;
use crate::distribution;
use crate::kernel::rng::Sampler;
use crate::registry::{
    Complaint, Key, KeyValue, Kind, Node, Params, Quantity, Registry, Sources, Span, Tree, Value, check,
    code, parse_value,
};
use crate::sharing::LinkId;
use crate::units::Bytes;
use crate::{HostId, NetPoint, Platform, ZoneId};

/// Property of a zone: whether files stay.
pub const STORAGE: &str = "storage";
/// Property of a zone: bytes that its storage holds.
pub const CAPACITY: &str = "storage-capacity";
/// Property of a zone: what a second of a processor costs.
pub const PRICE: &str = "price";
/// Property of a zone: what a byte costs on its link.
pub const PRICE_PER_BYTE: &str = "price-per-byte";
/// Property of a host: which of the times of a task holds.
pub const ARCHITECTURE: &str = "architecture";
/// Property of a host: the wait in its batch queue.
pub const QUEUE_WAIT: &str = "queue-wait";

/// Links that a message names.
const NAMED: usize = 4;

impl SweepGrid {
    /// The clusters of a platform as they are seen from its origins, of which the first has all
    /// files that are not said to be elsewhere. On a host of `reference_speed` \[flop/s\], all of
    /// it available, tasks take the times of the application.
    ///
    /// # Errors
    /// Clusters that no link joins to an origin, or several; properties that say nothing.
    ///
    /// # Panics
    /// If there is no origin.
    pub fn of(
        platform: &Platform,
        origins: &[HostId],
        reference_speed: f64,
    ) -> Result<SweepGrid, Vec<Complaint>> {
        SweepGrid::described(platform, origins, reference_speed, &|_, _, _| None)
    }

    /// As [`SweepGrid::of`], where a description of the platform has places for its links.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// As there.
    pub fn described(
        platform: &Platform,
        origins: &[HostId],
        reference_speed: f64,
        place: &LinkPlace<'_>,
    ) -> Result<SweepGrid, Vec<Complaint>> {
        let mut reading = Reading {
            platform,
            place,
            origins,
            reference_speed,
            grid: SweepGrid { origin: platform.host(origins[0]).name.clone(), ..SweepGrid::default() },
            zones: Vec::new(),
            links: OrderedMap::new(),
            laws: OrderedMap::new(),
            complaints: Vec::new(),
        };
        platform.zones().for_each(|zone| reading.zone(zone));
        if reading.grid.hosts.is_empty() && reading.complaints.is_empty() {
            let names = origins.iter().map(|origin| format!("`{}`", platform.host(*origin).name));
            let plural = if origins.len() > 1 { "s" } else { "" };
            let names = names.collect::<Vec<_>>().join(", ");
            reading.complain(format!("there is no host besides the origin{plural} {names}"));
        }
        reading.further_origins();
        if reading.complaints.is_empty() { Ok(reading.grid) } else { Err(reading.complaints) }
    }

    /// Returns the scales of sizes: means over time of links, and of all processors together.
    pub fn means(&self) -> GridMeans {
        let bandwidth: f64 = self.clusters.iter().map(|cluster| cluster.bandwidth.mean()).sum();
        let available = |host: &SweepHost| host.availability.mean() * host.speed * f64::from(host.processors);
        GridMeans {
            clusters: self.clusters.len(),
            bandwidth: bandwidth / self.clusters.len() as f64,
            availability: self.hosts.iter().map(available).sum(),
        }
    }
}

/// The complaint about a link that leads to a cluster, of which names and message are given, at its
/// place in a description.
pub type LinkPlace<'a> = dyn Fn(&str, &str, &str) -> Option<Complaint> + 'a;

struct Reading<'a> {
    platform: &'a Platform,
    place: &'a LinkPlace<'a>,
    origins: &'a [HostId],
    reference_speed: f64,
    grid: SweepGrid,
    /// Of each cluster its hosts and its link.
    zones: Vec<(ZoneId, Vec<HostId>, LinkId)>,
    /// The links of the grid, by those of the platform.
    links: OrderedMap<LinkId, LinkNumber>,
    /// Distributions by what they are written as.
    laws: OrderedMap<&'a str, Option<Sampler>>,
    complaints: Vec<Complaint>,
}

impl Reading<'_> {
    fn complain(&mut self, message: String) {
        self.complaints.push(Complaint::nowhere(code::PLATFORM, message));
    }

    fn zone(&mut self, zone: ZoneId) {
        let host = |point: &NetPoint| match point {
            NetPoint::Host(host) if !self.origins.contains(host) => Some(*host),
            _ => None,
        };
        let hosts: Vec<HostId> = self.platform.points(zone).iter().filter_map(host).collect();
        if hosts.is_empty() {
            return;
        }
        let Some(link) = self.link(self.origins[0], zone, &hosts) else { return };
        let (name, properties) = (self.platform.zone_name(zone), self.platform.zone_properties(zone));
        let has_storage = match properties.get(STORAGE).map(String::as_str) {
            None | Some("kept") => true,
            Some("none") => false,
            Some(other) => {
                self.complain(format!(
                    "the property `{STORAGE}` of the zone `{name}` is `{other}`, not kept or none"
                ));
                true
            }
        };
        let capacity = properties.get(CAPACITY).map(|text| (text, Bytes::parse(text)));
        if let Some((text, Err(_))) = &capacity {
            self.complain(format!(
                "the property `{CAPACITY}` of the zone `{name}` is `{text}`, no amount of data"
            ));
        }
        let prices = self.prices(name, properties);
        let number = ClusterNumber(self.grid.clusters.len() as u32);
        let first = self.grid.hosts.len() as u32;
        hosts.iter().for_each(|host| self.host(*host, number));
        let of = *self.links.entry(link).or_insert(LinkNumber(number.0));
        if of.0 != number.0 {
            self.leads_to_two(link, ClusterNumber(of.0), name);
        }
        self.zones.push((zone, hosts, link));
        let link = self.platform.link(link);
        self.grid.clusters.push(SweepCluster {
            name: name.to_owned(),
            bandwidth: link.bandwidth.clone(),
            latency: link.latency.clone(),
            present: link.working.clone(),
            has_storage,
            prices,
            capacity: capacity.and_then(|(_, bytes)| bytes.ok()).map(Bytes::get),
            hosts: first..self.grid.hosts.len() as u32,
        });
    }

    /// Reports a link to a cluster that is the link of another.
    fn leads_to_two(&mut self, link: LinkId, one: ClusterNumber, other: &str) {
        let (link, one) = (self.platform.link_name(link), &self.grid.cluster(one).name);
        let message = format!("the link `{link}` leads to `{one}` and to `{other}`");
        let placed = (self.place)(&link, other, &message);
        let complaint = placed.unwrap_or_else(|| Complaint::nowhere(code::PLATFORM, message));
        self.complaints.push(complaint.help("a link serves one cluster: give each its own"));
    }

    /// Reads the prices in the properties of a zone; `None` if it has none.
    fn prices(&mut self, name: &str, properties: &OrderedMap<String, String>) -> Option<ClusterPrices> {
        let mut price = |property: &str| {
            let text = properties.get(property)?;
            let price = text.parse().ok().filter(|price: &f64| price.is_finite() && *price >= 0.0);
            if price.is_none() {
                self.complain(format!(
                    "the property `{property}` of the zone `{name}` is `{text}`, no price"
                ));
            }
            price
        };
        let (second, byte) = (price(PRICE), price(PRICE_PER_BYTE));
        let is_any = second.is_some() || byte.is_some();
        is_any.then(|| ClusterPrices { per_second: second.unwrap_or(0.0), per_byte: byte.unwrap_or(0.0) })
    }

    /// Links from further origins. What is one link to one cluster is one, whichever origins it
    /// begins at.
    fn further_origins(&mut self) {
        let zones = std::mem::take(&mut self.zones);
        for origin in &self.origins[1..] {
            let mut links = Vec::new();
            for ((zone, hosts, _), cluster) in zones.iter().zip((0..).map(ClusterNumber)) {
                let Some(link) = self.link(*origin, *zone, hosts) else { continue };
                let known = self.links.get(&link).copied();
                let number = known.unwrap_or_else(|| self.further_link(link, cluster));
                self.links.insert(link, number);
                links.push(number);
                let (of, _) = self.grid.clusters_of_link(number);
                if of != cluster {
                    let other = self.grid.cluster(cluster).name.clone();
                    self.leads_to_two(link, of, &other);
                }
            }
            let name = self.platform.host(*origin).name.clone();
            self.grid.further_origins.push(FurtherOrigin { name, links });
        }
    }

    /// A link to a cluster besides its own.
    fn further_link(&mut self, link: LinkId, cluster: ClusterNumber) -> LinkNumber {
        let (name, link) = (self.platform.link_name(link), self.platform.link(link));
        if self.grid.clusters.iter().any(|other| other.name == name) {
            self.complain(format!("a cluster and a further link are called `{name}`"));
        }
        if link.working.least() <= 0.0 {
            self.complain(format!("the further link `{name}` fails, and only clusters do with their own"));
        }
        self.grid.add_link(FurtherLink {
            name: name.into_owned(),
            cluster,
            other: None,
            bandwidth: link.bandwidth.clone(),
            latency: link.latency.clone(),
        })
    }

    /// The one link that joins an origin to all of these hosts.
    fn link(&mut self, from: HostId, zone: ZoneId, hosts: &[HostId]) -> Option<LinkId> {
        let (zone, origin) = (self.platform.zone_name(zone), &self.platform.host(from).name);
        let mut found = None;
        let mut route = Vec::new();
        for host in hosts {
            let name = &self.platform.host(*host).name;
            let joined = self.platform.route(from, *host, &mut route);
            let message = match (&route[..], found) {
                _ if joined.is_err() => {
                    format!("no route leads from the origin `{origin}` to `{name}` of `{zone}`")
                }
                ([link], None) => {
                    found = Some(*link);
                    continue;
                }
                ([link], Some(other)) if *link == other => continue,
                ([link], Some(other)) => {
                    let [link, other] = [*link, other].map(|link| self.platform.link_name(link));
                    format!(
                        "`{other}` and `{link}` lead from the origin to hosts of `{zone}`, and a cluster has one link"
                    )
                }
                ([], _) => format!("no link lies between the origin `{origin}` and `{name}` of `{zone}`"),
                (links, _) => {
                    let names = links.iter().take(NAMED).map(|link| self.platform.link_name(*link));
                    let more = if links.len() > NAMED { ", …" } else { "" };
                    let names = names.collect::<Vec<_>>().join(", ");
                    format!(
                        "{} links ({names}{more}) lead from the origin to `{name}` of `{zone}`, and a cluster has one",
                        links.len()
                    )
                }
            };
            self.complain(message);
            return None;
        }
        found
    }

    fn host(&mut self, id: HostId, cluster: ClusterNumber) {
        let host = self.platform.host(id);
        let property = |name: &str| host.properties.get(name).map(String::as_str);
        let architecture = property(ARCHITECTURE).map_or(Ok(0), str::parse);
        if architecture.is_err() {
            let found = property(ARCHITECTURE).unwrap_or_default();
            self.complain(format!(
                "the property `{ARCHITECTURE}` of `{}` is `{found}`, no number from 0",
                host.name
            ));
        }
        let queue_wait = property(QUEUE_WAIT).and_then(|text| {
            let law = self.laws.entry(text).or_insert_with(|| duration_law(text)).clone();
            if law.is_none() {
                self.complain(format!(
                    "the property `{QUEUE_WAIT}` of `{}` is `{text}`, no distribution of durations",
                    host.name
                ));
            }
            law
        });
        self.grid.hosts.push(SweepHost {
            name: host.name.clone(),
            cluster,
            architecture: architecture.unwrap_or(0),
            speed: host.speed() / self.reference_speed,
            processors: host.cores,
            availability: host.availability.clone(),
            present: host.working.clone(),
            queue_wait,
        });
    }
}

/// The distribution that a text is, as a scenario would write it.
fn duration_law(text: &str) -> Option<Sampler> {
    const LAW: &[Key] = &[Key::new("law", Kind::Distribution(Quantity::Duration))];
    let mut registry = Registry::new();
    registry.table(distribution::table());
    let mut sources = Sources::new("");
    let source = sources.add(QUEUE_WAIT, text, "");
    let span = Span::new(source, 0..text.len());
    let written = parse_value(text, source, 0).ok()?;
    let written = written.unwrap_or_else(|| Node::new(Value::String(text.to_owned()), span));
    let tree = Tree::from_iter([KeyValue::new("law", written)]);
    let mut complaints = Vec::new();
    let checked = check(&registry, &sources, &Node::new(Value::Table(tree), span), LAW, &mut complaints)?;
    Params::new(&registry, &sources, &checked).component("law", "distribution").ok().map(|law| *law)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimTime;
    use crate::kernel::rng::Moments;
    use crate::{Builder, Host, Link};

    /// The origin and two clusters of two hosts each behind links of their own, and the zone of the
    /// first.
    fn clusters() -> (Builder, HostId, ZoneId) {
        let mut builder = Builder::new();
        let origin = builder.host(Host::new("origin", 1.0)).expect("a host");
        let mut zones = Vec::new();
        for cluster in ["a", "b"] {
            let behind = builder.cluster_behind(cluster, Link::new(1e4, 0.1)).expect("a cluster");
            builder.join_behind(origin, behind).expect("a route");
            let zone = behind.zone;
            for number in 0..2 {
                let host = Host { cores: 2, ..Host::new(format!("{cluster}.{number}"), 5e9) };
                builder.host_behind(zone, host).expect("a host");
            }
            zones.push(zone);
        }
        (builder, origin, zones[0])
    }

    fn set(builder: &mut Builder, zone: ZoneId, name: &str, value: &str) {
        let put = |host: &mut Host| _ = host.properties.insert(name.to_owned(), value.to_owned());
        builder.change_hosts(zone, put).expect("right numbers");
    }

    fn wrong(builder: Builder, origin: HostId) -> Vec<String> {
        let refused = SweepGrid::of(&builder.build(), &[origin], 1e10).expect_err("no grid");
        refused.into_iter().map(|complaint| complaint.message).collect()
    }

    #[test]
    fn zones_behind_a_link_are_clusters() {
        let (mut builder, origin, zone) = clusters();
        builder.zone_property(zone, STORAGE, "none");
        builder.zone_property(zone, CAPACITY, "2GB");
        set(&mut builder, zone, ARCHITECTURE, "1");
        set(&mut builder, zone, QUEUE_WAIT, "{ kind = \"uniform\", low = \"10s\", high = \"30s\" }");
        let grid = SweepGrid::of(&builder.build(), &[origin], 1e10).expect("a grid");
        let names: Vec<&str> = grid.clusters.iter().map(|cluster| &*cluster.name).collect();
        assert_eq!((names, grid.clusters[1].hosts.clone()), (vec!["a", "b"], 2..4));
        let (first, last) = (&grid.clusters[0], &grid.clusters[1]);
        assert_eq!((first.has_storage, first.capacity), (false, Some(2_000_000_000)));
        assert!(last.has_storage && last.capacity.is_none());
        assert_eq!(last.bandwidth.value_at(SimTime::ZERO).to_bits(), 1e4_f64.to_bits());
        let architectures: Vec<usize> = grid.hosts.iter().map(|host| host.architecture).collect();
        assert_eq!((architectures, grid.hosts[3].cluster), (vec![1, 1, 0, 0], ClusterNumber(1)));
        let wait = grid.hosts[0].queue_wait.as_ref().expect("a law");
        assert_eq!(wait.mean(), Some(20.0));
        assert_eq!(grid.means(), GridMeans { clusters: 2, bandwidth: 1e4, availability: 4.0 });
    }

    #[test]
    fn a_link_that_leads_to_two_clusters_is_named_with_them() {
        let (mut builder, origin, _) = clusters();
        let a = builder.so_far().link_named("a").expect("a link");
        for name in ["b.0", "b.1"] {
            let host = builder.so_far().host_named(name).expect("a host");
            builder.route(origin, host, &[a]);
        }
        assert_eq!(wrong(builder, origin), ["the link `a` leads to `a` and to `b`"]);
    }

    #[test]
    fn what_is_no_cluster_behind_one_link_is_named() {
        let (mut builder, origin, zone) = clusters();
        builder.zone_property(zone, STORAGE, "some");
        set(&mut builder, zone, ARCHITECTURE, "x86");
        set(&mut builder, zone, QUEUE_WAIT, "soon");
        builder.host(Host::new("lone", 1.0)).expect("a host");
        assert_eq!(
            wrong(builder, origin),
            [
                "no route leads from the origin `origin` to `lone` of `top`",
                "the property `storage` of the zone `a` is `some`, not kept or none",
                "the property `architecture` of `a.0` is `x86`, no number from 0",
                "the property `queue-wait` of `a.0` is `soon`, no distribution of durations",
                "the property `architecture` of `a.1` is `x86`, no number from 0",
                "the property `queue-wait` of `a.1` is `soon`, no distribution of durations",
            ]
        );
        let (mut builder, origin, _) = clusters();
        let [one, other] = ["a.1", "b.1"].map(|name| builder.so_far().host_named(name).expect("a host"));
        let [a, b] = ["a", "b"].map(|name| builder.so_far().link_named(name).expect("a link"));
        builder.route(origin, one, &[b]);
        builder.route(origin, other, &[a, b]);
        assert_eq!(
            wrong(builder, origin),
            [
                "`a` and `b` lead from the origin to hosts of `a`, and a cluster has one link",
                "2 links (a, b) lead from the origin to `b.1` of `b`, and a cluster has one",
            ]
        );
        let mut builder = Builder::new();
        let origin = builder.host(Host::new("origin", 1.0)).expect("a host");
        assert_eq!(wrong(builder, origin), ["there is no host besides the origin `origin`"]);
    }
}
