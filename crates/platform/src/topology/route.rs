//! Routes as they are declared: between two points, over links, there only or there and back.

use crate::sharing::LinkId;
use crate::topology::NetPoint;

/// True if a route also leads back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symmetry {
    /// Route in one direction.
    OneWay,
    /// Route in both directions: the same links from the last to the first, of split links the one
    /// of the other direction.
    Symmetric,
}

/// A route between two points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Route {
    /// Start.
    pub from: NetPoint,
    /// End.
    pub to: NetPoint,
    /// Of a zone to come from: the host or router in it at which the route begins.
    pub from_gateway: Option<NetPoint>,
    /// Of a zone to go to: the host or router in it at which the route ends.
    pub to_gateway: Option<NetPoint>,
    /// Links, in order.
    pub links: Vec<LinkId>,
    /// True if it also leads back.
    pub symmetry: Symmetry,
}

impl Route {
    /// The route there and back between two points, over no links yet.
    pub fn new(from: impl Into<NetPoint>, to: impl Into<NetPoint>) -> Self {
        let (from, to) = (from.into(), to.into());
        Route {
            from,
            to,
            from_gateway: None,
            to_gateway: None,
            links: Vec::new(),
            symmetry: Symmetry::Symmetric,
        }
    }

    /// The same over these links.
    #[must_use]
    pub fn over(self, links: impl IntoIterator<Item = LinkId>) -> Self {
        Route { links: links.into_iter().collect(), ..self }
    }

    /// The same between these gateways of two zones.
    #[must_use]
    pub fn between(self, from: impl Into<NetPoint>, to: impl Into<NetPoint>) -> Self {
        Route { from_gateway: Some(from.into()), to_gateway: Some(to.into()), ..self }
    }

    /// The same, there only.
    #[must_use]
    pub fn one_way(self) -> Self {
        Route { symmetry: Symmetry::OneWay, ..self }
    }
}
