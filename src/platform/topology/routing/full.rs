//! Full routing: each pair of points has a route of its own.

use std::collections::BTreeMap;

use crate::platform::sharing::LinkId;
use crate::platform::topology::routing::{Topology, Unjoined};
use crate::platform::topology::{Point, Walk};

/// A route as it is kept: its links, and where it begins and ends: at the point itself, or at a gateway of a zone.
#[derive(Clone, Debug)]
pub(in crate::platform) struct Stretch {
    pub(in crate::platform) leaves: Point,
    pub(in crate::platform) enters: Point,
    pub(in crate::platform) links: Vec<LinkId>,
}

impl Stretch {
    pub(in crate::platform) fn go(&self, walk: &mut Walk<'_>) -> Result<(), Unjoined> {
        walk.go(self.leaves)?;
        walk.links(&self.links);
        walk.enter(self.enters);
        Ok(())
    }
}

/// Routes by the ranks of their ends.
#[derive(Clone, Debug, Default)]
pub(in crate::platform) struct Full {
    routes: BTreeMap<(u32, u32), Stretch>,
}

impl Full {
    /// Whether there is such a route.
    pub(in crate::platform) fn has(&self, from: u32, to: u32) -> bool {
        self.routes.contains_key(&(from, to))
    }

    /// All routes, in the order of their ends.
    pub(in crate::platform) fn all(&self) -> impl Iterator<Item = (u32, u32, &[LinkId])> {
        self.routes.iter().map(|(&(from, to), stretch)| (from, to, stretch.links.as_slice()))
    }

    /// Adds a route.
    pub(in crate::platform) fn add(&mut self, from: u32, to: u32, stretch: Stretch) {
        self.routes.insert((from, to), stretch);
    }
}

impl Topology for Full {
    fn go(&self, from: u32, to: u32, walk: &mut Walk<'_>) -> Result<(), Unjoined> {
        match self.routes.get(&(from, to)) {
            Some(stretch) => stretch.go(walk),
            None if from == to => Ok(()),
            None => Err(Unjoined),
        }
    }
}
