//! Clusters out of their tables.

use crate::collections::OrderedSet;
use crate::kernel::SimDuration;
use crate::registry::{Complaint, Node, Params, code};
use crate::sharing::LinkId;
use crate::topology::DrawnBandwidths;
use crate::topology::keys::{misplaced, shape};
use crate::units::{Bandwidth, grouped};
use crate::{Cluster, Host, Link, PlatformError, Varying, ZoneId};

use super::behind_link::ONLY_BEHIND;
use super::description::{SHARINGS, TableReader, plain_link, properties, refused};
use super::keys::CLUSTER;
use super::varying::RATES;

/// Keys of a cluster that say what its hosts are where `hosts` counts them.
const OF_COUNTED: [&str; 10] = [
    "prefix",
    "suffix",
    "speed",
    "cores",
    "load",
    "availability",
    "availability-trace",
    "state-trace",
    "failures",
    "properties",
];

impl<'a> TableReader<'a> {
    pub(super) fn cluster(&mut self, table: &Params<'a>) -> Result<(), Vec<Complaint>> {
        if table.has("link") {
            return Ok(());
        }
        let described = self.described(table);
        misplaced_keys(table, !described.is_empty())?;
        let zone = self.zone(table)?;
        let topology: String = table.read("topology")?;
        let complaints = misplaced(table, &topology);
        if !complaints.is_empty() {
            return Err(complaints);
        }
        let hosts = self.described_hosts(&described)?;
        let drawn = self.bandwidths(table)?;
        let cluster = Cluster { drawn, ..read(table, &topology, hosts)? };
        let load = self.load(table, "link-load")?;
        let links = self.builder.so_far().links().len() as u32;
        if described.is_empty() {
            self.equal_hosts(table, zone, &cluster)?;
        } else {
            self.lay(table, zone, &cluster)?;
        }
        let links = (links..self.builder.so_far().links().len() as u32).map(LinkId::new);
        self.builder.load_links(links, load.as_ref(), self.streams);
        Ok(())
    }

    /// The tables of the hosts of a cluster that does not count them.
    fn described(&self, cluster: &Params<'a>) -> Vec<Params<'a>> {
        let name = cluster.tree().get("name").and_then(Node::as_text);
        let is_in = |node: &&Node| node.text_at("zone").is_some_and(|zone| Some(zone) == name);
        let tables = self.params.items("host").iter().filter(is_in).map(|node| self.params.with(node));
        if cluster.has("hosts") { Vec::new() } else { tables.collect() }
    }

    /// The cluster of this name, if it counts its hosts and no further host can be joined to them.
    pub(super) fn counted_cluster(&self, name: &str) -> Option<Params<'a>> {
        let mut tables = self.params.items("cluster").iter();
        let cluster = self.params.with(tables.find(|node| node.text_at("name") == Some(name))?);
        let topology = cluster.read::<String>("topology").ok()?;
        let takes_spokes = cluster.has("link") || ["crossbar", "star"].contains(&&*topology);
        (!takes_spokes).then_some(cluster)
    }

