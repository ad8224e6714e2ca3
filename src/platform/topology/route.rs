//! The way from one host to another through the zones of a platform.

use crate::platform::sharing::LinkId;
use crate::platform::topology::{Platform, Point, Seat, Unjoined};

/// A way that is being gone: where it stands, the links that it went over, and what it waited besides.
pub(in crate::platform) struct Walk<'a> {
    platform: &'a Platform,
    here: Point,
    links: &'a mut Vec<LinkId>,
    /// Seconds that no link has.
    seconds: f64,
}

impl<'a> Walk<'a> {
    /// A way that begins at `here`.
    pub(in crate::platform) fn new(platform: &'a Platform, here: Point, links: &'a mut Vec<LinkId>) -> Self {
        Walk { platform, here, links, seconds: 0.0 }
    }

    /// Seconds that it takes beyond the latencies of its links.
    pub(in crate::platform) fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Over a link.
    pub(in crate::platform) fn link(&mut self, link: LinkId) {
        self.links.push(link);
    }

    /// Over links.
    pub(in crate::platform) fn links(&mut self, links: &[LinkId]) {
        self.links.extend_from_slice(links);
    }

    /// How many links it has gone over.
    pub(in crate::platform) fn mark(&self) -> usize {
        self.links.len()
    }

    /// Over those of the links that it has not gone over since there were `mark` of them.
    pub(in crate::platform) fn links_once(&mut self, mark: usize, links: &[LinkId]) {
        for &link in links {
            if !self.links[mark..].contains(&link) {
                self.links.push(link);
            }
        }
    }

    /// Takes so many seconds more.
    pub(in crate::platform) fn wait(&mut self, seconds: f64) {
        self.seconds += seconds;
    }

    /// It has come to a point by the links that it went over.
    pub(in crate::platform) fn enter(&mut self, point: Point) {
        self.here = point;
    }

    /// From the point to itself.
    pub(in crate::platform) fn stay(&mut self) -> Result<(), Unjoined> {
        if let Some(links) = self.platform.bypass(self.here, self.here) {
            self.links(links);
            return Ok(());
        }
        let Seat { zone, rank } = self.platform.seat(self.here);
        self.platform.zone(zone).joins.go(rank, rank, self)
    }

    /// On to a host or router, wherever it lies; nowhere if it is there.
    pub(in crate::platform) fn go(&mut self, to: Point) -> Result<(), Unjoined> {
        let from = self.here;
        if from == to {
            return Ok(());
        }
        if let Some(links) = self.platform.bypass(from, to) {
            self.links(links);
            self.here = to;
            return Ok(());
        }
        if let Some(stretch) = self.platform.zone_bypass(from, to) {
            stretch.go(self)?;
            return self.go(to);
        }
        let (zone, of_from, of_to) = self.platform.meet(from, to);
        self.platform.zone(zone).joins.go(of_from, of_to, self)?;
        let seat = self.platform.seat(to);
        if seat.zone == zone {
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
