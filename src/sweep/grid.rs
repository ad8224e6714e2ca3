//! The grid: clusters behind one link each, a storage in each cluster, and hosts that compute.
//!
//! ```text
//!             ┌─ link ── cluster (storage) ─┬─ host
//!   origin ───┤                             └─ host
//!             └─ link ── cluster (storage) ─── host
//! ```
//!
//! A link carries one transfer at a time, whatever its direction. What is present changes: a host or a link with its storage is there
//! while its state is above 0.
//!
//! Source: section 4 of the report of the Parameter Sweep Template.

use std::ops::Range;

use crate::ids::index;
use crate::kernel::rng::Sampler;
use crate::platform::Trace;

index! {
    /// A cluster of the grid, numbered from 0 in the order of the platform.
    pub struct ClusterNumber(pub u32);
}

index! {
    /// A host of the grid, numbered from 0 cluster by cluster.
    pub struct HostNumber(pub u32);
}

/// What a cluster costs, in any currency.
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
    /// What it is called.
    pub name: String,
    /// Bytes per second of its link.
    pub bandwidth: Trace,
    /// Seconds; a transfer has the latency that holds when it starts.
    pub latency: Trace,
    /// Above 0 while the link and the storage are there.
    pub present: Trace,
    /// Whether files stay for other tasks; without a storage each task has its inputs sent.
    pub has_storage: bool,
    /// The bytes that the storage holds, if there is a limit.
    pub capacity: Option<u64>,
    /// What processors and its link cost, if they cost anything.
    pub prices: Option<ClusterPrices>,
    /// Its hosts, by number.
    pub hosts: Range<u32>,
}

/// A host.
#[derive(Clone, Debug)]
pub struct SweepHost {
    /// What it is called.
    pub name: String,
    /// Its cluster.
    pub cluster: ClusterNumber,
    /// Which of the times of a task holds on it.
    pub architecture: usize,
    /// What the times of tasks are divided by: its speed over that at which they were measured.
    pub speed: f64,
    /// Tasks that it computes at a time.
    pub processors: u32,
    /// The share of it that is available, from 0 to 1.
    pub availability: Trace,
    /// Above 0 while it is there.
    pub present: Trace,
    /// How long a task waits in its batch queue before it computes, in seconds; drawn for each start.
    pub queue_wait: Option<Sampler>,
}

/// Clusters and hosts.
#[derive(Clone, Debug, Default)]
pub struct SweepGrid {
    /// The clusters.
    pub clusters: Vec<SweepCluster>,
    /// The hosts, cluster by cluster.
    pub hosts: Vec<SweepHost>,
}

impl SweepCluster {
    /// What its storage holds at most; nothing if it has no storage, or no limit.
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

    /// All clusters, in order.
    pub fn cluster_numbers(&self) -> impl Iterator<Item = ClusterNumber> + use<> {
        (0..self.clusters.len() as u32).map(ClusterNumber)
    }

    /// All hosts, in order.
    pub fn host_numbers(&self) -> impl Iterator<Item = HostNumber> + use<> {
        (0..self.hosts.len() as u32).map(HostNumber)
    }
}
