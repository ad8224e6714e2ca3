//! Topology: zones of hosts and routers, the routes that join them, and how a [`Platform`] is built of them.

mod builder;
mod cluster;
mod graph;
pub mod keys;
mod platform;
mod route;
mod routing;
mod zone;

pub use builder::{Builder, Duplex, Route, Ways};
pub use cluster::{Cluster, Shape, Sharing};
pub(in crate::platform) use graph::Graph;
pub use platform::{DeclaredRoute, NoRoute, Platform};
pub(in crate::platform) use route::Walk;
pub(in crate::platform) use routing::{
    Cables, DragonflyLinks, FatTreeLinks, Joins, LinePoint, Lines, Star, Stretch, TorusLinks, Unjoined,
};
pub use routing::{ClusterRouting, Dragonfly, FatTree, Level, Spoke, Tier, ToItself, Torus};
pub(in crate::platform) use zone::{DEEPEST, Router, Seat, Zone};
pub use zone::{Point, RouterId, Routing, ZoneId};
