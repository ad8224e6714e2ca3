//! The route from one host to another through the zones of a platform.

use crate::sharing::LinkId;
use crate::topology::platform::{Platform, ZonePosition};
use crate::topology::{NetPoint, RouteCursor, Unjoined};

/// The cursor of a route through a platform.
pub(super) struct PlatformCursor<'a> {
    platform: &'a Platform,
    here: NetPoint,
    links: &'a mut Vec<LinkId>,
    /// Seconds that no link has.
    seconds: f64,
}

impl<'a> PlatformCursor<'a> {
    /// A route that begins at `here`.
    pub(super) fn new(platform: &'a Platform, here: NetPoint, links: &'a mut Vec<LinkId>) -> Self {
        PlatformCursor { platform, here, links, seconds: 0.0 }
    }

    /// Seconds that it takes beyond the latencies of its links.
    pub(super) fn seconds(&self) -> f64 {
        self.seconds
    }

    /// From the point to itself.
    pub(super) fn stay(&mut self) -> Result<(), Unjoined> {
        if let Some(links) = self.platform.bypass(self.here, self.here) {
            self.links.extend_from_slice(links);
            return Ok(());
        }
        let ZonePosition { zone, rank } = self.platform.position(self.here);
        self.platform.zone(zone).joins.go(rank, rank, self)
    }
}

impl RouteCursor for PlatformCursor<'_> {
    fn crossed(&mut self) -> &mut Vec<LinkId> {
        self.links
    }

    fn wait(&mut self, seconds: f64) {
        self.seconds += seconds;
    }

    fn enter(&mut self, point: NetPoint) {
        self.here = point;
    }

    fn go(&mut self, to: NetPoint) -> Result<(), Unjoined> {
        let from = self.here;
        if from == to {
            return Ok(());
        }
        if let Some(links) = self.platform.bypass(from, to) {
            self.links.extend_from_slice(links);
            self.here = to;
            return Ok(());
        }
        if let Some(segment) = self.platform.zone_bypass(from, to) {
            segment.go(self)?;
            return self.go(to);
        }
        let (zone, of_from, of_to) = self.platform.meet(from, to);
        self.platform.zone(zone).joins.go(of_from, of_to, self)?;
        let position = self.platform.position(to);
        if position.zone == zone {
            self.here = to;
            return Ok(());
        }
        // what is left lies within the zone that was entered: else it would begin again for ever
        let (left, ..) = self.platform.meet(self.here, to);
        if self.platform.zone(left).depth <= self.platform.zone(zone).depth {
            return Err(Unjoined);
        }
        self.go(to)
    }
}
