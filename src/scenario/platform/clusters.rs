//! Clusters out of their tables.

use crate::kernel::SimDuration;
use crate::platform::{Cluster, Dragonfly, FatTree, Host, Level, Link, Shape, Sharing, Tier, Torus};
use crate::registry::code;
use crate::registry::{Complaint, Params};
use crate::units::{Bandwidth, Speed};

use super::describing::{Describing, told};

/// The keys that mean something to one topology only.
const SHAPED: &[(&str, &[&str], &[&str])] = &[
    ("fat-tree", &["down", "up"], &["cables"]),
    ("torus", &["dimensions"], &[]),
    (
        "dragonfly",
        &["groups", "chassis", "routers", "nodes"],
        &["group-cables", "chassis-cables", "router-cables"],
    ),
];

impl<'a> Describing<'a> {
    pub(super) fn cluster(&mut self, table: &Params<'a>) -> Result<(), Vec<Complaint>> {
        let zone = self.zone(table)?;
        let topology: String = table.read("topology").map_err(|complaint| vec![complaint])?;
        let complaints = misplaced(table, &topology);
        if !complaints.is_empty() {
            return Err(complaints);
        }
        let cluster = read(table, &topology).map_err(|complaint| vec![complaint])?;
        let key = if table.has("hosts") { "hosts" } else { "name" };
        let added = self.builder.cluster(zone, &cluster);
        added.map_err(|why| {
            let key = if matches!(why, crate::platform::WrongPart::Shape { .. }) { key } else { "name" };
            vec![told(table, key, &why)]
        })?;
        Ok(())
    }
}

/// Keys of other topologies, and those of its own that are missing.
fn misplaced(table: &Params<'_>, topology: &str) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (of, needed, more) in SHAPED {
        for key in needed.iter().chain(*more).filter(|key| *of != topology && table.has(key)) {
            let complaint = table.complaint(key, format!("`{key}` means nothing to the topology {topology}"));
            complaints.push(complaint.help(format!("write topology = \"{of}\", or take it out")));
        }
        for key in needed.iter().filter(|key| *of == topology && !table.has(key)) {
            let message = format!("missing key `{key}`: a {topology} needs it");
            complaints.push(Complaint::new(code::MISSING_KEY, message, table.span("topology")));
        }
    }
    if topology == "star" && !table.has("backbone") {
        let message = "missing key `backbone`: a star has one in its middle";
        let complaint = Complaint::new(code::MISSING_KEY, message, table.span("topology"));
        complaints.push(complaint.help("write topology = \"crossbar\" if nothing limits it there"));
    }
    complaints
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
    let speed: Speed = table.read("speed")?;
    let host = Host { cores: table.read("cores")?, ..Host::new("", speed.flops_per_sec()) };
    let mut cluster = Cluster::new(name, hosts, host, link(table)?);
    cluster.prefix = table.read::<Option<String>>("prefix")?.unwrap_or(cluster.prefix);
    cluster.suffix = table.read::<Option<String>>("suffix")?.unwrap_or_default();
    let sharings =
        [("shared", Sharing::Shared), ("fatpipe", Sharing::Fatpipe), ("split-duplex", Sharing::Split)];
    cluster.sharing = table.pick("sharing", &sharings)?;
    let inner = |key: &str| if table.has(key) { link(&table.section(key)).map(Some) } else { Ok(None) };
    (cluster.backbone, cluster.loopback) = (inner("backbone")?, inner("loopback")?);
    let limiter: Option<Bandwidth> = table.read("limiter")?;
    cluster.limiter = limiter.map(|rate| Link::new(rate.bytes_per_sec(), 0.0));
    cluster.shape = shape;
    Ok(cluster)
}

fn link(table: &Params<'_>) -> Result<Link, Complaint> {
    let (bandwidth, latency): (Bandwidth, SimDuration) = (table.read("bandwidth")?, table.read("latency")?);
    Ok(Link::new(bandwidth.bytes_per_sec(), latency.as_secs_f64()))
}

/// How hosts are joined, and how many it takes.
fn shape(table: &Params<'_>, topology: &str) -> Result<(Shape, Option<u32>), Complaint> {
    match topology {
        "fat-tree" => {
            let (down, up): (Vec<u32>, Vec<u32>) = (table.read("down")?, table.read("up")?);
            let cables = table.read::<Option<Vec<u32>>>("cables")?.unwrap_or_else(|| vec![1; down.len()]);
            for (key, list) in [("up", &up), ("cables", &cables)] {
                if list.len() != down.len() {
                    let message = format!("`down` tells {} levels, but `{key}` {}", down.len(), list.len());
                    return Err(table.complaint(key, message).label("expected a number for each level"));
                }
            }
            let levels = down.into_iter().zip(up).zip(cables);
            let levels = levels.map(|((down, up), cables)| Level { down, up, cables }).collect();
            let tree = FatTree { levels };
            let hosts = tree.hosts();
            Ok((Shape::FatTree(tree), hosts))
        }
        "torus" => {
            let torus = Torus { dimensions: table.read("dimensions")? };
            let hosts = torus.hosts();
            Ok((Shape::Torus(torus), hosts))
        }
        "dragonfly" => {
            let tier = |count: &str, cables: &str| -> Result<Tier, Complaint> {
                Ok(Tier {
                    count: table.read(count)?,
                    cables: table.read::<Option<u32>>(cables)?.unwrap_or(1),
                })
            };
            let dragonfly = Dragonfly {
                groups: tier("groups", "group-cables")?,
                chassis: tier("chassis", "chassis-cables")?,
                routers: tier("routers", "router-cables")?,
                nodes: table.read("nodes")?,
            };
            Ok((Shape::Dragonfly(dragonfly), dragonfly.hosts()))
        }
        _ => Ok((Shape::Crossbar, None)),
    }
}
