//! Full meshes: a cable between each two hosts.
//!
//! A route is one link, which no other pair has; split, no other ordered pair. So transfers between different hosts never meet, as
//! textbooks on task graphs have it, and a host sends to all others at once as fast as to one. Which link it is follows from
//! the numbers of the two hosts.

use crate::platform::topology::routing::cables::Cables;
use crate::platform::topology::routing::{RouteCursor, Topology, Unjoined};

/// A full mesh with its links: the cables of host 0 to all others, those of host 1 to all after it, and so on.
#[derive(Clone, Debug)]
pub(in crate::platform) struct MeshLinks {
    pub(in crate::platform) hosts: u32,
    pub(in crate::platform) cables: Cables,
}

impl MeshLinks {
    /// The cables of a mesh of so many hosts.
    pub(in crate::platform) fn cables(hosts: u64) -> u64 {
        hosts * hosts.saturating_sub(1) / 2
    }

    /// The cable between two hosts, `low` being less than `high`.
    fn cable(&self, low: u32, high: u32) -> u32 {
        let (low, high, hosts) = (u64::from(low), u64::from(high), u64::from(self.hosts));
        (low * (2 * hosts - low - 1) / 2 + high - low - 1) as u32
    }
}

impl Topology for MeshLinks {
    fn go(&self, from: u32, to: u32, cursor: &mut impl RouteCursor) -> Result<(), Unjoined> {
        // a host without a loopback has no cable to itself either
        if self.cables.ends_here(from, to, self.hosts, cursor) || from == to {
            return Ok(());
        }
        self.cables.limit(from, cursor);
        if from < to {
            self.cables.up(self.cable(from, to), cursor);
        } else {
            self.cables.down(self.cable(to, from), cursor);
        }
        self.cables.limit(to, cursor);
        Ok(())
    }
}
