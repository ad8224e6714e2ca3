//! Clusters out of their tables.

use crate::platform::topology::keys::{misplaced, shape};
use crate::platform::{Cluster, Host, Link, PlatformError};
use crate::registry::{Complaint, Params, code};
use crate::units::{Bandwidth, Speed, grouped};

use super::description::{SHARINGS, TableReader, plain_link, refused};

impl<'a> TableReader<'a> {
    pub(super) fn cluster(&mut self, table: &Params<'a>) -> Result<(), Vec<Complaint>> {
        let zone = self.zone(table)?;
        let topology: String = table.read("topology")?;
        let complaints = misplaced(table, &topology);
        if !complaints.is_empty() {
            return Err(complaints);
        }
        let cluster = read(table, &topology)?;
        let key = if table.has("hosts") { "hosts" } else { "name" };
        self.builder.cluster(zone, &cluster).map_err(|why| {
            let key = if matches!(why, PlatformError::Shape { .. }) { key } else { "name" };
            refused(table, key, &why)
        })?;
        Ok(())
    }
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
    if hosts > Cluster::MOST_HOSTS {
        let key = if table.has("hosts") { "hosts" } else { "topology" };
        let complaint = table.complaint(key, format!("a cluster of {} hosts", grouped(hosts.into())));
        return Err(complaint.label(format!("expected {} at most", grouped(Cluster::MOST_HOSTS.into()))));
    }
    let speed: Speed = table.read("speed")?;
    let host = Host { cores: table.read("cores")?, ..Host::new("", speed.flops_per_sec()) };
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
