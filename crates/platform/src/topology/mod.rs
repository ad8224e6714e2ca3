//! Topology: zones of hosts and routers, the routes that join them, and how a [`Platform`] is built
//! of them.

mod behind_link;
mod builder;
mod cluster;
mod cursor;
mod graph;
pub mod keys;
mod links;
mod own_values;
mod platform;
mod route;
mod routing;
mod zone;

pub use behind_link::BehindLink;
pub use builder::{Builder, Duplex, Sharing};
pub use cluster::{Cluster, DrawnBandwidths, Shape};
pub(crate) use graph::Graph;
pub(crate) use links::Factors;
pub use links::Links;
pub use platform::{DeclaredRoute, NoRoute, Platform};
pub use route::{Route, Symmetry};
pub use routing::RouteClasses;
pub(crate) use routing::{
    Cables, DragonflyLinks, EdgeGraph, FatTreeLinks, Joins, MeshLinks, RouteCursor, Segment, Star,
    TorusLinks, Unjoined, Vertex,
};
pub use routing::{ClusterRouting, Dragonfly, FatTree, Level, Spoke, Tier, ToItself, Torus};
pub use zone::{NetPoint, RouterId, Routing, ZoneId};
