//! EdgeGraph: hosts and routers that are joined by links, whose routes are those of the least
//! latency.
//!
//! A route is the shorter the less the latencies add up to, and of equal latencies the fewer links
//! it has; of equals it is that over the points that were added earlier. Hosts forward nothing:
//! only routers lie between the ends of a route. An edge from host to host is the route between
//! these two, whatever else there is. Where every edge is crossed in both directions, the route
//! back is the route there.
//!
//! Nothing is kept for pairs of hosts. The routes from a point are searched for when the first of
//! them is asked for, and kept: for each *inner* point the edge by which it is reached. A host that
//! hangs on a router by a single edge is no inner point: its routes begin with that edge and go on
//! as the router's do. So n hosts on r routers need memory for n edges and at most r² numbers, and
//! a route takes O(length) but for the first from its router.
//!
//! Source: E. W. Dijkstra, Numerische Mathematik 1, 1959. Deviation: none.

use std::sync::OnceLock;

use crate::Symmetry;
use crate::sharing::LinkId;
use crate::topology::routing::{RouteCursor, Topology, Unjoined, search};

/// A host or a router among edges, numbered from 0 in the order in which they are added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Vertex(u32);

/// An edge as seen from its start: the point at its end, the link, and the time to cross it.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    link: LinkId,
    nanos: u64,
}

#[derive(Clone, Debug)]
struct Joined {
    is_host: bool,
    /// Number of edges that lead here.
    comers: u32,
    /// Edges that lead from here, in the order in which they were added.
    edges: Vec<Edge>,
}

/// An edge between inner points, by their numbers.
#[derive(Clone, Copy, Debug)]
struct Inner {
    from: u32,
    to: u32,
    link: LinkId,
    nanos: u64,
}

/// No inner point.
const NONE: u32 = u32::MAX;

/// Hosts and routers, and the edges between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeGraph {
    points: Vec<Joined>,
    /// Points of the hosts, by rank.
    hosts: Vec<u32>,
    is_one_way: bool,
    /// The number of each point among the inner ones.
    numbers: Vec<u32>,
    /// Of each inner point, whether it forwards and where its edges begin; the end of the last.
    inner: Vec<(bool, u32)>,
    between: Vec<Inner>,
    /// Of each inner point: the edge by which each other one is reached from it.
    trees: Vec<OnceLock<Box<[u32]>>>,
}

impl EdgeGraph {
    /// Adds the host of the next rank.
    pub(crate) fn host(&mut self) -> Vertex {
        self.hosts.push(self.points.len() as u32);
        self.point(true)
    }

    /// Adds a router.
    pub(crate) fn router(&mut self) -> Vertex {
        self.point(false)
    }

    fn point(&mut self, is_host: bool) -> Vertex {
        self.points.push(Joined { is_host, comers: 0, edges: Vec::new() });
        Vertex(self.points.len() as u32 - 1)
    }

    /// Joins two points by a link that takes so long to cross.
    pub(crate) fn edge(
        &mut self,
        (from, to): (Vertex, Vertex),
        link: LinkId,
        nanos: u64,
        symmetry: Symmetry,
    ) {
        let mut lead = |from: Vertex, to: Vertex| {
            self.points[from.0 as usize].edges.push(Edge { to: to.0, link, nanos });
            self.points[to.0 as usize].comers += 1;
        };
        lead(from, to);
        match symmetry {
            Symmetry::Symmetric => lead(to, from),
            Symmetry::OneWay => self.is_one_way = true,
        }
    }

    /// The same when all has been added, ready to be searched.
    #[must_use]
    pub(crate) fn finished(mut self) -> Self {
        let hangs: Vec<bool> = (0..self.points.len()).map(|point| self.hangs(point).is_some()).collect();
        let mut count = 0;
        self.numbers = hangs
            .iter()
            .map(|&hangs| {
                count += u32::from(!hangs);
                if hangs { NONE } else { count - 1 }
            })
            .collect();
        for (point, joined) in self.points.iter().enumerate().filter(|&(point, _)| !hangs[point]) {
            self.inner.push((!joined.is_host, self.between.len() as u32));
            let from = self.numbers[point];
            let edges = joined.edges.iter().filter(|edge| !hangs[edge.to as usize]);
            self.between.extend(edges.map(|&Edge { to, link, nanos }| Inner {
                from,
                to: self.numbers[to as usize],
                link,
                nanos,
            }));
        }
        self.trees = vec![OnceLock::new(); self.inner.len()];
        self.inner.push((false, self.between.len() as u32));
        self
    }

    /// The edge by which a host hangs on a router, if it has no other.
    fn hangs(&self, point: usize) -> Option<Edge> {
        let Joined { is_host: true, comers: 1, edges } = &self.points[point] else { return None };
        let [edge] = edges[..] else { return None };
        let router = &self.points[edge.to as usize];
        let is_crossed_back = || router.edges.iter().any(|back| back.link == edge.link);
        (!router.is_host && is_crossed_back()).then_some(edge)
    }

    /// The inner point where the routes from or to a point begin or end, and the link between, if
    /// it is not that point itself.
    fn inner(&self, point: u32) -> (u32, Option<LinkId>) {
        match self.numbers[point as usize] {
            NONE => {
                let edge = self.points[point as usize].edges[0];
                (self.numbers[edge.to as usize], Some(edge.link))
            }
            number => (number, None),
        }
    }

    /// The shortest routes from an inner point to all others.
    fn tree(&self, from: u32) -> Box<[u32]> {
        search::tree(
            self.trees.len(),
            from,
            |_, point| point,
            |point, (nanos, links): (u64, u32), reach| {
                let (forwards, first) = self.inner[point as usize];
                let end = if point == from || forwards { self.inner[point as usize + 1].1 } else { first };
                for index in first..end {
                    let edge = self.between[index as usize];
                    reach(index, edge.to, (nanos.saturating_add(edge.nanos), links + 1));
                }
            },
        )
    }

    /// The links of the route between two points, in order.
    fn route(&self, from: u32, to: u32) -> Option<Vec<LinkId>> {
        let mut direct = self.points[from as usize].edges.iter().filter(|edge| edge.to == to);
        if let Some(edge) = direct.next() {
            return Some(vec![edge.link]);
        }
        let ((start, first), (end, last)) = (self.inner(from), self.inner(to));
        let tree = self.trees[start as usize].get_or_init(|| self.tree(start));
        let edge = |index: u32| self.between[index as usize];
        let inner = search::back(tree, (start, end), |index| edge(index).from)?;
        let inner = inner.iter().rev().map(|&index| edge(index).link);
        Some(first.into_iter().chain(inner).chain(last).collect())
    }
}

impl Topology for EdgeGraph {
    fn go(&self, from: u32, to: u32, cursor: &mut impl RouteCursor) -> Result<(), Unjoined> {
        if from == to {
            return Ok(());
        }
        let [from, to] = [from, to].map(|rank| self.hosts.get(rank as usize).copied());
        let (Some(from), Some(to)) = (from, to) else { return Err(Unjoined) };
        let route = if self.is_one_way || from < to {
            self.route(from, to)
        } else {
            self.route(to, from).map(|mut route| {
                route.reverse();
                route
            })
        };
        cursor.crossed().extend_from_slice(&route.ok_or(Unjoined)?);
        Ok(())
    }
}
