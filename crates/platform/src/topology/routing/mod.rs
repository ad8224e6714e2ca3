//! Topologies: how the points of one zone are joined, one kind per file.
//!
//! A topology gives the route between two of its zone's points, given by their *ranks* (0 for the
//! first that was put into the zone), step by step to a [`RouteCursor`]. What is regular is
//! computed from ranks: nothing is stored but what describes it, and links lie one after the other.

mod cables;
mod classes;
mod declared;
mod dragonfly;
mod edges;
mod fat_tree;
mod mesh;
mod search;
mod star;
mod torus;
mod vivaldi;

use crate::sharing::LinkId;
use crate::topology::{NetPoint, Routing};

pub use dragonfly::{Dragonfly, Tier};
pub use fat_tree::{FatTree, Level};
pub use star::{Spoke, ToItself};
pub use torus::Torus;

pub(crate) use cables::Cables;
pub use cables::ClusterRouting;
pub use classes::RouteClasses;
pub(crate) use declared::{Declared, Segment};
pub(crate) use dragonfly::DragonflyLinks;
pub(crate) use edges::{EdgeGraph, Vertex};
pub(crate) use fat_tree::FatTreeLinks;
pub(crate) use mesh::MeshLinks;
pub(crate) use star::Star;
pub(crate) use torus::TorusLinks;
pub(crate) use vivaldi::Vivaldi;

/// Nothing joins two points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unjoined;

/// A route that is being followed: where it is, the links that it has crossed, and what it has
/// waited besides.
pub(crate) trait RouteCursor {
    /// The links that it has crossed, to which others are added.
    fn crossed(&mut self) -> &mut Vec<LinkId>;

    /// Adds `seconds` to the time of the route.
    fn wait(&mut self, seconds: f64);

    /// The links that it has crossed have led to a point.
    fn enter(&mut self, point: NetPoint);

    /// Goes on to a host or router, wherever it lies; nowhere if it is there.
    fn go(&mut self, to: NetPoint) -> Result<(), Unjoined>;
}

/// The routes between the points of one zone.
pub(crate) trait Topology {
    /// Goes from the point of rank `from` to that of rank `to`. Of a point to itself it goes over
    /// the loopback if there is one, and nowhere else.
    fn go(&self, from: u32, to: u32, cursor: &mut impl RouteCursor) -> Result<(), Unjoined>;
}

/// The topology of a zone.
#[derive(Clone, Debug)]
pub(crate) enum Joins {
    Declared(Declared),
    Edges(EdgeGraph),
    Star(Star),
    Vivaldi(Vivaldi),
    FatTree(FatTreeLinks),
    Torus(TorusLinks),
    Dragonfly(DragonflyLinks),
    Mesh(MeshLinks),
    None,
}

impl Joins {
    pub(crate) fn new(routing: Routing) -> Self {
        match routing {
            Routing::Full => Joins::Declared(Declared::default()),
            Routing::ShortestPath => Joins::Declared(Declared::hops()),
            Routing::Star => Joins::Star(Star::default()),
            Routing::Vivaldi => Joins::Vivaldi(Vivaldi::default()),
            Routing::None => Joins::None,
        }
    }

    /// The routes that were given one by one: ranks of their ends, and links.
    pub(crate) fn given(&self) -> Vec<(u32, u32, &[LinkId])> {
        match self {
            Joins::Declared(routes) => routes.all(),
            _ => Vec::new(),
        }
    }

    /// The name in messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Joins::Declared(routes) if routes.is_searched() => Routing::ShortestPath.name(),
            Joins::Declared(_) => Routing::Full.name(),
            Joins::Star(_) => Routing::Star.name(),
            Joins::Vivaldi(_) => Routing::Vivaldi.name(),
            Joins::Edges(_) => "edges",
            Joins::FatTree(_) => "fat-tree",
            Joins::Torus(_) => "torus",
            Joins::Dragonfly(_) => "dragonfly",
            Joins::Mesh(_) => "mesh",
            Joins::None => Routing::None.name(),
        }
    }

    /// As [`Topology::go`].
    pub(crate) fn go(&self, from: u32, to: u32, cursor: &mut impl RouteCursor) -> Result<(), Unjoined> {
        match self {
            Joins::Declared(routes) => routes.go(from, to, cursor),
            Joins::Edges(edges) => edges.go(from, to, cursor),
            Joins::Star(star) => star.go(from, to, cursor),
            Joins::Vivaldi(vivaldi) => vivaldi.go(from, to, cursor),
            Joins::FatTree(tree) => tree.go(from, to, cursor),
            Joins::Torus(torus) => torus.go(from, to, cursor),
            Joins::Dragonfly(dragonfly) => dragonfly.go(from, to, cursor),
            Joins::Mesh(mesh) => mesh.go(from, to, cursor),
            Joins::None if from == to => Ok(()),
            Joins::None => Err(Unjoined),
        }
    }
}
