//! Zones: parts of a platform that have a routing of their own, within each other.
//!
//! ```text
//!   top zone ─┬─ zone ─┬─ host      from host to host: up to the last zone that holds both, along
//!             │        ├─ host      its routing between the points that hold them, and within each
//!             │        └─ router    by the same rule, from the host to the gateway of the route
//!             └─ zone ─── …
//! ```
//!
//! A zone joins its *points*: hosts, routers, and the zones in it. Between zones the route begins
//! and ends at *gateways*, which are hosts or routers somewhere inside. So each zone says only what
//! is its own, and no zone has a table of all pairs of hosts.
//!
//! Source: P. Bobelin, A. Legrand, D. A. Gonzalez Marquez, P. Navarro, M. Quinson, F. Suter, C.
//! Thiery, "Scalable multi-purpose network representation for large scale distributed system
//! simulation", CCGrid 2012.

use crate::hosts::HostId;
use crate::ids::index;

index! {
    /// A zone of a platform, numbered from 0 in the order of creation; 0 is the top zone.
    pub struct ZoneId(pub(crate) u32);
}

impl ZoneId {
    /// The zone that everything lies in.
    pub const TOP: ZoneId = ZoneId(0);
}

index! {
    /// A router: a point that routes lead over, and that computes nothing. Numbered from 0 in the
    /// order of creation.
    pub struct RouterId(pub(crate) u32);
}

/// A point that a zone joins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NetPoint {
    /// A host.
    Host(HostId),
    /// A router.
    Router(RouterId),
    /// A zone.
    Zone(ZoneId),
}

impl From<HostId> for NetPoint {
    fn from(host: HostId) -> Self {
        NetPoint::Host(host)
    }
}

impl From<RouterId> for NetPoint {
    fn from(router: RouterId) -> Self {
        NetPoint::Router(router)
    }
}

impl From<ZoneId> for NetPoint {
    fn from(zone: ZoneId) -> Self {
        NetPoint::Zone(zone)
    }
}

/// The rule by which a zone finds the route between its points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Routing {
    /// Each pair of points has a route of its own, or none.
    Full,
    /// Routes are made of hops: the route with the fewest links is taken, and of equal ones that
    /// over the hops which were given first.
    ShortestPath,
    /// Each point has links up to the middle and down from it; a backbone may lie in the middle.
    Star,
    /// Each point has coordinates, from which latencies follow, and may have links up and down.
    Vivaldi,
    /// Nothing joins the points.
    None,
}

impl Routing {
    /// The name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Routing::Full => "full",
            Routing::ShortestPath => "shortest-path",
            Routing::Star => "star",
            Routing::Vivaldi => "vivaldi",
            Routing::None => "none",
        }
    }
}
