//! Facts about the grid that a run was on.

use crate::kernel::SimTime;

/// A task of the application, as the scenario has it.
#[derive(Clone, PartialEq, Debug)]
pub struct ScenarioTask {
    /// Name of the task.
    pub name: String,
    /// Instant at which the task becomes known.
    pub arrival: SimTime,
    /// Computing times on hosts of speed 1, by architecture; one number if it is the same on all.
    pub times: Vec<f64>,
    /// The files that it reads, in order.
    pub inputs: Vec<usize>,
    /// The files that it writes, in order.
    pub outputs: Vec<usize>,
}

/// A file of the application, as the scenario has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScenarioFile {
    /// Name of the file.
    pub name: String,
    /// Size of the file.
    pub bytes: u64,
    /// Origin of the file.
    pub origin: usize,
}

/// The application of a scenario.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ScenarioSweep {
    /// The tasks.
    pub tasks: Vec<ScenarioTask>,
    /// The files.
    pub files: Vec<ScenarioFile>,
}

/// A property of hosts and clusters that changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SweepValue {
    /// The share of a host that is available.
    Availability,
    /// Above 0 while a host is there.
    HostPresence,
    /// Bytes per second of a link.
    Bandwidth,
    /// Seconds of that link.
    Latency,
    /// Above 0 while a cluster is there.
    ClusterPresence,
}

/// The grid that a run was on: hosts, clusters, links and origins by number. The
/// links of the first origin are numbered as their clusters.
pub trait SweepFacts {
    /// Number of hosts.
    fn hosts(&self) -> usize;

    /// Number of clusters.
    fn clusters(&self) -> usize;

    /// Number of links.
    fn links(&self) -> usize;

    /// Name of a host.
    fn host_name(&self, host: usize) -> &str;

    /// Name of a cluster.
    fn cluster_name(&self, cluster: usize) -> &str;

    /// The cluster that a link leads to.
    fn cluster_of_link(&self, link: usize) -> usize;

    /// The links of a cluster, from origins and from other clusters.
    fn links_of(&self, cluster: usize) -> Vec<usize>;

    /// The least and the greatest value that there may ever be.
    fn extremes(&self, of: SweepValue, number: usize) -> [f64; 2];

    /// Value drawn at an instant, and the instant until which it holds: as the seed has it.
    fn drawn(&self, of: SweepValue, number: usize, at: SimTime) -> Option<(f64, Option<SimTime>)>;

    /// The host of this name.
    fn host(&self, name: &str) -> Option<usize>;

    /// The cluster of this name.
    fn cluster(&self, name: &str) -> Option<usize>;

    /// The origin of this name.
    fn origin(&self, name: &str) -> Option<usize>;

    /// The link of this name: of the first origin that of a cluster.
    fn link(&self, name: &str) -> Option<usize>;

    /// The link that leads from an origin to a cluster.
    fn link_of(&self, origin: usize, cluster: usize) -> usize;

    /// The two clusters between which a link lies; `None` if it leads from an origin.
    fn between(&self, _link: usize) -> Option<[usize; 2]> {
        None
    }

    /// The cluster of a host.
    fn cluster_of(&self, host: usize) -> usize;

    /// Tasks that a host computes at a time.
    fn processors(&self, host: usize) -> u32;

    /// Number of the time of a task that holds on a host.
    fn architecture(&self, host: usize) -> usize;

    /// The divisor of times on a host.
    fn speed(&self, host: usize) -> f64;

    /// Returns true if tasks wait on a host before they compute.
    fn waits(&self, host: usize) -> bool;

    /// Returns true if files stay on a cluster.
    fn has_storage(&self, cluster: usize) -> bool;

    /// The bytes that the storage of a cluster holds, if it has a limit.
    fn capacity(&self, cluster: usize) -> Option<u64>;

    /// The price of a second of a processor on a cluster, and of a byte on its link.
    fn prices(&self, cluster: usize) -> Option<[f64; 2]>;

    /// A value of a host, a cluster or a link at an instant, and until when it holds; `None` if it
    /// was drawn.
    fn value(&self, of: SweepValue, number: usize, at: SimTime) -> Option<(f64, Option<SimTime>)>;

    /// Returns true if a presence is 0 at an instant, if only for no time.
    fn leaves(&self, _of: SweepValue, _number: usize, _at: SimTime) -> bool {
        false
    }
}
