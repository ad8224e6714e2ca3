//! Topologies: how the points of one zone are joined, one kind per file.
//!
//! A topology tells the way between two of its zone's points, given by their *ranks* (0 for the first that was put into the zone), step
//! by step to a [`Walk`]. What is regular is computed from ranks: nothing is stored but what describes it, and links
//! lie one after the other.

mod cables;
mod dragonfly;
mod fat_tree;
mod full;
mod lines;
mod shortest_path;
mod star;
mod torus;
mod vivaldi;

use crate::platform::sharing::LinkId;
use crate::platform::topology::{Routing, Walk};

pub use dragonfly::{Dragonfly, Tier};
pub use fat_tree::{FatTree, Level};
pub use star::{Spoke, ToItself};
pub use torus::Torus;

pub(in crate::platform) use cables::Cables;
pub use cables::ClusterRouting;
pub(in crate::platform) use dragonfly::DragonflyLinks;
pub(in crate::platform) use fat_tree::FatTreeLinks;
pub(in crate::platform) use full::Full;
pub(in crate::platform) use full::Stretch;
pub(in crate::platform) use lines::{LinePoint, Lines};
pub(in crate::platform) use shortest_path::ShortestPath;
pub(in crate::platform) use star::Star;
pub(in crate::platform) use torus::TorusLinks;
pub(in crate::platform) use vivaldi::Vivaldi;

/// Nothing joins two points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::platform) struct Unjoined;

/// What tells ways between the points of one zone.
pub(in crate::platform) trait Topology {
    /// Goes from the point of rank `from` to that of rank `to`. Of a point to itself it goes over the loopback if there is one, and
    /// nowhere else.
    fn go(&self, from: u32, to: u32, walk: &mut Walk<'_>) -> Result<(), Unjoined>;
}

/// The topology of a zone.
#[derive(Clone, Debug)]
pub(in crate::platform) enum Joins {
    Full(Full),
    Lines(Lines),
    ShortestPath(ShortestPath),
    Star(Star),
    Vivaldi(Vivaldi),
    FatTree(FatTreeLinks),
    Torus(TorusLinks),
    Dragonfly(DragonflyLinks),
    None,
}

impl Joins {
    pub(in crate::platform) fn new(routing: Routing) -> Self {
        match routing {
            Routing::Full => Joins::Full(Full::default()),
            Routing::ShortestPath => Joins::ShortestPath(ShortestPath::default()),
            Routing::Star => Joins::Star(Star::default()),
            Routing::Vivaldi => Joins::Vivaldi(Vivaldi::default()),
            Routing::None => Joins::None,
        }
    }

    /// The routes that were given one by one: ranks of their ends, and links.
    pub(in crate::platform) fn given(&self) -> Vec<(u32, u32, &[LinkId])> {
        match self {
            Joins::Full(full) => full.all().collect(),
            Joins::ShortestPath(graph) => graph.all().collect(),
            _ => Vec::new(),
        }
    }

    /// The name in messages.
    pub(in crate::platform) fn name(&self) -> &'static str {
        match self {
            Joins::Full(_) => Routing::Full.name(),
            Joins::ShortestPath(_) => Routing::ShortestPath.name(),
            Joins::Star(_) => Routing::Star.name(),
            Joins::Vivaldi(_) => Routing::Vivaldi.name(),
            Joins::Lines(_) => "lines",
            Joins::FatTree(_) => "fat-tree",
            Joins::Torus(_) => "torus",
            Joins::Dragonfly(_) => "dragonfly",
            Joins::None => Routing::None.name(),
        }
    }

    /// As [`Topology::go`].
    pub(in crate::platform) fn go(&self, from: u32, to: u32, walk: &mut Walk<'_>) -> Result<(), Unjoined> {
        match self {
            Joins::Full(full) => full.go(from, to, walk),
            Joins::Lines(lines) => lines.go(from, to, walk),
            Joins::ShortestPath(graph) => graph.go(from, to, walk),
            Joins::Star(star) => star.go(from, to, walk),
            Joins::Vivaldi(vivaldi) => vivaldi.go(from, to, walk),
            Joins::FatTree(tree) => tree.go(from, to, walk),
            Joins::Torus(torus) => torus.go(from, to, walk),
            Joins::Dragonfly(dragonfly) => dragonfly.go(from, to, walk),
            Joins::None if from == to => Ok(()),
            Joins::None => Err(Unjoined),
        }
    }
}
