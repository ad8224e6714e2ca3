//! The links of a computed topology: cables one after the other, and what each host has besides.
//!
//! A cable is one link, or two if it is split: one for each direction. Each host may have a
//! loopback, and each node a limiter, a link that all of the node's traffic crosses, in and out.

use crate::sharing::LinkId;
use crate::topology::routing::RouteCursor;
use crate::topology::routing::star::ToItself;

/// Routes of a fat tree or dragonfly where those of SimGrid 4.1 differ from the published ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ClusterRouting {
    /// As the topology's source has them.
    #[default]
    AsPublished,
    /// As SimGrid has them, so that what was found with it can be found again.
    AsInSimGrid,
}

/// The first links of a computed topology, by their use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cables {
    /// The link of cable 0.
    pub(crate) first: u32,
    /// Links of a cable: 1, or 2 if there is one for each direction.
    pub(crate) width: u32,
    /// The loopback of host 0.
    pub(crate) loopbacks: Option<u32>,
    /// The limiter 0.
    pub(crate) limiters: Option<u32>,
    /// The route to itself of a host without a loopback.
    pub(crate) to_itself: ToItself,
    pub(crate) routing: ClusterRouting,
}

impl Cables {
    /// Along a cable, away from the node that it was laid from.
    pub(crate) fn up(&self, cable: u32, cursor: &mut impl RouteCursor) {
        cursor.crossed().push(LinkId::new(self.first + cable * self.width));
    }

    /// Along a cable, to the node that it was laid from.
    pub(crate) fn down(&self, cable: u32, cursor: &mut impl RouteCursor) {
        cursor.crossed().push(LinkId::new(self.first + cable * self.width + self.width - 1));
    }

    /// Number of cables that join each two of `count` nodes.
    pub(crate) fn between_all(count: u64) -> u64 {
        count * count.saturating_sub(1) / 2
    }

    /// Over the cable of the two `ends` of `count`, of which the pairs begin at `first` and have
    /// `side` cables each, one of them ours.
    pub(crate) fn cross(
        &self,
        ends: (u32, u32),
        (first, side): (u32, u32),
        count: u32,
        cursor: &mut impl RouteCursor,
    ) {
        let [low, high, count] = [ends.0.min(ends.1), ends.0.max(ends.1), count].map(u64::from);
        let pair = (low * (2 * count - low - 1) / 2 + high - low - 1) as u32;
        if ends.0 < ends.1 {
            self.up(first + pair * side, cursor);
        } else {
            self.down(first + pair * side, cursor);
        }
    }

    /// Through the limiter of a node.
    pub(crate) fn limit(&self, node: u32, cursor: &mut impl RouteCursor) {
        if let Some(first) = self.limiters {
            cursor.crossed().push(LinkId::new(first + node));
        }
    }

    /// Returns true if the route has ended already: it is that of a host to itself, over a loopback
    /// or nothing, or that to or from the router in the middle (of rank `hosts`), which no links
    /// lead to.
    pub(crate) fn ends_here(&self, from: u32, to: u32, hosts: u32, cursor: &mut impl RouteCursor) -> bool {
        if from >= hosts || to >= hosts {
            return true;
        }
        if from == to
            && let Some(first) = self.loopbacks
        {
            cursor.crossed().push(LinkId::new(first + from));
            return true;
        }
        from == to && self.to_itself == ToItself::AtOnce
    }
}
