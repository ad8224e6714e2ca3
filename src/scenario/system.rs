//! Which of the simulated systems a scenario is of, and what is its own in each.
//!
//! A scenario does not name its system: its tables tell it. What all systems share (title, seed, how long, which files, bounds,
//! axes, replications) is read by `check`; the rest by the system's own side.

use crate::registry::{Complaint, Node, Params, Registry, Sources};
use crate::scenario::cluster;
use crate::scenario::cluster_side::Cluster;
use crate::scenario::expect::Measured;

/// What a scenario simulates, with what is told of it beside the components.
#[derive(Clone, Debug)]
pub enum System {
    /// Jobs on a cluster.
    Cluster(Box<Cluster>),
}

impl System {
    /// Checks the keys of a scenario as written; gives it with every default filled in.
    pub(super) fn check(
        registry: &Registry,
        sources: &Sources,
        root: &Node,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Node> {
        Cluster::check(registry, sources, root, complaints)
    }

    /// Reads what is the system's own.
    pub(super) fn read(params: &Params<'_>, root: &Node, complaints: &mut Vec<Complaint>) -> Option<Self> {
        Cluster::read(params, root, complaints).map(|cluster| System::Cluster(Box::new(cluster)))
    }
}

/// What the metrics of a scenario as written are of.
pub(super) fn measured(root: &Node) -> Measured {
    cluster::detail_of(root)
}
