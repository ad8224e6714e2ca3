//! Fat trees: parallel ports generalized fat trees with D-Mod-K routing.
//!
//! ```text
//!   level 2        core    core            [(4 down, 1 up, 1 cable), (4 down, 2 up, 2 cables)]:
//!                 // \\ …  // \\           16 hosts, 4 switches of 4 hosts each, 2 above,
//!   level 1     leaf   leaf  …             to each of which each of the 4 has 2 cables
//!              //||\\ //||\\
//!   level 0     hosts
//! ```
//!
//! Each node of level l - 1 has `up` switches above it on level l and as many `cables` to each;
//! each switch of level l has `down` nodes below it. A route goes up to the lowest switch that is
//! above both hosts and down again. Which of the switches above, and which cable, only the
//! destination decides: of host d at level l, `d / (up_1 … up_l)` modulo the ports, switches
//! counted before cables. So all routes to one host join, and shifts of hosts by a constant share
//! no link.
//!
//! A node's place on its level counts the subtree first and then the switches of the subtree. Links
//! are stored level by level, by the node below, the switch above and the cable.
//!
//! Where SimGrid's own routes are [wanted](ClusterRouting), the source decides which of several
//! parallel cables leads down: from the top the one of its number modulo the cables; from there on
//! the cables of a level are numbered on from the place below the one before, as far as there are
//! any.
//!
//! Source: E. Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on
//! real life fat trees", CCIT report 776, Technion, 2010.

use crate::topology::routing::cables::{Cables, ClusterRouting};
use crate::topology::routing::{RouteCursor, Topology, Unjoined};

/// One level of a fat tree, as seen from the switches on it and the nodes below.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// Nodes below each switch.
    pub down: u32,
    /// Switches above each node of the level below.
    pub up: u32,
    /// Cables between a switch and each node below it.
    pub cables: u32,
}

/// The shape of a fat tree: its levels from the hosts up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FatTree {
    /// The levels of switches.
    pub levels: Vec<Level>,
}

impl FatTree {
    /// The number of hosts that such a tree has, if it has a shape at all.
    pub fn hosts(&self) -> Option<u32> {
        let one = |product: u32, level: &Level| {
            let some = level.down > 0 && level.up > 0 && level.cables > 0;
            product.checked_mul(level.down).filter(|_| some)
        };
        self.levels.iter().try_fold(1, one).filter(|_| !self.levels.is_empty())
    }

    /// Nodes on a level; hosts are level 0.
    pub(crate) fn nodes(&self, level: usize) -> u64 {
        let (below, above) = self.levels.split_at(level);
        let down: u64 = above.iter().map(|level| u64::from(level.down)).product();
        below.iter().fold(down, |nodes, level| nodes.saturating_mul(u64::from(level.up)))
    }

    /// The place on `level + 1` of the `port`th switch above the node at `place` of `level`.
    pub(crate) fn above(&self, level: usize, place: u32, port: u32) -> u32 {
        let below: u32 = self.levels[..level].iter().map(|level| level.up).product();
        let (tree, among) = (place / below, place % below);
        let Level { down, up, .. } = self.levels[level];
        tree / down * below * up + port * below + among
    }
}

/// A fat tree with its links.
#[derive(Clone, Debug)]
pub(crate) struct FatTreeLinks {
    pub(crate) shape: FatTree,
    pub(crate) cables: Cables,
    /// By level from the hosts up: the first cable.
    pub(crate) first: Vec<u32>,
    /// By level: the first limiter.
    pub(crate) limiters: Vec<u32>,
}

impl FatTreeLinks {
    /// The cables from a level to the one above.
    pub(crate) fn cables_of(&self, level: usize) -> u32 {
        let Level { up, cables, .. } = self.shape.levels[level];
        self.shape.nodes(level) as u32 * up * cables
    }

    /// Chooses the cables of a route `down`, given by level as the first of the parallel ones and
    /// which of these it is.
    ///
    /// Of a switch the places below are numbered cable by cable, those of one cable by child.
    fn as_in_simgrid(&self, from: u32, to: u32, down: &mut [(u32, u32)]) {
        let (mut place, mut below) = (None, 1);
        let children: Vec<u32> = self.shape.levels[..down.len()]
            .iter()
            .map(|level| {
                let child = to / below % level.down;
                below *= level.down;
                child
            })
            .collect();
        for ((level, child), (_, cable)) in self.shape.levels.iter().zip(children).zip(down).rev() {
            let Level { down: wide, cables, .. } = *level;
            let onward = place.map(|place: u32| (place + 1 + wide - 1 - child) / wide * wide + child);
            let here = onward.filter(|&here| here < wide * cables).unwrap_or(from % cables * wide + child);
            *cable = here / wide;
            place = Some(here);
        }
    }
}

impl Topology for FatTreeLinks {
    fn go(&self, from: u32, to: u32, cursor: &mut impl RouteCursor) -> Result<(), Unjoined> {
        let hosts = self.shape.hosts().unwrap_or(0);
        if self.cables.ends_here(from, to, hosts, cursor) {
            return Ok(());
        }
        // at the top of the loop: the subtree that each lies in, the place among its switches, and
        // how many those are
        let (mut of_from, mut of_to, mut among, mut width) = (from, to, 0, 1);
        let mut down = Vec::with_capacity(self.shape.levels.len());
        for (level, &Level { down: below, up, cables }) in self.shape.levels.iter().enumerate() {
            let port = to / width % (up * cables);
            let (switch, cable) = (port % up, port / up);
            let cable_of =
                |tree: u32| self.first[level] + ((tree * width + among) * up + switch) * cables + cable;
            self.cables.limit(self.limiters[level] + of_from * width + among, cursor);
            self.cables.up(cable_of(of_from), cursor);
            down.push((cable_of(of_to) - cable, cable));
            (of_from, of_to) = (of_from / below, of_to / below);
            among += switch * width;
            width *= up;
            if of_from == of_to {
                break;
            }
        }
        if self.cables.routing == ClusterRouting::AsInSimGrid {
            self.as_in_simgrid(from, to, &mut down);
        }
        for (level, &(first, cable)) in down.iter().enumerate().rev() {
            self.cables.down(first + cable, cursor);
            width = self.shape.levels[..=level].iter().map(|level| level.up).product();
            let tree = to / self.shape.levels[..=level].iter().map(|level| level.down).product::<u32>();
            self.cables.limit(self.limiters[level + 1] + tree * width + among % width, cursor);
        }
        self.cables.limit(self.limiters[0] + to, cursor);
        Ok(())
    }
}
