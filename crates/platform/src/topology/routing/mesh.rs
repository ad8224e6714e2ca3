//! Full meshes: a cable between each two hosts.
//!
//! A route is one link, which no other pair has; split, no other ordered pair. So transfers between
//! different hosts never meet, as textbooks on task graphs have it, and a host sends to all others
//! at once as fast as to one. Which link it is follows from the numbers of the two hosts.

use crate::topology::routing::cables::Cables;
use crate::topology::routing::{RouteCursor, Topology, Unjoined};

/// A full mesh with its links: the cables of host 0 to all others, those of host 1 to all after it,
/// and so on.
#[derive(Clone, Debug)]
pub(crate) struct MeshLinks {
    pub(crate) hosts: u32,
    pub(crate) cables: Cables,
}

impl Topology for MeshLinks {
    fn go(&self, from: u32, to: u32, cursor: &mut impl RouteCursor) -> Result<(), Unjoined> {
        // a host without a loopback has no cable to itself either
        if self.cables.ends_here(from, to, self.hosts, cursor) || from == to {
            return Ok(());
        }
        self.cables.limit(from, cursor);
        self.cables.cross((from, to), (0, 1), self.hosts, cursor);
        self.cables.limit(to, cursor);
        Ok(())
    }
}
