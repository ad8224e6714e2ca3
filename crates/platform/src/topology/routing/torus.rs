//! Tori: hosts on a grid of any number of dimensions whose ends are joined, with routing by
//! dimensions.
//!
//! Each host has a cable to the next one in each dimension. A route goes along the first dimension
//! until that coordinate is right, then along the second, and so on, in the shorter of the two
//! directions; if both are equally long, towards higher numbers, but to number 0 downwards. The
//! first dimension is the one in which hosts that follow each other are neighbours.
//!
//! Source: W. J. Dally, C. L. Seitz, "Deadlock-free message routing in multiprocessor
//! interconnection networks", IEEE Trans. Computers C-36(5), 1987 (e-cube routing). Which direction
//! ties take is a choice, SimGrid's.

use crate::topology::routing::cables::Cables;
use crate::topology::routing::{RouteCursor, Topology, Unjoined};

/// The shape of a torus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Torus {
    /// Hosts along each dimension.
    pub dimensions: Vec<u32>,
}

impl Torus {
    /// The number of hosts of such a torus, if it has a shape at all.
    pub fn hosts(&self) -> Option<u32> {
        let product = |product: u32, &length: &u32| product.checked_mul(length).filter(|&hosts| hosts > 0);
        self.dimensions.iter().try_fold(1, product).filter(|_| !self.dimensions.is_empty())
    }

    /// The host after this one, along a dimension of this `length` whose neighbours are `stride`
    /// apart.
    pub(crate) fn next(host: u32, length: u32, stride: u32) -> u32 {
        let along = host / stride % length;
        if along + 1 < length { host + stride } else { host - along * stride }
    }
}

/// A torus with its links: cable `host * dimensions + dimension` leads to the next host in that
/// dimension.
#[derive(Clone, Debug)]
pub(crate) struct TorusLinks {
    /// The dimensions along which there is more than one host.
    pub(crate) shape: Torus,
    pub(crate) cables: Cables,
}

impl Topology for TorusLinks {
    fn go(&self, from: u32, to: u32, cursor: &mut impl RouteCursor) -> Result<(), Unjoined> {
        let hosts = self.shape.dimensions.iter().product();
        if self.cables.ends_here(from, to, hosts, cursor) {
            return Ok(());
        }
        self.cables.limit(from, cursor);
        let dimensions = self.shape.dimensions.len() as u32;
        let (mut here, mut stride) = (from, 1);
        for (dimension, &length) in (0..).zip(&self.shape.dimensions) {
            let (at, wanted) = (here / stride % length, to / stride % length);
            let ahead = (wanted + length - at) % length;
            let forward = 2 * ahead < length || 2 * ahead == length && wanted > 0;
            for _ in 0..if forward { ahead } else { length - ahead } {
                if forward {
                    self.cables.up(here * dimensions + dimension, cursor);
                    here = Torus::next(here, length, stride);
                } else {
                    let along = here / stride % length;
                    here = if along > 0 { here - stride } else { here + (length - 1) * stride };
                    self.cables.down(here * dimensions + dimension, cursor);
                }
                self.cables.limit(here, cursor);
            }
            stride *= length;
        }
        Ok(())
    }
}
