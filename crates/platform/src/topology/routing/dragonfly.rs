//! Dragonflies, as those of the Cray Cascade: groups of chassis of routers, with minimal routing.
//!
//! ```text
//!   nodes ── router (blade) ══ green: every two routers of a chassis
//!                           ══ black: routers of one blade number, in every two chassis of a group
//!                           ══ blue:  every two groups; group i to j from router j to router i
//! ```
//!
//! A route goes up to the router of its host; within a group first along green to the right blade,
//! then along black to the right chassis. To another group it goes so to the router that has the
//! blue link, over it, and so again to the router of the destination. The cables of a tier that lie
//! side by side are one link of their joint bandwidth.
//!
//! Sources: J. Kim, W. J. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly
//! topology", ISCA 2008; G. Faanes et al., "Cray Cascade: a scalable HPC system based on a
//! dragonfly network", SC 2012 (the colours). Which router has the link to which group, and green
//! before black, are SimGrid's. Where SimGrid's own routes are [wanted](ClusterRouting), a route
//! that has changed the blade within the group of the destination is taken to be in its first
//! chassis: from another one the black link is left out, or is that of the first.

use crate::topology::routing::cables::{Cables, ClusterRouting};
use crate::topology::routing::{RouteCursor, Topology, Unjoined};

/// A tier of a dragonfly: the number of its members, and of cables between two of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tier {
    /// Number of members.
    pub count: u32,
    /// Number of cables between two: the factor of the links' bandwidth.
    pub cables: u32,
}

/// The shape of a dragonfly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dragonfly {
    /// Groups; blue cables between them.
    pub groups: Tier,
    /// Chassis of a group; black cables between them.
    pub chassis: Tier,
    /// Routers of a chassis; green cables between them.
    pub routers: Tier,
    /// Hosts of a router.
    pub nodes: u32,
}

impl Dragonfly {
    /// The number of hosts, if it has a shape at all.
    pub fn hosts(&self) -> Option<u32> {
        let [groups, chassis, routers] = [self.groups, self.chassis, self.routers].map(|tier| tier.count);
        let of_group = chassis.checked_mul(routers)?;
        let hosts = of_group.checked_mul(groups)?.checked_mul(self.nodes)?;
        let cables = [self.groups, self.chassis, self.routers].iter().all(|tier| tier.cables > 0);
        (hosts > 0 && cables && groups <= of_group).then_some(hosts)
    }

    /// Routers of a group.
    pub(crate) fn of_group(&self) -> u32 {
        self.chassis.count * self.routers.count
    }

    /// Cables before the first green, black and blue one, and all of them. Cables from hosts to
    /// routers come first.
    pub(crate) fn firsts(&self) -> [u64; 4] {
        let [groups, chassis, routers] =
            [self.groups, self.chassis, self.routers].map(|tier| u64::from(tier.count));
        let green = groups * chassis * routers * u64::from(self.nodes);
        let black = green + groups * chassis * Cables::between_all(routers);
        let blue = black + groups * Cables::between_all(chassis) * routers;
        [green, black, blue, blue + Cables::between_all(groups)]
    }
}

/// A dragonfly with its links.
#[derive(Clone, Debug)]
pub(crate) struct DragonflyLinks {
    pub(crate) shape: Dragonfly,
    pub(crate) cables: Cables,
}

impl DragonflyLinks {
    fn limit(&self, router: u32, cursor: &mut impl RouteCursor) {
        let routers = self.shape.groups.count * self.shape.of_group();
        self.cables.limit(routers * self.shape.nodes + router, cursor);
    }

    /// From one router of a group to another, both counted within the group; in the group of the
    /// destination if it is the `last` part.
    fn within(&self, group: u32, (from, to): (u32, u32), last: bool, cursor: &mut impl RouteCursor) {
        let [green, black, ..] = self.shape.firsts();
        let (chassis, routers) = (self.shape.chassis.count, self.shape.routers.count);
        let ((mut at, blade), (wanted, of_blade)) =
            ((from / routers, from % routers), (to / routers, to % routers));
        if blade != of_blade {
            let of_chassis = (group * chassis + at) * (routers * (routers - 1) / 2);
            self.cables.cross((blade, of_blade), (green as u32 + of_chassis, 1), routers, cursor);
            if last && self.cables.routing == ClusterRouting::AsInSimGrid {
                at = 0;
            }
            self.limit(group * self.shape.of_group() + at * routers + of_blade, cursor);
        }
        if at != wanted {
            let of_group = group * (chassis * (chassis - 1) / 2) * routers + of_blade;
            self.cables.cross((at, wanted), (black as u32 + of_group, routers), chassis, cursor);
            self.limit(group * self.shape.of_group() + to, cursor);
        }
    }
}

impl Topology for DragonflyLinks {
    fn go(&self, from: u32, to: u32, cursor: &mut impl RouteCursor) -> Result<(), Unjoined> {
        let of_group = self.shape.of_group();
        let hosts = self.shape.groups.count * of_group * self.shape.nodes;
        if self.cables.ends_here(from, to, hosts, cursor) {
            return Ok(());
        }
        let [router, wanted] = [from, to].map(|host| host / self.shape.nodes);
        let (group, of) = (router / of_group, wanted / of_group);
        self.cables.limit(from, cursor);
        self.cables.up(from, cursor);
        self.limit(router, cursor);
        if group == of {
            self.within(group, (router % of_group, wanted % of_group), true, cursor);
        } else {
            self.within(group, (router % of_group, of), false, cursor);
            let [_, _, blue, _] = self.shape.firsts();
            self.cables.cross((group, of), (blue as u32, 1), self.shape.groups.count, cursor);
            self.limit(of * of_group + group, cursor);
            self.within(of, (group, wanted % of_group), true, cursor);
        }
        self.cables.down(to, cursor);
        self.cables.limit(to, cursor);
        Ok(())
    }
}
