//! Clusters out of their tables.

use crate::platform::sharing::LinkId;
use crate::platform::topology::keys::{misplaced, shape};
use crate::platform::{Cluster, Host, Link, PlatformError};
use crate::registry::{Complaint, Params, code};
use crate::units::{Bandwidth, grouped};

use super::behind_link::ONLY_BEHIND;
use super::description::{SHARINGS, TableReader, plain_link, properties, refused};
use super::keys::CLUSTER;

impl<'a> TableReader<'a> {
    pub(super) fn cluster(&mut self, table: &Params<'a>) -> Result<(), Vec<Complaint>> {
        if table.has("link") {
            return Ok(());
        }
        let missing: Vec<Complaint> =
            ["speed", "bandwidth"].into_iter().filter_map(|key| missing(table, key)).collect();
        let of_sweeps = ONLY_BEHIND.into_iter().filter(|key| table.has(key));
        let of_sweeps = of_sweeps.map(|key| {
            let complaint = table.complaint(key, format!("`{key}` is of clusters behind one link"));
            complaint.help("write `link` in place of `bandwidth`")
        });
        let wrong: Vec<Complaint> = missing.into_iter().chain(of_sweeps).collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let zone = self.zone(table)?;
        let topology: String = table.read("topology")?;
        let complaints = misplaced(table, &topology);
        if !complaints.is_empty() {
            return Err(complaints);
        }
        let cluster = read(table, &topology)?;
        let (speed, laws, working) =
            (self.law(table, "speed")?, self.host_laws(table)?, self.working(table)?);
        let link_load = self.load(table, "link-load")?;
        let links = self.builder.so_far().links().len() as u32;
        let key = if table.has("hosts") { "hosts" } else { "name" };
        let zone = self.builder.cluster(zone, &cluster).map_err(|why| {
            let key = if matches!(why, PlatformError::Shape { .. }) { key } else { "name" };
            refused(table, key, &why)
        })?;
        let (streams, mut number) = (self.streams, 0);
        let drawn = self.builder.change_hosts(zone, |host| {
            let speed = speed.draw(&mut streams.stream(&format!("platform/speed/{}", host.name)));
            host.speeds = vec![speed];
            laws.change(streams, number, host);
            host.working = working(streams, number, &host.name);
            number += 1;
        });
        drawn.map_err(|why| refused(table, "speed", &why))?;
        let links = (links..self.builder.so_far().links().len() as u32).map(LinkId::new);
        self.builder.load_links(links, link_load.as_ref(), streams);
        Ok(())
    }
}

/// Complaint about a key that is not written and that a cluster with cables has to have.
fn missing(table: &Params<'_>, name: &str) -> Option<Complaint> {
    let key = CLUSTER.iter().find(|key| key.name == name).filter(|_| !table.has(name))?;
    let complaint = Complaint::new(code::MISSING_KEY, format!("missing key `{name}`"), table.span(name));
    let help = format!("`{name}`: {}; expected {}", key.about, key.kind.expected());
    Some(complaint.label("in this table").help(help))
}

fn read(table: &Params<'_>, topology: &str) -> Result<Cluster, Complaint> {
    let name: String = table.read("name")?;
    let (shape, implied) = shape(table, topology)?;
    let Some(hosts) = table.read::<Option<u32>>("hosts")?.or(implied) else {
        let complaint = Complaint::new(code::MISSING_KEY, "missing key `hosts`", table.span("hosts"));
        return Err(
            complaint.help(format!("`hosts`: how many hosts it has; a {topology} may have any number"))
        );
    };
    let most = shape.most_hosts().unwrap_or(Cluster::MOST_HOSTS);
    if hosts > most {
        let key = if table.has("hosts") { "hosts" } else { "topology" };
        let complaint = table.complaint(key, format!("a cluster of {} hosts", grouped(hosts.into())));
        return Err(complaint.label(format!("expected {} at most", grouped(most.into()))));
    }
    let properties = properties(table);
    let host = Host { cores: table.read("cores")?, properties, ..Host::new("", 1.0) };
    let mut cluster = Cluster::new(name, hosts, host, plain_link(table)?);
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
