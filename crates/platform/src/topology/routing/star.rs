//! Stars: each point has links up to the middle and links down from it.
//!
//! The route is up, over the backbone if there is one, and down. The middle may be a point of its
//! own, a router that has no links: to it the route is up and over the backbone. A cluster whose
//! switch never is what limits is a star without a backbone.

use crate::sharing::LinkId;
use crate::topology::NetPoint;
use crate::topology::routing::{RouteCursor, Topology, Unjoined};

/// The links of one point of a star.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spoke {
    /// The links up to the middle.
    pub up: Vec<LinkId>,
    /// The links down from the middle.
    pub down: Vec<LinkId>,
    /// The route from the point to itself. Without it, that takes no time.
    pub loopback: Vec<LinkId>,
    /// Of a zone: the host or router in it at which routes begin and end.
    pub gateway: Option<NetPoint>,
}

impl Spoke {
    /// One link up and one down.
    pub fn new(up: LinkId, down: LinkId) -> Self {
        Spoke { up: vec![up], down: vec![down], ..Spoke::default() }
    }
}

/// Spokes and the backbone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Star {
    /// By rank; points without a spoke sit in the middle, if they are joined to it at all.
    spokes: Vec<Option<Box<Spoke>>>,
    pub(crate) backbone: Option<LinkId>,
    /// The rank of the point in the middle.
    pub(crate) middle: Option<u32>,
    /// True if a point without a loopback reaches itself over the middle.
    pub(crate) to_itself: ToItself,
}

/// The route to itself of a point that has no loopback.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ToItself {
    /// Over no links: it takes no time.
    #[default]
    AtOnce,
    /// Over the middle of the star, as to every other point.
    OverTheMiddle,
}

impl Star {
    /// A star without spokes around the point of this rank.
    pub(crate) fn around(middle: u32, to_itself: ToItself) -> Self {
        Star { middle: Some(middle), to_itself, ..Star::default() }
    }

    /// Gives a point its spoke; whether it had none.
    pub(crate) fn add(&mut self, rank: u32, spoke: Spoke) -> bool {
        let rank = rank as usize;
        self.spokes.resize(self.spokes.len().max(rank + 1), None);
        let fresh = self.spokes[rank].is_none();
        if fresh {
            self.spokes[rank] = Some(Box::new(spoke));
        }
        fresh
    }

    /// The spoke of a point; `None` in the middle.
    pub(crate) fn spoke(&self, rank: u32) -> Result<Option<&Spoke>, Unjoined> {
        match self.spokes.get(rank as usize).and_then(Option::as_deref) {
            None if self.middle != Some(rank) => Err(Unjoined),
            spoke => Ok(spoke),
        }
    }
}

impl Topology for Star {
    fn go(&self, from: u32, to: u32, cursor: &mut impl RouteCursor) -> Result<(), Unjoined> {
        if from == to {
            let Ok(Some(spoke)) = self.spoke(from) else { return Ok(()) };
            if !spoke.loopback.is_empty() || self.to_itself == ToItself::AtOnce {
                cursor.crossed().extend_from_slice(&spoke.loopback);
                return Ok(());
            }
        }
        let (up, down) = (self.spoke(from)?, self.spoke(to)?);
        if let Some(gateway) = up.and_then(|spoke| spoke.gateway) {
            cursor.go(gateway)?;
        }
        let begin = cursor.crossed().len();
        cursor.crossed().extend_from_slice(up.map_or(&[], |spoke| &spoke.up));
        cursor.crossed().extend_from_slice(self.backbone.as_slice());
        // a link that is not split is both up and down of the same point
        // what both have, such as a limiter, is crossed once
        for link in down.map_or(&[][..], |spoke| &spoke.down) {
            if !cursor.crossed()[begin..].contains(link) {
                cursor.crossed().push(*link);
            }
        }
        if let Some(gateway) = down.and_then(|spoke| spoke.gateway) {
            cursor.enter(gateway);
        }
        Ok(())
    }
}
