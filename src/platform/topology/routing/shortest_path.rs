//! Shortest paths: routes are hops, and the way with the fewest links is taken.
//!
//! The ways from one point are found when the first of them is asked for (Dijkstra) and kept: for each point the hop by which it is
//! reached. So the first way from a point costs O(h log n) for h hops and n points and every other O(length); what is kept are n
//! numbers for each point that ways were asked from. Of ways of equal length that is taken whose points were reached
//! first, from those reached earlier, over the hop that was given first.
//!
//! Source: E. W. Dijkstra, "A note on two problems in connexion with graphs", Numerische Mathematik 1, 1959.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::OnceLock;

use crate::platform::sharing::LinkId;
use crate::platform::topology::Walk;
use crate::platform::topology::routing::full::Stretch;
use crate::platform::topology::routing::{Topology, Unjoined};

#[derive(Clone, Debug)]
struct Hop {
    from: u32,
    to: u32,
    stretch: Stretch,
}

/// No hop.
const NONE: u32 = u32::MAX;

/// Hops, and the ways that were asked for.
#[derive(Clone, Debug, Default)]
pub(in crate::platform) struct ShortestPath {
    hops: Vec<Hop>,
    by_ends: BTreeMap<(u32, u32), u32>,
    /// By rank: the hop by which each point is reached from it.
    trees: Vec<OnceLock<Box<[u32]>>>,
}

impl ShortestPath {
    /// Whether there is such a hop.
    pub(in crate::platform) fn has(&self, from: u32, to: u32) -> bool {
        self.by_ends.contains_key(&(from, to))
    }

    /// All hops, in the order in which they were given.
    pub(in crate::platform) fn all(&self) -> impl Iterator<Item = (u32, u32, &[LinkId])> {
        self.hops.iter().map(|hop| (hop.from, hop.to, hop.stretch.links.as_slice()))
    }

    /// Adds a hop.
    pub(in crate::platform) fn add(&mut self, from: u32, to: u32, stretch: Stretch) {
        self.by_ends.insert((from, to), self.hops.len() as u32);
        self.hops.push(Hop { from, to, stretch });
        let points = (from.max(to) as usize + 1).max(self.trees.len());
        self.trees.resize_with(points, OnceLock::new);
    }

    fn hop(&self, index: u32) -> &Hop {
        &self.hops[index as usize]
    }

    fn tree(&self, from: u32) -> Box<[u32]> {
        let points = self.trees.len();
        let (mut reached_by, mut lengths) = (vec![NONE; points], vec![usize::MAX; points]);
        let mut done = vec![false; points];
        let mut heap = BinaryHeap::new();
        lengths[from as usize] = 0;
        let mut order = 0_u64;
        heap.push(Reverse((0, order, from)));
        while let Some(Reverse((length, _, point))) = heap.pop() {
            if std::mem::replace(&mut done[point as usize], true) {
                continue;
            }
            let hops = self.by_ends.range((point, 0)..=(point, u32::MAX));
            let mut hops: Vec<u32> = hops.map(|(_, &hop)| hop).collect();
            hops.sort_unstable();
            for index in hops {
                let hop = self.hop(index);
                let further = length + hop.stretch.links.len();
                if hop.to != from && further < lengths[hop.to as usize] {
                    lengths[hop.to as usize] = further;
                    reached_by[hop.to as usize] = index;
                    order += 1;
                    heap.push(Reverse((further, order, hop.to)));
                }
            }
        }
        reached_by.into()
    }
}

impl Topology for ShortestPath {
    fn go(&self, from: u32, to: u32, walk: &mut Walk<'_>) -> Result<(), Unjoined> {
        if from == to {
            let loopback = self.by_ends.get(&(from, to));
            return loopback.map_or(Ok(()), |&hop| self.hop(hop).stretch.go(walk));
        }
        let tree = self.trees.get(from as usize).ok_or(Unjoined)?.get_or_init(|| self.tree(from));
        let (mut at, mut way) = (to, Vec::new());
        while at != from {
            let hop = tree.get(at as usize).copied().filter(|&hop| hop != NONE).ok_or(Unjoined)?;
            way.push(hop);
            at = self.hop(hop).from;
        }
        for &hop in way.iter().rev() {
            self.hop(hop).stretch.go(walk)?;
        }
        Ok(())
    }
}
