//! Classes of routes: pairs of points whose routes cross as many links of each kind, in the same
//! order.
//!
//! In a mesh all pairs of different hosts are one class, in a star too; in a fat tree the class is
//! the level on which two hosts meet. Where all links of a kind are equal, routes of one class have
//! the same latency and bandwidth: what holds of one pair holds of all.

use crate::sharing::LinkId;
use crate::topology::routing::{Cables, Joins, Star};

/// Links that take the same place in routes of one class.
pub(crate) type Kind = Vec<LinkId>;

/// Pairs of points whose routes are alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RouteClasses {
    /// All pairs of different points.
    All,
    /// Pairs that meet on one level of a fat tree; for each level, the number of subtrees below a
    /// switch.
    ByLevel(Vec<u32>),
}

impl RouteClasses {
    /// Number of classes there are.
    pub fn count(&self) -> usize {
        match self {
            RouteClasses::All => 1,
            RouteClasses::ByLevel(levels) => levels.len(),
        }
    }

    /// The class of the route between two different points.
    #[inline]
    pub fn of(&self, from: usize, to: usize) -> usize {
        let RouteClasses::ByLevel(levels) = self else { return 0 };
        let (mut from, mut to, mut class) = (from, to, 0);
        for down in levels {
            (from, to) = (from / *down as usize, to / *down as usize);
            if from == to {
                break;
            }
            class += 1;
        }
        class
    }
}

impl Joins {
    /// The kinds of links of routes between the first `hosts` points, if such routes have classes.
    pub(crate) fn kinds(&self, hosts: u32) -> Option<Vec<Kind>> {
        match self {
            Joins::Mesh(mesh) if mesh.hosts == hosts => {
                let links = hosts * hosts.saturating_sub(1) / 2;
                Some(mesh.cables.kinds(links, hosts))
            }
            Joins::FatTree(tree) if tree.shape.hosts() == Some(hosts) => {
                let cables = (0..tree.shape.levels.len()).map(|level| tree.cables_of(level)).sum();
                Some(tree.cables.kinds(cables, tree.limiters.last().copied().unwrap_or(0)))
            }
            Joins::Star(star) => star.kinds(hosts),
            _ => None,
        }
    }

    /// The classes of such routes.
    pub(crate) fn classes(&self) -> RouteClasses {
        match self {
            Joins::FatTree(tree) => {
                RouteClasses::ByLevel(tree.shape.levels.iter().map(|level| level.down).collect())
            }
            _ => RouteClasses::All,
        }
    }
}

impl Cables {
    /// All links of `cables` cables and `limiters` limiters.
    fn kinds(&self, cables: u32, limiters: u32) -> Vec<Kind> {
        let links = |first: u32, count: u32| (first..first + count).map(LinkId::new).collect();
        let limiters = self.limiters.map(|first| links(first, limiters));
        std::iter::once(links(self.first, cables * self.width)).chain(limiters).collect()
    }
}

impl Star {
    /// By place in the spokes of the first points, up and down. None if a point has another number
    /// of links than the first, its links are those of another too, or it is a zone.
    fn kinds(&self, hosts: u32) -> Option<Vec<Kind>> {
        let spokes: Option<Vec<_>> = (0..hosts).map(|rank| self.spoke(rank).ok().flatten()).collect();
        let spokes = spokes?;
        let first = spokes.first()?;
        let is_like = |spoke: &&super::Spoke| {
            let lengths = |spoke: &super::Spoke| (spoke.up.len(), spoke.down.len());
            spoke.gateway.is_none() && lengths(spoke) == lengths(first)
        };
        let mut owners: Vec<(LinkId, usize)> = Vec::new();
        for (rank, spoke) in spokes.iter().enumerate() {
            let mut own: Vec<LinkId> = spoke.up.iter().chain(&spoke.down).copied().collect();
            own.sort_unstable();
            own.dedup();
            owners.extend(own.into_iter().map(|link| (link, rank)));
        }
        owners.extend(self.backbone.map(|link| (link, spokes.len())));
        owners.sort_unstable();
        let is_shared = owners.windows(2).any(|pair| pair[0].0 == pair[1].0);
        if is_shared || !spokes.iter().all(is_like) {
            return None;
        }
        let up = (0..first.up.len()).map(|place| spokes.iter().map(|spoke| spoke.up[place]).collect());
        let down = (0..first.down.len()).map(|place| spokes.iter().map(|spoke| spoke.down[place]).collect());
        Some(up.chain(down).collect())
    }
}
