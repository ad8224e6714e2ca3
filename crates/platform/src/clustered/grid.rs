//! The grid: clusters behind one link each, a storage in each cluster, and hosts that compute.
//!
//! ```text
//!             ┌─ link ── cluster (storage) ─┬─ host
//!   origin ───┤                             └─ host
//!             └─ link ── cluster (storage) ─── host
//! ```
//!
//! Further origins hold other files, and each has a link of its own to each cluster. Links between
//! clusters carry inputs from one storage to another; where there is one, a file comes from where
//! it comes soonest.
//!
//! A link carries one transfer at a time, whatever its direction. What is present changes: a host
//! or a link with its storage is there while its state is above 0.
//!
//! Source: section 4 of the report of the Parameter Sweep Template.

use std::ops::Range;

use crate::Trace;
use crate::ids::index;
use crate::kernel::rng::Sampler;

/// Name of the first origin, unless it is said.
pub const ORIGIN: &str = "origin";

index! {
    /// A cluster of the grid, numbered from 0 in the order of the platform.
    pub struct ClusterNumber(pub u32);
}

index! {
    /// A host of the grid, numbered from 0 cluster by cluster.
    pub struct HostNumber(pub u32);
}

index! {
    /// A link of the grid: those of the first origin are numbered as their clusters, those of
    /// further origins and between clusters follow.
    pub struct LinkNumber(pub u32);
}

index! {
    /// A host that holds files, numbered from 0 in the order of the scenario.
    pub struct OriginNumber(pub u32);
}

/// Prices of a cluster, in any currency.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ClusterPrices {
    /// A second of a processor in use.
    pub per_second: f64,
    /// A byte that its link carries.
    pub per_byte: f64,
}

/// A cluster: its link from the origin, its storage and its hosts.
#[derive(Clone, Debug)]
pub struct SweepCluster {
    /// Name.
    pub name: String,
    /// Bytes per second of its link.
    pub bandwidth: Trace,
    /// Seconds; a transfer has the latency that holds when it starts.
    pub latency: Trace,
    /// Above 0 while the link and the storage are there.
    pub present: Trace,
    /// True if files stay for other tasks; without a storage each task has its inputs sent.
    pub has_storage: bool,
    /// The bytes that the storage holds, if there is a limit.
    pub capacity: Option<u64>,
    /// Prices of processors and link, if they have any.
    pub prices: Option<ClusterPrices>,
    /// Hosts, by number.
    pub hosts: Range<u32>,
}

/// A host.
#[derive(Clone, Debug)]
pub struct SweepHost {
    /// Name.
    pub name: String,
    /// Cluster.
    pub cluster: ClusterNumber,
    /// Architecture: the place of its time among those of a task.
    pub architecture: usize,
    /// Divisor of the times of tasks: its speed over that at which they were measured.
    pub speed: f64,
    /// Tasks that it computes at a time.
    pub processors: u32,
    /// The share of it that is available, from 0 to 1.
    pub availability: Trace,
    /// Above 0 while it is there.
    pub present: Trace,
    /// Wait of a task in its batch queue before it computes, in seconds; drawn for each start.
    pub queue_wait: Option<Sampler>,
}

/// A link from a further origin to a cluster, or between two clusters; it is there while its
/// clusters are.
#[derive(Clone, Debug)]
pub struct FurtherLink {
    /// Name.
    pub name: String,
    /// The cluster.
    pub cluster: ClusterNumber,
    /// The cluster at its other end, if it leads from no origin.
    pub other: Option<ClusterNumber>,
    /// Bytes per second.
    pub bandwidth: Trace,
    /// Seconds; a transfer has the latency that holds when it starts.
    pub latency: Trace,
}

/// Clusters and hosts.
#[derive(Clone, Debug, Default)]
pub struct SweepGrid {
    /// The clusters.
    pub clusters: Vec<SweepCluster>,
    /// The hosts, cluster by cluster.
    pub hosts: Vec<SweepHost>,
    /// Name of the first origin.
    pub origin: String,
    /// Links besides those of the first origin: from further origins, then between clusters.
    pub further_links: Vec<FurtherLink>,
    /// Further origins.
    pub further_origins: Vec<FurtherOrigin>,
    /// Of each cluster its further links, in order; empty where there are none.
    pub(super) further_of: Vec<Vec<LinkNumber>>,
    /// Of each cluster the links from others, and these; empty where no link lies between clusters.
    pub(super) between: Vec<Vec<(LinkNumber, ClusterNumber)>>,
}

/// An origin besides the first.
#[derive(Clone, Debug)]
pub struct FurtherOrigin {
    /// Name.
    pub name: String,
    /// Links, by cluster.
    pub links: Vec<LinkNumber>,
}

/// Scales of file sizes: the grid in three numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GridMeans {
    /// Clusters.
    pub clusters: usize,
    /// Mean bandwidth of a link \[bytes/s\].
    pub bandwidth: f64,
    /// Processors that are available, all hosts together.
    pub availability: f64,
}

