//! Vivaldi: latencies by coordinates.
//!
//! Two points are joined by the links up of the one and the links down of the other, and beyond
//! those by a latency in milliseconds: the distance of the first two coordinates in the plane, and
//! both third coordinates, which are the heights above it. No link has this latency:
//! [`Platform::route_with_delay`](crate::Platform::route_with_delay) has it. A zone in
//! the zone has the coordinates of its gateway.
//!
//! Source: F. Dabek, R. Cox, F. Kaashoek, R. Morris, "Vivaldi: a decentralized network coordinate
//! system", SIGCOMM 2004, section 5.4 (coordinates with heights).

use crate::topology::NetPoint;
use crate::topology::routing::star::{Star, ToItself};
use crate::topology::routing::{RouteCursor, Topology, Unjoined};

/// Coordinates and spokes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vivaldi {
    /// By rank: the coordinates [ms], and the gateway of a zone.
    places: Vec<Option<([f64; 3], Option<NetPoint>)>>,
    /// The links of points, and whether one with links and without a loopback reaches itself over
    /// these.
    pub(crate) spokes: Star,
}

impl Vivaldi {
    /// Gives a point its place; whether it had none.
    pub(crate) fn place(&mut self, rank: u32, at: [f64; 3], gateway: Option<NetPoint>) -> bool {
        let rank = rank as usize;
        self.places.resize(self.places.len().max(rank + 1), None);
        self.places[rank].replace((at, gateway)).is_none()
    }

    fn at(&self, rank: u32) -> Result<([f64; 3], Option<NetPoint>), Unjoined> {
        self.places.get(rank as usize).copied().flatten().ok_or(Unjoined)
    }
}

impl Topology for Vivaldi {
    fn go(&self, from: u32, to: u32, cursor: &mut impl RouteCursor) -> Result<(), Unjoined> {
        let [up, down] = [from, to].map(|rank| self.spokes.spoke(rank).ok().flatten());
        if from == to
            && (up.is_none_or(|spoke| !spoke.loopback.is_empty())
                || self.spokes.to_itself == ToItself::AtOnce)
        {
            cursor.crossed().extend_from_slice(up.map_or(&[], |spoke| &spoke.loopback));
            return Ok(());
        }
        let ([x, y, height], leaves) = self.at(from)?;
        let ([other_x, other_y, other_height], enters) = self.at(to)?;
        if let Some(gateway) = leaves {
            cursor.go(gateway)?;
        }
        cursor.crossed().extend_from_slice(up.map_or(&[], |spoke| &spoke.up));
        let (across, along) = (x - other_x, y - other_y);
        let distance = (across * across + along * along).sqrt();
        cursor.wait((distance + height + other_height) / 1000.0);
        cursor.crossed().extend_from_slice(down.map_or(&[], |spoke| &spoke.down));
        if let Some(gateway) = enters {
            cursor.enter(gateway);
        }
        Ok(())
    }
}
