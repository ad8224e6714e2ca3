//! Which of the simulated systems a scenario is of, and what is its own in each.
//!
//! A scenario does not name its system: its tables tell it. What all systems share (title, seed, how long, which files, bounds,
//! axes, replications) is read by `check`; the rest by the system's own side.

use crate::registry::{Complaint, Node, Params, Registry, Sources};
use crate::scenario::agents_side::Agents;
use crate::scenario::cluster;
use crate::scenario::cluster_side::Cluster;
use crate::scenario::expect::Measured;
use crate::scenario::flows::FLOWS;

/// What a scenario simulates, with what is told of it beside the components.
#[derive(Clone, Debug)]
pub enum System {
    /// Jobs on a cluster.
    Cluster(Box<Cluster>),
    /// Agents on a platform.
    Agents(Agents),
}

/// The systems, as tables tell them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Named {
    Cluster,
    Agents,
}

/// The system that a scenario as written is of: whatever has agents, flows or a platform is not of a cluster.
fn named(root: &Node) -> Named {
    let of_agents = ["agent", "platform", "deployment", FLOWS.name];
    let is_of_agents =
        root.as_table().is_some_and(|tree| of_agents.iter().any(|key| tree.get(key).is_some()));
    if is_of_agents { Named::Agents } else { Named::Cluster }
}

impl System {
    /// Checks the keys of a scenario as written; gives it with every default filled in.
    pub(super) fn check(
        registry: &Registry,
        sources: &Sources,
        root: &Node,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Node> {
        match named(root) {
            Named::Cluster => Cluster::check(registry, sources, root, complaints),
            Named::Agents => Agents::check(registry, sources, root, complaints),
        }
    }

    /// Reads what is the system's own.
    pub(super) fn read(params: &Params<'_>, root: &Node, complaints: &mut Vec<Complaint>) -> Option<Self> {
        match named(root) {
            Named::Cluster => {
                Cluster::read(params, root, complaints).map(|cluster| System::Cluster(Box::new(cluster)))
            }
            Named::Agents => Agents::read(params, complaints).map(System::Agents),
        }
    }
}

/// What the metrics of a scenario as written are of.
pub(super) fn measured(root: &Node) -> Measured {
    match named(root) {
        Named::Cluster => cluster::detail_of(root),
        Named::Agents if root.as_table().is_some_and(|tree| tree.get(FLOWS.name).is_some()) => {
            Measured::Flows
        }
        Named::Agents => Measured::Agents,
    }
}
