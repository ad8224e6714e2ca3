//! Clusters of clusters: sites on a wide-area network, each with clusters of equal hosts.
//!
//! The hosts of a cluster hang on its switch, the switches of a site on its router, and the routers
//! of the sites on one core. How many clusters a site has and how many hosts a cluster has is
//! drawn, and so is what a cluster is made of: speed, cores and the links of its hosts are drawn
//! once for each cluster, since clusters are bought as a whole; the links above it are drawn each
//! by itself. Hosts are called `site-0-cluster-1-host-7`.
//!
//! Source: Y.-S. Kee, H. Casanova, A. Chien, "Realistic Modeling and Synthesis of Resources for
//! Computational Grids", SC 2004, for clusters that are alike within and differ among each other.
//! The laws are left to the scenario.

use crate::kernel::rng::{Sampler, Streams};
use crate::registry::{Entry, Kind, keys};
use crate::topology::{Graph, Vertex};
use crate::{Host, Platform, Symmetry};

use super::draws::{BANDWIDTH, COUNT, Hosts, LATENCY, Links, ONCE, One, SPEED, law};
use super::{Generator, MOST_HOSTS, MOST_ROUTERS, Undrawable};

pub(super) const ENTRY: Entry<dyn Generator> = Entry::published(
    "clusters",
    "sites of clusters of equal hosts, joined over one core",
    "Y.-S. Kee, H. Casanova, A. Chien, SC 2004",
    &keys! {
        "sites" Kind::Count { least: 1, most: MOST_ROUTERS as u64 } => "how many sites there are";
        "clusters" COUNT => "how many clusters a site has";
        "hosts" COUNT => "how many hosts a cluster has";
        "speed" SPEED.kind => "how fast a core computes, drawn once for a cluster";
        "cores" COUNT, or_count 1 => "cores of a host, drawn once for a cluster";
        "host-bandwidth" BANDWIDTH => "data rate of the link of a host, drawn once for a cluster";
        "host-latency" LATENCY => "latency of the link of a host, drawn once for a cluster";
        "cluster-bandwidth" BANDWIDTH => "data rate of the link from a cluster to its site";
        "cluster-latency" LATENCY => "latency of the link from a cluster to its site";
        "site-bandwidth" BANDWIDTH => "data rate of the link from a site to the others";
        "site-latency" LATENCY => "latency of the link from a site to the others";
    },
    |params| {
        Ok(Box::new(Clusters {
            sites: params.read("sites")?,
            many: law(params, "clusters")?,
            hosts: law(params, "hosts")?,
            machines: Hosts::read(params)?,
            access: Links::read(params, "host-")?,
            uplinks: Links::read(params, "cluster-")?,
            core: Links::read(params, "site-")?,
        }))
    },
);

#[derive(Debug)]
struct Clusters {
    sites: usize,
    /// Clusters of a site.
    many: Sampler,
    hosts: Sampler,
    machines: Hosts,
    access: Links,
    uplinks: Links,
    core: Links,
}

/// A whole number of 1 or more.
fn counted(law: &Sampler, purpose: &str, one: One<'_>, streams: &Streams) -> Result<usize, Undrawable> {
    let drawn = law.draw(&mut streams.of(purpose, one.0, one.1 as u64)).round().max(1.0);
    if drawn <= MOST_HOSTS as f64 { Ok(drawn as usize) } else { Err(Undrawable::TooMany) }
}

impl Clusters {
    /// Adds a cluster and gives its hosts' number.
    fn cluster(
        &self,
        graph: &mut Graph,
        site: Vertex,
        one: One<'_>,
        streams: &Streams,
    ) -> Result<usize, Undrawable> {
        let name = one.name();
        let switch = graph.router();
        self.uplinks.join(graph, one, (switch, site), 1.0, streams)?;
        let (speed, cores) = self.machines.draw(one, streams)?;
        let access_kind = format!("{}-access", one.0);
        let access = self.access.link(One(&access_kind, one.1), 1.0, streams)?;
        let hosts = counted(&self.hosts, "platform/hosts", one, streams)?;
        for number in 0..hosts {
            let host = Host { cores, ..Host::new(format!("{name}-host-{number}"), speed) };
            let host = graph.host(host).expect(ONCE);
            graph
                .edge(format!("{name}-access-{number}"), (host, switch), access.clone(), Symmetry::Symmetric)
                .expect(ONCE);
        }
        Ok(hosts)
    }
}

impl Generator for Clusters {
    fn draw(&self, streams: &Streams) -> Result<Platform, Undrawable> {
        let mut graph = Graph::default();
        let core = graph.router();
        let (mut hosts, mut routers) = (0, 1 + self.sites);
        for number in 0..self.sites {
            let one = One("site", number);
            let site = graph.router();
            self.core.join(&mut graph, one, (site, core), 1.0, streams)?;
            let kind = format!("{}-cluster", one.name());
            let clusters = counted(&self.many, "platform/clusters", one, streams)?;
            routers += clusters;
            if routers > MOST_ROUTERS {
                return Err(Undrawable::TooManyRouters);
            }
            for cluster in 0..clusters {
                hosts += self.cluster(&mut graph, site, One(&kind, cluster), streams)?;
                if hosts > MOST_HOSTS {
                    return Err(Undrawable::TooMany);
                }
            }
        }
        Ok(graph.build())
    }
}