impl SweepCluster {
    /// Capacity of the storage; `None` without a storage or a limit.
    pub fn limit(&self) -> Option<u64> {
        self.capacity.filter(|_| self.has_storage)
    }
}

impl SweepGrid {
    /// A cluster.
    pub fn cluster(&self, cluster: ClusterNumber) -> &SweepCluster {
        &self.clusters[cluster.index()]
    }

    /// A host.
    pub fn host(&self, host: HostNumber) -> &SweepHost {
        &self.hosts[host.index()]
    }

    /// The link by which files of an origin come to a cluster, and results of it return.
    #[inline]
    pub fn link_of(&self, origin: OriginNumber, cluster: ClusterNumber) -> LinkNumber {
        match origin.index().checked_sub(1) {
            None => LinkNumber(cluster.0),
            Some(further) => self.further_origins[further].links[cluster.index()],
        }
    }

    /// The cluster of a link, and the one at its other end if it leads from no origin.
    #[inline]
    pub fn clusters_of_link(&self, link: LinkNumber) -> (ClusterNumber, Option<ClusterNumber>) {
        match link.index().checked_sub(self.clusters.len()) {
            None => (ClusterNumber(link.0), None),
            Some(further) => (self.further_links[further].cluster, self.further_links[further].other),
        }
    }

    /// The cluster from which a link brings files to another; `None` if it leads from an origin.
    #[inline]
    pub fn source_of(&self, link: LinkNumber, cluster: ClusterNumber) -> Option<ClusterNumber> {
        let (one, other) = self.clusters_of_link(link);
        other.map(|other| if one == cluster { other } else { one })
    }

    /// The links that join a cluster to others, and these.
    #[inline]
    pub fn neighbours(&self, cluster: ClusterNumber) -> &[(LinkNumber, ClusterNumber)] {
        self.between.get(cluster.index()).map_or(&[], |links| links)
    }

    /// Returns true if links lie between clusters.
    pub fn has_links_between(&self) -> bool {
        !self.between.is_empty()
    }

    /// Latency in seconds and bandwidth in bytes per second of a link over time.
    pub fn link_traces(&self, link: LinkNumber) -> (&Trace, &Trace) {
        match link.index().checked_sub(self.clusters.len()) {
            None => {
                let cluster = &self.clusters[link.index()];
                (&cluster.latency, &cluster.bandwidth)
            }
            Some(further) => (&self.further_links[further].latency, &self.further_links[further].bandwidth),
        }
    }

    /// Name of the origins, in order.
    pub fn origin_names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.origin).chain(self.further_origins.iter().map(|origin| &*origin.name))
    }

    /// Name of a link: one of the first origin as its cluster.
    pub fn link_name(&self, link: LinkNumber) -> &str {
        match link.index().checked_sub(self.clusters.len()) {
            None => &self.clusters[link.index()].name,
            Some(further) => &self.further_links[further].name,
        }
    }

    /// Number of links there are.
    pub fn link_count(&self) -> usize {
        self.clusters.len() + self.further_links.len()
    }

    /// All links, in order.
    pub fn link_numbers(&self) -> impl Iterator<Item = LinkNumber> + use<> {
        (0..self.link_count() as u32).map(LinkNumber)
    }

    /// The links that lead from origins, in order.
    pub fn links_of_origins(&self) -> impl Iterator<Item = LinkNumber> + '_ {
        self.link_numbers().filter(|link| self.clusters_of_link(*link).1.is_none())
    }

    /// The links of a cluster, in order: from origins and from other clusters.
    pub fn links_of(&self, cluster: ClusterNumber) -> impl Iterator<Item = LinkNumber> + '_ {
        let further = self.further_of.get(cluster.index()).into_iter().flatten();
        std::iter::once(LinkNumber(cluster.0)).chain(further.copied())
    }

    /// Adds a link to a cluster, or between two. All clusters are there.
    pub fn add_link(&mut self, link: FurtherLink) -> LinkNumber {
        let number = LinkNumber(self.link_count() as u32);
        self.further_of.resize_with(self.clusters.len(), Vec::new);
        self.further_of[link.cluster.index()].push(number);
        if let Some(other) = link.other {
            self.further_of[other.index()].push(number);
            self.between.resize_with(self.clusters.len(), Vec::new);
            self.between[link.cluster.index()].push((number, other));
            self.between[other.index()].push((number, link.cluster));
        }
        self.further_links.push(link);
        number
    }

    /// All clusters, in order.
    pub fn cluster_numbers(&self) -> impl Iterator<Item = ClusterNumber> + use<> {
        (0..self.clusters.len() as u32).map(ClusterNumber)
    }

    /// All hosts, in order.
    pub fn host_numbers(&self) -> impl Iterator<Item = HostNumber> + use<> {
        (0..self.hosts.len() as u32).map(HostNumber)
    }
}
