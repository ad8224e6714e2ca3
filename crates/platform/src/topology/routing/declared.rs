//! Declared routes: each pair of points has a route of its own, or routes are hops of which the
//! shortest routes are made.
//!
//! Of shortest routes the one with the fewest links is taken. The routes from one point are
//! searched for when the first of them is asked for, and kept: for each point the hop by which it
//! is reached. So the first route from a point costs O(h log n) for h hops and n points and every
//! other O(length); n numbers are kept for each point that routes were asked from. Of routes of
//! equal length the one whose points were reached first is taken, from those reached earlier, over
//! the hop that was declared first.

use std::sync::OnceLock;

use crate::collections::OrderedMap;
use crate::sharing::LinkId;
use crate::topology::NetPoint;
use crate::topology::routing::{RouteCursor, Topology, Unjoined, search};

/// A declared route: its links, and where it begins and ends: at the point itself, or at a gateway
/// of a zone.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) leaves: NetPoint,
    pub(crate) enters: NetPoint,
    pub(crate) links: Vec<LinkId>,
}

impl Segment {
    pub(crate) fn go(&self, cursor: &mut impl RouteCursor) -> Result<(), Unjoined> {
        cursor.go(self.leaves)?;
        cursor.crossed().extend_from_slice(&self.links);
        cursor.enter(self.enters);
        Ok(())
    }
}

#[derive(Clone, Debug)]
struct Hop {
    from: u32,
    to: u32,
    segment: Segment,
}

/// Declared routes by the ranks of their ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    hops: Vec<Hop>,
    by_ends: OrderedMap<(u32, u32), u32>,
    /// By rank, where routes are made of hops: the hop by which each point is reached from it.
    trees: Option<Vec<OnceLock<Box<[u32]>>>>,
}

impl Declared {
    /// None yet, of which the shortest routes are made.
    pub(crate) fn hops() -> Self {
        Declared { trees: Some(Vec::new()), ..Declared::default() }
    }

    /// Returns true if routes are made of hops.
    pub(crate) fn is_searched(&self) -> bool {
        self.trees.is_some()
    }

    /// Returns true if there is such a route.
    pub(crate) fn has(&self, (from, to): (u32, u32)) -> bool {
        self.by_ends.contains_key(&(from, to))
    }

    /// All routes, in the order of their ends; hops in the order of declaration.
    pub(crate) fn all(&self) -> Vec<(u32, u32, &[LinkId])> {
        let route = |hop: &Hop| (hop.from, hop.to);
        let mut hops: Vec<&Hop> = self.hops.iter().collect();
        if !self.is_searched() {
            hops.sort_by_key(|hop| route(hop));
        }
        hops.into_iter().map(|hop| (hop.from, hop.to, hop.segment.links.as_slice())).collect()
    }

    /// Adds a route.
    pub(crate) fn add(&mut self, (from, to): (u32, u32), segment: Segment) {
        self.by_ends.insert((from, to), self.hops.len() as u32);
        self.hops.push(Hop { from, to, segment });
        if let Some(trees) = &mut self.trees {
            let points = (from.max(to) as usize + 1).max(trees.len());
            trees.resize_with(points, OnceLock::new);
        }
    }

    fn hop(&self, index: u32) -> &Hop {
        &self.hops[index as usize]
    }

    fn tree(&self, from: u32, points: usize) -> Box<[u32]> {
        search::tree(
            points,
            from,
            |order, _| order,
            |point, length: usize, reach| {
                let hops = self.by_ends.range((point, 0)..=(point, u32::MAX));
                let mut hops: Vec<u32> = hops.map(|(_, &hop)| hop).collect();
                hops.sort_unstable();
                for index in hops {
                    let hop = self.hop(index);
                    reach(index, hop.to, length + hop.segment.links.len());
                }
            },
        )
    }
}

impl Topology for Declared {
    fn go(&self, from: u32, to: u32, cursor: &mut impl RouteCursor) -> Result<(), Unjoined> {
        let Some(trees) = self.trees.as_ref().filter(|_| from != to) else {
            return match self.by_ends.get(&(from, to)) {
                Some(&route) => self.hop(route).segment.go(cursor),
                None if from == to => Ok(()),
                None => Err(Unjoined),
            };
        };
        let tree = trees.get(from as usize).ok_or(Unjoined)?;
        let tree = tree.get_or_init(|| self.tree(from, trees.len()));
        let route = search::back(tree, (from, to), |hop| self.hop(hop).from).ok_or(Unjoined)?;
        route.iter().rev().try_for_each(|&hop| self.hop(hop).segment.go(cursor))
    }
}