    /// The hosts of these tables, which are those of one cluster.
    fn described_hosts(&mut self, tables: &[Params<'a>]) -> Result<Vec<Host>, Vec<Complaint>> {
        let (mut hosts, mut complaints, mut names) = (Vec::new(), Vec::new(), OrderedSet::new());
        for table in tables {
            let cluster = table.tree().get("zone").and_then(Node::as_text);
            self.of_described.extend(cluster.map(ToOwned::to_owned));
            let mistakes = match self.hosts(table) {
                Ok(read) => {
                    let is_taken = |name: &String| {
                        self.builder.point_named(name).is_some() || !names.insert(name.clone())
                    };
                    let twice = read.iter().map(|host| host.name.clone()).find(is_taken);
                    hosts.extend(read);
                    twice
                        .map(|name| refused(table, "name", &PlatformError::Twice(name)))
                        .into_iter()
                        .collect()
                }
                Err(mistakes) => mistakes,
            };
            if !mistakes.is_empty() {
                let name = table.tree().get("name").and_then(Node::as_text);
                self.invalid.extend(name.map(ToOwned::to_owned));
            }
            complaints.extend(mistakes);
        }
        if complaints.is_empty() { Ok(hosts) } else { Err(complaints) }
    }

    /// Bandwidths that are drawn for the links of a cluster, if the key has no single value.
    fn bandwidths(&mut self, table: &Params<'_>) -> Result<Option<DrawnBandwidths>, Complaint> {
        let law = self.law(table, "bandwidth")?;
        let is_constant = table.section("bandwidth").read::<String>("kind")? == "constant";
        let drawn = || DrawnBandwidths { law: Varying::new(law, None, RATES), streams: *self.streams };
        Ok((!is_constant).then(drawn))
    }

    /// Adds a cluster.
    fn lay(&mut self, table: &Params<'_>, zone: ZoneId, cluster: &Cluster) -> Result<ZoneId, Complaint> {
        let key = if table.has("hosts") { "hosts" } else { "name" };
        self.builder.cluster(zone, cluster).map_err(|why| {
            let key = if matches!(why, PlatformError::Shape { .. }) { key } else { "name" };
            refused(table, key, &why)
        })
    }

    /// Adds a cluster of hosts that are equal but for what is drawn for each.
    fn equal_hosts(
        &mut self,
        table: &Params<'a>,
        zone: ZoneId,
        cluster: &Cluster,
    ) -> Result<(), Vec<Complaint>> {
        let (speed, laws, working) =
            (self.law(table, "speed")?, self.host_laws(table)?, self.working(table)?);
        let zone = self.lay(table, zone, cluster)?;
        let (streams, mut number) = (self.streams, 0);
        let drawn = self.builder.change_hosts(zone, |host| {
            let speed = speed.draw(&mut streams.stream(&format!("platform/speed/{}", host.name)));
            host.speeds = vec![speed];
            laws.change(streams, number, host);
            host.working = working(streams, number, &host.name);
            number += 1;
        });
        Ok(drawn.map_err(|why| refused(table, "speed", &why))?)
    }
}

/// Refuses a cluster with cables that lacks what it has to have, or has what others have.
fn misplaced_keys(table: &Params<'_>, has_described: bool) -> Result<(), Vec<Complaint>> {
    let needed = ["speed", "bandwidth"].into_iter().skip(usize::from(has_described));
    let missing = needed.filter_map(|key| missing(table, key));
    let of_sweeps = ONLY_BEHIND.into_iter().filter(|key| table.has(key)).map(|key| {
        let complaint = table.complaint(key, format!("`{key}` is of clusters behind one link"));
        complaint.help("write `link` in place of `bandwidth`")
    });
    let of_counted = OF_COUNTED.into_iter().filter(|key| has_described && table.has(key)).map(|key| {
        let message = format!("`{key}` is of hosts that `hosts` counts, and each host is described");
        table.complaint(key, message).label("write it in [[platform.host]]")
    });
    let wrong: Vec<Complaint> = missing.chain(of_sweeps).chain(of_counted).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Complaint about a key that is not written and that a cluster with cables has to have.
fn missing(table: &Params<'_>, name: &str) -> Option<Complaint> {
    let key = CLUSTER.iter().find(|key| key.name == name).filter(|_| !table.has(name))?;
    let complaint = Complaint::new(code::MISSING_KEY, format!("missing key `{name}`"), table.span(name));
    let help = format!("`{name}`: {}; expected {}", key.about, key.kind.expected());
    Some(complaint.label("in this table").help(help))
}

/// The cluster of a table, of these hosts or of equal ones.
fn read(table: &Params<'_>, topology: &str, described: Vec<Host>) -> Result<Cluster, Complaint> {
    let name: String = table.read("name")?;
    let (shape, implied) = shape(table, topology)?;
    let count = (!described.is_empty()).then_some(described.len() as u32);
    let Some(hosts) = count.or(table.read::<Option<u32>>("hosts")?).or(implied) else {
        let complaint = Complaint::new(code::MISSING_KEY, "missing key `hosts`", table.span("hosts"));
        return Err(complaint.help(format!(
            "`hosts`: how many equal hosts it has (a {topology} may have any number); or describe each: \
             [[platform.host]] with `zone`"
        )));
    };
    let most = shape.most_hosts().unwrap_or(Cluster::MOST_HOSTS);
    if hosts > most {
        let key = if table.has("hosts") { "hosts" } else { "topology" };
        let complaint = table.complaint(key, format!("a cluster of {} hosts", grouped(hosts.into())));
        return Err(complaint.label(format!("expected {} at most", grouped(most.into()))));
    }
    let properties = properties(table);
    let cores = table.read::<Option<u32>>("cores")?.unwrap_or(1);
    let host = Host { cores, properties, ..Host::new("", 1.0) };
    let latency: SimDuration = table.read("latency")?;
    // what is drawn is a factor of 1
    let bandwidth = table.section("bandwidth").read::<Option<f64>>("value")?.unwrap_or(1.0);
    let link = Link::new(bandwidth, latency.as_secs_f64());
    let mut cluster = if described.is_empty() {
        Cluster::new(name, hosts, host, link)
    } else {
        Cluster::of_hosts(name, described, link)
    };
    cluster.prefix = table.read::<Option<String>>("prefix")?.unwrap_or(cluster.prefix);
    cluster.suffix = table.read::<Option<String>>("suffix")?.unwrap_or_default();
    cluster.sharing = table.pick("sharing", &SHARINGS)?;
    let inner = |key: &str| table.has(key).then(|| plain_link(&table.section(key))).transpose();
    (cluster.backbone, cluster.loopback) = (inner("backbone")?, inner("loopback")?);
    let limiter: Option<Bandwidth> = table.read("limiter")?;
    cluster.limiter = limiter.map(|rate| Link::new(rate.bytes_per_sec(), 0.0));
    cluster.shape = shape;
    Ok(cluster)
}
